//! When transcripts are copied into the vault and put back from it, and screens are saved.
//!
//! In: the panes there are, the records, the time. Out: copies. Promises: nothing is looked at while no
//! pane has a conversation; a fault of the vault is told and holds nothing up.

use super::screens::Screens;
use super::{Session, Step, now};
use restore::vault::Tended;
use restore::{PaneRecord, Vault};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Between two looks at the transcripts.
const TEND: Duration = Duration::from_secs(5);
/// Between two rounds of letting go of old copies.
const PRUNE: Duration = Duration::from_secs(3_600);

/// What this has to remember.
#[derive(Debug)]
pub(super) struct Copies {
    vault: Vault,
    tend: Instant,
    prune: Instant,
    pub(super) screens: Screens,
}

impl Copies {
    pub(super) fn new(state: &Path) -> Self {
        let at = Instant::now();
        Self {
            vault: Vault::at(state),
            tend: at,
            prune: at,
            screens: Screens::new(state),
        }
    }
}

impl Session<'_> {
    /// When to call [`Session::copy_due`].
    pub(super) fn copies_due(&self) -> Option<Instant> {
        let tends = self.live.vault && self.core.has_conversations();
        let tend = tends.then_some(self.copies.tend);
        tend.into_iter().chain(self.screens_due()).min()
    }

    /// Copies and saves what is due.
    pub(super) fn copy_due(&mut self) -> Step<()> {
        let at = Instant::now();
        if self.live.vault && self.copies.tend <= at {
            let panes = self.core.conversations();
            let tended = self.tend(&panes);
            self.copies.tend = match tended.more {
                true => at,
                false => Instant::now() + TEND,
            };
        }
        self.save_screens()?;
        if self.copies.prune <= at {
            self.copies.prune = at + PRUNE;
            self.prune();
        }
        Ok(())
    }

    /// Copies what is new of these panes' conversations.
    pub(super) fn tend(&mut self, panes: &[PaneRecord]) -> Tended {
        if !self.live.vault {
            return Tended::default();
        }
        let catalogue = &self.known.catalogue;
        let env = |name: &str| std::env::var_os(name);
        let tended = self.copies.vault.tend(panes, catalogue, &env, now().unix);
        tended
            .lines
            .iter()
            .for_each(|line| tracing::warn!("{line}"));
        tended
    }

    fn prune(&mut self) {
        let Ok(document) = self.store.document() else {
            return;
        };
        match self.copies.vault.prune(&document.panes(), now().unix) {
            Ok(Tended { removed: 0, .. }) => {}
            Ok(tended) => tracing::info!("old copies that left the vault: {}", tended.removed),
            Err(error) => tracing::error!("the vault: {error}"),
        }
        let mut known: BTreeSet<u32> = document.panes().iter().map(|it| it.id).collect();
        let undone = document.undo();
        known.extend(undone.iter().flat_map(|act| &act.panes).map(|it| it.id));
        self.copies.screens.prune(&known);
    }

    /// Puts the transcript of a pane back before it is started.
    pub(super) fn transcript_back(&self, pane: u32) -> Result<(), String> {
        let record = self.store.document().ok().and_then(|it| it.pane(pane));
        let record = record.ok_or("its record is gone")?;
        let vault = Vault::at(&self.config.places.state);
        let back = vault.put_back_for(&self.known.catalogue, &record)?;
        for path in &back.put {
            tracing::info!("p{pane}: its transcript {} is put back", path.display());
        }
        Ok(())
    }
}
