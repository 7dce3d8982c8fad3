//! The tree keeps its own rules: headers, lengths, borders between crates, finished words.
//!
//! A rule stands here when a reader relies on it. Each test collects every breach before it fails.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

/// Longest source file, in lines, its test module not counted.
const FENCE: usize = 400;

struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The part before an inline test module.
    fn code(&self) -> &str {
        let end = self
            .text
            .find("\n#[cfg(test)]\nmod ")
            .unwrap_or(self.text.len());
        &self.text[..end]
    }

    fn is_test(&self) -> bool {
        let name = self.path.file_name().is_some_and(|n| n == "tests.rs");
        name || self.path.components().any(|c| c.as_os_str() == "tests")
    }

    fn is_in(&self, folder: &str) -> bool {
        self.path.starts_with(root().join(folder))
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn collect(folder: &Path, found: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            if !["target", "corpus", "artifacts"]
                .iter()
                .any(|n| entry.file_name() == *n)
            {
                collect(&path, found);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("source is UTF-8");
            found.push(Source { path, text });
        }
    }
}

/// Every Rust file of the project.
fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for folder in ["src", "crates", "tests", "benches", "fuzz"] {
        collect(&root().join(folder), &mut found);
    }
    assert!(found.len() > 30, "the sources were not found");
    found
}

/// Fails with every breach, a line each.
fn check(rule: &str, breaches: impl Iterator<Item = String>) {
    let breaches: Vec<_> = breaches.collect();
    assert!(breaches.is_empty(), "{rule}:\n{}", breaches.join("\n"));
}

/// The lines of `text` that hold one of the words, as `path:line: text`.
fn lines_with<'a>(source: &'a Source, text: &'a str, words: &'a [String]) -> Vec<String> {
    let hits = text
        .lines()
        .enumerate()
        .filter(|(_, l)| words.iter().any(|w| l.contains(w.as_str())));
    hits.map(|(i, l)| format!("{}:{}: {}", source.path.display(), i + 1, l.trim()))
        .collect()
}

/// Words put together here, so that this file does not hold them.
fn words(pairs: &[(&str, &str)]) -> Vec<String> {
    pairs.iter().map(|(a, b)| format!("{a}{b}")).collect()
}

#[test]
fn every_module_says_what_it_is() {
    let bare = |s: &Source| !s.text.starts_with("//! ");
    check(
        "no `//!` header",
        sources()
            .iter()
            .filter(|s| bare(s))
            .map(|s| s.path.display().to_string()),
    );
}

#[test]
fn files_hold_one_idea() {
    let long = sources()
        .into_iter()
        .filter(|s| !s.is_test())
        .filter_map(|s| {
            let lines = s.code().lines().count();
            (lines > FENCE).then(|| format!("{}: {lines} lines", s.path.display()))
        });
    check("over the fence", long);
    let main = fs::read_to_string(root().join("src/main.rs")).expect("src/main.rs");
    assert!(
        main.lines().count() <= 40,
        "src/main.rs is a table of contents"
    );
}

#[test]
fn tests_wait_for_events() {
    let word = words(&[("sleep", "(")]);
    let naps = sources()
        .into_iter()
        .filter(|s| !s.is_in("crates/testkit"))
        .flat_map(|s| {
            let text = if s.is_test() {
                &s.text[..]
            } else {
                &s.text[s.code().len()..]
            };
            lines_with(&s, text, &word)
        });
    check("a test sleeps", naps);
}

#[test]
fn nothing_is_unfinished() {
    let word = words(&[
        ("TO", "DO"),
        ("FIX", "ME"),
        ("XX", "X:"),
        ("todo", "!("),
        ("unimplemented", "!("),
        ("allow(dead", "_code"),
        ("#[ign", "ore"),
    ]);
    check(
        "unfinished",
        sources().iter().flat_map(|s| lines_with(s, &s.text, &word)),
    );
}

#[test]
fn unsafe_code_lives_in_sys_and_the_small_reaper_alone() {
    let word = words(&[
        ("unsafe", " {"),
        ("unsafe", " fn"),
        ("unsafe", " impl"),
        ("unsafe", " extern"),
    ]);
    let may = |s: &Source| s.is_in("crates/sys") || s.is_in("crates/reaper/small");
    let outside = sources().into_iter().filter(|s| !may(s));
    check(
        "unsafe code",
        outside.flat_map(|s| lines_with(&s, &s.text, &word)),
    );
    let roots = sources()
        .into_iter()
        .filter(|s| s.path.ends_with("src/lib.rs"));
    let open =
        roots.filter(|s| !s.is_in("crates/sys") && !s.text.contains("#![forbid(unsafe_code)]"));
    check(
        "does not forbid unsafe code",
        open.map(|s| s.path.display().to_string()),
    );
}

