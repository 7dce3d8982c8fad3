//! docs/agents.md states what the data files state: its tables are made from them.

#![cfg(test)]

use agents::keys::{KEYS, Kind};
use agents::spec::Store;
use agents::{Catalogue, Spec};
use std::path::Path;

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    std::fs::read_to_string(path).expect("docs/agents.md")
}

/// The lines between the two marks, which name what stands between them.
fn between<'a>(text: &'a str, name: &str) -> &'a str {
    let (begin, end) = (
        format!("<!-- {name} -->\n"),
        format!("<!-- end of {name} -->"),
    );
    let rest = text
        .split_once(&begin)
        .unwrap_or_else(|| panic!("no {begin}"))
        .1;
    rest.split_once(&end)
        .unwrap_or_else(|| panic!("no {end}"))
        .0
}

#[track_caller]
fn check(name: &str, right: &str) {
    let text = document();
    assert!(
        between(&text, name) == right,
        "between the marks of `{name}` must stand:\n{right}"
    );
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::List => "texts".to_owned(),
        Kind::Bool => "true or false".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Choice(words) => words
            .iter()
            .map(|w| format!("`{w}`"))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

#[test]
fn the_keys() {
    let mut right = "| key | holds | says |\n| --- | --- | --- |\n".to_owned();
    for key in KEYS {
        right.push_str(&format!(
            "| `{}` | {} | {} |\n",
            key.path,
            kind(key.kind),
            key.about
        ));
    }
    check("keys", &right);
}

fn opens(spec: &Spec) -> String {
    let Some(resume) = &spec.resume else {
        return format!("no: {}", spec.cannot_resume.as_deref().unwrap_or_default());
    };
    let program = spec
        .launch
        .argv
        .first()
        .map(String::as_str)
        .unwrap_or_default();
    let rules = resume.rules.iter().map(|rule| format!("; {}", rule.why));
    format!(
        "`{program} {}`{}",
        resume.argv.join(" "),
        rules.collect::<String>()
    )
}

fn row(spec: &Spec) -> String {
    let proofs = spec.proofs();
    let proofs: Vec<_> = proofs.iter().map(|proof| proof.word()).collect();
    let store = match spec.conversations.store {
        Store::File => "files",
        Store::Folder => "folders",
        Store::Database => "a database",
        Store::Server => "the vendor's server",
        Store::Unknown => "not known",
    };
    let path = spec.conversations.paths.first().map(|path| {
        let home = spec.home.as_ref().map(|home| match home.below.as_str() {
            "" => home.default.clone(),
            below => format!("{}/{below}", home.default),
        });
        format!(": `{}`", path.replace("{home}", &home.unwrap_or_default()))
    });
    let folder = match spec.resume.as_ref().and_then(|resume| resume.any_folder) {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known",
    };
    format!(
        "| {} | {} | {} | {} | {store}{} | {folder} |\n",
        spec.title,
        spec.facts(),
        opens(spec),
        if proofs.is_empty() {
            "none".to_owned()
        } else {
            proofs.join(", ")
        },
        path.unwrap_or_default()
    )
}

#[test]
fn the_truth_about_each_cli() {
    let mut right = "| CLI | facts | opens a conversation by id | proof of the id | conversations | from another folder |\n| --- | --- | --- | --- | --- | --- |\n".to_owned();
    right.extend(Catalogue::built_in().specs().map(row));
    check("truth", &right);
}

#[test]
fn the_notes() {
    let mut right = String::new();
    for spec in Catalogue::built_in().specs() {
        for note in &spec.provenance.notes {
            right.push_str(&format!("- {}: {note}.\n", spec.title));
        }
    }
    check("notes", &right);
}

/// The example of the page is a file that can be used as it stands.
#[test]
fn the_example() {
    let text = document();
    let example = between(&text, "example").trim();
    let toml = example
        .strip_prefix("```toml\n")
        .and_then(|t| t.strip_suffix("```"))
        .expect("a block");
    let (spec, faults) = agents::check(toml, Path::new("example"), |_| None).expect("usable");
    assert_eq!((spec.name.as_str(), faults), ("tuck", Vec::new()));
}
