//! What the host says: answers, streams, events.

use super::claim::resync;
use super::{Cx, comeback, create, layout, leave_if_all_taken, look, swap, typing};
use crate::Outcome;
use crate::model::{Asked, Model, Place};
use crate::pane::{Pane, State};
use link::Received;
use protocol::msg::{Failed, List, PaneExited, Panes, split_offset};
use protocol::{FromHost, PaneId};

/// A message came.
pub(super) fn received(model: &mut Model, received: Received, cx: &mut Cx) {
    let Received {
        pane: PaneId(pane),
        request,
        message,
    } = received;
    let asked = model.asked.remove(&request).map(|(_, asked)| asked);
    model.silence.heard(!model.asked.is_empty(), cx.now);
    match (message, asked) {
        (FromHost::Failed(failed), Some(asked)) => refused(model, pane, asked, failed, cx),
        (message, Some(asked)) => answered(model, pane, asked, message, cx),
        (message, None) => event(model, pane, message, cx),
    }
}

fn answered(model: &mut Model, pane: u32, asked: Asked, message: FromHost, cx: &mut Cx) {
    match (asked, message) {
        (Asked::Panes { first }, FromHost::Panes(panes)) => listed(model, &panes, first, cx),
        (Asked::Create(place), FromHost::Created(made)) => {
            create::created(model, made.pane, place, cx);
        }
        (Asked::Page, FromHost::Page(bytes)) => {
            let page = term::codec::decode_page(&bytes).ok();
            give_page(model, pane, page, cx);
        }
        (Asked::Input, FromHost::Done(_)) => typing::answered(model, pane, None, cx),
        (Asked::Note, FromHost::Notes(notes)) => layout::written(model, Ok(notes.notes), cx),
        // A removed note has no entry to answer with.
        (Asked::Note, FromHost::Done(_)) => layout::written(model, Ok(Vec::new()), cx),
        (Asked::Notes, FromHost::Notes(notes)) => layout::notes(model, &notes.notes, cx),
        (Asked::SwapNotes(swap), FromHost::Notes(notes)) => {
            swap::notes(model, swap, &notes.notes, cx);
        }
        (Asked::SwapWritten(swap, workspace), _) => {
            swap::written(model, swap, workspace, None, cx);
        }
        // The rest needs no more than not having failed.
        (_, message) => stream(model, pane, message, cx),
    }
}

fn refused(model: &mut Model, pane: u32, asked: Asked, failed: Failed, cx: &mut Cx) {
    match asked {
        Asked::Create(place) => create::failed(model, place, failed.text, cx),
        Asked::Claim(panes) => {
            // One of them is gone: find out which, then claim the others.
            for id in panes {
                if let Some(pane) = model.panes.get_mut(&id) {
                    pane.claimed = None;
                }
            }
            model.listed = false;
            cx.ask(model, 0, List {}, Asked::Panes { first: false });
        }
        Asked::Page => give_page(model, pane, None, cx),
        Asked::Input => typing::answered(model, pane, Some(failed), cx),
        Asked::Note => layout::written(model, Err(failed), cx),
        Asked::Ignored => {}
        Asked::SwapWritten(swap, workspace) => {
            swap::written(model, swap, workspace, Some(failed), cx);
        }
        Asked::SwapNotes(_) | Asked::Notes | Asked::Panes { .. } | Asked::Plain => {
            model.tell(failed.text, cx.now);
        }
    }
}

fn give_page(model: &mut Model, pane: u32, page: Option<term::Page>, cx: &mut Cx) {
    if let Some(scroll) = model
        .panes
        .get_mut(&pane)
        .and_then(|pane| pane.scroll.as_mut())
    {
        scroll.page(page);
    }
    super::command::fetch(model, pane, cx);
}

