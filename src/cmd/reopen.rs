//! `abide reopen`: bring back a pane that has ended.

use crate::bring::{Bringer, Brought, bring, live};
use crate::cmd::Ctx;
use crate::cmd::{forget, kill};
use crate::desk::{Desk, own_pane};
use crate::failure::Failure;
use crate::join;
use crate::out::say;
use link::notes::{AGENT, AgentNote, RESTORE, RestoreNote, from_json, to_json};
use protocol::{PaneId, Role};
use restore::plan::label;
use restore::{Cause, Document, PaneRecord};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long the end of a shell that stands in a pane's place may take.
const END: Duration = Duration::from_secs(10);

const EXAMPLES: &str = "\
Examples:
  abide reopen              the last 50 panes that ended, newest first
  abide reopen p12          bring that one back, its agent on its own conversation
  abide reopen build        the same, by its name";

/// The words of `abide reopen`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The pane, by the id or the name it had.
    #[arg(value_name = "PANE")]
    pane: Option<String>,
}

/// Lists what has ended, or brings one back.
///
/// # Errors
/// No such pane, no host, or it does not come back.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let bringer = Bringer::new(ctx)?;
    let document = bringer.store.document()?;
    match args.pane {
        None => {
            let desk = Desk::open_if_any(ctx, Role::Control)?;
            let panes = desk.iter().flat_map(|desk| &desk.panes);
            let running = panes.filter(|it| it.is_itself()).map(|it| it.facts.pane);
            list(ctx, &offered(&document, &running.collect()))
        }
        Some(word) => reopen(ctx, &bringer, &document, &word),
    }
}

/// The panes that can be brought back one by one, newest first: ended, let down by a failure; none that
/// runs, whatever became of it before.
fn offered(document: &Document, running: &BTreeSet<u32>) -> Vec<PaneRecord> {
    let mut panes = document.panes();
    panes.retain(|pane| pane.intent.is_ended() || pane.failure.is_some());
    panes.retain(|pane| !running.contains(&pane.id));
    panes.sort_by_key(|pane| std::cmp::Reverse(pane.intent.at().unwrap_or(pane.created)));
    panes
}

fn list(ctx: &Ctx, panes: &[PaneRecord]) -> Result<(), Failure> {
    let why = |pane: &PaneRecord| match &pane.failure {
        Some(words) => words.clone(),
        None => pane.intent.word().to_owned(),
    };
    if ctx.out.json {
        let entries = panes.iter().map(|pane| {
            json!({
                "id": format!("p{}", pane.id), "label": label(pane), "workspace": pane.workspace,
                "cwd": pane.cwd.shown(), "why": why(pane), "at": pane.intent.at(),
                "agent": pane.agent.as_ref().map(|agent| agent.cli.clone()),
                "conversation": pane.conversation.as_ref().map(|it| it.id.clone()),
            })
        });
        return ctx.out.json(&json!(entries.collect::<Vec<_>>()));
    }
    if panes.is_empty() {
        say("no pane has ended that is written down");
        return Ok(());
    }
    let now = sys::boot::unix_now();
    let lines = panes.iter().map(|pane| {
        let ago = pane.intent.at().map(|at| now.saturating_sub(at) * 1_000);
        let ago = ago.map_or_else(String::new, |ms| format!(", {} ago", crate::words::age(ms)));
        format!(
            "p{:<5} {:<24} {} ({}{ago})",
            pane.id,
            label(pane),
            pane.cwd.shown(),
            why(pane)
        )
    });
    ctx.out.line(&lines.collect::<Vec<_>>().join("\n"))
}

fn reopen(ctx: &Ctx, bringer: &Bringer, document: &Document, word: &str) -> Result<(), Failure> {
    let mut desk = Desk::open_or_start(ctx, Role::Control)?;
    let record = named(document, &desk, word)?;
    let told = |id: u32| {
        ctx.out
            .either(|| json!({ "id": format!("p{id}") }), || format!("p{id}"))
    };
    let mut id = record.id;
    if under_way(&mut desk, id)? {
        wait_for(bringer, &mut desk, id)?;
        return told(id);
    }
    if live(&desk).contains(&id) && !make_room(&mut desk, id)? {
        // What has its place stays; the agent comes back beside it.
        id = move_agent(bringer, &mut desk, &record)?;
    }
    let cause = Cause::Reopened(vec![id]);
    match bring(ctx, bringer, cause)? {
        Brought::ByKeeper => wait_for(bringer, &mut desk, id)?,
        Brought::Here(report) => {
            if let Some((_, why)) = report.reasons.iter().find(|(pane, _)| *pane == id) {
                return Err(Failure::new(format!("p{id} did not come back: {why}")));
            }
        }
    }
    house(bringer, &mut desk, &record, id)?;
    told(id)
}

/// A pane that is written down, by id or name.
fn named(document: &Document, desk: &Desk, word: &str) -> Result<PaneRecord, Failure> {
    let number = word.parse::<u32>().map(|id| format!("p{id}"));
    let panes = document.panes();
    let id = forget::one(number.as_deref().unwrap_or(word), &panes, Some(desk))?;
    let found = panes.into_iter().find(|pane| pane.id == id);
    found.ok_or_else(|| forget::missing(word))
}

/// It is on its way already: a restore has begun with it, or waits for its next try.
fn under_way(desk: &mut Desk, id: u32) -> Result<bool, Failure> {
    let note = desk.global(RESTORE)?;
    let note = note.and_then(|bytes| from_json::<RestoreNote>(&bytes));
    Ok(note.is_some_and(|note| note.pending.contains(&id)))
}

