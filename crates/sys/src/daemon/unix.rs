//! Unix: sessions, and descriptors that were left open.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;

pub(super) fn open_log(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NOCTTY;
    let mut open = OpenOptions::new();
    open.append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(flags)
        .open(path)
}

/// Nothing to add here: see [`detach_self`].
pub(super) const fn away(command: &mut Command) -> &mut Command {
    command
}

/// Makes this process a daemon as far as it can itself: a session of its own, no descriptor above
/// the standard three, folder `/`. Stdio stays what the starter made it. Call it first of all in
/// `main`, before anything is opened and while there is one thread. The umask stays: the programs
/// it starts inherit it.
///
/// # Errors
/// What `fork` and `setsid` report.
pub fn detach_self() -> io::Result<()> {
    close_inherited();
    if !leads_session() && crate::process::setsid().is_err() {
        // The leader of a group (a shell's job) may not: a child of it may.
        fork_away()?;
        crate::process::setsid()?;
    }
    crate::process::leave_folder()
}

fn leads_session() -> bool {
    // SAFETY: both calls take and touch nothing.
    // (The session is 0 where its leader is outside of this pid namespace, as in a container that
    // was entered; rustix has no word for that and panics in a debug build.)
    unsafe { libc::getsid(0) == libc::getpid() }
}

/// Goes on in a child; this process ends with success.
fn fork_away() -> io::Result<()> {
    // SAFETY: by the contract of `detach_self` there is one thread, so the child has everything.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(()),
        _ => {
            // SAFETY: ends this process at once; nothing is open that would have to be written.
            unsafe { libc::_exit(0) }
        }
    }
}

/// Closes every descriptor above the standard three. Only for the first lines of a `main`: what
/// is open then was left open by whoever started the program.
pub fn close_inherited() {
    close_from(3);
}

/// Closes every descriptor from `first` on, which nothing in this process owns.
pub(crate) fn close_from(first: i32) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: by the contract above nothing in this process owns a descriptor above 2 yet.
        let closed = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0_u32) };
        if closed == 0 {
            return;
        }
    }
    for fd in open_descriptors().into_iter().filter(|fd| *fd >= first) {
        // SAFETY: as above; the folder's own descriptor is gone by now and gives EBADF.
        unsafe { libc::close(fd) };
    }
}

fn open_descriptors() -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else {
        return Vec::new();
    };
    let numbers = entries
        .flatten()
        .filter_map(|it| it.file_name().to_str()?.parse().ok());
    numbers.filter(|fd| *fd > 2).collect()
}
