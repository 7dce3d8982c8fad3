//! `abide close`: end a workspace.

use crate::cmd::Ctx;
use crate::cmd::kill::{end_all, list};
use crate::desk::{Desk, Pane};
use crate::failure::{Exit, Failure};
use crate::out::say;
use link::LinkError;
use link::layout::Workspace;
use protocol::msg::{NO_PANE, Remove};
use protocol::{PaneId, Role};
use restore::{Document, Intent, Store, StoreError, intent};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  abide close shop        its panes end
  abide shop              opens it again: layout, shells, agents on their conversations
  abide fresh shop        lets go of it";

/// A reaper takes at most 3 s before it uses force; this leaves room for a loaded machine.
const END_LIMIT: Duration = Duration::from_secs(20);

/// The words of `abide close`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The workspace's name or id.
    workspace: String,
}

/// Ends every pane of the workspace. Its layout and the records of its panes stay for the next time
/// its folder is opened, unless nothing is recorded of them: then the layout is forgotten. One that is
/// only written down needs no host.
///
/// # Errors
/// The host does not answer, no such workspace, or a pane does not end.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let store = Store::open(&ctx.places.state)?;
    let mut desk = Desk::open_if_any(ctx, Role::Control)?;
    let mut all = desk
        .as_ref()
        .map(|desk| desk.workspaces.clone())
        .unwrap_or_default();
    let stored = store.load()?.workspaces;
    all.extend(
        stored
            .into_iter()
            .filter(|it| all.iter().all(|known| known.id != it.id))
            .collect::<Vec<_>>(),
    );
    let workspace = named(&args.workspace, &all)?;
    let members = desk
        .as_ref()
        .map(|desk| members(desk, workspace))
        .unwrap_or_default();
    let alive = members.iter().filter(|(_, alive)| *alive);
    let panes: Vec<PaneId> = alive.map(|(id, _)| *id).collect();
    if let Some(desk) = &mut desk {
        // The note goes first, so that no client draws panes that are on their way out.
        desk.note(PaneId::NONE, &workspace.note_key(), None)?;
    }
    let recorded = link::keeper::lives(&ctx.places) && !panes.is_empty();
    let merged = store.change(|document| mark(document, workspace, recorded))?;
    merged.told().iter().for_each(|line| say(line));
    if let Some(desk) = &mut desk {
        let wish = link::notes::to_json(&link::notes::IntentNote {
            closed_workspace: true,
            ..link::notes::IntentNote::default()
        });
        for pane in &panes {
            forgiving(desk.note(*pane, link::notes::INTENT, Some(&wish)))?;
        }
        crate::bring::poke(desk)?;
    }
    if let Some(desk) = &mut desk {
        let left = end_all(desk, &panes, END_LIMIT)?;
        if !left.is_empty() {
            let text = format!(
                "{} did not end within {} s; see `abide doctor`",
                list(&left),
                END_LIMIT.as_secs()
            );
            return Err(Failure::with(Exit::TimedOut, text));
        }
        for (pane, _) in members {
            forget(desk, pane)?;
        }
    }
    if ctx.out.json {
        let ended: Vec<String> = panes.iter().map(ToString::to_string).collect();
        let value = serde_json::json!({ "workspace": workspace.id, "killed": ended });
        return ctx.out.json(&value);
    }
    Ok(())
}

/// Writes down that the workspace was closed. `recorded`: a keeper writes records of its panes.
fn mark(document: &mut Document, workspace: &Workspace, recorded: bool) -> Result<(), StoreError> {
    let now = sys::boot::unix_now();
    let inside = workspace.panes();
    let mut known = recorded;
    for pane in document.panes() {
        if pane.workspace.as_deref() == Some(&workspace.id) || inside.contains(&pane.id) {
            let intent = intent::step(&pane.intent, &intent::Event::WorkspaceClosed, now);
            known |= matches!(intent, Intent::ClosedWorkspace { .. });
            document.edit_pane(pane.id, |it| it.intent = intent)?;
        }
    }
    if known {
        document.merge_workspace(workspace)?;
        document.close_workspace(&workspace.id, now);
    } else {
        document.drop_workspace(&workspace.id);
    }
    Ok(())
}

/// A client that shows the ended pane lets go of it.
fn forget(desk: &mut Desk, pane: PaneId) -> Result<(), Failure> {
    forgiving(desk.tell(pane, Remove {}))
}

/// A pane that went meanwhile is no failure.
fn forgiving(answer: Result<(), LinkError>) -> Result<(), Failure> {
    match answer {
        Err(LinkError::Refused { code: NO_PANE, .. }) => Ok(()),
        other => Ok(other?),
    }
}

/// The workspace of this name or id.
///
/// # Errors
/// There is none, or there are several.
pub(crate) fn named<'a>(word: &str, all: &'a [Workspace]) -> Result<&'a Workspace, Failure> {
    let mut found = all.iter().filter(|it| it.id == word || it.name == word);
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::with(
            Exit::NoPane,
            format!("no workspace `{word}`; `abide ls` lists them"),
        )),
        (Some(first), Some(second)) => Err(Failure::with(
            Exit::NoPane,
            format!(
                "`{word}` names the workspaces {} and {}; use an id",
                first.id, second.id
            ),
        )),
    }
}

/// The panes of a workspace, and whether each lives.
fn members(desk: &Desk, workspace: &Workspace) -> Vec<(PaneId, bool)> {
    let inside = workspace.panes();
    let belongs = |pane: &&Pane| {
        pane.workspace.as_deref() == Some(&workspace.id) || inside.contains(&pane.facts.pane)
    };
    let members = desk.panes.iter().filter(belongs);
    members.map(|pane| (pane.id(), pane.alive())).collect()
}
