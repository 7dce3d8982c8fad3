//! State on disk that survives a crash at any line: private folders, whole-file writes that leave
//! the old or the new and never half, bounded reads, files set aside instead of overwritten, and
//! locks. Errors name the file and what was tried.

mod lock;
#[cfg_attr(unix, path = "files/unix.rs")]
#[cfg_attr(windows, path = "files/windows.rs")]
mod platform;
mod rotating;

pub use lock::Lock;
pub use platform::{append_private, file_id, free_bytes, is_program, mode, owner, symlink};
pub use rotating::Rotating;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What went wrong with which file.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} {}: {}", path.display(), plain(source))]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// What was tried, to stand after "cannot".
    pub operation: &'static str,
    /// What the system said.
    pub source: io::Error,
}

impl FileError {
    /// Whether it was only that there is no such file.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

/// An error's words without "(os error N)".
#[must_use]
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Says which file an error is about.
trait About<T> {
    fn about(self, path: &Path, operation: &'static str) -> Result<T, FileError>;
}

impl<T, E: Into<io::Error>> About<T> for Result<T, E> {
    fn about(self, path: &Path, operation: &'static str) -> Result<T, FileError> {
        self.map_err(|source| FileError {
            path: path.to_path_buf(),
            operation,
            source: source.into(),
        })
    }
}

/// Puts `bytes` into the file at `path`, mode 0600: a temporary file in the same folder, fsync,
/// rename, fsync of the folder. Whoever reads, and whatever crashes, sees the old file or the new.
///
/// # Errors
/// The step that failed; the old file is then untouched and the temporary one removed.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write_in_steps(path, bytes, &mut |_| Ok(()))
}

/// Copies `from` to `path`, which must not be there: a temporary file in the same folder, fsync, then
/// its name, fsync of the folder. `false`: something has that name by now, and it is left alone.
///
/// # Errors
/// The step that failed; nothing is left behind.
pub fn copy_new(from: &mut dyn Read, path: &Path) -> Result<bool, FileError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (temporary, mut file) = create_temporary(folder, path)?;
    let mut put = || -> io::Result<bool> {
        io::copy(from, &mut file)?;
        file.sync_all()?;
        match std::fs::hard_link(&temporary, path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(_) => no_second_names(&temporary, path),
        }
    };
    let put = put();
    let _leftover = std::fs::remove_file(&temporary);
    let put = put.about(path, "write")?;
    platform::sync_folder(folder).about(folder, "sync")?;
    Ok(put)
}

/// Where a file has one name only: a new file, taken back when it does not become whole.
fn no_second_names(from: &Path, path: &Path) -> io::Result<bool> {
    let mut file = match platform::create_new(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error),
    };
    let whole = io::copy(&mut File::open(from)?, &mut file).and_then(|_| file.sync_all());
    if let Err(error) = whole {
        let _half = std::fs::remove_file(path);
        return Err(error);
    }
    Ok(true)
}

/// The points of a write, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Create,
    Write,
    SyncFile,
    Rename,
    SyncFolder,
}

/// [`write_atomic`] with a look before each step; an error from `before` is that step's failure.
fn write_in_steps(
    path: &Path,
    bytes: &[u8],
    before: &mut dyn FnMut(Step) -> io::Result<()>,
) -> Result<(), FileError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    before(Step::Create).about(path, "write")?;
    let (temporary, mut file) = create_temporary(folder, path)?;
    let mut put = || -> io::Result<()> {
        before(Step::Write)?;
        file.write_all(bytes)?;
        before(Step::SyncFile)?;
        file.sync_all()?;
        before(Step::Rename)?;
        std::fs::rename(&temporary, path)
    };
    if let Err(error) = put() {
        // The write's own error is the one to tell.
        let _leftover = std::fs::remove_file(&temporary);
        return Err(error).about(path, "write");
    }
    before(Step::SyncFolder).about(folder, "sync")?;
    platform::sync_folder(folder).about(folder, "sync")
}

/// A new file beside `path`, its name marked by pid and count so that no two writers share it.
fn create_temporary(folder: &Path, path: &Path) -> Result<(PathBuf, File), FileError> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = path
        .file_name()
        .ok_or(io::ErrorKind::InvalidInput)
        .about(path, "write")?;
    for _ in 0..100 {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        hidden.push(format!(".{}.{count}.tmp", std::process::id()));
        let temporary = folder.join(hidden);
        match platform::create_new(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            // Left by a crash of an earlier process with our pid.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).about(path, "write"),
        }
    }
    Err(io::ErrorKind::AlreadyExists).about(path, "write")
}

