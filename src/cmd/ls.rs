//! `abide ls`: panes and workspaces.

use crate::cmd::Ctx;
use crate::desk::{Desk, Pane};
use crate::failure::Failure;
use crate::{front, words};
use link::layout::Workspace;
use protocol::Role;
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  abide ls
  abide ls --json | jq -r '.panes[] | select(.alive) | .id'";

/// The words of `abide ls`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// Lists.
///
/// # Errors
/// No host.
pub fn run(ctx: &Ctx, _: Args) -> Result<(), Failure> {
    let mut desk = Desk::open(ctx, Role::Control)?;
    if let Some(why) = unsaved(&mut desk)? {
        crate::out::say(&why);
    }
    let coming: Vec<String> = desk.coming.iter().map(ToString::to_string).collect();
    if ctx.out.json {
        let panes: Vec<Value> = desk.panes.iter().map(pane_json).collect();
        let workspaces: Vec<Value> = desk.workspaces.iter().map(workspace_json).collect();
        return ctx
            .out
            .json(&json!({ "panes": panes, "workspaces": workspaces, "coming": coming }));
    }
    if !coming.is_empty() {
        let count = words::count(coming.len(), "pane");
        crate::out::say(&format!("{count} on the way back: {}", coming.join(", ")));
    }
    if desk.panes.is_empty() && desk.workspaces.is_empty() {
        if coming.is_empty() {
            crate::out::say("no panes");
        }
        return Ok(());
    }
    if !desk.panes.is_empty() {
        ctx.out.line(&panes_table(&desk))?;
    }
    for pane in desk.panes.iter().filter(|pane| pane.alive()) {
        if let Some(agent) = pane.agent_note().filter(|it| it.opened.is_some()) {
            let id = pane.id();
            crate::out::say(&format!(
                "{id}: {}; `abide reopen {id}` asks again, `abide fresh {id}` lets go of it",
                agent.how
            ));
        }
    }
    for workspace in &desk.workspaces {
        ctx.out.line(&format!(
            "workspace {}  {}  {}",
            workspace.name,
            workspace.folder,
            words::count(workspace.panes().len(), "pane")
        ))?;
    }
    Ok(())
}

/// Why what runs is not written down at this moment, if it is not.
///
/// # Errors
/// The host does not answer.
pub fn unsaved(desk: &mut Desk) -> Result<Option<String>, Failure> {
    let text = desk.global(link::notes::UNSAVED)?;
    Ok(text.map(|text| words::text(&text)))
}

fn panes_table(desk: &Desk) -> String {
    let head = [
        "ID",
        "NAME",
        "WORKSPACE",
        "STATE",
        "PID",
        "SIZE",
        "AGE",
        "FOLDER",
        "COMMAND",
    ];
    let home = std::env::home_dir();
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(desk.panes.iter().map(|pane| {
        let workspace = pane.workspace.as_deref();
        let workspace = workspace.map(|id| desk.workspace_name(id).unwrap_or(id));
        let front = front::of(&pane.facts);
        let began = || sys::text::path(&pane.facts.cwd);
        let folder = front.as_ref().and_then(|it| it.cwd.clone());
        let folder = folder.unwrap_or_else(began);
        vec![
            pane.id().to_string(),
            pane.name.clone().unwrap_or_else(|| "-".to_owned()),
            workspace.unwrap_or("-").to_owned(),
            pane.state_for_people(),
            pane.facts.pid.to_string(),
            format!("{}x{}", pane.facts.cols, pane.facts.rows),
            words::age(pane.facts.age_ms),
            front::folder(&folder, home.as_deref()),
            pane.command(front.as_ref(), 60),
        ]
    }));
    words::table(&rows)
}

/// A pane as `ls` and `status` print it. What nothing knows yet is null, so that scripts can rely
/// on the fields.
#[must_use]
pub fn pane_json(pane: &Pane) -> Value {
    let facts = &pane.facts;
    let state = pane.state_note().filter(|_| pane.alive());
    let agent = pane.agent_note();
    let exit = (!pane.alive()).then(|| {
        json!({
            "code": words::exit_code(facts.raw_status),
            "signal": Some(facts.raw_status & 0x7f).filter(|signal| *signal != 0),
            "text": words::ending(facts.raw_status),
            "note": Some(&facts.end_note).filter(|note| !note.is_empty()),
        })
    });
    json!({
        "id": pane.id().to_string(),
        "name": pane.name,
        "pid": facts.pid,
        "alive": pane.alive(),
        "exit": exit,
        "state": pane.state(),
        "process": words::process(facts),
        "evidence": state.map(|it| it.evidence),
        "agent": agent.as_ref().map(|it| &it.cli),
        "conversation": agent.as_ref().and_then(|it| it.conversation.as_ref()),
        "proof": agent.as_ref().map(|it| &it.how),
        "workspace": pane.workspace,
        "argv": pane.argv().iter().map(|word| words::text(word)).collect::<Vec<_>>(),
        "cwd": words::text(&facts.cwd),
        "foreground": front::of(facts).map(|it| it.json()),
        "title": pane.title(),
        "size": [facts.cols, facts.rows],
        "age_ms": facts.age_ms,
        "since_input_ms": facts.since_input_ms,
        "since_output_ms": facts.since_output_ms,
        "shown": facts.shown,
        "attached": facts.claimed_by.is_some(),
        "output_bytes": facts.offset,
    })
}

fn workspace_json(workspace: &Workspace) -> Value {
    json!({
        "id": workspace.id,
        "name": workspace.name,
        "folder": workspace.folder,
        "tabs": workspace.tabs.len(),
        "panes": workspace.panes().iter().map(|pane| format!("p{pane}")).collect::<Vec<_>>(),
    })
}
