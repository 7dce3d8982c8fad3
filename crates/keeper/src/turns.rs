//! Turns under way, as a keeper sees them: what has no pane gets one.
//!
//! The rules are not the keeper's (a [`Turns`] is given to it); it writes a pane's record for each and
//! lets restore do the rest, so that such a pane comes back as any other does.

use restore::Text;
use restore::record::{AgentRecord, Conversation, How, PaneRecord};

/// A turn that is to have a pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Names its conversation.
    pub conversation: String,
    /// The agent of [`agents::Catalogue`] that opens it again.
    pub cli: String,
    /// The command line that opens it.
    pub argv: Vec<Text>,
    /// The folder it works in.
    pub folder: Text,
    /// Variables without which it is not found.
    pub env: Vec<(Text, Text)>,
    /// For the log: which turn it is.
    pub what: String,
}

/// Who knows of turns.
pub trait Turns {
    /// Something may be to be given a pane: a host is wanted. Quick.
    fn waiting(&self) -> bool;
    /// Decides on everything under way and marks it; gives what is to have a pane, oldest first.
    fn begin(&self, panes: &[PaneRecord], now: u64) -> Vec<Wanted>;
    /// The panes may have been ended by the person: their turns are over then.
    fn settle(&self, panes: &dyn Fn() -> Vec<PaneRecord>, now: u64);
}

/// No turns: for a keeper that is to know of none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTurns;

impl Turns for NoTurns {
    fn waiting(&self) -> bool {
        false
    }
    fn begin(&self, _: &[PaneRecord], _: u64) -> Vec<Wanted> {
        Vec::new()
    }
    fn settle(&self, _: &dyn Fn() -> Vec<PaneRecord>, _: u64) {}
}

/// The record of a pane that was never there: restore brings it back as if it had been.
#[must_use]
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "there is no keeper yet to ask for it")
)]
pub(crate) fn record(id: u32, workspace: Option<String>, wanted: &Wanted, now: u64) -> PaneRecord {
    PaneRecord {
        id,
        workspace,
        argv: wanted.argv.clone(),
        cwd: wanted.folder.clone(),
        created: now,
        agent: Some(AgentRecord {
            cli: wanted.cli.clone(),
            argv: wanted.argv.clone(),
            cwd: wanted.folder.clone(),
            env: wanted.env.clone(),
            ..AgentRecord::default()
        }),
        conversation: Some(Conversation {
            id: wanted.conversation.clone(),
            how: How::Assigned,
            at: now,
            transcript: None,
            permission: None,
            asked: None,
            rest: Default::default(),
        }),
        ..PaneRecord::default()
    }
}
