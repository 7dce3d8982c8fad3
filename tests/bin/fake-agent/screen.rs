//! What it shows: plain lines, no cursor games.

use std::fmt::Display;
use std::io::{self, Write};

/// Shows that it listens.
pub(crate) fn prompt() -> io::Result<()> {
    send("fake> ")
}

/// Shows a line.
pub(crate) fn say(line: impl Display) -> io::Result<()> {
    send(&format!("{line}\n"))
}

/// Writes bytes as they are.
pub(crate) fn send(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
