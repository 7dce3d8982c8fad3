//! What every Unix has: groups, sessions, parents.

pub use rustix::process::Signal;

use rustix::process::Pid;
use std::io;

/// Signals a whole process group at once, which is atomic against its members' forks.
///
/// # Errors
/// `ESRCH`: the group is empty. `EPERM`: no member may be signalled. `InvalidInput`: ids below 2,
/// which would mean our own group or everybody.
pub fn signal_group(pgid: i32, signal: Signal) -> io::Result<()> {
    if pgid < 2 {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    Ok(rustix::process::kill_process_group(named(pgid)?, signal)?)
}

/// A command whose program is started in a group of its own.
pub fn own_group(command: &mut std::process::Command) -> &mut std::process::Command {
    std::os::unix::process::CommandExt::process_group(command, 0)
}

/// Whether a process group has a process, be it a zombie. Another user's counts.
#[must_use]
pub fn group_exists(pgid: i32) -> bool {
    let asked = named(pgid).map(rustix::process::test_kill_process_group);
    asked.is_ok_and(|answer| answer != Err(rustix::io::Errno::SRCH))
}

/// This process's parent, 0 without one.
#[must_use]
pub fn parent() -> i32 {
    rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get())
}

/// Starts a session of its own: no terminal, a group of its own.
///
/// # Errors
/// `EPERM`: it leads a process group already.
pub fn setsid() -> io::Result<()> {
    rustix::process::setsid()?;
    Ok(())
}

/// Goes to `/`, so that no folder is kept busy.
///
/// # Errors
/// What `chdir` reports.
pub fn leave_folder() -> io::Result<()> {
    Ok(rustix::process::chdir("/")?)
}

/// A pid as rustix wants it.
pub(crate) fn named(pid: i32) -> io::Result<Pid> {
    match Pid::from_raw(pid) {
        Some(named) if pid > 0 => Ok(named),
        _ => Err(io::Error::from(io::ErrorKind::InvalidInput)),
    }
}
