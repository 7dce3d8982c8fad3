//! Settings: `config.toml`, read once into plain typed values.
//!
//! In: the file's text (none: the defaults). Out: [`Config`] and one line for each key this build
//! does not know. Promises: [`keys::KEYS`] is the only list of settings there is; a value that is
//! not allowed is an error that names file, key and what is allowed, never a silent default.

mod edit;
pub mod keys;

#[cfg(test)]
mod tests;

pub use edit::with_value;
pub use keys::{KEYS, Key, Value};

use std::path::{Path, PathBuf};
use std::time::Duration;
use toml_edit::DocumentMut;

/// A larger file is not settings.
const MAX_BYTES: u64 = 1024 * 1024;

/// Every setting, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    values: Vec<Value>,
    /// Keys in the file that this build does not know, one line each.
    pub unknown: Vec<String>,
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        why: String,
    },
    /// It is not TOML.
    #[error("{} is not valid TOML: {why}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line and reason.
        why: String,
    },
    /// A value is not allowed.
    #[error("{}: `{key}` is {found}, but must be {allowed}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// What stands there.
        found: String,
        /// What may stand there.
        allowed: String,
    },
    /// There is no such setting.
    #[error("there is no setting `{0}`; `abide config get` lists them")]
    NoKey(String),
}

impl Default for Config {
    fn default() -> Self {
        Self {
            values: KEYS.iter().map(|key| key.default.value()).collect(),
            unknown: Vec::new(),
        }
    }
}

impl Config {
    /// Reads the file; without one, the defaults.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::parse(&read(path)?, path)
    }

    /// Reads settings from `text`; `path` is for messages.
    ///
    /// # Errors
    /// [`ConfigError::Syntax`], [`ConfigError::Value`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let document = parse_document(text, path)?;
        let mut config = Self::default();
        for (name, item) in flatten(&document) {
            let Some(at) = KEYS.iter().position(|key| key.name == name) else {
                config
                    .unknown
                    .push(format!("{}: unknown key `{name}`", path.display()));
                continue;
            };
            let key = &KEYS[at];
            config.values[at] = key.kind.read(&item).ok_or_else(|| ConfigError::Value {
                path: path.to_owned(),
                key: key.name,
                found: item.to_string().trim().to_owned(),
                allowed: key.kind.allowed(),
            })?;
        }
        Ok(config)
    }

    /// The value of a setting by its dotted name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        KEYS.iter()
            .position(|key| key.name == name)
            .map(|at| &self.values[at])
    }

    /// A line for each program that is named and cannot be run. Told where settings are written and
    /// checked, not where they are read: whoever ends a pane has no need of a shell.
    #[must_use]
    pub fn missing_programs(&self) -> Vec<String> {
        let named = self
            .all()
            .filter_map(|(key, value)| match (key.kind, value) {
                (keys::Kind::Program, Value::Text(path)) if !path.is_empty() => Some((key, path)),
                _ => None,
            });
        named
            .filter(|(_, path)| !sys::files::is_program(Path::new(path)))
            .map(|(key, path)| {
                let name = key.name;
                format!("`{name}` is {path:?}, which is no file that can be executed")
            })
            .collect()
    }

    /// Every setting with its value, in the order of [`KEYS`].
    pub fn all(&self) -> impl Iterator<Item = (&'static Key, &Value)> {
        KEYS.iter().zip(&self.values)
    }

    fn int(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Value::Int(n)) => u64::try_from(*n).unwrap_or_default(),
            _ => 0,
        }
    }

    fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    fn list(&self, name: &str) -> &[String] {
        match self.get(name) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }

    /// Lines of scrollback a pane keeps.
    #[must_use]
    pub fn scrollback_lines(&self) -> usize {
        usize::try_from(self.int("terminal.scrollback_lines")).unwrap_or(usize::MAX)
    }

    /// Which model of a terminal panes get.
    #[must_use]
    pub fn engine(&self) -> &str {
        self.text("terminal.engine")
    }

    /// How long an idle host stays.
    #[must_use]
    pub fn idle_exit(&self) -> Duration {
        Duration::from_secs(self.int("host.idle_exit"))
    }

    /// Whoever starts the host starts a keeper beside it.
    #[must_use]
    pub fn keeper_enabled(&self) -> bool {
        matches!(self.get("keeper.enabled"), Some(Value::Bool(true)))
    }

    /// When what was there is started again.
    #[must_use]
    pub fn restore_start(&self) -> restore::record::Start {
        restore::record::Start::read(self.text("restore.start")).unwrap_or_default()
    }

    /// Whether turns that were cut go on.
    #[must_use]
    pub fn restore_continue(&self) -> restore::record::GoOn {
        restore::record::GoOn::read(self.text("restore.continue")).unwrap_or_default()
    }

    /// Copies of conversations are kept.
    #[must_use]
    pub fn vault(&self) -> bool {
        matches!(self.get("vault.enabled"), Some(Value::Bool(true)))
    }

    /// Who is told that a pane waits, clients' terminals apart.
    #[must_use]
    pub fn notify(&self) -> keeper::Notify {
        let on = self.list("notify.on");
        keeper::Notify {
            needs_input: on.iter().any(|it| it == "needs_input"),
            done: on.iter().any(|it| it == "done"),
            text: matches!(self.get("notify.text"), Some(Value::Bool(true))),
            desktop: self.text("notify.desktop") == "auto",
            command: self.list("notify.command").to_vec(),
            webhook: self.text("notify.webhook").to_owned(),
        }
    }

    /// How a client tells its terminal.
    #[must_use]
    pub fn notify_terminal(&self) -> client::Tell {
        match self.text("notify.terminal") {
            "osc9" => client::Tell::Osc9,
            "osc777" => client::Tell::Osc777,
            "osc99" => client::Tell::Osc99,
            "bell" => client::Tell::Bell,
            "off" => client::Tell::Off,
            _ => client::Tell::Auto,
        }
    }

    /// Screens are saved.
    #[must_use]
    pub fn screens(&self) -> bool {
        matches!(self.get("restore.screens"), Some(Value::Bool(true)))
    }

    /// The client's prefix key, as `abide send --keys` names keys.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.text("client.prefix")
    }

    /// The client takes the mouse.
    #[must_use]
    pub fn mouse(&self) -> bool {
        matches!(self.get("client.mouse"), Some(Value::Bool(true)))
    }

    /// Panes get the variables that let agents tell of themselves.
    #[must_use]
    pub fn pane_environment(&self) -> bool {
        matches!(self.get("agents.pane_environment"), Some(Value::Bool(true)))
    }

    /// The agent that is asked when none is named; empty: none.
    #[must_use]
    pub fn ask_agent(&self) -> &str {
        self.text("ask.agent")
    }

    /// The shell new panes run; empty: the user's.
    #[must_use]
    pub fn shell(&self) -> &str {
        self.text("client.shell")
    }

    /// Tools that outlive the panes they were started in, agents' panes apart.
    #[must_use]
    pub fn keep(&self) -> &[String] {
        self.list("reaper.keep")
    }

    /// Variables whose paths old panes reach through a link that each attach refreshes.
    #[must_use]
    pub fn links(&self) -> &[String] {
        self.list("env.links")
    }
}

