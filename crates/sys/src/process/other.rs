//! Unix without `/proc` as Linux has it (macOS, the BSDs): process facts through sysinfo, signals
//! by pid after a look at the start time.

use super::{Identity, Signal, Stat};
use std::io;
use sysinfo::{ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System};

/// What the system says of `pid`; `None`: there is no such process.
#[must_use]
pub fn stat(pid: i32) -> Option<Stat> {
    let wanted = sysinfo::Pid::from_u32(u32::try_from(pid).ok()?);
    let mut system = System::new().ok()?;
    let what = ProcessesToUpdate::Some(&[wanted]);
    system.refresh_processes_specifics(what, true, ProcessRefreshKind::nothing());
    system.process(wanted).map(convert)
}

/// Everybody the system shows, in no order.
#[must_use]
pub fn all() -> Vec<Stat> {
    let Ok(mut system) = System::new() else {
        return Vec::new();
    };
    let kind = ProcessRefreshKind::nothing();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
    system.processes().values().map(convert).collect()
}

/// There is no such thing here: 0.
#[must_use]
pub const fn pid_namespace() -> u64 {
    0
}

/// One process with more than [`stat`] gives.
fn look<T>(
    pid: i32,
    kind: ProcessRefreshKind,
    take: impl FnOnce(&sysinfo::Process) -> T,
) -> io::Result<T> {
    let gone = || io::Error::from(rustix::io::Errno::SRCH);
    let wanted = sysinfo::Pid::from_u32(u32::try_from(pid).map_err(|_| gone())?);
    let mut system = System::new().map_err(|_| gone())?;
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[wanted]), true, kind);
    system.process(wanted).map(take).ok_or_else(gone)
}

/// The environment `pid` was started with, entries each with a zero behind it. Empty also when it
/// may not be looked at, which the system does not tell apart.
///
/// # Errors
/// No such process.
pub fn environment(pid: i32) -> io::Result<Vec<u8>> {
    use sysinfo::UpdateKind;
    let kind = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
    look(pid, kind, |process| {
        let entries = process.environ().iter();
        let mut bytes = Vec::new();
        for entry in entries {
            bytes.extend_from_slice(entry.as_encoded_bytes());
            bytes.push(0);
        }
        bytes
    })
}

/// How long after 1970 a process that started at `start` did.
#[must_use]
pub const fn since_1970(start: u64) -> Option<std::time::Duration> {
    Some(std::time::Duration::from_secs(start))
}

/// The user that `pid` acts for, if that is one. `None`: no such process, or it is between users.
#[must_use]
pub fn user(pid: i32) -> Option<u32> {
    use sysinfo::UpdateKind;
    let kind = ProcessRefreshKind::nothing().with_user(UpdateKind::Always);
    look(pid, kind, |process| {
        let real = **process.user_id()?;
        (**process.effective_user_id()? == real).then_some(real)
    })
    .ok()
    .flatten()
}

/// The file `pid` was started from. `None`: no such process, or it may not be looked at.
#[must_use]
pub fn executable(pid: i32) -> Option<std::path::PathBuf> {
    use sysinfo::UpdateKind;
    let kind = ProcessRefreshKind::nothing().with_exe(UpdateKind::Always);
    look(pid, kind, |process| process.exe().map(Into::into))
        .ok()
        .flatten()
}

/// The command line of `pid`. Empty also when it may not be looked at.
///
/// # Errors
/// No such process.
pub fn command_line(pid: i32) -> io::Result<Vec<std::ffi::OsString>> {
    use sysinfo::UpdateKind;
    let kind = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    look(pid, kind, |process| process.cmd().to_vec())
}

/// The folder `pid` is in now.
#[must_use]
pub fn folder(pid: i32) -> Option<std::path::PathBuf> {
    use sysinfo::UpdateKind;
    let kind = ProcessRefreshKind::nothing().with_cwd(UpdateKind::Always);
    look(pid, kind, |process| process.cwd().map(Into::into))
        .ok()
        .flatten()
}

/// The system does not tell without privileges: none.
#[must_use]
pub const fn open_files(_pid: i32) -> Vec<std::path::PathBuf> {
    Vec::new()
}

/// The system does not tell.
#[must_use]
pub const fn lock_holders(_path: &std::path::Path) -> Option<Vec<i32>> {
    None
}

/// Names everybody whose pid is at least `first`, smallest first.
pub fn each_pid_from(first: i32, meet: impl FnMut(i32)) {
    let mut found: Vec<i32> = all().iter().map(|it| it.pid).collect();
    found.sort_unstable();
    found.into_iter().filter(|pid| *pid >= first).for_each(meet);
}

/// Not told apart from a hidden environment here: false.
#[must_use]
pub const fn is_bare(_pid: i32) -> bool {
    false
}

fn convert(process: &sysinfo::Process) -> Stat {
    let pid = i32::try_from(process.pid().as_u32()).unwrap_or(0);
    // SAFETY: both calls take a number and touch nothing. Their 0 and their -1 are no group.
    let (pgrp, session) = unsafe { (libc::getpgid(pid).max(0), libc::getsid(pid).max(0)) };
    Stat {
        pid,
        ppid: process
            .parent()
            .and_then(|it| i32::try_from(it.as_u32()).ok())
            .unwrap_or(0),
        pgrp,
        session,
        state: match process.status() {
            ProcessStatus::Run => 'R',
            ProcessStatus::Stop => 'T',
            ProcessStatus::Zombie => 'Z',
            ProcessStatus::Dead => 'X',
            _ => 'S',
        },
        start: process.start_time(),
        threads: 1,
        comm: process.name().to_string_lossy().into_owned(),
    }
}

/// There is no such list here: empty.
#[must_use]
pub const fn own_children() -> Vec<i32> {
    Vec::new()
}

/// There is no such list here: empty.
#[must_use]
pub const fn children_listed(_pid: i32) -> Vec<i32> {
    Vec::new()
}

/// The system does not tell.
#[must_use]
pub const fn last_pid() -> Option<i32> {
    None
}

pub(super) fn signal_identity(whom: Identity, signal: Signal) -> io::Result<()> {
    if !stat(whom.pid).is_some_and(|it| it.start == whom.start) {
        return Err(io::Error::from(rustix::io::Errno::SRCH));
    }
    Ok(rustix::process::kill_process(
        super::named(whom.pid)?,
        signal,
    )?)
}

/// There is no such thing here.
///
/// # Errors
/// Always `Unsupported`.
pub fn become_subreaper() -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// There is no such thing here: false.
#[must_use]
pub const fn is_subreaper() -> bool {
    false
}

/// Processes have no name of their own here.
pub const fn set_name(_name: &str) {}

/// Keeps what this process holds in memory out of core files. Only the soft limit, so that a
/// program started from here can have its own back.
pub fn no_core_dumps() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Core);
    limit.current = Some(0);
    // Nothing to do about a refusal: it would only leave the default.
    let _refused = setrlimit(Resource::Core, limit);
}
