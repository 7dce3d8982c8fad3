//! Reapers' news, waits and foreground groups: what happens to a pane's family, told to the core.
//!
//! In: reports, ended children, the look at panes where something happened. Out: the core's events.
//! Promises: the end of a reaper is told once, after all it reported; a reaper that was killed has
//! its family ended here; a program that could not be started is told with argv and path.

use crate::children::Child;
use crate::core::event::Event;
use crate::driver::Driver;
use crate::pane::Pane;
use protocol::PaneId;
use reaper::Report;
use std::time::{Duration, Instant};
use sys::process::Signal;

/// How often adopted processes are looked for while there are some.
const ADOPTED: Duration = Duration::from_millis(50);
/// Time to the next look at foreground groups when nothing more happens.
const LATER: Duration = Duration::from_secs(1);

impl Driver {
    /// A reaper's word.
    pub(crate) fn on_report(&mut self, id: PaneId, report: Report) {
        let Some(pane) = self.panes.get_mut(&id) else {
            return;
        };
        let event = match report {
            Report::Started { pid, start } => {
                pane.starting = None;
                pane.main = pid;
                Event::Started {
                    pane: id,
                    pid: u32::try_from(pid).unwrap_or(0),
                    start,
                }
            }
            Report::Failed { stage, errno } => {
                let Some(spec) = pane.starting.take() else {
                    return;
                };
                pane.failed = true;
                let text = reaper::describe_failure(&spec.argv, &spec.cwd, stage, errno);
                Event::SpawnFailed { pane: id, text }
            }
            Report::Stopped { .. } => Event::Stopped { pane: id },
            Report::Continued => Event::Continued { pane: id },
            Report::Exited { raw } => {
                pane.exited = true;
                let killed = raw & 0x7f == Signal::KILL.as_raw();
                if killed && self.children.oom.was_it(Instant::now()) {
                    self.events.push_back(Event::OutOfMemory { pane: id });
                }
                Event::Exited { pane: id, raw }
            }
            Report::Refused { pid } => {
                return tracing::warn!(pane = %id, pid, "is another user's now and stays");
            }
        };
        self.tell(event);
    }

    /// A reaper will say nothing more.
    pub(crate) fn on_reports_ended(&mut self, id: PaneId) {
        if let Some(pane) = self.panes.get_mut(&id) {
            pane.silent = true;
        }
        self.on_reaper_end(id);
    }

    /// SIGCHLD: some children ended.
    pub(crate) fn reap(&mut self) {
        for (child, raw) in self.children.reap() {
            let Child::Reaper(id) = child else { continue };
            let Some(pane) = self.panes.get_mut(&id) else {
                continue;
            };
            pane.reaped = Some(raw);
            pane.io.finish_reports();
            let reaper = pane.reaper;
            self.children.helpers.reaper_ended(reaper, !is_signal(raw));
            if is_signal(raw) {
                self.children.expect_adopted();
            }
            self.on_reaper_end(id);
        }
        self.end_adopted();
    }

    /// Ends what dead reapers left to this process, and comes back while some of it lives.
    pub(crate) fn end_adopted(&mut self) {
        let more = self.children.end_adopted();
        self.adopted_at = more.then(|| Instant::now() + ADOPTED);
    }

    fn on_reaper_end(&mut self, id: PaneId) {
        let Some(pane) = self.panes.get_mut(&id) else {
            return;
        };
        let (true, Some(raw), false) = (pane.silent, pane.reaped, pane.over) else {
            return;
        };
        pane.over = true;
        if !pane.exited && !pane.failed {
            tracing::warn!(pane = %id, raw, "the pane's reaper ended before its program");
            self.children.expect_adopted();
        }
        if let Some(spec) = pane.starting.take() {
            let program = spec.argv.first().map(|arg| arg.display().to_string());
            let program = program.unwrap_or_default();
            let text =
                format!("the reaper of {id} ended (status {raw}) before it started {program}");
            self.tell(Event::SpawnFailed { pane: id, text });
        } else if !pane.failed {
            self.tell(Event::ReaperGone { pane: id, raw });
        }
        self.forget_if_over(id);
    }

    /// Drops what is held of a pane once its pty is closed and its reaper gone.
    pub(crate) fn forget_if_over(&mut self, id: PaneId) {
        let over = |pane: &Pane| pane.over && (pane.closed || pane.failed);
        if self.panes.get(&id).is_some_and(over) {
            self.panes.remove(&id);
        }
    }

    /// Looks at the foreground groups of panes where something happened, and again some time after.
    pub(crate) fn sample(&mut self) {
        let mut again = false;
        self.children.oom.look(Instant::now());
        for (id, pane) in &mut self.panes {
            let (now, later) = pane.take_look();
            again |= later;
            if !now {
                continue;
            }
            for group in pane.gone_groups() {
                self.events.push_back(Event::GroupGone { pane: *id, group });
            }
            if let Some(group) = pane.foreground_change() {
                self.events
                    .push_back(Event::Foreground { pane: *id, group });
            }
        }
        self.sample_at = again.then(|| Instant::now() + LATER);
        self.settle();
    }
}

/// Whether a raw wait status means an end by signal.
const fn is_signal(raw: i32) -> bool {
    raw & 0x7f != 0
}
