//! What commands ask the keeper for through the records: bring this back, hold the rest.
//!
//! In: a poke. Out: restores, one after the other. Promises: a wish is taken out of the records before
//! it is begun, so a command whose wish still stands there may do it itself.

use super::{Session, Step, now};
use restore::execute::Event;

impl Session<'_> {
    /// The records were changed by somebody else.
    pub(super) fn poked(&mut self) -> Step<()> {
        self.live = (self.config.live)();
        self.set_rules();
        let Ok(document) = self.store.document() else {
            return Ok(());
        };
        if document.hold() && self.revival.is_some() {
            self.revive_step(&Event::Hold)?;
        }
        if document.asked().is_empty() {
            return Ok(());
        }
        let mut asked = Vec::new();
        let taken = self.store.change(|document| {
            asked = document.take_asked(now().unix);
            Ok(())
        });
        if let Err(error) = taken {
            tracing::error!("{error}");
            return Ok(()); // whoever asked does it without the keeper
        }
        self.wishes.extend(asked);
        self.next_wish()
    }

    /// Begins what a command asked for, once nothing else is under way.
    pub(super) fn next_wish(&mut self) -> Step<()> {
        while self.revival.as_ref().is_none_or(|it| !it.is_under_way()) {
            let Some(cause) = self.wishes.pop_front() else {
                return Ok(());
            };
            let Ok(document) = self.store.document() else {
                return Ok(());
            };
            self.revive(&document, cause)?;
        }
        Ok(())
    }
}
