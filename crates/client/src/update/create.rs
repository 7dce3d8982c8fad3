//! Panes that come and go: making, starting again, ending, closing, taking back.

use super::{Cx, command, layout, swap};
use crate::Outcome;
use crate::geometry::{arrange, ops};
use crate::model::{Asked, Model, Place, Swap};
use crate::pane::{Pane, State};
use link::layout::Tab;
use link::notes::{self, EnvNote, IntentNote};
use protocol::msg::{Bytes, Create, Kill, List, NoteSet, Release, Remove};
use ratatui::layout::Rect;

/// Stands for the pane to come while its size is worked out; never a pane's id.
const TO_COME: u32 = u32::MAX;

/// Asks the host for a pane that will stand at `place`.
pub(super) fn create(model: &mut Model, place: Place, cx: &mut Cx) {
    if model.waiting.is_some() {
        model.wanted.push(place);
        return;
    }
    let Some(size) = size_at(model, place) else {
        model.tell("there is no room for another pane here", cx.now);
        return;
    };
    if model.workspace.panes().len() >= link::layout::MAX_PANES {
        model.tell(
            "this workspace has 256 panes, the most there can be",
            cx.now,
        );
        return;
    }
    let old = match place {
        Place::Instead(old) => model.panes.get(&old).filter(|pane| !pane.argv.is_empty()),
        Place::Tab | Place::Beside(..) => None,
    };
    let (argv, cwd) = match old {
        Some(pane) => (pane.argv.clone(), pane.cwd.clone()),
        None => (
            model.config.argv.clone(),
            model.workspace.folder.clone().into_bytes(),
        ),
    };
    let mut notes = first_notes(model, place);
    // A program that is started again keeps what it kept; an agent's kept nothing.
    let keep = match old {
        Some(pane) => pane.note(notes::KEEP).cloned(),
        None => model.config.keep.clone(),
    };
    notes.extend(keep.clone().map(|value| (notes::KEEP.to_owned(), value)));
    let keep = keep.map(|value| (b"ABIDE_KEEP".to_vec(), value));
    let (given, missing) = old.map(|pane| given(model, pane)).unwrap_or_default();
    let message = Create {
        id: None,
        argv,
        cwd,
        env: Some(model.config.env.clone()),
        set_env: given.into_iter().chain(keep).collect(),
        cols: size.width,
        rows: size.height,
        notes,
        seed: None,
    };
    if let Some(names) = missing {
        let text = format!("without {names}, which `--env` gave: secrets are kept nowhere");
        model.tell(text, cx.now);
    }
    cx.ask(model, 0, message, Asked::Create(place));
}

/// What the user set for a pane, to be set again; the names of what nobody has any more.
fn given(model: &Model, pane: &Pane) -> (Vec<(Bytes, Bytes)>, Option<String>) {
    let note = pane.note(notes::ENV);
    let note: EnvNote = note.and_then(|it| notes::from_json(it)).unwrap_or_default();
    let own = |name: &&String| {
        let mut env = model.config.env.iter();
        env.any(|(known, _)| known == name.as_bytes())
    };
    let missing: Vec<&str> = note
        .named
        .iter()
        .filter(|name| !own(name))
        .map(String::as_str)
        .collect();
    let missing = (!missing.is_empty()).then(|| missing.join(", "));
    let bytes = |(name, value): (String, String)| (name.into_bytes(), value.into_bytes());
    (note.set.into_iter().map(bytes).collect(), missing)
}

/// What the host keeps about the new pane: where it belongs, should this client be killed before it
/// can write its layout.
fn first_notes(model: &Model, place: Place) -> Vec<(String, Bytes)> {
    let mut first: Vec<(String, Bytes)> = Vec::new();
    if let Place::Instead(old) = place
        && let Some(old) = model.panes.get(&old)
    {
        let its_own = ["name", notes::PRIVATE, notes::ENV];
        let kept = |key: &str| its_own.contains(&key) || (key == "workspace" && model.bare);
        let old = old.notes.iter();
        first.extend(old.filter(|(key, _)| kept(key)).cloned());
    }
    if model.bare {
        return first;
    }
    let workspace = model.workspace.id.clone().into_bytes();
    first.push(("workspace".to_owned(), workspace));
    let belongs = match place {
        Place::Tab => None,
        Place::Beside(beside, direction) => Some(link::place::Place::Beside { beside, direction }),
        Place::Instead(instead) => Some(link::place::Place::Instead { instead }),
    };
    first.extend(belongs.map(|place| (link::place::NOTE.to_owned(), place.to_json())));
    first
}

/// Room for the pane's cells at that place, so that it starts with its final size.
fn size_at(model: &Model, place: Place) -> Option<Rect> {
    let area = model.area();
    match place {
        Place::Tab => Some(area),
        Place::Instead(old) => {
            let tab = model
                .workspace
                .tabs
                .iter()
                .find(|tab| tab.root.contains(old))?;
            let whole = Tab {
                zoomed: tab.zoomed && tab.focus == old,
                ..tab.clone()
            };
            arrange(&whole, area).of(old).map(|place| place.content)
        }
        Place::Beside(pane, direction) => {
            let mut tab = model
                .workspace
                .tabs
                .iter()
                .find(|tab| tab.root.contains(pane))?
                .clone();
            ops::split(&mut tab, area, pane, direction, TO_COME).then_some(())?;
            arrange(&tab, area).of(TO_COME).map(|place| place.content)
        }
    }
}

