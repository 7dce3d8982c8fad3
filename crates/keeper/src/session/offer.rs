//! Offers that get an id of their own: turns that have no pane, at the beginning of a session, and what another
//! conversation took the place of.

use super::{ANSWER, Session, Step, now, vanished};
use crate::core::{Edit, Event};
use crate::turns::record;
use link::LinkError;
use protocol::PaneId;
use protocol::msg::Create;
use restore::record::Start;
use std::path::Path;

impl Session<'_> {
    /// Writes a pane down for each turn that has none. Gives those that are to start now.
    pub(super) fn offer_turns(&mut self) -> Step<Vec<u32>> {
        let unix = now().unix;
        let Ok(document) = self.store.document() else {
            return Ok(Vec::new());
        };
        let wanted = self.config.turns.begin(&document.panes(), unix);
        let mut id = self.highest(&document);
        let mut offered = Vec::new();
        let layouts = document.workspaces();
        for turn in &wanted {
            id += 1;
            let folder = turn.folder.as_path();
            let within = layouts
                .iter()
                .filter(|it| folder.starts_with(Path::new(&it.folder)));
            let workspace = within.max_by_key(|it| it.folder.len());
            let pane = record(id, workspace.map(|it| it.id.clone()), turn, unix);
            if let Err(error) = self.store.put_pane(&pane) {
                tracing::error!("{error}");
                continue;
            }
            tracing::info!("p{id} is for {}", turn.what);
            self.step(Event::Reread(Box::new(pane)))?;
            offered.push(id);
        }
        let starts = (self.config.live)().start == Start::Auto && !document.hold();
        Ok(if starts { offered } else { Vec::new() })
    }

    /// Gives each offer that is kept aside an id that no new pane gets: the host counts on from the highest it was
    /// asked for, also where nothing is started.
    pub(super) fn name_offers(&mut self, edits: &mut [Edit]) -> Step<()> {
        for edit in edits {
            let Edit::Aside {
                pane,
                conversation,
                id: id @ 0,
            } = edit
            else {
                continue;
            };
            let document = self.store.document().unwrap_or_default();
            *id = self.highest(&document) + 1;
            let taken = Create {
                id: Some(*id),
                argv: vec![b"-".to_vec()],
                cwd: b"/".to_vec(),
                env: Some(Vec::new()),
                set_env: Vec::new(),
                cols: 0,
                rows: 0,
                notes: Vec::new(),
                seed: Some(Vec::new()), // no screen: the host refuses it
            };
            match self.manage.request(PaneId::NONE, taken, ANSWER) {
                Ok(_) | Err(LinkError::Refused { .. }) => {}
                Err(error) => return Err(vanished(error)),
            }
            tracing::info!(
                "p{pane} has another conversation now; {conversation}, which had not come back, is kept: \
                 `abide reopen p{id}`"
            );
        }
        Ok(())
    }

    /// What was just written may have ended panes: their turns are over.
    pub(super) fn settle_turns(&self) {
        if !self.unwritten.iter().any(Edit::may_end) {
            return;
        }
        let panes = || self.store.document().map(|it| it.panes());
        let panes = || panes().unwrap_or_default();
        self.config.turns.settle(&panes, now().unix);
    }

    /// The highest pane id that is known of.
    fn highest(&self, document: &restore::Document) -> u32 {
        let written = document.panes().into_iter().map(|it| it.id);
        let undone = document.undo().into_iter().flat_map(|it| it.panes);
        let shown = document.workspaces().into_iter().flat_map(|it| it.panes());
        let ids = written.chain(undone.map(|it| it.id)).chain(shown);
        ids.chain(self.panes.keys().copied()).max().unwrap_or(0)
    }
}
