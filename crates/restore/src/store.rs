//! `restore.json`: one document, many writers, one at a time.
//!
//! In: edits of the document. Out: what it says, and what could not be read. Promises: a change is
//! one read-edit-write under `restore.lock`, written by temp file, fsync and rename, so two writers
//! never lose each other's edits; whatever this build does not know is carried over; a newer
//! document is never overwritten; an unreadable one is kept aside and reported, the one before it
//! (`restore.json.before`) takes its place; nothing larger than what is read is ever written.

mod document;
mod error;
mod files;

#[cfg(test)]
mod tests;

pub use document::Document;
pub use error::StoreError;

use crate::record::PaneRecord;
use link::layout::Workspace;
use std::path::{Path, PathBuf};
use std::time::Duration;
use sys::files::{Lock, private_dir};

/// Form this build writes, and the newest it reads.
pub const VERSION: u64 = 1;
/// A larger file is not read: it is not ours.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Most workspaces kept; one more is refused.
pub const MAX_WORKSPACES: usize = 1_000;
/// Most panes kept; for one more the oldest that has ended goes, and without such it is refused.
pub const MAX_PANES: usize = 2_000;
/// Most bytes of one pane's record; a larger one is refused.
pub const MAX_PANE_BYTES: usize = 256 * 1024;
/// Ended panes kept, for `abide reopen`; the oldest go.
pub const MAX_ENDED: usize = 50;
/// How long what `abide fresh` took away is kept, in seconds.
pub const UNDO_SECONDS: u64 = 30 * 24 * 3600;
/// Most acts that can be taken back; the oldest go.
pub const MAX_UNDO: usize = 50;
/// How long another writer is waited for; a change takes milliseconds.
const LOCK_LIMIT: Duration = Duration::from_secs(5);

/// The store of one state folder.
#[derive(Clone, Debug)]
pub struct Store {
    file: PathBuf,
    before: PathBuf,
    lock: PathBuf,
    tell: Option<fn(&str)>,
}

/// What the document says.
#[derive(Debug, Default)]
pub struct Records {
    /// The readable workspaces, in the order of the document.
    pub workspaces: Vec<Workspace>,
    /// The readable panes, in the order of the document.
    pub panes: Vec<PaneRecord>,
    /// One line for each entry that could not be read; it stays in the document.
    pub problems: Vec<String>,
}

/// A change that was written.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Where an unreadable document was moved to.
    pub set_aside: Option<PathBuf>,
    /// The document before it took its place.
    pub recovered: bool,
}

impl Merged {
    /// What there is to tell the user.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let aside = self.set_aside.as_ref()?.display();
        let taken = match self.recovered {
            true => "what was written before it is used",
            false => "it begins anew",
        };
        Some(format!(
            "restore.json was unreadable; it is kept as {aside}, and {taken}"
        ))
    }
}

impl Store {
    /// The store below `state`, which is created (0700) when it is missing.
    ///
    /// # Errors
    /// [`StoreError::File`] when the folder cannot be made or is another user's.
    pub fn open(state: &Path) -> Result<Self, StoreError> {
        private_dir(state)?;
        Ok(Self::at(state))
    }

    /// The store below `state`, which is left as it is; for those that only read.
    #[must_use]
    pub fn at(state: &Path) -> Self {
        Self {
            file: state.join("restore.json"),
            before: state.join("restore.json.before"),
            lock: state.join("restore.lock"),
            tell: None,
        }
    }

    /// The same store; whoever uses it is told when a change finds the document unreadable and puts what
    /// was written before in its place ([`Merged::told`]).
    #[must_use]
    pub const fn telling(mut self, tell: fn(&str)) -> Self {
        self.tell = Some(tell);
        self
    }

    /// The document's path, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// What is written down; nothing when there is no document.
    ///
    /// # Errors
    /// As [`Store::document`].
    pub fn load(&self) -> Result<Records, StoreError> {
        Ok(self.document()?.records())
    }

