//! What was learnt of a running process, and how. Types only.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::SystemTime;
use sys::process::Identity;

/// How a conversation's id is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// abide chose it at launch.
    Assigned,
    /// The command line opened it by this id.
    Resumed,
    /// The CLI's own file about this process names it.
    Live,
    /// The process holds a lock named after it.
    Lock,
    /// The CLI's hook reported it.
    Hook,
    /// The process holds its transcript open.
    Transcript,
}

impl How {
    /// Its word in notes and records.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Assigned => "assigned",
            Self::Resumed => "resumed",
            Self::Live => "live",
            Self::Lock => "lock",
            Self::Hook => "hook",
            Self::Transcript => "transcript",
        }
    }

    /// Whether it says what the process has *now*; the other two say what it began with and yield to
    /// any of these.
    #[must_use]
    pub const fn is_current(self) -> bool {
        !matches!(self, Self::Assigned | Self::Resumed)
    }
}

impl std::fmt::Display for How {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// A conversation that a running process was proved to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// Its id; a good one of this CLI ([`crate::bad_id`]).
    pub id: String,
    /// The proof.
    pub how: How,
    /// The process that has it.
    pub process: Identity,
    /// Its transcript, when it lies where the CLI keeps them; before the first message often none does.
    pub transcript: Option<PathBuf>,
    /// The status word of the live file ([`crate::state::from_status`]).
    pub status: Option<String>,
    /// What it waits for, as the live file says.
    pub why: Option<String>,
    /// The permission mode the CLI itself wrote last ([`crate::last_level`]).
    pub permission: Option<String>,
    /// Conversations that appeared beside it until then are others', as far as was looked.
    pub sure: Option<SystemTime>,
}

/// Why a running agent's conversation is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    /// The CLI's file about the process is not whole at this moment, or of another form.
    #[error("unknown conversation: {0}")]
    Unreadable(String),
    /// The process ended meanwhile.
    #[error("unknown conversation: the process has just ended")]
    Gone,
    /// It has several open and does not say which it shows.
    #[error("unknown conversation: it has {} open and does not say which it shows", .0.len())]
    Several(Vec<String>),
    /// It lies in a process that many panes share.
    #[error(
        "unknown conversation: it lies in the shared {name} (pid {pid}), which does not say whose it is"
    )]
    Shared {
        /// The helper's name.
        name: String,
        /// Its pid.
        pid: i32,
    },
    /// It may have begun another: one appeared beside the one it was started with, and the CLI does not
    /// say which process began it.
    #[error("unknown conversation: another began beside the one it was started with ({0})")]
    Another(String),
    /// Nothing proves it.
    #[error("unknown conversation: {0}")]
    NoProof(String),
}

impl Unproven {
    /// Whether this says that an id *learnt earlier from what the process was started with* may be
    /// wrong by now. The others say nothing about it.
    #[must_use]
    pub const fn refutes(&self) -> bool {
        matches!(
            self,
            Self::Several(_) | Self::Shared { .. } | Self::Another(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_records() {
        use How::{Assigned, Hook, Live, Lock, Resumed, Transcript};
        for how in [Assigned, Resumed, Live, Lock, Hook, Transcript] {
            let json = serde_json::to_string(&how).expect("text");
            assert_eq!(json, format!("\"{how}\""));
            assert_eq!(how.is_current(), !matches!(how, Assigned | Resumed));
        }
    }
}
