//! What a CLI leaves behind and shows: its folder, its conversations, how a running one is learnt,
//! how it tells what it does. Types only.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The account's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Home {
    /// The variable that moves it.
    pub variable: Option<String>,
    /// Where it is without the variable; `~` is the user's home.
    pub default: String,
    /// Path below either.
    pub below: String,
}

/// Where conversations lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Conversations {
    /// What holds them.
    pub store: Store,
    /// Paths with `{home}`, `{id}`, `{id8}`, `{folder:..}` and `*`.
    pub paths: Vec<String>,
    /// Paths, as those, of a file that is there while a turn is under way: a turn of the user's that the
    /// conversation's own file may not hold yet.
    pub under_way: Vec<String>,
    /// Names in a conversation's folder that are no part of it; `*` stands for any text.
    pub leave: Vec<String>,
    /// When the file appears.
    pub appears: Option<Appears>,
    /// The process keeps the file open while it runs.
    pub held_open: bool,
    /// A line of the file with one of these holds a turn of the user's.
    pub user_turn: Vec<String>,
    /// .. unless it also holds one of these: a tool's result, a note of the CLI's own.
    pub not_user_turn: Vec<String>,
    /// JSON pointers to the words of such a line, the first that leads to text.
    pub user_text: Vec<String>,
    /// Such a line's words when the user stopped the turn.
    pub stopped: Vec<String>,
    /// JSON pointer into the first line that only an inner conversation has, such as a sub-agent's.
    pub inner: Option<String>,
    /// JSON pointer into the first line (or, without a first line of its own, any) to the folder.
    pub folder: Option<String>,
    /// The key whose last value is the permission mode.
    pub mode_key: Option<String>,
    /// Days after which the CLI removes them.
    pub kept_days: Option<u32>,
}

/// What holds conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Store {
    /// One file each: can be copied and put back.
    File,
    /// One folder each.
    Folder,
    /// One database for all.
    Database,
    /// The vendor's server.
    Server,
    /// Not known.
    #[default]
    Unknown,
}

/// When a conversation's file appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Appears {
    /// With the program.
    Start,
    /// With the first message.
    FirstMessage,
}

/// How a running process's conversation is learnt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Learn {
    /// A file the CLI keeps about its process.
    pub live: Option<Live>,
    /// A file the process holds open, named after the conversation.
    pub lock: Option<Lock>,
    /// Reports through a variable that adds to the user's settings.
    pub hook: Option<Hook>,
    /// Reports, through another variable, of the conversation its screen shows: where there are any,
    /// the hook's say nothing of that.
    pub screen: Option<Hook>,
    /// Other flags than those of `choose` and `resume` whose value is the conversation's id.
    pub opens: Vec<String>,
    /// Variables that programs started by the CLI have: an agent with one was started by an agent.
    pub nested: Vec<String>,
    /// The exact id as the CLI prints it when it ends.
    pub at_exit: Vec<String>,
    /// What changes the id of a running process.
    pub changes: Vec<String>,
}

/// A file the CLI keeps about its process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Live {
    /// Its path with `{home}` and `{pid}` (or `*` where the folder's name is the id).
    pub path: String,
    /// Key of the id; without one the id is the folder's name.
    pub id: Option<String>,
    /// Key of the pid.
    pub pid: Option<String>,
    /// Key of the process's start.
    pub start: Option<String>,
    /// Key of what it does.
    pub status: Option<String>,
    /// Key of what it waits for.
    pub why: Option<String>,
    /// Which process of the pane writes it.
    pub process: Process,
}

/// Which process of a pane is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Process {
    /// The program itself.
    #[default]
    Program,
    /// One of its descendants: a launcher stands above.
    Descendant,
}

/// A file held open, named after the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Lock {
    /// Its path with `{home}`, `{id}`.
    pub path: String,
    /// Of several, the newest is the one shown.
    pub newest: bool,
    /// The kernel knows a lock on it; an open file without one proves nothing.
    pub locked: bool,
    /// Since this version.
    pub since: Option<String>,
}

/// Reports through the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Hook {
    /// The variable.
    pub variable: String,
    /// What it holds.
    pub holds: Holds,
    /// How the CLI is told to report; without one abide sets nothing.
    pub form: Option<HookForm>,
    /// Events that carry the id.
    pub events: Vec<String>,
    /// Key of the id.
    pub id: String,
    /// Files that the variable's would take the place of: with one of them it is not set.
    pub instead_of: Vec<String>,
    /// Variables with which it is not set.
    pub not_with: Vec<String>,
    /// Since this version.
    pub since: Option<String>,
    /// What it cannot tell.
    pub limits: Vec<String>,
}

/// How a CLI is told to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookForm {
    /// A plugin's folder with `hooks/hooks.json`, as Claude Code has them.
    ClaudePlugin,
    /// A settings file with `hooks`.
    Settings,
    /// OpenCode's plugin in JavaScript.
    OpencodePlugin,
    /// A settings file of OpenCode's terminal interface, with a plugin in JavaScript.
    OpencodeScreen,
}

impl Learn {
    /// Both ways to report.
    pub fn hooks(&self) -> impl Iterator<Item = &Hook> {
        self.hook.iter().chain(&self.screen)
    }
}

/// What a hook's variable holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    /// Folders, joined like `PATH`.
    #[default]
    Folders,
    /// One file.
    File,
    /// JSON text.
    Json,
}

/// How it shows what it does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Signals {
    /// OSC 7501: the version that tells it.
    pub osc7501: Option<Osc7501>,
    /// How titles begin or what they hold.
    pub titles: States,
    /// Words of the live file's status.
    pub status: States,
    /// Events of its hooks.
    pub hooks: States,
    /// What its notices (OSC 9, 99, 777) hold; `*` is any other notice.
    pub says: States,
    /// Notices it can send to a terminal (`bell`, `osc9`, `osc99`, `osc777`), and what for.
    pub notices: BTreeMap<String, String>,
}

/// OSC 7501, the program's status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Osc7501 {
    /// Told only after an answer to its query.
    pub asks: bool,
    /// Since this version.
    pub since: Option<String>,
}

/// Marks of the four states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct States {
    /// Needs input.
    pub waiting: Vec<String>,
    /// Works.
    pub working: Vec<String>,
    /// A turn ended.
    pub done: Vec<String>,
    /// Nothing to do.
    pub idle: Vec<String>,
}
