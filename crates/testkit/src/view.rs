//! A client without a screen of its own: claims one pane and keeps a model of it.
//!
//! In: the raw connection. Out: the pane's screen as the host's snapshots and output make it.
//! Promises: output is applied only at the very offset it follows; a gap fails the test; what was
//! used is acknowledged, as an honest client does.

use crate::home::Home;
use crate::wire::{Said, Wire};
use protocol::msg::{Ack, split_offset};
use protocol::{FromHost, PaneId, Role};
use std::ops::Range;
use std::time::{Duration, Instant};
use term::{Options, Terminal};

/// A claimed pane and its model.
pub struct View {
    /// The connection, for whatever else a test wants to say.
    pub wire: Wire,
    /// The pane.
    pub pane: PaneId,
    /// Offset after the last byte in the model.
    pub offset: u64,
    /// Snapshots that came.
    pub snapshots: usize,
    /// Scrollback lines the host had when the last snapshot was made.
    pub kept: Range<u64>,
    /// Events of the pane, in order.
    pub events: Vec<FromHost>,
    terminal: Option<Terminal>,
}

impl View {
    /// Attaches to a pane at a size.
    ///
    /// # Panics
    /// When the host refuses.
    #[must_use]
    #[track_caller]
    pub fn attach(home: &Home, pane: PaneId, size: (u16, u16)) -> Self {
        let mut wire = Wire::connect(home, Role::Attach);
        wire.claim(pane, size);
        Self::new(wire, pane)
    }

    /// Watches a pane.
    ///
    /// # Panics
    /// When the host refuses.
    #[must_use]
    #[track_caller]
    pub fn watch(home: &Home, pane: PaneId) -> Self {
        let mut wire = Wire::connect(home, Role::Watch);
        wire.must(
            PaneId::NONE,
            protocol::msg::Watch {
                panes: vec![pane.0],
            },
        );
        Self::new(wire, pane)
    }

    fn new(wire: Wire, pane: PaneId) -> Self {
        let (events, kept) = (Vec::new(), 0..0);
        Self {
            wire,
            pane,
            offset: 0,
            snapshots: 0,
            kept,
            events,
            terminal: None,
        }
    }

    /// The model.
    ///
    /// # Panics
    /// When no snapshot has come yet.
    #[must_use]
    #[track_caller]
    pub fn terminal(&self) -> &Terminal {
        self.terminal.as_ref().expect("a snapshot has come")
    }

    /// The screen as text; empty before the first snapshot.
    #[must_use]
    pub fn text(&self) -> String {
        self.terminal
            .as_ref()
            .map(Terminal::text)
            .unwrap_or_default()
    }

    /// Takes what comes next, if something does in time.
    #[track_caller]
    pub fn step(&mut self, limit: Duration) -> bool {
        let Some(said) = self.wire.next(limit) else {
            return false;
        };
        self.apply(said);
        true
    }

    #[track_caller]
    fn apply(&mut self, said: Said) {
        if said.pane != self.pane {
            return;
        }
        match said.message {
            FromHost::Snapshot(payload) => {
                let (offset, bytes) = split_offset(&payload).expect("an offset");
                let snapshot = term::codec::decode_snapshot(bytes).expect("a sound snapshot");
                self.terminal = Some(Terminal::from_snapshot(&snapshot, &Options::default()));
                self.kept = snapshot.lines.ids();
                self.offset = offset;
                self.snapshots += 1;
                self.acknowledge();
            }
            FromHost::Output(payload) => {
                let (offset, bytes) = split_offset(&payload).expect("an offset");
                assert_eq!(offset, self.offset, "the stream has a gap");
                let terminal = self.terminal.as_mut().expect("a snapshot comes first");
                terminal.advance(bytes, &mut term::sink::Silent);
                self.offset += bytes.len() as u64;
                self.acknowledge();
            }
            FromHost::PaneResized(new) => {
                if let Some(terminal) = &mut self.terminal {
                    terminal.resize(term::Size::new(new.cols, new.rows));
                }
                self.events.push(FromHost::PaneResized(new));
            }
            event => self.events.push(event),
        }
    }

    #[track_caller]
    fn acknowledge(&mut self) {
        self.wire.send(
            self.pane,
            Ack {
                offset: self.offset,
            },
        );
    }

    /// Takes what comes until the screen matches; gives the screen.
    ///
    /// # Panics
    /// When it does not in time, showing the screen.
    #[track_caller]
    pub fn wait_for(&mut self, pattern: &str) -> String {
        let regex = crate::wait::pattern(pattern);
        let matches = |view: &mut Self| {
            let text = view.text();
            regex.is_match(&text).then_some(text)
        };
        self.wait_until(&format!("a screen with {pattern:?}"), matches)
    }

    /// Takes what comes until the answer is `Some`.
    ///
    /// # Panics
    /// When it is not in time, showing the screen.
    #[track_caller]
    pub fn wait_until<T>(&mut self, what: &str, mut ask: impl FnMut(&mut Self) -> Option<T>) -> T {
        let end = Instant::now() + crate::LIMIT;
        loop {
            if let Some(answer) = ask(self) {
                return answer;
            }
            let left = end.saturating_duration_since(Instant::now());
            let came = !left.is_zero() && self.step(left);
            assert!(
                came,
                "waited in vain for {what}; the pane shows:\n{}",
                self.text()
            );
        }
    }

    /// Waits for the end of the pane's program; gives its raw wait status.
    ///
    /// # Panics
    /// When it does not end.
    #[track_caller]
    pub fn wait_exit(&mut self) -> i32 {
        self.wait_until("the program's end", |view| {
            view.events.iter().find_map(|event| match event {
                FromHost::PaneExited(exited) => Some(exited.raw_status),
                _ => None,
            })
        })
    }

    /// Types into the pane.
    ///
    /// # Panics
    /// When the host refuses.
    #[track_caller]
    pub fn type_bytes(&mut self, bytes: impl Into<Vec<u8>>) {
        let pane = self.pane;
        self.wire.input(pane, bytes);
    }
}