/// The host's list: what is known of our panes, and which of them it does not have.
fn listed(model: &mut Model, panes: &Panes, first: bool, cx: &mut Cx) {
    model.listed = true;
    let ids: Vec<u32> = model.panes.keys().copied().collect();
    for id in ids {
        let facts = panes.panes.iter().find(|facts| facts.pane == id);
        let others = model.joining || model.replacing(id) || model.comes_back(id);
        match (facts, model.panes.get_mut(&id)) {
            (Some(facts), Some(pane)) => {
                if pane.is_taken() && facts.claimed_by.is_none() {
                    // Who took it let go of it: it is ours again, as without that one.
                    pane.state = State::Running;
                }
                let new = pane.is_to_come();
                pane.learn(facts);
                // What another program put into the layout and somebody shows already stays with
                // that one; who opens a workspace takes it all.
                let open = !(first || model.bare || model.joining);
                if new && open && facts.claimed_by.is_some() && pane.takes_input() {
                    let label = "another client".to_owned();
                    pane.state = State::Taken { label };
                }
            }
            // Others will come in their places.
            (None, _) if others => {}
            (None, Some(pane)) if matches!(pane.state, State::Away(_)) => {}
            // A pane this list is too old to know was made after it was asked for.
            (None, Some(pane)) if pane.claimed.is_some() && !first => {}
            (None, _) if first && !model.bare => {
                create::create(model, Place::Instead(id), cx);
            }
            (None, _) => create::leave_layout(model, id, cx),
            (Some(_), None) => {}
        }
    }
    let empty = model.workspace.tabs.is_empty();
    if model.joining {
        let there = |pane: &Pane| pane.state != State::Starting;
        model.joining = empty || !model.panes.values().all(there);
    } else if first && empty {
        create::create(model, Place::Tab, cx);
    }
}

/// What runs is written down no more, or again.
pub(super) fn unsaved(model: &mut Model, value: Option<&[u8]>, cx: &Cx) {
    let text = value.map(|text| String::from_utf8_lossy(text).into_owned());
    let again = || "what runs is written down again".to_owned();
    model.tell(text.unwrap_or_else(again), cx.now);
}

/// Screens, output and events.
fn event(model: &mut Model, id: u32, message: FromHost, cx: &mut Cx) {
    match message {
        FromHost::NoteChanged(change) if id == 0 && change.key == link::notes::RESTORE => {
            comeback::told(model, change.value.as_deref(), cx);
        }
        FromHost::NoteChanged(change) if id == 0 && change.key == link::notes::UNSAVED => {
            unsaved(model, change.value.as_deref(), cx);
        }
        FromHost::NoteChanged(change) if id == 0 => layout::changed(model, &change, cx),
        FromHost::Goodbye(goodbye) => {
            cx.leave(
                model,
                Outcome::HostGone {
                    reason: goodbye.reason,
                    announced: true,
                },
            );
        }
        message => stream(model, id, message, cx),
    }
}

fn stream(model: &mut Model, id: u32, message: FromHost, cx: &mut Cx) {
    // Also of a pane that stands in another workspace.
    if let FromHost::NoteChanged(change) = &message
        && change.key == link::notes::NOTICE
    {
        look::waits(model, id, change.value.as_deref(), cx);
    }
    let Some(pane) = model.panes.get_mut(&id) else {
        return;
    };
    let fits = match &message {
        FromHost::Snapshot(bytes) => match split_offset(bytes) {
            Some((offset, snapshot)) => pane.snapshot(offset, snapshot),
            None => Err(crate::pane::Gap),
        },
        FromHost::Output(bytes) => match split_offset(bytes) {
            Some((offset, output)) => pane.output(offset, output, cx.now),
            None => Err(crate::pane::Gap),
        },
        FromHost::PaneResized(size) => pane.resized(size.cols, size.rows, size.offset),
        _ => Ok(()),
    };
    if fits.is_err() {
        resync(model, id, cx);
        return;
    }
    if pane.misses_picture(model.ability) {
        let text = format!("p{id} drew a picture, which this terminal does not show");
        model.tell(text, cx.now);
    }
    let Some(pane) = model.panes.get_mut(&id) else {
        return;
    };
    if let Some(offset) = pane.ack(false) {
        cx.send(id, protocol::msg::Ack { offset });
    }
    if !matches!(message, FromHost::Output(_) | FromHost::Snapshot(_)) {
        happened(model, id, message, cx);
    }
}