/// Ends the shell that stands in a pane's place, unless something runs in it, or it is the one this is typed in.
/// False: it stays.
fn make_room(desk: &mut Desk, id: u32) -> Result<bool, Failure> {
    let own = own_pane() == Some(PaneId(id));
    let pane = desk.by_id(PaneId(id))?;
    if own || !pane.stands_in() || !pane.is_idle() {
        return Ok(false);
    }
    // Its place in the layout is kept for what comes.
    let note = desk.global(RESTORE)?;
    let note = note.and_then(|bytes| from_json::<RestoreNote>(&bytes));
    let mut note = note.unwrap_or_default();
    note.done = false;
    note.pending.push(id);
    desk.note(PaneId::NONE, RESTORE, Some(&to_json(&note)))?;
    let left = kill::end_all(desk, &[PaneId(id)], END)?;
    desk.look()?;
    Ok(left.is_empty())
}

/// Gives the agent of a pane, whose place something else has, a pane of its own, with its name. Gives its id.
fn move_agent(bringer: &Bringer, desk: &mut Desk, record: &PaneRecord) -> Result<u32, Failure> {
    let id = record.id;
    let itself = desk.by_id(PaneId(id))?.is_itself();
    if itself || record.failure.is_none() || record.agent.is_none() {
        let text = format!("p{id} runs already; `abide attach p{id}` shows it");
        return Err(Failure::new(text));
    }
    let known = desk.panes.iter().map(|pane| pane.facts.pane);
    let highest = known
        .chain(bringer.store.document()?.panes().iter().map(|it| it.id))
        .max();
    let new = highest.unwrap_or(id).saturating_add(1);
    bringer.store.change(|document| {
        let Some(mut pane) = document.pane(id) else {
            return Ok(());
        };
        document.edit_pane(id, |pane| {
            pane.let_go();
            pane.name = None;
        })?;
        (pane.id, pane.tries, pane.opened) = (new, 0, None);
        document.put_pane(&pane)
    })?;
    if record.name.is_some() {
        desk.note(PaneId(id), "name", None)?;
    }
    own_conversation(desk, id)?;
    Ok(new)
}

/// What its agent opened is the pane's own from now on, also where no keeper says so.
pub(crate) fn own_conversation(desk: &mut Desk, id: u32) -> Result<(), Failure> {
    let found = desk.panes.iter().find(|pane| pane.facts.pane == id);
    let note = found.and_then(crate::desk::Pane::agent_note);
    if let Some(note) = note.filter(|it| it.opened.is_some()) {
        let own = AgentNote {
            conversation: note.opened,
            how: String::new(),
            opened: None,
            ..note
        };
        desk.note(PaneId(id), AGENT, Some(&to_json(&own)))?;
    }
    Ok(())
}

/// Until the keeper has brought it back.
fn wait_for(bringer: &Bringer, desk: &mut Desk, id: u32) -> Result<(), Failure> {
    let begun = Instant::now();
    while begun.elapsed() < crate::daemons::PATIENCE * 2 {
        desk.look()?;
        let there = desk.by_id(PaneId(id)).ok().filter(|pane| pane.alive());
        match there.map(crate::desk::Pane::stands_in) {
            Some(false) => return Ok(()),
            Some(true) => {
                let failure = bringer.store.document()?.pane(id).and_then(|it| it.failure);
                let why = failure.unwrap_or_else(|| "its pane says why".to_owned());
                return Err(Failure::new(format!("p{id} did not come back: {why}")));
            }
            None => {}
        }
        if begun.elapsed().as_secs() > 5 && !under_way(desk, id)? {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err(Failure::new(format!(
        "p{id} did not come back; `abide restore --dry-run` tells why"
    )))
}

/// It gets a tab in its workspace again, where that is open.
fn house(bringer: &Bringer, desk: &mut Desk, record: &PaneRecord, id: u32) -> Result<(), Failure> {
    desk.look()?;
    let open = |workspace: &&String| desk.workspaces.iter().any(|it| it.id == **workspace);
    let Some(workspace) = record.workspace.as_ref().filter(open).cloned() else {
        return Ok(());
    };
    if let Some(layout) = join::add_tab(desk, &workspace, PaneId(id))?
        && let Err(error) = bringer.store.merge_workspace(&layout)
    {
        say(&format!("the layout was not saved: {error}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use restore::record::Intent;

    #[test]
    fn ended_and_failed_panes_are_offered_newest_first() {
        let mut document = Document::default();
        let mut put = |id, intent, failure: Option<&str>| {
            let pane = PaneRecord {
                id,
                intent,
                failure: failure.map(str::to_owned),
                ..PaneRecord::default()
            };
            document.put_pane(&pane).unwrap();
        };
        put(1, Intent::EndedByUser { at: 10 }, None);
        put(2, Intent::Open, None);
        put(
            3,
            Intent::Exited {
                at: 20,
                raw_status: None,
            },
            None,
        );
        put(4, Intent::Open, Some("lost"));
        put(5, Intent::ClosedWorkspace { at: 30 }, None);
        put(6, Intent::Open, Some("of an earlier try"));
        let running = BTreeSet::from([6]);
        let offered = offered(&document, &running);
        let ids: Vec<u32> = offered.iter().map(|pane| pane.id).collect();
        assert_eq!(ids, [3, 1, 4]);
    }
}
