//! Whether what runs can be written down, and is: a log on a full disk says nothing.
//!
//! In: the state folder, the host's note of what the keeper could not write. Out: checks that say what to do.

use super::checks::check;
use super::{Check, Level};
use crate::cmd::ls;
use crate::desk::Desk;
use std::path::Path;
use sys::files::{FileError, free_bytes, try_write};

/// Written to see whether there is room: more than the records of a working day.
const TRY_BYTES: usize = 64 * 1024;
/// With less left, conversations and screens may soon find no room: the records alone may take 16 MiB.
const FEW_BYTES: u64 = 32 * 1024 * 1024;

/// Whether the state folder can be written, and how much is left there.
pub(super) fn room(state: &Path) -> Check {
    let name = "room";
    if !state.exists() {
        return check(name, Level::Ok, "nothing is written down yet");
    }
    let free = free_bytes(state);
    if let Err(error) = try_write(state, TRY_BYTES) {
        return check(name, Level::Bad, format!("{error}; {}", mend(&error)));
    }
    let shown = state.display();
    match free.map(|bytes| (bytes < FEW_BYTES, size(bytes))) {
        None => check(name, Level::Ok, format!("{shown} can be written")),
        Some((false, left)) => check(
            name,
            Level::Ok,
            format!("{shown} can be written, {left} free"),
        ),
        Some((true, left)) => {
            let text = format!("only {left} are free below {shown}; make room on that file system");
            check(name, Level::Warn, text)
        }
    }
}

fn mend(error: &FileError) -> &'static str {
    use std::io::ErrorKind;
    match error.source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room on that file system: what runs goes on, but does not come back as it is now"
        }
        ErrorKind::ReadOnlyFilesystem => {
            "mount that file system for writing, or name another folder with ABIDE_HOME"
        }
        _ => "make the folder writable for this user, or name another one with ABIDE_HOME",
    }
}

fn size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mib @ 1..10_240 => format!("{mib} MiB"),
        mib => format!("{} GiB", mib >> 10),
    }
}

/// What the keeper could not write down, if there is something.
pub(super) fn unsaved(connection: link::Connection) -> Option<Check> {
    let why = Desk::on(connection).and_then(|mut desk| ls::unsaved(&mut desk));
    // A host that does not answer is told by another check.
    why.ok()
        .flatten()
        .map(|why| check("keeper", Level::Bad, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (bytes, want) in [
            (0, "0 KiB"),
            (700 * 1024, "700 KiB"),
            (5 << 20, "5 MiB"),
            (20 << 30, "20 GiB"),
        ] {
            assert_eq!(size(bytes), want);
        }
    }

    #[test]
    fn a_look_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(room(folder.path()).level, Level::Ok | Level::Warn));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        let missing = folder.path().join("missing");
        assert_eq!(room(&missing).level, Level::Ok);
        assert!(!missing.exists());
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(room(&file).level, Level::Bad);
    }
}
