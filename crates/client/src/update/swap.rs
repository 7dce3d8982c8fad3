//! A pane shown alone that is started again takes the old one's place in its workspace's layout.
//!
//! In: the old and the new pane's id. Out: the workspace's note and the saved layout with the one
//! in the other's place. Promises: the note is replaced only at the revision that was read, again
//! when another program was faster, [`TRIES`] times at most; the old pane is forgotten only then,
//! or who shows the workspace would take it out of the layout.

use super::{Cx, Effect};
use crate::model::{Asked, Model, Swap};
use link::layout::Workspace;
use protocol::msg::{CONFLICT, Failed, Note, NoteList, NoteSet, Remove};

/// How often another writer may be faster.
const TRIES: u8 = 8;

/// Reads the layout; [`notes`] goes on.
pub(super) fn begin(model: &mut Model, swap: Swap, cx: &mut Cx) {
    cx.ask(model, 0, NoteList {}, Asked::SwapNotes(swap));
}

/// All global notes: writes the one of the workspace; [`written`] goes on.
pub(super) fn notes(model: &mut Model, swap: Swap, notes: &[Note], cx: &mut Cx) {
    let key = format!("workspace/{}", swap.workspace);
    let note = notes.iter().find(|note| note.key == key);
    let there = note.and_then(|note| Some((note, Workspace::from_json(&note.value).ok()?)));
    let Some((note, mut workspace)) = there else {
        finish(model, &swap, cx);
        return;
    };
    if !workspace.replace_pane(swap.old, swap.new) {
        finish(model, &swap, cx);
        return;
    }
    let message = NoteSet {
        key,
        revision: Some(note.revision),
        value: workspace.to_json().ok(),
    };
    if message.value.is_some() {
        cx.ask(model, 0, message, Asked::SwapWritten(swap, workspace));
    }
}

/// The answer to what [`notes`] wrote.
pub(super) fn written(
    model: &mut Model,
    swap: Swap,
    workspace: Workspace,
    failed: Option<Failed>,
    cx: &mut Cx,
) {
    match failed {
        None => {
            cx.effects.push(Effect::Save(workspace));
            finish(model, &swap, cx);
        }
        Some(failed) if failed.code == CONFLICT && swap.tries < TRIES => {
            let tries = swap.tries + 1;
            begin(model, Swap { tries, ..swap }, cx);
        }
        Some(failed) => model.tell(failed.text, cx.now),
    }
}

fn finish(model: &mut Model, swap: &Swap, cx: &mut Cx) {
    if swap.ended {
        cx.ask(model, swap.old, Remove {}, Asked::Ignored);
    }
}
