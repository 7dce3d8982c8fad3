//! When what is started: the pacing of a restore. Pure: events and a clock in, things to do out.
//!
//! In: a [`Plan`], then word of what was started, what ended and what is seen. Out: [`Do`]. Promises:
//! shown panes first, few at once, back-off between tries, at most [`crate::plan::MAX_TRIES`] of them;
//! a CLI that says the conversation is not there is not asked again; a failure keeps the record and
//! the CLI's own words; with nobody attached at most [`CONTINUED`] cut turns go on at once, and none
//! after a CLI asked for a login or met a rate limit; a hold stops what has not been started.

mod change;
mod job;
mod report;
mod words;

#[cfg(test)]
mod tests;

pub use change::{Came, Change, other_words};
pub use report::Report;
pub use words::{Answer, read as read_words};

use crate::plan::{Action, Item, Plan, Spawn};
use job::{Job, Phase};
use std::time::{Duration, Instant};

/// Agents that start at the same time; each takes a processor for seconds (herdr#4102).
pub const AGENTS_AT_ONCE: usize = 3;
/// Shells that start at the same time.
pub const SHELLS_AT_ONCE: usize = 8;
/// Cut turns that go on at the same time with nobody attached.
pub const CONTINUED: usize = 3;
/// An agent that has been there for so long makes room for the next.
pub const SETTLE: Duration = Duration::from_secs(4);
/// An agent that ends within this time has failed to come back.
pub const WATCH: Duration = Duration::from_secs(10);
/// A cut turn that goes on holds its place for so long at most.
pub const TURN: Duration = Duration::from_secs(600);
/// Waits between tries.
const BACK_OFF: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(8)];

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A pane was started, or why not.
    Spawned {
        /// Its id.
        pane: u32,
        /// The host's words.
        outcome: Result<(), String>,
    },
    /// A pane's program has ended.
    Ended {
        /// Its id.
        pane: u32,
        /// Raw wait status.
        raw_status: i32,
        /// What its screen says.
        text: String,
    },
    /// What a pane's screen says; the answer to [`Do::Look`].
    Screen {
        /// Its id.
        pane: u32,
        /// The text.
        text: String,
    },
    /// What an agent is doing.
    State {
        /// Its pane.
        pane: u32,
        /// It is in a turn.
        working: bool,
    },
    /// Somebody is attached, or nobody any more.
    Attended(bool),
    /// The agent of a pane is proved to be in another conversation than the one it was asked for.
    Other {
        /// Its pane.
        pane: u32,
        /// Which was asked for and which it opened, in words.
        words: String,
    },
    /// A pane is shown now.
    Shown(u32),
    /// The user stops the rest.
    Hold,
    /// The user let go of this pane: it does not come, unless it was started already.
    LetGo(u32),
    /// No further turn goes on by itself, for this reason.
    NoTurns(String),
    /// Time has passed.
    Tick,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Do {
    /// Start this. An ended pane of that id gives way. `go_on`: with the variables that let a cut
    /// turn go on.
    Spawn {
        /// What.
        spawn: Box<Spawn>,
        /// See above.
        go_on: bool,
    },
    /// Tell what the pane's screen says, as [`Event::Screen`].
    Look(u32),
    /// Write this down.
    Record {
        /// The pane.
        pane: u32,
        /// What.
        change: Change,
    },
    /// Tell the user and the log.
    Say(String),
    /// All is done.
    Done(Report),
}

/// One restore.
#[derive(Debug)]
pub struct Run {
    jobs: Vec<Job>,
    skipped: Vec<Item>,
    attended: bool,
    held: bool,
    /// Why no further turn goes on.
    no_more: Option<String>,
    said_done: bool,
}

impl Run {
    /// Begins; [`Run::step`] with [`Event::Tick`] gives the first things to do.
    #[must_use]
    pub fn new(plan: Plan, attended: bool) -> Self {
        let (starts, skipped) = plan
            .items
            .into_iter()
            .partition(|item| item.spawn.is_some());
        let starts: Vec<Item> = starts;
        Self {
            jobs: starts.into_iter().filter_map(Job::new).collect(),
            skipped,
            attended,
            held: false,
            no_more: None,
            said_done: false,
        }
    }

