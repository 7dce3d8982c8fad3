//! Unix: a pidfd, or a kqueue that watches the one process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A handle on one process; readable (see [`crate::fd::wait_readable`]) once it is dead, also as
/// a zombie.
#[derive(Debug)]
pub struct PidFd(OwnedFd);

impl PidFd {
    /// Opens a handle on the process that has this pid now.
    ///
    /// # Errors
    /// No such process, no descriptor left, or a system without such handles.
    #[cfg(target_os = "linux")]
    pub fn open(pid: i32) -> io::Result<Self> {
        let pid = crate::process::named(pid)?;
        Ok(Self(rustix::process::pidfd_open(
            pid,
            rustix::process::PidfdFlags::empty(),
        )?))
    }

    /// Opens a handle on the process that has this pid now.
    ///
    /// # Errors
    /// No such process, or no descriptor left.
    #[cfg(not(target_os = "linux"))]
    pub fn open(pid: i32) -> io::Result<Self> {
        use rustix::event::kqueue::{
            Event, EventFilter, EventFlags, ProcessEvents, kevent, kqueue,
        };
        let queue = kqueue()?;
        let exit = EventFilter::Proc {
            pid: crate::process::named(pid)?,
            flags: ProcessEvents::EXIT,
        };
        let watch = Event::new(exit, EventFlags::ADD, std::ptr::null_mut());
        let mut none: [std::mem::MaybeUninit<Event>; 0] = [];
        // SAFETY: the one change names a pid, not a descriptor that could be closed under it.
        unsafe { kevent(&queue, &[watch], &mut none, None) }?;
        Ok(Self(queue))
    }

    /// Waits at most `limit`. True: it is dead; false: it is not known to be, or a signal came.
    ///
    /// # Errors
    /// What `poll` reports.
    pub fn wait(&self, limit: std::time::Duration) -> io::Result<bool> {
        Ok(crate::fd::wait_readable(&[self.0.as_fd()], Some(limit))?[0])
    }

    /// Sends `signal` to the process this handle means.
    ///
    /// # Errors
    /// It is gone (`ESRCH`) or belongs to another user (`EPERM`).
    #[cfg(target_os = "linux")]
    pub(crate) fn send(&self, signal: crate::process::Signal) -> io::Result<()> {
        Ok(rustix::process::pidfd_send_signal(&self.0, signal)?)
    }
}

impl AsFd for PidFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
