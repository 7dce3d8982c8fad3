//! The runner's heart: one conversation, from what is typed to what is written down and sent. Pure.
//!
//! In: [`Happening`]s and the time. Out: [`Act`]s in the order they must be done. Promises: a turn is on
//! disk before it is sent; its end is in the record before its mark goes; what is typed while a turn
//! runs lines up behind it, at most [`MAX_QUEUE`]; nothing is sent to another conversation than the one
//! asked for; a process that ends, hangs or loses the conversation ends no turn by itself: the turn
//! goes on in a fresh one, so often and no more ([`crate::again::ATTEMPTS`]).

mod acts;
mod cut;
mod set;
mod turn;

pub use acts::{Act, Happening};
pub use set::Takes;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;

use crate::again::Unanswered;
use crate::driver::{Driver, Open};
use crate::event::{Card, Ending, Task};
use crate::inflight::Params;
use crate::replay::{Replay, Trust};
use crate::watchdog::{Signal, Verdict, Watchdog};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use turn::Turn;

/// Most messages that wait behind a turn; one more is refused.
pub const MAX_QUEUE: usize = 100;

/// How long an agent has to stop a turn by itself.
pub const STOP: Duration = Duration::from_secs(10);

/// What the conversation runs on.
pub struct Setup {
    /// Our name of the conversation; names its files.
    pub conversation: String,
    /// The framework.
    pub engine: String,
    /// Makes the machine for a fresh process.
    pub driver: Box<dyn Fn() -> Box<dyn Driver> + Send>,
    /// It speaks the Agent Client Protocol.
    pub acp: bool,
    /// Makes the id of a new conversation, where the framework takes one: so it is in the mark before there
    /// is a process that could be cut.
    pub new_id: Option<fn() -> String>,
    /// Which settings a fresh process takes.
    pub takes: Takes,
    /// What it does with a prompt that it had and did not answer.
    pub unanswered: Unanswered,
    /// What the past that it shows at a load tells of an answer.
    pub trust: Trust,
    /// Where, and on what.
    pub params: Params,
    /// The pane it runs in.
    pub pane: Option<u32>,
    /// The framework's id of an earlier conversation.
    pub session: Option<String>,
    /// That one is not to be loaded: its load would harm it. It goes on in a fresh one.
    pub carry: bool,
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("conversation", &self.conversation)
            .field("engine", &self.engine)
            .finish_non_exhaustive()
    }
}

/// Where the framework's process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Process {
    None,
    /// Asked for, or opening the conversation.
    Opening,
    Open,
}

/// A message that waits.
#[derive(Clone, Debug)]
struct Queued {
    text: String,
    uuid: String,
    at: u64,
}

/// One conversation.
#[derive(Debug)]
pub struct Core {
    setup: Setup,
    driver: Box<dyn Driver>,
    process: Process,
    session: Option<String>,
    dog: Watchdog,
    turn: Option<Turn>,
    queue: VecDeque<Queued>,
    cards: Vec<Card>,
    paused: bool,
    /// Text that goes before the next request, in a fresh conversation.
    carried: Option<String>,
    /// A fresh conversation is begun once the text to carry has come.
    carrying: bool,
    /// What the framework shows of its past while it opens it.
    replay: Replay,
    /// The turn is being stopped; its process is ended at this moment.
    stopping: Option<Instant>,
    /// The process was started for a conversation that is new, with the id that was chosen for it.
    new: bool,
    /// What was chosen before the last change, in case it is refused.
    before: Option<Params>,
    /// A setting waits for a fresh process, which the next request starts.
    stale: bool,
}

impl Core {
    /// A conversation without a process: the first request starts one.
    #[must_use]
    pub fn new(setup: Setup, now: Instant) -> Self {
        Self {
            driver: (setup.driver)(),
            process: Process::None,
            session: setup.session.clone(),
            dog: Watchdog::new(setup.acp, now),
            turn: None,
            queue: VecDeque::new(),
            cards: Vec::new(),
            paused: false,
            carried: None,
            carrying: false,
            replay: Replay::default(),
            stopping: None,
            new: false,
            before: None,
            stale: false,
            setup,
        }
    }

    /// Takes what happened and says what to do.
    pub fn step(&mut self, happening: Happening, now: Instant) -> Vec<Act> {
        let mut acts = Vec::new();
        match happening {
            Happening::Typed { text, uuid, at } => self.typed(Queued { text, uuid, at }, &mut acts),
            Happening::Cut { turn, known } => self.cut(*turn, &known, now, &mut acts),
            Happening::Started => self.started(now, &mut acts),
            Happening::Line(line) => {
                if self.process == Process::Opening {
                    self.replay.take(&line);
                }
                let steps = self.driver.receive(&line);
                self.take(steps, now, &mut acts);
            }
            Happening::Gone { how, words } => self.gone(&how, &words, now, &mut acts),
            Happening::Carried(text) => self.fresh(text, &mut acts),
            Happening::Answered { card, answer } => {
                let steps = self.driver.answer(&card, &answer);
                self.take(steps, now, &mut acts);
            }
            Happening::Stop => self.stop(now, &mut acts),
            Happening::Pause(paused) => self.pause(paused, now, &mut acts),
            Happening::Set(setting) => self.set(&setting, now, &mut acts),
            Happening::TakeBack => {
                let last = self.queue.pop_back();
                acts.extend(last.map(|it| Act::GiveBack(it.text)));
            }
            Happening::Unwritten { why } => self.refuse(why, &mut acts),
            Happening::Woke => self.dog.tell(&Signal::Woke, now),
            Happening::Time => self.time(now, &mut acts),
        }
        self.go_on(now, &mut acts);
        acts
    }

