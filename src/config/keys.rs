//! The list of settings: name, what is allowed, default, one line for people.

/// A setting's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// On or off.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

/// What a setting may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number between the two, both included.
    Int(i64, i64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One key with Ctrl, as `send --keys` names it.
    Prefix,
    /// A program's absolute path, or nothing.
    Program,
    /// Names of environment variables.
    Names,
    /// Absolute paths of programs.
    Programs,
    /// An agent's short name, or nothing.
    Agent,
    /// Some of these words.
    Words(&'static [&'static str]),
    /// A command and its arguments, or nothing.
    Command,
    /// An address of `http` or `https`, or nothing.
    Address,
}

/// A default as the table below can state it.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// See [`Value::Bool`].
    Bool(bool),
    /// See [`Value::Int`].
    Int(i64),
    /// See [`Value::Text`].
    Text(&'static str),
    /// See [`Value::List`].
    List(&'static [&'static str]),
}

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// Its dotted name.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is when the file does not say.
    pub default: Default,
    /// What it does, for people.
    pub about: &'static str,
}

/// Every setting there is.
pub const KEYS: &[Key] = &[
    Key {
        name: "terminal.engine",
        kind: Kind::Choice(&["grid", "vt100"]),
        default: Default::Text("grid"),
        about: "model of a terminal that new panes get",
    },
    Key {
        name: "terminal.scrollback_lines",
        kind: Kind::Int(0, 1_000_000),
        default: Default::Int(10_000),
        about: "lines of history a pane keeps",
    },
    Key {
        name: "host.idle_exit",
        kind: Kind::Int(1, 31_536_000),
        default: Default::Int(60),
        about: "seconds the host stays after its last program and its last client",
    },
    Key {
        name: "keeper.enabled",
        kind: Kind::Bool,
        default: Default::Bool(true),
        about: "commands that start the host start the keeper beside it, which brings panes back",
    },
    Key {
        name: "restore.start",
        kind: Kind::Choice(&["auto", "on-open", "never"]),
        default: Default::Text("auto"),
        about: "when panes of a host that is gone come back: by themselves, when their folder is opened, never",
    },
    Key {
        name: "restore.continue",
        kind: Kind::Choice(&["auto", "attended", "never"]),
        default: Default::Text("auto"),
        about: "whether an agent that was cut in a turn goes on with it: yes, while somebody is attached, never",
    },
    Key {
        name: "vault.enabled",
        kind: Kind::Bool,
        default: Default::Bool(true),
        about: "abide keeps a copy of each conversation's own file, and puts it back when its CLI deleted it",
    },
    Key {
        name: "restore.screens",
        kind: Kind::Bool,
        default: Default::Bool(true),
        about: "screens are saved, so that a restored shell begins below the old one",
    },
    Key {
        name: "ask.agent",
        kind: Kind::Agent,
        default: Default::Text(""),
        about: "agent that `abide ask` asks when none is named",
    },
    Key {
        name: "client.prefix",
        kind: Kind::Prefix,
        default: Default::Text("C-b"),
        about: "key that begins a command in the client",
    },
    Key {
        name: "client.mouse",
        kind: Kind::Bool,
        default: Default::Bool(true),
        about: "the client takes the mouse",
    },
    Key {
        name: "client.shell",
        kind: Kind::Program,
        default: Default::Text(""),
        about: "shell of new panes; empty: the user's own",
    },
    Key {
        name: "notify.on",
        kind: Kind::Words(&["needs_input", "done"]),
        default: Default::List(&["needs_input"]),
        about: "what is told when nobody looks: that a pane needs input, that a turn of 30 s or more is done",
    },
    Key {
        name: "notify.terminal",
        kind: Kind::Choice(&["auto", "osc9", "osc777", "osc99", "bell", "off"]),
        default: Default::Text("auto"),
        about: "how an attached client tells it to its own terminal",
    },
    Key {
        name: "notify.desktop",
        kind: Kind::Choice(&["auto", "off"]),
        default: Default::Text("auto"),
        about: "the keeper tells it to the desktop, where there is a session bus",
    },
    Key {
        name: "notify.command",
        kind: Kind::Command,
        default: Default::List(&[]),
        about: "command and arguments that are run for each notice",
    },
    Key {
        name: "notify.webhook",
        kind: Kind::Address,
        default: Default::Text(""),
        about: "address that each notice is posted to as JSON",
    },
    Key {
        name: "notify.text",
        kind: Kind::Bool,
        default: Default::Bool(false),
        about: "notices hold the last lines of the pane's screen",
    },
    Key {
        name: "agents.pane_environment",
        kind: Kind::Bool,
        default: Default::Bool(true),
        about: "panes get variables that let agents typed there tell which conversation they have",
    },
    Key {
        name: "env.links",
        kind: Kind::Names,
        default: Default::List(&["SSH_AUTH_SOCK"]),
        about: "variables holding a path that old panes reach through a link, refreshed at attach",
    },
    Key {
        name: "reaper.keep",
        kind: Kind::Programs,
        default: Default::List(&[]),
        about: "programs whose processes outlive a pane (sccache, adb), but not an agent's pane",
    },
];

