//! `abide reopen`: bring back a pane that has ended.

use crate::bring::{Bringer, Brought, bring, live};
use crate::cmd::Ctx;
use crate::desk::Desk;
use crate::failure::{Exit, Failure};
use crate::join;
use crate::out::say;
use protocol::{PaneId, Role};
use restore::plan::label;
use restore::{Cause, Document, PaneRecord};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  abide reopen              the last 50 panes that ended, newest first
  abide reopen p12          bring that one back, its agent on its own conversation";

/// The words of `abide reopen`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The pane, by the id it had.
    #[arg(value_name = "ID")]
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
        None => list(ctx, &document),
        Some(word) => reopen(ctx, &bringer, &document, &word),
    }
}

/// The panes that can be brought back one by one, newest first: ended, let down by a failure.
fn offered(document: &Document) -> Vec<PaneRecord> {
    let mut panes = document.panes();
    panes.retain(|pane| pane.intent.is_ended() || pane.failure.is_some());
    panes.sort_by_key(|pane| std::cmp::Reverse(pane.intent.at().unwrap_or(pane.created)));
    panes
}

fn list(ctx: &Ctx, document: &Document) -> Result<(), Failure> {
    let panes = offered(document);
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
    let record = named(document, word)?;
    let mut desk = Desk::open_or_start(ctx, Role::Control)?;
    let mut id = record.id;
    if live(&desk).contains(&id) {
        // What stands in its place stays; the agent comes back beside it.
        id = move_agent(bringer, &desk, &record)?;
    }
    let cause = Cause::Reopened(vec![id]);
    match bring(ctx, bringer, cause)? {
        Brought::ByKeeper => wait_for(&mut desk, id)?,
        Brought::Here(report) => {
            if let Some((_, why)) = report.reasons.iter().find(|(pane, _)| *pane == id) {
                return Err(Failure::new(format!("p{id} did not come back: {why}")));
            }
        }
    }
    house(bringer, &mut desk, &record, id)?;
    ctx.out
        .either(|| json!({ "id": format!("p{id}") }), || format!("p{id}"))
}

fn named(document: &Document, word: &str) -> Result<PaneRecord, Failure> {
    let id: Option<u32> = word
        .parse::<PaneId>()
        .ok()
        .map(|id| id.0)
        .or_else(|| word.parse().ok());
    let panes = document.panes();
    let found = panes.iter().find(|pane| Some(pane.id) == id);
    let found = found.or_else(|| {
        let mut named = panes
            .iter()
            .filter(|pane| pane.name.as_deref() == Some(word));
        named.next().filter(|_| named.next().is_none())
    });
    found.cloned().ok_or_else(|| {
        let text =
            format!("no pane `{word}` is written down; `abide reopen` lists those that ended");
        Failure::with(Exit::NoPane, text)
    })
}

/// Gives the agent of a pane, whose place something else has, a pane of its own. Gives its id.
fn move_agent(bringer: &Bringer, desk: &Desk, record: &PaneRecord) -> Result<u32, Failure> {
    let id = record.id;
    if record.failure.is_none() || record.agent.is_none() {
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
        document.edit_pane(id, PaneRecord::let_go)?;
        (pane.id, pane.tries, pane.name, pane.opened) = (new, 0, None, None);
        document.put_pane(&pane)
    })?;
    Ok(new)
}

/// Until the keeper has brought it back.
fn wait_for(desk: &mut Desk, id: u32) -> Result<(), Failure> {
    use link::notes::{RESTORE, RestoreNote, from_json};
    let begun = std::time::Instant::now();
    while begun.elapsed() < crate::daemons::PATIENCE * 2 {
        desk.look()?;
        if live(desk).contains(&id) {
            return Ok(());
        }
        let note = desk
            .global(RESTORE)?
            .and_then(|bytes| from_json::<RestoreNote>(&bytes));
        if note.is_some_and(|note| note.done && !note.pending.contains(&id))
            && begun.elapsed().as_secs() > 5
        {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
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
        let ids: Vec<u32> = offered(&document).iter().map(|pane| pane.id).collect();
        assert_eq!(ids, [3, 1, 4]);
    }
}
