//! The files that let CLIs report, below a folder of abide's own.

use crate::catalogue::Catalogue;
use crate::spec::{Hook, HookForm, Spec};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use sys::files::FileError;

/// What the CLI's variable leads to, below the folder; `None`: abide has no files for it.
pub(super) fn place(spec: &Spec) -> Option<PathBuf> {
    let form = spec.learn.hook.as_ref()?.form?;
    let own = Path::new(&spec.name);
    Some(match form {
        HookForm::ClaudePlugin => own.to_owned(),
        HookForm::Settings => own.join("settings.json"),
        HookForm::OpencodePlugin => own.join("abide.js"),
    })
}

/// Path below the folder and text of each file. `program` is abide itself.
#[must_use]
pub fn files(catalogue: &Catalogue, program: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for spec in catalogue.specs() {
        let Some((hook, place)) = spec.learn.hook.as_ref().zip(place(spec)) else {
            continue;
        };
        match hook.form {
            Some(HookForm::ClaudePlugin) => {
                found.push((place.join(".claude-plugin/plugin.json"), text(&plugin())));
                found.push((
                    place.join("hooks/hooks.json"),
                    text(&hooks(program, spec, hook)),
                ));
            }
            Some(HookForm::Settings) => found.push((place, text(&hooks(program, spec, hook)))),
            Some(HookForm::OpencodePlugin) => found.push((place, opencode(program, &spec.name))),
            None => {}
        }
    }
    found
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

/// Sub-agents have sessions of their own, begun with a parent: they are left out.
fn opencode(program: &Path, cli: &str) -> String {
    let cli = Value::from(cli);
    let program = Value::from(program.to_string_lossy().into_owned());
    format!(
        r#"// Written by abide: tells it which conversation this pane has and what the agent does.
import {{ spawn }} from "node:child_process"

const program = {program}
const inner = new Set()

const tell = (event, session, detail) => {{
  if (!session || inner.has(session)) return
  try {{
    const child = spawn(program, ["hook", {cli}], {{ stdio: ["pipe", "ignore", "ignore"] }})
    child.on("error", () => {{}})
    child.stdin.on("error", () => {{}})
    child.stdin.end(
      JSON.stringify({{ hook_event_name: event, session_id: session, detail, cwd: process.cwd() }}),
    )
  }} catch {{}}
}}

export const Abide = async () => ({{
  event: async ({{ event }}) => {{
    const it = event?.properties ?? {{}}
    switch (event?.type) {{
      case "session.created":
        if (it.info?.parentID) inner.add(it.info.id)
        tell(event.type, it.info?.id)
        break
      case "session.status":
        tell(event.type, it.sessionID, it.status?.type)
        break
      case "session.idle":
      case "permission.asked":
      case "permission.updated":
      case "permission.replied":
        tell(event.type, it.sessionID)
        break
    }}
  }},
}})
"#
    )
}