/// The file's text; empty when there is no file.
///
/// # Errors
/// [`ConfigError::File`].
pub fn read(path: &Path) -> Result<String, ConfigError> {
    if !path.exists() {
        return Ok(String::new());
    }
    let fail = |why: String| ConfigError::File {
        path: path.to_owned(),
        why,
    };
    let bytes = sys::files::read_bounded(path, MAX_BYTES).map_err(|e| fail(e.to_string()))?;
    String::from_utf8(bytes).map_err(|_| fail("is not UTF-8 text".to_owned()))
}

fn parse_document(text: &str, path: &Path) -> Result<DocumentMut, ConfigError> {
    text.parse()
        .map_err(|e: toml_edit::TomlError| ConfigError::Syntax {
            path: path.to_owned(),
            why: e.to_string().lines().next().unwrap_or_default().to_owned(),
        })
}

/// Every value with its dotted name; an empty table has none.
fn flatten(document: &DocumentMut) -> Vec<(String, toml_edit::Value)> {
    fn walk(
        prefix: &str,
        table: &dyn toml_edit::TableLike,
        found: &mut Vec<(String, toml_edit::Value)>,
    ) {
        for (name, item) in table.iter() {
            let name = if prefix.is_empty() {
                name.to_owned()
            } else {
                format!("{prefix}.{name}")
            };
            if let Some(table) = item.as_table_like() {
                walk(&name, table, found);
            } else if let Some(value) = item.as_value() {
                found.push((name, value.clone()));
            } else if item.is_array_of_tables() {
                found.push((name, toml_edit::Array::new().into()));
            }
        }
    }
    let mut found = Vec::new();
    walk("", document.as_table(), &mut found);
    found
}
