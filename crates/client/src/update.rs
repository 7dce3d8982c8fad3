//! What happens when something happens: event in, changed model and effects out.
//!
//! In: keys, messages of the host, the time. Out: effects for [`crate::run`]. Promises: pure, so
//! every rule here is a table test; after each event the host is told what changed (claims,
//! sizes, focus, layout), once; a request that fails is either dealt with or shown.

mod claim;
mod comeback;
mod command;
mod create;
mod hold;
mod host;
mod keys;
mod layout;
mod look;
mod mouse;
mod scrolling;
mod silence;
mod swap;
#[cfg(test)]
mod tests;
mod typing;

pub(crate) use keys::prefix_name;
pub(crate) use silence::Silence;

use crate::Outcome;
use crate::input::{Input, Reply};
use crate::model::{Asked, Model, RESIZE_PAUSE};
use crate::pane::State;
use link::Received;
use link::layout::Workspace;
use protocol::msg::{List, Subscribe};
use protocol::{PaneId, ToHost};
use std::time::{Duration, Instant};

/// How long the outer terminal has to tell its colours before programs are started without them.
const COLOURS: Duration = Duration::from_millis(150);

/// How long a client waits for the panes of another one that opens the same workspace.
const JOINING: Duration = Duration::from_secs(2);

/// How long leaving waits for panes that are being made, so that the layout has them.
const LEAVING: Duration = Duration::from_secs(1);

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// The client begins.
    Start,
    /// The user, or the outer terminal.
    Input(Input),
    /// The host said something.
    Host(Received),
    /// The connection is over.
    HostGone(String),
    /// The outer terminal is gone.
    WindowClosed,
    /// What an act came to, in words.
    Acted(String),
    /// A signal that ends programs.
    Signal(i32),
    /// The outer terminal has this many columns and rows.
    Resize(u16, u16),
    /// A deadline passed.
    Tick,
    /// Everything that came so far has been used.
    Idle,
}

/// Something to do.
#[derive(Debug, PartialEq)]
pub(crate) enum Effect {
    /// A message for the host; request 0 asks for no answer.
    Send {
        /// The pane it concerns.
        pane: PaneId,
        /// The request's id.
        request: u32,
        /// The message.
        message: ToHost,
    },
    /// The layout, for disk.
    Save(Workspace),
    /// An act of the caller's.
    Act(crate::Act),
    /// Bytes for the outer terminal, beside frames.
    Write(String),
    /// Switch the outer terminal's kitty keyboard on.
    Kitty,
    /// Leave.
    Leave(Outcome),
}

/// The moment, and what is to be done after it.
pub(crate) struct Cx {
    /// The time of the event.
    pub(crate) now: Instant,
    /// Effects so far, in order.
    pub(crate) effects: Vec<Effect>,
}

impl Cx {
    /// Leaves, once the panes on their way have come: they would stand in no layout. And once the outer
    /// terminal answered what it was asked at the start: whoever reads it next would be typed that.
    fn leave(&mut self, model: &mut Model, outcome: Outcome) {
        let can_wait = !matches!(outcome, Outcome::HostGone { .. } | Outcome::Taken { .. });
        if can_wait && (layout::on_the_way(model) || model.waiting.is_some()) {
            let until = self.now + LEAVING;
            model.leaving.get_or_insert((outcome, until));
        } else {
            self.leave_now(model, outcome);
        }
    }

    fn leave_now(&mut self, model: &mut Model, outcome: Outcome) {
        if !model.left {
            layout::save_now(model, self, &outcome);
            model.left = true;
            self.effects.push(Effect::Leave(outcome));
        }
    }

    /// A message that is not answered.
    fn send(&mut self, pane: u32, message: impl Into<ToHost>) {
        self.effects.push(Effect::Send {
            pane: PaneId(pane),
            request: 0,
            message: message.into(),
        });
    }

