//! What is written down of a pane, so that it can come back: the types of `restore.json`.
//!
//! Border types: they are read from and written to disk. Promises: a field this build does not know
//! is kept at every level; a missing field has a plain meaning; secrets have no place in here
//! (environments are allow-lists, what the user set is without secrets, see [`crate::environ`]).

use crate::text::Text;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One pane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneRecord {
    /// Pane id; it keeps it when it comes back.
    pub id: u32,
    /// Id of its workspace.
    pub workspace: Option<String>,
    /// A name the user gave it.
    pub name: Option<String>,
    /// Its last title.
    pub title: String,
    /// The command line it was made with.
    pub argv: Vec<Text>,
    /// The folder it was made in, or a shell's last one.
    pub cwd: Text,
    /// Variables the user set for this pane (`--env`), none of them secret.
    pub set_env: Vec<(Text, Text)>,
    /// Names of those whose values are not written down: secrets, and what is too long.
    pub set_needs: Vec<String>,
    /// Inherited variables worth keeping, none of them secret.
    pub env: Vec<(Text, Text)>,
    /// Columns and rows; 0: the host's default.
    pub size: (u16, u16),
    /// When it was made, in Unix seconds.
    pub created: u64,
    /// It stays out of vault, screens and logs.
    pub private: bool,
    /// Programs of the pane that may outlive it.
    pub keep: Vec<Text>,
    /// Its own program is a plain shell.
    pub shell: bool,
    /// The agent that runs in it.
    pub agent: Option<AgentRecord>,
    /// The conversation that is known to be the agent's.
    pub conversation: Option<Conversation>,
    /// What it was last seen doing.
    pub state: Option<Seen>,
    /// What the user wants of it.
    pub intent: Intent,
    /// Attempts to bring it back that failed, one after the other.
    pub tries: u32,
    /// Times the agent was told to go on with a cut turn, one after the other; kept across boots.
    pub continues: u32,
    /// The boot in which it was told so last.
    pub continue_boot: String,
    /// Why the last attempt failed, in the CLI's own words where it had some.
    pub failure: Option<String>,
    /// The conversation that the agent opened in place of the one it was asked for; that one stays
    /// written down.
    pub opened: Option<String>,
    /// Settings of this pane alone.
    pub restore: Option<PaneSetting>,
    /// What a newer build wrote here.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The agent of a pane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentRecord {
    /// The CLI's name in the catalogue.
    pub cli: String,
    /// Its whole command line, wrappers included, as it ran.
    pub argv: Vec<Text>,
    /// Its folder.
    pub cwd: Text,
    /// Variables of its own process worth keeping, none of them secret.
    pub env: Vec<(Text, Text)>,
    /// Names of secret variables it had that its login uses.
    pub needs: Vec<String>,
    /// It was typed into a shell.
    pub typed: bool,
    /// It runs inside this (`docker`, `ssh`, `sudo`), where abide cannot start it.
    pub inside: Option<String>,
    /// Its version, where that could be read.
    pub version: Option<String>,
    /// It said itself that it had begun no conversation yet: there is none to lose.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub none_yet: bool,
    /// What the user wants of an agent that was typed into a shell; the pane's own intent is the
    /// shell's.
    pub intent: Intent,
    /// What a newer build wrote here.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A conversation, and how it is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// The CLI's id of it.
    pub id: String,
    /// The proof.
    pub how: How,
    /// When it was proved last, in Unix seconds.
    pub at: u64,
    /// Its file, once that was seen to be there.
    #[serde(default)]
    pub transcript: Option<Text>,
    /// The permission mode the CLI itself last wrote.
    #[serde(default)]
    pub permission: Option<String>,
    /// The agent was started on it then, in Unix seconds, and has not shown yet that it opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<u64>,
    /// What a newer build wrote here.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// How a conversation is known to be a process's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It was chosen at launch.
    Assigned,
    /// The CLI's own file about its process says so.
    Live,
    /// A hook of this very process reported it.
    Hook,
    /// The process holds its lock.
    Lock,
    /// The process holds its file open.
    Transcript,
    /// It was opened by this id.
    Resumed,
}

impl How {
    /// For people and notes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Assigned => "assigned",
            Self::Live => "live",
            Self::Hook => "hook",
            Self::Lock => "lock",
            Self::Transcript => "transcript",
            Self::Resumed => "resumed",
        }
    }
}

/// What a pane was seen doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seen {
    /// `working`, `needs_input`, `done`, `idle`, `exited`, `stopped` or `unknown`.
    pub state: String,
    /// What says so.
    pub evidence: String,
    /// Since when, in Unix seconds.
    pub at: u64,
}