    /// What is to be done now.
    pub fn step(&mut self, event: &Event, now: Instant) -> Vec<Do> {
        let mut out = Vec::new();
        self.take(event, now, &mut out);
        self.pass(now, &mut out);
        self.start(now, &mut out);
        if !self.said_done && self.jobs.iter().all(Job::is_over) {
            self.said_done = true;
            out.push(Do::Done(self.report()));
        }
        out
    }

    /// When [`Event::Tick`] is due; `None`: nothing waits for time.
    #[must_use]
    pub fn next_tick(&self) -> Option<Instant> {
        self.jobs.iter().filter_map(Job::due).min()
    }

    /// An end of this pane's program now is a failure to come back, and says nothing of what the user
    /// wants: it is told with [`Event::Ended`] and to nobody else.
    #[must_use]
    pub fn watches(&self, pane: u32) -> bool {
        let mut jobs = self.jobs.iter();
        jobs.any(|job| job.item.pane == pane && (job.is_watched() || job.waits()))
    }

    /// The panes that are still on their way.
    #[must_use]
    pub fn pending(&self) -> Vec<u32> {
        let on_their_way = self.jobs.iter().filter(|job| !job.is_over());
        on_their_way.map(|job| job.item.pane).collect()
    }

    /// A pane failed, and waits for its next try.
    #[must_use]
    pub fn tries_again(&self) -> bool {
        let waits = |job: &Job| matches!(job.phase, Phase::Waiting(Some(_)));
        self.jobs.iter().any(waits)
    }

    /// The panes the user held: they are offered as before.
    #[must_use]
    pub fn held(&self) -> Vec<u32> {
        let held = self.jobs.iter().filter(|job| job.phase == Phase::Held);
        let skipped = self.skipped.iter().filter(|item| item.is_held());
        let held = held.map(|job| &job.item).chain(skipped);
        held.map(|item| item.pane).collect()
    }

