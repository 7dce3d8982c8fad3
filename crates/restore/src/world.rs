//! What a plan asks of the outside: programs, folders, transcripts, other processes.
//!
//! In: names and paths of a record. Out: facts. Promises: asking changes nothing. The real one is
//! [`Machine`]; a test brings its own.

mod machine;
mod restarted;
mod transcript;

pub use machine::{Machine, Vault};
pub use restarted::Restarted;

use crate::text::Text;
use agents::{Spec, Version};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// It can be entered.
    There,
    /// There is nothing of that name.
    Gone,
    /// Something else has its name.
    NoFolder,
    /// This user may not enter it.
    Closed,
}

/// A conversation's own file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transcript {
    /// This CLI keeps none that can be looked at.
    Unknown,
    /// It is there.
    There {
        /// Where.
        path: PathBuf,
        /// It holds a turn of the user's; `None`: that cannot be told.
        user_turn: Option<bool>,
        /// The permission mode written in it last.
        mode: Option<String>,
        /// The user stopped its last turn; `None`: that cannot be told.
        stopped: Option<bool>,
        /// When something was written into it last, in Unix seconds; `None`: that says nothing.
        written: Option<u64>,
    },
    /// It is not there.
    Missing,
}

/// Abide's own copy of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// There is none.
    None,
    /// There is one, and it is whole.
    Verified,
}

/// Whose conversation is asked about, and where it ran.
#[derive(Clone, Copy, Debug)]
pub struct Whose<'a> {
    /// Its CLI.
    pub spec: &'a Spec,
    /// The CLI's id of it.
    pub id: &'a str,
    /// The folder it ran in.
    pub folder: &'a Path,
    /// The variables that were written down.
    pub env: &'a [(Text, Text)],
}

impl Whose<'_> {
    /// A variable that was written down; the last of a name counts.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<OsString> {
        let found = self
            .env
            .iter()
            .rev()
            .find(|(known, _)| known.as_os() == name);
        found.map(|(_, value)| value.as_os().to_owned())
    }
}

/// The outside.
pub trait World {
    /// The file a program's name leads to: on `path` (else where programs usually are) when it is a
    /// bare name, from `folder` when it is relative.
    fn program(&self, name: &OsStr, path: Option<&OsStr>, folder: &Path) -> Option<PathBuf>;
    /// What stands at a path.
    fn folder(&self, path: &Path) -> Folder;
    /// A conversation's own file.
    fn transcript(&self, whose: Whose<'_>) -> Transcript;
    /// The process that has the conversation open.
    fn holder(&self, whose: Whose<'_>) -> Option<i32>;
    /// Whether a variable will be set for a pane; `None`: that is known only when it starts.
    fn variable(&self, name: &str) -> Option<bool>;
    /// The version of an installed CLI; `None`: it cannot be read.
    fn version(&self, spec: &Spec, program: &Path) -> Option<Version>;
    /// Abide's own copy of a conversation.
    fn kept(&self, whose: Whose<'_>) -> Kept;
    /// The shell of a pane that has none of its own.
    fn shell(&self) -> Text;
}
