//! One row of a record, and what the last rows say. Pure.

use super::MAX_ROW;
use crate::event::{Ending, Event, Output, PlanEntry, ToolOutcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// When it was written, Unix seconds.
    pub at: u64,
    /// What it says.
    #[serde(flatten)]
    pub body: Body,
}

/// What was asked, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// The request.
    pub text: String,
    /// Names the message.
    pub uuid: String,
    /// Framework.
    pub framework: String,
    /// Model, if one was chosen.
    pub model: Option<String>,
    /// Permission mode, if one was chosen.
    pub mode: Option<String>,
    /// Effort, if one was chosen.
    pub effort: Option<String>,
    /// Account home, if it is not the default one.
    pub account: Option<String>,
    /// Folder the agent works in.
    pub folder: String,
    /// How often it was sent before.
    pub again: u32,
}

/// What a row says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "row")]
pub enum Body {
    /// A request was sent.
    Asked(Asked),
    /// The framework named the conversation.
    Session {
        /// Its name.
        id: String,
    },
    /// Words of the answer.
    Text {
        /// All of them up to the next row.
        text: String,
        /// The process ended before they did.
        #[serde(default, skip_serializing_if = "is_false")]
        cut: bool,
    },
    /// Words of its reasoning.
    Thought {
        /// All of them up to the next row.
        text: String,
        /// The process ended before they did.
        #[serde(default, skip_serializing_if = "is_false")]
        cut: bool,
    },
    /// A tool was called, or more became known of a call.
    Tool {
        /// Names the call.
        id: String,
        /// The tool.
        name: String,
        /// For people.
        title: String,
        /// Its arguments.
        arguments: Value,
    },
    /// A tool call has ended.
    Result {
        /// Which.
        id: String,
        /// How.
        outcome: ToolOutcome,
        /// What it gave.
        output: Vec<Output>,
    },
    /// The plan, whole.
    Plan {
        /// Its entries.
        entries: Vec<PlanEntry>,
    },
    /// A question was put to the person.
    Question {
        /// In one line.
        title: String,
    },
    /// Tokens of the turn so far.
    Usage {
        /// Read.
        input: u64,
        /// Written.
        output: u64,
    },
    /// A line for the person.
    Notice {
        /// The line.
        text: String,
    },
    /// The turn was cut by a restart.
    Interrupted {
        /// In words.
        why: String,
    },
    /// The turn is over.
    Ended {
        /// The request it answers.
        uuid: String,
        /// How.
        ending: Ending,
    },
    /// A row of a newer build.
    #[serde(other)]
    Unknown,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_false(it: &bool) -> bool {
    !*it
}

impl Row {
    pub(super) const fn new(at: u64, body: Body) -> Self {
        Self { at, body }
    }
}

impl Body {
    /// What an event leaves in the record; `None`: nothing.
    pub(super) fn of(event: &Event, uuid: &str) -> Option<Self> {
        Some(match event {
            Event::Session { id } => Self::Session { id: id.clone() },
            Event::Tool(call) => Self::Tool {
                id: call.id.clone(),
                name: call.name.clone(),
                title: call.title.clone(),
                arguments: bounded(call.arguments.clone()),
            },
            Event::ToolEnded {
                id,
                outcome,
                output,
            } => Self::Result {
                id: id.clone(),
                outcome: *outcome,
                output: output.iter().cloned().map(shortened).collect(),
            },
            Event::Plan { entries } => Self::Plan {
                entries: entries.clone(),
            },
            Event::Usage { input, output } => Self::Usage {
                input: *input,
                output: *output,
            },
            Event::Card(card) => Self::Question {
                title: card.title.clone(),
            },
            Event::Notice { text } | Event::NotSet { text, .. } => {
                Self::Notice { text: text.clone() }
            }
            Event::Ended { ending } => Self::Ended {
                uuid: uuid.to_owned(),
                ending: ending.clone(),
            },
            Event::Lost { words } => Self::Notice {
                text: format!("the conversation is not there: {words}"),
            },
            Event::Held { words } => Self::Notice {
                text: format!("another process has the conversation: {words}"),
            },
            Event::Other { asked, got } => Self::Notice {
                text: format!("asked for {asked}, got {got}"),
            },
            Event::Broken { why } => Self::Notice { text: why.clone() },
            Event::Text { .. }
            | Event::Thought { .. }
            | Event::Ready { .. }
            | Event::Accepted
            | Event::CardGone { .. }
            | Event::Compacting { .. }
            | Event::Background { .. } => return None,
        })
    }
}

/// The middle of a text that is too long is left out, and said.
pub(super) fn short(text: &str) -> String {
    if text.len() <= MAX_ROW {
        return text.to_owned();
    }
    let half = MAX_ROW / 2;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len() - half);
    let left_out = tail - head;
    format!(
        "{}\n[{left_out} bytes left out]\n{}",
        &text[..head],
        &text[tail..]
    )
}

