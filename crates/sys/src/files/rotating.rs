//! A daemon's log: one file that rotates by size.
//!
//! In: whole lines. Out: `X.log`, `X.log.1`, `X.log.2`, 0600. Promises: each at most [`MAX`] and a
//! line; a log that was deleted is begun anew.

use super::platform::{append_private, is_at};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Bytes after which a log is put away.
const MAX: u64 = 1024 * 1024;

/// See the module.
#[derive(Debug)]
pub struct Rotating {
    path: PathBuf,
    open: Option<File>,
}

impl Rotating {
    /// The log at `path`; nothing is opened before the first line.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            open: None,
        }
    }

    fn file(&mut self) -> io::Result<&mut File> {
        let there = fs::symlink_metadata(&self.path).ok();
        let same = |file: &File| is_at(file, &self.path);
        if self.open.as_ref().is_none_or(|file| !same(file)) {
            self.open = Some(append_private(&self.path)?);
        } else if there.is_some_and(|meta| meta.len() >= MAX) {
            let old = |n| self.path.with_extension(format!("log.{n}"));
            // The first time there is nothing to move up.
            fs::rename(old(1), old(2)).ok();
            fs::rename(&self.path, old(1))?;
            self.open = Some(append_private(&self.path)?);
        }
        self.open
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Write for Rotating {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.file()?.write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rotates_and_keeps_two() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("host.log");
        let mut log = Rotating::at(&path);
        let line = [b'x'; 64 * 1024];
        for _ in 0..70 {
            log.write_all(&line).unwrap();
        }
        let mut names: Vec<_> = fs::read_dir(temp.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["host.log", "host.log.1", "host.log.2"]);
        for name in names {
            assert!(fs::metadata(temp.path().join(name)).unwrap().len() <= MAX + 64 * 1024);
        }
        fs::remove_file(&path).unwrap();
        log.write_all(b"again\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"again\n");
    }
}
