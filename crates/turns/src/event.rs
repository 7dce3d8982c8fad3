//! One vocabulary for what every framework says during a turn.
//!
//! Drivers translate into it; the record, the watchdog and the screen read nothing else. Promises:
//! every text is as the framework gave it, uncut (bounds are the reader's: [`crate::lines`] bounds a
//! line, [`crate::record`] a row).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something a framework said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// The conversation has this id from now on.
    Session {
        /// What its `load` or `resume` takes.
        id: String,
    },
    /// The conversation that was asked for is open; prompts may be sent.
    Ready {
        /// How many messages of its past were shown while it was loaded; `None`: it does not show.
        replayed: Option<usize>,
    },
    /// The framework has taken the prompt: from here on it may act on it.
    Accepted,
    /// Words of the answer, streamed.
    Text {
        /// To be appended.
        text: String,
    },
    /// Words of its reasoning, streamed.
    Thought {
        /// To be appended.
        text: String,
    },
    /// A tool is called, or more is known of a call.
    Tool(ToolCall),
    /// A tool call has ended.
    ToolEnded {
        /// Which.
        id: String,
        /// How.
        outcome: ToolOutcome,
        /// What it gave.
        output: Vec<Output>,
    },
    /// The plan, whole: it replaces the former one.
    Plan {
        /// Its entries in order.
        entries: Vec<PlanEntry>,
    },
    /// Tokens so far.
    Usage {
        /// Read by the model in this turn.
        input: u64,
        /// Written by it in this turn.
        output: u64,
    },
    /// A setting that the person chose was refused: the former one stands.
    NotSet {
        /// Which.
        knob: Knob,
        /// One line.
        text: String,
    },
    /// A line for the person: a retry, a warning, a changed mode.
    Notice {
        /// One line.
        text: String,
    },
    /// A question is put to a person; the turn waits.
    Card(Card),
    /// A question no longer waits (it was answered, or its turn ended).
    CardGone {
        /// Which.
        id: String,
    },
    /// The framework shortens its own context.
    Compacting {
        /// It began, or it ended.
        on: bool,
    },
    /// Work that goes on beside the turn, whole: it replaces the former list.
    Background {
        /// What is listed.
        tasks: Vec<Task>,
    },
    /// The turn is over.
    Ended {
        /// How.
        ending: Ending,
    },
    /// The conversation that was asked for is not there.
    Lost {
        /// The framework's words.
        words: String,
    },
    /// Another process has the conversation.
    Held {
        /// The framework's words.
        words: String,
    },
    /// Another conversation was opened than the one asked for; nothing may be sent to it.
    Other {
        /// The one asked for.
        asked: String,
        /// The one that came.
        got: String,
    },
    /// The framework did something that its protocol does not have.
    Broken {
        /// What, in one line.
        why: String,
    },
}

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Knob {
    /// The model.
    Model,
    /// The permission mode.
    Mode,
    /// The effort.
    Effort,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call within its conversation.
    pub id: String,
    /// The tool, as the framework calls it; empty when not told yet.
    pub name: String,
    /// For people; empty when not told yet.
    pub title: String,
    /// Its arguments; null when not told yet.
    pub arguments: Value,
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// It gave a result.
    Ok,
    /// It failed, or was refused.
    Failed,
}

/// What a tool gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Output {
    /// Text, perhaps with a terminal's escape sequences.
    Text {
        /// All of it.
        text: String,
    },
    /// A change of a file.
    Diff {
        /// Which file.
        path: String,
        /// Before; `None`: it is new.
        old: Option<String>,
        /// After.
        new: String,
    },
    /// Something else, as it came.
    Other {
        /// As it came.
        value: Value,
    },
}

/// One entry of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanEntry {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub status: PlanStatus,
}

/// How far a plan's entry is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Under way.
    InProgress,
    /// Done.
    Completed,
}

/// A question put to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Names it within its process.
    pub id: String,
    /// What is asked, in one line.
    pub title: String,
    /// More of it: the command, the diff, the question's text.
    pub detail: Vec<Output>,
    /// What can be chosen.
    pub options: Vec<Choice>,
    /// The tool call it is about; empty: none.
    pub tool: String,
}

/// One answer to a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What the framework calls it.
    pub id: String,
    /// For people.
    pub name: String,
    /// What it means; answers are picked by this and never by their position.
    pub kind: ChoiceKind,
}

/// What an answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceKind {
    /// Yes, this once.
    AllowOnce,
    /// Yes, and do not ask again.
    AllowAlways,
    /// No, this once.
    RejectOnce,
    /// No, and do not ask again.
    RejectAlways,
    /// An answer to a question that grants nothing.
    Reply,
}

/// Work that goes on beside the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Names it from its start to its end.
    pub id: String,
    /// What it is.
    pub kind: TaskKind,
    /// For people.
    pub title: String,
    /// The one that started it vouches for it now: it is on that one's own list.
    pub vouched: bool,
}

/// What a task beside the turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// A command or job of a tool.
    Job,
    /// A sub-agent.
    SubAgent,
    /// A workflow of many steps.
    Workflow,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum Ending {
    /// With an answer.
    Done,
    /// The person stopped it.
    Stopped,
    /// The framework or its model would not.
    Refused {
        /// Its words, perhaps empty.
        words: String,
    },
    /// It failed.
    Failed {
        /// Its words.
        words: String,
        /// What kind of failure, as far as it can be told.
        fault: Fault,
    },
}

/// Kinds of failure that are dealt with in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The person must log in.
    Login,
    /// Too much was asked in too short a time, or the plan's limit is reached.
    RateLimit,
    /// The conversation is too long for the model.
    TooLong,
    /// Anything else.
    Other,
}

impl Fault {
    /// Reads it from a failure's words, as frameworks word them.
    #[must_use]
    pub fn of(words: &str) -> Self {
        let words = words.to_ascii_lowercase();
        let has = |any: &[&str]| any.iter().any(|it| words.contains(it));
        if has(&[
            "prompt is too long",
            "context_length",
            "context window",
            "too many tokens",
        ]) {
            Self::TooLong
        } else if has(&[
            "401",
            "invalid api key",
            "please run /login",
            "authentication required",
            "not logged in",
            "unauthorized",
            "oauth token",
        ]) {
            Self::Login
        } else if has(&["429", "rate limit", "rate_limit", "usage limit", "quota"]) {
            Self::RateLimit
        } else {
            Self::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_apart_by_their_words() {
        let check = |words: &str, want: Fault| assert_eq!(Fault::of(words), want, "{words}");
        check("API Error: 400 Prompt is too long", Fault::TooLong);
        check("context_length_exceeded", Fault::TooLong);
        check("API Error: 401 Invalid API key", Fault::Login);
        check("Authentication required", Fault::Login);
        check("API Error: 429 rate_limit_error", Fault::RateLimit);
        check("You've hit your usage limit.", Fault::RateLimit);
        check("API Error: 500 boom", Fault::Other);
        check("", Fault::Other);
    }
}