    /// The whole document; an empty one when there is none. One that cannot be read gives way to
    /// the one before it, with a line in [`Records::problems`].
    ///
    /// # Errors
    /// [`StoreError::Newer`], [`StoreError::Damaged`], [`StoreError::File`]; the file is untouched.
    pub fn document(&self) -> Result<Document, StoreError> {
        match files::read(&self.file) {
            Ok(document) => Ok(document.unwrap_or_default()),
            Err(error @ StoreError::Damaged { .. }) => match files::read(&self.before) {
                Ok(Some(mut before)) => {
                    before.note(format!("{error}; what was written before it is shown"));
                    Ok(before)
                }
                _ => Err(error),
            },
            Err(other) => Err(other),
        }
    }

    /// Edits the document: read, edited and written while no other writer can. When the edit changes
    /// nothing, nothing is written.
    ///
    /// # Errors
    /// [`StoreError`], also the edit's own; the former document stands then.
    pub fn change(
        &self,
        edit: impl FnOnce(&mut Document) -> Result<(), StoreError>,
    ) -> Result<Merged, StoreError> {
        let _lock = Lock::exclusive(&self.lock, LOCK_LIMIT)?;
        let mut merged = Merged::default();
        let mut document = match files::read(&self.file) {
            Ok(document) => document.unwrap_or_default(),
            Err(StoreError::Damaged { .. }) => {
                let before = files::read(&self.before).ok().flatten();
                merged.recovered = before.is_some();
                merged.set_aside = Some(files::keep_aside(&self.file)?);
                before.unwrap_or_default()
            }
            Err(other) => return Err(other),
        };
        let was = document.clone();
        edit(&mut document)?;
        document.prune(sys::boot::unix_now());
        if document != was || merged.set_aside.is_some() {
            self.write(&document, merged.set_aside.is_none())?;
        }
        if let (Some(tell), Some(words)) = (self.tell, merged.told()) {
            tell(&words);
        }
        Ok(merged)
    }

    /// Deletes the document before this one, which still holds what was just taken out.
    ///
    /// # Errors
    /// [`StoreError::File`].
    pub fn forget_before(&self) -> Result<(), StoreError> {
        let _lock = Lock::exclusive(&self.lock, LOCK_LIMIT)?;
        match std::fs::remove_file(&self.before) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(sys::files::FileError {
                    path: self.before.clone(),
                    operation: "delete",
                    source,
                }
                .into())
            }
            _ => Ok(()),
        }
    }

    fn write(&self, document: &Document, keep_former: bool) -> Result<(), StoreError> {
        let bytes = document.to_bytes();
        if bytes.len() as u64 > MAX_BYTES {
            return Err(StoreError::TooLarge {
                what: self.file.display().to_string(),
                bytes: bytes.len(),
                most: usize::try_from(MAX_BYTES).unwrap_or(usize::MAX),
            });
        }
        if keep_former {
            files::keep_former(&self.file, &self.before);
        }
        sys::files::write_atomic(&self.file, &bytes)?;
        Ok(())
    }

    /// Writes this workspace in the place of the one with its id, or as a new one.
    ///
    /// # Errors
    /// [`StoreError`]; the former document stands then.
    pub fn merge_workspace(&self, workspace: &Workspace) -> Result<Merged, StoreError> {
        self.change(|document| document.merge_workspace(workspace))
    }

    /// Takes the workspace with this id out; pane records stay.
    ///
    /// # Errors
    /// [`StoreError`]; the former document stands then.
    pub fn forget_workspace(&self, id: &str) -> Result<Merged, StoreError> {
        self.change(|document| {
            document.forget_workspace(id);
            Ok(())
        })
    }

    /// Writes this pane in the place of the one with its id, or as a new one.
    ///
    /// # Errors
    /// [`StoreError`]; the former document stands then.
    pub fn put_pane(&self, pane: &PaneRecord) -> Result<Merged, StoreError> {
        self.change(|document| document.put_pane(pane))
    }

    /// Takes the pane with this id out.
    ///
    /// # Errors
    /// [`StoreError`]; the former document stands then.
    pub fn forget_pane(&self, id: u32) -> Result<Merged, StoreError> {
        self.change(|document| {
            document.forget_pane(id);
            Ok(())
        })
    }
}
