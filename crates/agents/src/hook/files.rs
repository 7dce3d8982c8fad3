//! The files that let CLIs report, below a folder of abide's own.

use super::opencode;
use crate::catalogue::Catalogue;
use crate::spec::{Hook, HookForm, Spec};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use sys::files::FileError;

/// What the CLI's variable leads to, below the folder; `None`: abide has no files for it.
pub(super) fn place(spec: &Spec, hook: &Hook) -> Option<PathBuf> {
    let form = hook.form?;
    let own = Path::new(&spec.name);
    Some(match form {
        HookForm::ClaudePlugin => own.to_owned(),
        HookForm::Settings => own.join("settings.json"),
        HookForm::OpencodePlugin => own.join("abide.js"),
        HookForm::OpencodeScreen => own.join("tui.json"),
    })
}

/// Path below the folder and text of each file. `program` is abide itself.
#[must_use]
pub fn files(catalogue: &Catalogue, program: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for spec in catalogue.specs() {
        for hook in spec.learn.hooks() {
            if let Some(place) = place(spec, hook) {
                add(&mut found, program, spec, hook, place);
            }
        }
    }
    found
}

/// The files of one hook; `place` is what its variable leads to.
fn add(
    found: &mut Vec<(PathBuf, String)>,
    program: &Path,
    spec: &Spec,
    hook: &Hook,
    place: PathBuf,
) {
    match hook.form {
        Some(HookForm::ClaudePlugin) => {
            let hooks = text(&hooks(program, spec, hook));
            found.push((place.join(".claude-plugin/plugin.json"), text(&plugin())));
            found.push((place.join("hooks/hooks.json"), hooks));
        }
        Some(HookForm::Settings) => found.push((place, text(&hooks(program, spec, hook)))),
        Some(HookForm::OpencodePlugin) => {
            found.push((place, opencode::plugin(program, &spec.name)));
        }
        Some(HookForm::OpencodeScreen) => {
            let script = opencode::screen(program, &spec.name);
            found.push((place.with_file_name("screen.js"), script));
            found.push((place, text(&json!({ "plugin": ["./screen.js"] }))));
        }
        None => {}
    }
}

fn text(value: &Value) -> String {
    format!("{value:#}\n")
}

fn plugin() -> Value {
    json!({
        "name": "abide",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Tells abide which conversation this pane has and what the agent does."
    })
}

/// Writes what is not there yet or differs.
///
/// # Errors
/// A folder or file that cannot be made.
pub fn install(catalogue: &Catalogue, folder: &Path, program: &Path) -> Result<(), FileError> {
    for (path, text) in files(catalogue, program) {
        let path = folder.join(path);
        let there = sys::files::read_bounded(&path, 1024 * 1024);
        if there.is_ok_and(|bytes| bytes == text.as_bytes()) {
            continue;
        }
        if let Some(parent) = path.parent() {
            sys::files::private_dir(parent)?;
        }
        sys::files::write_atomic(&path, text.as_bytes())?;
    }
    Ok(())
}

fn hooks(program: &Path, spec: &Spec, hook: &Hook) -> Value {
    let command = command(program, &spec.name);
    let entry = json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    let events: Map<String, Value> = hook
        .events
        .iter()
        .map(|event| (event.clone(), entry.clone()))
        .collect();
    json!({ "hooks": events })
}

/// A shell's line that does nothing once abide is gone, and never fails.
fn command(program: &Path, cli: &str) -> String {
    let program = quoted(program);
    format!("test -x {program} && {program} hook {cli}; exit 0")
}

/// For a POSIX shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}
