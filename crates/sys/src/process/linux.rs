//! Linux: `/proc`, pidfds, and the kernel's child-subreaper flag.

use super::{Identity, Signal, Stat, parse, stat as stat_of};
use rustix::fs::{Mode, OFlags, RawDir};
use rustix::process::{DumpableBehavior, getpid};
use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

/// What the system says of `pid`; `None`: there is no such process.
#[must_use]
pub fn stat(pid: i32) -> Option<Stat> {
    if pid <= 0 {
        return None;
    }
    let path = CString::new(format!("/proc/{pid}/stat")).ok()?;
    read(rustix::fs::CWD, &path)
}

/// Everybody the system shows, by pid. Not a moment's picture: processes come and go while it is
/// taken, so the entries are read through a small buffer, each as late as can be.
#[must_use]
pub fn all() -> Vec<Stat> {
    let mut found = Vec::new();
    each_pid_from(1, |pid| found.extend(stat(pid)));
    found
}

/// Where a pid's entry stands in `/proc`, as a place to go on reading from.
const PLACE_OF_PIDS: u64 = 258;
/// Room for a few entries: what is named is looked at before the next few are asked for.
const FEW: usize = 128;

/// Names everybody whose pid is at least `first`, smallest first, zombies too. Whoever has the smallest
/// pid above the one named last is looked up only then, so a process that lives all the time is
/// named, and of a chain of processes that each start the next with a larger pid at least one.
pub fn each_pid_from(first: i32, mut meet: impl FnMut(i32)) {
    let Ok(proc_dir) = open(rustix::fs::CWD, c"/proc", OFlags::DIRECTORY) else {
        return;
    };
    let go_to = |pid: i32| {
        let place = u64::from(pid.max(1).cast_unsigned()) + PLACE_OF_PIDS;
        rustix::fs::seek(&proc_dir, rustix::fs::SeekFrom::Start(place)).is_ok()
    };
    let mut buffer = [MaybeUninit::<u8>::uninit(); FEW];
    // Tried out with the one pid that is there for certain.
    let me = getpid().as_raw_pid();
    let found = go_to(me).then(|| next_pid(&mut RawDir::new(&proc_dir, &mut buffer)));
    if found.flatten() != Some(me) || !go_to(first) {
        // From the beginning; in vain only where there is nothing to read at all.
        let _place = rustix::fs::seek(&proc_dir, rustix::fs::SeekFrom::Start(0));
    }
    let mut entries = RawDir::new(&proc_dir, &mut buffer);
    while let Some(pid) = next_pid(&mut entries) {
        if pid >= first {
            meet(pid);
        }
    }
}

fn next_pid<Fd: AsFd>(entries: &mut RawDir<'_, Fd>) -> Option<i32> {
    while let Some(Ok(entry)) = entries.next() {
        let name = entry.file_name().to_str();
        if let Some(pid) = name.ok().and_then(|it| it.parse().ok()) {
            return Some(pid);
        }
    }
    None
}

fn open(dir: impl AsFd, path: &CStr, more: OFlags) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(
        dir,
        path,
        OFlags::RDONLY | OFlags::CLOEXEC | more,
        Mode::empty(),
    )
}

/// One `stat` file. The kernel hands it out in one read; a line is well below this buffer.
fn read(dir: impl AsFd, path: &CStr) -> Option<Stat> {
    let file = open(dir, path, OFlags::empty()).ok()?;
    let mut buffer = [0_u8; 1024];
    let n = rustix::io::read(&file, &mut buffer).ok()?;
    parse::parse(&buffer[..n])
}

/// The pids of this process's own children, much cheaper than a look at everybody: one small file
/// for each thread. May miss some while they come and go, and is empty on a kernel that was built
/// without it, so it is good for hurrying only.
#[must_use]
pub fn own_children() -> Vec<i32> {
    listed("/proc/self/task")
}

/// The same of another process. Complete while it is stopped.
#[must_use]
pub fn children_listed(pid: i32) -> Vec<i32> {
    listed(&format!("/proc/{pid}/task"))
}

/// The number of the process or thread that was started last, as the kernel tells it in passing.
#[must_use]
pub fn last_pid() -> Option<i32> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_ascii_whitespace().nth(4)?.parse().ok()
}

fn listed(tasks: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for thread in std::fs::read_dir(tasks).into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        found.extend(
            text.split_ascii_whitespace()
                .filter_map(|pid| pid.parse::<i32>().ok()),
        );
    }
    found
}

/// A handle first, the start time second, the signal last: the handle cannot change its meaning
/// after the start time was seen to be right.
pub(super) fn signal_identity(whom: Identity, signal: Signal) -> io::Result<()> {
    let gone = || io::Error::from(rustix::io::Errno::SRCH);
    let is_it = || stat_of(whom.pid).is_some_and(|it| it.start == whom.start);
    match crate::pidfd::PidFd::open(whom.pid) {
        Ok(handle) => {
            if !is_it() {
                return Err(gone());
            }
            handle.send(signal)
        }
        // A kernel or a sandbox without pidfds: the small window stays open.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => {
            if !is_it() {
                return Err(gone());
            }
            Ok(rustix::process::kill_process(
                super::named(whom.pid)?,
                signal,
            )?)
        }
        Err(error) => Err(error),
    }
}