fn shortened(output: Output) -> Output {
    match output {
        Output::Text { text } => Output::Text { text: short(&text) },
        Output::Diff { path, old, new } => Output::Diff {
            path,
            old: old.as_deref().map(short),
            new: short(&new),
        },
        Output::Other { value } => Output::Other {
            value: bounded(value),
        },
    }
}

/// A value that is too long is kept as its shortened text.
fn bounded(value: Value) -> Value {
    let text = value.to_string();
    if text.len() <= MAX_ROW {
        return value;
    }
    Value::String(short(&text))
}

/// What streamed text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// The answer.
    Text,
    /// Its reasoning.
    Thought,
}

/// Streamed text that is no row yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) kind: Kind,
    pub(super) text: String,
}

impl Part {
    pub(super) const fn new(kind: Kind) -> Self {
        let text = String::new();
        Self { kind, text }
    }

    pub(super) fn row(self, cut: bool) -> Body {
        let text = short(&self.text);
        match self.kind {
            Kind::Text => Body::Text { text, cut },
            Kind::Thought => Body::Thought { text, cut },
        }
    }
}

/// Streamed text of an event, if it is that.
pub(super) const fn streamed(event: &Event) -> Option<(Kind, &String)> {
    match event {
        Event::Text { text } => Some((Kind::Text, text)),
        Event::Thought { text } => Some((Kind::Thought, text)),
        _ => None,
    }
}

/// The last request and the conversation it was put to, for a runner that goes on with it.
#[must_use]
pub fn last(rows: &[Row]) -> Option<(Asked, Option<String>)> {
    let mut session = None;
    let mut last = None;
    for row in rows {
        match &row.body {
            Body::Asked(asked) => last = Some(asked.clone()),
            Body::Session { id } => session = Some(id.clone()),
            _ => {}
        }
    }
    Some((last?, session))
}

/// What the last rows say about turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The last message that was asked.
    pub asked: Option<String>,
    /// Every message asked since the last end but one, oldest first.
    pub all: Vec<String>,
    /// The last message that was answered (its turn ended by itself or was stopped).
    pub ended: Option<String>,
}

impl Tail {
    /// Whether this message was asked.
    #[must_use]
    pub fn seen(&self, uuid: &str) -> bool {
        self.all.iter().any(|it| it == uuid)
    }
}

/// Reads it from rows in order. A turn that failed is not answered.
#[must_use]
pub fn tail(rows: &[Row]) -> Tail {
    let mut tail = Tail::default();
    for row in rows {
        match &row.body {
            Body::Asked(asked) => {
                tail.asked = Some(asked.uuid.clone());
                tail.all.push(asked.uuid.clone());
            }
            Body::Ended {
                uuid,
                ending: Ending::Done | Ending::Stopped | Ending::Refused { .. },
            } => tail.ended = Some(uuid.clone()),
            _ => {}
        }
    }
    tail
}