impl Default {
    /// The default as a value.
    #[must_use]
    pub fn value(self) -> Value {
        match self {
            Self::Bool(on) => Value::Bool(on),
            Self::Int(n) => Value::Int(n),
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::List(names) => Value::List(names.iter().map(|&n| n.to_owned()).collect()),
        }
    }
}

impl Kind {
    /// What is allowed, for people; continues "must be".
    #[must_use]
    pub fn allowed(self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Int(low, high) => format!("a whole number from {low} to {high}"),
            Self::Choice([only]) => format!("\"{only}\""),
            Self::Choice(words) => format!("one of {}", quoted(words)),
            Self::Words(words) => format!("a list of {}", quoted(words)),
            Self::Command => {
                "a list of a command and its arguments, such as [\"notify-me\", \"--loud\"]"
                    .to_owned()
            }
            Self::Address => "an http or https address without a user's name, or \"\"".to_owned(),
            Self::Prefix => "one letter with Ctrl, such as \"C-b\"".to_owned(),
            Self::Program => "a program's absolute path, or \"\"".to_owned(),
            Self::Agent => "an agent's short name (`abide agents`), or \"\"".to_owned(),
            Self::Names => "a list of variable names, such as [\"SSH_AUTH_SOCK\"]".to_owned(),
            Self::Programs => {
                "a list of programs' absolute paths without `:`, such as [\"/usr/bin/adb\"]"
                    .to_owned()
            }
        }
    }

    /// Takes a TOML value; `None` when it is not allowed.
    #[must_use]
    pub fn read(self, item: &toml_edit::Value) -> Option<Value> {
        let value = match self {
            Self::Bool => Value::Bool(item.as_bool()?),
            Self::Int(..) => Value::Int(item.as_integer()?),
            Self::Names | Self::Programs | Self::Words(_) | Self::Command => {
                let names = item
                    .as_array()?
                    .iter()
                    .map(|v| v.as_str().map(str::to_owned));
                Value::List(names.collect::<Option<_>>()?)
            }
            _ => Value::Text(item.as_str()?.to_owned()),
        };
        self.allows(&value).then_some(value)
    }

    /// Takes a command-line word (a list: comma separated); `None` when it is not allowed.
    #[must_use]
    pub fn read_word(self, word: &str) -> Option<Value> {
        let value = match self {
            Self::Bool => Value::Bool(word.parse().ok()?),
            Self::Int(..) => Value::Int(word.parse().ok()?),
            Self::Names | Self::Programs | Self::Words(_) | Self::Command => {
                let names = word
                    .split(',')
                    .map(str::trim)
                    .filter(|name| !name.is_empty());
                Value::List(names.map(str::to_owned).collect())
            }
            _ => Value::Text(word.to_owned()),
        };
        self.allows(&value).then_some(value)
    }

    fn allows(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Bool, Value::Bool(_)) => true,
            (Self::Int(low, high), Value::Int(n)) => (low..=high).contains(n),
            (Self::Choice(words), Value::Text(text)) => words.contains(&text.as_str()),
            (Self::Prefix, Value::Text(text)) => is_prefix(text),
            (Self::Program, Value::Text(text)) => text.is_empty() || text.starts_with('/'),
            (Self::Agent, Value::Text(text)) => text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            (Self::Names, Value::List(names)) => names.iter().all(|name| is_variable(name)),
            (Self::Programs, Value::List(paths)) => paths.iter().all(|path| is_program(path)),
            (Self::Words(words), Value::List(some)) => {
                some.iter().all(|word| words.contains(&word.as_str()))
            }
            (Self::Command, Value::List(argv)) => is_command(argv),
            (Self::Address, Value::Text(text)) => {
                text.is_empty() || notices::Url::parse(text).is_some()
            }
            _ => false,
        }
    }
}

fn is_prefix(text: &str) -> bool {
    let mut letters = text.strip_prefix("C-").unwrap_or_default().chars();
    matches!((letters.next(), letters.next()), (Some('a'..='z'), None))
}

fn is_program(path: &str) -> bool {
    path.starts_with('/') && !path.contains([':', ',', '\0'])
}

fn is_command(argv: &[String]) -> bool {
    argv.first().is_none_or(|program| !program.is_empty())
        && argv.iter().all(|word| !word.contains('\0'))
}

fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    words.join(", ")
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(on) => write!(f, "{on}"),
            Self::Int(n) => write!(f, "{n}"),
            Self::Text(text) => f.write_str(text),
            Self::List(names) => f.write_str(&names.join(",")),
        }
    }
}

impl Value {
    /// As JSON.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Bool(on) => (*on).into(),
            Self::Int(n) => (*n).into(),
            Self::Text(text) => text.as_str().into(),
            Self::List(names) => names.as_slice().into(),
        }
    }
}
