//! A claim on a folder that outlives the folder: one process of this user holds it for life.
//!
//! Locks on files are gone with the files when somebody removes the folder; this is a name in the
//! kernel, made of the folder's path, and ends with its holder however that dies. Connecting to it
//! is a knock: the holder learns that somebody misses it. Only Linux has such names; elsewhere
//! nobody ever holds a claim. The name also tells mount namespaces and roots apart, where one path
//! means several folders. Another user may take the name first; then it counts for nothing.

use std::io;
#[cfg(unix)]
use std::os::unix::net::UnixListener;
use std::path::Path;

/// There are no such names here, so nobody has one.
#[cfg(not(unix))]
#[derive(Debug)]
pub enum UnixListener {}

/// What a claim came to.
#[derive(Debug)]
pub enum Claimed {
    /// It is ours until the listener is dropped; each connection to it is a knock.
    Ours(UnixListener),
    /// Another process of this user holds it, by its pid.
    By(i32),
    /// It cannot be had here, and says nothing.
    Not(io::Error),
}

/// Claims `folder`, which need not be there.
#[must_use]
pub fn claim(folder: &Path) -> Claimed {
    // Its holder may die between the two looks.
    for _ in 0..3 {
        match platform::listen(folder) {
            Ok(listener) => return Claimed::Ours(listener),
            Err(error) if error.kind() != io::ErrorKind::AddrInUse => return Claimed::Not(error),
            Err(_) => {}
        }
        if let Some(pid) = holder(folder) {
            return Claimed::By(pid);
        }
    }
    Claimed::Not(io::ErrorKind::AddrInUse.into())
}

/// The process of this user that holds the claim on `folder`. Asking is a knock.
#[must_use]
pub fn holder(folder: &Path) -> Option<i32> {
    platform::knock(folder)
}

#[cfg(target_os = "linux")]
#[path = "claim/linux.rs"]
mod platform;

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::{Path, UnixListener, io};

    pub(super) fn listen(_: &Path) -> io::Result<UnixListener> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn knock(_: &Path) -> Option<i32> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_without_the_folder_and_hears_knocks() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, other) = (dir.path().join("state"), dir.path().join("other"));
        assert_eq!(holder(&folder), None);
        let Claimed::Ours(listener) = claim(&folder) else {
            panic!("nobody else knows the folder");
        };
        let me = std::process::id().cast_signed();
        assert!(matches!(claim(&folder), Claimed::By(pid) if pid == me));
        // The knock of the refused claim waits, though whoever knocked has gone.
        listener.accept().unwrap();
        std::fs::create_dir(&folder).unwrap();
        assert_eq!(holder(&folder), Some(me), "the same name once it is there");
        assert_eq!(holder(&other), None);
        drop(listener);
        assert_eq!(holder(&folder), None);
        assert!(matches!(claim(&folder), Claimed::Ours(_)));
    }

    #[test]
    fn a_folder_behind_a_link_is_the_same_folder() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::fs::create_dir(dir.path().join("real")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("real"), &link).unwrap();
        let claimed = claim(&dir.path().join("real/state"));
        assert!(matches!(claimed, Claimed::Ours(_)));
        assert!(holder(&link.join("state")).is_some());
    }
}