    /// A request; its answer comes back as `asked`.
    fn ask(&mut self, model: &mut Model, pane: u32, message: impl Into<ToHost>, asked: Asked) {
        model.last_request = model.last_request.checked_add(1).unwrap_or(1);
        let request = model.last_request;
        model.asked.insert(request, (pane, asked));
        model.silence.asked(self.now);
        self.effects.push(Effect::Send {
            pane: PaneId(pane),
            request,
            message: message.into(),
        });
    }
}

/// Changes the model by an event.
pub(crate) fn update(model: &mut Model, event: Event, now: Instant) -> Vec<Effect> {
    let mut cx = Cx {
        now,
        effects: Vec::new(),
    };
    if model.left {
        return cx.effects;
    }
    // What the user does after leaving is meant for nothing here.
    if let Event::Input(input) = &event
        && model.leaving.is_some()
        && !matches!(input, Input::Reply(_))
    {
        return cx.effects;
    }
    match event {
        Event::Start => start(model, &mut cx),
        Event::Input(input) => hold::input(model, input, &mut cx),
        Event::Host(received) => host::received(model, received, &mut cx),
        Event::HostGone(reason) => {
            let announced = false;
            cx.leave(model, Outcome::HostGone { reason, announced });
        }
        Event::WindowClosed => cx.leave(model, Outcome::Detached),
        Event::Acted(text) => model.tell(text, cx.now),
        Event::Signal(signal) => cx.leave(model, Outcome::Signal(signal)),
        Event::Resize(cols, rows) => resize(model, cols, rows, cx.now),
        Event::Tick => {}
        Event::Idle => acknowledge(model, true, &mut cx),
    }
    settle(model, &mut cx);
    cx.effects
}

/// When [`Event::Tick`] is due, and a frame with it.
pub(crate) fn deadline(model: &Model) -> Option<Instant> {
    let panes = model.panes.values().flat_map(|p| [p.deadline(), p.retry()]);
    panes
        .chain([
            model.waiting,
            model.resizing,
            model.join_until.filter(|_| model.joining),
            model.leaving.as_ref().map(|(_, until)| *until),
            model.message.as_ref().map(|(_, until)| *until),
            model.silence.deadline(),
            layout::deadline(model),
            keys::deadline(model),
        ])
        .flatten()
        .min()
}

fn start(model: &mut Model, cx: &mut Cx) {
    model.waiting = Some(cx.now + COLOURS);
    model.join_until = model.joining.then_some(cx.now + JOINING);
    tell_viewer(model, cx);
    cx.ask(model, 0, Subscribe {}, Asked::Plain);
    cx.ask(model, 0, List {}, Asked::Panes { first: true });
    if !model.bare {
        layout::ask(model, cx);
    }
}

fn resize(model: &mut Model, cols: u16, rows: u16, now: Instant) {
    model.size = crate::model::drawable(cols, rows);
    model.resizing.get_or_insert(now + RESIZE_PAUSE);
    model.drag = None;
}

fn input(model: &mut Model, input: Input, cx: &mut Cx) {
    match input {
        Input::Key(key) => keys::key(model, &key, cx),
        Input::Mouse(mouse) => mouse::mouse(model, mouse, cx),
        Input::Paste(text) => typing::paste(model, &text, cx),
        Input::PasteTooLong => model.tell("the paste was over 16 MiB and was not typed", cx.now),
        Input::Focus(focused) => look::focus(model, focused),
        Input::Reply(reply) => self::reply(model, reply, cx),
    }
}

fn reply(model: &mut Model, reply: Reply, cx: &mut Cx) {
    let before = model.viewer.clone();
    match reply {
        Reply::Foreground(colour) => model.viewer.foreground = Some(colour),
        Reply::Background(colour) => model.viewer.background = Some(colour),
        Reply::Cursor(colour) => model.viewer.cursor = Some(colour),
        Reply::Cell(width, height) => model.viewer.cell = (width, height),
        Reply::Kitty => cx.effects.push(Effect::Kitty),
        Reply::Theme => cx
            .effects
            .push(Effect::Write(crate::sequences::ask_colours().to_owned())),
        Reply::Attributes { sixel } => {
            model.waiting = None;
            model.ability.sixel |= sixel;
        }
    }
    // Told one by one while the answers come in.
    if model.viewer != before {
        tell_viewer(model, cx);
    }
}

