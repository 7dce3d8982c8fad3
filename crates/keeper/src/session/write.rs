//! Writes down what the core gives out, also on a disk that refuses.
//!
//! In: edits. Out: records. Promises: what a disk refuses is kept and tried again, with the next change or after
//! [`RETRY`]; that it does is told once, by a note of the host's that clients and commands show, since a log
//! on the same disk says nothing; once it is written again the note goes.

use super::{Session, Step, now};
use crate::core::Edit;
use crate::pen;
use crate::session::revive::Revival;
use link::notes::UNSAVED;
use restore::StoreError;
use std::time::{Duration, Instant};

/// After so long a disk that refused is tried again.
const RETRY: Duration = Duration::from_secs(5);
/// Edits that are kept while the disk refuses; the oldest go.
const MAX_UNWRITTEN: usize = 10_000;

impl Session<'_> {
    /// Writes edits down, and those that could not be written before.
    pub(super) fn write(&mut self, edits: &[Edit]) -> Step<()> {
        let mut edits = edits.to_vec();
        self.name_offers(&mut edits)?;
        self.unwritten.extend(edits);
        if self.unwritten.len() > MAX_UNWRITTEN {
            // Later edits of a pane hold what earlier ones said, but for intents.
            let over = self.unwritten.len() - MAX_UNWRITTEN;
            self.unwritten.drain(..over);
        }
        let pending = self.revival.as_ref().is_some_and(Revival::is_pending);
        let whose = (!pending && self.joined).then_some(&self.whose);
        match pen::write(self.store, &self.unwritten, whose, now().unix) {
            Ok(_) => {
                self.settle_turns();
                self.unwritten.clear();
                self.retry = None;
                self.saved()
            }
            Err(error) => {
                self.retry = Some(Instant::now() + RETRY);
                self.unsaved(&error)
            }
        }
    }

    fn unsaved(&mut self, error: &StoreError) -> Step<()> {
        if std::mem::replace(&mut self.told_unsaved, true) {
            return Ok(());
        }
        tracing::error!("{error}");
        let seconds = RETRY.as_secs();
        let text =
            format!("what runs is not written down: {error}; it is tried again every {seconds} s");
        self.note(0, UNSAVED, text.into_bytes())
    }

    fn saved(&mut self) -> Step<()> {
        if !std::mem::take(&mut self.told_unsaved) {
            return Ok(());
        }
        tracing::info!("what runs is written down again");
        self.set_note(0, UNSAVED, None)
    }
}
