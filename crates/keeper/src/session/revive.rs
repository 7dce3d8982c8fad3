//! Brings back what a former host had, or what belongs to a folder that was opened.
//!
//! In: the records, what the host has. Out: panes made over a connection that manages and cannot
//! type. Promises: `restore` decides what and when, this carries it out; the records name the former
//! host until all is done, so that a keeper that is killed in between is followed by one that goes
//! on; layouts are put back before their panes; how far it has come stands in a note.

use super::{Session, Step, now, vanished};
use crate::core::Event as CoreEvent;
use link::Polled;
use link::layout::Workspace;
use link::notes::{self, RestoreNote};
use protocol::Role;
use protocol::msg::PaneEnded;
use restore::execute::{Change, Do, Event, Report, Run};
use restore::plan::{Cause, Plan, Settings, plan};
use restore::world::Machine;
use restore::{Document, Vault, intent, verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How long a pane may take to start: the user's login shell is asked for its variables first.
pub(super) const START: Duration = Duration::from_secs(60);

/// A restore under way.
pub(super) struct Revival {
    pub(super) run: Run,
    /// Why, in words.
    reason: String,
    /// Panes are made over this, so that several begin at once.
    pub(super) maker: Polled,
    /// Requests that wait for an answer: the pane, and when it is given up.
    pub(super) asked: BTreeMap<u32, (u32, Instant)>,
    pub(super) next: u32,
    /// Panes that have not come back yet.
    pub(super) pending: BTreeSet<u32>,
    /// What was last told of an agent.
    working: BTreeMap<u32, bool>,
    /// When all are there and have been for a while: what it came to is told then, although agents
    /// are watched for longer.
    pub(super) settled: Option<Instant>,
    /// What was told it came to.
    told: Option<Report>,
    /// Somebody asked for it; the host that is here has the panes.
    asked_for: bool,
}

impl Revival {
    /// When time alone makes something due.
    pub(super) fn due(&self) -> Option<Instant> {
        let asked = self.asked.values().map(|(_, until)| *until);
        asked.chain(self.settled).chain(self.run.next_tick()).min()
    }

    /// An end of this pane's program is the restore's to judge.
    pub(super) fn watches(&self, pane: u32) -> bool {
        self.run.watches(pane)
    }

    pub(super) const fn maker(&self) -> &Polled {
        &self.maker
    }

    /// Panes of a former host are still to come.
    pub(super) fn is_pending(&self) -> bool {
        !self.asked_for && self.is_under_way()
    }

    /// Panes are still to begin, to stay for a moment, or to be tried again.
    pub(super) fn is_under_way(&self) -> bool {
        self.told.is_none() && !self.run.is_done() || self.run.tries_again()
    }
}

impl Session<'_> {
    /// What a former host had comes back, if the records name one.
    pub(super) fn revive_former(&mut self) -> Step<()> {
        let offered = self.offer_turns()?;
        let Ok(document) = self.store.document() else {
            return self.note_restore(true, &BTreeSet::new(), "");
        };
        let former = document.host().filter(|host| host.pid > 0);
        let Some(former) = former.filter(|it| it.instance != self.whose.host.instance) else {
            if !offered.is_empty() {
                return self.revive(&document, Cause::Reopened(offered));
            }
            return self.note_restore(true, &BTreeSet::new(), "");
        };
        let then = document.boot().unwrap_or_default();
        let reason = verdict::reason(&then, &former, &self.whose.boot);
        tracing::info!(
            "the host before this one (pid {}) is gone: {reason}",
            former.pid
        );
        self.close_questions();
        let document = self.store.document().unwrap_or_default();
        self.revive(&document, Cause::Gone(reason))
    }

    /// The end of host or machine cut short what was still open about ends.
    fn close_questions(&self) {
        let unix = now().unix;
        let changed = self.store.change(|document| {
            for mut pane in document.panes() {
                let gone = intent::Event::HostGone;
                pane.intent = intent::step(&pane.intent, &gone, unix);
                if let Some(agent) = &mut pane.agent {
                    agent.intent = intent::step(&agent.intent, &gone, unix);
                }
                document.put_pane(&pane)?;
            }
            Ok(())
        });
        if let Err(error) = changed {
            tracing::error!("{error}");
        }
    }

    /// Brings back what `cause` asks for.
    pub(super) fn revive(&mut self, document: &Document, cause: Cause) -> Step<()> {
        self.live = (self.config.live)();
        self.look_for_agents();
        let reason = cause.words();
        let asked_for = !matches!(cause, Cause::Gone(_));
        let put_back = !matches!(cause, Cause::Opened(_));
        let attended = asked_for || self.attachments > 0;
        let layouts = document.workspaces();
        // What the CLIs wrote last is in the vault before it is asked.
        self.tend(&document.panes());
        let vault = Vault::at(&self.config.places.state).answers(self.known.catalogue.clone());
        let plan = plan(
            document,
            &Settings {
                cause,
                start: self.live.start,
                go_on: self.live.go_on,
                attended,
                live: self.living(),
                shown: shown(&layouts),
                catalogue: &self.known.catalogue,
            },
            &Machine::new(self.config.shell.clone(), self.known.catalogue.clone())
                .with_vault(vault),
        );
        if plan.items.is_empty() {
            return self.note_restore(true, &BTreeSet::new(), "");
        }
        let pending: BTreeSet<u32> = started(&plan).map(|(pane, _)| pane).collect();
        self.note_restore(false, &pending, "")?;
        if put_back {
            let started: Vec<(u32, Option<&str>)> = started(&plan).collect();
            self.put_back(&layouts, &started)?;
        }
        if let Some(line) = plan.beginning(&reason) {
            tracing::info!("{line}");
        }
        let maker =
            link::connect(&self.config.places, Role::Manage).and_then(link::Connection::polled);
        self.revival = Some(Revival {
            run: Run::new(plan, attended),
            reason,
            maker: maker.map_err(vanished)?,
            asked: BTreeMap::new(),
            next: 0,
            pending,
            working: BTreeMap::new(),
            settled: None,
            told: None,
            asked_for,
        });
        self.revive_step(&Event::Tick)
    }

    /// Lets the restore go on.
    pub(super) fn revive_step(&mut self, event: &Event) -> Step<()> {
        let Some(revival) = &mut self.revival else {
            return Ok(());
        };
        for next in revival.run.step(event, Instant::now()) {
            self.carry_out(next)?;
        }
        Ok(())
    }

    fn carry_out(&mut self, next: Do) -> Step<()> {
        match next {
            Do::Spawn { spawn, go_on } => self.make(&spawn, go_on),
            Do::Look(pane) => {
                let text = self.text(pane)?;
                self.revive_step(&Event::Screen { pane, text })
            }
            Do::Record { pane, change } => self.record(pane, &change),
            Do::Say(text) => {
                tracing::info!("{text}");
                Ok(())
            }
            Do::Done(report) => self.done(&report),
        }
    }

    /// Writes down what a restore came to for a pane.
    pub(super) fn record(&mut self, pane: u32, change: &Change) -> Step<()> {
        let (boot, unix) = (self.whose.boot.id.clone(), now().unix);
        let edited = self.store.change(|document| {
            document.edit_pane(pane, |record| change.apply(record, &boot, unix))?;
            Ok(())
        });
        if let Err(error) = edited {
            tracing::error!("{error}");
        }
        if matches!(change, Change::Failed(_)) {
            tracing::warn!("p{pane}: {change:?}");
        }
        self.reread(pane)
    }

    /// The agent of a pane opened another conversation than the one it was asked for: no comeback.
    pub(super) fn opened_another(&mut self, pane: u32, opened: String) -> Step<()> {
        let change = Change::Other(opened);
        self.record(pane, &change)?;
        let record = self.store.document().ok().and_then(|it| it.pane(pane));
        let Some(words) = record.and_then(|it| it.failure) else {
            return Ok(());
        };
        tracing::warn!(
            "p{pane}: {words}; `abide reopen p{pane}` asks again, `abide fresh p{pane}` lets go of it"
        );
        self.revive_step(&Event::Other { pane, words })
    }

    /// Time passed: what is overdue, and what an agent does by now.
    pub(super) fn revive_tick(&mut self) -> Step<()> {
        let Some(revival) = &mut self.revival else {
            return Ok(());
        };
        let now = Instant::now();
        let late: Vec<u32> = revival
            .asked
            .iter()
            .filter(|(_, (_, until))| *until <= now)
            .map(|(request, _)| *request)
            .collect();
        let mut events: Vec<Event> = late
            .iter()
            .filter_map(|request| revival.asked.remove(request))
            .map(|(pane, _)| Event::Spawned {
                pane,
                outcome: Err(format!("it did not start within {} s", START.as_secs())),
            })
            .collect();
        for (pane, working) in self.core.working() {
            if revival.working.insert(pane, working) != Some(working) {
                events.push(Event::State { pane, working });
            }
        }
        if revival.run.next_tick().is_some_and(|at| at <= now) {
            events.push(Event::Tick);
        }
        let settled = revival.settled.take_if(|at| *at <= now).is_some();
        for event in events {
            self.revive_step(&event)?;
        }
        if settled && let Some(revival) = &self.revival {
            let report = revival.run.report();
            self.done(&report)?;
        }
        if let Some(revival) = &self.revival
            && revival.run.is_done()
            && revival.run.next_tick().is_none()
        {
            self.revival = None;
        }
        self.next_wish()
    }

    /// A program that was only just brought back ended.
    pub(super) fn revived_ended(&mut self, pane: u32, ended: &PaneEnded) -> Step<()> {
        let text = self.text(pane)?;
        self.revive_step(&Event::Ended {
            pane,
            raw_status: ended.raw_status,
            text,
        })?;
        if let Some(revival) = self.revival.as_mut().filter(|it| it.run.watches(pane)) {
            revival.pending.insert(pane); // it is tried again
            revival.settled = None;
        }
        Ok(())
    }

    /// Tells what it came to, once, and again when that changed.
    fn done(&mut self, report: &Report) -> Step<()> {
        let Some(revival) = &mut self.revival else {
            return Ok(());
        };
        if revival.told.replace(report.clone()).as_ref() == Some(report) {
            return self.write(&[]);
        }
        let (line, reason) = (report.line(), revival.reason.clone());
        if revival.asked_for && report.resumed == 0 {
            return self.note_restore(true, &BTreeSet::new(), "");
        }
        // Written before it is said: who hears it finds it.
        let last = report.last(&reason, now().unix);
        let written = self.store.change(|document| {
            document.set_last(&last);
            Ok(())
        });
        if let Err(error) = written {
            tracing::error!("{error}");
        }
        tracing::info!("{line}");
        for (pane, why) in &report.reasons {
            tracing::info!("p{pane} did not come back: {why}");
        }
        let pending = self.revival.as_ref().map(|it| it.pending.clone());
        self.note_restore(true, &pending.unwrap_or_default(), &line)?;
        self.write(&[])
    }

    /// What somebody else may have written of a pane.
    fn reread(&mut self, pane: u32) -> Step<()> {
        let Some(record) = self.store.document().ok().and_then(|it| it.pane(pane)) else {
            return Ok(());
        };
        self.step(CoreEvent::Reread(Box::new(record)))
    }

    /// Says how far it is. It is not done while something that was asked for has not begun.
    pub(super) fn note_restore(
        &mut self,
        done: bool,
        pending: &BTreeSet<u32>,
        line: &str,
    ) -> Step<()> {
        let done = done && self.wishes.is_empty();
        self.restores += u64::from(!done);
        let note = RestoreNote {
            done,
            pending: pending.iter().copied().collect(),
            held: self
                .revival
                .as_ref()
                .filter(|_| done)
                .map(|it| it.run.held())
                .unwrap_or_default(),
            line: line.to_owned(),
            count: self.restores,
        };
        self.note(0, notes::RESTORE, notes::to_json(&note))
    }

    fn living(&self) -> BTreeSet<u32> {
        let all = self.panes.keys().copied();
        all.filter(|pane| self.is_live(*pane)).collect()
    }

    pub(super) fn is_live(&self, pane: u32) -> bool {
        self.core.is_alive(pane)
    }
}

/// Panes that are started, and their workspaces.
fn started(plan: &Plan) -> impl Iterator<Item = (u32, Option<&str>)> {
    let started = plan.items.iter().filter(|item| item.spawn.is_some());
    started.map(|item| (item.pane, item.workspace.as_deref()))
}

/// Panes that are in front in their workspace.
fn shown(layouts: &[Workspace]) -> BTreeSet<u32> {
    let front = layouts.iter().filter_map(|it| it.tabs.get(it.active));
    front.flat_map(|tab| tab.root.panes()).collect()
}
