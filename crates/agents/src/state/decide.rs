//! One state out of all that is said. Pure: what was shown before + what is said + now -> what to show.
//!
//! Precedence: the program's process (ended, stopped) -> OSC 7501 -> the CLI's live file -> its hook ->
//! notices and titles -> the screen after input of an agent, and of a shell who has the terminal. The first two tell every change themselves and stand
//! alone. A hook and a notice tell only some changes: what they ask for counts as answered once the
//! user typed, and a later title may end what a hook began, but no title ends what a hook asks for.

use super::State;
use std::time::{Duration, Instant};

/// A screen that changed after input and then not for this long waits for the user.
pub const STILL: Duration = Duration::from_secs(10);

/// Who says it, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// OSC 7501.
    Osc7501,
    /// The status word of the CLI's live file.
    Live,
    /// A hook's report.
    Hook,
    /// OSC 9, 99, 777.
    Notice,
    /// The title.
    Title,
}

/// What a source said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The state.
    pub state: State,
    /// Source and word.
    pub evidence: String,
    /// When it said so first.
    pub at: Instant,
}

/// What the pane's program does as a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Program {
    /// It runs.
    #[default]
    Runs,
    /// Stopped by job control.
    Stopped,
    /// It ended.
    Exited,
}

/// Who has the pane's terminal, as the last look found it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// Not known, or a program of which nobody knows what its screen means.
    #[default]
    Unknown,
    /// An agent: what its screen does after Enter tells something.
    Agent,
    /// A shell that waits for a command.
    Prompt,
    /// A program that a shell started.
    Program,
}

/// All that is said of one agent. A new agent in the pane begins with a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    program: Program,
    front: Front,
    said: [Option<Reading>; 5],
    input: Option<Instant>,
    submit: Option<Instant>,
    output: Option<Instant>,
}

/// The state to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The state.
    pub state: State,
    /// Why.
    pub evidence: String,
    /// Since when this state is shown.
    pub since: Instant,
}

impl Shown {
    /// Nothing is known yet.
    #[must_use]
    pub fn nothing(now: Instant) -> Self {
        Self {
            state: State::Unknown,
            evidence: "nothing said yet".to_owned(),
            since: now,
        }
    }
}

impl Shown {
    /// Nothing says so but who has a shell's terminal: that is no turn, and none ends with it.
    #[must_use]
    pub fn is_of_shell(&self) -> bool {
        [PROMPT_WORDS, RUNS_WORDS].contains(&self.evidence.as_str())
    }
}

impl Signals {
    /// `source` says `told`, as the functions beside this one give it; what says nothing leaves the
    /// former saying, [`State::Unknown`] takes it back.
    pub fn said(&mut self, source: Source, told: Option<(State, String)>, now: Instant) {
        let Some((state, evidence)) = told else {
            return;
        };
        let place = &mut self.said[source as usize];
        let before = place
            .as_ref()
            .filter(|it| it.state == state && is_level(source));
        // A level that is read again has not changed; an event that comes again is a new one.
        let at = before.map_or(now, |it| it.at);
        *place = (state != State::Unknown).then_some(Reading {
            state,
            evidence,
            at,
        });
    }

    /// What `source` said is gone, such as a live file that was removed.
    pub fn silent(&mut self, source: Source) {
        self.said[source as usize] = None;
    }

    /// The user typed then; what is told late takes nothing back.
    pub fn typed(&mut self, then: Instant) {
        self.input = self.input.max(Some(then));
    }

    /// The user pressed Enter; call [`Self::typed`] too.
    pub fn submitted(&mut self, now: Instant) {
        self.submit = Some(now);
    }

    /// The screen changed.
    pub fn changed(&mut self, now: Instant) {
        self.output = Some(now);
    }

    /// The process.
    pub fn program(&mut self, program: Program) {
        self.program = program;
    }

    /// Who has the terminal.
    pub fn front(&mut self, front: Front) {
        self.front = front;
    }

    /// When to [`decide`] again although nothing happened.
    #[must_use]
    pub fn due(&self, shown: &Shown) -> Option<Instant> {
        let by_screen = self.best().is_none() && self.front == Front::Agent;
        let by_screen = by_screen && shown.state == State::Working;
        self.output.filter(|_| by_screen).map(|then| then + STILL)
    }

