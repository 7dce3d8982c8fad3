//! Panes that others bring back while the client shows their places.
//!
//! In: the note that says how far a restore has come. Out: places that wait, and places that say why
//! nothing came. Promises: where something was that is written down nothing else is made; the last word
//! of a restore before is not taken for this one's.

use super::Cx;
use crate::model::{Asked, Model};
use crate::pane::State;
use link::notes::{RestoreNote, from_json};
use protocol::msg::List;

/// What stands in a place whose pane the user held.
const HELD: &str = "held - `abide restore` brings it back";
/// What stands in a place whose pane was waited for in vain.
const MISSED: &str = "it did not come back - `abide restore` tries again";

/// What stands there when the client begins.
pub(super) fn found(model: &mut Model, value: &[u8]) {
    let note = from_json::<RestoreNote>(value);
    if let Some(note) = note.filter(|note| !note.done) {
        begins(model, &note);
    }
}

/// Whoever brings panes back says how far that is.
pub(super) fn told(model: &mut Model, value: Option<&[u8]>, cx: &mut Cx) {
    let Some(note) = value.and_then(from_json::<RestoreNote>) else {
        return;
    };
    if note.count < model.config.comeback.since {
        return;
    }
    if note.done {
        ends(model, &note, cx);
    } else {
        begins(model, &note);
    }
}

fn begins(model: &mut Model, note: &RestoreNote) {
    model.coming = note.pending.iter().copied().collect();
    for id in &note.pending {
        let Some(pane) = model.panes.get_mut(id) else {
            continue;
        };
        if matches!(pane.state, State::Away(_)) {
            pane.state = State::Starting;
        }
        let pending = &mut model.config.comeback.pending;
        if !pending.contains(id) {
            pending.push(*id);
        }
    }
}

/// Nothing more comes by itself: places without a pane say so.
fn ends(model: &mut Model, note: &RestoreNote, cx: &mut Cx) {
    model.coming.clear();
    let pending = std::mem::take(&mut model.config.comeback.pending);
    if pending.is_empty() {
        return;
    }
    for id in &pending {
        if let Some(pane) = model.panes.get_mut(id).filter(|pane| pane.is_to_come()) {
            let words = if note.held.contains(id) { HELD } else { MISSED };
            pane.state = State::Away(words.to_owned());
        }
    }
    cx.ask(model, 0, List {}, Asked::Panes { first: true });
}
