//! Linux: a signalfd. Nothing runs at an arbitrary moment, so there is no handler to be wrong.

use crate::process::Signal;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

/// The signals this process waits for. Blocked for the calling thread for ever.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// From now on `wanted` come only through this. Every other signal that can be blocked is
    /// blocked too (not those of a program's own faults), so that nothing but KILL and STOP acts
    /// on the process by itself. Programs started from here inherit that: see
    /// [`crate::child::with_fresh_signals`].
    ///
    /// # Errors
    /// What `sigprocmask` and `signalfd` report.
    pub fn take(wanted: &[Signal]) -> io::Result<Self> {
        // SAFETY: all-zero is a valid sigset_t; the calls below set it up before it is used.
        let mut taken: libc::sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        let mut blocked: libc::sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: the sets are ours. Setting SIG_DFL touches no memory; it is needed because an
        // ignored SIGCHLD, inherited from whoever started us, would make children vanish.
        unsafe {
            libc::sigemptyset(&raw mut taken);
            libc::sigfillset(&raw mut blocked);
            for fault in [
                libc::SIGSEGV,
                libc::SIGBUS,
                libc::SIGILL,
                libc::SIGFPE,
                libc::SIGABRT,
            ] {
                libc::sigdelset(&raw mut blocked, fault);
            }
            for signal in wanted {
                libc::sigaddset(&raw mut taken, signal.as_raw());
                libc::signal(signal.as_raw(), libc::SIG_DFL);
            }
            check(libc::pthread_sigmask(
                libc::SIG_SETMASK,
                &raw const blocked,
                std::ptr::null_mut(),
            ))?;
        }
        // SAFETY: a new descriptor from a set that is read during the call.
        let fd =
            unsafe { libc::signalfd(-1, &raw const taken, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made and nobody else owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// The next one that has come; `None`: none is waiting. Several of one kind may be told once.
    ///
    /// # Errors
    /// What `read` reports.
    pub fn next(&self) -> io::Result<Option<Signal>> {
        // One record has 128 bytes and begins with the signal's number.
        let mut record = [0_u8; 128];
        match rustix::io::read(&self.0, &mut record) {
            Ok(128) => {
                let number = u32::from_ne_bytes([record[0], record[1], record[2], record[3]]);
                Ok(i32::try_from(number).ok().and_then(Signal::from_named_raw))
            }
            Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The pthread family gives its error as the result.
fn check(result: i32) -> io::Result<()> {
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(result))
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