    fn get(&self, source: Source) -> Option<&Reading> {
        self.said[source as usize].as_ref()
    }

    /// The best thing that is said and holds now.
    fn best(&self) -> Option<&Reading> {
        let alone = self.get(Source::Osc7501);
        alone
            .or_else(|| self.get(Source::Live))
            .or_else(|| self.partial())
    }

    /// Hook, notice and title: each tells some changes only. What asks for the user holds; else the
    /// newest, of two of one moment the better.
    fn partial(&self) -> Option<&Reading> {
        let open = |source| self.get(source).filter(|it| !self.answered(it));
        let hook = open(Source::Hook);
        let notice = open(Source::Notice).filter(|it| hook.is_none_or(|hook| it.at > hook.at));
        let event = notice.or(hook);
        match (event, self.get(Source::Title)) {
            (Some(event), Some(title)) if event.state != State::NeedsInput => {
                Some(if title.at > event.at { title } else { event })
            }
            (Some(event), _) => Some(event),
            (None, title) => title,
        }
    }

    /// The user typed after an event that asked for it and does not tell its own end.
    fn answered(&self, reading: &Reading) -> bool {
        reading.state == State::NeedsInput && self.typed_after(reading.at)
    }

    fn typed_after(&self, then: Instant) -> bool {
        self.input.is_some_and(|input| input > then)
    }
}

/// Whether `source` can be read at any time: it is no event.
const fn is_level(source: Source) -> bool {
    matches!(source, Source::Osc7501 | Source::Live | Source::Title)
}

/// What to show now. `previous` is what was shown before, of this same agent.
#[must_use]
pub fn decide(previous: &Shown, signals: &Signals, now: Instant) -> Shown {
    let (state, evidence) = match (signals.program, signals.best()) {
        (Program::Exited, _) => (State::Exited, "the program ended".to_owned()),
        (Program::Stopped, _) => (State::Stopped, "stopped by job control".to_owned()),
        (Program::Runs, Some(reading)) => turned(previous, signals, reading),
        (Program::Runs, None) => by_front(previous, signals, now),
    };
    let since = match previous.state == state {
        true => previous.since,
        false => now,
    };
    Shown {
        state,
        evidence,
        since,
    }
}

/// Tells done from idle: a turn that ended is done until the user types.
fn turned(previous: &Shown, signals: &Signals, reading: &Reading) -> (State, String) {
    let said = || (reading.state, reading.evidence.clone());
    match (reading.state, previous.state) {
        (State::Done, _) if signals.typed_after(reading.at) => {
            (State::Idle, format!("typed after {}", reading.evidence))
        }
        (State::Idle, State::Working | State::NeedsInput) => {
            let words = format!("{} after {}", reading.evidence, previous.state);
            (State::Done, words)
        }
        (State::Idle, State::Done) if !signals.typed_after(previous.since) => {
            (State::Done, previous.evidence.clone())
        }
        _ => said(),
    }
}

const PROMPT_WORDS: &str = "the shell waits for a command";
const RUNS_WORDS: &str = "the shell runs a program";

/// Nothing says anything: whose terminal it is.
fn by_front(previous: &Shown, signals: &Signals, now: Instant) -> (State, String) {
    match signals.front {
        Front::Agent => by_screen(previous, signals, now),
        Front::Prompt => (State::Idle, PROMPT_WORDS.to_owned()),
        Front::Program => (State::Working, RUNS_WORDS.to_owned()),
        Front::Unknown => nothing_says(),
    }
}

fn nothing_says() -> (State, String) {
    (State::Unknown, "nothing says what it does".to_owned())
}

const STILL_WORDS: &str = "the screen is still after Enter";

/// An agent of which nothing says anything: what the screen did after Enter. A screen that was found still stays so until
/// the next Enter, whatever ticks on it.
fn by_screen(previous: &Shown, signals: &Signals, now: Instant) -> (State, String) {
    let after = |then: &Instant| signals.submit.is_some_and(|submit| *then > submit);
    let Some(output) = signals.output.filter(after) else {
        return nothing_says();
    };
    let was_still = previous.evidence == STILL_WORDS && after(&previous.since);
    if was_still || now.saturating_duration_since(output) >= STILL {
        return (State::NeedsInput, STILL_WORDS.to_owned());
    }
    (State::Working, "the screen changes after Enter".to_owned())
}

#[cfg(test)]
mod tests;
