//! Processes: who they are, whose children they are, and signals that cannot hit a stranger.
//!
//! A pid is only a number that is given out again. Everything here that acts on a process takes
//! an [`Identity`] (pid and start time), reads the start time again and signals through a handle.

#[cfg(any(target_os = "macos", test))]
mod args;
#[cfg(any(target_os = "linux", test))]
mod parse;
#[cfg_attr(target_os = "linux", path = "process/linux.rs")]
#[cfg_attr(target_os = "macos", path = "process/macos.rs")]
#[cfg_attr(
    all(unix, not(any(target_os = "linux", target_os = "macos"))),
    path = "process/other.rs"
)]
#[cfg_attr(windows, path = "process/windows.rs")]
mod platform;
mod status;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod waiting;

#[cfg(windows)]
pub(crate) use platform::open as open_process;
#[cfg(windows)]
pub use platform::{Signal, group_exists, leave_folder, own_group, parent, signal_group};
pub use platform::{
    all, become_subreaper, children_listed, command_line, each_pid_from, environment, executable,
    folder, is_bare, is_subreaper, last_pid, lock_holders, no_core_dumps, open_files, own_children,
    pid_namespace, set_name, since_1970, stat, user,
};
#[cfg(target_os = "macos")]
pub(crate) use platform::{info, pids};
pub use status::Status;
#[cfg(unix)]
pub(crate) use unix::named;
#[cfg(unix)]
pub use unix::{Signal, group_exists, leave_folder, own_group, parent, setsid, signal_group};
#[cfg(unix)]
pub use waiting::{Waited, has_children, next_zombie, reap, wait_any, wait_change};

use std::io;
use std::time::{Duration, Instant, SystemTime};

/// One process for ever: the pid and when it started.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Identity {
    /// Its pid.
    pub pid: i32,
    /// When it started: on Linux clock ticks since the machine's start (field 22 of its `stat`),
    /// on macOS microseconds since 1970, on Windows 100 ns since 1601, elsewhere seconds since 1970.
    pub start: u64,
}

/// What the system says of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stat {
    /// Its pid.
    pub pid: i32,
    /// Its parent's pid, 0 without one.
    pub ppid: i32,
    /// Its process group.
    pub pgrp: i32,
    /// Its session.
    pub session: i32,
    /// The kernel's letter: `R` running, `S` and `D` asleep, `T` stopped, `Z` zombie...
    pub state: char,
    /// When it started, as in [`Identity`].
    pub start: u64,
    /// Its threads, as far as the system tells; at least 1.
    pub threads: u32,
    /// Its name, at most 15 bytes on Linux. Names are not proof of anything.
    pub comm: String,
}

impl Stat {
    /// Whether it can still run code. A zombie cannot, unless only its first thread has ended.
    #[must_use]
    pub const fn alive(&self) -> bool {
        !matches!(self.state, 'Z' | 'X') || self.threads > 1
    }

    /// The process for ever.
    #[must_use]
    pub const fn identity(&self) -> Identity {
        Identity {
            pid: self.pid,
            start: self.start,
        }
    }
}

impl Identity {
    /// Who has this pid now; `None`: nobody.
    #[must_use]
    pub fn of(pid: i32) -> Option<Self> {
        stat(pid).map(|it| it.identity())
    }

    /// This process.
    #[must_use]
    pub fn me() -> Self {
        let pid = std::process::id().cast_signed();
        Self::of(pid).unwrap_or(Self { pid, start: 0 })
    }

    /// When it began by the wall clock, to about a second; `None`: the system does not say.
    #[must_use]
    pub fn began(&self) -> Option<SystemTime> {
        SystemTime::UNIX_EPOCH.checked_add(since_1970(self.start)?)
    }

    /// Whether this very process lives. A zombie does not.
    #[must_use]
    pub fn alive(&self) -> bool {
        stat(self.pid).is_some_and(|it| it.start == self.start && it.alive())
    }

    /// Signals this very process and no other that has its pid by now.
    ///
    /// # Errors
    /// `ESRCH`: it is gone (the pid may be another's, who got nothing). `EPERM`: another user's.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        platform::signal_identity(*self, signal)
    }

    /// Waits at most `limit` for its end. True: it is gone.
    #[must_use]
    pub fn wait_gone(&self, limit: Duration) -> bool {
        let begun = Instant::now();
        let Ok(handle) = crate::pidfd::PidFd::open(self.pid) else {
            return self.poll_gone(begun, limit);
        };
        // Opened first, looked at second: now the handle is known to mean this process.
        while self.alive() {
            let left = limit.saturating_sub(begun.elapsed());
            match handle.wait(left) {
                Ok(true) => return true,
                Ok(false) if left.is_zero() => return false,
                Ok(false) => {}
                Err(_) => return self.poll_gone(begun, limit),
            }
        }
        true
    }

    /// The same where there are no handles: by looking every few milliseconds.
    fn poll_gone(&self, begun: Instant, limit: Duration) -> bool {
        while self.alive() {
            if begun.elapsed() >= limit {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5).min(limit));
        }
        true
    }
}

/// The children `pid` has now, zombies too.
#[must_use]
pub fn children_of(pid: i32) -> Vec<Stat> {
    let mut everybody = all();
    everybody.retain(|it| it.ppid == pid);
    everybody
}

/// The value of variable `name` in an environment as [`environment`] gives it.
#[must_use]
pub fn variable<'a>(environment: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let value = |entry: &'a [u8]| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=");
    environment.split(|b| *b == 0).find_map(value)
}

#[cfg(test)]
mod tests;
