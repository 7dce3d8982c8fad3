//! Windows: a process handle.

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, OwnedHandle};
use std::time::Duration;
use windows_sys::Win32::Foundation::{WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::Threading::{
    INFINITE, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE, WaitForSingleObject,
};

/// A handle on one process, signalled once it is dead.
#[derive(Debug)]
pub struct PidFd(OwnedHandle);

impl PidFd {
    /// Opens a handle on the process that has this pid now.
    ///
    /// # Errors
    /// No such process, or it may not be looked at.
    pub fn open(pid: i32) -> io::Result<Self> {
        let rights = PROCESS_SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION;
        crate::process::open_process(pid, rights).map(Self)
    }

    /// Waits at most `limit`. True: it is dead.
    ///
    /// # Errors
    /// What the system reports.
    pub fn wait(&self, limit: Duration) -> io::Result<bool> {
        let limit =
            u32::try_from(limit.as_millis()).map_or(INFINITE - 1, |it| it.min(INFINITE - 1));
        // SAFETY: the handle is open for the length of the call.
        match unsafe { WaitForSingleObject(self.0.as_raw_handle(), limit) } {
            WAIT_OBJECT_0 => Ok(true),
            WAIT_TIMEOUT => Ok(false),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl AsHandle for PidFd {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.0.as_handle()
    }
}
