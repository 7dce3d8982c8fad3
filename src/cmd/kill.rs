//! `abide kill`: end a pane's family, or forget a pane that has ended.

use crate::cmd::Ctx;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::out::say;
use link::LinkError;
use link::notes::{self, IntentNote};
use protocol::msg::{Kill, NO_PANE, Remove, Subscribe};
use protocol::{FromHost, PaneId, Role};
use std::time::{Duration, Instant};
use sys::process::Identity;

const EXAMPLES: &str = "\
Examples:
  abide kill web
  abide kill p12 p13
  abide kill p12          again, after it has ended: forgets it and its screen";

/// A reaper takes at most 3 s before it uses force. After this the reaper goes on alone.
const WAIT: Duration = Duration::from_secs(5);

/// The words of `abide kill`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The panes.
    #[arg(value_name = "PANE", required = true)]
    panes: Vec<String>,
}

/// Ends the panes and waits until their families are gone, for a while at most: what takes longer is told.
///
/// # Errors
/// No host, or no such pane.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let mut desk = Desk::open(ctx, Role::Control)?;
    let found = args
        .panes
        .iter()
        .map(|word| desk.find(word).map(|p| (p.id(), p.alive())));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let (alive, ended): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, alive)| *alive);
    let alive: Vec<PaneId> = alive.into_iter().map(|(id, _)| id).collect();
    for id in alive.iter().chain(ended.iter().map(|(id, _)| id)) {
        tell_intent(&mut desk, *id)?;
    }
    for (id, _) in &ended {
        desk.tell(*id, Remove {})?;
        say(&format!("{id} had ended; it is forgotten now"));
    }
    let left = end_all(&mut desk, &alive, WAIT)?;
    if !left.is_empty() {
        say(&format!(
            "{} is still being ended; `abide wait {} --exit` waits for it",
            list(&left),
            left[0]
        ));
    }
    if ctx.out.json {
        let name = |id: &PaneId| id.to_string();
        let killed: Vec<String> = alive.iter().map(name).collect();
        let removed: Vec<String> = ended.iter().map(|(id, _)| name(id)).collect();
        let ending: Vec<String> = left.iter().map(name).collect();
        return ctx
            .out
            .json(&serde_json::json!({ "killed": killed, "removed": removed, "ending": ending }));
    }
    Ok(())
}

/// Panes in words.
#[must_use]
pub fn list(panes: &[PaneId]) -> String {
    let names: Vec<String> = panes.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Says what the user wants of a pane that is about to go, so that whoever writes that down sees it
/// before the end.
///
/// # Errors
/// The host refuses; that there is no such pane is none.
fn tell_intent(desk: &mut Desk, pane: PaneId) -> Result<(), Failure> {
    let wish = IntentNote {
        ended_by_user: true,
        ..IntentNote::default()
    };
    match desk.note(pane, notes::INTENT, Some(&notes::to_json(&wish))) {
        Err(LinkError::Refused { code: NO_PANE, .. }) => Ok(()),
        other => Ok(other?),
    }
}

/// Ends these panes' families at once and waits for all of them, together up to `limit`. Gives those
/// whose family is not gone by then.
///
/// # Errors
/// The host refuses.
pub fn end_all(desk: &mut Desk, panes: &[PaneId], limit: Duration) -> Result<Vec<PaneId>, Failure> {
    let mut left = panes.to_vec();
    if left.is_empty() {
        return Ok(left);
    }
    // A program's end is told before that of what it started; its reaper goes when all are gone.
    let reapers: Vec<(PaneId, Identity)> = desk
        .panes
        .iter()
        .filter(|pane| panes.contains(&pane.id()))
        .filter_map(|pane| Some((pane.id(), Identity::of(pane.facts.reaper.cast_signed())?)))
        .collect();
    desk.tell(PaneId::NONE, Subscribe {})?;
    for id in panes {
        match desk.tell(*id, Kill {}) {
            // It ended by itself in between.
            Err(link::LinkError::Refused {
                code: protocol::msg::NOT_ALIVE,
                ..
            }) => {
                left.retain(|it| it != id);
            }
            other => other?,
        }
    }
    let begun = Instant::now();
    while !left.is_empty() {
        match desk
            .connection
            .next(limit.saturating_sub(begun.elapsed()))?
        {
            Some((pane, FromHost::PaneExited(_) | FromHost::PaneRemoved(_))) => {
                left.retain(|it| *it != pane);
            }
            Some(_) => {}
            None => break,
        }
    }
    for (pane, reaper) in reapers {
        let gone = reaper.wait_gone(limit.saturating_sub(begun.elapsed()));
        if !gone && !left.contains(&pane) {
            left.push(pane);
        }
    }
    Ok(left)
}
