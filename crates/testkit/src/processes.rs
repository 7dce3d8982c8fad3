//! Process facts from `/proc`, apart from the program's own code so that they can contradict it.
//!
//! A process is named by pid and start time, so that a reused pid is never taken for the same one.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// One process, for its whole life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Process {
    /// Its process id.
    pub pid: i32,
    /// Clock ticks from boot to its start.
    pub start: u64,
}

/// A line of `/proc/PID/stat`, the parts that tests ask for.
#[derive(Clone, Copy, Debug)]
pub struct Stat {
    /// `R`, `S`, `T`, `Z` and so on.
    pub state: char,
    /// Its parent.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// Its session.
    pub session: i32,
    /// Clock ticks from boot to its start.
    pub start: u64,
    /// Clock ticks it ran, in user and kernel mode.
    pub ran: u64,
}

/// What `/proc/PID/stat` says; `None` when there is no such process.
#[must_use]
pub fn stat(pid: i32) -> Option<Stat> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold spaces and brackets, so fields are counted from the last bracket.
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |i: usize| fields.get(i)?.parse::<u64>().ok();
    let id = |i: usize| fields.get(i)?.parse::<i32>().ok();
    Some(Stat {
        state: fields.first()?.chars().next()?,
        parent: id(1)?,
        group: id(2)?,
        session: id(3)?,
        ran: number(11)? + number(12)?,
        start: number(19)?,
    })
}

impl Process {
    /// The process that has this pid now.
    #[must_use]
    pub fn of(pid: i32) -> Option<Self> {
        stat(pid).map(|s| Self {
            pid,
            start: s.start,
        })
    }

    /// It runs or is stopped; a zombie is not alive.
    #[must_use]
    pub fn alive(&self) -> bool {
        self.stat().is_some_and(|s| s.state != 'Z')
    }

    /// Its facts while it is this very process.
    #[must_use]
    pub fn stat(&self) -> Option<Stat> {
        stat(self.pid).filter(|s| s.start == self.start)
    }

    /// Sends a signal if it is still this very process.
    pub fn signal(&self, signal: Signal) {
        if let (true, Some(pid)) = (self.alive(), Pid::from_raw(self.pid)) {
            let _gone_meanwhile = kill_process(pid, signal);
        }
    }

    /// Waits until it is gone.
    ///
    /// # Panics
    /// When it stays.
    #[track_caller]
    pub fn wait_gone(&self) {
        crate::until(&format!("the end of process {}", self.pid), || {
            (!self.alive()).then_some(())
        });
    }

    /// Waits until it is in this state.
    ///
    /// # Panics
    /// When it never is.
    #[track_caller]
    pub fn wait_state(&self, state: char) {
        let what = format!("process {} in state {state}", self.pid);
        crate::until(&what, || (self.stat()?.state == state).then_some(()));
    }

    /// Name and arguments, for people.
    #[must_use]
    pub fn command(&self) -> String {
        let raw = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        String::from_utf8_lossy(&raw)
            .replace('\0', " ")
            .trim()
            .to_owned()
    }
}

/// Every process there is.
#[must_use]
pub fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").expect("/proc can be read");
    let pids = entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(Process::of).collect()
}

/// Live children of a process.
#[must_use]
pub fn children_of(parent: i32) -> Vec<Process> {
    let is_child = |p: &Process| {
        p.stat()
            .is_some_and(|s| s.parent == parent && s.state != 'Z')
    };
    all().into_iter().filter(is_child).collect()
}

/// The raw environment a process was started with; empty when it cannot be read.
#[must_use]
pub fn environ(pid: i32) -> Vec<u8> {
    fs::read(format!("/proc/{pid}/environ")).unwrap_or_default()
}

/// One variable of the environment a process was started with.
#[must_use]
pub fn variable(pid: i32, name: &str) -> Option<Vec<u8>> {
    let environ = environ(pid);
    let prefix = [name.as_bytes(), b"="].concat();
    environ
        .split(|b| *b == 0)
        .find_map(|entry| Some(entry.strip_prefix(&prefix[..])?.to_vec()))
}

/// Live processes that were started with `ABIDE_HOME` set to this folder.
#[must_use]
pub fn of_home(home: &Path) -> Vec<Process> {
    let ours = std::process::id();
    let wanted = home.as_os_str().as_bytes();
    let belongs = |p: &Process| {
        p.pid.cast_unsigned() != ours
            && p.alive()
            && variable(p.pid, "ABIDE_HOME").as_deref() == Some(wanted)
    };
    all().into_iter().filter(belongs).collect()
}

/// Where the descriptors of a process lead; `None` where nobody but root may see them, as of a host,
/// which lets nobody look into it.
///
/// # Panics
/// When there is no such process.
#[must_use]
pub fn descriptors(pid: i32) -> Option<Vec<PathBuf>> {
    match fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(all) => Some(
            all.flatten()
                .filter_map(|fd| fs::read_link(fd.path()).ok())
                .collect(),
        ),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => None,
        Err(error) => panic!("the descriptors of {pid}: {error}"),
    }
}
