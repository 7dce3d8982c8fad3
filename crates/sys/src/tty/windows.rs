//! Windows: console modes.

use crate::fd::{AsFd, OwnedFd};
use std::io::{self, IsTerminal};
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::System::Console::{
    CONSOLE_SCREEN_BUFFER_INFO, FlushConsoleInputBuffer, GetConsoleMode,
    GetConsoleScreenBufferInfo, SetConsoleMode,
};

/// The mode of a console as it was, and a handle on it.
#[derive(Debug)]
pub struct Saved {
    fd: OwnedFd,
    mode: u32,
}

/// Notes the mode of the console behind `fd`.
///
/// # Errors
/// `fd` is no console, or no handle is left.
pub fn save(fd: impl AsFd) -> io::Result<Saved> {
    let fd = crate::fd::duplicate(fd)?;
    let mut mode = 0;
    // SAFETY: the handle is open and the place is ours.
    check(unsafe { GetConsoleMode(fd.as_raw_handle(), &raw mut mode) })?;
    Ok(Saved { fd, mode })
}

impl Saved {
    /// Puts the mode back at once. May be called again.
    ///
    /// # Errors
    /// What `SetConsoleMode` reports, above all that the console is gone.
    pub fn restore(&self) -> io::Result<()> {
        // SAFETY: the handle is open.
        check(unsafe { SetConsoleMode(self.fd.as_raw_handle(), self.mode) })
    }
}

/// Forgets what was typed at the console behind `fd` and not read yet. No console is no error.
pub fn forget_typed(fd: impl AsFd) {
    let fd = fd.as_fd();
    // SAFETY: the handle is open.
    let _flushed = unsafe { FlushConsoleInputBuffer(fd.as_raw_handle()) };
}

/// Whether `fd` is a console.
#[must_use]
pub fn is_tty(fd: impl AsFd) -> bool {
    fd.as_fd().is_terminal()
}

/// Columns and rows of the console whose output is `fd`; `None` when it is none. (The system has
/// no size for a console's input.)
#[must_use]
pub fn size(fd: impl AsFd) -> Option<(u16, u16)> {
    // SAFETY: all-zero is a valid structure of numbers.
    let mut info: CONSOLE_SCREEN_BUFFER_INFO = unsafe { std::mem::zeroed() };
    let handle = fd.as_fd().as_raw_handle();
    // SAFETY: the handle is open and the place is ours.
    check(unsafe { GetConsoleScreenBufferInfo(handle, &raw mut info) }).ok()?;
    let window = info.srWindow;
    let extent = |from: i16, to: i16| u16::try_from(i32::from(to) - i32::from(from) + 1).ok();
    let size = (
        extent(window.Left, window.Right)?,
        extent(window.Top, window.Bottom)?,
    );
    (size.0 > 0 && size.1 > 0).then_some(size)
}

fn check(done: i32) -> io::Result<()> {
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
