//! Bytes for panes: keys, pastes, focus. A pane's own modes decide their form.

use super::Cx;
use crate::model::{Asked, Model};
use crate::outbox::Refused;
use crate::pane::Pane;
use protocol::ToHost;
use protocol::msg::{Failed, INPUT_FULL};
use term::Modes;
use term::input::{KeyInput, encode_focus, encode_key, encode_paste};

fn modes(pane: &Pane) -> Modes {
    pane.terminal()
        .map(|terminal| terminal.modes().clone())
        .unwrap_or_default()
}

/// A key for a pane.
pub(super) fn key(model: &mut Model, pane: u32, key: &KeyInput, cx: &mut Cx) {
    if let Some(pane) = model.panes.get_mut(&pane) {
        let bytes = match pane.terminal() {
            Some(terminal) => encode_key(key, terminal.modes()),
            None => encode_key(key, &Modes::default()),
        };
        let id = pane.id;
        self::bytes(model, id, &bytes, cx);
    }
}

/// Bytes for a pane: at once, or behind what waits.
pub(super) fn bytes(model: &mut Model, id: u32, bytes: &[u8], cx: &mut Cx) {
    let Some(pane) = model.panes.get_mut(&id).filter(|_| !bytes.is_empty()) else {
        return;
    };
    if model.watch {
        model.tell("only looking: nothing is typed", cx.now);
    } else if pane.outbox.is_empty() && pane.claimed.is_some() && pane.takes_input() {
        cx.send(id, ToHost::Input(bytes.to_vec()));
        model.silence.typed(cx.now);
    } else if !pane.outbox.push(bytes) {
        model.tell(
            format!("p{id} does not read its input; the key was not typed"),
            cx.now,
        );
    }
}

/// A paste for the focused pane.
pub(super) fn paste(model: &mut Model, text: &[u8], cx: &mut Cx) {
    if let crate::model::Mode::Rename(name) = &mut model.mode {
        let text = String::from_utf8_lossy(text);
        name.extend(text.chars().filter(|c| !c.is_control()).take(64));
        return;
    }
    let Some(pane) = model.focused() else {
        return;
    };
    let id = pane.id;
    if pane
        .scroll
        .as_ref()
        .is_some_and(|scroll| !scroll.is_passing())
    {
        model.tell(super::scrolling::NOT_ITS_OWN, cx.now);
        return;
    }
    pane.scroll = None;
    if model.watch {
        model.tell("only looking: the paste was not typed", cx.now);
        return;
    }
    let Some(pane) = model.panes.get_mut(&id) else {
        return;
    };
    if !pane.takes_input() && pane.state != crate::pane::State::Starting {
        model.tell(
            format!("p{id} has no running program; the paste was not typed"),
            cx.now,
        );
        return;
    }
    let bytes = encode_paste(text, &modes(pane));
    if !bytes.is_empty() && !pane.outbox.push(&bytes) {
        model.tell(
            format!("p{id} does not read its input; the paste was not typed"),
            cx.now,
        );
    }
}

/// Sends what waits, as far as it may go.
pub(super) fn drain(model: &mut Model, cx: &mut Cx) {
    let mut messages = Vec::new();
    for pane in model.panes.values_mut() {
        if pane.claimed.is_some()
            && pane.takes_input()
            && let Some(message) = pane.outbox.next(cx.now)
        {
            messages.push((pane.id, message));
        }
    }
    for (pane, message) in messages {
        cx.ask(model, pane, ToHost::Input(message), Asked::Input);
    }
}

/// The host's answer to a message that must not be lost.
pub(super) fn answered(model: &mut Model, id: u32, failed: Option<Failed>, cx: &Cx) {
    let Some(pane) = model.panes.get_mut(&id) else {
        return;
    };
    let Some(failed) = failed else {
        pane.outbox.taken();
        return;
    };
    if failed.code != INPUT_FULL {
        pane.outbox.clear();
        model.tell(failed.text, cx.now);
        return;
    }
    if let Refused::GivenUp(bytes) = pane.outbox.refused(cx.now) {
        let text = format!("p{id} does not read its input; {bytes} bytes were not typed");
        model.tell(text, cx.now);
    }
}

/// Tells panes that asked when they get and lose the focus. Nothing is told at the start: a
/// program that is just drawing would take it for typing.
pub(super) fn tell_focus(model: &mut Model, cx: &mut Cx) {
    let now = model.focus().filter(|_| model.outer_focus && !model.watch);
    let Some(before) = model.told_focus.replace(now) else {
        return;
    };
    if before == now {
        return;
    }
    for (id, focused) in [(before, false), (now, true)] {
        let Some(pane) = id
            .and_then(|id| model.panes.get(&id))
            .filter(|p| p.takes_input())
        else {
            continue;
        };
        let told = pane
            .terminal()
            .and_then(|terminal| encode_focus(focused, terminal.modes()));
        if let Some(told) = told {
            let id = pane.id;
            bytes(model, id, &told, cx);
        }
    }
}
