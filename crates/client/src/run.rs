//! The loop: waits for the next thing to happen, lets `update` decide, carries it out, draws.
//!
//! In: keys, signals, the host's messages. Out: messages, frames, layouts. All of it is read and
//! written by this one thread, which waits in `poll` alone; only layouts and acts go to a thread, since
//! a disk cannot be polled. Promises: the loop never waits for the host, the terminal or the disk,
//! and nothing hops between threads from a key to its echo; a frame is begun only when it is due
//! (`pace`) and the last one is out; acknowledgements come behind frames; what waits for the host or the terminal is bounded
//! (`link::Polled`, `screen`).

mod pace;
mod saver;
mod screen;
mod wait;

use crate::draw;
use crate::input::{Decoder, Input, Pending};
use crate::model::Model;
use crate::outer::{Outer, STUCK};
use crate::paint::Painter;
use crate::update::{Effect, Event, deadline, update};
use crate::{Backstage, ClientConfig, ClientError, Outcome, View};
use link::{LinkError, Polled};
use pace::Pace;
use protocol::ToHost;
use saver::Saver;
use screen::Screen;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use wait::{Ready, Sources};

/// Most messages of the host used before a frame is considered.
const BATCH: usize = 256;
/// Bytes of the keyboard read at once.
const KEYS: usize = 64 * 1024;
/// How long what is still to be sent or saved may take when the client leaves.
const FINISH: Duration = Duration::from_secs(3);
/// Used when the terminal does not know its size.
const DEFAULT_SIZE: (u16, u16) = (80, 24);

type Signals = SignalDelivery<UnixStream, SignalOnly>;

/// See [`crate::run`].
pub(crate) fn run(
    conn: link::Connection,
    view: View,
    config: ClientConfig,
    backstage: Backstage,
) -> Result<Outcome, ClientError> {
    let mouse = config.mouse;
    let mut model = Model::new(config, view, size());
    let saver = Saver::start(backstage)?;
    let signals = signals().map_err(system("watch signals"))?;
    let host = match conn.polled() {
        Ok(host) => host,
        Err(error) => return Ok(gone(&error)),
    };
    let outer = Outer::enter(mouse).map_err(ClientError::NoTerminal)?;
    let mut client = Client {
        keys: Outer::keys().map_err(system("read the keyboard"))?,
        screen: Screen::new(outer.tap().map_err(system("write to the terminal"))?),
        outer: &outer,
        signals,
        host,
        saver,
        more: false,
        painter: Painter::new(model.ability),
        decoder: Decoder::default(),
        buffer: vec![0; KEYS],
        fed: Instant::now(),
        pace: Pace::new(Instant::now()),
        typed: false,
        shown: false,
    };
    let outcome = client.main(&mut model);
    let Client {
        screen,
        host,
        saver,
        ..
    } = client;
    // First the terminal, so that the user has it back whatever the rest takes.
    screen.finish(STUCK);
    drop(outer);
    let until = Instant::now() + FINISH;
    host.finish(FINISH);
    saver.finish(until);
    outcome
}

fn size() -> (u16, u16) {
    sys::tty::size(std::io::stdin()).unwrap_or(DEFAULT_SIZE)
}

fn signals() -> std::io::Result<Signals> {
    let (hears, tells) = UnixStream::pair()?;
    let watched = [SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT];
    SignalDelivery::with_pipe(hears, tells, SignalOnly, watched)
}

fn system(doing: &'static str) -> impl Fn(std::io::Error) -> ClientError {
    move |source| ClientError::System { doing, source }
}

fn gone(error: &LinkError) -> Outcome {
    Outcome::HostGone {
        reason: error.to_string(),
        announced: false,
    }
}

struct Client<'a> {
    outer: &'a Outer,
    keys: OwnedFd,
    screen: Screen,
    signals: Signals,
    host: Polled,
    saver: Saver,
    /// There may be more whole messages than were used.
    more: bool,
    painter: Painter,
    decoder: Decoder,
    /// For what the keyboard gives.
    buffer: Vec<u8>,
    /// When the keyboard last gave something.
    fed: Instant,
    pace: Pace,
    /// Bytes were typed into a pane.
    typed: bool,
    /// The first screen of a pane has come; it is not kept waiting for its turn.
    shown: bool,
}

