//! The vault: abide's own copies of transcripts, for when a CLI deletes one.
//!
//! In: records of panes that abide holds, their CLIs, the time. Out: copies below `vault/` in the state
//! folder, and transcripts put back. Promises: a copy is added to, never made anew, while its transcript
//! only grows; one that was cut or replaced leaves its former copy beside the new one; copies are 0600,
//! go 30 days after the pane of their conversation closed, and take at most 2 GB in all, oldest closed
//! first; a private pane has none; databases and servers are not copied; of a conversation's folder every
//! file is, but for its locks; putting back writes no file
//! that is there, and only bytes whose checksum is right; a crash at any line leaves the copy as it was
//! before or after.

mod back;
mod digest;
mod entry;
mod files;
mod grow;
mod keep;
mod tend;

#[cfg(test)]
mod tests;

pub use back::Back;
pub use entry::{Copy, Entry};
pub use tend::Tended;

use crate::store::StoreError;
use agents::Catalogue;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use sys::files::{Lock, private_dir};

/// Most bytes of all copies together.
pub const MAX_TOTAL: u64 = 2 * 1024 * 1024 * 1024;
/// Most bytes of one copy; a longer transcript is kept up to here and never counts as whole.
pub const MAX_COPY: u64 = 512 * 1024 * 1024;
/// Bytes copied in one go; the rest follows with the next.
pub const MAX_STEP: u64 = 32 * 1024 * 1024;
/// How long a copy stays after its pane closed, in seconds.
pub const KEEP_SECONDS: u64 = 30 * 24 * 3600;
/// How long a command waits for the keeper, or it for a command.
const LOCK_LIMIT: Duration = Duration::from_secs(5);

/// The vault of one state folder. Bounds can be set smaller for tests.
#[derive(Debug)]
pub struct Vault {
    root: PathBuf,
    max_total: u64,
    max_step: u64,
    /// What a transcript looked like when it was copied last: unchanged ones cost one look.
    hints: HashMap<PathBuf, tend::Hint>,
    /// Where the transcripts of a conversation lie, and when that was looked up, in Unix seconds.
    sources: HashMap<(String, String), (u64, Vec<PathBuf>)>,
    /// That there is no room was told.
    full: bool,
}

impl Vault {
    /// The vault below `state`; nothing is made before there is something to keep.
    #[must_use]
    pub fn at(state: &Path) -> Self {
        Self {
            root: state.join("vault"),
            max_total: MAX_TOTAL,
            max_step: MAX_STEP,
            hints: HashMap::new(),
            sources: HashMap::new(),
            full: false,
        }
    }

    /// Answers a plan's question whether a whole copy of a conversation is here.
    #[must_use]
    pub fn answers(self, catalogue: Catalogue) -> crate::world::Vault {
        Box::new(move |cli, conversation| {
            let spec = catalogue.get(cli);
            spec.is_some_and(|spec| self.is_verified(spec, conversation))
        })
    }

    /// All copies, oldest first; those that cannot be read are left out.
    #[must_use]
    pub fn copies(&self) -> Vec<Copy> {
        files::list(&self.root)
    }

    /// The bytes of a copy.
    ///
    /// # Errors
    /// It cannot be read, or its checksum is wrong.
    pub fn read(&self, copy: &Copy) -> Result<Vec<u8>, StoreError> {
        files::read_whole(copy)
    }

    /// Deletes the copies that `which` names; gives how many.
    ///
    /// # Errors
    /// [`StoreError::File`]; copies before the one named are gone then.
    pub fn remove(&self, which: impl Fn(&Entry) -> bool) -> Result<usize, StoreError> {
        if !self.root.exists() {
            return Ok(0);
        }
        let _lock = self.lock()?;
        let copies = self.copies();
        let gone: Vec<&Copy> = copies.iter().filter(|it| which(&it.entry)).collect();
        gone.iter().try_for_each(|it| files::delete(it))?;
        Ok(gone.len())
    }

    fn lock(&self) -> Result<Lock, StoreError> {
        private_dir(&self.root)?;
        Ok(Lock::exclusive(&self.root.join("lock"), LOCK_LIMIT)?)
    }
}
