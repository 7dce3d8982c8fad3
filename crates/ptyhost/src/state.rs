//! The host's files in the state folder: token, endpoint, highest pane id.
//!
//! In: the folder. Out: what was there, files written whole. Promises: 0600 files in a 0700 folder,
//! written by temporary file and rename; a file that is unreadable, too open or somebody else's is
//! set aside and reported, never overwritten; the token is never logged.

use protocol::auth::Key;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use sys::files::{FileError, private_dir, read_bounded, set_aside, write_atomic};
use sys::process::Identity;

/// Longest token file: 64 digits and white space.
const MAX_TOKEN: u64 = 128;
/// Longest file of the highest id.
const MAX_IDS: u64 = 64;
/// Longest endpoint file that is read back.
const MAX_ENDPOINT: u64 = 16 * 1024;

/// The state folder.
#[derive(Clone, Debug)]
pub(crate) struct StateDir(PathBuf);

impl StateDir {
    /// Makes the folder, or checks the one that is there. A relative path is taken from here: the
    /// host leaves its folder.
    pub(crate) fn open(root: &Path) -> Result<Self, FileError> {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        private_dir(&root)?;
        Ok(Self(root))
    }

    /// Makes it again if somebody removed it; closes it if somebody opened it to others.
    pub(crate) fn ensure(&self) -> Result<(), FileError> {
        let open = is_open(&self.0);
        private_dir(&self.0)?;
        if open {
            tell_closed(&self.0);
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.0.join("host.lock")
    }

    pub(crate) fn token(&self) -> PathBuf {
        self.0.join("token")
    }

    pub(crate) fn endpoint(&self) -> PathBuf {
        self.0.join("host.json")
    }

    pub(crate) fn ids(&self) -> PathBuf {
        self.0.join("ids")
    }

    pub(crate) fn links(&self) -> PathBuf {
        self.0.join("links")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.0.join("host.log")
    }
}

/// A process in the endpoint file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Process {
    /// Its id.
    pub(crate) pid: i32,
    /// Its start in clock ticks since boot.
    pub(crate) start: u64,
}

impl From<Identity> for Process {
    fn from(identity: Identity) -> Self {
        Self {
            pid: identity.pid,
            start: identity.start,
        }
    }
}

impl From<Process> for Identity {
    fn from(process: Process) -> Self {
        Self {
            pid: process.pid,
            start: process.start,
        }
    }
}

/// Which boot of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Boot {
    /// The kernel's id of it.
    pub(crate) id: String,
    /// When, in seconds of the wall clock.
    pub(crate) time: u64,
}

/// `host.json`: where the host is and who it is. Unknown fields are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    /// Of this file's form: 1.
    pub(crate) version: u32,
    /// Names the host's life, 32 hexadecimal digits.
    pub(crate) instance: String,
    /// The host's process id.
    pub(crate) pid: i32,
    /// Its start in clock ticks since boot.
    pub(crate) start: u64,
    /// When the machine was booted.
    pub(crate) boot: Boot,
    /// The process that ends what is left when the host dies.
    pub(crate) root_reaper: Option<Process>,
    /// Where it listens.
    pub(crate) address: String,
    /// Where it listens.
    pub(crate) port: u16,
    /// Lowest and highest protocol version.
    pub(crate) protocol: [u16; 2],
    /// For people.
    pub(crate) build: String,
}

impl Endpoint {
    /// The file's text.
    pub(crate) fn to_text(&self) -> Vec<u8> {
        // A struct of numbers and strings always has a JSON form.
        let mut text = serde_json::to_vec(self).unwrap_or_default();
        text.push(b'\n');
        text
    }

    /// The endpoint that stands in the file, if one that can be read does.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&read_bounded(path, MAX_ENDPOINT).ok()?).ok()
    }
}

/// Whether others may use the folder.
pub(crate) fn is_open(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|meta| meta.mode() & 0o077 != 0)
}

/// The log's line once the folder is this user's alone again.
pub(crate) fn tell_closed(folder: &Path) {
    let folder = folder.display();
    tracing::warn!("{folder} was open to others; it is private now");
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The token, made when there is none, and what was set aside for it.
pub(crate) fn token(dir: &StateDir) -> Result<(Key, Option<String>), FileError> {
    let path = dir.token();
    let why = match fs::symlink_metadata(&path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => Some(format!("it cannot be looked at ({e})")),
        Ok(meta) => match usable_token(&path, &meta) {
            Ok(key) => return Ok((key, None)),
            Err(why) => Some(why),
        },
    };
    let note = match why {
        None => None,
        Some(why) => {
            let aside = set_aside(&path, "bad")?;
            let (path, aside) = (path.display(), aside.display());
            Some(format!(
                "{path} is no token: {why}; it is now {aside}, a new one was made"
            ))
        }
    };
    let key = Key::from(rand::random::<[u8; 32]>());
    write_token(dir, &key)?;
    Ok((key, note))
}

/// Writes the token file anew.
pub(crate) fn write_token(dir: &StateDir, key: &Key) -> Result<(), FileError> {
    write_atomic(&dir.token(), format!("{}\n", key.to_hex()).as_bytes())
}

fn usable_token(path: &Path, meta: &fs::Metadata) -> Result<Key, String> {
    let kind = meta.file_type();
    if kind.is_symlink() || kind.is_fifo() || !kind.is_file() {
        return Err("it is not a plain file".to_owned());
    }
    if meta.uid() != sys::peer::my_uid() {
        return Err("it belongs to another user".to_owned());
    }
    if meta.mode() & 0o077 != 0 || meta.nlink() != 1 {
        return Err("others could have read it".to_owned());
    }
    let text = read_bounded(path, MAX_TOKEN).map_err(|e| e.to_string())?;
    let text = std::str::from_utf8(&text).map_err(|_| "it is not text".to_owned())?;
    Key::from_hex(text).ok_or_else(|| "it is not 64 hexadecimal digits".to_owned())
}

/// The highest pane id ever given, and what was set aside for it. From a file that is not what it
/// should be the greatest number in it counts: an id given twice is worse than a gap.
pub(crate) fn highest(dir: &StateDir) -> Result<(u32, Option<String>), FileError> {
    let path = dir.ids();
    if matches!(fs::symlink_metadata(&path), Err(e) if e.kind() == std::io::ErrorKind::NotFound) {
        return Ok((0, None));
    }
    let text = read_bounded(&path, MAX_IDS).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    if let Ok(highest) = text.trim().parse() {
        return Ok((highest, None));
    }
    let numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok());
    let guess = numbers.max().unwrap_or(0);
    let aside = set_aside(&path, "bad")?;
    let note = format!(
        "{} holds no pane id; it is now {}, ids go on after p{guess}",
        path.display(),
        aside.display()
    );
    write_highest(dir, guess)?;
    Ok((guess, Some(note)))
}

/// Keeps the highest id.
pub(crate) fn write_highest(dir: &StateDir, highest: u32) -> Result<(), FileError> {
    write_atomic(&dir.ids(), format!("{highest}\n").as_bytes())
}

#[cfg(test)]
mod tests;
