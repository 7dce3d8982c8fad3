//! Where a conversation lies on disk. Pure but for [`look_up`], which reads folders.
//!
//! In: the CLI's path templates, an id, the folder it ran in, the pane's environment. Out: patterns
//! in which a `*` stands for part of one name. Promises: an id that could leave the folder gives no
//! pattern; a look-up is bounded and follows the pattern alone.

mod captured;

pub(crate) use captured::captured;

use crate::resume::bad_id;
use crate::spec::Spec;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The places a template may hold.
pub(crate) const PLACES: &[&str] = &[
    "home",
    "id",
    "id8",
    "pid",
    "folder:dashes",
    "folder:slashes",
    "folder:percent",
];

/// Folder entries one look-up reads at most; more is no conversation store.
const MAX_ENTRIES: usize = 50_000;
/// Paths one look-up gives at most.
const MAX_FOUND: usize = 16;

/// One name of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Name(OsString),
    /// Text between stars.
    Stars(Vec<String>),
}

/// A path in which names may hold `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    root: PathBuf,
    parts: Vec<Part>,
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut path = self.root.clone();
        for part in &self.parts {
            match part {
                Part::Name(name) => path.push(name),
                Part::Stars(texts) => path.push(texts.join("*")),
            }
        }
        write!(f, "{}", path.display())
    }
}

/// The account's folder of this CLI under `env`; `None` when it states none or no home is known. A
/// variable counts only with an absolute path, as the CLIs' own do.
#[must_use]
pub fn home(spec: &Spec, env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = spec.home.as_ref()?;
    let moved = home.variable.as_deref().and_then(env).map(PathBuf::from);
    let folder = match moved.filter(|path| path.is_absolute()) {
        Some(path) => path,
        None => match home.default.strip_prefix('~') {
            Some(rest) => PathBuf::from(env("HOME")?).join(rest.trim_start_matches('/')),
            None => PathBuf::from(&home.default),
        },
    };
    Some(if home.below.is_empty() {
        folder
    } else {
        folder.join(&home.below)
    })
}

/// Where conversation `id` of a CLI that ran in `folder` lies, most exact first; empty when the CLI
/// states no paths, the id is none of its ids, or no home is known.
#[must_use]
pub fn conversation_paths(
    spec: &Spec,
    id: &str,
    folder: &Path,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<Pattern> {
    if bad_id(spec, id).is_some() {
        return Vec::new();
    }
    let home = home(spec, env);
    let pattern = |template: &String| {
        let (root, rest) = match template.strip_prefix("{home}/") {
            Some(rest) => (home.clone()?, rest),
            None => (PathBuf::from("/"), template.strip_prefix('/')?),
        };
        let parts = rest.split('/').map(|part| expand(part, id, folder));
        Some(Pattern {
            root,
            parts: parts.collect::<Option<_>>()?,
        })
    };
    spec.conversations
        .paths
        .iter()
        .filter_map(pattern)
        .collect()
}

fn expand(part: &str, id: &str, folder: &Path) -> Option<Part> {
    let mut text = part
        .replace("{id8}", id.get(..8).unwrap_or(id))
        .replace("{id}", id);
    for (place, encode) in ENCODINGS {
        if text.contains(place) {
            text = text.replace(place, &encode(folder.to_str()?));
        }
    }
    if part.contains('*') {
        return Some(Part::Stars(text.split('*').map(str::to_owned).collect()));
    }
    Some(Part::Name(text.into()))
}

type Encoding = (&'static str, fn(&str) -> String);

const ENCODINGS: &[Encoding] = &[
    ("{folder:dashes}", dashes),
    ("{folder:slashes}", slashes),
    ("{folder:percent}", percent),
];

/// Everything but ASCII letters and digits as `-`, counted as JavaScript counts characters.
fn dashes(folder: &str) -> String {
    let mut text = String::new();
    for c in folder.chars() {
        match c.is_ascii_alphanumeric() {
            true => text.push(c),
            false => text.push_str(&"-".repeat(c.len_utf16())),
        }
    }
    text
}

/// `/` as `-`, the rest as it is.
fn slashes(folder: &str) -> String {
    folder.replace('/', "-")
}

/// As in a web address.
fn percent(folder: &str) -> String {
    let mut text = String::new();
    for byte in folder.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) => text.push(char::from(b)),
            b => text.push_str(&format!("%{b:02X}")),
        }
    }
    text
}

/// Whose conversation a name in a conversations' folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The one asked about.
    Own,
    /// Another one.
    Other,
}

/// What `name` is beside conversation `id`; `None`: no conversation of this CLI.
pub(crate) fn place(spec: &Spec, id: &str, name: &OsStr) -> Option<Place> {
    match (names(spec, id, name), names(spec, "*", name)) {
        (true, _) => Some(Place::Own),
        (false, true) => Some(Place::Other),
        (false, false) => None,
    }
}

/// Whether a conversation `id` lies under this name; `*` is any id.
pub(crate) fn names(spec: &Spec, id: &str, name: &OsStr) -> bool {
    let fits_last = |template: &String| {
        let last = template.rsplit('/').next().unwrap_or_default();
        let id8 = id.get(..8).unwrap_or(id);
        let last = last.replace("{id8}", id8).replace("{id}", id);
        let texts: Vec<String> = last.split('*').map(str::to_owned).collect();
        match texts.as_slice() {
            [whole] => name == whole.as_str(),
            texts => fits(name, texts),
        }
    };
    spec.conversations.paths.iter().any(fits_last)
}

