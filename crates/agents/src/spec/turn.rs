//! How a CLI is driven through its structured protocol. Types only.

use serde::Deserialize;

/// How turns are handed to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Turn {
    /// What it speaks.
    pub protocol: Protocol,
    /// Command line that speaks it.
    pub argv: Vec<String>,
    /// Environment of it.
    pub env: std::collections::BTreeMap<String, String>,
    /// Arguments that open a conversation, with `{id}`, for a protocol without a message for it.
    pub session: Vec<String>,
    /// Arguments that choose the model, with `{model}`.
    pub model: Vec<String>,
    /// Arguments that choose the permission mode, with `{mode}`.
    pub mode: Vec<String>,
    /// Arguments that choose the effort, with `{effort}`.
    pub effort: Vec<String>,
    /// Method to authenticate with, where a new conversation is refused without.
    pub authenticate: Option<String>,
    /// Words by which a refused load means that the conversation is not there, beside
    /// [`crate::Spec::lost`].
    pub lost: Vec<String>,
    /// A load that shows nothing of the past means that the conversation is not there.
    pub empty_is_lost: bool,
    /// What it does with a prompt that was cut, once the conversation is loaded again.
    pub unanswered: Unanswered,
    /// A load shows an answer only when it was whole: what was cut is not kept in part.
    pub whole_answers: bool,
    /// Below this version, or when it cannot be read, its load is not to be used: it harms the
    /// conversation.
    pub loads_since: Option<String>,
    /// It was run through this protocol.
    pub run: bool,
}

/// What a CLI speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The Agent Client Protocol.
    #[default]
    Acp,
    /// Claude Code's stream-json.
    StreamJson,
    /// Codex's app-server.
    AppServer,
}

/// What a CLI does with a prompt that was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unanswered {
    /// It no longer has it, or nothing is known.
    #[default]
    Gone,
    /// It puts it before the next message, merged or beside.
    Kept,
    /// It runs it again by itself.
    Rerun,
}
