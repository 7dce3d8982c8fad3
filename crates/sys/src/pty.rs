//! Pseudo-terminals: a master that never blocks and a slave to hand to a program.
//!
//! portable-pty opens the pair; all later work is on descriptors of our own. Its writer is never
//! taken: dropping that one types a newline and ^D into the program.

use portable_pty::{MasterPty, PtySize};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

/// The host's side of a pty: non-blocking, closed at exec. Closing it hangs the program up.
#[derive(Debug)]
pub struct Master(OwnedFd);

/// Opens a pty of this size. The second value is the program's side, closed at exec; drop it once
/// the program has it, or the end of the program is never seen.
///
/// # Errors
/// No pty or no descriptor is left.
pub fn open(cols: u16, rows: u16) -> io::Result<(Master, OwnedFd)> {
    let size = PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = portable_pty::native_pty_system()
        .openpty(size)
        .map_err(io::Error::other)?;
    let master = own(pair.master.as_ref())?;
    crate::fd::set_nonblocking(&master)?;
    let name = pair
        .master
        .tty_name()
        .ok_or_else(|| io::Error::other("the pty has no name"))?;
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let slave = rustix::fs::open(name, flags, rustix::fs::Mode::empty())?;
    Ok((Master(master), slave))
}

/// A descriptor of our own for a master that portable-pty keeps.
fn own(master: &dyn MasterPty) -> io::Result<OwnedFd> {
    let raw = master
        .as_raw_fd()
        .ok_or_else(|| io::Error::other("the pty has no descriptor"))?;
    // SAFETY: `raw` belongs to `master`, which is borrowed until after the duplicate is made.
    let borrowed = unsafe { BorrowedFd::borrow_raw(raw) };
    crate::fd::duplicate(borrowed)
}

impl Master {
    /// Sets the size; the foreground group gets SIGWINCH if it changed.
    ///
    /// # Errors
    /// What the ioctl reports.
    pub fn resize(&self, cols: u16, rows: u16) -> io::Result<()> {
        let size = rustix::termios::Winsize {
            ws_col: cols,
            ws_row: rows,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        Ok(rustix::termios::tcsetwinsize(&self.0, size)?)
    }

    /// The process group in the foreground; `None` without one. It may already be dead.
    #[must_use]
    pub fn foreground(&self) -> Option<i32> {
        // SAFETY: the descriptor is ours and open; the call takes nothing else.
        // (rustix turns the 0 of "no foreground group" into an error of its own on some systems.)
        let group = unsafe { libc::tcgetpgrp(self.0.as_raw_fd()) };
        (group > 0).then_some(group)
    }

    /// Reads what the program printed. 0: ended, nobody holds the other side any more (the
    /// system's `EIO` is this too).
    ///
    /// # Errors
    /// `WouldBlock` when there is nothing to read now; else what `read` reports.
    pub fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match rustix::io::read(&self.0, &mut *into) {
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::IO) => return Ok(0),
                other => return Ok(other?),
            }
        }
    }

    /// Reads like [`Self::read`], into the spare room behind `into`, which there must be.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn append(&self, into: &mut Vec<u8>) -> io::Result<usize> {
        loop {
            match rustix::io::read(&self.0, rustix::buffer::spare_capacity(into)) {
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::IO) => return Ok(0),
                other => return Ok(other?),
            }
        }
    }

    /// Another handle of the same master. The pty lives while there is any.
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn another(&self) -> io::Result<Self> {
        Ok(Self(crate::fd::duplicate(self.0.as_fd())?))
    }

    /// Types into the program. May take less than all of it.
    ///
    /// # Errors
    /// `WouldBlock` when the program does not read; else what `write` reports.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match rustix::io::write(&self.0, bytes) {
                Err(rustix::io::Errno::INTR) => {}
                other => return Ok(other?),
            }
        }
    }
}

impl AsFd for Master {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Master {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor_flags(fd: impl AsFd) -> (bool, bool) {
        let cloexec = rustix::io::fcntl_getfd(&fd)
            .unwrap()
            .contains(rustix::io::FdFlags::CLOEXEC);
        let nonblocking = rustix::fs::fcntl_getfl(&fd)
            .unwrap()
            .contains(rustix::fs::OFlags::NONBLOCK);
        (cloexec, nonblocking)
    }

    #[test]
    fn both_sides_are_closed_at_exec_and_only_the_master_never_blocks() {
        let (master, slave) = open(80, 24).unwrap();
        assert_eq!(descriptor_flags(&master), (true, true));
        assert_eq!(descriptor_flags(&slave), (true, false));
    }

    #[test]
    fn bytes_pass_and_the_end_is_zero_not_an_error() {
        let (master, slave) = open(80, 24).unwrap();
        let mut bytes = [0; 64];
        assert_eq!(
            master.read(&mut bytes).unwrap_err().kind(),
            io::ErrorKind::WouldBlock
        );
        rustix::io::write(&slave, b"hello").unwrap();
        crate::fd::wait_readable(&[master.as_fd()], None).unwrap();
        assert_eq!(master.read(&mut bytes).unwrap(), 5);
        rustix::io::write(&slave, b" and more").unwrap();
        crate::fd::wait_readable(&[master.as_fd()], None).unwrap();
        let mut text = Vec::with_capacity(64);
        text.extend_from_slice(b"hello");
        assert_eq!(master.another().unwrap().append(&mut text).unwrap(), 9);
        assert_eq!(text, b"hello and more");
        drop(slave);
        crate::fd::wait_readable(&[master.as_fd()], None).unwrap();
        assert_eq!(master.read(&mut bytes).unwrap(), 0);
        assert_eq!(master.append(&mut text).unwrap(), 0);
    }

    #[test]
    fn a_program_that_never_reads_makes_the_write_refuse() {
        let (master, _slave) = open(80, 24).unwrap();
        let block = [b'x'; 4096];
        let refused = (0..64).find_map(|_| master.write(&block).err()).unwrap();
        assert_eq!(refused.kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn the_size_is_what_was_asked_for() {
        let (master, slave) = open(100, 30).unwrap();
        assert_eq!(crate::tty::size(&slave), Some((100, 30)));
        master.resize(77, 11).unwrap();
        assert_eq!(crate::tty::size(&slave), Some((77, 11)));
        assert_eq!(master.foreground(), None);
    }
}
