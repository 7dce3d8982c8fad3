//! What is written down of a copy: a JSON file beside it.

use crate::text::Text;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Form this build writes, and the newest it reads.
pub(super) const VERSION: u64 = 1;

/// One copy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// The form.
    pub version: u64,
    /// The CLI's name in the catalogue.
    pub cli: String,
    /// The CLI's id of the conversation.
    pub conversation: String,
    /// Where the transcript lies.
    pub path: Text,
    /// The pane that had it last.
    pub pane: u32,
    /// That pane's workspace.
    pub workspace: Option<String>,
    /// What lay there before it was cut or replaced.
    pub former: bool,
    /// Bytes of the copy that count; what stands behind them was not finished.
    pub length: u64,
    /// Checksum of the whole blocks, for going on.
    pub blocks: String,
    /// Checksum of all.
    pub sum: String,
    /// What told the transcript's file from others.
    pub file: (u64, u64),
    /// The transcript held nothing more when it was copied last.
    pub whole: bool,
    /// When that was, in Unix seconds.
    pub at: u64,
    /// Since when no pane has the conversation, in Unix seconds.
    pub closed: Option<u64>,
    /// What a newer build wrote here.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A copy and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Copy {
    /// What is known of it.
    pub entry: Entry,
    /// Its bytes.
    pub bytes: PathBuf,
    /// The entry's own file.
    pub(super) record: PathBuf,
}

impl Entry {
    /// It is this conversation's.
    #[must_use]
    pub fn is_of(&self, cli: &str, conversation: &str) -> bool {
        self.cli == cli && self.conversation == conversation
    }
}
