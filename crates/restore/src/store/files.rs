//! The document's files: the one that counts, the one before it, and those set aside.
//!
//! Promises: at each moment `restore.json` is a whole document or the damaged one that was found;
//! the one before it is another file, so what damages one leaves the other.

use super::{Document, MAX_BYTES, StoreError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use sys::files::{read_bounded, set_aside};

/// Names tried for one more unreadable document.
const MAX_ASIDE: u32 = 1_000;

/// The document at `path`; `None` when there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<Document>, StoreError> {
    match read_bounded(path, MAX_BYTES) {
        Ok(bytes) => Document::parse(&bytes, path).map(Some),
        Err(error) if error.is_missing() => Ok(None),
        // A folder, a link or a far too large file in its place: as good as damaged.
        Err(error) if is_no_document(&error) => Err(StoreError::Damaged {
            path: path.to_owned(),
            why: sys::files::plain(&error.source),
        }),
        Err(error) => Err(error.into()),
    }
}

fn is_no_document(error: &sys::files::FileError) -> bool {
    let kind = error.source.kind();
    // ELOOP: a symbolic link stands there.
    kind == ErrorKind::InvalidData || error.source.raw_os_error() == Some(40)
}

/// Keeps the document as the one before: a second name for the same bytes, which the next write
/// leaves to it. Where the file system has no second names there is none before.
pub(super) fn keep_former(file: &Path, before: &Path) {
    let mut name = before.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    drop(std::fs::remove_file(&new)); // a crash may have left it
    if std::fs::hard_link(file, &new).is_ok() {
        drop(std::fs::rename(&new, before)); // without it, the older one stays
    }
}

/// Keeps a document that cannot be read where people find it. It stays in its place, too, until the
/// next write takes that: a crash in between leaves it as it was found.
pub(super) fn keep_aside(file: &Path) -> Result<PathBuf, StoreError> {
    for n in 1..=MAX_ASIDE {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".unreadable-{n}"));
        let aside = PathBuf::from(name);
        match std::fs::hard_link(file, &aside) {
            Ok(()) => return Ok(aside),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(_) => break,
        }
    }
    // No second names here, or no file at all.
    Ok(set_aside(file, "unreadable")?)
}
