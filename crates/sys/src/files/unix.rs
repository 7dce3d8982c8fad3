//! Unix: modes, owners, and flags that keep an open from following or waiting.

use rustix::fs::{Mode, OFlags};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

/// The number of the user that a file belongs to.
#[must_use]
pub fn owner(file: &Metadata) -> u32 {
    file.uid()
}

/// Who may do what with a file: the nine bits of its mode.
#[must_use]
pub fn mode(file: &Metadata) -> u32 {
    file.mode() & 0o777
}

/// What tells this file from every other one of this machine, while it is there.
#[must_use]
pub fn file_id(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// Opens a file to add to it and to read it; made 0600 when it is not there.
///
/// # Errors
/// What the system reports.
pub fn append_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    options.read(true).append(true).create(true).mode(0o600);
    options.open(path)
}

/// Bytes that this user may still write on the file system of `folder`; `None`: it does not say.
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let facts = rustix::fs::statvfs(folder).ok()?;
    // Some, such as those of other machines, count nothing at all.
    (facts.f_blocks > 0).then(|| facts.f_bavail.saturating_mul(facts.f_frsize))
}

/// A plain file that somebody may execute.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.mode() & 0o111 != 0)
}

/// Makes `link`, a symbolic link that leads to `target`.
///
/// # Errors
/// What the system reports.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

pub(super) fn create_new(path: &Path) -> io::Result<File> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?.into())
}

pub(super) fn open_to_read(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

pub(super) fn open_to_lock(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?.into())
}

pub(super) fn open_folder(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Whether the open file is the one that has this name now.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(ours), Ok(there)) = (file.metadata(), path.symlink_metadata()) else {
        return false;
    };
    (ours.dev(), ours.ino()) == (there.dev(), there.ino())
}

pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

pub(super) fn acting_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

pub(super) fn close_to_others(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o700))
}

/// Renames, never over another file.
pub(super) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // A file system that cannot do it in one step: look, then rename.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            if to.symlink_metadata().is_ok() {
                return Err(io::Error::from(io::ErrorKind::AlreadyExists));
            }
            std::fs::rename(from, to)
        }
        other => Ok(other?),
    }
}
