//! The program around [`crate::runner`]: the framework's process, the files, and whoever looks on.
//!
//! In: a conversation's setup, [`Input`]s from a person or a pipe, an [`Agent`]'s lines. Out: what is
//! shown to a [`Front`], an [`Outcome`]. Promises: one thread decides, others only read and write pipes;
//! what must be on disk is on disk before what follows is done; an agent that does not read holds
//! nobody up (its lines wait in a bounded queue; when that is full it is taken as gone); no signal and
//! no shutdown touches the mark of a turn.

mod agent;
mod front;

#[cfg(test)]
mod tests;

pub use agent::{Agent, Said, Spawner, Spec};
pub use front::{Front, Input, Outcome, Person, Shown};

use crate::again::Known;
use crate::carry::{Carried, MAX_CARRIED, Source, fullest};
use crate::elsewhere::Elsewhere;
use crate::inflight::{Folder, InFlight};
use crate::live::Live;
use crate::record::{Asked, Reader, Writer};
use crate::runner::{Act, Core, Happening};
use crate::wake::Sleeper;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use sys::files::FileError;

/// How far apart looks for a slept machine are.
const WAKE_LOOK: Duration = Duration::from_secs(30);
/// How long an agent that rests may take to end when its conversation is left: some write the last answer
/// down only then (seen with Kimi Code 2.1.0).
const LEAVE: Duration = Duration::from_secs(5);

/// What the program needs beside the conversation.
pub struct Parts {
    /// Our state folder.
    pub state: PathBuf,
    /// Our name of the conversation.
    pub conversation: String,
    /// Starts the framework's process.
    pub spawner: Box<dyn Spawner>,
    /// What comes from outside; the agent's lines come here too.
    pub inputs: Receiver<Input>,
    /// Makes a name for a message.
    pub uuid: Box<dyn Fn() -> String>,
    /// What others know of the conversation.
    pub elsewhere: Option<Elsewhere>,
    /// Tells others what goes on here.
    pub live: Option<Live>,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts")
            .field("conversation", &self.conversation)
            .finish_non_exhaustive()
    }
}

/// A conversation that is open in this process.
pub struct Program<'a> {
    core: Core,
    parts: Parts,
    front: &'a mut dyn Front,
    folder: Folder,
    writer: Writer,
    agent: Option<Box<dyn Agent>>,
    /// The number of the process under way.
    number: u64,
    outcome: Option<Outcome>,
    sleeper: Sleeper,
}

impl std::fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("core", &self.core)
            .finish_non_exhaustive()
    }
}

impl<'a> Program<'a> {
    /// Opens the files.
    ///
    /// # Errors
    /// They cannot be made, or another process has the conversation open.
    pub fn open(core: Core, parts: Parts, front: &'a mut dyn Front) -> Result<Self, FileError> {
        let folder = Folder::open(&parts.state)?;
        let now = sys::boot::unix_now();
        let writer = Writer::open(&parts.state, &parts.conversation, now)?;
        Ok(Self {
            core,
            parts,
            front,
            folder,
            writer,
            agent: None,
            number: 0,
            outcome: None,
            sleeper: Sleeper::new(sys::time::with_suspends(), Instant::now()),
        })
    }

    /// The turn that a former process of this conversation did not end, if there is one.
    #[must_use]
    pub fn cut(&self) -> Option<InFlight> {
        self.folder.read(&self.parts.conversation)
    }

    /// Goes on with a turn that was cut, once our record and the framework's own have been asked.
    pub fn go_on(&mut self, turn: InFlight) {
        let ours = Reader::new(&self.parts.state).rows(&self.parts.conversation);
        let elsewhere = self.parts.elsewhere.as_ref();
        let theirs = elsewhere.zip(turn.session_id.as_deref());
        let theirs = theirs.map(|(it, session)| it.transcript(session));
        let known = Known::of(&turn, &ours, &theirs.unwrap_or_default());
        let (turn, known) = (Box::new(turn), Box::new(known));
        self.step(Happening::Cut { turn, known });
    }

    /// Asks.
    pub fn ask(&mut self, text: String) {
        self.outcome = None; // whatever a turn that was cut came to
        let (uuid, at) = ((self.parts.uuid)(), sys::boot::unix_now());
        self.step(Happening::Typed { text, uuid, at });
    }

    /// A turn is under way, or waits for its moment.
    #[must_use]
    pub const fn busy(&self) -> bool {
        self.core.busy()
    }

    /// Runs to the end.
    pub fn run(mut self) -> Outcome {
        self.front.state(&self.core);
        loop {
            if let Some(outcome) = self.outcome.take() {
                self.leave();
                return outcome;
            }
            let now = Instant::now();
            let next = [self.core.due(now), self.writer.due(), self.front.due()];
            let next = next.into_iter().flatten().min();
            let wait = next.map_or(WAKE_LOOK, |it| it.saturating_duration_since(now));
            match self.parts.inputs.recv_timeout(wait.min(WAKE_LOOK)) {
                Ok(input) => self.take(input),
                Err(RecvTimeoutError::Timeout) => self.on_time(),
                Err(RecvTimeoutError::Disconnected) => self.outcome = Some(Outcome::Left),
            }
        }
    }

    /// Lets an agent end by itself. One with a turn under way would answer into nothing.
    fn leave(&mut self) {
        let Some(agent) = self.agent.as_mut().filter(|_| !self.core.busy()) else {
            return;
        };
        agent.leave();
        let end = Instant::now() + LEAVE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.parts.inputs.recv_timeout(left) {
                Ok(Input::Agent(number, Said::Gone { .. })) if number == self.number => return,
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Agent(number, said) if number == self.number => match said {
                Said::Line(line) => self.step(Happening::Line(line)),
                Said::Gone { how, words } => {
                    self.agent = None;
                    self.step(Happening::Gone { how, words });
                }
            },
            Input::Agent(..) => {} // one that was ended here
            Input::Person(person) => self.person(person),
            Input::Woke => self.step(Happening::Woke),
            Input::Front => self.front.draw(&self.core),
            Input::End => self.outcome = Some(Outcome::Left),
        }
    }

