//! After a host that was lost without a word: waiting for the one the keeper puts in its place.
//!
//! In: the state folder. Out: whether a new host is there and what it is to have again has begun.
//! Promises: without a keeper nothing is waited for; the wait is told, bounded, and Ctrl-C ends it;
//! what was typed meanwhile is for no pane.

use crate::cmd::Ctx;
use crate::out::say;
use link::notes::{RESTORE, RestoreNote, from_json};
use protocol::msg::NoteList;
use protocol::{FromHost, PaneId, Role};
use std::time::{Duration, Instant};

/// A new host may wait for the old root reaper, and each pane for the user's login shell.
const LIMIT: Duration = Duration::from_secs(60);
/// A keeper that ended is not waited for, one that is on its way is.
const NO_KEEPER: Duration = Duration::from_secs(2);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Waits; true: a new host is there and its panes have begun.
pub fn wait(ctx: &Ctx) -> bool {
    if !link::keeper::lives(&ctx.places) {
        return false;
    }
    say("the host is gone; the keeper starts another and brings everything back");
    let begun = Instant::now();
    let mut seen = begun;
    while begun.elapsed() < LIMIT {
        if link::keeper::lives(&ctx.places) {
            seen = Instant::now();
        } else if seen.elapsed() > NO_KEEPER {
            return false;
        }
        if is_back(ctx) {
            sys::tty::forget_typed(std::io::stdin());
            return true;
        }
        std::thread::sleep(PAUSE);
    }
    false
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
