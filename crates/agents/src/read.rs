//! A data file's text into a [`Spec`], with every fault named by file, key and what is allowed.
//!
//! In: text, a path for messages, the built-in file of the same name if there is one. Out: the spec
//! and its faults. A fault that leaves a usable spec (an unknown key) is a warning; any other means
//! the file is not used. Pure; [`crate::Catalogue`] reads files.

mod sense;

use crate::keys::{self, Found};
use crate::spec::{Origin, Spec};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The dotted key.
    pub key: String,
    /// What is wrong and what is allowed, for people.
    pub what: String,
    /// The file is used all the same.
    pub warning: bool,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] sys::files::FileError),
    /// It is not TOML.
    #[error("{} is not valid TOML: {why}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line and reason.
        why: String,
    },
    /// It states what cannot be.
    #[error("{}: {}", path.display(), list(faults))]
    Faults {
        /// The file.
        path: PathBuf,
        /// Each fault.
        faults: Vec<Fault>,
    },
}

fn list(faults: &[Fault]) -> String {
    let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
    lines.join("; ")
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` {}", self.key, self.what)
    }
}

/// Reads one file. `below` gives the built-in file's text for a name; the file is laid over it, table
/// by table, and a list replaces a list. The faults that come back are warnings.
///
/// # Errors
/// [`ReadError::Syntax`], [`ReadError::Faults`].
pub fn check(
    text: &str,
    path: &Path,
    below: impl Fn(&str) -> Option<&'static str>,
) -> Result<(Spec, Vec<Fault>), ReadError> {
    let table = parse(text, path)?;
    let mut faults = Vec::new();
    walk(&table, &mut Vec::new(), &mut faults);
    refuse(path, &faults)?;
    let name = table
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let (table, origin) = match below(name) {
        Some(text) => {
            let mut base = parse(text, path)?;
            lay_over(&mut base, table);
            (base, Origin::Changed(path.to_owned()))
        }
        None => (table, Origin::User(path.to_owned())),
    };
    let mut spec: Spec = table
        .try_into()
        .map_err(|e: toml::de::Error| ReadError::Syntax {
            path: path.to_owned(),
            why: e.message().to_owned(),
        })?;
    spec.origin = origin;
    sense::check(&spec, &mut faults);
    refuse(path, &faults)?;
    Ok((spec, faults))
}

fn parse(text: &str, path: &Path) -> Result<Table, ReadError> {
    text.parse::<Table>().map_err(|e| ReadError::Syntax {
        path: path.to_owned(),
        why: place(text, &e),
    })
}

/// "line 3: reason".
fn place(text: &str, error: &toml::de::Error) -> String {
    let Some(span) = error.span() else {
        return error.message().to_owned();
    };
    let before = text.get(..span.start).unwrap_or_default();
    format!(
        "line {}: {}",
        before.matches('\n').count() + 1,
        error.message()
    )
}

fn refuse(path: &Path, faults: &[Fault]) -> Result<(), ReadError> {
    if faults.iter().all(|fault| fault.warning) {
        return Ok(());
    }
    Err(ReadError::Faults {
        path: path.to_owned(),
        faults: faults.to_vec(),
    })
}

/// Measures every value against the list of keys.
fn walk<'a>(table: &'a Table, above: &mut Vec<&'a str>, faults: &mut Vec<Fault>) {
    for (name, value) in table {
        above.push(name);
        match (keys::find(above), value) {
            (Found::Table, Value::Table(inner)) => walk(inner, above, faults),
            (Found::Tables, Value::Array(items)) if items.iter().all(Value::is_table) => {
                for inner in items.iter().filter_map(Value::as_table) {
                    walk(inner, above, faults);
                }
            }
            (Found::Value(kind), value) if kind.allows(value) => {}
            (found, value) => faults.push(misfit(above, found, value)),
        }
        above.pop();
    }
}

fn misfit(path: &[&str], found: Found, value: &Value) -> Fault {
    let shown = shown(value);
    let (what, warning) = match found {
        Found::Value(kind) => (format!("is {shown}, but must be {}", kind.allowed()), false),
        Found::Table => (
            format!("is {shown}, but must be a table: [{}]", path.join(".")),
            false,
        ),
        Found::Tables => (
            format!(
                "is {shown}, but must be a list of tables: [[{}]]",
                path.join(".")
            ),
            false,
        ),
        Found::Unknown => {
            let known = keys::siblings(path);
            let name = path.last().copied().unwrap_or_default();
            if let Some(near) = known.iter().find(|known| is_near(name, known)) {
                return Fault {
                    key: path.join("."),
                    what: format!("is not known and was left out; did you mean `{near}`?"),
                    warning: true,
                };
            }
            let names = known.join(", ");
            (
                format!("is not known and was left out; known here: {names}"),
                true,
            )
        }
    };
    Fault {
        key: path.join("."),
        what,
        warning,
    }
}

/// One letter more, less, other, or two of them swapped.
fn is_near(name: &str, known: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (name.chars().collect(), known.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    let rest = |list: &[char], from: usize| list.get(from..).unwrap_or_default().to_vec();
    let swapped = a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0];
    rest(a, 1) == b
        || a == rest(b, 1)
        || rest(a, 1) == rest(b, 1)
        || (swapped && rest(a, 2) == rest(b, 2))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let cut: String = text.chars().take(60).collect();
            format!("\"{cut}{}\"", if cut == text { "" } else { "…" })
        }
        Value::Integer(n) => n.to_string(),
        Value::Float(n) => n.to_string(),
        Value::Boolean(on) => on.to_string(),
        Value::Datetime(_) => "a date".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}

fn lay_over(base: &mut Table, over: Table) {
    for (name, value) in over {
        match (base.get_mut(&name), value) {
            (Some(Value::Table(inner)), Value::Table(new)) => lay_over(inner, new),
            (_, value) => {
                base.insert(name, value);
            }
        }
    }
}
