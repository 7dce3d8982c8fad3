//! Ends: of a pane's program, and of an agent typed into a shell.
//!
//! Promises: an Enter that began a turn is spent, so it is no proof that the user ended anything; an
//! end without proof counts as the program's own only after 30 s that host and keeper both lived.

use super::pane::Watched;
use super::{Action, Agent, Core, IntentEvent, Now};
use agents::State;
use agents::state::Program;
use restore::Intent;
use restore::intent::{End, PROVISIONAL};
use std::time::{Duration, Instant};
use sys::process::Identity;

/// An end is a shutdown's when that is announced within this time.
const ANNOUNCED: Duration = Duration::from_secs(5);
/// A key that ends a program does so within this time, as a rule.
const AT_ONCE: Duration = Duration::from_secs(2);

impl Watched {
    /// The pane's own program ended.
    pub(super) fn ended(&mut self, raw: i32, since: Option<Duration>, shutdown: bool, now: Now) {
        let end = self.end(Some(raw), since, shutdown, now);
        self.by_key = since.filter(|_| end.by_user()).map(|since| (now.at, since));
        self.alive = false;
        self.agent = None;
        self.signals.program(Program::Exited);
        self.intents.push(IntentEvent::Ended(end));
        self.lived = Some(now.at + PROVISIONAL);
    }

    /// An end was announced just after this program's: a shutdown tells programs first, so a key that
    /// was not pressed right before it ended nothing.
    pub(super) fn shut_down(&mut self, now: Instant) {
        let by_shutdown = |(at, since): &(Instant, Duration)| {
            now.saturating_duration_since(*at) <= ANNOUNCED && *since > AT_ONCE
        };
        if self.by_key.take().is_some_and(|it| by_shutdown(&it)) {
            self.intents.push(IntentEvent::Reopened);
        }
        let lived = self.agent_lived.and_then(|at| at.checked_sub(PROVISIONAL));
        let open = lived.is_some_and(|at| now.saturating_duration_since(at) <= ANNOUNCED);
        if self.agent_by_key.take().is_some_and(|it| by_shutdown(&it)) {
            self.agent_intents.push(IntentEvent::Reopened);
        } else if open {
            // An end without a proof was the shutdown's as well.
            self.agent_intents.push(IntentEvent::HostGone);
        }
    }

    /// An agent that was written down as running is not there: it ended while no keeper lived.
    pub(super) fn missing(&mut self, now: Now) {
        if std::mem::take(&mut self.unseen) && self.agent.is_none() {
            let end = self.end(None, None, false, now);
            self.agent_intents.push(IntentEvent::Ended(end));
            self.agent_lived = Some(now.at + PROVISIONAL);
        }
    }

    /// The program ended while it was being brought back: nothing of what is wanted changes.
    pub(super) fn lost(&mut self) {
        self.alive = false;
        self.agent = None;
        self.signals.program(Program::Exited);
    }

    /// What a restore wrote down of the pane.
    pub(super) fn reread(&mut self, record: &restore::PaneRecord) {
        match (&mut self.record.conversation, &record.conversation) {
            (Some(ours), Some(theirs)) if ours.id == theirs.id => ours.asked = theirs.asked,
            (ours, None) => *ours = None,
            _ => {}
        }
        if record.agent.is_none() && self.agent.is_none() {
            (self.record.agent, self.record.shell) = (None, record.shell);
        }
        self.record.opened.clone_from(&record.opened);
        self.record.continues = record.continues;
        self.record.intent.clone_from(&record.intent);
        if let (Some(agent), Some(there)) = (&mut self.record.agent, &record.agent) {
            agent.intent.clone_from(&there.intent);
        }
    }

