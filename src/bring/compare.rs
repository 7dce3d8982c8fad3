//! What agents that are brought back without a keeper were asked for, compared with what they opened.
//!
//! In: which conversations were asked for, reports, the panes there are. Out: what was found, pane by pane.
//! Promises: a pane that the user typed into is where the user took it and is not judged; what is found
//! is told once.

use agents::Catalogue;
use agents::hook::Report;
use agents::live::Table;
use keeper::opened::{Opened, Seen};
use protocol::msg::PaneFacts;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Compare {
    panes: BTreeMap<u32, Opened>,
    next: Option<Instant>,
}

/// What was found of a pane.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// What it was asked for.
    Asked,
    /// That it was asked for the first and opened the second.
    Other(String, String),
}

impl Compare {
    /// The agent of this pane is started on this conversation.
    pub(super) fn asked(&mut self, pane: u32, conversation: &str) {
        self.panes.insert(pane, Opened::new(conversation));
        self.next.get_or_insert_with(|| Instant::now() + LOOK);
    }

    /// When to look; `None`: nothing is to be found any more.
    pub(super) fn due(&self) -> Option<Instant> {
        self.next.filter(|_| !self.panes.is_empty())
    }

    /// A hook reported from a pane.
    pub(super) fn reported(&mut self, catalogue: &Catalogue, pane: u32, body: &[u8]) {
        if let (Some(opened), Some(report)) = (self.panes.get_mut(&pane), Report::from_json(body)) {
            opened.reported(catalogue, &report);
        }
    }

    /// Looks at all of them. `typed`: the user has sent the pane something to act on.
    pub(super) fn look(
        &mut self,
        catalogue: &Catalogue,
        panes: &[PaneFacts],
        mut typed: impl FnMut(u32) -> bool,
    ) -> Vec<(u32, Found)> {
        let (table, now) = (Table::read(), Instant::now());
        self.next = Some(now + LOOK);
        let mut found = Vec::new();
        self.panes.retain(|pane, opened| {
            let Some(facts) = panes.iter().find(|facts| facts.pane == *pane) else {
                return true; // it is being started
            };
            let seen = opened.look(catalogue, &table, facts, now);
            if seen != Seen::Nothing && typed(*pane) {
                return false;
            }
            match seen {
                Seen::Nothing => return true,
                Seen::Asked => found.push((*pane, Found::Asked)),
                Seen::Other(other) => {
                    found.push((*pane, Found::Other(opened.asked().to_owned(), other)));
                }
            }
            false
        });
        found
    }
}