/// The host made it.
pub(super) fn created(model: &mut Model, id: u32, place: Place, cx: &mut Cx) {
    let mut pane = Pane::new(id);
    pane.state = State::Running;
    let area = model.area();
    match place {
        Place::Instead(old) if model.workspace.replace_pane(old, id) => {
            if let Some(old) = model.panes.remove(&old) {
                replaced(model, &old, id, cx);
                pane.notes = old.notes;
                pane.argv = old.argv;
                pane.cwd = old.cwd;
                pane.outbox = old.outbox;
            }
        }
        Place::Beside(beside, direction) => {
            let tabs = &mut model.workspace.tabs;
            let tab = tabs.iter_mut().find(|tab| tab.root.contains(beside));
            let before = tab.as_ref().map(|tab| tab.focus);
            // The pane beside it, or the room, may have gone meanwhile.
            if tab.is_some_and(|tab| ops::split(tab, area, beside, direction, id)) {
                model.last_pane = before;
            } else {
                model.workspace.add_tab(id);
            }
        }
        Place::Tab | Place::Instead(_) => {
            model.last_tab = Some(model.workspace.active);
            model.last_pane = None;
            model.workspace.add_tab(id);
        }
    }
    if pane.argv.is_empty() {
        pane.argv.clone_from(&model.config.argv);
        pane.cwd = model.workspace.folder.clone().into_bytes();
    }
    model.panes.insert(id, pane);
    layout::touch(model, cx.now);
}

/// The old pane is not needed any more, once nothing shows it.
fn replaced(model: &mut Model, old: &Pane, new: u32, cx: &mut Cx) {
    let workspace = old.note("workspace").filter(|_| model.bare);
    if let Some(workspace) = workspace {
        let swap = Swap {
            workspace: String::from_utf8_lossy(workspace).into_owned(),
            old: old.id,
            new,
            ended: old.ended,
            tries: 0,
        };
        swap::begin(model, swap, cx);
    } else if old.ended {
        tell_intent(model, old.id, cx);
        cx.ask(model, old.id, Remove {}, Asked::Ignored);
    }
}

/// The host could not.
pub(super) fn failed(model: &mut Model, place: Place, text: String, cx: &Cx) {
    match place {
        Place::Instead(old) if model.panes.contains_key(&old) => {
            if let Some(pane) = model.panes.get_mut(&old) {
                pane.state = State::Failed(text);
            }
        }
        Place::Instead(_) | Place::Tab | Place::Beside(..) => model.tell(text, cx.now),
    }
}

/// Starts an ended pane's program anew, in the same place.
pub(super) fn again(model: &mut Model, pane: u32, cx: &mut Cx) {
    if model.watch {
        model.tell("only looking: nothing is started", cx.now);
        return;
    }
    if let Some(pane) = model.panes.get_mut(&pane) {
        pane.ended = matches!(pane.state, State::Exited { .. });
        pane.state = State::Starting;
    }
    create(model, Place::Instead(pane), cx);
}

/// Ends a pane's program; the pane is closed when it has ended.
pub(super) fn end(model: &mut Model, id: u32, cx: &mut Cx) {
    let Some(pane) = model.panes.get_mut(&id) else {
        return;
    };
    if pane.takes_input() {
        pane.closing = true;
        tell_intent(model, id, cx);
        cx.ask(model, id, Kill {}, Asked::Plain);
    } else {
        close(model, id, cx);
    }
}

/// Says that the user wants the pane gone, before it goes: whoever writes down what is to come back
/// sees this first.
fn tell_intent(model: &mut Model, id: u32, cx: &mut Cx) {
    let note = IntentNote {
        ended_by_user: true,
        ..IntentNote::default()
    };
    let set = NoteSet {
        key: notes::INTENT.to_owned(),
        revision: None,
        value: Some(notes::to_json(&note)),
    };
    cx.ask(model, id, set, Asked::Ignored);
}

/// Takes an ended pane out of the layout and lets the host forget it.
pub(super) fn close(model: &mut Model, id: u32, cx: &mut Cx) {
    let exited = |pane: &Pane| matches!(pane.state, State::Exited { .. });
    if !model.watch && model.panes.get(&id).is_some_and(exited) {
        tell_intent(model, id, cx);
        cx.ask(model, id, Remove {}, Asked::Ignored);
    }
    leave_layout(model, id, cx);
}

/// Takes a pane out of the layout; with the last one the client leaves.
pub(super) fn leave_layout(model: &mut Model, id: u32, cx: &mut Cx) {
    let Some(pane) = model.panes.remove(&id) else {
        return;
    };
    if pane.claimed.is_some() {
        cx.send(0, Release { panes: vec![id] });
    }
    let before = model.focus();
    let last = model.last_pane.take().filter(|last| *last != id);
    model.workspace.remove_pane(id);
    if model.workspace.tabs.is_empty() {
        layout::touch(model, cx.now);
        let outcome = match pane.state {
            State::Exited { raw, .. } if model.bare => Outcome::Ended {
                pane: protocol::PaneId(id),
                raw,
            },
            _ => Outcome::Closed,
        };
        cx.leave(model, outcome);
        return;
    }
    model.last_tab = model
        .last_tab
        .filter(|tab| *tab < model.workspace.tabs.len());
    if before == Some(id) {
        // As in tmux, the pane before gets the focus back.
        let here = model
            .tab()
            .is_some_and(|tab| last.is_some_and(|p| tab.root.contains(p)));
        command::focus_pane(model, last.filter(|_| here), cx);
        model.last_pane = None;
    } else {
        model.last_pane = last;
    }
    layout::touch(model, cx.now);
}

/// Takes a pane back from the client that took it.
pub(super) fn take_back(model: &mut Model, id: u32, cx: &mut Cx) {
    if let Some(pane) = model.panes.get_mut(&id) {
        pane.state = State::Running;
        pane.claimed = None;
        // It may have ended or stopped meanwhile.
        cx.ask(model, 0, List {}, Asked::Panes { first: false });
    }
}