/// What the outer terminal is; who only looks does not decide how panes answer.
fn tell_viewer(model: &Model, cx: &mut Cx) {
    if !model.watch {
        cx.send(0, model.viewer.clone());
    }
}

/// Brings everything in line with the model: claims, focus, title, layout.
fn settle(model: &mut Model, cx: &mut Cx) {
    if model.left {
        return;
    }
    if model.waiting.is_some_and(|until| cx.now >= until) {
        model.waiting = None;
    }
    if model.joining && model.join_until.is_some_and(|until| cx.now >= until) {
        // The other one is gone: what is missing is made here.
        model.joining = false;
        cx.ask(model, 0, List {}, Asked::Panes { first: true });
    }
    if model.waiting.is_none() {
        for place in std::mem::take(&mut model.wanted) {
            create::create(model, place, cx);
        }
    }
    if model.resizing.is_some_and(|until| cx.now >= until) {
        model.resizing = None;
    }
    for pane in model.panes.values_mut() {
        pane.release(cx.now);
    }
    if model
        .message
        .as_ref()
        .is_some_and(|(_, until)| cx.now >= *until)
    {
        model.message = None;
    }
    keys::settle(model, cx.now);
    silence::settle(model, cx);
    hold::settle(model, cx);
    acknowledge(model, false, cx);
    typing::drain(model, cx);
    typing::tell_focus(model, cx);
    mouse::settle(model, cx);
    claim::claim(model, cx);
    look::settle(model, cx);
    title(model, cx);
    layout::settle(model, cx);
    leave_if_ready(model, cx);
}

/// Leaves when what leaving waited for has come or had the time.
fn leave_if_ready(model: &mut Model, cx: &mut Cx) {
    let waits = layout::on_the_way(model) || model.waiting.is_some();
    let due = |until: Instant| cx.now >= until || !waits;
    if model.leaving.as_ref().is_none_or(|(_, until)| !due(*until)) {
        return;
    }
    let Some((outcome, _)) = model.leaving.take() else {
        return;
    };
    // A pane came when the last one had gone.
    if outcome != Outcome::Closed || model.workspace.tabs.is_empty() {
        cx.leave_now(model, outcome);
    }
}

fn acknowledge(model: &mut Model, idle: bool, cx: &mut Cx) {
    for pane in model.panes.values_mut() {
        if let Some(offset) = pane.ack(idle) {
            cx.send(pane.id, protocol::msg::Ack { offset });
        }
    }
}

/// The outer window's title: workspace and focused pane.
fn title(model: &mut Model, cx: &mut Cx) {
    let pane = model.focus().and_then(|id| model.panes.get(&id));
    let pane_title = pane.map(crate::pane::Pane::label).unwrap_or_default();
    let title = if model.bare {
        pane_title
    } else {
        format!("{} - {pane_title}", model.workspace.name)
    };
    if title != model.outer_title {
        cx.effects
            .push(Effect::Write(crate::sequences::title_bytes(&title)));
        model.outer_title = title;
    }
}

/// Leaves when no pane is ours any more.
fn leave_if_all_taken(model: &mut Model, label: &str, cx: &mut Cx) {
    let ours = |state: &State| {
        !matches!(
            state,
            State::Taken { .. } | State::Failed(_) | State::Away(_)
        )
    };
    if !model.panes.values().any(|pane| ours(&pane.state)) {
        cx.leave(
            model,
            Outcome::Taken {
                by: label.to_owned(),
            },
        );
    }
}