/// What the user wants of a pane. Times are Unix seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Intent {
    /// It is to be there.
    #[default]
    Open,
    /// It has ended, and it is not yet known whether on purpose.
    Provisional {
        /// When.
        at: u64,
        /// Raw wait status; `None` where nobody could see it.
        #[serde(default)]
        raw_status: Option<i32>,
    },
    /// It ended by itself: offered, not started.
    Exited {
        /// When.
        at: u64,
        /// Raw wait status; `None` where nobody could see it.
        #[serde(default)]
        raw_status: Option<i32>,
    },
    /// The user ended it.
    EndedByUser {
        /// When.
        at: u64,
    },
    /// Its workspace was closed: started when the folder is opened again.
    ClosedWorkspace {
        /// When.
        at: u64,
    },
    /// The user started afresh: kept for a while, offered by `restore --undo` alone.
    Discarded {
        /// When.
        at: u64,
    },
}

/// Settings of one pane; `None` follows the settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneSetting {
    /// `restore.start`.
    pub start: Option<Start>,
    /// `restore.continue`.
    #[serde(rename = "continue")]
    pub go_on: Option<GoOn>,
}

/// When what was there is started again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// At every start that finds the host gone.
    #[default]
    Auto,
    /// When the user opens its folder.
    OnOpen,
    /// Only by `abide restore` and `abide reopen`.
    Never,
}

impl Start {
    /// What settings call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::OnOpen => "on-open",
            Self::Never => "never",
        }
    }

    /// The one that is called so.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        let all = [Self::Auto, Self::OnOpen, Self::Never];
        all.into_iter().find(|it| it.word() == word)
    }
}

/// Whether a turn that was cut goes on by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoOn {
    /// Yes.
    #[default]
    Auto,
    /// Only when somebody is attached.
    Attended,
    /// No.
    Never,
}

impl GoOn {
    /// What settings call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Attended => "attended",
            Self::Never => "never",
        }
    }

    /// The one that is called so.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        let all = [Self::Auto, Self::Attended, Self::Never];
        all.into_iter().find(|it| it.word() == word)
    }
}

/// The boot a host ran in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BootRecord {
    /// The kernel's id of it; empty unknown.
    pub id: String,
    /// When it began, in Unix seconds by the wall clock of then; 0 unknown.
    pub time: u64,
    /// When process 1 started, as in [`sys::process::Identity`]; `None` unknown.
    pub pid1: Option<u64>,
}

/// The host that had the panes last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostRecord {
    /// Names its life; hexadecimal.
    pub instance: String,
    /// Its process id.
    pub pid: i32,
    /// When it started, as in [`sys::process::Identity`].
    pub start: u64,
    /// The process above it.
    pub root_reaper: Option<ProcessRecord>,
    /// Its goodbye was heard: the user had it stop.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
}

/// A process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessRecord {
    /// Its process id.
    pub pid: i32,
    /// When it started, as in [`sys::process::Identity`].
    pub start: u64,
}

/// What the last restore came to; `abide status` shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastRestore {
    /// Why there was one.
    pub reason: String,
    /// Panes that came back.
    pub resumed: u32,
    /// Panes that were not to.
    pub skipped: u32,
    /// Panes that could not.
    pub blocked: u32,
    /// The same in one line.
    pub line: String,
    /// When, in Unix seconds.
    pub at: u64,
}

/// What `abide fresh` took away, until it is taken back or 30 days are over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Undo {
    /// When, in Unix seconds.
    pub at: u64,
    /// For people.
    pub what: String,
    /// The panes, as they were.
    pub panes: Vec<PaneRecord>,
    /// The workspaces, as they were.
    pub workspaces: Vec<Value>,
}

impl PaneRecord {
    /// What runs in the pane stays, what its agent had is let go of: a shell stands there, or an agent
    /// that opened another conversation.
    pub fn let_go(&mut self) {
        self.shell |= self.opened.is_none();
        (self.agent, self.conversation, self.failure) = (None, None, None);
        (self.tries, self.opened) = (0, None);
    }
}

impl Intent {
    /// Since when it is so; `None` for an open pane.
    #[must_use]
    pub const fn at(&self) -> Option<u64> {
        match self {
            Self::Open => None,
            Self::Provisional { at, .. }
            | Self::Exited { at, .. }
            | Self::EndedByUser { at }
            | Self::ClosedWorkspace { at }
            | Self::Discarded { at } => Some(*at),
        }
    }

    /// The pane has ended for good: `reopen` offers it.
    #[must_use]
    pub const fn is_ended(&self) -> bool {
        matches!(self, Self::Exited { .. } | Self::EndedByUser { .. })
    }

    /// For people and JSON.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Provisional { .. } => "provisional",
            Self::Exited { .. } => "exited",
            Self::EndedByUser { .. } => "ended by user",
            Self::ClosedWorkspace { .. } => "workspace closed",
            Self::Discarded { .. } => "discarded",
        }
    }
}

#[cfg(test)]
mod tests;
