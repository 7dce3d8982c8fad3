//! After a host that was lost without a word: waiting for the one the keeper puts in its place.
//!
//! In: the state folder. Out: whether a new host is there and what it is to have again has begun, or why
//! not. Promises: without a keeper nothing is waited for; the wait is told while it lasts and leaves
//! nothing behind, bounded, and Ctrl-C ends it; what was typed meanwhile is for no pane.

use crate::cmd::Ctx;
use client::{ClientError, Outcome};
use link::notes::{RESTORE, RestoreNote, from_json};
use protocol::msg::NoteList;
use protocol::{FromHost, PaneId, Role};
use std::io::{Stderr, Write, stderr};
use std::time::{Duration, Instant};

/// A new host may wait for the old root reaper, and each pane for the user's login shell.
const LIMIT: Duration = Duration::from_secs(60);
/// A keeper that ended is not waited for, one that is on its way is.
const NO_KEEPER: Duration = Duration::from_secs(2);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// What is told while it lasts.
const TOLD: &str = "abide: the host is gone; the keeper starts another and brings everything back";

/// No host is there again.
#[derive(Debug, PartialEq, Eq)]
pub enum Gone {
    /// No keeper was there to start one.
    NoKeeper,
    /// Why not, for people, and what to do next.
    Told(String),
}

impl Gone {
    /// How the client was left, as it is in the end.
    pub fn instead_of(self, outcome: Result<Outcome, ClientError>) -> Result<Outcome, ClientError> {
        match (self, outcome) {
            (Self::Told(reason), Ok(Outcome::HostGone { announced, .. })) => {
                Ok(Outcome::HostGone { reason, announced })
            }
            (_, outcome) => outcome,
        }
    }
}

/// Waits until a new host is there and its panes have begun.
///
/// # Errors
/// None is, and none is waited for any more.
pub fn wait(ctx: &Ctx) -> Result<(), Gone> {
    if !link::keeper::lives(&ctx.places) {
        return Err(without(ctx));
    }
    let _line = Line::show(stderr());
    let begun = Instant::now();
    let mut seen = begun;
    while begun.elapsed() < LIMIT {
        if link::keeper::lives(&ctx.places) {
            seen = Instant::now();
        } else if seen.elapsed() > NO_KEEPER || gave_up(ctx).is_some() {
            return Err(without(ctx));
        }
        if is_back(ctx) {
            sys::tty::forget_typed(std::io::stdin());
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    let limit = LIMIT.as_secs();
    Err(Gone::Told(format!(
        "the keeper has brought none back within {limit} s; `abide` tries again, `abide logs` says more"
    )))
}

fn gave_up(ctx: &Ctx) -> Option<String> {
    // The client may have waited for the host before.
    link::keeper::gave_up(&ctx.places, LIMIT * 2)
}

/// There is no keeper, or no more.
fn without(ctx: &Ctx) -> Gone {
    let why = |why| {
        format!("{why}, and the keeper starts no more; `abide` starts one, `abide logs` says why")
    };
    gave_up(ctx).map_or(Gone::NoKeeper, |it| Gone::Told(why(it)))
}

/// A line on the terminal that goes when the wait is over: what it says is not true any more then.
struct Line(Option<(Stderr, u16)>);

impl Line {
    fn show(mut to: Stderr) -> Self {
        let Some((columns, _)) = sys::tty::size(&to).filter(|(columns, _)| *columns > 0) else {
            return Self(None);
        };
        drop(write!(to, "{TOLD}"));
        let rows = TOLD.len().div_ceil(columns.into()).max(1) - 1;
        Self(Some((to, u16::try_from(rows).unwrap_or_default())))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        match &mut self.0 {
            Some((to, 0)) => drop(write!(to, "\r\x1b[J")),
            Some((to, rows)) => drop(write!(to, "\r\x1b[{rows}A\x1b[J")),
            None => {}
        }
    }
}

/// A host answers, and the keeper has said that nothing is still to begin in it.
fn is_back(ctx: &Ctx) -> bool {
    let Ok(mut connection) = link::connect(&ctx.places, Role::Control) else {
        return false;
    };
    let answer = connection.request(PaneId::NONE, NoteList {}, crate::desk::ANSWER);
    let Ok(FromHost::Notes(notes)) = answer else {
        return false;
    };
    let mut notes = notes.notes.iter();
    let note = notes.find(|note| note.key == RESTORE);
    let note: Option<RestoreNote> = note.and_then(|note| from_json(&note.value));
    note.is_some_and(|note| note.done || (note.count > 0 && note.pending.is_empty()))
}
