//! The host's pure core: [`event::Event`]s and the time in, [`action::Action`]s out.
//!
//! [`Core`] is one plain struct of owned data (`state::State`, which says how a later host takes
//! it over). Promises: no I/O, no clock, no async, no panic; an event is handled whole; what is due
//! by time alone is due at [`Core::next_deadline`]. The rules live in one module each: `requests`
//! and `permit` (who may ask what), `create` and `exits` (a pane's life), `claims`, `credit` and
//! `stream` (who sees what), `looks` (who looks), `queue` (input), `notes`, `viewer`, `environment`, `life` (the end).

pub mod action;
mod claims;
mod config;
mod create;
mod credit;
mod environment;
pub mod event;
mod exits;
mod life;
mod looks;
mod notes;
mod pane;
mod permit;
mod queue;
mod requests;
mod screen;
pub mod share;
mod state;
mod step;
mod stream;
mod submit;
#[cfg(test)]
mod tests;
mod titles;
mod viewer;

pub use config::CoreConfig;

use action::Action;
use event::{ConnId, Event};
use protocol::msg::{Goodbye, Welcome};
use protocol::{PaneId, Role};
use state::{Conn, State};
use std::time::Instant;
use step::Step;

/// All state and all rules of a host.
#[derive(Debug)]
pub struct Core {
    state: State,
}

impl Core {
    /// A host without panes or connections that began at `now`.
    #[must_use]
    pub fn new(config: CoreConfig, now: Instant) -> Self {
        Self {
            state: State::new(config, now),
        }
    }

    /// Takes one event and appends what is to be done, in order. `now` never goes back. After
    /// [`Action::Exit`] nothing is appended any more.
    pub fn on(&mut self, event: Event, now: Instant, out: &mut Vec<Action>) {
        if self.state.over {
            return;
        }
        let mut step = Step {
            s: &mut self.state,
            now,
            out,
        };
        step.handle(event);
        step.settle();
    }

    /// When [`Event::Deadline`] is due; `None`: nothing is due by time alone. May change with every
    /// event.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        self.state.next_deadline()
    }

    /// Whether there is such a pane: only then does its key admit a connection.
    #[must_use]
    pub fn has_pane(&self, pane: PaneId) -> bool {
        self.state.panes.contains_key(&pane)
    }
}

impl Step<'_> {
    fn handle(&mut self, event: Event) {
        match event {
            Event::Connected {
                conn,
                role,
                pane_key,
            } => self.connected(conn, role, pane_key),
            Event::Frame { conn, frame } => self.frame(conn, frame),
            Event::Sent { conn, bytes } => self.sent(conn, bytes),
            Event::Disconnected { conn } => self.disconnected(conn),
            Event::LoginEnv {
                token,
                env,
                warning,
            } => self.login_env(token, &env, warning),
            Event::Measured {
                memory,
                root_reaper,
                warnings,
            } => {
                self.measured(memory, root_reaper, warnings);
            }
            Event::Shared(looked) => self.shared(looked),
            Event::Terminate { signal } => self.stop(&format!("{signal} received")),
            // What is due is looked at after every event.
            Event::Deadline => {}
            of_pane => self.handle_pane(of_pane),
        }
    }

    fn handle_pane(&mut self, event: Event) {
        match event {
            Event::Spawned { pane, reaper } => self.spawned(pane, reaper),
            Event::Started { pane, pid, start } => self.started(pane, pid, start),
            Event::SpawnFailed { pane, text } => self.spawn_failed(pane, text),
            Event::Output { pane, bytes } => self.output(pane, &bytes),
            Event::OutputEnded { pane } => self.output_ended(pane),
            Event::Wrote { pane, bytes } => self.wrote(pane, bytes),
            Event::WriteFailed { pane } => self.write_failed(pane),
            Event::Stopped { pane } => self.stopped(pane, true),
            Event::Continued { pane } => self.stopped(pane, false),
            Event::OutOfMemory { pane } => self.out_of_memory(pane),
            Event::Exited { pane, raw } => self.exited(pane, raw),
            Event::ReaperGone { pane, raw } => self.reaper_gone(pane, raw),
            Event::Foreground { pane, group } => self.foreground(pane, group),
            Event::GroupGone { pane, group } => self.group_gone(pane, group),
            Event::Connected { .. }
            | Event::Frame { .. }
            | Event::Sent { .. }
            | Event::Disconnected { .. }
            | Event::LoginEnv { .. }
            | Event::Measured { .. }
            | Event::Shared(_)
            | Event::Terminate { .. }
            | Event::Deadline => {}
        }
    }

    fn connected(&mut self, conn: ConnId, role: Role, pane_key: Option<PaneId>) {
        if pane_key.is_some() && role != Role::Report {
            let why = "a pane's key admits role report only".to_owned();
            return self.out.push(Action::Close { conn, why });
        }
        let config = &self.s.config;
        let welcome = Welcome {
            instance: config.instance,
            pid: config.pid,
            build: config.build.clone(),
            connection: conn.0,
        };
        self.s
            .conns
            .insert(conn, Conn::new(role, pane_key, self.now));
        self.send(conn, PaneId::NONE, 0, welcome);
        if let Some(reason) = self
            .s
            .stopping
            .as_ref()
            .map(|stopping| stopping.reason.clone())
        {
            self.send(conn, PaneId::NONE, 0, Goodbye { reason });
        }
    }

    fn wrote(&mut self, id: PaneId, bytes: usize) {
        if let Some(pane) = self.s.panes.get_mut(&id) {
            pane.queue.wrote(bytes);
            self.pump(id);
        }
    }

    fn write_failed(&mut self, id: PaneId) {
        if let Some(pane) = self.s.panes.get_mut(&id) {
            pane.queue.clear();
            pane.deaf = true;
            self.log(format!("{id}: its terminal takes no input any more"));
        }
    }
}
