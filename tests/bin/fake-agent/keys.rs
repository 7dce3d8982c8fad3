//! The terminal read key by key, as full-screen agents do: raw mode, lines put together here.

use rustix::termios::{OptionalActions, OutputModes, tcgetattr, tcsetattr};
use std::io::{self, Write};

/// What a person did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A line and Enter; may be empty.
    Line(String),
    /// Ctrl-C or Escape.
    Interrupt,
    /// Ctrl-Z.
    Stop,
    /// Ctrl-D on an empty line, or the end of input.
    End,
}

/// Puts the terminal back when dropped.
pub(crate) struct Raw(Option<sys::tty::Saved>);

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(saved) = &self.0 {
            let _gone = saved.restore();
        }
    }
}

/// Raw mode, with `\n` still going to the next line's beginning; nothing where there is no terminal.
pub(crate) fn raw() -> io::Result<Raw> {
    let stdin = io::stdin();
    if !sys::tty::is_tty(&stdin) {
        return Ok(Raw(None));
    }
    let saved = sys::tty::save(&stdin)?;
    let mut settings = tcgetattr(&stdin)?;
    settings.make_raw();
    settings.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    tcsetattr(&stdin, OptionalActions::Now, &settings)?;
    Ok(Raw(Some(saved)))
}

/// Every byte that is there; none at the end of input.
pub(crate) fn read() -> io::Result<Vec<u8>> {
    let mut bytes = [0; 4096];
    // Past the library's own buffer, which would hide from `poll` what it holds.
    match rustix::io::read(io::stdin(), &mut bytes) {
        Ok(count) => Ok(bytes[..count].to_vec()),
        // The terminal was hung up.
        Err(rustix::io::Errno::IO) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The line so far.
#[derive(Default)]
pub(crate) struct Keys {
    line: Vec<u8>,
}

impl Keys {
    /// Shows what was read, gives the keys that are complete. Nothing read is the end of input.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<Key> {
        if bytes.is_empty() {
            return vec![Key::End];
        }
        let mut out = io::stdout().lock();
        let keys = bytes.iter().filter_map(|byte| {
            let key = self.byte(*byte);
            if key.is_none() && !byte.is_ascii_control() {
                let _gone = out.write_all(&[*byte]);
            }
            key
        });
        let keys = keys.collect();
        let _gone = out.flush();
        keys
    }

    fn byte(&mut self, byte: u8) -> Option<Key> {
        match byte {
            b'\r' | b'\n' => {
                let line = std::mem::take(&mut self.line);
                Some(Key::Line(String::from_utf8_lossy(&line).into_owned()))
            }
            0x03 | 0x1b => Some(Key::Interrupt),
            0x04 if self.line.is_empty() => Some(Key::End),
            0x1a => Some(Key::Stop),
            0x7f => {
                self.line.pop();
                None
            }
            byte if byte < 0x20 => None,
            byte => {
                self.line.push(byte);
                None
            }
        }
    }
}
