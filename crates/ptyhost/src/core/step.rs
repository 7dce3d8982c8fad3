//! One event's handling: the state, the time, and where actions go. Sending lives here.
//!
//! Promises: a connection's outbox is bounded. Over [`SOFT_OUTBOX`] events that only colour the
//! picture are left out (and titles told again later), over [`HARD_OUTBOX`] the connection is closed.

use super::action::Action;
use super::event::ConnId;
use super::pane::Asker;
use super::state::{Conn, State};
use protocol::msg::{Failed, Title};
use protocol::{FromHost, PaneId, Role, frame};
use std::time::Instant;

/// Bytes waiting for a connection over which events like title and bell are left out.
pub(crate) const SOFT_OUTBOX: usize = 8 * 1024 * 1024;
/// Bytes waiting for a connection over which it is closed: it asks, but does not read.
pub(crate) const HARD_OUTBOX: usize = 32 * 1024 * 1024;

/// See the module.
pub(crate) struct Step<'a> {
    pub(crate) s: &'a mut State,
    pub(crate) now: Instant,
    pub(crate) out: &'a mut Vec<Action>,
}

impl Step<'_> {
    pub(crate) fn log(&mut self, line: impl Into<String>) {
        self.out.push(Action::Log(line.into()));
    }

    /// Sends a message; `request` 0 for an event.
    pub(crate) fn send(
        &mut self,
        conn: ConnId,
        pane: PaneId,
        request: u32,
        message: impl Into<FromHost>,
    ) {
        let mut bytes = Vec::new();
        if message.into().put(pane, request, &mut bytes).is_ok() {
            self.send_bytes(conn, bytes);
        } else if request != 0 {
            let text = format!("the answer about {pane} is over the limit of one frame");
            self.fail(conn, pane, request, protocol::msg::LIMIT, text);
        }
    }

    /// Sends a data frame: stream offset, then bytes.
    pub(crate) fn send_stream(
        &mut self,
        conn: ConnId,
        pane: PaneId,
        request: u32,
        kind: u16,
        (offset, bytes): (u64, &[u8]),
    ) -> bool {
        let mut out = Vec::new();
        let sent = frame::put(
            &mut out,
            kind,
            pane,
            request,
            &[&offset.to_le_bytes(), bytes],
        )
        .is_ok();
        if sent {
            self.send_bytes(conn, out);
        }
        sent
    }

    fn send_bytes(&mut self, conn: ConnId, bytes: Vec<u8>) {
        let Some(state) = self.s.conns.get_mut(&conn).filter(|conn| !conn.closing) else {
            return;
        };
        state.outbox += bytes.len();
        if state.outbox > HARD_OUTBOX {
            state.closing = true;
            let why = format!("more than {HARD_OUTBOX} bytes wait and it does not read");
            self.out.push(Action::Close { conn, why });
        } else {
            self.out.push(Action::Send { conn, bytes });
        }
    }

    /// Answers a request with a reason; a request without an id gets none.
    pub(crate) fn fail(
        &mut self,
        conn: ConnId,
        pane: PaneId,
        request: u32,
        code: u16,
        text: impl Into<String>,
    ) {
        if request != 0 {
            self.send(
                conn,
                pane,
                request,
                Failed {
                    code,
                    text: text.into(),
                },
            );
        }
    }

    /// Answers a request; a request without an id gets none.
    pub(crate) fn answer(&mut self, to: Asker, pane: PaneId, message: impl Into<FromHost>) {
        if to.request != 0 {
            self.send(to.conn, pane, to.request, message);
        }
    }

    /// Tells an event of a pane to everyone it concerns: subscribers and who views the pane.
    pub(crate) fn publish(&mut self, pane: PaneId, message: impl Into<FromHost>) {
        let message = message.into();
        let colour_only = only_colours(&message);
        // Another program's clipboard is written for the one who holds its pane, nobody else.
        let holder_only = matches!(message, FromHost::Clipboard(_));
        let holder = self
            .s
            .panes
            .get(&pane)
            .and_then(|pane| pane.holder)
            .map(|holder| holder.conn);
        self.tell(pane, &message, |id, conn| {
            let concerned = if holder_only {
                holder == Some(id)
            } else {
                conn.subscribed || conn.views.contains_key(&pane)
            };
            let full = colour_only && conn.outbox > SOFT_OUTBOX;
            conn.missed |= concerned && full;
            concerned && !full
        });
    }

    /// Tells a change of a note to subscribers and attachments.
    pub(crate) fn publish_note(&mut self, pane: PaneId, message: impl Into<FromHost>) {
        self.tell(pane, &message.into(), |_, conn| {
            conn.subscribed || conn.role == Role::Attach
        });
    }

    /// Tells subscribers alone what viewers of the pane need not know.
    pub(crate) fn tell_subscribers(&mut self, pane: PaneId, message: impl Into<FromHost>) {
        self.tell(pane, &message.into(), |_, conn| conn.subscribed);
    }

    /// Tells everyone.
    pub(crate) fn broadcast(&mut self, message: impl Into<FromHost>) {
        self.tell(PaneId::NONE, &message.into(), |_, _| true);
    }

    fn tell(
        &mut self,
        pane: PaneId,
        message: &FromHost,
        mut concerns: impl FnMut(ConnId, &mut Conn) -> bool,
    ) {
        let mut bytes = Vec::new();
        let conns = self.s.conns.iter_mut();
        let whom: Vec<ConnId> = conns
            .filter_map(|(id, conn)| concerns(*id, conn).then_some(*id))
            .collect();
        if whom.is_empty() || message.put(pane, 0, &mut bytes).is_err() {
            return;
        }
        for conn in whom {
            self.send_bytes(conn, bytes.clone());
        }
    }

    /// Bytes have left for the socket; titles that were left out are told again.
    pub(crate) fn sent(&mut self, id: ConnId, bytes: usize) {
        let Some(conn) = self.s.conns.get_mut(&id) else {
            return;
        };
        conn.outbox = conn.outbox.saturating_sub(bytes);
        if !conn.missed || conn.outbox > SOFT_OUTBOX / 8 {
            return;
        }
        conn.missed = false;
        let (all, views) = (conn.subscribed, &conn.views);
        let panes = self.s.panes.values().filter(|pane| pane.is_visible());
        let titles: Vec<(PaneId, String)> = panes
            .filter(|pane| all || views.contains_key(&pane.id))
            .map(|pane| (pane.id, pane.screen.title()))
            .collect();
        for (pane, title) in titles {
            self.send(id, pane, 0, Title { title });
        }
    }
}

/// Whether a viewer that misses this event only misses colour: it can be told again, or was for
/// the moment.
const fn only_colours(message: &FromHost) -> bool {
    matches!(
        message,
        FromHost::Title(_)
            | FromHost::Folder(_)
            | FromHost::Bell(_)
            | FromHost::Notice(_)
            | FromHost::Progress(_)
            | FromHost::Mark(_)
            | FromHost::ProgramStatus(_)
            | FromHost::Clipboard(_)
            | FromHost::PaneInput(_)
            | FromHost::PaneForeground(_)
            | FromHost::PaneShown(_)
    )
}