    /// When to send [`Happening::Time`] next.
    #[must_use]
    pub fn due(&self, now: Instant) -> Option<Instant> {
        let held = self.turn.as_ref().and_then(|it| it.not_before);
        let held = held.filter(|_| !self.paused);
        let silence = match self.dog.judge(now) {
            Verdict::Alive { until, .. } => until,
            _ => Some(now),
        };
        held.into_iter().chain(silence).chain(self.stopping).min()
    }

    /// A turn is under way, or waits for its moment.
    #[must_use]
    pub const fn busy(&self) -> bool {
        self.turn.is_some()
    }

    /// The questions that wait for a person, oldest first.
    #[must_use]
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// The requests that wait behind the turn.
    pub fn queued(&self) -> impl Iterator<Item = &str> {
        self.queue.iter().map(|it| it.text.as_str())
    }

    /// The framework's id of the conversation.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// On what the conversation runs: what was chosen last.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.setup.params
    }

    /// The turn is being stopped.
    #[must_use]
    pub const fn stopping(&self) -> bool {
        self.stopping.is_some()
    }

    /// The work beside the turn, with what was known of each piece at its start.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.dog.tasks()
    }

    /// It is paused.
    #[must_use]
    pub const fn paused(&self) -> bool {
        self.paused
    }

    fn typed(&mut self, message: Queued, acts: &mut Vec<Act>) {
        if self.queue.len() >= MAX_QUEUE {
            let text = format!("{MAX_QUEUE} messages wait already; this one was not taken");
            acts.push(Act::Tell(text));
            return;
        }
        self.queue.push_back(message);
    }

    /// What can be begun now: the next message, a process for the turn, the turn itself.
    fn go_on(&mut self, now: Instant, acts: &mut Vec<Act>) {
        if self.turn.is_none() && self.process == Process::Open && std::mem::take(&mut self.stale) {
            self.process = Process::None;
            acts.push(Act::End);
        }
        if self.turn.is_none()
            && !self.paused
            && let Some(message) = self.queue.pop_front()
        {
            let turn = self.setup.turn(&message, self.session.clone());
            acts.push(Act::Mark(Box::new(turn.clone())));
            acts.push(Act::Ask(Box::new(self.setup.asked(&turn))));
            self.turn = Some(Turn::first(turn));
        }
        let Some(turn) = &self.turn else { return };
        let waits = turn.not_before.is_some_and(|at| at > now) || self.paused || self.carrying;
        match self.process {
            Process::None if !waits && std::mem::take(&mut self.setup.carry) => {
                self.begin_anew(acts);
            }
            Process::None if !waits => {
                self.process = Process::Opening;
                self.driver = (self.setup.driver)();
                self.replay = Replay::new(self.setup.trust);
                self.dog.tell(
                    &Signal::Opening {
                        load: self.session.is_some(),
                    },
                    now,
                );
                self.spawn(acts);
            }
            Process::Open if !waits && turn.unsent() => self.send(now, acts),
            _ => {}
        }
    }

    fn spawn(&mut self, acts: &mut Vec<Act>) {
        let session = self.session.clone();
        let new_id = self.setup.new_id.filter(|_| session.is_none());
        let chosen = new_id.map(|it| it());
        self.new = chosen.is_some();
        if let Some(id) = &chosen {
            self.named(id, acts);
        }
        acts.push(Act::Spawn { session, chosen });
    }

    fn started(&mut self, now: Instant, acts: &mut Vec<Act>) {
        let params = &self.setup.params;
        let steps = self.driver.open(Open {
            session: self.session.clone().filter(|_| !self.new),
            folder: params.project_dir.clone(),
            model: params.model.clone(),
            mode: params.permission_mode.clone(),
            effort: params.effort.clone(),
        });
        self.take(steps, now, acts);
    }

    fn stop(&mut self, now: Instant, acts: &mut Vec<Act>) {
        let Some(turn) = &self.turn else { return };
        if turn.unsent() {
            self.end_turn(Ending::Stopped, acts);
            return;
        }
        // A second one, or no answer to the first in time: the process goes.
        if self.stopping.is_some_and(|_| self.process != Process::None) {
            return self.stopped_by_force(acts);
        }
        self.stopping = Some(now + STOP);
        let steps = self.driver.stop();
        self.take(steps, now, acts);
    }

    fn stopped_by_force(&mut self, acts: &mut Vec<Act>) {
        acts.push(Act::Tell(
            "it did not stop by itself; its process was ended".to_owned(),
        ));
        acts.push(Act::End);
        self.process = Process::None;
        self.end_turn(Ending::Stopped, acts);
    }

    fn pause(&mut self, paused: bool, now: Instant, acts: &mut Vec<Act>) {
        if self.paused != paused {
            self.paused = paused;
            self.dog.tell(&Signal::Paused(paused), now);
            if self.process != Process::None {
                acts.push(Act::Freeze(paused));
            }
        }
    }

    fn time(&mut self, now: Instant, acts: &mut Vec<Act>) {
        if self.stopping.is_some_and(|at| at <= now) {
            return self.stopped_by_force(acts);
        }
        match self.dog.judge(now) {
            Verdict::Alive { .. } => {}
            Verdict::Overflow => self.overflow(acts),
            Verdict::Dead { what } => {
                let why = format!("it did not {}", turn::waited(what));
                acts.push(Act::End);
                self.process = Process::None;
                self.lose_process(&why, now, acts);
            }
        }
    }
}
