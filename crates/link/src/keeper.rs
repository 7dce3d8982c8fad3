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
use sys::files::{FileError, write_atomic};
use sys::process::Identity;

/// What `keeper.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeeperFile {
    version: u32,
    pid: i32,
    start: u64,
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
    let bytes = read_if_there(&places.keeper_file(), 4096).ok().flatten()?;
    let file: KeeperFile = serde_json::from_slice(&bytes).ok()?;
    let keeper = Identity {
        pid: file.pid,
        start: file.start,
    };
    keeper.alive().then_some(keeper)
}

/// The keeper tells which process it is. It holds its lock.
///
/// # Errors
/// The file cannot be written.
pub fn publish(places: &Places, me: Identity) -> Result<(), FileError> {
    let file = KeeperFile {
        version: 1,
        pid: me.pid,
        start: me.start,
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
    use std::time::Duration;
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
}
