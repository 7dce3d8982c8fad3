//! The program around [`crate::runner`]: the framework's process, the files, and whoever looks on.
//!
//! In: a conversation's setup, [`Input`]s from a person or a pipe, an [`Agent`]'s lines. Out: what is
//! shown to a [`Front`], an [`Outcome`]. Promises: one thread decides, others only read and write pipes;
//! what must be on disk is on disk before what follows is done; an agent that does not read holds
//! nobody up (its lines wait in a bounded queue; when that is full it is taken as gone); no signal and
//! no shutdown touches the mark of a turn.

mod agent;

#[cfg(test)]
mod tests;

pub use agent::{Agent, Said, Spawner, Spec};

use crate::again::Known;
use crate::carry::{MAX_CARRIED, carry, past};
use crate::driver::{Answer, Setting};
use crate::event::{Ending, Event};
use crate::inflight::{Folder, InFlight};
use crate::live::Live;
use crate::record::{Asked, Reader, Writer};
use crate::runner::{Act, Core, Happening};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use sys::files::FileError;

/// How far apart looks for a slept machine are: its wall clock then ran ahead of the monotonic one.
const WAKE_LOOK: Duration = Duration::from_secs(30);
/// How long an agent that rests may take to end when its conversation is left: some write the last answer
/// down only then (seen with Kimi Code 2.1.0).
const LEAVE: Duration = Duration::from_secs(5);
/// How much further the wall clock must be.
const SLEPT: Duration = Duration::from_secs(20);

/// What comes from outside.
#[derive(Debug)]
pub enum Input {
    /// The agent's process, numbered by its start.
    Agent(u64, Said),
    /// A person, or what stands for one.
    Person(Person),
    /// The front has something to draw or was resized; nothing for the conversation.
    Front,
    /// End now: the window is gone, or a signal came. The turn goes on at the next start.
    End,
}

/// What a person does.
#[derive(Debug)]
pub enum Person {
    /// Types a request.
    Ask(String),
    /// Answers a card.
    Answer(String, Answer),
    /// Stops the turn.
    Stop,
    /// Pauses, or goes on.
    Pause(bool),
    /// Changes a setting.
    Set(Setting),
    /// Leaves: a turn under way is stopped by nobody and goes on when the conversation is resumed.
    Leave,
}

/// What is shown.
#[derive(Debug)]
pub enum Shown<'a> {
    /// A request was sent, or sent again.
    Asked(&'a Asked),
    /// A turn that was cut goes on: shown as running from the first moment.
    Interrupted(&'a str),
    /// The framework said this.
    Event(&'a Event),
    /// A line that is not part of the conversation.
    Line(&'a str),
}

/// Whoever looks on.
pub trait Front {
    /// Shows it. Never waits.
    fn show(&mut self, shown: &Shown<'_>);
    /// The state changed: whether a turn is under way, what waits.
    fn state(&mut self, core: &Core);
    /// A turn ended with nothing behind it. An answer ends the program with it.
    fn rest(&mut self, ending: &Ending) -> Option<Ending>;
    /// The next moment it wants to draw at by itself.
    fn due(&self) -> Option<Instant> {
        None
    }
    /// That moment has come, or something came by [`Input::Front`].
    fn draw(&mut self, _core: &Core) {}
}

/// How the program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With the last turn.
    Ended(Ending),
    /// The person left, or the window went; a turn may be under way.
    Left,
}

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
    /// The wall clock and the monotonic one at the last look.
    looked: (std::time::SystemTime, Instant),
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
            looked: (std::time::SystemTime::now(), Instant::now()),
        })
    }

    /// The turn that a former process of this conversation did not end, if there is one.
    #[must_use]
    pub fn cut(&self) -> Option<InFlight> {
        self.folder.read(&self.parts.conversation)
    }

    /// Goes on with a turn that was cut.
    pub fn go_on(&mut self, turn: InFlight, known: Known) {
        let (turn, known) = (Box::new(turn), Box::new(known));
        self.step(Happening::Cut { turn, known });
    }

    /// Asks.
    pub fn ask(&mut self, text: String) {
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
            Person::Set(setting) => self.step(Happening::Set(setting)),
            Person::Leave => self.outcome = Some(Outcome::Left),
        }
    }

    fn on_time(&mut self) {
        let now = Instant::now();
        if slept(&mut self.looked) {
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
            Act::Spawn { session } => return Ok(Some(self.spawn(session.as_deref()))),
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
            Act::Carry => {
                let rows = Reader::new(&self.parts.state).rows(&self.parts.conversation);
                return Ok(Some(Happening::Carried(carry(past(&rows), MAX_CARRIED))));
            }
            Act::Tell(text) => self.front.show(&Shown::Line(&text)),
            Act::Rest(ending) => {
                self.outcome = self.front.rest(&ending).map(Outcome::Ended);
            }
        }
        Ok(None)
    }

    /// A record that cannot be written is told and ends nothing: the answer is worth more.
    fn note(&mut self, write: impl FnOnce(&mut Writer) -> Result<(), FileError>) {
        if let Err(error) = write(&mut self.writer) {
            let text = format!("{error}; this part of the conversation is not recorded");
            self.front.show(&Shown::Line(&text));
        }
    }

    fn spawn(&mut self, session: Option<&str>) -> Happening {
        self.number += 1;
        self.agent = None;
        match self.parts.spawner.spawn(self.number, session) {
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

/// Whether the machine slept since the last look.
fn slept(looked: &mut (std::time::SystemTime, Instant)) -> bool {
    let now = (std::time::SystemTime::now(), Instant::now());
    let wall = now.0.duration_since(looked.0).unwrap_or_default();
    let ran = now.1.saturating_duration_since(looked.1);
    *looked = now;
    wall > ran + SLEPT
}

/// Where a state folder keeps what belongs to turns, for messages.
#[must_use]
pub fn places(state: &Path) -> [PathBuf; 2] {
    [state.join("turns"), state.join("conversations")]
}
