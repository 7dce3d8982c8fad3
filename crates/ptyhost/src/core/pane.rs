//! One pane as the host keeps it.
//!
//! Plain owned data: numbers, byte strings, the terminal model and the input queue.

use super::event::ConnId;
use super::notes::NoteMap;
use super::queue::InputQueue;
use super::screen::Screen;
use super::titles::Titled;
use protocol::PaneId;
use protocol::msg::{self, Bytes};
use std::time::{Duration, Instant};
use term::Size;

/// Size of a pane whose creator names none and that no client has claimed.
pub(crate) const DEFAULT_SIZE: (u16, u16) = (120, 40);
/// Smallest size a claim gives; a client with less room crops.
pub(crate) const LEAST_SIZE: (u16, u16) = (20, 5);
/// How long output is waited for after the program's end.
pub(crate) const DRAIN: Duration = Duration::from_secs(1);

/// Who asked for a pane and waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asker {
    pub(crate) conn: ConnId,
    pub(crate) request: u32,
}

/// Where a pane's life stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Asked for, not there yet: nobody sees it.
    Starting(Asker),
    /// Its program lives.
    Running,
    /// The program ended, its last output is on its way until this time.
    Draining(End, Instant),
    /// The program ended and everything it wrote is in the screen.
    Exited(End),
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// Raw wait status.
    pub(crate) raw: i32,
    /// Milliseconds from the last input to the end.
    pub(crate) since_input_ms: Option<u64>,
    /// Milliseconds from the last input that asks a program to act; see [`super::submit`].
    pub(crate) since_submit_ms: Option<u64>,
}

/// The attachment that has a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) conn: ConnId,
    /// The pane is visible there.
    pub(crate) shown: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Pane {
    pub(crate) id: PaneId,
    pub(crate) argv: Vec<Bytes>,
    pub(crate) cwd: Bytes,
    pub(crate) pid: u32,
    pub(crate) pid_start: u64,
    pub(crate) reaper: u32,
    /// A reaper was started and has not ended: something of the family may live.
    pub(crate) reaper_lives: bool,
    pub(crate) phase: Phase,
    pub(crate) stopped: bool,
    pub(crate) foreground: u32,
    pub(crate) end_note: String,
    pub(crate) screen: Screen,
    pub(crate) queue: InputQueue,
    /// Bytes of output so far.
    pub(crate) offset: u64,
    pub(crate) output_ended: bool,
    /// Its pty can no longer be written to.
    pub(crate) deaf: bool,
    pub(crate) notes: NoteMap,
    pub(crate) holder: Option<Holder>,
    /// Whose its title is.
    pub(crate) titled: Titled,
    /// Subscribers were told that somebody looks at it.
    pub(crate) looked: bool,
    pub(crate) created: Instant,
    pub(crate) last_input: Option<Instant>,
    /// When the user last sent Enter, Ctrl-C or Ctrl-D.
    pub(crate) last_submit: Option<Instant>,
    /// Its end was asked for.
    pub(crate) killed: bool,
    pub(crate) last_output: Option<Instant>,
    /// When `PaneInput` was last published.
    pub(crate) input_told: Option<Instant>,
}

impl Pane {
    /// Somebody may name it: it started, whether it lives or not.
    pub(crate) const fn is_visible(&self) -> bool {
        !matches!(self.phase, Phase::Starting(_))
    }

    /// Its program lives, or its last output is awaited.
    pub(crate) const fn is_live(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Draining(..))
    }

    /// It keeps the host alive and a stop waiting.
    pub(crate) const fn holds_host(&self) -> bool {
        !matches!(self.phase, Phase::Exited(_))
    }

    /// Visible in the client that has it.
    pub(crate) fn shown(&self) -> bool {
        self.holder.is_some_and(|holder| holder.shown)
    }

    /// The program ended like this, now.
    pub(crate) fn end(&self, raw: i32, now: Instant) -> End {
        End {
            raw,
            since_input_ms: self.last_input.map(|then| ms(now, then)),
            since_submit_ms: self.last_submit.map(|then| ms(now, then)),
        }
    }

    /// When the user last sent it something to act on, counted to its end once that has come.
    pub(crate) fn submitted(&self, now: Instant) -> msg::Submitted {
        let since_ms = match self.phase {
            Phase::Exited(end) | Phase::Draining(end, _) => end.since_submit_ms,
            Phase::Starting(_) | Phase::Running => self.last_submit.map(|then| ms(now, then)),
        };
        msg::Submitted {
            since_ms,
            killed: self.killed,
        }
    }

    /// What the list says of it.
    pub(crate) fn facts(&self, now: Instant) -> msg::PaneFacts {
        let Size { cols, rows } = self.screen.size();
        let (state, raw_status) = match self.phase {
            Phase::Exited(end) => (msg::EXITED, end.raw),
            _ if self.stopped => (msg::STOPPED, 0),
            _ => (msg::RUNNING, 0),
        };
        msg::PaneFacts {
            pane: self.id.0,
            pid: self.pid,
            pid_start: self.pid_start,
            reaper: self.reaper,
            argv: self.argv.clone(),
            cwd: self.cwd.clone(),
            cols,
            rows,
            title: self.screen.title(),
            state,
            raw_status,
            end_note: self.end_note.clone(),
            age_ms: ms(now, self.created),
            since_input_ms: self.last_input.map(|then| ms(now, then)),
            since_output_ms: self.last_output.map(|then| ms(now, then)),
            claimed_by: self.holder.map(|holder| holder.conn.0),
            shown: self.shown(),
            foreground: self.foreground,
            offset: self.offset,
            notes: self
                .notes
                .iter()
                .map(|(key, (_, value))| (key.clone(), value.clone()))
                .collect(),
        }
    }
}

/// Whole milliseconds from `then` to `now`.
pub(crate) fn ms(now: Instant, then: Instant) -> u64 {
    u64::try_from(now.saturating_duration_since(then).as_millis()).unwrap_or(u64::MAX)
}