/// The places of `template` that mean nothing.
pub(crate) fn unknown_places(template: &str) -> Vec<&str> {
    let opened = template.split('{').skip(1);
    let names = opened.map(|rest| rest.split('}').next().unwrap_or_default());
    names.filter(|name| !PLACES.contains(name)).collect()
}

/// The path of conversation `id` where a template without `*` leads to one that is there. Reads no
/// folder, so it is cheap enough for every look.
pub(crate) fn exact(
    spec: &Spec,
    id: &str,
    folder: &Path,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let named = |pattern: Pattern| {
        let mut path = pattern.root;
        for part in pattern.parts {
            match part {
                Part::Name(name) => path.push(name),
                Part::Stars(_) => return None,
            }
        }
        path.exists().then_some(path)
    };
    let patterns = conversation_paths(spec, id, folder, env);
    patterns.into_iter().find_map(named)
}

/// All that lies where `template` leads for any id in `folder`; at most as many as one look-up reads.
pub(crate) fn recent_pattern(template: &str, home: &Path, folder: &Path) -> Vec<PathBuf> {
    let Some(rest) = template.strip_prefix("{home}/") else {
        return Vec::new();
    };
    let any = |part: &str| expand(&part.replace("{id8}", "*").replace("{id}", "*"), "", folder);
    let Some(parts) = rest.split('/').map(any).collect() else {
        return Vec::new();
    };
    walk(&Pattern {
        root: home.to_owned(),
        parts,
    })
}

/// What lies at `pattern` now: at most 16 paths, sorted. Folders that cannot be read hold nothing.
#[must_use]
pub fn look_up(pattern: &Pattern) -> Vec<PathBuf> {
    let mut found = walk(pattern);
    found.sort();
    found.truncate(MAX_FOUND);
    found
}

fn walk(pattern: &Pattern) -> Vec<PathBuf> {
    let mut budget = MAX_ENTRIES;
    let mut found = vec![pattern.root.clone()];
    for part in &pattern.parts {
        let mut next: Vec<PathBuf> = Vec::new();
        for folder in found {
            match part {
                Part::Name(name) => next.push(folder.join(name)),
                Part::Stars(texts) => matching(&folder, texts, &mut budget, &mut next),
            }
        }
        found = next;
    }
    found.retain(|path| path.exists());
    found
}

fn matching(folder: &Path, texts: &[String], budget: &mut usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.take(*budget).filter_map(Result::ok) {
        *budget = budget.saturating_sub(1);
        if fits(&entry.file_name(), texts) {
            found.push(entry.path());
        }
    }
}

/// Whether `name` is the texts with anything between them.
pub(crate) fn fits(name: &OsStr, texts: &[String]) -> bool {
    let (Some(mut rest), [first, middle @ .., last]) = (name.to_str(), texts) else {
        return false;
    };
    let Some(tail) = rest.strip_prefix(first.as_str()) else {
        return false;
    };
    rest = tail;
    for text in middle {
        let Some((_, tail)) = rest.split_once(text.as_str()) else {
            return false;
        };
        rest = tail;
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_part_of_a_name() {
        let check = |name: &str, pattern: &str, right: bool| {
            let texts: Vec<String> = pattern.split('*').map(str::to_owned).collect();
            assert_eq!(fits(OsStr::new(name), &texts), right, "{name} {pattern}");
        };
        check("rollout-2026-x-abc.jsonl", "rollout-*-abc.jsonl", true);
        check("rollout-abc.jsonl", "rollout-*-abc.jsonl", false);
        check("anything", "*", true);
        check("aXbXc", "a*b*c", true);
        check("aXc", "a*b*c", false);
        check("ac", "a*c", true);
        check("a", "a*a", false);
    }

    #[test]
    fn folders_are_written_as_each_cli_writes_them() {
        let check = |folder: &str, dashed: &str, slashed: &str, percented: &str| {
            assert_eq!(dashes(folder), dashed);
            assert_eq!(slashes(folder), slashed);
            assert_eq!(percent(folder), percented);
        };
        check(
            "/home/u/my.app",
            "-home-u-my-app",
            "-home-u-my.app",
            "%2Fhome%2Fu%2Fmy.app",
        );
        check("/é 😀", "-----", "-é 😀", "%2F%C3%A9%20%F0%9F%98%80");
    }

    #[test]
    fn a_name_is_one_conversations_or_anothers() {
        let catalogue = crate::Catalogue::built_in();
        let check = |cli: &str, id: &str, name: &str, want: Option<Place>| {
            let spec = catalogue.get(cli).unwrap();
            assert_eq!(place(spec, id, OsStr::new(name)), want, "{cli} {name}");
        };
        let id = "0a1b2c3d-0000-4000-8000-000000000001";
        let other = "99999999-0000-4000-8000-000000000001";
        let chat = |id8: &str| format!("session-2026-12-01T00-57-{id8}.jsonl");
        check("gemini", id, &chat("0a1b2c3d"), Some(Place::Own));
        check("gemini", id, &chat("99999999"), Some(Place::Other));
        check("gemini", id, "logs.json", None);
        let (own, rest) = (format!("session_{id}"), format!("session_{other}"));
        check("kimi", &own, &own, Some(Place::Own));
        check("kimi", &own, &rest, Some(Place::Other));
    }

    #[test]
    fn unknown_places_are_seen() {
        assert!(unknown_places("{home}/x/{folder:dashes}/{id}.jsonl").is_empty());
        assert_eq!(unknown_places("{home}/{cwd}/{id"), ["cwd"]);
    }
}
