//! Windows: handles.

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle};
pub use std::os::windows::io::{BorrowedHandle as BorrowedFd, OwnedHandle as OwnedFd};
use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};

/// What has a handle, by the name that Unix has for it.
pub trait AsFd {
    /// Its handle.
    fn as_fd(&self) -> BorrowedFd<'_>;
}

impl<T: AsHandle> AsFd for T {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.as_handle()
    }
}

/// A second handle on the same object, which programs started from here do not get.
///
/// # Errors
/// What `DuplicateHandle` reports.
pub fn duplicate(fd: impl AsFd) -> io::Result<OwnedFd> {
    fd.as_fd().try_clone_to_owned()
}

/// The three standard handles of this process as handles of its own, which programs started from
/// here get only when they are given.
///
/// # Errors
/// One of them is missing, or cannot be copied.
pub fn keep_stdio() -> io::Result<(OwnedFd, OwnedFd, OwnedFd)> {
    Ok((kept(io::stdin())?, kept(io::stdout())?, kept(io::stderr())?))
}

fn kept(stream: impl AsHandle + AsRawHandle) -> io::Result<OwnedFd> {
    let own = duplicate(&stream)?;
    // SAFETY: the handle is open for the length of the call, which changes one flag of it.
    if unsafe { SetHandleInformation(stream.as_raw_handle(), HANDLE_FLAG_INHERIT, 0) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(own)
}
