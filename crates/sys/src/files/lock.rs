//! Locks between processes: flock on a file that is never removed. The system lets go of them
//! when their holder dies, however it dies.

use super::platform::{is_at, open_folder, open_to_lock};
use super::{About, FileError};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

type Open = fn(&Path) -> io::Result<File>;

/// A held lock. Dropping it lets go; the file stays.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    /// Takes the lock if nobody holds it; `None`: somebody does. The file is made 0600 when it is
    /// not there. Looking in this way holds the lock for a moment, so whoever means to keep it
    /// should use [`Lock::exclusive`] with a short limit instead of one try.
    ///
    /// # Errors
    /// The file cannot be opened or locked at all.
    pub fn try_exclusive(path: &Path) -> Result<Option<Self>, FileError> {
        Self::try_open(path, open_to_lock)
    }

    fn try_open(path: &Path, open: Open) -> Result<Option<Self>, FileError> {
        for _ in 0..10 {
            let file = open(path).about(path, "lock")?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error).about(path, "lock"),
                Ok(()) if is_at(&file, path) => return Ok(Some(Self(file))),
                // Somebody removed or replaced the file in between: that one counts now.
                Ok(()) => {}
            }
        }
        Ok(None)
    }

    /// Takes the lock, waiting for at most `timeout`.
    ///
    /// # Errors
    /// As above; `TimedOut` when somebody held it all the time.
    pub fn exclusive(path: &Path, timeout: Duration) -> Result<Self, FileError> {
        Self::within(path, open_to_lock, timeout)
    }

    /// The same on a folder that is there, whose lock outlives the deletion of all that is in it.
    ///
    /// # Errors
    /// As above; also when it is no folder, and on Windows, where folders have no locks.
    pub fn folder(path: &Path, timeout: Duration) -> Result<Self, FileError> {
        Self::within(path, open_folder, timeout)
    }

    fn within(path: &Path, open: Open, timeout: Duration) -> Result<Self, FileError> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(lock) = Self::try_open(path, open)? {
                return Ok(lock);
            }
            let left = timeout.saturating_sub(begun.elapsed());
            if left.is_zero() {
                let why = "another process holds it";
                return Err(io::Error::new(io::ErrorKind::TimedOut, why)).about(path, "lock");
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Whether the locked file is still the one at `path`; false after somebody removed it.
    #[must_use]
    pub fn is_at(&self, path: &Path) -> bool {
        is_at(&self.0, path)
    }
}