/// Why the loop ends.
type End = Result<Outcome, ClientError>;

impl Client<'_> {
    fn main(&mut self, model: &mut Model) -> End {
        let mut end = self.happen(model, Event::Start);
        loop {
            if let Some(end) = end {
                return end;
            }
            if self.outer.is_left() {
                return Err(ClientError::Fault { part: "a thread" });
            }
            end = self
                .frame(model)
                .or_else(|| self.happen(model, Event::Idle))
                .or_else(|| self.turn(model));
        }
    }

    /// Waits for something, then uses what is there, up to a bound.
    fn turn(&mut self, model: &mut Model) -> Option<End> {
        let until = if self.more {
            Some(Instant::now())
        } else {
            self.wait_until(model)
        };
        let sources = Sources {
            keys: &self.keys,
            signals: self.signals.get_read(),
            saver: &self.saver,
            host: &self.host,
            screen: &self.screen,
        };
        let ready = match sources.wait(until) {
            Ok(ready) => ready,
            Err(error) => return Some(Err(system("wait")(error))),
        };
        if ready.saver
            && let Some(end) = self.read_saver(model)
        {
            return Some(end);
        }
        self.use_ready(model, ready)
            .or_else(|| self.flush_keys(model))
            .or_else(|| self.tick(model))
    }

    fn use_ready(&mut self, model: &mut Model, ready: Ready) -> Option<End> {
        let mut end = None;
        if ready.signals {
            end = self.read_signals(model);
        }
        if ready.keys {
            end = end.or_else(|| self.read_keys(model));
        }
        if ready.screen {
            let flushed = self.screen.flush();
            end = end.or_else(|| self.wrote(model, flushed));
        }
        if ready.host_takes || self.host.deadline().is_some_and(|at| at <= Instant::now()) {
            let flushed = self.host.flush();
            end = end.or_else(|| self.sent(flushed));
        }
        end.or_else(|| self.read_host(model, ready.host))
    }

    /// What an act came to, or the end of the thread, which is a fault.
    fn read_saver(&mut self, model: &mut Model) -> Option<End> {
        match self.saver.told() {
            Ok(words) => {
                self.pace.changed(Instant::now());
                let mut told = words.into_iter();
                told.find_map(|text| self.happen(model, Event::Acted(text)))
            }
            Err(_) => Some(Err(ClientError::Fault { part: "saving" })),
        }
    }

    fn read_signals(&mut self, model: &mut Model) -> Option<End> {
        let arrived: Vec<i32> = self.signals.pending().collect();
        self.pace.changed(Instant::now());
        let mut end = None;
        for signal in arrived {
            let event = match signal {
                SIGWINCH => {
                    let (cols, rows) = size();
                    self.painter.forget();
                    Event::Resize(cols, rows)
                }
                // The window was closed; what runs in the panes goes on.
                SIGHUP => Event::WindowClosed,
                other => Event::Signal(other),
            };
            end = end.or_else(|| self.happen(model, event));
        }
        end
    }

    fn read_keys(&mut self, model: &mut Model) -> Option<End> {
        use rustix::io::Errno;
        let n = match rustix::io::read(&self.keys, &mut self.buffer[..]) {
            Err(Errno::INTR | Errno::AGAIN) => return None,
            Ok(0) | Err(_) => return self.happen(model, Event::WindowClosed),
            Ok(n) => n,
        };
        self.fed = Instant::now();
        let mut inputs = Vec::new();
        self.decoder.feed(&self.buffer[..n], &mut inputs);
        self.typed = false;
        let end = self.inputs(model, inputs);
        if self.typed {
            self.pace.passed_on(self.fed);
        } else {
            self.pace.changed(self.fed);
        }
        end
    }

    /// Uses what is here; reads only when that is all used, so that it stays bounded.
    fn read_host(&mut self, model: &mut Model, ready: bool) -> Option<End> {
        if ready
            && !self.more
            && let Err(error) = self.host.fill()
        {
            return self.happen(model, Event::HostGone(error.to_string()));
        }
        if !(ready || self.more) {
            return None;
        }
        for _ in 0..BATCH {
            let received = match self.host.take() {
                Ok(Some(received)) => received,
                Ok(None) => {
                    self.more = false;
                    return None;
                }
                Err(error) => return self.happen(model, Event::HostGone(error.to_string())),
            };
            self.pace.changed(Instant::now());
            if !self.shown && matches!(received.message, protocol::FromHost::Snapshot(_)) {
                self.shown = true;
                self.pace.hurry();
            }
            if let Some(end) = self.happen(model, Event::Host(received)) {
                return Some(end);
            }
        }
        self.more = true;
        None
    }

    fn inputs(&mut self, model: &mut Model, inputs: Vec<Input>) -> Option<End> {
        for input in inputs {
            if matches!(input, Input::Key(_) | Input::Mouse(_) | Input::Paste(_)) {
                self.pace.key(Instant::now());
            }
            if let Some(end) = self.happen(model, Event::Input(input)) {
                return Some(end);
            }
        }
        None
    }

    /// When an unfinished sequence from the keyboard is over.
    fn keys_due(&self) -> Option<Instant> {
        let wait = match self.decoder.pending()? {
            Pending::Escape => Duration::from_millis(30),
            Pending::Sequence => Duration::from_secs(1),
            Pending::Paste => Duration::from_secs(2),
        };
        Some(self.fed + wait)
    }

    fn flush_keys(&mut self, model: &mut Model) -> Option<End> {
        if self.keys_due().is_none_or(|at| Instant::now() < at) {
            return None;
        }
        self.pace.changed(Instant::now());
        let mut inputs = Vec::new();
        self.decoder.flush(&mut inputs);
        self.inputs(model, inputs)
    }

    fn tick(&mut self, model: &mut Model) -> Option<End> {
        if deadline(model).is_none_or(|at| at > Instant::now()) {
            return None;
        }
        self.pace.changed(Instant::now());
        self.happen(model, Event::Tick)
    }

    fn happen(&mut self, model: &mut Model, event: Event) -> Option<End> {
        let mut end = None;
        for effect in update(model, event, Instant::now()) {
            match effect {
                Effect::Send {
                    pane,
                    request,
                    message,
                } => {
                    self.typed |= matches!(message, ToHost::Input(_));
                    let put = self.host.put(pane, request, &message);
                    end = end.or_else(|| self.sent(put));
                }
                Effect::Save(workspace) => self.saver.save(workspace),
                Effect::Act(act) => self.saver.act(act),
                Effect::Write(text) => {
                    let wrote = self.screen.write(text.as_bytes());
                    end = end.or_else(|| self.wrote(model, wrote));
                }
                Effect::Kitty => {
                    let wrote = self.screen.write(self.outer.kitty().as_bytes());
                    end = end.or_else(|| self.wrote(model, wrote));
                }
                Effect::Leave(outcome) => end = Some(Ok(outcome)),
            }
        }
        end
    }

    /// The end, if the host could not be sent something.
    fn sent(&self, result: Result<(), LinkError>) -> Option<End> {
        result.err().map(|error| Ok(gone(&error)))
    }

    /// The end, if the terminal could not be written to.
    fn wrote(&mut self, model: &mut Model, result: std::io::Result<()>) -> Option<End> {
        result
            .err()
            .and_then(|_| self.happen(model, Event::WindowClosed))
    }

    /// When to stop waiting.
    fn wait_until(&self, model: &Model) -> Option<Instant> {
        let frame = self.pace.next().filter(|_| !self.screen.is_painting());
        [
            deadline(model),
            self.keys_due(),
            self.host.deadline(),
            frame,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Draws if it is time and the last frame is out.
    fn frame(&mut self, model: &mut Model) -> Option<End> {
        let now = Instant::now();
        if self.screen.is_painting() || self.pace.next().is_none_or(|at| now < at) {
            return None;
        }
        self.pace.drawn(now);
        draw::prepare(model);
        let mut canvas = self.painter.blank(model.size.0, model.size.1);
        let cursor = draw::draw(model, &mut canvas);
        self.painter.set_ability(model.ability);
        self.painter.want(draw::pictures(model));
        let bytes = self.painter.paint(canvas, cursor);
        let wrote = self.screen.paint(&bytes);
        self.wrote(model, wrote)
    }
}
