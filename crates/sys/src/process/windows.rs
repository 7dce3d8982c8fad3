//! Windows: process handles and the system's list. There are no groups, sessions or signals:
//! ending is all that can be asked of a process from outside.

use super::{Identity, Stat};
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use windows_sys::Win32::Foundation::{
    ERROR_INVALID_PARAMETER, FILETIME, INVALID_HANDLE_VALUE, STILL_ACTIVE,
};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION,
    PROCESS_TERMINATE, QueryFullProcessImageNameW, TerminateProcess,
};

/// What can be asked of a process, by the names and numbers of Unix. Only [`Signal::TERM`] and
/// [`Signal::KILL`] do something here: both end it at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Signal(i32);

impl Signal {
    /// The window was closed.
    pub const HUP: Self = Self(1);
    /// Ctrl-C.
    pub const INT: Self = Self(2);
    /// Ctrl-\.
    pub const QUIT: Self = Self(3);
    /// End now.
    pub const KILL: Self = Self(9);
    /// End.
    pub const TERM: Self = Self(15);
    /// Go on.
    pub const CONT: Self = Self(18);
    /// Stop.
    pub const STOP: Self = Self(19);

    /// Its number, as Linux has it.
    #[must_use]
    pub const fn as_raw(self) -> i32 {
        self.0
    }
}

/// The exit code of a process that was ended from outside.
const ENDED: u32 = 1;