/// Makes this process the one that orphans below it are given to.
///
/// # Errors
/// What `prctl` reports.
pub fn become_subreaper() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(getpid()))?)
}

/// Whether orphans below this process are given to it.
#[must_use]
pub fn is_subreaper() -> bool {
    matches!(rustix::process::child_subreaper(), Ok(Some(_)))
}

/// Whether `pid` was started without any environment at all, so that [`environment`] stays empty; false
/// also while it is being executed, and when it may not be looked at.
#[must_use]
pub fn is_bare(pid: i32) -> bool {
    let text = std::fs::read(format!("/proc/{pid}/stat"));
    text.is_ok_and(|it| parse::has_no_environment(&it))
}

/// Which pid namespace this process lives in: the inode of it. Pids mean something only together
/// with it. 0: not known.
#[must_use]
pub fn pid_namespace() -> u64 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self/ns/pid").map_or(0, |it| it.ino())
}

/// Most bytes of an environment that are looked at; the kernel's own limit is a quarter of the
/// stack's, 2 MiB as a rule.
const ENVIRONMENT: u64 = 4 * 1024 * 1024;

/// The environment `pid` was *started* with, entries each with a zero behind it; what the program
/// changed later does not show, unless it wrote over that memory. Empty for a kernel thread, and
/// while a process is being executed anew.
///
/// # Errors
/// No such process, or it may not be looked at (`EACCES`): another user's, or one that hides.
pub fn environment(pid: i32) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(format!("/proc/{pid}/environ"))?;
    file.take(ENVIRONMENT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The user that `pid` acts for, if that is one: real, effective, saved and file user are the
/// same. `None`: no such process, or it is between users (sudo).
#[must_use]
pub fn user(pid: i32) -> Option<u32> {
    let text = std::fs::read(format!("/proc/{pid}/status")).ok()?;
    parse::user(&text)
}

/// Clock ticks of a second as `/proc` counts them: `USER_HZ`, on every machine we build for.
const TICKS: u64 = 100;

/// How long after 1970 a process that started at `start` did, to about a second. `None`: the system
/// does not say when the machine started.
#[must_use]
pub fn since_1970(start: u64) -> Option<std::time::Duration> {
    let boot = crate::boot::boot().time;
    if boot == 0 {
        return None;
    }
    let since = std::time::Duration::from_millis(start.saturating_mul(1000 / TICKS));
    Some(std::time::Duration::from_secs(boot) + since)
}

/// The file `pid` was started from; ` (deleted)` at its end when that is gone. `None`: no such
/// process, or it may not be looked at.
#[must_use]
pub fn executable(pid: i32) -> Option<std::path::PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// Most bytes of a command line that are looked at; longer ones are cut.
const COMMAND_LINE: u64 = 256 * 1024;

/// The command line of `pid`, as the program may have changed it. Empty for a kernel thread and a
/// zombie.
///
/// # Errors
/// No such process, or it may not be looked at.
pub fn command_line(pid: i32) -> io::Result<Vec<std::ffi::OsString>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(format!("/proc/{pid}/cmdline"))?;
    file.take(COMMAND_LINE).read_to_end(&mut bytes)?;
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let words = bytes.split(|b| *b == 0);
    Ok(words.map(|word| crate::text::word(word.to_vec())).collect())
}

/// The folder `pid` is in now; ` (deleted)` at its end when that is gone.
#[must_use]
pub fn folder(pid: i32) -> Option<std::path::PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// Most open files that are looked at.
const OPEN_FILES: usize = 65_536;

/// The paths of the files `pid` has open, as far as they have one. Empty: none, or it may not be
/// looked at.
#[must_use]
pub fn open_files(pid: i32) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/fd"));
    let links = entries.into_iter().flatten().take(OPEN_FILES).flatten();
    let paths = links.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    paths.filter(|path| path.is_absolute()).collect()
}

/// Who holds a lock on the file at `path`: the pids the kernel names. `None`: it does not tell.
#[must_use]
pub fn lock_holders(path: &std::path::Path) -> Option<Vec<i32>> {
    use std::os::unix::fs::MetadataExt;
    let inode = std::fs::metadata(path).ok()?.ino();
    let text = std::fs::read_to_string("/proc/locks").ok()?;
    Some(parse::lock_holders(&text, inode))
}

/// Names this process (its first thread), cut to 15 bytes.
pub fn set_name(name: &str) {
    let cut: Vec<u8> = name.bytes().filter(|b| *b != 0).take(15).collect();
    if let Ok(name) = CString::new(cut) {
        // SAFETY: the call reads one string that ends in 0 and lives until it returns.
        unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0) };
    }
}

/// Keeps what this process holds in memory out of core files and other programs' reach. Not
/// inherited by the programs it starts: their core limit is theirs, so it is left alone.
pub fn no_core_dumps() {
    // Nothing to do about a refusal: it would only leave the default.
    let _refused = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