    fn person(&mut self, person: Person) {
        match person {
            Person::Ask(text) => self.ask(text),
            Person::Answer(card, answer) => self.step(Happening::Answered { card, answer }),
            Person::Stop => self.step(Happening::Stop),
            Person::Pause(paused) => self.step(Happening::Pause(paused)),
            Person::TakeBack => self.step(Happening::TakeBack),
            Person::Set(setting) => self.step(Happening::Set(setting)),
            Person::Leave => self.walk_away(),
        }
    }

    /// A turn that its person left goes on when they open the conversation again, not before.
    fn walk_away(&mut self) {
        if let Some(mut turn) = self.cut() {
            turn.left = true;
            let _unwritten = self.folder.write(&turn);
        }
        self.outcome = Some(Outcome::Left);
    }

    fn on_time(&mut self) {
        let now = Instant::now();
        if self.sleeper.slept(sys::time::with_suspends(), now) {
            self.step(Happening::Woke);
        }
        if let Err(error) = self.writer.save_if_due(now) {
            self.front.show(&Shown::Line(&error.to_string()));
        }
        if self.core.due(now).is_some_and(|at| at <= now) {
            self.step(Happening::Time);
        }
        if self.front.due().is_some_and(|at| at <= now) {
            self.front.draw(&self.core);
        }
    }

    /// What a happening leads to, and what that leads to.
    fn step(&mut self, happening: Happening) {
        let mut happenings = VecDeque::from([happening]);
        while let Some(happening) = happenings.pop_front() {
            for act in self.core.step(happening, Instant::now()) {
                match self.act(act) {
                    Ok(next) => happenings.extend(next),
                    Err(error) => {
                        // The rest of what was to be done builds on what is not on disk.
                        let why = error.to_string();
                        happenings.push_front(Happening::Unwritten { why });
                        break;
                    }
                }
            }
        }
        if let Some(live) = &mut self.parts.live {
            live.tell(&self.core);
        }
        self.front.state(&self.core);
    }

    fn act(&mut self, act: Act) -> Result<Option<Happening>, FileError> {
        let now = sys::boot::unix_now();
        match act {
            Act::Spawn { session, chosen } => {
                return Ok(Some(self.spawn(session.as_deref(), chosen.as_deref())));
            }
            Act::End => self.agent = None,
            Act::Freeze(on) => {
                if let Some(agent) = &mut self.agent {
                    agent.freeze(on);
                }
            }
            Act::Send(line) => {
                if let Some(agent) = &mut self.agent {
                    agent.send(line);
                }
            }
            Act::Mark(turn) => self.folder.write(&turn)?,
            Act::Unmark => self.folder.remove(&self.parts.conversation)?,
            Act::Ask(asked) => {
                self.writer.asked((*asked).clone(), now)?;
                self.front.show(&Shown::Asked(&asked));
            }
            Act::Say(event) => {
                self.front.show(&Shown::Event(&event));
                self.note(|writer| writer.heard(&event, now, Instant::now()));
            }
            Act::Interrupted { why } => {
                self.front.show(&Shown::Interrupted(&why));
                self.note(|writer| writer.interrupted(&why, now));
            }
            Act::Carry { session } => {
                let carried = self.carried(session.as_deref());
                return Ok(Some(Happening::Carried(carried)));
            }
            Act::GiveBack(text) => self.front.show(&Shown::Back(&text)),
            Act::Tell(text) => self.front.show(&Shown::Line(&text)),
            Act::Rest(ending) => {
                self.outcome = self.front.rest(&ending).map(Outcome::Ended);
            }
        }
        Ok(None)
    }

    /// The fullest of our record, the framework's transcript and the vault.
    fn carried(&self, session: Option<&str>) -> Option<Carried> {
        let ours = Reader::new(&self.parts.state).rows(&self.parts.conversation);
        let elsewhere = self.parts.elsewhere.as_ref().zip(session);
        let theirs = elsewhere.map(|(it, session)| it.all(session));
        let mut sources = vec![(Source::Record, &ours[..])];
        let theirs = theirs.iter().flatten();
        sources.extend(theirs.map(|(source, rows)| (*source, &rows[..])));
        let next = self.folder.read(&self.parts.conversation);
        let next = next.map(|it| Asked {
            text: it.params.message,
            uuid: it.uuid,
            ..Asked::default()
        });
        fullest(&sources, next.as_ref(), MAX_CARRIED)
    }

    /// A record that cannot be written is told and ends nothing: the answer is worth more.
    fn note(&mut self, write: impl FnOnce(&mut Writer) -> Result<(), FileError>) {
        if let Err(error) = write(&mut self.writer) {
            let text = format!("{error}; this part of the conversation is not recorded");
            self.front.show(&Shown::Line(&text));
        }
    }

    fn spawn(&mut self, session: Option<&str>, chosen: Option<&str>) -> Happening {
        self.number += 1;
        self.agent = None;
        match self
            .parts
            .spawner
            .spawn(self.number, session, chosen, self.core.params())
        {
            Ok(agent) => {
                self.agent = Some(agent);
                Happening::Started
            }
            Err(why) => Happening::Gone {
                how: "it cannot be started".to_owned(),
                words: why,
            },
        }
    }
}

/// Where a state folder keeps what belongs to turns, for messages.
#[must_use]
pub fn places(state: &Path) -> [PathBuf; 2] {
    [state.join("turns"), state.join("conversations")]
}