/// An open process with these rights.
///
/// # Errors
/// No such process (`NotFound`), or it may not be looked at.
pub(crate) fn open(pid: i32, rights: u32) -> io::Result<OwnedHandle> {
    let pid = u32::try_from(pid).map_err(|_| io::ErrorKind::NotFound)?;
    // SAFETY: takes numbers and gives a new handle or null.
    let handle = unsafe { OpenProcess(rights, 0, pid) };
    if handle.is_null() {
        let error = io::Error::last_os_error();
        // Its word for a number that nobody has.
        let nobody = error.raw_os_error() == Some(ERROR_INVALID_PARAMETER.cast_signed());
        return Err(if nobody {
            io::ErrorKind::NotFound.into()
        } else {
            error
        });
    }
    // SAFETY: the handle is new and nobody else's.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// When it started, and whether it runs.
fn times(process: &OwnedHandle) -> Option<(u64, bool)> {
    let none = FILETIME {
        dwLowDateTime: 0,
        dwHighDateTime: 0,
    };
    let (mut made, mut over, mut kernel, mut user) = (none, none, none, none);
    let handle = process.as_raw_handle();
    // SAFETY: the handle is open and the four places are ours for the length of the call.
    let known = unsafe {
        GetProcessTimes(
            handle,
            &raw mut made,
            &raw mut over,
            &raw mut kernel,
            &raw mut user,
        )
    };
    let mut code = 0;
    // SAFETY: as above.
    let told = unsafe { GetExitCodeProcess(handle, &raw mut code) };
    let start = u64::from(made.dwHighDateTime) << 32 | u64::from(made.dwLowDateTime);
    (known != 0).then_some((start, told == 0 || code == STILL_ACTIVE.cast_unsigned()))
}

/// What the system says of `pid`; `None`: there is no such process.
#[must_use]
pub fn stat(pid: i32) -> Option<Stat> {
    let mut found = None;
    listed(|entry| {
        if entry.th32ProcessID.cast_signed() == pid {
            found = Some(convert(entry));
        }
    });
    found
}

/// Everybody the system shows, in no order.
#[must_use]
pub fn all() -> Vec<Stat> {
    let mut everybody = Vec::new();
    listed(|entry| everybody.push(convert(entry)));
    everybody
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

fn listed(mut meet: impl FnMut(&PROCESSENTRY32W)) {
    // SAFETY: takes numbers and gives a new handle or the invalid one.
    let list = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    if list == INVALID_HANDLE_VALUE {
        return;
    }
    // SAFETY: the handle is new and nobody else's.
    let list = unsafe { OwnedHandle::from_raw_handle(list) };
    // SAFETY: all-zero is a valid entry of numbers; its size is filled in before use.
    let mut entry: PROCESSENTRY32W = unsafe { std::mem::zeroed() };
    entry.dwSize = u32::try_from(size_of::<PROCESSENTRY32W>()).unwrap_or(0);
    // SAFETY: the handle is open, the entry ours and its size told.
    let mut more = unsafe { Process32FirstW(list.as_raw_handle(), &raw mut entry) };
    while more != 0 {
        meet(&entry);
        // SAFETY: as above.
        more = unsafe { Process32NextW(list.as_raw_handle(), &raw mut entry) };
    }
}

fn convert(entry: &PROCESSENTRY32W) -> Stat {
    let pid = entry.th32ProcessID.cast_signed();
    let end = entry.szExeFile.iter().position(|unit| *unit == 0);
    let name = &entry.szExeFile[..end.unwrap_or(entry.szExeFile.len())];
    let process = open(pid, PROCESS_QUERY_LIMITED_INFORMATION).ok();
    // Another user's shows no time; it is alive, since it is in the list.
    let (start, runs) = process.as_ref().and_then(times).unwrap_or((0, true));
    Stat {
        pid,
        ppid: entry.th32ParentProcessID.cast_signed(),
        pgrp: 0,
        session: 0,
        state: if runs { 'R' } else { 'Z' },
        start,
        threads: 1,
        comm: String::from_utf16_lossy(name),
    }
}

pub(super) fn signal_identity(whom: Identity, signal: Signal) -> io::Result<()> {
    if ![Signal::TERM, Signal::KILL].contains(&signal) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let process = open(
        whom.pid,
        PROCESS_TERMINATE | PROCESS_QUERY_LIMITED_INFORMATION,
    )?;
    // Looked at through the handle, which cannot change its meaning.
    if times(&process).is_none_or(|(start, runs)| start != whom.start || !runs) {
        return Err(io::ErrorKind::NotFound.into());
    }
    // SAFETY: the handle is open and has the right to do this.
    if unsafe { TerminateProcess(process.as_raw_handle(), ENDED) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// A command whose program does not get this one's Ctrl-C.
pub fn own_group(command: &mut std::process::Command) -> &mut std::process::Command {
    use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;
    std::os::windows::process::CommandExt::creation_flags(command, CREATE_NEW_PROCESS_GROUP)
}

/// There are no groups here: the process of this number alone.
///
/// # Errors
/// No such process, or it may not be ended; `Unsupported` for anything but ending it.
pub fn signal_group(pgid: i32, signal: Signal) -> io::Result<()> {
    let whom = Identity::of(pgid).ok_or(io::ErrorKind::NotFound)?;
    signal_identity(whom, signal)
}

/// There are no groups here: whether the process of this number runs.
#[must_use]
pub fn group_exists(pgid: i32) -> bool {
    Identity::of(pgid).is_some_and(|it| it.alive())
}

/// This process's parent, 0 without one.
#[must_use]
pub fn parent() -> i32 {
    stat(std::process::id().cast_signed()).map_or(0, |it| it.ppid)
}

/// Goes to the root of the current drive, so that no folder is kept busy.
///
/// # Errors
/// What the system reports.
pub fn leave_folder() -> io::Result<()> {
    std::env::set_current_dir("\\")
}

/// Seconds from 1601, where this system begins to count, to 1970.
const BEFORE_1970: u64 = 11_644_473_600;

/// How long after 1970 a process that started at `start` did; `None`: before that.
#[must_use]
pub fn since_1970(start: u64) -> Option<std::time::Duration> {
    let seconds = (start / 10_000_000).checked_sub(BEFORE_1970)?;
    Some(std::time::Duration::from_secs(seconds))
}

/// Another process's environment is not shown here.
///
/// # Errors
/// Always `Unsupported`.
pub fn environment(_pid: i32) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Users have no numbers here: 0, as [`crate::peer::my_uid`] has it, for a process that this one
/// may end.
#[must_use]
pub fn user(pid: i32) -> Option<u32> {
    open(pid, PROCESS_TERMINATE).ok().map(|_| 0)
}

/// The command line of `pid`. Empty also when it may not be looked at.
///
/// # Errors
/// No such process.
pub fn command_line(pid: i32) -> io::Result<Vec<std::ffi::OsString>> {
    let asked = sysinfo::ProcessRefreshKind::nothing().with_cmd(sysinfo::UpdateKind::Always);
    let words = asked_of(pid, asked, |process| process.cmd().to_vec());
    words.ok_or_else(|| io::ErrorKind::NotFound.into())
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
    use std::os::windows::ffi::OsStringExt;
    let process = open(pid, PROCESS_QUERY_LIMITED_INFORMATION).ok()?;
    let mut name = vec![0_u16; 32 * 1024];
    let mut length = u32::try_from(name.len()).ok()?;
    // SAFETY: the handle is open; the buffer is ours and as long as is told.
    let told = unsafe {
        QueryFullProcessImageNameW(
            process.as_raw_handle(),
            0,
            name.as_mut_ptr(),
            &raw mut length,
        )
    };
    let name = name.get(..usize::try_from(length).ok()?)?;
    (told != 0).then(|| std::ffi::OsString::from_wide(name).into())
}

/// There is no such thing here: 0.
#[must_use]
pub const fn pid_namespace() -> u64 {
    0
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

/// Orphans are given to nobody here: a job holds them (see [`crate::job`]).
///
/// # Errors
/// Always `Unsupported`.
pub fn become_subreaper() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// There is no such thing here: false.
#[must_use]
pub const fn is_subreaper() -> bool {
    false
}

/// Processes have no name of their own here.
pub const fn set_name(_name: &str) {}

/// There are no core files here.
pub const fn no_core_dumps() {}
