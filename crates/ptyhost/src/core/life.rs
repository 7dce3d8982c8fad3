//! The host's own life: idle exit, an ordered stop, deadlines.
//!
//! Promises: only live programs and attach or watch connections hold the host; observers and exited
//! panes do not, and a command only puts its end off, by [`COMMAND`] at most. Time is monotonic: sleep and clock changes end nothing. An end is
//! announced to everyone first, and takes at most [`STOP_WITHIN`].

use super::action::Action;
use super::pane::{Pane, Phase};
use super::state::{State, Stopping};
use super::step::Step;
use protocol::msg::{self, Goodbye};
use protocol::{PaneId, Role};
use std::time::{Duration, Instant};

/// How long an ordered stop waits for families to end.
pub(crate) const STOP_WITHIN: Duration = Duration::from_secs(10);

/// How long after it has connected a command puts an idle end off: it may be about to start a pane,
/// and would meet a host that has just gone.
const COMMAND: Duration = Duration::from_secs(10);

/// Something of the pane may still live.
const fn lives(pane: &Pane) -> bool {
    pane.holds_host() || pane.reaper_lives
}

impl State {
    /// Live programs, panes on their way and attachments.
    fn is_held(&self) -> bool {
        self.panes.values().any(Pane::holds_host)
            || self.login.is_some()
            || self.conns.values().any(|conn| conn.role.holds_host())
    }

    fn idle_deadline(&self) -> Option<Instant> {
        let due = self.idle_since?.checked_add(self.config.idle_exit)?;
        let commands = self
            .conns
            .values()
            .filter(|conn| conn.role == Role::Control);
        let done = commands.filter_map(|conn| conn.since.checked_add(COMMAND));
        // One that is connected for longer than that counts no more: it waits for something.
        let done = done.filter(|done| *done > due).max();
        Some(done.unwrap_or(due))
    }

    /// The next time something is due by itself.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        if self.over {
            return None;
        }
        let drains = self.panes.values().filter_map(|pane| match pane.phase {
            Phase::Draining(_, until) => Some(until),
            _ => None,
        });
        let stop = self.stopping.as_ref().map(|stopping| stopping.until);
        drains.chain(stop).chain(self.idle_deadline()).min()
    }
}

impl Step<'_> {
    /// Begins an ordered stop, once.
    pub(crate) fn stop(&mut self, reason: &str) {
        if self.s.stopping.is_some() {
            return;
        }
        let until = self.now.checked_add(STOP_WITHIN).unwrap_or(self.now);
        self.s.stopping = Some(Stopping {
            reason: reason.to_owned(),
            until,
        });
        self.log(format!("the host ends: {reason}"));
        self.broadcast(Goodbye {
            reason: reason.to_owned(),
        });
        if let Some(wait) = self.s.login.take() {
            for (_, from, _) in wait.panes {
                let text = format!("the host is ending ({reason})");
                self.fail(from.conn, PaneId::NONE, from.request, msg::BUSY, text);
            }
        }
        let living: Vec<PaneId> = self
            .s
            .panes
            .values()
            .filter(|pane| lives(pane))
            .map(|pane| pane.id)
            .collect();
        for id in living {
            if let Some(pane) = self.s.panes.get_mut(&id)
                && pane.is_live()
                && pane.end_note.is_empty()
            {
                "ended with the host".clone_into(&mut pane.end_note);
            }
            self.out.push(Action::HangUp { pane: id });
        }
    }

    /// What time and the last event made due: drains, an idle or ordered end.
    pub(crate) fn settle(&mut self) {
        self.end_drains();
        self.note_idle();
        let exit = if let Some(stopping) = &self.s.stopping {
            let ended = !self.s.panes.values().any(lives);
            (ended || stopping.until <= self.now).then(|| stopping.reason.clone())
        } else {
            let due = self.s.idle_deadline().is_some_and(|due| due <= self.now);
            due.then(|| self.goodbye_idle())
        };
        if let Some(reason) = exit {
            self.log_left_behind();
            self.s.over = true;
            self.out.push(Action::Exit { reason });
        }
    }

    fn note_idle(&mut self) {
        if self.s.is_held() {
            self.s.idle_since = None;
        } else {
            self.s.idle_since.get_or_insert(self.now);
        }
    }

    fn goodbye_idle(&mut self) -> String {
        let reason = "nothing runs and nobody is attached".to_owned();
        self.broadcast(Goodbye {
            reason: reason.clone(),
        });
        reason
    }

    fn log_left_behind(&mut self) {
        let left: Vec<String> = self
            .s
            .panes
            .values()
            .filter(|pane| lives(pane))
            .map(|pane| pane.id.to_string())
            .collect();
        if !left.is_empty() {
            self.log(format!("not ended in time: {}", left.join(", ")));
        }
    }
}