    /// Everything has come back or failed. Turns that go on may still be watched.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.said_done
    }

    /// What it has come to so far.
    #[must_use]
    pub fn report(&self) -> Report {
        Report::of(&self.jobs, &self.skipped)
    }

    fn take(&mut self, event: &Event, now: Instant, out: &mut Vec<Do>) {
        match event {
            Event::Spawned { pane, outcome } => self.spawned(*pane, outcome, now, out),
            Event::Ended {
                pane,
                raw_status,
                text,
            } => self.ended(*pane, *raw_status, text, now, out),
            Event::Screen { pane, text } => self.screen(*pane, text, out),
            Event::State { pane, working } => {
                if let Some(job) = self.job(*pane) {
                    job.seen(*working);
                }
            }
            Event::Other { pane, words } => {
                if let Some(job) = self.job(*pane) {
                    job.other(words);
                }
            }
            Event::Attended(attended) => self.attended = *attended,
            Event::Shown(pane) => {
                if let Some(job) = self.job(*pane) {
                    job.item.shown = true;
                }
            }
            Event::Hold => self.hold(out),
            Event::LetGo(pane) => {
                if let Some(job) = self.job(*pane).filter(|job| job.waits()) {
                    job.phase = Phase::LetGo;
                }
            }
            Event::NoTurns(why) => {
                // Of interest only where one might.
                if self.jobs.iter().any(|job| job.waits() && self.goes_on(job)) {
                    self.stop_turns(why.clone(), out);
                }
            }
            Event::Tick => {}
        }
    }

    fn job(&mut self, pane: u32) -> Option<&mut Job> {
        self.jobs.iter_mut().find(|job| job.item.pane == pane)
    }

    fn spawned(
        &mut self,
        pane: u32,
        outcome: &Result<(), String>,
        now: Instant,
        out: &mut Vec<Do>,
    ) {
        let Some(job) = self.job(pane) else { return };
        match outcome {
            Ok(()) => job.began(now),
            Err(words) if job.phase == Phase::Failed => job.stand_refused(words, out),
            Err(words) => job.failed(words.clone(), true, now, out),
        }
    }

    fn ended(&mut self, pane: u32, raw_status: i32, text: &str, now: Instant, out: &mut Vec<Do>) {
        let Some(job) = self.job(pane) else { return };
        if !job.is_watched() {
            return job.turn_over();
        }
        let answer = words::read(text, &job.spawn().lost, &job.spawn().held);
        let words = words::last(text);
        match answer {
            Answer::Lost(line) => job.failed(line, false, now, out),
            Answer::Held(line) => job.failed(line, true, now, out),
            Answer::Refused(line) => {
                job.failed(line.clone(), false, now, out);
                let why = job.item.reason.clone();
                self.stop_turns(why, out);
            }
            // It was sent away: by the user, who is there, or by a CLI that had nothing to say.
            Answer::Nothing if raw_status == 0 => job.back(out),
            Answer::Nothing => job.failed(words.unwrap_or_else(|| end(raw_status)), true, now, out),
        }
    }

    fn screen(&mut self, pane: u32, text: &str, out: &mut Vec<Do>) {
        let Some(job) = self.job(pane) else { return };
        job.read();
        if let Answer::Refused(line) = words::refusal_below(text) {
            job.turn_over();
            let private = job.spawn().private;
            let why = if private {
                job::PRIVATE.to_owned()
            } else {
                line
            };
            self.stop_turns(why, out);
        }
    }

    fn stop_turns(&mut self, why: String, out: &mut Vec<Do>) {
        if self.no_more.is_none() {
            out.push(Do::Say(format!("no further turn goes on by itself: {why}")));
            self.no_more = Some(why);
        }
    }

    fn hold(&mut self, out: &mut Vec<Do>) {
        self.held = true;
        let waiting = self.jobs.iter_mut().filter(|job| job.waits());
        let held = waiting.map(|job| job.phase = Phase::Held).count();
        out.push(Do::Say(format!(
            "held: {held} pane(s) stay where they are; `abide restore` goes on"
        )));
    }

    /// What time alone changes.
    fn pass(&mut self, now: Instant, out: &mut Vec<Do>) {
        for job in &mut self.jobs {
            job.pass(now, out);
        }
    }

    /// Starts what may start now.
    fn start(&mut self, now: Instant, out: &mut Vec<Do>) {
        if self.held {
            return;
        }
        while let Some(at) = self.next(now) {
            let go_on = self.goes_on(&self.jobs[at]);
            self.jobs[at].start(go_on, out);
        }
    }

    /// The next to be started: a shown one before the others.
    fn next(&self, now: Instant) -> Option<usize> {
        let free = |agent: bool| {
            let busy = self
                .jobs
                .iter()
                .filter(|job| job.starts() && job.spawn().agent == agent);
            busy.count()
                < if agent {
                    AGENTS_AT_ONCE
                } else {
                    SHELLS_AT_ONCE
                }
        };
        let (agents, shells) = (free(true), free(false));
        let turns = self.turns();
        let may = |job: &Job| {
            let room = if job.spawn().agent { agents } else { shells };
            let waits_for_turn = self.goes_on(job) && job.spawn().working && turns >= CONTINUED;
            job.is_due(now) && room && (self.attended || !waits_for_turn)
        };
        let ready = || self.jobs.iter().enumerate().filter(|(_, job)| may(job));
        let shown = ready().find(|(_, job)| job.item.shown);
        shown.or_else(|| ready().next()).map(|(at, _)| at)
    }

    /// Cut turns that go on now.
    fn turns(&self) -> usize {
        self.jobs.iter().filter(|job| job.turn).count()
    }

    /// A cut turn of it, if there is one, would go on when it is started now.
    fn goes_on(&self, job: &Job) -> bool {
        self.no_more.is_none() && !job.spawn().continue_env.is_empty()
    }
}

/// A raw wait status in words.
fn end(raw: i32) -> String {
    match raw & 0x7f {
        0 => format!("it ended with status {}", (raw >> 8) & 0xff),
        signal => format!("it was ended by signal {signal}"),
    }
}

/// How many come back of each kind, for those that only count.
#[must_use]
pub fn kinds(plan: &Plan) -> [(Action, usize); 5] {
    use Action::{Blocked, Fresh, Resume, Shell, Skip};
    [Resume, Shell, Fresh, Blocked, Skip].map(|action| (action, plan.count(action)))
}
