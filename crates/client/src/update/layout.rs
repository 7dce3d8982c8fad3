//! The layout's way out: to the global note every client sees, and to disk.
//!
//! Promises: written at most every [`PAUSE`] while it changes; a note is replaced only at the
//! revision that was seen, and what another program put there is taken over, not lost.

use super::Cx;
use crate::Outcome;
use crate::model::{Asked, Model};
use crate::pane::Pane;
use link::layout::Workspace;
use protocol::msg::{CONFLICT, Failed, List, Note, NoteChanged, NoteList, NoteSet, Release};
use std::time::{Duration, Instant};

/// A changed layout waits this long for more changes.
const PAUSE: Duration = Duration::from_millis(200);

/// The layout changed.
pub(super) fn touch(model: &mut Model, now: Instant) {
    model.saving.dirty.get_or_insert(now);
}

/// When a changed layout is written.
pub(super) fn deadline(model: &Model) -> Option<Instant> {
    let ready = model.saving.known && !model.saving.busy && !model.bare;
    model
        .saving
        .dirty
        .filter(|_| ready)
        .map(|since| since + PAUSE)
}

/// Something that belongs into the layout, or the layout itself, is on its way: a write that was
/// not answered may have been refused, and the next must not be in vain.
pub(super) fn on_the_way(model: &Model) -> bool {
    let saving = &model.saving;
    model.creating()
        || !model.held.is_empty()
        || (!model.bare && saving.dirty.is_some() && (saving.busy || !saving.known))
}

/// Asks for the note as it is.
pub(super) fn ask(model: &mut Model, cx: &mut Cx) {
    cx.ask(model, 0, NoteList {}, Asked::Notes);
}

/// Writes the layout if it is time.
pub(super) fn settle(model: &mut Model, cx: &mut Cx) {
    if deadline(model).is_some_and(|at| cx.now >= at) {
        write(model, cx);
    }
}

/// Writes what is not written yet, on the way out. A layout whose panes others took is theirs.
pub(super) fn save_now(model: &mut Model, cx: &mut Cx, outcome: &Outcome) {
    let ours = !matches!(outcome, Outcome::Taken { .. });
    if ours && !model.bare && model.saving.dirty.is_some() {
        write(model, cx);
    }
}

fn write(model: &mut Model, cx: &mut Cx) {
    model.saving.dirty = None;
    cx.effects
        .push(super::Effect::Save(model.workspace.clone()));
    let value = match model.workspace.to_json() {
        // The last pane was closed: there is no workspace any more.
        Ok(_) if model.workspace.tabs.is_empty() => None,
        Ok(json) => Some(json),
        Err(error) => {
            model.tell(error.to_string(), cx.now);
            return;
        }
    };
    model.saving.written = value.clone().unwrap_or_default();
    model.saving.busy = true;
    // Not known only on the way out of a client that had no time to ask.
    let revision = model.saving.known.then_some(model.saving.revision);
    let message = NoteSet {
        key: model.workspace.note_key(),
        revision,
        value,
    };
    cx.ask(model, 0, message, Asked::Note);
}

/// The answer to [`write`].
pub(super) fn written(model: &mut Model, answer: Result<Vec<Note>, Failed>, cx: &mut Cx) {
    model.saving.busy = false;
    match answer {
        Ok(notes) => {
            let key = model.workspace.note_key();
            if let Some(note) = notes.iter().find(|note| note.key == key) {
                model.saving.revision = note.revision;
            }
        }
        Err(failed) if failed.code == CONFLICT => {
            model.saving.known = false;
            touch(model, cx.now);
            ask(model, cx);
        }
        Err(failed) => model.tell(failed.text, cx.now),
    }
}

/// All global notes: at the start, and when another program was faster.
pub(super) fn notes(model: &mut Model, notes: &[Note], cx: &mut Cx) {
    let key = model.workspace.note_key();
    let first = !model.saving.known && model.saving.written.is_empty();
    model.saving.known = true;
    model.saving.revision = 0;
    let restore = notes.iter().find(|note| note.key == link::notes::RESTORE);
    if first && let Some(note) = restore {
        super::comeback::found(model, &note.value);
    }
    let unsaved = notes.iter().find(|note| note.key == link::notes::UNSAVED);
    if first && let Some(note) = unsaved {
        super::host::unsaved(model, Some(&note.value), cx);
    }
    let Some(note) = notes.iter().find(|note| note.key == key) else {
        // Not there: it is written so that commands and other clients see this workspace.
        touch(model, cx.now);
        return;
    };
    model.saving.revision = note.revision;
    let Ok(theirs) = Workspace::from_json(&note.value) else {
        return;
    };
    if !first || model.saving.dirty.is_some() {
        add_missing(model, &theirs, cx);
    } else if theirs != model.workspace && !theirs.tabs.is_empty() {
        // It changed since this client was given it.
        adopt(model, theirs, cx);
    }
}

/// Panes another program put into the note get tabs of their own here.
fn add_missing(model: &mut Model, theirs: &Workspace, cx: &mut Cx) {
    let ours = model.workspace.panes();
    let active = model.workspace.active;
    for pane in theirs
        .panes()
        .into_iter()
        .filter(|pane| !ours.contains(pane))
    {
        model.workspace.add_tab(pane);
        model.panes.insert(pane, Pane::new(pane));
    }
    model.workspace.active = active;
    cx.ask(model, 0, List {}, Asked::Panes { first: false });
    touch(model, cx.now);
}

/// A note changed.
pub(super) fn changed(model: &mut Model, change: &NoteChanged, cx: &mut Cx) {
    let saving = &mut model.saving;
    let newer = change.revision > saving.revision;
    if model.bare || change.key != model.workspace.note_key() || !newer {
        return;
    }
    let Some(value) = &change.value else {
        // Closed by a command: its panes end, and with the last one the client leaves.
        saving.revision = 0;
        return;
    };
    if *value == saving.written {
        saving.revision = change.revision;
        return;
    }
    // A write of ours on its way will be refused, and then both are merged.
    if saving.busy || saving.dirty.is_some() || !saving.known {
        return;
    }
    saving.revision = change.revision;
    if let Ok(theirs) = Workspace::from_json(value)
        && !theirs.tabs.is_empty()
    {
        adopt(model, theirs, cx);
    }
}

/// Another program's layout takes the place of ours; the focus stays where it can.
fn adopt(model: &mut Model, theirs: Workspace, cx: &mut Cx) {
    let focus = model.focus();
    model.workspace = theirs;
    let panes = model.workspace.panes();
    let gone: Vec<u32> = model
        .panes
        .keys()
        .filter(|id| !panes.contains(id))
        .copied()
        .collect();
    for id in &gone {
        model.panes.remove(id);
    }
    if !gone.is_empty() {
        cx.send(0, Release { panes: gone });
    }
    for id in panes {
        model.panes.entry(id).or_insert_with(|| Pane::new(id));
    }
    let at = model
        .workspace
        .tabs
        .iter()
        .position(|t| focus.is_some_and(|f| t.root.contains(f)));
    if let Some((at, focus)) = at.zip(focus) {
        model.workspace.active = at;
        model.workspace.tabs[at].focus = focus;
    }
    model.last_tab = None;
    model.last_pane = None;
    cx.ask(model, 0, List {}, Asked::Panes { first: false });
}
