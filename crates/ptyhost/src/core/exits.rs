//! The end of panes: status, last output, then the event; stopped and going on; left modes.
//!
//! In: what reapers report, what the driver sees of ptys. Out: `PaneExited` after the last output,
//! `PaneStopped`, removed panes. Promises: the status is told once, when the output is drained or
//! 1 s after the end; stopped is never taken for exited; the newest exited panes stay readable.

use super::action::Action;
use super::pane::{DRAIN, Pane, Phase};
use super::step::Step;
use protocol::PaneId;
use protocol::msg::{PaneEnded, PaneExited, PaneForeground, PaneRemoved, PaneStopped};

/// Raw wait status of a program that SIGKILL ended: what the end of its reaper means for it.
const KILLED: i32 = 9;

impl Step<'_> {
    /// The program ended; its last output may still come.
    pub(crate) fn exited(&mut self, id: PaneId, raw: i32) {
        let now = self.now;
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        match pane.phase {
            Phase::Starting(_) => {
                let text = format!("{id} ended before it had started (status {raw})");
                self.spawn_failed(id, text);
            }
            Phase::Running => {
                let end = pane.end(raw, now);
                let until = now.checked_add(DRAIN).unwrap_or(now);
                pane.phase = Phase::Draining(end, until);
                if pane.output_ended {
                    self.finish(id);
                }
            }
            Phase::Draining(..) | Phase::Exited(_) => {}
        }
    }

    /// The kernel chose the program when memory ran out.
    pub(crate) fn out_of_memory(&mut self, id: PaneId) {
        if let Some(pane) = self.s.panes.get_mut(&id)
            && pane.end_note.is_empty()
        {
            "the system had run out of memory".clone_into(&mut pane.end_note);
        }
    }

    /// Every byte the program wrote has been handed over.
    pub(crate) fn output_ended(&mut self, id: PaneId) {
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        pane.output_ended = true;
        if matches!(pane.phase, Phase::Draining(..)) {
            self.finish(id);
        }
    }

    /// The reaper ended, nothing of the family lives.
    pub(crate) fn reaper_gone(&mut self, id: PaneId, raw: i32) {
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        pane.reaper_lives = false;
        self.uses_nothing(id);
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        match pane.phase {
            Phase::Starting(_) => {
                let text =
                    format!("the reaper of {id} ended before its program started (status {raw})");
                self.spawn_failed(id, text);
            }
            // The family goes down with its reaper.
            Phase::Running => {
                if pane.end_note.is_empty() {
                    "its reaper ended".clone_into(&mut pane.end_note);
                }
                self.exited(id, KILLED);
            }
            Phase::Draining(..) | Phase::Exited(_) => {}
        }
    }

    /// Output that did not end within its time is not waited for any longer.
    pub(crate) fn end_drains(&mut self) {
        let now = self.now;
        let due = |pane: &Pane| matches!(pane.phase, Phase::Draining(_, until) if until <= now);
        let late: Vec<PaneId> = self
            .s
            .panes
            .values()
            .filter(|p| due(p))
            .map(|p| p.id)
            .collect();
        for id in late {
            self.finish(id);
        }
    }

    /// The pane is exited from here on.
    fn finish(&mut self, id: PaneId) {
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        let Phase::Draining(end, _) = pane.phase else {
            return;
        };
        pane.phase = Phase::Exited(end);
        pane.stopped = false;
        pane.foreground = 0;
        pane.queue.clear();
        let (end_note, killed) = (pane.end_note.clone(), pane.killed);
        self.out.push(Action::ClosePty { pane: id });
        self.reset_left_modes(id);
        self.log(format!("{id} {}", how(end.raw)));
        let since_input_ms = end.since_input_ms;
        self.tell_subscribers(
            id,
            PaneEnded {
                raw_status: end.raw,
                since_submit_ms: end.since_submit_ms,
                killed,
            },
        );
        self.publish(
            id,
            PaneExited {
                raw_status: end.raw,
                since_input_ms,
                end_note,
            },
        );
        self.s.exited.push_back(id);
        while self.s.exited.len() > self.s.config.keep_exited {
            let Some(oldest) = self.s.exited.front().copied() else {
                break;
            };
            self.remove(oldest);
        }
    }

    /// Forgets an exited pane.
    pub(crate) fn remove(&mut self, id: PaneId) {
        self.s.exited.retain(|exited| *exited != id);
        self.publish(id, PaneRemoved {});
        if let Some(mut pane) = self.s.panes.remove(&id) {
            self.s.ledger.forget(&mut pane.notes);
        }
        for conn in self.s.conns.values_mut() {
            conn.views.remove(&id);
        }
    }

    /// The program was stopped as a whole, or goes on.
    pub(crate) fn stopped(&mut self, id: PaneId, stopped: bool) {
        let Some(pane) = self.s.panes.get_mut(&id).filter(|pane| pane.is_live()) else {
            return;
        };
        if pane.stopped != stopped {
            pane.stopped = stopped;
            self.publish(id, PaneStopped { stopped });
        }
    }

    /// The terminal's foreground group is this now.
    pub(crate) fn foreground(&mut self, id: PaneId, group: u32) {
        let Some(pane) = self.s.panes.get_mut(&id).filter(|p| p.holds_host()) else {
            return;
        };
        pane.titled.foreground(group, self.now);
        if pane.foreground != group {
            pane.foreground = group;
            if pane.is_visible() {
                self.publish(id, PaneForeground { group });
            }
        }
    }
}

/// A raw wait status for the log.
fn how(raw: i32) -> String {
    match sys::process::Status::from_raw(raw) {
        sys::process::Status::Killed(signal) => format!("was killed by signal {signal}"),
        status => format!("exited with {}", status.code().unwrap_or_default()),
    }
}
