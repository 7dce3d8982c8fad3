//! The keys of a data file: path, what is allowed, one line for people. The only list there is.
//!
//! [`crate::check`] measures a file against it, docs/agents.md prints it, and a test holds the types
//! in [`crate::spec`] against it. `*` stands for any name, `[]` for each table of a list.

/// What may stand at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A list of texts.
    List,
    /// `true` or `false`.
    Bool,
    /// A whole number, 0 or more.
    Number,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// One key.
#[derive(Debug)]
pub struct Key {
    /// Its dotted path.
    pub path: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it says, for people.
    pub about: &'static str,
}

/// The permission levels, lowest first.
pub const LEVELS: &[&str] = &["read", "ask", "edits", "auto", "all"];

const LEVEL: Kind = Kind::Choice(LEVELS);

const fn key(path: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { path, kind, about }
}

/// Every key there is.
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    key("name", Kind::Text, "short name, `[a-z0-9-]`; a built-in name changes the built-in file key by key"),
    key("title", Kind::Text, "name for people"),
    key("cannot_resume", Kind::Text, "why there is no `[resume]`"),
    key("lost", Kind::List, "what it prints when a conversation is not there"),
    key("held", Kind::List, "what it prints when another process has the conversation"),
    key("provenance.how", Kind::Choice(&["run", "documentation"]), "run against the real CLI, or written from its documentation"),
    key("provenance.versions", Kind::List, "versions it was run against"),
    key("provenance.sources", Kind::List, "pages the rest is from"),
    key("provenance.notes", Kind::List, "what a reader should know"),
    key("names.programs", Kind::List, "file names of the program"),
    key("names.packages", Kind::List, "packages that hold it, for `npx`, `uvx`, `node_modules`"),
    key("names.modules", Kind::List, "Python modules, for `python -m`"),
    key("names.weak.*", Kind::Text, "a program name others have too, and what its path must hold"),
    key("names.strict", Kind::Bool, "another program has the name: only with a launch command, or none, it is this CLI"),
    key("launch.argv", Kind::List, "command line of a new conversation"),
    key("launch.version", Kind::List, "arguments that print the version; `--version` when left out"),
    key("launch.conversation", Kind::List, "commands that open a conversation at a terminal"),
    key("launch.headless", Kind::List, "commands that run or serve without a person"),
    key("launch.other", Kind::List, "commands that are no conversation"),
    key("launch.positional", Kind::Choice(&["prompt", "headless", "folder"]), "what a plain word is: the first prompt (dropped), a prompt that ends the run, or a folder (kept)"),
    key("launch.env.*", Kind::Text, "environment of every launch"),
    key("id.prefix", Kind::Text, "what an id begins with"),
    key("id.form", Kind::Choice(&["uuid", "word"]), "what follows the prefix"),
    key("choose.argv", Kind::List, "arguments that choose the id at launch, with `{id}`"),
    key("choose.since", Kind::Text, "first version that takes them"),
    key("resume.argv", Kind::List, "arguments that open a conversation by id, with `{id}`; the kept flags follow"),
    key("resume.env.*", Kind::Text, "environment of the resumed process"),
    key("resume.continue_env.*", Kind::Text, "environment that lets it go on with a turn that was cut"),
    key("resume.refuses", Kind::List, "flags it takes at launch and refuses when resuming; a permission flag's level is set in another way"),
    key("resume.any_folder", Kind::Bool, "also from another folder"),
    key("resume.since", Kind::Text, "first version that can"),
    key("resume.rules[].below", Kind::Text, "for versions below this one"),
    key("resume.rules[].unknown", Kind::Bool, "also when the version cannot be read"),
    key("resume.rules[].need", Kind::Choice(&["copy", "never"]), "a verified copy of the conversation first, or not at all"),
    key("resume.rules[].why", Kind::Text, "why, for people"),
    key("home.variable", Kind::Text, "variable that moves the account's folder"),
    key("home.default", Kind::Text, "the account's folder without it; begins with `~` or `/`"),
    key("home.below", Kind::Text, "path below either"),
    key("conversations.store", Kind::Choice(&["file", "folder", "database", "server", "unknown"]), "what holds conversations"),
    key("conversations.paths", Kind::List, "where, with `{home}`, `{id}`, `{id8}`, `{folder:dashes}`, `{folder:slashes}`, `{folder:percent}`, `*`"),
    key("conversations.under_way", Kind::List, "where a file is, by the same words, while a turn of the conversation is under way"),
    key("conversations.leave", Kind::List, "names in a conversation's folder, with `*`, that are no part of it: locks, logs, databases"),
    key("conversations.appears", Kind::Choice(&["start", "first-message"]), "when the file appears"),
    key("conversations.held_open", Kind::Bool, "the process keeps the file open while it runs"),
    key("conversations.user_turn", Kind::List, "a line with one of these holds a turn of the user's"),
    key("conversations.not_user_turn", Kind::List, ".. unless it also holds one of these, such as a tool's result"),
    key("conversations.user_text", Kind::List, "JSON pointers to the words of such a line; the first that leads to text counts"),
    key("conversations.stopped", Kind::List, "words of such a line when the user stopped the turn"),
    key("conversations.inner", Kind::Text, "JSON pointer into the first line that only a sub-agent's conversation has"),
    key("conversations.folder", Kind::Text, "JSON pointer into the first line to the folder, where the path does not tell it"),
    key("conversations.mode_key", Kind::Text, "key whose last value is the permission mode"),
    key("conversations.kept_days", Kind::Number, "days after which the CLI removes them"),
    key("learn.live.path", Kind::Text, "file it keeps about its process, with `{home}`, `{pid}`"),
    key("learn.live.id", Kind::Text, "key of the id there; left out: the folder's name is the id"),
    key("learn.live.pid", Kind::Text, "key of the pid"),
    key("learn.live.start", Kind::Text, "key of the process's start"),
    key("learn.live.status", Kind::Text, "key of what it does"),
    key("learn.live.why", Kind::Text, "key of what it waits for"),
    key("learn.live.process", Kind::Choice(&["program", "descendant"]), "which process of the pane writes it"),
    key("learn.lock.path", Kind::Text, "file it holds open, with `{home}`, `{id}`"),
    key("learn.lock.newest", Kind::Bool, "of several, the newest is the one shown"),
    key("learn.lock.locked", Kind::Bool, "the kernel knows a lock on it: an open file alone proves nothing"),
    key("learn.lock.since", Kind::Text, "first version that has it"),
    key("learn.hook.variable", Kind::Text, "variable that adds hooks to the user's own settings"),
    key("learn.hook.holds", Kind::Choice(&["folders", "file", "json"]), "what it holds"),
    key("learn.hook.form", Kind::Choice(&["claude-plugin", "settings", "opencode-plugin", "opencode-screen"]), "how it is told to report; left out: abide sets nothing"),
    key("learn.hook.events", Kind::List, "events that carry the id"),
    key("learn.hook.id", Kind::Text, "key of the id"),
    key("learn.hook.instead_of", Kind::List, "files that the variable's would take the place of: with one of them it is not set"),
    key("learn.hook.not_with", Kind::List, "variables with which it is not set"),
    key("learn.hook.since", Kind::Text, "first version that has it"),
    key("learn.hook.limits", Kind::List, "what it cannot tell"),
    key("learn.screen.variable", Kind::Text, "variable that adds reports of the conversation its screen shows"),
    key("learn.screen.holds", Kind::Choice(&["folders", "file", "json"]), "what it holds"),
    key("learn.screen.form", Kind::Choice(&["claude-plugin", "settings", "opencode-plugin", "opencode-screen"]), "how it is told to report; left out: abide sets nothing"),
    key("learn.screen.events", Kind::List, "events that say what is shown; without an id: none"),
    key("learn.screen.id", Kind::Text, "key of the id"),
    key("learn.screen.instead_of", Kind::List, "as the hook's"),
    key("learn.screen.not_with", Kind::List, "as the hook's"),
    key("learn.screen.since", Kind::Text, "first version that has it"),
    key("learn.screen.limits", Kind::List, "what it cannot tell"),
    key("learn.opens", Kind::List, "other flags whose value is the conversation's id, such as `-r`"),
    key("learn.nested", Kind::List, "variables that programs started by the CLI have: an agent with one was started by an agent"),
    key("learn.at_exit", Kind::List, "how it prints the id when it ends, with `{id}`"),
    key("learn.changes", Kind::List, "what changes the id of a running process"),
    key("signals.osc7501.asks", Kind::Bool, "tells its state by OSC 7501 only after an answer to its query"),
    key("signals.osc7501.since", Kind::Text, "first version that has it"),
    key("signals.titles.waiting", Kind::List, "title while it needs input"),
    key("signals.titles.working", Kind::List, "title while it works"),
    key("signals.titles.done", Kind::List, "title after a turn"),
    key("signals.titles.idle", Kind::List, "title with nothing to do"),
    key("signals.status.waiting", Kind::List, "live file's status while it needs input"),
    key("signals.status.working", Kind::List, "live file's status while it works"),
    key("signals.status.done", Kind::List, "live file's status after a turn"),
    key("signals.status.idle", Kind::List, "live file's status with nothing to do"),
    key("signals.hooks.waiting", Kind::List, "hook when it begins to need input"),
    key("signals.hooks.working", Kind::List, "hook when it begins to work"),
    key("signals.hooks.done", Kind::List, "hook when a turn ends"),
    key("signals.hooks.idle", Kind::List, "hook when it has nothing to do"),
    key("signals.says.waiting", Kind::List, "what a notice holds when it needs input"),
    key("signals.says.working", Kind::List, "what a notice holds when it begins to work"),
    key("signals.says.done", Kind::List, "what a notice holds when a turn ended; `*` is any other notice"),
    key("signals.says.idle", Kind::List, "what a notice holds when it has nothing to do"),
    key("signals.notices.*", Kind::Text, "notice it can send (`bell`, `osc9`, `osc99`, `osc777`) and when"),
    key("flags.keep.boolean", Kind::List, "flags without a value that are carried over"),
    key("flags.keep.value", Kind::List, ".. with one value"),
    key("flags.keep.optional", Kind::List, ".. with one value or none"),
    key("flags.keep.many", Kind::List, ".. with all words up to the next flag"),
    key("flags.drop.boolean", Kind::List, "flags that are never carried over: first prompts, attachments, new worktrees"),
    key("flags.drop.value", Kind::List, ".. with one value"),
    key("flags.drop.optional", Kind::List, ".. with one value or none"),
    key("flags.drop.many", Kind::List, ".. with all words up to the next flag"),
    key("flags.conversation.boolean", Kind::List, "flags that name a conversation: replaced"),
    key("flags.conversation.value", Kind::List, ".. with one value"),
    key("flags.conversation.optional", Kind::List, ".. with one value or none"),
    key("flags.conversation.many", Kind::List, ".. with all words up to the next flag"),
    key("flags.headless.boolean", Kind::List, "flags that make it a run without a person"),
    key("flags.headless.value", Kind::List, ".. with one value"),
    key("flags.headless.optional", Kind::List, ".. with one value or none"),
    key("flags.headless.many", Kind::List, ".. with all words up to the next flag"),
    key("permission.default", LEVEL, "level without a flag; left out: the user's settings decide"),
    key("permission.flags.*", LEVEL, "a flag without a value, and the level it gives"),
    key("permission.values.*.*", LEVEL, "a flag, each value of it, and its level; `*` is any other value"),
    key("permission.modes.*", LEVEL, "a mode as the CLI itself writes it, and its level"),
    key("permission.set.*", Kind::List, "a level, and the arguments that set it"),
    key("login.variables", Kind::List, "variables a login needs; `NAME*` is a beginning"),
    key("turn.protocol", Kind::Choice(&["acp", "stream-json", "app-server"]), "what it speaks when a turn is handed to it: the Agent Client Protocol, Claude Code's or Codex's own"),
    key("turn.argv", Kind::List, "command line that speaks it"),
    key("turn.env.*", Kind::Text, "environment of it"),
    key("turn.session", Kind::List, "arguments that open a conversation, with `{id}`, where the protocol has no message for it"),
    key("turn.model", Kind::List, "arguments that choose the model, with `{model}`"),
    key("turn.mode", Kind::List, "arguments that choose the permission mode, with `{mode}`"),
    key("turn.effort", Kind::List, "arguments that choose the effort, with `{effort}`"),
    key("turn.authenticate", Kind::Text, "method to authenticate with"),
    key("turn.lost", Kind::List, "words of a refused load that mean the conversation is not there, beside `lost`"),
    key("turn.empty_is_lost", Kind::Bool, "a load that shows nothing of the past means the same"),
    key("turn.unanswered", Kind::Choice(&["gone", "kept", "rerun"]), "a prompt that was cut, after a load: not there any more; put before the next message; run again by itself"),
    key("turn.whole_answers", Kind::Bool, "a load shows an answer only when it was whole"),
    key("turn.loads_since", Kind::Text, "first version whose load does not harm the conversation"),
    key("turn.run", Kind::Bool, "it was run through this protocol"),
    key("helpers[].name", Kind::Text, "a process that several panes share"),
    key("helpers[].argv", Kind::List, "words its command line holds"),
    key("helpers[].pid_file", Kind::Text, "the file with its pid, with `{home}`"),
    key("helpers[].effect", Kind::Text, "what it does to conversations"),
    key("stop.group", Kind::Bool, "a launcher stands above it: signals go to the process group"),
];