/// A file that no `mod` names is compiled by nobody, its tests run never.
#[test]
fn no_file_is_forgotten() {
    let all = sources();
    let forgotten = all
        .iter()
        .filter(|s| s.path.components().any(|c| c.as_os_str() == "src"));
    let forgotten = forgotten.filter(|s| {
        let stem = s
            .path
            .file_stem()
            .and_then(|n| n.to_str())
            .expect("a plain name");
        let folder = s.path.parent().expect("a folder");
        let (name, parent) = match stem {
            "lib" | "main" => return false,
            _ if folder.ends_with("src/bin") => return false,
            "mod" => (
                folder.file_name().and_then(|n| n.to_str()).expect("a name"),
                folder.parent(),
            ),
            _ => (stem, Some(folder)),
        };
        let folder = parent.expect("a folder");
        let parents = [
            folder.join("lib.rs"),
            folder.join("main.rs"),
            folder.join("mod.rs"),
            folder.with_extension("rs"),
        ];
        let path = format!(
            "{}/{name}.rs\"",
            folder.file_name().unwrap_or_default().display()
        );
        let named = |text: &str| text.contains(&format!("mod {name};")) || text.contains(&path);
        !all.iter()
            .any(|p| parents.contains(&p.path) && named(&p.text))
    });
    check(
        "no `mod` names it",
        forgotten.map(|s| s.path.display().to_string()),
    );
}

/// Each dependency stands beside a comment that says what it is for.
#[test]
fn dependencies_say_what_they_are_for() {
    let mut manifests = vec![root().join("Cargo.toml")];
    let crates = fs::read_dir(root().join("crates")).expect("crates");
    manifests.extend(crates.map(|c| c.expect("a folder").path().join("Cargo.toml")));
    let bare = manifests.iter().flat_map(|path| {
        let text = fs::read_to_string(path).expect("a manifest");
        let mut in_dependencies = false;
        let mut found = Vec::new();
        for line in text.lines() {
            if line.starts_with('[') {
                in_dependencies = line.ends_with("dependencies]") && !line.contains("workspace.");
            } else if in_dependencies && line.contains('=') && !line.contains('#') {
                found.push(format!("{}: {line}", path.display()));
            }
        }
        found
    });
    check("no comment", bare);
}

/// The lines of `docs/protocol.md`'s tables that begin with a kind's number.
fn described(doc: &str, number: u16, name: &str) -> Option<String> {
    let start = format!("| {number} | `{name}` |");
    doc.lines()
        .find(|l| l.starts_with(&start))
        .map(str::to_owned)
}

#[test]
fn every_message_is_described() {
    let doc = fs::read_to_string(root().join("docs/protocol.md")).expect("docs/protocol.md");
    let mut structs = Vec::new();
    collect(&root().join("crates/protocol/src/msg"), &mut structs);
    let kinds = protocol::ToHost::KINDS
        .iter()
        .chain(protocol::FromHost::KINDS);
    let breaches = kinds.flat_map(|(number, name)| {
        let Some(row) = described(&doc, *number, name) else {
            return vec![format!("{number} {name} has no row")];
        };
        // `Panes` is described below its table.
        let place = if *name == "Panes" { doc.clone() } else { row };
        let missing = fields(&structs, name)
            .into_iter()
            .filter(|f| !place.contains(&format!("`{f}: ")));
        missing
            .map(|f| format!("{number} {name}: no word of `{f}`"))
            .collect()
    });
    check("docs/protocol.md", breaches);
    let facts = fields(&structs, "PaneFacts");
    assert!(facts.len() > 15, "the structs were not found");
    check(
        "docs/protocol.md, PaneFacts",
        facts
            .into_iter()
            .filter(|f| !doc.contains(&format!("`{f}: "))),
    );
}

/// The fields of a message's struct; data kinds have none.
fn fields(structs: &[Source], name: &str) -> Vec<String> {
    let head = format!("pub struct {name} {{\n");
    let Some(body) = structs.iter().find_map(|s| s.text.split_once(&head)) else {
        return Vec::new();
    };
    let end = body.1.find("\n}").unwrap_or(0);
    let field = |l: &str| Some(l.trim().strip_prefix("pub ")?.split_once(':')?.0.to_owned());
    body.1[..end].lines().filter_map(field).collect()
}
