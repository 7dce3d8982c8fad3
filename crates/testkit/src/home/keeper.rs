//! The keeper of a sealed instance, and what it writes down.

use super::{Home, process_of};
use crate::processes::Process;
use protocol::PaneId;
use rustix::process::Signal;
use serde_json::Value;
use std::time::Duration;

impl Home {
    /// The living keeper.
    #[must_use]
    pub fn keeper(&self) -> Option<Process> {
        let runs = |p: &Process| p.command().contains("keeper run");
        self.processes().into_iter().find(runs)
    }

    /// Waits for a keeper that has said which process it is.
    ///
    /// # Panics
    /// When none comes.
    #[must_use]
    #[track_caller]
    pub fn wait_keeper(&self) -> Process {
        crate::until("a keeper", || {
            let bytes = std::fs::read(self.state_file("keeper.json")).ok()?;
            let value: Value = serde_json::from_slice(&bytes).ok()?;
            process_of(&value).filter(Process::alive)
        })
    }

    /// Ends the keeper and waits for that: a busy one may not have seen that it is to end when its host
    /// does, and would bring it back.
    pub(super) fn end_keeper(&self, limit: Duration) {
        if let Some(keeper) = self.keeper() {
            keeper.signal(Signal::CONT);
            keeper.signal(Signal::TERM);
            let _given_up = crate::wait::poll(limit, || (!keeper.alive()).then_some(()));
        }
    }

    /// `restore.json` as it is; null when there is none.
    #[must_use]
    pub fn records(&self) -> Value {
        let bytes = std::fs::read(self.state_file("restore.json")).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// What is written down of a pane.
    #[must_use]
    pub fn record(&self, pane: PaneId) -> Option<Value> {
        let records = self.records();
        let panes = records["panes"].as_array()?;
        panes.iter().find(|it| it["id"] == pane.0).cloned()
    }

    /// The keeper's log so far.
    #[must_use]
    pub fn keeper_log(&self) -> String {
        let raw = std::fs::read(self.state_file("keeper.log")).unwrap_or_default();
        String::from_utf8_lossy(&raw).into_owned()
    }
}
