//! Drivers: one sans-I/O machine for each protocol that agents speak.
//!
//! In: what is wanted (open, prompt, answer, stop, set), lines the agent wrote. Out: [`Step`]s, that is
//! lines to write and [`Event`]s. Promises: no process, no clock, no file; every request the agent
//! makes of us is answered, an unknown one with an error, so that it never waits for ever (qwen-code
//! #4472); permission is picked by what an option means; an answer that comes for another
//! conversation than the one asked for opens nothing; a line that is no message is told and skipped.
//!
//! Our own JSON lines rather than the published client library of the Agent Client Protocol: that one
//! fails on an update kind it does not know, and a conversation's record is taken from every line.

mod acp;
mod claude;
mod codex;
mod rpc;

pub use acp::{Acp, Manner};
pub use claude::Claude;
pub use codex::Codex;

use crate::event::{Choice, ChoiceKind, Event, Knob};
use serde_json::Value;

/// What a driver wants done, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Write this line (without its end) to the agent.
    Send(String),
    /// The agent said this.
    Say(Event),
}

/// Which conversation to open, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// The conversation; `None`: a new one.
    pub session: Option<String>,
    /// Absolute folder the agent works in.
    pub folder: String,
    /// Model, as the framework names it; `None`: its default.
    pub model: Option<String>,
    /// Permission mode, as the framework names it; `None`: its default.
    pub mode: Option<String>,
    /// Effort, as the framework names it; `None`: its default.
    pub effort: Option<String>,
}

/// One request to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What is asked.
    pub text: String,
    /// Names the message; sent again with the same one, a framework that keeps them knows it.
    pub uuid: String,
    /// Said instead when the framework has this very message, unfinished, and does not take it twice.
    pub instead: Option<String>,
}

/// A person's answer to a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One of the card's options.
    Choice(String),
    /// Words, for a question that takes them.
    Text(String),
    /// The turn was stopped with the card open.
    Cancelled,
}

/// What can be changed while a conversation is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The model.
    Model(String),
    /// The permission mode.
    Mode(String),
    /// The effort.
    Effort(String),
}

impl Setting {
    /// Which it is.
    #[must_use]
    pub const fn knob(&self) -> Knob {
        match self {
            Self::Model(_) => Knob::Model,
            Self::Mode(_) => Knob::Mode,
            Self::Effort(_) => Knob::Effort,
        }
    }
}

/// One protocol's machine.
pub trait Driver: std::fmt::Debug + Send {
    /// Begins: what is said first, up to an open conversation. Called once, first.
    fn open(&mut self, open: Open) -> Vec<Step>;
    /// Sends a request. Only after [`Event::Ready`] and with no turn under way.
    fn prompt(&mut self, prompt: &Prompt) -> Vec<Step>;
    /// Takes one line that the agent wrote.
    fn receive(&mut self, line: &str) -> Vec<Step>;
    /// Answers a card. A card that is gone is no fault: nothing is sent.
    fn answer(&mut self, card: &str, answer: &Answer) -> Vec<Step>;
    /// Stops the turn that is under way; open cards are answered as cancelled.
    fn stop(&mut self) -> Vec<Step>;
    /// Changes a setting; an empty answer means that the protocol has no way to.
    fn set(&mut self, setting: &Setting) -> Vec<Step>;
    /// Whether the conversation that was opened showed this request as one that it has; `None`: it shows
    /// nothing of its past, or none is open.
    fn holds(&self, message: &str) -> Option<bool> {
        let _not_shown = message;
        None
    }
}

/// The option that means `wanted`, or the nearest that grants no more: "always" falls back to
/// "once", never the other way; a refusal falls back to any other refusal. By kind, never by place.
#[must_use]
pub fn pick(options: &[Choice], wanted: ChoiceKind) -> Option<&Choice> {
    use ChoiceKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce, Reply};
    let order: &[ChoiceKind] = match wanted {
        AllowOnce => &[AllowOnce],
        AllowAlways => &[AllowAlways, AllowOnce],
        RejectOnce => &[RejectOnce, RejectAlways],
        RejectAlways => &[RejectAlways, RejectOnce],
        Reply => &[Reply],
    };
    order
        .iter()
        .find_map(|kind| options.iter().find(|it| it.kind == *kind))
}

/// A text field, empty when it is not there.
fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or("")
}

/// A broken line, told and skipped.
fn broken(why: impl Into<String>) -> Vec<Step> {
    vec![Step::Say(Event::Broken { why: why.into() })]
}

#[cfg(test)]
pub(crate) mod testing {
    use super::Step;
    use crate::event::Event;
    use serde_json::Value;

    /// The lines to send, as JSON.
    pub(crate) fn sent(steps: &[Step]) -> Vec<Value> {
        steps
            .iter()
            .filter_map(|it| match it {
                Step::Send(line) => Some(serde_json::from_str(line).unwrap()),
                Step::Say(_) => None,
            })
            .collect()
    }

    /// The events told.
    pub(crate) fn said(steps: &[Step]) -> Vec<Event> {
        steps
            .iter()
            .filter_map(|it| match it {
                Step::Say(event) => Some(event.clone()),
                Step::Send(_) => None,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(kinds: &[ChoiceKind]) -> Vec<Choice> {
        kinds
            .iter()
            .enumerate()
            .map(|(n, kind)| Choice {
                id: n.to_string(),
                name: String::new(),
                kind: *kind,
            })
            .collect()
    }

    /// Gemini lists "always" first, others "once" first, Qwen two kinds of "always".
    #[test]
    fn an_option_is_picked_by_its_kind_wherever_it_stands() {
        use ChoiceKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let check = |kinds: &[ChoiceKind], wanted, want: Option<&str>| {
            let options = options(kinds);
            assert_eq!(
                pick(&options, wanted).map(|it| it.id.as_str()),
                want,
                "{kinds:?}"
            );
        };
        let gemini = [AllowAlways, AllowOnce, RejectOnce];
        check(&gemini, AllowOnce, Some("1"));
        check(&gemini, AllowAlways, Some("0"));
        check(&gemini, RejectAlways, Some("2"));
        check(&[AllowAlways, RejectOnce], AllowOnce, None);
        check(&[AllowOnce, RejectAlways], AllowAlways, Some("0"));
        check(&[AllowOnce, RejectAlways], RejectOnce, Some("1"));
        check(&[], AllowOnce, None);
    }
}
