//! What a person sees of a conversation: its blocks, its cards, the line that is typed into.
//!
//! In: what a [`crate::program::Program`] shows, keys and the window's size (a thread of its own reads
//! them and only wakes the program). Out: a full screen on the alternate buffer, [`Person`]s, the state as
//! OSC 7501, OSC 9;4 and title. Promises: the terminal gets everything back at the end, also on a
//! panic; drawing is at most every [`FRAME`]; a card is answered by what an option means.

mod blocks;
mod draw;
mod editor;
mod keys;
mod past;
mod signal;
mod view;

#[cfg(test)]
mod tests;

pub use editor::{Edit, Editor};
pub use keys::{Command, command};
pub use signal::{Doing, Signals};
pub use view::{About, View};

use crate::event::Ending;
use crate::program::{Front, Input, Person, Shown};
use crate::record::Row;
use crate::runner::Core;
use crossterm::event as ct;
use crossterm::{execute, terminal};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use std::io::{self, Stdout, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Least time between two drawings.
pub const FRAME: Duration = Duration::from_millis(33);
/// While a turn is under way its clock is drawn anew.
const TICK: Duration = Duration::from_secs(1);

/// The screen of one conversation.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    view: View,
    keys: Receiver<ct::Event>,
    inputs: Sender<Input>,
    signals: Signals,
    drawn: Instant,
    due: Option<Instant>,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").finish_non_exhaustive()
    }
}

impl Screen {
    /// Takes the terminal. What a person does goes to `inputs`.
    ///
    /// # Errors
    /// There is no terminal, or it does not answer.
    pub fn open(view: View, inputs: Sender<Input>) -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        execute!(
            io::stdout(),
            terminal::EnterAlternateScreen,
            ct::EnableBracketedPaste,
            ct::EnableMouseCapture
        )?;
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        let (sender, keys) = channel();
        let wake = inputs.clone();
        std::thread::spawn(move || read_keys(&sender, &wake));
        Ok(Self {
            terminal: Terminal::new(CrosstermBackend::new(io::stdout()))?,
            view,
            keys,
            inputs,
            signals: Signals::default(),
            drawn: Instant::now(),
            due: Some(Instant::now()),
        })
    }

    /// Shows what the record has of the conversation.
    pub fn past(&mut self, rows: &[Row]) {
        past::show(rows, |shown| self.view.show(shown));
    }

    fn want(&mut self, at: Instant) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    fn soon(&mut self) {
        let at = self.drawn + FRAME;
        self.want(at);
    }

    /// What a person did, to the program.
    fn tell(&self, person: Person) {
        let _program_gone = self.inputs.send(Input::Person(person));
    }

    fn paint(&mut self, core: &Core) {
        let view = &mut self.view;
        let drawn = self.terminal.draw(|frame| draw::draw(frame, view, core));
        if drawn.is_err() {
            // The window is gone; the turn goes on at the next start.
            let _program_gone = self.inputs.send(Input::End);
        }
        self.drawn = Instant::now();
        self.due = core.busy().then(|| self.drawn + TICK);
    }
}

impl Front for Screen {
    fn show(&mut self, shown: &Shown<'_>) {
        self.view.show(shown);
        self.soon();
    }

    /// The terminal around is told at once: a state may be over before it is drawn.
    fn state(&mut self, core: &Core) {
        self.view.state(core);
        let told = self.signals.tell(&self.view.doing(core), self.view.topic());
        let mut out = io::stdout();
        let told = out.write_all(told.as_bytes()).and_then(|()| out.flush());
        if told.is_err() {
            // The window is gone; the turn goes on at the next start.
            let _program_gone = self.inputs.send(Input::End);
        }
        self.soon();
    }

    /// A person is there: the conversation waits for the next request.
    fn rest(&mut self, _: &Ending) -> Option<Ending> {
        None
    }

    fn due(&self) -> Option<Instant> {
        self.due
    }

    fn draw(&mut self, core: &Core) {
        while let Ok(event) = self.keys.try_recv() {
            if let Some(command) = command(&event, self.view.mode(core)) {
                for person in self.view.obey(command, core) {
                    self.tell(person);
                }
            }
            self.soon();
        }
        if self.due.is_some_and(|at| at <= Instant::now()) {
            self.paint(core);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Everything that was changed on the terminal, changed back.
fn give_back() {
    let mut out = io::stdout();
    let _gone = out.write_all(Signals::clear().as_bytes());
    let _gone = execute!(
        out,
        ct::DisableMouseCapture,
        ct::DisableBracketedPaste,
        terminal::LeaveAlternateScreen
    );
    let _gone = terminal::disable_raw_mode();
}

/// Reads until the terminal is gone.
fn read_keys(keys: &Sender<ct::Event>, wake: &Sender<Input>) {
    while let Ok(event) = ct::read() {
        let told = keys.send(event).is_ok() && wake.send(Input::Front).is_ok();
        if !told {
            return;
        }
    }
    let _program_gone = wake.send(Input::End);
}
