//! Which crate may use which, read from the manifests by cargo itself.
//!
//! A border is what lets a part be understood, replaced and tested alone; see docs/architecture.md.

#![cfg(test)]

use serde_json::Value;
use std::process::Command;

/// Crate, the crates of ours it may use, and why nothing more.
const OURS: &[(&str, &[&str], &str)] = &[
    (
        "abide-protocol",
        &[],
        "bytes in, values out: no operating system, no screen",
    ),
    ("abide-sys", &[], "the operating system, no policy"),
    (
        "abide-term",
        &[],
        "a terminal model knows nobody who sends it bytes",
    ),
    (
        "abide-reaper",
        &["abide-sys"],
        "ends families; knows no sockets, terminals, records",
    ),
    (
        "abide-client",
        &["abide-protocol", "abide-sys", "abide-reaper"],
        "no screens, no agents",
    ),
    (
        "abide-ptyhost",
        &["abide-protocol", "abide-sys", "abide-term", "abide-reaper"],
        "no workspaces, layouts, agents, no client",
    ),
    (
        "abide-agents",
        &["abide-sys"],
        "what is known of each CLI; no sockets, no screens",
    ),
    (
        "abide-restore",
        &["abide-sys", "abide-client", "abide-agents"],
        "records; no sockets, no screens",
    ),
    (
        "abide-turns",
        &[
            "abide-sys",
            "abide-agents",
            "abide-reaper",
            "abide-restore",
            "abide-term",
        ],
        "a program in a pane: it knows no host",
    ),
    (
        "abide-notices",
        &["abide-sys", "abide-reaper"],
        "passes notices on; decides nothing, knows no host, no screens",
    ),
    (
        "abide-keeper",
        &[
            "abide-agents",
            "abide-client",
            "abide-notices",
            "abide-protocol",
            "abide-restore",
            "abide-sys",
            "abide-term",
        ],
        "observes, records, resumes; reads the words of a CLI that failed, no client",
    ),
    (
        "abide-tui",
        &["abide-protocol", "abide-client", "abide-term", "abide-sys"],
        "what you see; no processes, no records",
    ),
];

/// External crates that have one home each.
const HOMES: &[(&str, &[&str])] = &[
    ("ratatui", &["abide-tui", "abide-turns"]),
    ("crossterm", &["abide-tui", "abide-turns"]),
    ("tokio", &["abide-ptyhost"]),
    ("portable-pty", &["abide-sys"]),
    ("libc", &["abide-sys"]),
    ("sysinfo", &["abide-sys"]),
    ("vt100", &["abide-term"]),
    ("bincode", &["abide-protocol"]),
    ("hmac", &["abide-protocol"]),
    (
        "sha2",
        &["abide-protocol", "abide-restore", "abide-testkit"],
    ),
    ("clap", &["abide"]),
    ("toml", &["abide-agents"]),
];

/// Crates whose inner types no encoder may touch: only border types are written or sent.
const NO_SERDE: &[&str] = &["abide-protocol", "abide-sys", "abide-term", "abide-reaper"];

/// Package and the names of what it uses in a normal build.
fn packages() -> Vec<(String, Vec<String>)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args([
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--offline",
    ]);
    let output = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let normal = |package: &Value| {
        let uses = list(&package["dependencies"]);
        uses.iter()
            .filter(|d| d["kind"].is_null())
            .map(|d| text(&d["name"]))
            .collect()
    };
    list(&metadata["packages"])
        .iter()
        .map(|p| (text(&p["name"]), normal(p)))
        .collect()
}

#[test]
fn a_crate_uses_only_what_its_border_allows() {
    let packages = packages();
    let mut breaches = Vec::new();
    for (name, allowed, why) in OURS {
        let found = packages.iter().find(|(n, _)| n == name);
        let (_, uses) = found.unwrap_or_else(|| panic!("no package {name}"));
        let ours = uses.iter().filter(|u| u.starts_with("abide-"));
        let wrong = ours.filter(|u| !allowed.contains(&u.as_str()));
        breaches.extend(wrong.map(|u| format!("{name} uses {u} ({why})")));
    }
    assert!(breaches.is_empty(), "{breaches:#?}");
}

#[test]
fn an_outside_crate_has_one_home() {
    let mut breaches = Vec::new();
    for (name, uses) in packages() {
        for (crate_name, homes) in HOMES {
            if uses.iter().any(|u| u == crate_name) && !homes.contains(&name.as_str()) {
                breaches.push(format!("{name} uses {crate_name}, whose home is {homes:?}"));
            }
        }
        if NO_SERDE.contains(&name.as_str()) && uses.iter().any(|u| u.starts_with("serde")) {
            breaches.push(format!("{name} uses serde"));
        }
        if uses.iter().any(|u| u == "abide-testkit") {
            breaches.push(format!("{name} uses the test kit outside tests"));
        }
    }
    assert!(breaches.is_empty(), "{breaches:#?}");
}
