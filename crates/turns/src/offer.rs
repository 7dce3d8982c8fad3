//! What a keeper does at its start with the turns that are under way: the rules, pure; and the files.
//!
//! In: in-flight records, oldest first; the panes there are or that come back; our records; the time. Out:
//! an [`Offer`] for each. Promises: a conversation that a process has open is left alone; so is one whose
//! pane comes back by itself, and one its person left on purpose; a turn that is over, or whose pane the
//! person ended, is closed; every other gets a pane. Before any runner starts, what goes on is marked as
//! interrupted in its record. Nothing is sent from here.

use crate::again::{Decision, Known, Unanswered, decide};
use crate::event::{Ending, Event};
use crate::inflight::{Folder, InFlight};
use crate::record::{self, Reader, Writer};
use std::path::Path;
use sys::files::FileError;

/// What a record says of a turn that a restart cut.
pub const CUT: &str = "the program was restarted during this turn";

/// The pane of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// It runs, or comes back by itself or when its folder is opened.
    Comes(u32),
    /// The person ended it.
    Ended(u32),
}

/// What is known of a turn.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its record.
    pub turn: InFlight,
    /// A process has the conversation open.
    pub open: bool,
    /// The conversation's pane.
    pub pane: Option<Pane>,
    /// What our record says.
    pub known: Known,
}

/// What becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Nothing: a process has it open, or its person left it.
    Leave,
    /// Its pane comes back and goes on with it.
    Comes(u32),
    /// It is over: its mark goes.
    Close {
        /// In words.
        why: &'static str,
        /// The record lacks the end: it is written.
        unended: bool,
    },
    /// It gets a pane.
    Pane,
}

/// Decides.
#[must_use]
pub fn offer(seen: &Seen) -> Offer {
    if seen.open {
        return Offer::Leave;
    }
    let close = |why, unended| Offer::Close { why, unended };
    match decide(&seen.turn, &seen.known, Unanswered::Gone) {
        Decision::Answered | Decision::Found { .. } => return close("it was answered", false),
        Decision::Stopped => return close("it was stopped", false),
        Decision::CarriedOn => return close("the conversation went on without it", true),
        Decision::Rerun | Decision::Send { .. } | Decision::GiveUp { .. } => {}
    }
    match seen.pane {
        Some(Pane::Ended(_)) => close("its pane was ended", true),
        Some(Pane::Comes(pane)) => Offer::Comes(pane),
        None if seen.turn.left => Offer::Leave,
        None => Offer::Pane,
    }
}

/// What was found, oldest first, and what could not be read.
#[derive(Debug, Default)]
pub struct Looked {
    /// The turns.
    pub offers: Vec<(InFlight, Offer)>,
    /// One line for each file that was left alone.
    pub problems: Vec<String>,
}

/// Looks at everything under way below `state`. Makes the folder when it is missing.
///
/// # Errors
/// The folder cannot be used.
pub fn look(state: &Path, pane: &dyn Fn(&str) -> Option<Pane>) -> Result<Looked, FileError> {
    let found = Folder::open(state)?.all();
    let reader = Reader::new(state);
    let one = |turn: InFlight| {
        let open = record::is_open(state, &turn.conversation);
        let known = if open {
            Known::default()
        } else {
            Known::of(&turn, &reader.rows(&turn.conversation), &[])
        };
        let pane = pane(&turn.conversation);
        let seen = Seen {
            turn,
            open,
            pane,
            known,
        };
        let offer = offer(&seen);
        (seen.turn, offer)
    };
    Ok(Looked {
        offers: found.turns.into_iter().map(one).collect(),
        problems: found.problems,
    })
}

/// Writes down what was decided: the mark of a turn that goes on, the end of one that does not.
///
/// # Errors
/// It could not be written, or a process has opened the conversation meanwhile.
pub fn write_down(state: &Path, turn: &InFlight, offer: &Offer, now: u64) -> Result<(), FileError> {
    match offer {
        Offer::Leave => Ok(()),
        Offer::Comes(_) | Offer::Pane => {
            Writer::open(state, &turn.conversation, now)?.interrupted(CUT, now)
        }
        Offer::Close { unended, .. } => {
            if *unended {
                let ending = Ending::Stopped;
                let ended = Event::Ended { ending };
                let mut writer = Writer::open(state, &turn.conversation, now)?;
                writer.ended_of(&turn.uuid, &ended, now)?;
            }
            Folder::open(state)?.remove(&turn.conversation)
        }
    }
}

/// The pane of a conversation was ended by the person: its turn is over.
///
/// # Errors
/// It could not be written. `None`: there was none under way, or a process still has it open.
pub fn ended(state: &Path, conversation: &str, now: u64) -> Result<Option<InFlight>, FileError> {
    let turn = Folder::open(state)?.read(conversation);
    let Some(turn) = turn.filter(|_| !record::is_open(state, conversation)) else {
        return Ok(None);
    };
    let why = "its pane was ended";
    let close = Offer::Close { why, unended: true };
    write_down(state, &turn, &close, now)?;
    Ok(Some(turn))
}

/// For people: how long ago a turn was asked.
#[must_use]
pub fn asked(turn: &InFlight, now: u64) -> String {
    match now.saturating_sub(turn.started_at) {
        0..=119 => "just now".to_owned(),
        seconds @ 120..=7199 => format!("{} min ago", seconds / 60),
        seconds @ 7200..=172_799 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests;
