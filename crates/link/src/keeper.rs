//! The keeper beside the host: whether there is one, which process it is, and starting it.
//!
//! In: places, its command line. Out: a process. Promises: alive means "holds its lock"; looking
//! starts nothing; what starts one here does not wait for it, and a command typed inside a pane
//! starts none. What a keeper does is not known here.

use crate::hostfile::read_if_there;
use crate::places::Places;
use crate::start::daemon_environment;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::TryLockError;
use std::io;
use std::time::Duration;
use sys::files::{FileError, write_atomic};
use sys::process::Identity;

/// What `keeper.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeeperFile {
    version: u32,
    pid: i32,
    start: u64,
    /// It ended since it starts no host any more: why, and when in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gave_up: Option<(String, u64)>,
}

/// Whether a keeper lives here. A missing lock is not created.
#[must_use]
pub fn lives(places: &Places) -> bool {
    let file = std::fs::File::open(places.keeper_lock());
    // Shared, so that two who look at once do not take each other for a keeper.
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The living keeper's process; `None` when there is none, or while it comes up.
#[must_use]
pub fn process(places: &Places) -> Option<Identity> {
    if !lives(places) {
        return None;
    }
    let file = read(places)?;
    let keeper = Identity {
        pid: file.pid,
        start: file.start,
    };
    keeper.alive().then_some(keeper)
}

fn read(places: &Places) -> Option<KeeperFile> {
    let bytes = read_if_there(&places.keeper_file(), 4096).ok().flatten()?;
    serde_json::from_slice(&bytes).ok()
}

/// Why the last keeper ended without a host in place of the one that was lost; `None` when it did not, or
/// longer ago than `within`.
#[must_use]
pub fn gave_up(places: &Places, within: Duration) -> Option<String> {
    if lives(places) {
        return None;
    }
    let (why, at) = read(places)?.gave_up?;
    let ago = sys::boot::unix_now().saturating_sub(at);
    (ago <= within.as_secs()).then_some(why)
}

/// The keeper tells which process it is. It holds its lock.
///
/// # Errors
/// The file cannot be written.
pub fn publish(places: &Places, me: Identity) -> Result<(), FileError> {
    write(places, me, None)
}

/// The keeper tells why it ends although its host is gone. It holds its lock.
///
/// # Errors
/// The file cannot be written.
pub fn give_up(places: &Places, me: Identity, why: &str) -> Result<(), FileError> {
    write(places, me, Some((why.to_owned(), sys::boot::unix_now())))
}

fn write(places: &Places, me: Identity, gave_up: Option<(String, u64)>) -> Result<(), FileError> {
    let file = KeeperFile {
        version: 1,
        pid: me.pid,
        start: me.start,
        gave_up,
    };
    let bytes = serde_json::to_vec(&file).unwrap_or_default();
    write_atomic(&places.keeper_file(), &bytes)
}

/// Starts `argv` as the keeper, unless one lives or this is typed inside a pane. True: it was
/// started; it may still find another to be first.
///
/// # Errors
/// The program cannot be executed, or its log not be made.
pub fn ensure(places: &Places, argv: &[OsString]) -> io::Result<bool> {
    if std::env::var_os("ABIDE_PANE").is_some() || lives(places) {
        return Ok(false);
    }
    let log = places.keeper_log();
    let environment = daemon_environment();
    // A scope of its own, as the host's: a logout leaves it, and so does the end of a unit that
    // started this process.
    let scoped = sys::daemon::scoped(argv, |name| std::env::var_os(name));
    if scoped != argv && sys::daemon::spawn_detached(&scoped, &environment, &log).is_ok() {
        return Ok(true);
    }
    sys::daemon::spawn_detached(argv, &environment, &log).map(|_| true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sys::files::Lock;

    #[test]
    fn only_who_holds_the_lock_is_the_keeper() {
        let temp = tempfile::tempdir().unwrap();
        let places = Places::sealed(temp.path()).unwrap();
        assert!(!lives(&places));
        assert!(!places.keeper_lock().exists(), "looking makes no file");
        sys::files::private_dir(&places.state).unwrap();
        let me = Identity::me();
        publish(&places, me).unwrap();
        assert_eq!(process(&places), None, "a file alone is nobody");
        let lock = Lock::exclusive(&places.keeper_lock(), Duration::from_secs(1)).unwrap();
        assert_eq!(process(&places), Some(me));
        drop(lock);
        assert!(!lives(&places));
    }

    #[test]
    fn a_keeper_that_gave_up_has_said_why_until_the_next_one_comes() {
        let temp = tempfile::tempdir().unwrap();
        let places = Places::sealed(temp.path()).unwrap();
        let minute = Duration::from_secs(60);
        assert_eq!(gave_up(&places, minute), None);
        sys::files::private_dir(&places.state).unwrap();
        let lock = Lock::exclusive(&places.keeper_lock(), Duration::from_secs(1)).unwrap();
        give_up(&places, Identity::me(), "3 hosts were lost").unwrap();
        assert_eq!(gave_up(&places, minute), None, "it is still there");
        drop(lock);
        let why = "3 hosts were lost".to_owned();
        assert_eq!(gave_up(&places, minute), Some(why.clone()));
        write(&places, Identity::me(), Some((why, 1_000))).unwrap();
        assert_eq!(gave_up(&places, minute), None, "that was another day");
        publish(&places, Identity::me()).unwrap();
        assert_eq!(gave_up(&places, minute), None);
    }
}
