//! Who views which pane, and at which size.
//!
//! In: claims, releases, watches, disconnections. Out: taken panes told, one resize where the size
//! differs, snapshots for what is newly shown. Promises: one attachment a pane, the newest claim
//! wins; a claim that names an unknown pane changes nothing; hidden panes keep their size.

use super::credit::View;
use super::event::ConnId;
use super::pane::{Asker, Holder, LEAST_SIZE};
use super::step::Step;
use protocol::PaneId;
use protocol::msg::{self, Claim, ClaimPane, Done, PaneShown, PaneTaken};
use std::collections::{BTreeMap, BTreeSet};
use term::Size;

impl Step<'_> {
    /// Names that are no panes, for the refusal; `None`: all are.
    fn unknown(&mut self, panes: impl Iterator<Item = u32>) -> Option<String> {
        let unknown: Vec<String> = panes
            .map(PaneId)
            .filter(|pane| self.s.visible(*pane).is_none())
            .take(8)
            .map(|pane| pane.to_string())
            .collect();
        (!unknown.is_empty()).then(|| format!("no pane {}", unknown.join(", ")))
    }

    /// Takes panes for an attachment, or changes size and visibility of those it has.
    pub(crate) fn claim(&mut self, from: Asker, claim: &Claim) {
        if let Some(text) = self.unknown(claim.panes.iter().map(|pane| pane.pane)) {
            return self.fail(from.conn, PaneId::NONE, from.request, msg::NO_PANE, text);
        }
        // Named twice: the last counts.
        let wishes: BTreeMap<u32, &ClaimPane> = claim.panes.iter().map(|p| (p.pane, p)).collect();
        self.log_attach(from.conn, wishes.len());
        self.answer(from, PaneId::NONE, Done {});
        for (id, wish) in wishes {
            self.claim_one(from.conn, PaneId(id), wish);
        }
        self.settle_looks();
    }

    fn log_attach(&mut self, conn: ConnId, panes: usize) {
        if let Some(state) = self.s.conns.get_mut(&conn)
            && !state.attached
            && panes > 0
        {
            state.attached = true;
            self.log(format!("client attached: {panes} terminals"));
        }
    }

    fn claim_one(&mut self, conn: ConnId, id: PaneId, wish: &ClaimPane) {
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        let was_shown = pane.shown();
        let before = pane.holder.replace(Holder {
            conn,
            shown: wish.shown,
        });
        if let Some(loser) = before
            .map(|holder| holder.conn)
            .filter(|loser| *loser != conn)
        {
            self.tell_taken(loser, conn, id);
        }
        let newly = self.view(conn, id, wish.shown);
        if wish.shown {
            let size = Size::new(wish.cols.max(LEAST_SIZE.0), wish.rows.max(LEAST_SIZE.1));
            // A newly shown view is not there for the resize: it gets one snapshot, not two.
            self.resize(id, size);
            if newly {
                self.s.conns.entry(conn).and_modify(|conn| {
                    conn.views.insert(id, View::new(true));
                });
                self.send_snapshot(conn, id);
            }
        }
        if was_shown != wish.shown {
            self.publish(id, PaneShown { shown: wish.shown });
        }
    }

    /// Notes the view; `true`: it is shown from now on and was not.
    fn view(&mut self, conn: ConnId, id: PaneId, shown: bool) -> bool {
        let Some(state) = self.s.conns.get_mut(&conn) else {
            return false;
        };
        let was_shown = state.views.get(&id).is_some_and(|view| view.shown);
        if !was_shown || !shown {
            state.views.insert(id, View::new(false));
        }
        shown && !was_shown
    }

    fn tell_taken(&mut self, loser: ConnId, winner: ConnId, id: PaneId) {
        let label = self
            .s
            .conns
            .get(&winner)
            .map_or_else(String::new, |conn| conn.label.clone());
        if let Some(state) = self.s.conns.get_mut(&loser) {
            state.views.remove(&id);
        }
        self.send(
            loser,
            id,
            0,
            PaneTaken {
                by: winner.0,
                label,
            },
        );
    }

    /// Gives panes back; what this connection does not have is left alone.
    pub(crate) fn release(&mut self, conn: ConnId, panes: impl IntoIterator<Item = PaneId>) {
        for id in panes {
            if let Some(state) = self.s.conns.get_mut(&conn) {
                state.views.remove(&id);
            }
            let Some(pane) = self.s.panes.get_mut(&id) else {
                continue;
            };
            let had = pane.holder.take_if(|holder| holder.conn == conn);
            if had.is_some() {
                // Also of a hidden one: whoever it was taken from may have it again.
                self.publish(id, PaneShown { shown: false });
            }
        }
        self.settle_looks();
    }

    /// Replaces the list of panes a connection watches.
    pub(crate) fn watch(&mut self, from: Asker, panes: &[u32]) {
        if let Some(text) = self.unknown(panes.iter().copied()) {
            return self.fail(from.conn, PaneId::NONE, from.request, msg::NO_PANE, text);
        }
        let wanted: BTreeSet<PaneId> = panes.iter().copied().map(PaneId).collect();
        let Some(conn) = self.s.conns.get_mut(&from.conn) else {
            return;
        };
        conn.views.retain(|pane, _| wanted.contains(pane));
        let mut new = Vec::new();
        for pane in wanted {
            conn.views.entry(pane).or_insert_with(|| {
                new.push(pane);
                View::new(true)
            });
        }
        self.answer(from, PaneId::NONE, Done {});
        for pane in new {
            self.send_snapshot(from.conn, pane);
        }
        self.settle_looks();
    }

    /// The connection is gone; what it held is free.
    pub(crate) fn disconnected(&mut self, id: ConnId) {
        let Some(conn) = self.s.conns.remove(&id) else {
            return;
        };
        self.s.measuring.retain(|asker| asker.conn != id);
        if conn.attached {
            self.log("client detached");
        }
        self.release(id, conn.views.into_keys());
    }
}
