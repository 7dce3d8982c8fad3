//! Opening a folder brings back the panes of its workspace that do not run.
//!
//! In: the workspace that is about to be shown. Out: the panes that come back, so that the client
//! waits for them, and those that stay away, with why, so that it makes no others in their places. Promises:
//! the keeper does it where one lives, else a command beside this one, which goes on when the window is
//! closed; nothing here waits for a pane.

use crate::bring::{self, Bringer};
use crate::cmd::Ctx;
use crate::daemons;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::out::say;
use client::Comeback;
use link::layout::Workspace;
use link::notes::{RESTORE, RestoreNote, from_json};
use restore::{Cause, Document, Intent, Plan};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// Begins to bring back the panes of `workspace`.
///
/// # Errors
/// The host refuses, or the records cannot be written.
pub(super) fn begin(
    ctx: &Ctx,
    desk: &mut Desk,
    workspace: &Workspace,
) -> Result<Comeback, Failure> {
    let bringer = Bringer::new(ctx)?;
    // Why not was told where the workspaces were read; what is there can still be shown.
    let Ok(document) = bringer.store.document() else {
        return Ok(Comeback::default());
    };
    let live = bring::live(desk);
    let missing = |pane: &restore::PaneRecord| {
        pane.workspace.as_deref() == Some(&workspace.id) && !live.contains(&pane.id)
    };
    if !document.panes().iter().any(missing) {
        return Ok(Comeback::default());
    }
    let cause = Cause::Opened(workspace.id.clone());
    let plan = bringer.plan(&document, cause.clone(), live.clone());
    let coming = coming(&plan, workspace);
    let mut comeback = Comeback {
        away: away(&bringer, &document, &plan, live, desk, workspace),
        ..Comeback::default()
    };
    let by_keeper = !coming.is_empty() && bring::ask_keeper(ctx, &bringer, desk, &cause)?;
    comeback.since = since(desk, by_keeper)?;
    if coming.is_empty() || by_keeper {
        comeback.pending = coming;
        return Ok(comeback);
    }
    match start(ctx, &workspace.id) {
        Ok(()) => comeback.pending = coming,
        Err(why) => {
            let words = format!("it does not come back: {why}");
            say(&format!("the panes of {}: {words}", workspace.name));
            let told = coming.into_iter().map(|pane| (pane, words.clone()));
            comeback.away.extend(told);
        }
    }
    Ok(comeback)
}

/// The panes of the workspace that are started.
fn coming(plan: &Plan, workspace: &Workspace) -> Vec<u32> {
    let inside = workspace.panes();
    let coming = plan.items.iter().filter(|item| item.spawn.is_some());
    let coming = coming.map(|item| item.pane);
    coming.filter(|it| inside.contains(it)).collect()
}

/// Panes of the workspace that the host does not have and that do not come now: what each would be, and
/// why it stays away.
fn away(
    bringer: &Bringer,
    document: &Document,
    plan: &Plan,
    live: BTreeSet<u32>,
    desk: &Desk,
    workspace: &Workspace,
) -> Vec<(u32, String)> {
    let inside = workspace.panes();
    let there = |pane: u32| desk.panes.iter().any(|it| it.facts.pane == pane);
    let stays = plan.items.iter().filter(|item| item.spawn.is_none());
    let stays: Vec<_> = stays
        .filter(|item| inside.contains(&item.pane) && !there(item.pane))
        .collect();
    if stays.is_empty() {
        return Vec::new();
    }
    let asked = bringer.plan(document, Cause::Asked, live);
    let what = |pane: u32| asked.items.iter().find(|item| item.pane == pane);
    let words = stays.into_iter().map(|item| {
        let what = what(item.pane).unwrap_or(item).what();
        (item.pane, format!("{what} - {}", item.reason))
    });
    words.collect()
}

/// From which restore on what is told is of this one: the one under way, which it is once the keeper took the
/// wish, else the next.
fn since(desk: &mut Desk, under_way: bool) -> Result<u64, Failure> {
    let note = desk.global(RESTORE)?;
    let note: Option<RestoreNote> = note.and_then(|it| from_json(&it));
    let note = note.unwrap_or_default();
    let next = u64::from(note.done && !under_way);
    Ok(note.count + next)
}

/// Panes of the workspace that the host does not have and that ended for good, as far as is written down: their
/// places close. Without records none is known.
pub(super) fn ended(document: &Document, desk: &Desk, workspace: &Workspace) -> Vec<u32> {
    let there = |pane: u32| desk.panes.iter().any(|it| it.facts.pane == pane);
    let ended = |pane: u32| {
        let intent = document.pane(pane).map(|it| it.intent);
        intent.is_some_and(|it| it.is_ended() || matches!(it, Intent::Discarded { .. }))
    };
    let panes = workspace.panes().into_iter();
    panes.filter(|it| !there(*it) && ended(*it)).collect()
}

/// A command of its own, detached from this terminal.
fn start(ctx: &Ctx, workspace: &str) -> std::io::Result<()> {
    let mut argv = vec![daemons::own_program().into_os_string()];
    argv.extend(["restore", "--workspace", workspace].map(OsString::from));
    let log = ctx.places.state.join("restore.log");
    let environment: Vec<_> = std::env::vars_os().collect();
    sys::daemon::spawn_detached(&argv, &environment, &log).map(|_| ())
}
