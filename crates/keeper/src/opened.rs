//! Which conversation an agent that was asked for one opened, for those who bring panes back without a keeper.
//!
//! In: what the host says of the pane, reports of its hooks, looks at the processes. Out: [`Seen`]. Promises:
//! the same proofs and the same patience as the keeper's own; nothing is signalled or changed.

use crate::core::settled;
use crate::look::Place;
use agents::Catalogue;
use agents::hook::Report;
use agents::live::Table;
use protocol::msg::PaneFacts;
use std::time::Instant;
use sys::process::Identity;

/// See the module.
#[derive(Clone, Debug)]
pub struct Opened {
    asked: String,
    place: Place,
    /// Since when it shows another one, and which.
    other: Option<(Instant, String)>,
}

/// What a look came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing is proved yet.
    Nothing,
    /// It opened what it was asked for.
    Asked,
    /// It opened this one instead, and stayed there.
    Other(String),
}

impl Opened {
    /// Of an agent that is started on the conversation `asked`.
    #[must_use]
    pub fn new(asked: &str) -> Self {
        Self {
            asked: asked.to_owned(),
            place: Place::default(),
            other: None,
        }
    }

    /// The conversation it was asked for.
    #[must_use]
    pub fn asked(&self) -> &str {
        &self.asked
    }

    /// A hook of the pane reported.
    pub fn reported(&mut self, catalogue: &Catalogue, report: &Report) {
        let _of_another = self.place.reported(catalogue, report);
    }

    /// Looks at the processes of the pane.
    pub fn look(
        &mut self,
        catalogue: &Catalogue,
        table: &Table,
        facts: &PaneFacts,
        now: Instant,
    ) -> Seen {
        self.place.program = Some(Identity {
            pid: i32::try_from(facts.pid).unwrap_or_default(),
            start: facts.pid_start,
        });
        self.place.foreground = facts.foreground;
        let agent = self.place.look(catalogue, table).agent;
        let learnt = agent.and_then(|agent| agent.learnt);
        match learnt.filter(|learnt| learnt.how.is_current()) {
            None => Seen::Nothing,
            Some(learnt) if learnt.id == self.asked => Seen::Asked,
            Some(learnt) if settled(&mut self.other, &learnt.id, now) => Seen::Other(learnt.id),
            Some(_) => Seen::Nothing,
        }
    }
}
