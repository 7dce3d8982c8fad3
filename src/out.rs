//! What a command says: data to stdout, talk to stderr.
//!
//! Promises: with `--json` stdout carries exactly one JSON value; a reader that went away ends the
//! command quietly.

use crate::failure::Failure;
use std::io::{ErrorKind, Write};
use sys::files::plain;

/// Where a command's words go.
#[derive(Clone, Copy, Debug)]
pub struct Out {
    /// Data is printed as JSON.
    pub json: bool,
}

impl Out {
    /// A line of data.
    ///
    /// # Errors
    /// When stdout cannot be written.
    pub fn line(self, text: &str) -> Result<(), Failure> {
        self.bytes(format!("{text}\n").as_bytes())
    }

    /// Data as it is.
    ///
    /// # Errors
    /// When stdout cannot be written.
    pub fn bytes(self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = std::io::stdout().lock();
        stdout
            .write_all(bytes)
            .and_then(|()| stdout.flush())
            .map_err(|e| match e.kind() {
                ErrorKind::BrokenPipe => Failure::reader_gone(),
                _ => Failure::new(format!("cannot write to stdout: {}", plain(&e))),
            })
    }

    /// One JSON value.
    ///
    /// # Errors
    /// When stdout cannot be written.
    pub fn json(self, value: &serde_json::Value) -> Result<(), Failure> {
        self.line(&value.to_string())
    }

    /// The same as JSON or as text, whichever was asked for.
    ///
    /// # Errors
    /// When stdout cannot be written.
    pub fn either(
        self,
        value: impl FnOnce() -> serde_json::Value,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json {
            self.json(&value())
        } else {
            self.line(&text())
        }
    }
}

/// A line of talk. Nobody to hear it is no reason to stop.
pub fn say(text: &str) {
    drop(writeln!(std::io::stderr(), "abide: {text}"));
}
