//! Windows: who may look at a file is inherited from the folder it is in.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_OPEN_REPARSE_POINT, GetFileInformationByHandle,
    MOVEFILE_WRITE_THROUGH, MoveFileExW,
};

/// Users have no numbers here: 0, as [`crate::peer::my_uid`] has it.
#[must_use]
pub const fn owner(_file: &Metadata) -> u32 {
    0
}

/// What is left of a disk is not asked here.
#[must_use]
pub const fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// There is no such mode here: as of a file that nobody else may look at.
#[must_use]
pub const fn mode(_file: &Metadata) -> u32 {
    0o700
}

/// What tells this file from another of its name: when it was made.
#[must_use]
pub fn file_id(file: &Metadata) -> (u64, u64) {
    use std::os::windows::fs::MetadataExt;
    (0, file.creation_time())
}

/// Opens a file to add to it and to read it; made when it is not there.
///
/// # Errors
/// What the system reports.
pub fn append_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).open(path)
}

/// A plain file; which of them are programs their names say.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Makes `link`, a symbolic link that leads to the file `target`. Takes a right that not every user
/// has.
///
/// # Errors
/// What the system reports.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, link)
}

/// Opens a link itself, not what it leads to; such an open file is no plain file.
fn unfollowed() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    options
}

pub(super) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

pub(super) fn open_to_read(path: &Path) -> io::Result<File> {
    unfollowed().read(true).open(path)
}

pub(super) fn open_to_lock(path: &Path) -> io::Result<File> {
    unfollowed()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

/// A folder cannot be locked here.
pub(super) fn open_folder(_path: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether the open file is the one that has this name now.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    let there = unfollowed().read(true).open(path);
    let ours = identity(file);
    ours.is_some() && there.is_ok_and(|there| identity(&there) == ours)
}

/// Volume and index of an open file.
fn identity(file: &File) -> Option<(u32, u32, u32)> {
    // SAFETY: all-zero is a valid structure of numbers.
    let mut info: BY_HANDLE_FILE_INFORMATION = unsafe { std::mem::zeroed() };
    // SAFETY: the handle is open and the place is ours.
    let told = unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut info) };
    (told != 0).then_some((
        info.dwVolumeSerialNumber,
        info.nFileIndexHigh,
        info.nFileIndexLow,
    ))
}

/// Names are written with the file system's own journal; there is nothing to ask for.
pub(super) const fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

pub(super) const fn acting_user() -> u32 {
    0
}

pub(super) const fn close_to_others(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Renames, never over another file.
pub(super) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    let wide = |path: &Path| -> Vec<u16> { path.as_os_str().encode_wide().chain([0]).collect() };
    let (from, to) = (wide(from), wide(to));
    // SAFETY: both are texts that end in 0 and live until the call returns.
    if unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), MOVEFILE_WRITE_THROUGH) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
