//! Keeps the host reachable: files that somebody deleted or damaged are written again.
//!
//! In: a tick every 5 s, and one when a client knocks. Out: locks, token, endpoint and ids where one
//! is missing; warnings for the user. Promises: nothing of another living host is touched; an
//! endpoint nobody can use is set aside, and whenever the endpoint is written the token beside it is
//! this host's; any other file that is there is left alone whatever it holds; at the end only the
//! endpoint that is this host's own is removed.

use crate::state::{Endpoint, StateDir, write_highest, write_token};
use protocol::auth::Key;
use std::fs;
use std::io::ErrorKind::{NotFound, TimedOut};
use std::path::Path;
use std::time::Duration;
use sys::files::{FileError, Lock, read_bounded, set_aside, write_atomic};
use sys::process::Identity;

/// What keeps a second host out of the folder.
pub(crate) struct Locks {
    /// On the lock file; another one once its file was deleted.
    pub(crate) file: Lock,
    /// On the folder itself; another one once the folder was removed or moved.
    pub(crate) folder: Lock,
}

/// What must be in the state folder while the host lives.
pub(crate) struct Tended {
    dir: StateDir,
    key: Key,
    endpoint: Endpoint,
    highest: u32,
    locks: Locks,
    /// The last trouble, so that one trouble is logged once.
    trouble: Option<String>,
    /// Why the highest id could not be kept; tried again at each tick.
    unkept: Option<String>,
}

impl Tended {
    /// Everything is there but the endpoint, which this writes: from here on clients come.
    pub(crate) fn new(
        dir: StateDir,
        key: Key,
        highest: u32,
        endpoint: Endpoint,
        locks: Locks,
    ) -> Result<Self, FileError> {
        let mut tended = Self {
            dir,
            key,
            endpoint,
            highest,
            locks,
            trouble: None,
            unkept: None,
        };
        write_atomic(&tended.dir.endpoint(), &tended.endpoint.to_text())?;
        tended.tick();
        Ok(tended)
    }

    /// Keeps the highest id given.
    pub(crate) fn keep_highest(&mut self, highest: u32) {
        self.highest = highest;
        let written = write_highest(&self.dir, highest);
        let unkept = written.err().map(|e| format!("pane ids are not kept: {e}"));
        tell(&mut self.unkept, unkept);
    }

    /// Writes again what is missing.
    pub(crate) fn tick(&mut self) {
        let trouble = self.restore().err();
        tell(&mut self.trouble, trouble);
        if self.unkept.is_some() && self.trouble.is_none() {
            self.keep_highest(self.highest);
        }
    }

    /// Things to tell the user.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.trouble.iter().chain(&self.unkept).cloned().collect()
    }

    /// The host's end: removes the endpoint if it is still this host's.
    pub(crate) fn remove_endpoint(&self) {
        let path = self.dir.endpoint();
        let ours = Endpoint::read(&path).is_some_and(|e| e.instance == self.endpoint.instance);
        if ours && let Err(error) = fs::remove_file(&path) {
            tracing::warn!("cannot remove {}: {error}", path.display());
        }
    }

    /// `Err`: what the user must know.
    fn restore(&mut self) -> Result<(), String> {
        let words = |error: FileError| error.to_string();
        self.dir.ensure().map_err(words)?;
        self.hold()?;
        let found = Endpoint::read(&self.dir.endpoint());
        if let Some(other) = found.as_ref().filter(|it| self.is_another_host(it)) {
            return Err(format!(
                "another host (pid {}) has {} now; this one (pid {}) keeps its panes out of reach until one of the two is ended",
                other.pid,
                self.dir.path().display(),
                self.endpoint.pid,
            ));
        }
        let ours = found.is_some_and(|it| it.instance == self.endpoint.instance);
        self.write_missing(ours).map_err(words)
    }

    /// Both locks are on what stands at their paths now.
    fn hold(&mut self) -> Result<(), String> {
        let (path, folder) = (self.dir.lock(), self.dir.path());
        let held = |what: &Path| format!("another process holds {}", what.display());
        if !self.locks.folder.is_at(folder) {
            self.locks.folder = match Lock::folder(folder, Duration::ZERO) {
                Ok(lock) => lock,
                Err(e) if e.source.kind() == TimedOut => return Err(held(folder)),
                Err(e) => return Err(e.to_string()),
            };
            made(folder, "removed or moved");
        }
        if !self.locks.file.is_at(&path) {
            let lock = Lock::try_exclusive(&path).map_err(|e| e.to_string())?;
            self.locks.file = lock.ok_or_else(|| held(&path))?;
            made(&path, "deleted");
        }
        Ok(())
    }

    fn is_another_host(&self, there: &Endpoint) -> bool {
        let process = Identity {
            pid: there.pid,
            start: there.start,
        };
        there.instance != self.endpoint.instance
            && there.boot.id == self.endpoint.boot.id
            && process != Identity::me()
            && process.alive()
    }

    /// `published`: the endpoint there is this host's.
    fn write_missing(&self, published: bool) -> Result<(), FileError> {
        let (token, ids, endpoint) = (self.dir.token(), self.dir.ids(), self.dir.endpoint());
        if is_missing(&token) {
            write_token(&self.dir, &self.key)?;
            made(&token, "deleted");
        } else if !published && !self.knows(&token) {
            put_aside(&token, "foreign")?;
            write_token(&self.dir, &self.key)?;
        }
        if self.highest > 0 && is_missing(&ids) {
            write_highest(&self.dir, self.highest)?;
            made(&ids, "deleted");
        }
        if published {
            return Ok(());
        }
        let was = if is_missing(&endpoint) {
            "deleted"
        } else {
            put_aside(&endpoint, "damaged")?;
            "damaged"
        };
        write_atomic(&endpoint, &self.endpoint.to_text())?;
        made(&endpoint, was);
        Ok(())
    }

    fn knows(&self, token: &Path) -> bool {
        let text = read_bounded(token, 4096).unwrap_or_default();
        let key = std::str::from_utf8(&text).ok().and_then(Key::from_hex);
        key.is_some_and(|key| key.to_hex() == self.key.to_hex())
    }
}

fn made(path: &Path, was: &str) {
    tracing::warn!("{} was {was}; made again", path.display());
}

fn put_aside(path: &Path, why: &str) -> Result<(), FileError> {
    let aside = set_aside(path, why)?;
    tracing::warn!("{} is {why}; it is now {}", path.display(), aside.display());
    Ok(())
}

/// One trouble is logged once.
fn tell(known: &mut Option<String>, trouble: Option<String>) {
    if let Some(text) = &trouble
        && *known != trouble
    {
        tracing::warn!("{text}");
    }
    *known = trouble;
}

fn is_missing(path: &Path) -> bool {
    matches!(fs::symlink_metadata(path), Err(e) if e.kind() == NotFound)
}

#[cfg(test)]
mod tests;
