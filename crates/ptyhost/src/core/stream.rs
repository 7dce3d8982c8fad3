//! From a pty to viewers: output, snapshots, credit, terminal events, answers to queries.
//!
//! In: output and acks. Out: `Output` and `Snapshot` frames, events, writes. Promises: every byte
//! of output is taken the moment it comes, whoever views the pane; a viewer gets a snapshot of one
//! offset and then every byte from exactly there, or another snapshot, never the backlog.

use super::action::Action;
use super::credit::Verdict;
use super::event::ConnId;
use super::pane::{Pane, Phase};
use super::step::Step;
use protocol::msg::{self, Bell, Clipboard, Folder, Mark, Notice, ProgramStatus, Progress, Title};
use protocol::{FromHost, PaneId};
use term::{Event, Size};

/// Kind number of `FromHost::Output`, which is put on the wire without building the message.
const OUTPUT: u16 = 225;
/// Kind number of `FromHost::Snapshot`.
const SNAPSHOT: u16 = 224;

impl Step<'_> {
    /// The program wrote.
    pub(crate) fn output(&mut self, id: PaneId, bytes: &[u8]) {
        let now = self.now;
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        if matches!(pane.phase, Phase::Exited(_)) || bytes.is_empty() {
            return;
        }
        let start = pane.offset;
        pane.offset += bytes.len() as u64;
        pane.last_output = Some(now);
        let events = pane.screen.advance(bytes, &mut pane.queue);
        let fault = pane.screen.take_fault();
        self.stream(id, start, bytes);
        if let Some(fault) = fault {
            self.log(format!("{id}: {fault}"));
            self.resync(id);
        }
        for event in events {
            self.terminal_event(id, event);
        }
        self.pump(id);
    }

    /// Passes output on to whoever is shown the pane and has credit.
    fn stream(&mut self, id: PaneId, start: u64, bytes: &[u8]) {
        let end = start + bytes.len() as u64;
        for (conn, verdict) in self.verdicts(id, |view| view.output(end, bytes.len())) {
            match verdict {
                Verdict::Send => {
                    self.send_stream(conn, id, 0, OUTPUT, (start, bytes));
                }
                Verdict::Snapshot => self.send_snapshot(conn, id),
                Verdict::Skip => {}
            }
        }
    }

    fn verdicts(
        &mut self,
        id: PaneId,
        mut judge: impl FnMut(&mut super::credit::View) -> Verdict,
    ) -> Vec<(ConnId, Verdict)> {
        let conns = self.s.conns.iter_mut();
        conns
            .filter_map(|(conn, state)| {
                let verdict = judge(state.views.get_mut(&id)?);
                (verdict != Verdict::Skip).then_some((*conn, verdict))
            })
            .collect()
    }

    /// Everyone who is shown the pane gets a fresh snapshot, as credit allows.
    pub(crate) fn resync(&mut self, id: PaneId) {
        for (conn, _) in self.verdicts(id, super::credit::View::resync) {
            self.send_snapshot(conn, id);
        }
    }

    /// Sends a viewer the pane's screen as it is now.
    pub(crate) fn send_snapshot(&mut self, conn: ConnId, id: PaneId) {
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        let (offset, bytes) = (pane.offset, pane.screen.snapshot());
        let fault = pane.screen.take_fault();
        if let Some(view) = self
            .s
            .conns
            .get_mut(&conn)
            .and_then(|conn| conn.views.get_mut(&id))
        {
            view.snapshot_sent(offset);
        }
        if !self.send_stream(conn, id, 0, SNAPSHOT, (offset, &bytes)) {
            self.log(format!(
                "{id}: its snapshot of {} bytes is over the frame limit",
                bytes.len()
            ));
        }
        if let Some(fault) = fault {
            self.log(format!("{id}: {fault}"));
        }
    }

    /// A viewer has used output.
    pub(crate) fn ack(&mut self, conn: ConnId, id: PaneId, offset: u64) {
        let view = self
            .s
            .conns
            .get_mut(&conn)
            .and_then(|conn| conn.views.get_mut(&id));
        if view.is_some_and(|view| view.ack(offset) == Verdict::Snapshot) {
            self.send_snapshot(conn, id);
        }
    }

    /// A screen once, as the answer to a request.
    pub(crate) fn get_snapshot(&mut self, conn: ConnId, id: PaneId, request: u32) {
        let Some(pane) = self.s.visible(id) else {
            return;
        };
        let (offset, bytes) = (pane.offset, pane.screen.snapshot());
        if request != 0 && !self.send_stream(conn, id, request, SNAPSHOT, (offset, &bytes)) {
            let text = format!("the screen of {id} is over the limit of one frame");
            self.fail(conn, id, request, msg::LIMIT, text);
        }
    }

    /// Scrollback lines, as the answer to a request.
    pub(crate) fn get_page(&mut self, conn: ConnId, id: PaneId, request: u32, get: &msg::GetPage) {
        let Some(pane) = self.s.visible(id) else {
            return;
        };
        let page = pane.screen.page(get.from, get.count);
        if request != 0 {
            self.send(conn, id, request, FromHost::Page(page));
        }
    }

    /// Writes the next chunk of input, if none is in flight.
    pub(crate) fn pump(&mut self, id: PaneId) {
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        if pane.deaf {
            pane.queue.clear();
        } else if let Some(bytes) = pane.queue.next_chunk() {
            self.out.push(Action::Write { pane: id, bytes });
        }
    }

    /// Gives a pane a size: the model first, then one window-size change, then every viewer anew.
    /// `false`: it had this size.
    pub(crate) fn resize(&mut self, id: PaneId, size: Size) -> bool {
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return false;
        };
        if !pane.screen.resize(size) {
            return false;
        }
        let (offset, live, fault) = (pane.offset, pane.is_live(), pane.screen.take_fault());
        if live {
            self.out.push(Action::Resize {
                pane: id,
                size: (size.cols, size.rows),
            });
        }
        if let Some(fault) = fault {
            self.log(format!("{id}: {fault}"));
        }
        self.publish(
            id,
            msg::PaneResized {
                cols: size.cols,
                rows: size.rows,
                offset,
            },
        );
        self.resync(id);
        true
    }

    /// The program of the group that set risky modes is gone: what it left is undone. Viewers get
    /// a snapshot, since the stream holds no bytes for it.
    pub(crate) fn reset_left_modes(&mut self, id: PaneId) {
        let reset = |pane: &mut Pane| pane.screen.reset_left_modes();
        if self.s.panes.get_mut(&id).is_some_and(reset) {
            self.resync(id);
        }
    }

    fn terminal_event(&mut self, id: PaneId, event: Event) {
        match event {
            Event::Title(title) => {
                if let Some(pane) = self.s.panes.get_mut(&id) {
                    pane.titled.came();
                    self.out.push(Action::WatchGroup { pane: id });
                }
                self.publish(id, Title { title });
            }
            Event::Folder(path) => self.publish(id, Folder { path }),
            Event::Bell => self.publish(id, Bell {}),
            Event::Notice { title, body } => self.publish(id, Notice { title, body }),
            Event::Progress { state, percent } => self.publish(id, Progress { state, percent }),
            Event::Mark { kind, status } => self.publish(id, Mark { kind, status }),
            Event::ProgramStatus(body) => self.publish(id, ProgramStatus { body }),
            // Programs write an empty clipboard by accident, it would erase the user's (herdr#1893).
            Event::Clipboard(bytes) if bytes.is_empty() => {}
            Event::Clipboard(bytes) => self.publish(id, Clipboard { bytes }),
            Event::RiskyMode => self.out.push(Action::WatchGroup { pane: id }),
            // Its text may hold what was on the screen, which no log may.
            Event::Fault(_) => {
                self.log(format!(
                    "{id}: the terminal engine failed; what was left is shown"
                ));
                self.resync(id);
            }
        }
    }
}