    fn end(
        &self,
        raw_status: Option<i32>,
        since: Option<Duration>,
        shutdown: bool,
        now: Now,
    ) -> End {
        let spent = |since: &Duration| {
            let submit = now.at.checked_sub(*since);
            self.turned
                .zip(submit)
                .is_some_and(|(turned, at)| turned > at)
        };
        End {
            raw_status,
            working: self.shown.state == State::Working && !self.shown.is_of_shell(),
            since_submit: since.filter(|since| !spent(since)),
            shutdown,
        }
    }

    /// Ends written down as open questions go on being that: this keeper's life counts anew.
    pub(super) fn resume_ends(&mut self, now: Instant) {
        let open = |intent: &Intent| matches!(intent, Intent::Provisional { .. } | Intent::Open);
        if open(&self.record.intent) {
            self.lived = Some(now + PROVISIONAL);
        }
        let agent = self.record.agent.as_ref();
        if agent.is_some_and(|it| matches!(it.intent, Intent::Provisional { .. })) {
            self.agent_lived = Some(now + PROVISIONAL);
        }
    }

    /// Time made an open end the program's own.
    pub(super) fn live_on(&mut self, now: Now) {
        if self.lived.is_some_and(|at| at <= now.at) {
            self.lived = None;
            self.intents.push(IntentEvent::Lived(PROVISIONAL));
        }
        if self.agent_lived.is_some_and(|at| at <= now.at) {
            self.agent_lived = None;
            self.agent_intents.push(IntentEvent::Lived(PROVISIONAL));
        }
    }

    /// An agent runs; `new`: it just began.
    pub(super) fn agent_runs(&mut self, new: bool) {
        let agent = self.record.agent.as_ref();
        if new && agent.is_some_and(|it| it.intent != Intent::Open) {
            self.agent_intents.push(IntentEvent::Runs);
            self.agent_lived = None;
        }
    }

    /// It runs, and what is written down is another one.
    pub(super) fn is_unwritten(&self, agent: &Agent) -> bool {
        let argv = self.record.agent.iter().flat_map(|it| &it.argv);
        let argv = argv.map(restore::Text::as_os);
        !argv.eq(agent.argv.iter().map(std::ffi::OsString::as_os_str))
    }

    /// Whether the process continues what is written down: it was started on that very conversation,
    /// or the keeper alone is new.
    pub(super) fn is_resumption(&self, agent: &Agent) -> bool {
        let written = self.record.agent.as_ref();
        let same_line = written.is_some_and(|it| {
            let argv = it.argv.iter().map(restore::Text::as_os);
            it.cli == agent.cli && argv.eq(agent.argv.iter().map(std::ffi::OsString::as_os_str))
        });
        let conversation = self.record.conversation.as_ref();
        let named = conversation.is_some_and(|it| {
            let id = it.id.as_str();
            agent
                .argv
                .iter()
                .any(|word| word.to_string_lossy().contains(id))
        });
        self.agent.is_none() && self.written.is_some() && (same_line || named)
    }
}

impl Core {
    /// The process of an agent is gone.
    pub(super) fn agent_gone(
        &mut self,
        id: u32,
        process: Identity,
        since: Option<Duration>,
        now: Now,
        _out: &mut [Action],
    ) {
        let shutdown = self.shutdown;
        let Some(pane) = self.panes.get_mut(&id).filter(|pane| pane.alive) else {
            return;
        };
        let Some(agent) = pane.agent.take_if(|it| it.process == process) else {
            return;
        };
        pane.want_look(now.at);
        if !agent.typed {
            // The pane's own program is about to end, and says how.
            pane.agent = Some(agent);
            return;
        }
        let end = pane.end(None, since, shutdown, now);
        pane.signals = agents::state::Signals::default();
        if pane.is_unwritten(&agent) {
            return; // it was none of what is written down
        }
        pane.agent_by_key = since.filter(|_| end.by_user()).map(|since| (now.at, since));
        pane.agent_intents.push(IntentEvent::Ended(end));
        pane.agent_lived = Some(now.at + PROVISIONAL);
    }
}