impl Kind {
    /// What is allowed, for people; continues "must be".
    #[must_use]
    pub fn allowed(self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::List => "a list of texts, such as [\"a\", \"b\"]".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Number => "a whole number, 0 or more".to_owned(),
            Self::Choice(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("one of {}", words.join(", "))
            }
        }
    }

    /// Whether `value` may stand here.
    #[must_use]
    pub fn allows(self, value: &toml::Value) -> bool {
        match (self, value) {
            (Self::Text, toml::Value::String(_)) | (Self::Bool, toml::Value::Boolean(_)) => true,
            (Self::List, toml::Value::Array(items)) => items.iter().all(toml::Value::is_str),
            (Self::Number, toml::Value::Integer(n)) => u32::try_from(*n).is_ok(),
            (Self::Choice(words), toml::Value::String(word)) => words.contains(&word.as_str()),
            _ => false,
        }
    }
}

/// How a path of a file stands to the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A value stands here.
    Value(Kind),
    /// Keys stand below.
    Table,
    /// A list of tables stands here.
    Tables,
    /// No such key.
    Unknown,
}

/// What the list says of `path` (list items left out, as `resume.rules.below`).
#[must_use]
pub fn find(path: &[&str]) -> Found {
    let mut found = Found::Unknown;
    for key in KEYS {
        let parts: Vec<&str> = key.path.split('.').collect();
        let fits =
            |(part, name): (&&str, &&str)| *part == "*" || part.trim_end_matches("[]") == *name;
        if parts.len() < path.len() || !parts.iter().zip(path).all(fits) {
            continue;
        }
        if parts.len() == path.len() {
            return Found::Value(key.kind);
        }
        let listed = path.len().checked_sub(1).and_then(|last| parts.get(last));
        found = match listed {
            Some(part) if part.ends_with("[]") => Found::Tables,
            _ => Found::Table,
        };
    }
    found
}

/// The names that may stand beside `path`'s last one.
#[must_use]
pub fn siblings(path: &[&str]) -> Vec<&'static str> {
    let above = &path[..path.len().saturating_sub(1)];
    let mut names = Vec::new();
    for key in KEYS {
        let parts: Vec<&'static str> = key.path.split('.').collect();
        let fits =
            |(part, name): (&&str, &&str)| *part == "*" || part.trim_end_matches("[]") == *name;
        let Some(next) = parts.get(above.len()) else {
            continue;
        };
        let next = next.trim_end_matches("[]");
        if parts.iter().zip(above).all(fits) && !names.contains(&next) {
            names.push(next);
        }
    }
    names
}
