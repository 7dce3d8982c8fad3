//! What comes to a program from outside, and who looks on.

use super::Said;
use crate::driver::{Answer, Setting};
use crate::event::{Ending, Event};
use crate::record::Asked;
use crate::runner::Core;
use std::time::Instant;

/// What comes from outside.
#[derive(Debug)]
pub enum Input {
    /// The agent's process, numbered by its start.
    Agent(u64, Said),
    /// A person, or what stands for one.
    Person(Person),
    /// The machine slept, woke, or changed its network or its lid.
    Woke,
    /// The front has something to draw or was resized; nothing for the conversation.
    Front,
    /// End now: the window is gone, or a signal came. The turn goes on at the next start.
    End,
}

/// What a person does.
#[derive(Debug)]
pub enum Person {
    /// Types a request.
    Ask(String),
    /// Answers a card.
    Answer(String, Answer),
    /// Stops the turn.
    Stop,
    /// Pauses, or goes on.
    Pause(bool),
    /// Changes a setting.
    Set(Setting),
    /// Takes the last request that waits back.
    TakeBack,
    /// Leaves: a turn under way is stopped by nobody and goes on when the conversation is resumed.
    Leave,
}

/// What is shown.
#[derive(Debug)]
pub enum Shown<'a> {
    /// A request was sent, or sent again.
    Asked(&'a Asked),
    /// A turn that was cut goes on: shown as running from the first moment.
    Interrupted(&'a str),
    /// The framework said this.
    Event(&'a Event),
    /// A line that is not part of the conversation.
    Line(&'a str),
    /// A request that waited and is taken back, to be typed on.
    Back(&'a str),
}

/// Whoever looks on.
pub trait Front {
    /// Shows it. Never waits.
    fn show(&mut self, shown: &Shown<'_>);
    /// The state changed: whether a turn is under way, what waits.
    fn state(&mut self, core: &Core);
    /// A turn ended with nothing behind it. An answer ends the program with it.
    fn rest(&mut self, ending: &Ending) -> Option<Ending>;
    /// The next moment it wants to draw at by itself.
    fn due(&self) -> Option<Instant> {
        None
    }
    /// That moment has come, or something came by [`Input::Front`].
    fn draw(&mut self, _core: &Core) {}
}

/// How the program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With the last turn.
    Ended(Ending),
    /// The person left, or the window went; a turn may be under way.
    Left,
}
