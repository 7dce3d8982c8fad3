//! The runner's heart: one conversation, from what is typed to what is written down and sent. Pure.
//!
//! In: [`Happening`]s and the time. Out: [`Act`]s in the order they must be done. Promises: a turn is on
//! disk before it is sent; its end is in the record before its mark goes; what is typed while a turn
//! runs lines up behind it, at most [`MAX_QUEUE`]; nothing is sent to another conversation than the one
//! asked for; a process that ends, hangs or loses the conversation ends no turn by itself: the turn
//! goes on in a fresh one, so often and no more ([`crate::again::ATTEMPTS`]).

mod turn;

#[cfg(test)]
mod tests;

use crate::again::{self, Decision, Known, Unanswered};
use crate::driver::{Answer, Driver, Open, Setting};
use crate::event::{Card, Ending, Event};
use crate::inflight::{InFlight, Params};
use crate::record::Asked;
use crate::watchdog::{Signal, Verdict, Watchdog};
use std::collections::VecDeque;
use std::time::Instant;
use turn::Turn;

/// Most messages that wait behind a turn; one more is refused.
pub const MAX_QUEUE: usize = 100;

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
    /// What it does with a prompt that it had and did not answer.
    pub unanswered: Unanswered,
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

/// What happened.
#[derive(Debug)]
pub enum Happening {
    /// The person typed a request. `uuid` is fresh.
    Typed {
        /// What is asked.
        text: String,
        /// A fresh name for the message.
        uuid: String,
        /// Unix seconds, for the record.
        at: u64,
    },
    /// A turn was under way when the program was restarted.
    Cut {
        /// Its record.
        turn: Box<InFlight>,
        /// What is known of its conversation.
        known: Box<Known>,
    },
    /// The process that was asked for runs.
    Started,
    /// It wrote this line.
    Line(String),
    /// It has ended; its last words on stderr.
    Gone {
        /// In words: "exit status 1".
        how: String,
        /// Its last words, perhaps empty.
        words: String,
    },
    /// The text to carry into a fresh conversation, asked for by [`Act::Carry`].
    Carried(Option<String>),
    /// The person answered a card.
    Answered {
        /// Which.
        card: String,
        /// How.
        answer: Answer,
    },
    /// The person stops the turn.
    Stop,
    /// The person pauses, or goes on.
    Pause(bool),
    /// The person changes a setting.
    Set(Setting),
    /// A mark or a request could not be written down: it must not be sent.
    Unwritten {
        /// In words.
        why: String,
    },
    /// The machine woke, or its network changed.
    Woke,
    /// The moment of [`Core::due`] has come.
    Time,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Start the framework's process; [`Happening::Started`] answers. `session`: the one it is to
    /// open, for frameworks that take it as an argument.
    Spawn {
        /// The conversation to open.
        session: Option<String>,
    },
    /// End its family. [`Happening::Gone`] need not follow.
    End,
    /// Stop (or continue) its family by signal.
    Freeze(bool),
    /// Write a line to it.
    Send(String),
    /// Write the in-flight record; on disk before what follows is done.
    Mark(Box<InFlight>),
    /// Remove the in-flight record.
    Unmark,
    /// Write down what is asked; on disk before what follows is done.
    Ask(Box<Asked>),
    /// Write down and show what the framework said.
    Say(Event),
    /// Write down and show that a turn was cut.
    Interrupted {
        /// Why.
        why: String,
    },
    /// Read the record and answer by [`Happening::Carried`].
    Carry,
    /// Show this line, not part of the conversation.
    Tell(String),
    /// The queue was empty and the turn is over: a run without a person ends here.
    Rest(Ending),
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
        held.into_iter().chain(silence).min()
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

    /// A turn that a restart cut: shown as running from this moment on, sent later.
    fn cut(&mut self, turn: InFlight, known: &Known, now: Instant, acts: &mut Vec<Act>) {
        let decision = again::decide(&turn, known, self.setup.unanswered);
        if matches!(
            decision,
            Decision::Answered | Decision::Stopped | Decision::CarriedOn
        ) {
            acts.push(Act::Unmark);
            return;
        }
        self.session = turn.session_id.clone().or(self.session.take());
        let why = "the program was restarted during this turn".to_owned();
        acts.push(Act::Interrupted { why });
        match decision {
            Decision::GiveUp { why } => {
                let words = format!("{}: {why}", again::GIVEN_UP);
                self.turn = Some(Turn::again(turn, String::new(), now));
                self.end_turn(Turn::failed(words), acts);
            }
            Decision::Send { text } => {
                self.turn = Some(Turn::again(turn, text, now + again::PAUSE));
            }
            _ => self.turn = Some(Turn::rerun(turn)),
        }
    }

    /// What can be begun now: the next message, a process for the turn, the turn itself.
    fn go_on(&mut self, now: Instant, acts: &mut Vec<Act>) {
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
                self.dog.tell(
                    &Signal::Opening {
                        load: self.session.is_some(),
                    },
                    now,
                );
                let session = self.session.clone();
                acts.push(Act::Spawn { session });
            }
            Process::Open if !waits && turn.unsent() => self.send(now, acts),
            _ => {}
        }
    }

    fn started(&mut self, now: Instant, acts: &mut Vec<Act>) {
        let params = &self.setup.params;
        let steps = self.driver.open(Open {
            session: self.session.clone(),
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
        let steps = self.driver.stop();
        self.take(steps, now, acts);
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

    fn set(&mut self, setting: &Setting, now: Instant, acts: &mut Vec<Act>) {
        let params = &mut self.setup.params;
        match setting {
            Setting::Model(it) => params.model = Some(it.clone()),
            Setting::Mode(it) => params.permission_mode = Some(it.clone()),
            Setting::Effort(it) => params.effort = Some(it.clone()),
        }
        if self.process == Process::Open {
            let steps = self.driver.set(setting);
            if steps.is_empty() {
                let text = "this framework takes that with its next start only".to_owned();
                acts.push(Act::Tell(text));
            }
            self.take(steps, now, acts);
        }
    }

    fn time(&mut self, now: Instant, acts: &mut Vec<Act>) {
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
