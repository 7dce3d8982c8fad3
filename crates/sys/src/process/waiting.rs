//! Waiting for children of this process, never blocking. There is one owner of all waits in a
//! process: whoever calls these.

use rustix::process::WaitOptions;
use std::io;

/// What a look at the children found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waited {
    /// There are children, none has news.
    Nothing,
    /// There are no children.
    NoChildren,
    /// One ended, stopped or went on: pid and raw status.
    Changed {
        /// Whose news it is.
        pid: i32,
        /// The status as `wait` gives it.
        raw: i32,
    },
}

/// Takes the next child that has ended: pid and raw status. `None`: no news or no children.
/// Not for a loop in a subreaper: an orphan that forks and ends again and again would keep it
/// busy for ever. There, take the children you know with [`reap`].
///
/// # Errors
/// What `waitpid` reports, but not that there are no children.
pub fn wait_any() -> io::Result<Option<(i32, i32)>> {
    match wait_with(WaitOptions::NOHANG)? {
        Waited::Changed { pid, raw } => Ok(Some((pid, raw))),
        Waited::Nothing | Waited::NoChildren => Ok(None),
    }
}

/// Takes the next news of any child: ended, stopped, continued.
///
/// # Errors
/// What `waitpid` reports, but not that there are no children.
pub fn wait_change() -> io::Result<Waited> {
    wait_with(WaitOptions::NOHANG | WaitOptions::UNTRACED | WaitOptions::CONTINUED)
}

fn wait_with(options: WaitOptions) -> io::Result<Waited> {
    loop {
        match rustix::process::wait(options) {
            Ok(None) => return Ok(Waited::Nothing),
            Ok(Some((pid, status))) => {
                let (pid, raw) = (pid.as_raw_nonzero().get(), status.as_raw());
                return Ok(Waited::Changed { pid, raw });
            }
            Err(rustix::io::Errno::CHILD) => return Ok(Waited::NoChildren),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The pid of a child that has ended, which stays a zombie: its pid, group and session are still
/// its own and can be read. `None`: none has ended.
#[must_use]
pub fn next_zombie() -> Option<i32> {
    look().ok().filter(|pid| *pid > 0)
}

/// Whether this process has any child, alive or not.
#[must_use]
pub fn has_children() -> bool {
    look().is_ok()
}

/// The pid of an ended child, which is left as it is; 0: none has ended.
fn look() -> io::Result<i32> {
    // SAFETY: all-zero is a valid siginfo_t, a plain structure of numbers and pointers.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` is ours and writable for the length of the call.
    if unsafe { libc::waitid(libc::P_ALL, 0, &raw mut info, options) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: waitid filled the fields of a child's report, or left them all zero.
    Ok(unsafe { info.si_pid() })
}

/// Takes one ended child by its pid and gives its raw status. `None`: not ended or not ours.
#[must_use]
pub fn reap(pid: i32) -> Option<i32> {
    let pid = super::named(pid).ok()?;
    let (_, status) = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG).ok()??;
    Some(status.as_raw())
}
