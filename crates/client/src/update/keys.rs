//! The keyboard: commands behind the prefix, questions, the scrollback view, and typing.

use super::{Cx, command, create, scrolling, typing};
use crate::keys::{Command, command as bound, is_prefix, typed};
use crate::model::{Mode, Model, Question};
use crate::pane::State;
use protocol::msg::Continue;
use std::time::{Duration, Instant};
use term::input::{Key, KeyInput};

/// How long a resizing key may be repeated without the prefix.
const REPEAT: Duration = Duration::from_millis(500);
/// Longest name of a tab, in characters.
const MAX_NAME: usize = 64;

/// When a repeat ends.
pub(super) const fn deadline(model: &Model) -> Option<Instant> {
    match model.mode {
        Mode::Repeat(until) => Some(until),
        Mode::Normal | Mode::Prefix | Mode::Confirm(_) | Mode::Rename(_) | Mode::Help(_) => None,
    }
}

/// Ends a repeat whose time is over.
pub(super) fn settle(model: &mut Model, now: Instant) {
    if deadline(model).is_some_and(|until| now >= until) {
        model.mode = Mode::Normal;
    }
}

/// A key went down.
pub(super) fn key(model: &mut Model, key: &KeyInput, cx: &mut Cx) {
    // Keys that only change others must not end a prefix.
    if matches!(key.key, Key::Other(_)) && model.mode != Mode::Normal {
        return;
    }
    match std::mem::take(&mut model.mode) {
        Mode::Prefix => after_prefix(model, key, cx),
        Mode::Repeat(until) if cx.now < until => match bound(key).filter(|c| c.repeats()) {
            Some(command) => run(model, command, cx),
            None => normal(model, key, cx),
        },
        Mode::Normal | Mode::Repeat(_) => normal(model, key, cx),
        Mode::Help(_) if is_prefix(key, model.config.prefix) => model.mode = Mode::Prefix,
        Mode::Help(at) => scrolling::help_key(model, at, key),
        Mode::Confirm(question) => {
            if matches!(typed(key), Some('y' | 'Y')) {
                answer(model, question, cx);
            }
        }
        Mode::Rename(name) => rename(model, name, key, cx),
    }
}

fn after_prefix(model: &mut Model, key: &KeyInput, cx: &mut Cx) {
    if is_prefix(key, model.config.prefix) {
        to_pane(model, key, cx);
    } else if let Some(command) = bound(key) {
        run(model, command, cx);
    } else if key.key != Key::Escape {
        let text = format!(
            "no command on that key; {} ? lists them",
            prefix_name(model)
        );
        model.tell(text, cx.now);
    }
}

/// The prefix as people write it.
pub(crate) fn prefix_name(model: &Model) -> String {
    format!("Ctrl-{}", model.config.prefix)
}

fn run(model: &mut Model, command: Command, cx: &mut Cx) {
    command::run(model, command, cx);
    if command.repeats() {
        model.mode = Mode::Repeat(cx.now + REPEAT);
    }
}

fn answer(model: &mut Model, question: Question, cx: &mut Cx) {
    match question {
        Question::KillPane(pane) => create::end(model, pane, cx),
        Question::Fresh => {
            let act = crate::Act::Fresh(model.workspace.id.clone());
            cx.effects.push(super::Effect::Act(act));
        }
        Question::KillTab => {
            let panes = model.tab().map(|tab| tab.root.panes()).unwrap_or_default();
            for pane in panes {
                create::end(model, pane, cx);
            }
        }
    }
}

fn rename(model: &mut Model, mut name: String, key: &KeyInput, cx: &Cx) {
    match key.key {
        Key::Escape => return,
        Key::Enter => {
            if let Some(tab) = model.tab_mut() {
                let name = name.trim();
                tab.name = (!name.is_empty()).then(|| name.to_owned());
                super::layout::touch(model, cx.now);
            }
            return;
        }
        Key::Backspace => {
            name.pop();
        }
        _ => {
            let room = name.chars().count() < MAX_NAME;
            name.extend(typed(key).filter(|c| room && !c.is_control()));
        }
    }
    model.mode = Mode::Rename(name);
}

fn normal(model: &mut Model, key: &KeyInput, cx: &mut Cx) {
    if is_prefix(key, model.config.prefix) {
        model.mode = Mode::Prefix;
    } else {
        to_pane(model, key, cx);
    }
}

/// A key for the focused pane, or for what stands in its place.
fn to_pane(model: &mut Model, key: &KeyInput, cx: &mut Cx) {
    let watch = model.watch;
    let Some(pane) = model.focused() else {
        return;
    };
    let id = pane.id;
    if let Some(scroll) = &pane.scroll {
        // Who typed on after the wheel means the program.
        if scroll.is_passing() && typed(key).is_some() {
            command::close_scroll(model, id);
            to_pane(model, key, cx);
        } else {
            scrolling::view_key(model, id, key, cx);
        }
        return;
    }
    let enter = key.key == Key::Enter;
    match &pane.state {
        State::Exited { .. } | State::Failed(_) if enter => create::again(model, id, cx),
        State::Taken { .. } if enter => create::take_back(model, id, cx),
        // Who types on without looking neither closes it nor starts anything: that was meant for the
        // program that ended.
        State::Exited { .. } | State::Failed(_) | State::Taken { .. } | State::Away(_) => {}
        State::Stopped if enter && !watch => {
            cx.ask(model, id, Continue {}, crate::model::Asked::Plain);
        }
        State::Stopped | State::Starting | State::Running => typing::key(model, id, key, cx),
    }
}
