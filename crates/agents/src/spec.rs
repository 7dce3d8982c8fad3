//! What is known of one CLI, as its data file states it. Types only.
//!
//! Border types: they are read from TOML. What each key means for people stands in
//! [`crate::keys::KEYS`]; here stand the shapes. Everything a file leaves out is empty or `None` and
//! means "not known".

mod traces;
mod turn;

pub use traces::{
    Appears, Conversations, Holds, Home, Hook, HookForm, Learn, Live, Lock, Osc7501, Process,
    Signals, States, Store,
};

pub use turn::{Protocol, Turn, Unanswered};

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One CLI.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Spec {
    /// Short name, `[a-z0-9-]+`; the data file's stem.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Why there is no way to resume, when there is none.
    pub cannot_resume: Option<String>,
    /// What the CLI prints when a conversation is not there.
    pub lost: Vec<String>,
    /// What the CLI prints when another process has the conversation.
    pub held: Vec<String>,
    /// Where the facts are from.
    pub provenance: Provenance,
    /// How to recognise it.
    pub names: Names,
    /// How it is started.
    pub launch: Launch,
    /// What an id looks like.
    pub id: IdForm,
    /// How to choose the id at launch.
    pub choose: Option<Choose>,
    /// How to open a conversation by id.
    pub resume: Option<Resume>,
    /// The account's folder.
    pub home: Option<Home>,
    /// Where conversations lie.
    pub conversations: Conversations,
    /// How a running process's conversation is learnt, beside choosing it.
    pub learn: Learn,
    /// How it shows what it does.
    pub signals: Signals,
    /// Its flags.
    pub flags: Flags,
    /// Its permission flags.
    pub permission: Permission,
    /// What a login needs from the environment.
    pub login: Login,
    /// Processes that several panes share.
    pub helpers: Vec<Helper>,
    /// How it is ended.
    pub stop: Stop,
    /// How turns are handed to it through a structured protocol.
    pub turn: Option<Turn>,
    /// Which file it came from; not in the file itself.
    #[serde(skip)]
    pub origin: Origin,
}

/// A way to prove which conversation a running process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It was chosen at launch.
    Chosen,
    /// A file the CLI keeps about its process.
    Live,
    /// A file the process holds open.
    Lock,
    /// Reports through the environment.
    Hook,
    /// The file this very process writes, when it holds it open.
    File,
}

impl Proof {
    /// For people.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Live => "live file",
            Self::Lock => "lock",
            Self::Hook => "hook",
            Self::File => "open file",
        }
    }
}

impl Spec {
    /// The ways that are known for this CLI, best first.
    #[must_use]
    pub fn proofs(&self) -> Vec<Proof> {
        let known = [
            (Proof::Chosen, self.choose.is_some()),
            (Proof::Live, self.learn.live.is_some()),
            (Proof::Lock, self.learn.lock.is_some()),
            (Proof::Hook, self.learn.hook.is_some()),
            (Proof::File, self.conversations.held_open),
        ];
        known
            .into_iter()
            .filter(|(_, is)| *is)
            .map(|(proof, _)| proof)
            .collect()
    }

    /// Where the facts are from, for people.
    #[must_use]
    pub fn facts(&self) -> String {
        match self.provenance.how {
            How::Run => format!("run against {}", self.provenance.versions.join(", ")),
            How::Documentation => "from documentation".to_owned(),
        }
    }
}

/// Which file states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Comes with abide.
    #[default]
    BuiltIn,
    /// A user's file alone.
    User(PathBuf),
    /// A user's file over the built-in one.
    Changed(PathBuf),
}

/// Where the facts are from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// Run against the real CLI, or read.
    pub how: How,
    /// The versions it was run against.
    pub versions: Vec<String>,
    /// Pages the rest is from.
    pub sources: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// How the facts were got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// The CLI was run.
    Run,
    /// Its documentation was read.
    #[default]
    Documentation,
}

/// How to recognise it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Names {
    /// File names of the program.
    pub programs: Vec<String>,
    /// npm or PyPI packages that hold it, for `npx`, `uvx` and paths below `node_modules`.
    pub packages: Vec<String>,
    /// Python modules, for `python -m`.
    pub modules: Vec<String>,
    /// Program names others have too, each with what its path must hold.
    pub weak: BTreeMap<String, String>,
    /// Only with one of the launch commands (or none) it is this CLI: another program has the name.
    pub strict: bool,
}

