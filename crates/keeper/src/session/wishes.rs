//! What commands ask the keeper for through the records: bring this back, hold the rest.
//!
//! In: a poke. Out: restores, one after the other. Promises: a wish is taken out of the records before
//! it is begun, so a command whose wish still stands there may do it itself; from the moment it is taken
//! until it is done the note says that a restore is under way.

use super::{Session, Step, now};
use crate::core::Event as CoreEvent;
use protocol::msg::PaneFacts;
use restore::Document;
use restore::execute::Event;
use restore::record::GoOn;
use std::collections::BTreeSet;

impl Session<'_> {
    /// The records were changed by somebody else.
    pub(super) fn poked(&mut self) -> Step<()> {
        self.live = (self.config.live)();
        self.set_rules();
        self.look_for_agents();
        let Ok(document) = self.store.document() else {
            return Ok(());
        };
        // What somebody let go of.
        for record in document.panes() {
            if self.panes.contains_key(&record.id) {
                self.step(CoreEvent::Reread(Box::new(record)))?;
            }
        }
        if document.hold() && self.revival.is_some() {
            self.revive_step(&Event::Hold)?;
        }
        if self.live.go_on == GoOn::Never {
            let why = "restore.continue is never".to_owned();
            self.revive_step(&Event::NoTurns(why))?;
        }
        self.let_go(&document)?;
        if document.asked().is_empty() {
            return Ok(());
        }
        // Whoever asked looks at the note once its wish is taken, and waits from then on.
        let under_way = self.revival.as_ref().map(|it| it.pending.clone());
        let under_way = under_way.unwrap_or_default();
        self.note_restore(false, &under_way, "")?;
        let mut asked = Vec::new();
        let taken = self.store.change(|document| {
            asked = document.take_asked(now().unix);
            Ok(())
        });
        if let Err(error) = taken {
            tracing::error!("{error}"); // whoever asked does it without the keeper
        }
        self.wishes.extend(asked);
        if self.wishes.is_empty() && self.revival.as_ref().is_none_or(|it| !it.is_under_way()) {
            return self.note_restore(true, &under_way, "");
        }
        self.next_wish()
    }

    /// What is written down of panes that are seen first: a command that brings panes back may have
    /// written since this session began.
    pub(super) fn reread_new(&mut self, panes: &[PaneFacts]) -> Step<()> {
        let new = |facts: &&PaneFacts| !self.core.knows(facts.pane);
        let new: Vec<u32> = panes.iter().filter(new).map(|it| it.pane).collect();
        // What a full disk refused is known here alone.
        if new.is_empty() || !self.unwritten.is_empty() {
            return Ok(());
        }
        let document = self.store.document().unwrap_or_default();
        for record in new.iter().filter_map(|pane| document.pane(*pane)) {
            self.step(CoreEvent::Reread(Box::new(record)))?;
        }
        Ok(())
    }

    /// Panes on their way whose records are gone do not come.
    fn let_go(&mut self, document: &Document) -> Step<()> {
        let on_their_way = self.revival.as_ref().map(|it| it.run.pending());
        for pane in on_their_way.unwrap_or_default() {
            if document.pane(pane).is_none() {
                self.revive_step(&Event::LetGo(pane))?;
            }
        }
        Ok(())
    }

    /// Begins what a command asked for, once nothing else is under way.
    pub(super) fn next_wish(&mut self) -> Step<()> {
        while self.revival.as_ref().is_none_or(|it| !it.is_under_way()) {
            let Some(cause) = self.wishes.pop_front() else {
                return Ok(());
            };
            let Ok(document) = self.store.document() else {
                self.note_restore(true, &BTreeSet::new(), "")?;
                continue;
            };
            self.revive(&document, cause)?;
        }
        Ok(())
    }
}
