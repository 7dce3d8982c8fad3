//! Unix: termios.

use rustix::termios::{OptionalActions, Termios};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// The settings of a terminal as they were, and a handle on it.
#[derive(Debug)]
pub struct Saved {
    fd: OwnedFd,
    settings: Termios,
}

/// Notes the settings of the terminal behind `fd`.
///
/// # Errors
/// `fd` is no terminal, or no descriptor is left.
pub fn save(fd: impl AsFd) -> io::Result<Saved> {
    let settings = rustix::termios::tcgetattr(&fd)?;
    Ok(Saved {
        fd: crate::fd::duplicate(fd)?,
        settings,
    })
}

impl Saved {
    /// Puts the settings back at once. May be called again.
    ///
    /// # Errors
    /// What `tcsetattr` reports, above all that the terminal is gone.
    pub fn restore(&self) -> io::Result<()> {
        // Not after draining: a terminal that is stuck (Ctrl-S, a hung line) would hold us here.
        Ok(rustix::termios::tcsetattr(
            &self.fd,
            OptionalActions::Now,
            &self.settings,
        )?)
    }
}

/// Forgets what was typed at the terminal behind `fd` and not read yet. No terminal is no error.
pub fn forget_typed(fd: impl AsFd) {
    // Whoever has no terminal has typed nothing.
    let _none = rustix::termios::tcflush(fd, rustix::termios::QueueSelector::IFlush);
}

/// Whether `fd` is a terminal.
#[must_use]
pub fn is_tty(fd: impl AsFd) -> bool {
    rustix::termios::isatty(fd)
}

/// Columns and rows of the terminal behind `fd`; `None` when it is none or does not know.
#[must_use]
pub fn size(fd: impl AsFd) -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(fd).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::termios::{LocalModes, tcgetattr, tcsetattr};

    #[test]
    fn settings_come_back_as_they_were() {
        let (_master, slave) = crate::pty::open(91, 17).unwrap();
        let saved = save(&slave).unwrap();
        let before = tcgetattr(&slave).unwrap();
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &raw).unwrap();
        assert!(
            !tcgetattr(&slave)
                .unwrap()
                .local_modes
                .contains(LocalModes::ECHO)
        );
        saved.restore().unwrap();
        let after = tcgetattr(&slave).unwrap();
        assert_eq!(after.local_modes, before.local_modes);
        assert_eq!(after.input_modes, before.input_modes);
        assert_eq!(after.output_modes, before.output_modes);
        assert_eq!(size(&slave), Some((91, 17)));
    }

    #[test]
    fn a_pipe_is_no_terminal() {
        let (reader, _writer) = std::io::pipe().unwrap();
        assert!(!is_tty(&reader));
        assert_eq!(size(&reader), None);
        assert!(save(&reader).is_err());
    }
}
