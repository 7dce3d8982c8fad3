//! Who looks at which pane, so that nobody is called to what is before his eyes.
//!
//! In: what clients say their users look at, what they show. Out: `PaneLooked` to subscribers when that
//! changes. Promises: a connection that says nothing looks at all that it shows; one that is gone looks at
//! nothing; what it names and does not show is not looked at.

use super::event::ConnId;
use super::state::Conn;
use super::step::Step;
use protocol::msg::PaneLooked;
use protocol::{PaneId, Role};

impl Conn {
    fn looks_at(&self, pane: PaneId) -> bool {
        let eyes = matches!(self.role, Role::Attach | Role::Watch);
        let shown = self.views.get(&pane).is_some_and(|view| view.shown);
        let said = self.looks.as_ref();
        eyes && shown && said.is_none_or(|panes| panes.contains(&pane))
    }
}

impl Step<'_> {
    /// A client says what its user looks at.
    pub(crate) fn look(&mut self, conn: ConnId, panes: &[u32]) {
        let there = |id: &PaneId| self.s.panes.contains_key(id);
        let panes = panes.iter().copied().map(PaneId).filter(there).collect();
        if let Some(conn) = self.s.conns.get_mut(&conn) {
            conn.looks = Some(panes);
        }
        self.settle_looks();
    }

    /// Tells what has changed.
    pub(crate) fn settle_looks(&mut self) {
        let conns = &self.s.conns;
        let mut changed = Vec::new();
        for (id, pane) in &mut self.s.panes {
            let looked = conns.values().any(|conn| conn.looks_at(*id));
            if pane.looked != looked {
                pane.looked = looked;
                changed.push((*id, looked));
            }
        }
        for (id, looked) in changed {
            self.tell_subscribers(id, PaneLooked { looked });
        }
    }

    /// Tells a new subscriber what is looked at now.
    pub(crate) fn tell_looked(&mut self, conn: ConnId) {
        let looked = self.s.panes.values().filter(|pane| pane.looked);
        let looked: Vec<PaneId> = looked.map(|pane| pane.id).collect();
        for id in looked {
            self.send(conn, id, 0, PaneLooked { looked: true });
        }
    }
}
