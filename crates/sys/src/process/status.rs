//! How a process ended, from the number the system gives.

/// A raw wait status, read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Ended by itself with this code, 0 to 255 (on Windows any number).
    Exited(i32),
    /// Ended by this signal.
    Killed(i32),
    /// Stopped by this signal; it is still there.
    Stopped(i32),
    /// Goes on after a stop.
    Continued,
}

impl Status {
    /// Reads the number that `wait` gives.
    #[must_use]
    #[cfg(unix)]
    pub const fn from_raw(raw: i32) -> Self {
        if libc::WIFSTOPPED(raw) {
            Self::Stopped(libc::WSTOPSIG(raw))
        } else if libc::WIFCONTINUED(raw) {
            Self::Continued
        } else if libc::WIFSIGNALED(raw) {
            Self::Killed(libc::WTERMSIG(raw))
        } else {
            Self::Exited(libc::WEXITSTATUS(raw))
        }
    }

    /// Reads the number that `wait` gives; on Windows that is the exit code itself.
    #[must_use]
    #[cfg(not(unix))]
    pub const fn from_raw(raw: i32) -> Self {
        Self::Exited(raw)
    }

    /// As a shell says it: the code, or 128 and the signal. `None`: it has not ended.
    #[must_use]
    pub const fn code(self) -> Option<u8> {
        match self {
            // A failure stays one, also where a code has more than eight bits.
            Self::Exited(code) if code != 0 && code & 0xff == 0 => Some(1),
            Self::Exited(code) => Some((code & 0xff) as u8),
            Self::Killed(signal) => Some((128 + (signal & 0x7f)) as u8),
            Self::Stopped(_) | Self::Continued => None,
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_status_is_read() {
        for (raw, status, code) in [
            (0x0000, Status::Exited(0), Some(0)),
            (0x0700, Status::Exited(7), Some(7)),
            (0xff00, Status::Exited(255), Some(255)),
            (0x000b, Status::Killed(11), Some(139)),
            (0x008b, Status::Killed(11), Some(139)), // with a core file
            (0x147f, Status::Stopped(20), None),
            (0xffff, Status::Continued, None),
        ] {
            assert_eq!(Status::from_raw(raw), status, "{raw:#x}");
            assert_eq!(status.code(), code, "{raw:#x}");
        }
    }
}
