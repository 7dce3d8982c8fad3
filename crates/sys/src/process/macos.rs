//! macOS: `libproc` and `sysctl`. Type-checked here, never run on a Mac: see docs/platforms.md.

use super::{Identity, Signal, Stat, args};
use std::ffi::c_void;
use std::io;
use std::mem::MaybeUninit;

/// Most bytes of a program's start that are looked at; the system's own limit is 1 MiB.
const START: usize = 1024 * 1024;

/// One kind of fact about a process. `None`: it is gone, or may not be looked at.
pub(crate) fn info<T>(pid: i32, kind: i32) -> Option<T> {
    let mut fact = MaybeUninit::<T>::zeroed();
    let size = i32::try_from(size_of::<T>()).ok()?;
    // SAFETY: the place is ours and as long as is told; the kernel fills it whole or says less.
    let told = unsafe { libc::proc_pidinfo(pid, kind, 0, fact.as_mut_ptr().cast(), size) };
    // SAFETY: the kernel says that it filled all of it, and every pattern of bits is a value of the
    // plain structures that this is used for.
    (told == size).then(|| unsafe { fact.assume_init() })
}

fn facts(pid: i32) -> Option<libc::proc_bsdinfo> {
    (pid > 0).then(|| info(pid, libc::PROC_PIDTBSDINFO))?
}

/// What the system says of `pid`; `None`: there is no such process.
#[must_use]
pub fn stat(pid: i32) -> Option<Stat> {
    facts(pid).map(|facts| convert(pid, &facts))
}

fn convert(pid: i32, facts: &libc::proc_bsdinfo) -> Stat {
    let name: Vec<u8> = facts
        .pbi_comm
        .iter()
        .map(|c| c.cast_unsigned())
        .take_while(|byte| *byte != 0)
        .collect();
    // SAFETY: the call takes a number and touches nothing. Its -1 is no session.
    let session = unsafe { libc::getsid(pid).max(0) };
    Stat {
        pid,
        ppid: facts.pbi_ppid.cast_signed(),
        pgrp: facts.pbi_pgid.cast_signed(),
        session,
        // The numbers of <sys/proc.h>.
        state: match facts.pbi_status {
            2 => 'R',
            4 => 'T',
            5 => 'Z',
            _ => 'S',
        },
        start: facts.pbi_start_tvsec * 1_000_000 + facts.pbi_start_tvusec,
        threads: 1,
        comm: String::from_utf8_lossy(&name).into_owned(),
    }
}

/// All pids there are.
pub(crate) fn pids() -> Vec<i32> {
    // SAFETY: without a buffer the call tells how many there are.
    let expected = unsafe { libc::proc_listallpids(std::ptr::null_mut(), 0) };
    // Some may be started meanwhile.
    let room = usize::try_from(expected).unwrap_or(0) + 64;
    let mut pids = vec![0_i32; room];
    let bytes = i32::try_from(room * size_of::<i32>()).unwrap_or(i32::MAX);
    // SAFETY: the buffer is ours and as long as is told.
    let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), bytes) };
    pids.truncate(usize::try_from(count).unwrap_or(0));
    pids.retain(|pid| *pid > 0);
    pids
}

/// Everybody the system shows, in no order.
#[must_use]
pub fn all() -> Vec<Stat> {
    pids().into_iter().filter_map(stat).collect()
}

/// Names everybody whose pid is at least `first`, smallest first.
pub fn each_pid_from(first: i32, meet: impl FnMut(i32)) {
    let mut found = pids();
    found.sort_unstable();
    found.into_iter().filter(|pid| *pid >= first).for_each(meet);
}

/// Not told apart from a hidden environment here: false.
#[must_use]
pub const fn is_bare(_pid: i32) -> bool {
    false
}

/// There are none of these here: 0.
#[must_use]
pub const fn pid_namespace() -> u64 {
    0
}

/// The environment `pid` was started with, entries each with a zero behind it. Empty also for a
/// program that the system protects.
///
/// # Errors
/// No such process, or it may not be looked at: another user's.
pub fn environment(pid: i32) -> io::Result<Vec<u8>> {
    args::environment(&start_block(pid)?).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// How long after 1970 a process that started at `start` did.
#[must_use]
pub const fn since_1970(start: u64) -> Option<std::time::Duration> {
    Some(std::time::Duration::from_micros(start))
}

/// The command line of `pid` as it was started.
///
/// # Errors
/// No such process, or it may not be looked at: another user's.
pub fn command_line(pid: i32) -> io::Result<Vec<std::ffi::OsString>> {
    let words = args::arguments(&start_block(pid)?).unwrap_or_default();
    Ok(words.into_iter().map(crate::text::word).collect())
}

/// What the system keeps of a process's start.
fn start_block(pid: i32) -> io::Result<Vec<u8>> {
    let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid];
    let mut block = vec![0_u8; START];
    let mut length = block.len();
    // SAFETY: the name has three numbers as is told, the buffer is ours and as long as is told, and
    // nothing is set.
    let done = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            3,
            block.as_mut_ptr().cast::<c_void>(),
            &raw mut length,
            std::ptr::null_mut(),
            0,
        )
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    block.truncate(length);
    Ok(block)
}

/// The user that `pid` acts for, if that is one: real, effective and saved user are the same.
/// `None`: no such process, or it is between users (sudo).
#[must_use]
pub fn user(pid: i32) -> Option<u32> {
    let facts = facts(pid)?;
    let one = facts.pbi_uid == facts.pbi_ruid && facts.pbi_uid == facts.pbi_svuid;
    one.then_some(facts.pbi_uid)
}

/// The folder `pid` is in now.
#[must_use]
pub fn folder(pid: i32) -> Option<std::path::PathBuf> {
    let asked = sysinfo::ProcessRefreshKind::nothing().with_cwd(sysinfo::UpdateKind::Always);
    asked_of(pid, asked, |process| process.cwd().map(Into::into))?
}

/// What sysinfo says of one process.
fn asked_of<T>(
    pid: i32,
    kind: sysinfo::ProcessRefreshKind,
    take: impl FnOnce(&sysinfo::Process) -> T,
) -> Option<T> {
    let wanted = sysinfo::Pid::from_u32(u32::try_from(pid).ok()?);
    let mut system = sysinfo::System::new().ok()?;
    let only = sysinfo::ProcessesToUpdate::Some(&[wanted]);
    system.refresh_processes_specifics(only, true, kind);
    system.process(wanted).map(take)
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

/// The file `pid` was started from. `None`: no such process, or it may not be looked at.
#[must_use]
pub fn executable(pid: i32) -> Option<std::path::PathBuf> {
    let mut path = vec![0_u8; 4096];
    let size = u32::try_from(path.len()).ok()?;
    // SAFETY: the buffer is ours and as long as is told.
    let length = unsafe { libc::proc_pidpath(pid, path.as_mut_ptr().cast(), size) };
    let length = usize::try_from(length).ok().filter(|it| *it > 0)?;
    Some(crate::text::path(path.get(..length)?))
}

/// There is no list that is cheaper than a look at everybody: empty.
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

/// A look at the start time, then the signal: there are no handles to signal through, so the
/// window between the two stays open.
pub(super) fn signal_identity(whom: Identity, signal: Signal) -> io::Result<()> {
    if stat(whom.pid).is_none_or(|it| it.start != whom.start) {
        return Err(io::Error::from(rustix::io::Errno::SRCH));
    }
    Ok(rustix::process::kill_process(
        super::named(whom.pid)?,
        signal,
    )?)
}

/// There is no such thing here: see [`crate::lineage`].
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

/// Processes cannot be renamed here.
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
