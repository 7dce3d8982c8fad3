//! The vault's files: a copy's bytes, and its entry beside them.
//!
//! Promises: bytes are added and synced before the entry says so, so that a crash leaves bytes nobody
//! counts and the next addition cuts off; an entry of a newer build is neither read nor changed.

use super::digest::{BLOCK, Chain, name};
use super::entry::{Copy, Entry, VERSION};
use crate::store::StoreError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use sys::files::{FileError, append_private, read_bounded, write_atomic};

/// A larger entry is none of ours.
const MAX_ENTRY: u64 = 256 * 1024;
/// Copies that are looked at.
const MAX_COPIES: usize = 10_000;

/// Where a copy lies, or would.
pub(super) fn place(root: &Path, entry: &Entry) -> (PathBuf, PathBuf) {
    let former: &[u8] = if entry.former { b"former" } else { b"" };
    let words = [
        entry.cli.as_bytes(),
        entry.conversation.as_bytes(),
        entry.path.as_bytes(),
        former,
    ];
    let name = name(&words);
    (
        root.join(format!("{name}.copy")),
        root.join(format!("{name}.json")),
    )
}

/// The readable copies, oldest first.
pub(super) fn list(root: &Path) -> Vec<Copy> {
    let Ok(entries) = std::fs::read_dir(root) else {
        return Vec::new();
    };
    let paths = entries.filter_map(|it| Some(it.ok()?.path()));
    let records = paths.filter(|path| path.extension().is_some_and(|it| it == "json"));
    let mut copies: Vec<Copy> = records
        .take(MAX_COPIES)
        .filter_map(|record| get(&record))
        .collect();
    copies.sort_by(|a, b| (a.entry.at, &a.record).cmp(&(b.entry.at, &b.record)));
    copies
}

/// The copy whose entry lies there; `None`: there is none that this build reads.
pub(super) fn get(record: &Path) -> Option<Copy> {
    let bytes = read_bounded(record, MAX_ENTRY).ok()?;
    let entry: Entry = serde_json::from_slice(&bytes).ok()?;
    (entry.version == VERSION).then(|| Copy {
        entry,
        bytes: record.with_extension("copy"),
        record: record.to_owned(),
    })
}

pub(super) fn put(copy: &Copy) -> Result<(), StoreError> {
    let mut bytes = serde_json::to_vec_pretty(&copy.entry).unwrap_or_default();
    bytes.push(b'\n');
    Ok(write_atomic(&copy.record, &bytes)?)
}

/// Entry first: bytes without one are nobody's and are begun over.
pub(super) fn delete(copy: &Copy) -> Result<(), StoreError> {
    for path in [&copy.record, &copy.bytes] {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed(path, "delete", error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The copy's bytes; its checksum is right.
pub(super) fn read_whole(copy: &Copy) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    let file = sys::files::open_plain(&copy.bytes)?;
    let read = file.take(copy.entry.length).read_to_end(&mut bytes);
    read.map_err(|error| failed(&copy.bytes, "read", error))?;
    let mut chain = Chain::default();
    chain.push(&bytes);
    if chain.length() != copy.entry.length || chain.sum() != copy.entry.sum {
        let why = std::io::Error::new(std::io::ErrorKind::InvalidData, "its checksum is wrong");
        return Err(failed(&copy.bytes, "use", why));
    }
    Ok(bytes)
}

/// The checksum of the first `length` bytes of a file; of fewer when it is shorter.
pub(super) fn sum(path: &Path, length: u64) -> Result<Chain, StoreError> {
    let mut chain = Chain::default();
    let mut file = sys::files::open_plain(path)?.take(length);
    let mut block = vec![0; BLOCK];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(chain),
            Ok(n) => chain.push(&block[..n]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(path, "read", error)),
        }
    }
}

/// The bytes of a file from `from` on, at most `most`.
pub(super) fn part(
    file: &mut File,
    path: &Path,
    from: u64,
    most: u64,
) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    let read = file
        .seek(SeekFrom::Start(from))
        .and_then(|_| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| failed(path, "read", error))?;
    Ok(bytes)
}

/// Adds bytes behind those that count, and syncs them.
pub(super) fn add(path: &Path, length: u64, bytes: &[u8]) -> Result<(), StoreError> {
    let put = || -> std::io::Result<()> {
        if length == 0 {
            // A former copy may have the same bytes under another name.
            drop(std::fs::remove_file(path));
        }
        let mut file = append_private(path)?;
        file.set_len(length)?;
        file.write_all(bytes)?;
        file.sync_data()
    };
    put().map_err(|error| failed(path, "write", error))
}

/// The same bytes under another name, until the first is deleted; where files have one name, moved.
pub(super) fn second_name(from: &Path, to: &Path) -> Result<(), StoreError> {
    let named = std::fs::hard_link(from, to).or_else(|_| std::fs::rename(from, to));
    named.map_err(|error| failed(from, "keep", error))
}

/// Deletes bytes that a crash left without an entry.
pub(super) fn sweep(root: &Path) {
    let Ok(entries) = std::fs::read_dir(root) else {
        return;
    };
    for path in entries.filter_map(|it| Some(it.ok()?.path())) {
        let bytes = path.extension().is_some_and(|it| it == "copy");
        if bytes && !path.with_extension("json").exists() {
            // What cannot be deleted now is tried again next time.
            drop(std::fs::remove_file(&path));
        }
    }
}

pub(super) fn failed(path: &Path, operation: &'static str, source: std::io::Error) -> StoreError {
    FileError {
        path: path.to_owned(),
        operation,
        source,
    }
    .into()
}
