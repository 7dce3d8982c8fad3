//! Windows: no console, and a group of its own for Ctrl-C.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::Command;
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS};

pub(super) fn open_log(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

/// Leaves its folder: what else makes a daemon here its starter has done (no console).
///
/// # Errors
/// What the system reports.
pub fn detach_self() -> io::Result<()> {
    crate::process::leave_folder()
}

/// Away from the console of whoever starts it.
pub(super) fn away(command: &mut Command) -> &mut Command {
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP)
}