/// Whether something can be written in `folder` now: makes a file of `bytes` bytes there and deletes it.
///
/// # Errors
/// The step that failed; nothing is left behind.
pub fn try_write(folder: &Path, bytes: usize) -> Result<(), FileError> {
    let tried = create_temporary(folder, &folder.join("probe"));
    let (temporary, mut file) = tried.map_err(|it| FileError {
        path: folder.to_path_buf(),
        operation: "write in",
        ..it
    })?;
    let put = file
        .write_all(&vec![0; bytes])
        .and_then(|()| file.sync_all());
    drop(file);
    let deleted = std::fs::remove_file(&temporary);
    put.and(deleted).about(folder, "write in")
}

/// Reads a whole file of at most `max` bytes. Only a plain file, not through a symbolic link, and
/// without waiting (somebody may have put a FIFO there).
///
/// # Errors
/// No such file ([`FileError::is_missing`]), no plain file, or larger than `max` (`InvalidData`).
pub fn read_bounded(path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    read_at_most(open_plain(path)?, path, max)
}

/// Opens a plain file to read, not through a symbolic link and without waiting.
///
/// # Errors
/// No such file ([`FileError::is_missing`]), or no plain file (`InvalidData`).
pub fn open_plain(path: &Path) -> Result<File, FileError> {
    let file = platform::open_to_read(path).about(path, "read")?;
    if !file.metadata().about(path, "read")?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is no plain file",
        ))
        .about(path, "read");
    }
    Ok(file)
}

fn read_at_most(file: File, path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    file.take(max.saturating_add(1))
        .read_to_end(&mut bytes)
        .about(path, "read")?;
    if bytes.len() as u64 > max {
        let why = format!("it is larger than {max} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why)).about(path, "read");
    }
    Ok(bytes)
}

/// The last `max` bytes of a plain file (all of a shorter one), and whether they begin at its
/// beginning. For files that another program writes meanwhile: what is read is what was there.
///
/// # Errors
/// No such file ([`FileError::is_missing`]), or no plain file.
pub fn read_tail(path: &Path, max: u64) -> Result<(Vec<u8>, bool), FileError> {
    use std::io::{Seek, SeekFrom};
    let mut file = open_plain(path)?;
    let length = file.metadata().about(path, "read")?.len();
    let from = length.saturating_sub(max);
    file.seek(SeekFrom::Start(from)).about(path, "read")?;
    let mut bytes = Vec::new();
    file.take(max).read_to_end(&mut bytes).about(path, "read")?;
    Ok((bytes, from == 0))
}

/// The first `max` bytes of a plain file (all of a shorter one).
///
/// # Errors
/// As [`read_tail`].
pub fn read_head(path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let file = open_plain(path)?;
    file.take(max).read_to_end(&mut bytes).about(path, "read")?;
    Ok(bytes)
}

/// As [`read_bounded`], for a file that must belong to user `owner`.
///
/// # Errors
/// As [`read_bounded`]; `PermissionDenied` when it is another user's.
pub fn read_owned(path: &Path, max: u64, owner: u32) -> Result<Vec<u8>, FileError> {
    let file = open_plain(path)?;
    if platform::owner(&file.metadata().about(path, "read")?) != owner {
        let why = "it belongs to another user";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why)).about(path, "read");
    }
    read_at_most(file, path, max)
}

/// Renames a file that cannot be used to `NAME.WHY-N`, the first N that is free, so that it stays
/// for people to look at. Gives the new name.
///
/// # Errors
/// The rename failed, or a thousand such files are there already.
pub fn set_aside(path: &Path, why: &str) -> Result<PathBuf, FileError> {
    let why: String = why
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    let name = path
        .file_name()
        .ok_or(io::ErrorKind::InvalidInput)
        .about(path, "set aside")?;
    for n in 1..=1000 {
        let mut aside = name.to_owned();
        aside.push(format!(".{why}-{n}"));
        let aside = path.with_file_name(aside);
        match platform::rename_to_new(path, &aside) {
            Ok(()) => return Ok(aside),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).about(path, "set aside"),
        }
    }
    Err(io::ErrorKind::AlreadyExists).about(path, "set aside")
}

/// Makes sure that `path` is a folder of this user that nobody else can enter: made 0700 with its
/// missing parents, or tightened to that. On Windows a new folder has the rights of the one it is in,
/// which below the user's own profile nobody else may enter; nothing is tightened there.
///
/// # Errors
/// It cannot be made; it is a symbolic link, no folder, or another user's (`PermissionDenied`).
pub fn private_dir(path: &Path) -> Result<(), FileError> {
    platform::make_folder(path).about(path, "make the folder")?;
    let found = path.symlink_metadata().about(path, "use the folder")?;
    let refuse = |why: &str| {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, why)).about(path, "use the folder")
    };
    if found.is_symlink() {
        return refuse("it is a symbolic link");
    }
    if !found.is_dir() {
        return refuse("it is no folder");
    }
    if owner(&found) != platform::acting_user() {
        return refuse("it belongs to another user");
    }
    if mode(&found) & 0o077 != 0 {
        platform::close_to_others(path).about(path, "close the folder to others")?;
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
