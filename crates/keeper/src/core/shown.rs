//! What a pane does, out of what is said of it and who has its terminal. Pure.
//!
//! Promises: only an agent's screen is guessed at; a shell is idle or runs a program; what a shell runs
//! is told, but it ends no turn and is not written down.

use super::pane::Watched;
use super::{Now, Printed};
use agents::state::{Front, decide};
use restore::record::Seen;

impl Watched {
    /// Out of all that is said of it.
    pub(super) fn decide(&mut self, now: Now) {
        use agents::State::{Done, Idle, NeedsInput, Working};
        let next = decide(&self.shown, &self.signals, now.at);
        if next.state != self.shown.state {
            self.shown_unix = now.unix;
            let turned = self.shown.state == Working && !self.shown.is_of_shell();
            if turned && matches!(next.state, Done | Idle | NeedsInput) {
                self.turned = Some(now.at);
            }
        }
        self.shown = next;
        let state = self.shown.state;
        let seen = Seen {
            state: state.word().to_owned(),
            evidence: self.shown.evidence.clone(),
            at: self.shown_unix,
        };
        let seen = match self.private {
            true => Seen {
                evidence: String::new(),
                ..seen
            },
            false => seen,
        };
        let said = state != agents::State::Unknown || self.agent.is_some();
        self.seen = said.then_some(seen);
        // What a shell runs is gone with it: it is nothing to come back to.
        let lasts = !self.shown.is_of_shell();
        self.record.state = self.seen.clone().filter(|_| lasts);
    }

    /// A look found no agent: who has the terminal then.
    pub(super) fn front(&mut self) {
        let known = self.record.shell && self.foreground != 0 && !self.unseen;
        self.signals.front(match known {
            true if self.foreground == self.program => Front::Prompt,
            true => Front::Program,
            false => Front::Unknown,
        });
    }

    /// How far its output has come.
    pub(super) const fn printed(&self) -> Printed {
        Printed {
            pane: self.id,
            offset: self.offset,
            last: self.printed,
        }
    }
}