/// How it is started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Launch {
    /// The command line of a new conversation.
    pub argv: Vec<String>,
    /// Arguments that print the version.
    pub version: Vec<String>,
    /// Commands that open a conversation at a terminal.
    pub conversation: Vec<String>,
    /// Commands that run one turn or serve, without a person.
    pub headless: Vec<String>,
    /// Commands that are no conversation.
    pub other: Vec<String>,
    /// What a plain word is.
    pub positional: Positional,
    /// Environment of every launch.
    pub env: BTreeMap<String, String>,
}

/// What a plain word on the command line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Positional {
    /// The first prompt: never carried over.
    #[default]
    Prompt,
    /// The first prompt, and the run ends after it.
    Headless,
    /// A folder: kept.
    Folder,
}

/// What an id looks like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct IdForm {
    /// What it begins with.
    pub prefix: String,
    /// What follows.
    pub form: Form,
}

/// The part of an id behind its prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// 36 characters, hexadecimal and dashes.
    Uuid,
    /// 1 to 128 of `[A-Za-z0-9._-]`, the first of them no dash or dot.
    #[default]
    Word,
}

/// How to choose the id at launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Choose {
    /// Arguments; `{id}` is the id.
    pub argv: Vec<String>,
    /// The first version that takes them.
    pub since: Option<String>,
}

/// How to open a conversation by id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Resume {
    /// Arguments, put before the kept flags; `{id}` is the id.
    pub argv: Vec<String>,
    /// Environment of the resumed process.
    pub env: BTreeMap<String, String>,
    /// Environment that lets it go on with a turn that was cut.
    pub continue_env: BTreeMap<String, String>,
    /// Flags it takes at launch and refuses when resuming.
    pub refuses: Vec<String>,
    /// Opens it from another folder too; unknown when left out.
    pub any_folder: Option<bool>,
    /// The first version that can.
    pub since: Option<String>,
    /// Versions for which something else holds.
    pub rules: Vec<Rule>,
}

/// What holds for some versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Rule {
    /// Versions below this one.
    pub below: String,
    /// Also when the version cannot be read.
    pub unknown: bool,
    /// What must be.
    pub need: Need,
    /// Why, for people.
    pub why: String,
}

/// What a rule asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// A verified copy of the conversation first.
    Copy,
    /// Not resumed at all.
    #[default]
    Never,
}

/// Flags by what becomes of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Flags {
    /// Carried over.
    pub keep: Arities,
    /// Never carried over: first prompts, attachments, new worktrees.
    pub drop: Arities,
    /// Name a conversation: replaced.
    pub conversation: Arities,
    /// Make it a run without a person.
    pub headless: Arities,
}

/// Flags by what follows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Arities {
    /// Nothing.
    pub boolean: Vec<String>,
    /// One value.
    pub value: Vec<String>,
    /// One value or none.
    pub optional: Vec<String>,
    /// All words up to the next flag.
    pub many: Vec<String>,
}

/// How much a CLI may do without asking, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Reads and plans only.
    Read,
    /// Asks before it changes anything.
    Ask,
    /// Edits files without asking.
    Edits,
    /// Decides itself what to ask.
    Auto,
    /// Asks nothing.
    All,
}

/// Permission flags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Permission {
    /// What holds without a flag; unknown where the user's settings decide.
    pub default: Option<Level>,
    /// Flags without a value.
    pub flags: BTreeMap<String, Level>,
    /// Flags with a value, by value; `*` is any other value.
    pub values: BTreeMap<String, BTreeMap<String, Level>>,
    /// The CLI's own words for its modes.
    pub modes: BTreeMap<String, Level>,
    /// Arguments that set a level.
    pub set: BTreeMap<Level, Vec<String>>,
}

/// What a login needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Login {
    /// Variables; a name that ends in `*` is a beginning.
    pub variables: Vec<String>,
}

/// A process that several panes share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Helper {
    /// What it is called.
    pub name: String,
    /// Words its command line holds.
    pub argv: Vec<String>,
    /// The file with its pid, with `{home}`.
    pub pid_file: Option<String>,
    /// What it does to conversations.
    pub effect: String,
}

/// How it is ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Stop {
    /// A launcher stands above it: signal the process group.
    pub group: bool,
}
