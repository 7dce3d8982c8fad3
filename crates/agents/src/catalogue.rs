//! Every CLI abide knows of: the built-in files and the user's own over them.
//!
//! In: `agents/*.toml` below the config folder. Out: specs in a fixed order (built-in ones first, then
//! the user's by name), and a line for each file or key that was left out. Promises: a user's file that
//! cannot be used leaves the built-in one standing; at most 200 files of at most 256 KiB are read.

use crate::read::{Fault, ReadError, check};
use crate::spec::{Origin, Spec};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

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
        Self::default().load_again(folder)
    }

    /// The same anew, `self` being what was read before: what a file said that cannot be used any more stays.
    #[must_use]
    pub fn load_again(&self, folder: &Path) -> Loaded {
        let mut loaded = Loaded {
            catalogue: Self::built_in(),
            left_out: Vec::new(),
        };
        let paths = match files(folder, &mut loaded.left_out) {
            Ok(paths) => paths,
            Err(error) => {
                let why = sys::files::plain(&error);
                let line = format!("{} cannot be read: {why}{STAYS}", folder.display());
                loaded.left_out.push(line);
                self.specs.iter().filter_map(file_of).cloned().collect()
            }
        };
        for path in paths {
            match check_file(&path) {
                Ok((spec, faults)) => {
                    let told = faults
                        .iter()
                        .map(|fault| format!("{}: {fault}", path.display()));
                    loaded.left_out.extend(told);
                    loaded.catalogue.put(spec, &mut loaded.left_out);
                }
                Err(error) => self.unusable(&path, &error, &mut loaded),
            }
        }
        loaded
    }

    fn unusable(&self, path: &Path, error: &ReadError, loaded: &mut Loaded) {
        let former = self
            .specs
            .iter()
            .find(|spec| file_of(spec).is_some_and(|it| it == path));
        let what = match former {
            Some(_) => STAYS,
            None => "; the file is not used",
        };
        loaded.left_out.push(format!("{error}{what}"));
        if let Some(former) = former {
            loaded.catalogue.put(former.clone(), &mut loaded.left_out);
        }
    }

    /// What of another catalogue is not in this one as it is there, and the other way round, in words.
    #[must_use]
    pub fn news(&self, before: &Self) -> Vec<String> {
        let new = self
            .specs
            .iter()
            .filter_map(|spec| match before.get(&spec.name) {
                Some(same) if same == spec => None,
                Some(_) => Some(format!("`{}` changed", spec.name)),
                None => Some(format!("`{}` is new", spec.name)),
            });
        let gone = before
            .specs
            .iter()
            .filter(|it| self.get(&it.name).is_none());
        new.chain(gone.map(|it| format!("`{}` is gone", it.name)))
            .collect()
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

/// Said of a file that could be used before.
const STAYS: &str = "; what it said before counts on";

/// The user's file a CLI comes from.
const fn file_of(spec: &Spec) -> Option<&PathBuf> {
    match &spec.origin {
        Origin::User(path) | Origin::Changed(path) => Some(path),
        Origin::BuiltIn => None,
    }
}

/// What tells that data files changed: which there are, how long each is, when each was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl Stamp {
    /// That of the files in `folder` as they are. One look at each, nothing is read.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let look = |path: PathBuf| {
            let meta = std::fs::metadata(&path).ok();
            let seen = meta.and_then(|it| Some((it.modified().ok()?, it.len())));
            (path, seen)
        };
        let paths = files(folder, &mut Vec::new()).unwrap_or_default();
        Self(paths.into_iter().map(look).collect())
    }
}

/// The data files of `folder`, by name.
fn files(folder: &Path, left_out: &mut Vec<String>) -> std::io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
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
    Ok(paths)
}
