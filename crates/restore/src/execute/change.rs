//! What is written down of a pane that was started. Pure.
//!
//! Promises: nothing here takes a conversation out of a record but a start without one; a failure
//! adds to the tries and keeps the rest, what was not tried says why.

use crate::record::{How, Intent, PaneRecord};

/// What is written down of a pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is being started on its conversation.
    Asked,
    /// It is proved to have opened the one it was asked for.
    Opened,
    /// It opened this conversation in place of the one it was asked for.
    Other(String),
    /// It was started with the order to let its turn go on.
    GoesOn,
    /// A turn of it came to its end: the count of those cut in a row begins anew.
    TurnOver,
    /// It is back.
    Back(Came),
    /// It did not come back; the CLI's words, or why.
    Failed(String),
    /// It was not even tried, for this reason: something else stands in its place, the offer stays.
    Blocked(String),
}

/// As what a pane came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// On its conversation.
    Resumed,
    /// Without one, under the id it had.
    FreshWithId,
    /// Without one, under an id nobody knows yet.
    Fresh,
    /// As a shell.
    Shell,
}

impl Change {
    /// Writes it into the record. `boot`: the id of this boot, `now`: Unix seconds.
    pub fn apply(&self, pane: &mut PaneRecord, boot: &str, now: u64) {
        match self {
            Self::Asked => {
                pane.opened = None;
                if let Some(conversation) = &mut pane.conversation {
                    conversation.asked = Some(now);
                }
            }
            Self::Opened => {
                if let Some(conversation) = &mut pane.conversation {
                    conversation.asked = None;
                }
            }
            Self::Other(opened) => other(pane, opened),
            Self::GoesOn => {
                pane.continues = pane.continues.saturating_add(1);
                boot.clone_into(&mut pane.continue_boot);
            }
            Self::TurnOver => pane.continues = 0,
            Self::Back(came) => back(pane, *came, now),
            Self::Blocked(why) => pane.failure = Some(shortened(why)),
            Self::Failed(words) => {
                pane.tries = pane.tries.saturating_add(1);
                pane.failure = Some(shortened(words));
                pane.opened = None;
                if let Some(conversation) = &mut pane.conversation {
                    conversation.asked = None;
                }
            }
        }
    }
}

fn shortened(words: &str) -> String {
    words.chars().take(500).collect()
}

/// `asked for A, it opened C`, as it is told everywhere: both short enough to be read, and not the same.
#[must_use]
pub fn other_words(asked: &str, opened: &str) -> String {
    let (a, c) = (short(asked, opened), short(opened, asked));
    format!("asked for {a}, it opened {c}")
}

/// Enough of an id to tell it from another: ids of one hour may begin alike.
fn short(id: &str, other: &str) -> String {
    const ENOUGH: usize = 8;
    let head = |id: &str| id.chars().take(ENOUGH).collect::<String>();
    if head(id) != head(other) {
        return head(id);
    }
    let skipped = id.chars().count().saturating_sub(ENOUGH);
    let tail: String = id.chars().skip(skipped).collect();
    format!("…{tail}")
}

/// A failed try, once for each conversation it opened instead; what was asked for stays.
fn other(pane: &mut PaneRecord, opened: &str) {
    let Some(conversation) = &pane.conversation else {
        return;
    };
    if pane.opened.as_deref() == Some(opened) {
        return;
    }
    pane.failure = Some(other_words(&conversation.id, opened));
    if pane.opened.replace(opened.to_owned()).is_none() {
        pane.tries = pane.tries.saturating_add(1);
    }
}

fn back(pane: &mut PaneRecord, came: Came, now: u64) {
    pane.tries = 0;
    pane.failure = None;
    pane.intent = Intent::Open;
    if came == Came::Shell {
        return;
    }
    if let Some(agent) = &mut pane.agent {
        agent.intent = Intent::Open;
    }
    let how = match came {
        Came::Resumed => How::Resumed,
        Came::FreshWithId => How::Assigned,
        // There was no message in the old one, and nothing proves the new one yet.
        Came::Fresh | Came::Shell => {
            pane.conversation = None;
            return;
        }
    };
    if let Some(conversation) = &mut pane.conversation {
        conversation.how = how;
        conversation.at = now;
    }
}
