//! Every CLI abide knows of: the built-in files and the user's own over them.
//!
//! In: `agents/*.toml` below the config folder. Out: specs in a fixed order (built-in ones first, then
//! the user's by name), and a line for each file or key that was left out. Promises: a user's file that
//! cannot be used leaves the built-in one standing; at most 200 files of at most 256 KiB are read.

use crate::read::{Fault, ReadError, check};
use crate::spec::{Origin, Spec};
use std::path::{Path, PathBuf};

/// Larger is no data file.
const MAX_BYTES: u64 = 256 * 1024;
/// More is no folder of data files.
const MAX_FILES: usize = 200;

/// Name and text of each built-in file, in the order they are asked in.
pub(crate) const BUILT_IN: &[(&str, &str)] = &[
    ("claude", include_str!("../data/claude.toml")),
    ("codex", include_str!("../data/codex.toml")),
    ("gemini", include_str!("../data/gemini.toml")),
    ("opencode", include_str!("../data/opencode.toml")),
    ("qwen", include_str!("../data/qwen.toml")),
    ("kimi", include_str!("../data/kimi.toml")),
    ("hermes", include_str!("../data/hermes.toml")),
    ("copilot", include_str!("../data/copilot.toml")),
    ("cursor", include_str!("../data/cursor.toml")),
    ("codebuddy", include_str!("../data/codebuddy.toml")),
    ("openclaw", include_str!("../data/openclaw.toml")),
    ("amp", include_str!("../data/amp.toml")),
    ("goose", include_str!("../data/goose.toml")),
    ("droid", include_str!("../data/droid.toml")),
    ("kiro", include_str!("../data/kiro.toml")),
    ("grok", include_str!("../data/grok.toml")),
    ("ask", include_str!("../data/ask.toml")),
];

/// The text of a built-in file, to begin one's own from.
#[must_use]
pub fn built_in(name: &str) -> Option<&'static str> {
    let found = BUILT_IN.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

/// Every CLI that is known.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    specs: Vec<Spec>,
}

/// A catalogue and what was left out of it.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The CLIs.
    pub catalogue: Catalogue,
    /// One line for each file or key that was left out.
    pub left_out: Vec<String>,
}

impl Catalogue {
    /// The built-in CLIs.
    #[must_use]
    pub fn built_in() -> Self {
        // Not looked over key by key as a user's file is: a test does that, and every start of a client
        // would pay 3 ms for it.
        let read = |(_, text): &(&str, &str)| {
            let mut spec: Spec = toml::from_str(text).ok()?;
            spec.origin = Origin::BuiltIn;
            Some(spec)
        };
        Self {
            specs: BUILT_IN.iter().filter_map(read).collect(),
        }
    }

    /// The built-in CLIs with the files of `folder` over them. Without the folder: the built-in ones.
    #[must_use]
    pub fn load(folder: &Path) -> Loaded {
        let mut loaded = Loaded {
            catalogue: Self::built_in(),
            left_out: Vec::new(),
        };
        for path in files(folder, &mut loaded.left_out) {
            match check_file(&path) {
                Ok((spec, faults)) => {
                    let told = faults
                        .iter()
                        .map(|fault| format!("{}: {fault}", path.display()));
                    loaded.left_out.extend(told);
                    loaded.catalogue.put(spec, &mut loaded.left_out);
                }
                Err(error) => loaded
                    .left_out
                    .push(format!("{error}; the file is not used")),
            }
        }
        loaded
    }

    fn put(&mut self, spec: Spec, left_out: &mut Vec<String>) {
        let at = self.specs.iter().position(|known| known.name == spec.name);
        match at.and_then(|at| self.specs.get_mut(at)) {
            Some(known) if known.origin == Origin::BuiltIn => *known = spec,
            Some(known) => {
                let (Origin::User(path) | Origin::Changed(path)) = &spec.origin else {
                    return;
                };
                let name = &known.name;
                left_out.push(format!(
                    "{}: `{name}` is stated in another file already; the file is not used",
                    path.display()
                ));
            }
            None => self.specs.push(spec),
        }
    }

    /// All of them.
    pub fn specs(&self) -> impl Iterator<Item = &Spec> {
        self.specs.iter()
    }

    /// Everybody else's: without abide's own runner, which `abide ask` starts.
    pub fn others(&self) -> impl Iterator<Item = &Spec> {
        self.specs().filter(|spec| spec.name != "ask")
    }

    /// The CLI of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Spec> {
        self.specs.iter().find(|spec| spec.name == name)
    }
}

/// Reads and checks one file, laid over the built-in one of its name. What comes back beside the spec
/// are warnings.
///
/// # Errors
/// [`ReadError`].
pub fn check_file(path: &Path) -> Result<(Spec, Vec<Fault>), ReadError> {
    // A folder of dotfiles may hold the file and a link stand here.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let bytes = sys::files::read_bounded(&real, MAX_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| ReadError::Syntax {
        path: path.to_owned(),
        why: "it is not UTF-8".to_owned(),
    })?;
    check(&text, path, built_in)
}

/// The data files of `folder`, by name.
fn files(folder: &Path, left_out: &mut Vec<String>) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    if paths.len() > MAX_FILES {
        left_out.push(format!(
            "{}: only the first {MAX_FILES} files are read",
            folder.display()
        ));
        paths.truncate(MAX_FILES);
    }
    paths
}