/// Events of a pane of ours.
fn happened(model: &mut Model, id: u32, message: FromHost, cx: &mut Cx) {
    let shown = model.geometry().of(id).is_some();
    let comes_back = model.comes_back(id);
    let Some(pane) = model.panes.get_mut(&id) else {
        return;
    };
    match message {
        FromHost::PaneExited(exited) => {
            ended(model, id, exited, cx);
        }
        FromHost::PaneStopped(stopped) => {
            let live = pane.takes_input();
            let state = if stopped.stopped {
                State::Stopped
            } else {
                State::Running
            };
            if live {
                pane.state = state;
            }
        }
        FromHost::PaneTaken(taken) => {
            pane.state = State::Taken {
                label: taken.label.clone(),
            };
            pane.claimed = None;
            pane.outbox.clear();
            leave_if_all_taken(model, &taken.label, cx);
        }
        FromHost::PaneCreated(_) if pane.is_to_come() => {
            cx.ask(model, 0, List {}, Asked::Panes { first: false });
        }
        // Who took it may only look elsewhere, or have let go of it: the list says.
        FromHost::PaneShown(shown) if !shown.shown && pane.is_taken() => {
            cx.ask(model, 0, List {}, Asked::Panes { first: false });
        }
        // It makes room for the next try.
        FromHost::PaneRemoved(_) if comes_back => {
            model.panes.insert(id, Pane::new(id));
        }
        FromHost::PaneRemoved(_) => create::leave_layout(model, id, cx),
        FromHost::NoteChanged(change) => {
            let before = pane.other_conversation();
            pane.noted(change.key, change.value);
            let other = pane.other_conversation();
            if let Some(words) = other.filter(|it| Some(it) != before.as_ref()) {
                // What to do first: the line may be cut.
                let text = format!("p{id}: `abide reopen p{id}` asks again; {words}");
                model.tell(text, cx.now);
            }
        }
        FromHost::Title(title) => pane.title = title.title,
        FromHost::Bell(_) if shown => cx.effects.push(super::Effect::Write("\x07".to_owned())),
        FromHost::Bell(_) => pane.bell = true,
        FromHost::Notice(notice) => {
            pane.bell |= !shown;
            let parts = [notice.title.as_str(), notice.body.as_str()];
            let words: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            model.tell(format!("p{id}: {}", words.join(": ")), cx.now);
        }
        FromHost::Clipboard(clipboard) if shown => {
            let bytes = crate::sequences::clipboard_bytes(&clipboard.bytes);
            if !bytes.is_empty() {
                cx.effects.push(super::Effect::Write(bytes));
            }
        }
        FromHost::InputRefused(refused) => {
            let bytes = refused.bytes;
            let text = format!("p{id} does not read its input; {bytes} bytes were not typed");
            model.tell(text, cx.now);
        }
        // Nothing to show for the others.
        _ => {}
    }
}

/// A shell that ends so long after a key at most was left by the user.
const BY_KEY_MS: u64 = 10_000;

/// A pane's program ended. Closed by the user, or ended well: as in tmux the pane goes, and so does a
/// shell that the user left after a command that failed, which ends it with that one's status.
/// Everything else stays readable until the user has seen it.
fn ended(model: &mut Model, id: u32, exited: PaneExited, cx: &mut Cx) {
    let Some(pane) = model.panes.get_mut(&id) else {
        return;
    };
    let (raw, note) = (exited.raw_status, exited.end_note);
    let by_key = exited.since_input_ms.is_some_and(|ms| ms <= BY_KEY_MS);
    let by_itself = raw & 0x7f == 0 && note.is_empty();
    let left = by_key && by_itself && pane.argv == model.config.argv;
    pane.state = State::Exited { raw, note };
    pane.outbox.clear();
    if pane.closing {
        create::close(model, id, cx);
    } else if raw == 0 || left {
        create::leave_layout(model, id, cx);
    }
}
