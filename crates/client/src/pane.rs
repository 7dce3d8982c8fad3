//! One pane as this client sees it: its screen, kept in step with the host's stream.
//!
//! In: snapshots, output and events from the host. Out: rows to draw, acknowledgements, input that
//! waits. Promises: bytes are used only at exactly the offset they belong to; queries in the
//! stream are answered by the host alone, so this terminal's answers are dropped; a synchronized
//! update is held back for [`hold::HOLD`] at most.

mod hold;
mod pictures;
mod told;

use self::hold::Hold;
use crate::outbox::Outbox;
use crate::scroll::Scroll;
use protocol::msg::{self, PaneFacts};
use std::sync::Arc;
use std::time::Instant;
use term::{Cursor, Options, Picture, Row, Silent, Size, Terminal};

/// Acknowledge at least this often; a quarter of the credit.
const ACK_EVERY: u64 = 64 * 1024;
/// Acknowledge this much when nothing else is to be done. Less leaves the credit as good as whole and
/// is not worth waking the host for, as after each key's echo.
const ACK_IDLE: u64 = 4 * 1024;
/// Most bytes of pictures kept for a pane; the oldest go first, a larger one is not shown.
const PICTURES: usize = 4 * 1024 * 1024;
/// End of a synchronized update, the usual spelling.
const SYNC_END: &[u8] = b"\x1b[?2026l";

/// What the pane's program does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Asked for, not there yet.
    Starting,
    /// It lives.
    Running,
    /// Stopped by job control.
    Stopped,
    /// It ended with this raw wait status.
    Exited {
        /// As `wait` gave it.
        raw: i32,
        /// More about it; mostly empty.
        note: String,
    },
    /// It could not be started.
    Failed(String),
    /// It is written down and does not come by itself; what it is and why, for people.
    Away(String),
    /// Another client has it.
    Taken {
        /// Which, for people.
        label: String,
    },
}

/// What was last claimed for a pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claimed {
    /// Columns.
    pub(crate) cols: u16,
    /// Rows.
    pub(crate) rows: u16,
    /// It is visible.
    pub(crate) shown: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Pane {
    /// Its id.
    pub(crate) id: u32,
    /// Its program.
    pub(crate) state: State,
    /// Last title.
    pub(crate) title: String,
    /// It rang while it was not visible.
    pub(crate) bell: bool,
    /// The user asked to close it.
    pub(crate) closing: bool,
    /// It ended and is being started again; the host may forget it then.
    pub(crate) ended: bool,
    /// What the host was told.
    pub(crate) claimed: Option<Claimed>,
    /// How it was started, to start it again.
    pub(crate) argv: Vec<msg::Bytes>,
    /// Where it was started.
    pub(crate) cwd: msg::Bytes,
    /// What the host keeps about it: name, workspace.
    pub(crate) notes: Vec<(String, msg::Bytes)>,
    /// It is only looked at.
    pub(crate) watched: bool,
    /// Input that waits.
    pub(crate) outbox: Outbox,
    /// The view into its scrollback, when the user looks there.
    pub(crate) scroll: Option<Scroll>,
    screen: Option<Screen>,
    /// It was told that a picture of it cannot be shown.
    told_picture: bool,
    /// What comes is useless until the next snapshot.
    resyncing: bool,
}

/// The screen and where it stands in the stream.
#[derive(Debug)]
struct Screen {
    terminal: Terminal,
    offset: u64,
    acked: u64,
    hold: Hold,
    /// Rows as drawn last, each with its generation.
    drawn: Vec<(u64, Arc<Row>)>,
    cursor: Cursor,
    /// Pictures over it, as of the same moment.
    pictures: Vec<Picture>,
    /// How many came so far.
    came: u64,
}

/// The stream does not fit: a fresh snapshot is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap;

impl Pane {
    /// A pane of which nothing is known yet.
    pub(crate) fn new(id: u32) -> Self {
        Self {
            id,
            state: State::Starting,
            title: String::new(),
            bell: false,
            closing: false,
            ended: false,
            claimed: None,
            argv: Vec::new(),
            cwd: Vec::new(),
            notes: Vec::new(),
            watched: false,
            outbox: Outbox::default(),
            scroll: None,
            screen: None,
            told_picture: false,
            resyncing: false,
        }
    }

    /// What stands in one of its notes.
    pub(crate) fn note(&self, key: &str) -> Option<&msg::Bytes> {
        let note = self.notes.iter().find(|(name, _)| name == key);
        note.map(|(_, value)| value)
    }

    /// Takes over what the host's list says.
    pub(crate) fn learn(&mut self, facts: &PaneFacts) {
        self.title.clone_from(&facts.title);
        self.argv.clone_from(&facts.argv);
        self.cwd.clone_from(&facts.cwd);
        self.notes.clone_from(&facts.notes);
        if self.is_taken() {
            return;
        }
        self.state = match facts.state {
            msg::EXITED => State::Exited {
                raw: facts.raw_status,
                note: facts.end_note.clone(),
            },
            msg::STOPPED => State::Stopped,
            _ => State::Running,
        };
    }

    /// The host has it and it is ours, so it can be claimed.
    pub(crate) const fn claimable(&self) -> bool {
        matches!(
            self.state,
            State::Running | State::Stopped | State::Exited { .. }
        )
    }

    /// Another client has it.
    pub(crate) const fn is_taken(&self) -> bool {
        matches!(self.state, State::Taken { .. })
    }

    /// The host does not have it, as far as is known.
    pub(crate) const fn is_to_come(&self) -> bool {
        matches!(self.state, State::Starting | State::Away(_)) && self.claimed.is_none()
    }

    /// Its program reads what is typed.
    pub(crate) const fn takes_input(&self) -> bool {
        matches!(self.state, State::Running | State::Stopped)
    }

    /// The terminal, once a snapshot came.
    pub(crate) fn terminal(&self) -> Option<&Terminal> {
        self.screen.as_ref().map(|screen| &screen.terminal)
    }

    /// A whole screen: the stream goes on at `offset`.
    pub(crate) fn snapshot(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Gap> {
        let snapshot = term::codec::decode_snapshot(bytes).map_err(|_| Gap)?;
        let terminal = Terminal::from_snapshot(&snapshot, &options(bytes));
        let title = terminal.title();
        if !title.is_empty() {
            title.clone_into(&mut self.title);
        }
        let (cursor, came) = (terminal.cursor(), terminal.pictures_asked());
        let drawn = Vec::new();
        let hold = Hold::of_shown(terminal.synchronized());
        // Acknowledged behind the offset, so that the next look sends an acknowledgement.
        let acked = offset.wrapping_sub(ACK_EVERY);
        let mut screen = Screen {
            terminal,
            offset,
            acked,
            hold,
            drawn,
            cursor,
            pictures: Vec::new(),
            came,
        };
        screen.refresh();
        self.screen = Some(screen);
        self.resyncing = false;
        Ok(())
    }

    /// Output that begins at `offset`.
    pub(crate) fn output(&mut self, offset: u64, bytes: &[u8], now: Instant) -> Result<(), Gap> {
        // Before the first snapshot there is nothing to add to; the snapshot holds it.
        let Some(screen) = self.screen.as_mut().filter(|_| !self.resyncing) else {
            return Ok(());
        };
        if offset != screen.offset {
            return Err(Gap);
        }
        screen.advance(bytes, now);
        Ok(())
    }

    /// The pane's size changed at `offset`.
    pub(crate) fn resized(&mut self, cols: u16, rows: u16, offset: u64) -> Result<(), Gap> {
        let Some(screen) = self.screen.as_mut().filter(|_| !self.resyncing) else {
            return Ok(());
        };
        let size = Size::new(cols, rows);
        if screen.terminal.size() == size {
            return Ok(());
        }
        if offset != screen.offset {
            return Err(Gap);
        }
        screen.terminal.resize(size);
        screen.drawn.clear();
        screen.refresh();
        Ok(())
    }

    /// What comes is dropped until the next snapshot. What to claim anew for it; `None` when it
    /// is on its way already or the pane is not shown.
    pub(crate) fn begin_resync(&mut self) -> Option<Claimed> {
        let claimed = self
            .claimed
            .filter(|claimed| claimed.shown && !self.resyncing)?;
        self.resyncing = true;
        Some(claimed)
    }

    /// Column and row of the pane's screen at the corner of a view of that size: the top left,
    /// unless the cursor would not be seen.
    pub(crate) fn origin(&self, width: u16, height: u16) -> (u16, u16) {
        let Some(screen) = &self.screen else {
            return (0, 0);
        };
        let (size, cursor) = (screen.terminal.size(), screen.cursor);
        let along = |room: u16, size: u16, at: u16| {
            (at + 1).saturating_sub(room).min(size.saturating_sub(room))
        };
        (
            along(width, size.cols, cursor.x),
            along(height, size.rows, cursor.y),
        )
    }

    /// The offset to acknowledge, if it is time; with `idle` less is enough.
    pub(crate) fn ack(&mut self, idle: bool) -> Option<u64> {
        let screen = self.screen.as_mut()?;
        let unacked = screen.offset.wrapping_sub(screen.acked);
        let due = unacked >= ACK_EVERY || (idle && unacked >= ACK_IDLE);
        due.then(|| {
            screen.acked = screen.offset;
            screen.offset
        })
    }

    /// When a held update is shown although it is not finished.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.screen.as_ref()?.hold.deadline()
    }

    /// When input that was refused is offered again.
    pub(crate) fn retry(&self) -> Option<Instant> {
        let may = self.claimed.is_some() && self.takes_input();
        self.outbox.deadline().filter(|_| may)
    }

    /// Ends a hold whose time is over.
    pub(crate) fn release(&mut self, now: Instant) {
        if let Some(screen) = &mut self.screen {
            screen.hold = screen.hold.at(now);
        }
    }

    /// Brings the rows to draw up to date, unless an update is being held.
    pub(crate) fn prepare(&mut self) {
        if let Some(screen) = self.screen.as_mut().filter(|screen| !screen.hold.holds()) {
            screen.refresh();
        }
    }

    /// Rows and cursor as of the last [`Pane::prepare`].
    pub(crate) fn rows(&self) -> Option<(impl ExactSizeIterator<Item = &Arc<Row>>, Cursor)> {
        let screen = self.screen.as_ref()?;
        Some((screen.drawn.iter().map(|(_, row)| row), screen.cursor))
    }
}

impl Screen {
    fn advance(&mut self, bytes: &[u8], now: Instant) {
        let mut rest = bytes;
        // A program that updates all the time is always inside an update when a frame is drawn:
        // the screen as it was between two updates is kept for that.
        let end = bytes
            .windows(SYNC_END.len())
            .rposition(|part| part == SYNC_END);
        if let Some(end) = end {
            let (done, after) = bytes.split_at(end + SYNC_END.len());
            self.terminal.advance(done, &mut Silent);
            rest = after;
            if !self.terminal.synchronized() {
                self.hold = Hold::No;
                self.refresh();
            }
        }
        self.terminal.advance(rest, &mut Silent);
        self.offset += bytes.len() as u64;
        self.hold = self.hold.after(rest, self.terminal.synchronized(), now);
    }

    fn refresh(&mut self) {
        let rows = self.terminal.size().rows;
        self.drawn.truncate(usize::from(rows));
        for y in 0..rows {
            let generation = self.terminal.row_generation(y);
            match self.drawn.get_mut(usize::from(y)) {
                Some((known, _)) if *known == generation => {}
                Some(entry) => *entry = (generation, Arc::new(self.terminal.row(y))),
                None => self
                    .drawn
                    .push((generation, Arc::new(self.terminal.row(y)))),
            }
        }
        self.cursor = self.terminal.cursor();
        self.pictures = self.terminal.pictures();
    }
}

/// A viewer keeps no scrollback of its own: the host has it, in pages. It reads the stream with the
/// engine that the host reads it with.
fn options(snapshot: &[u8]) -> Options {
    Options {
        engine: term::codec::engine_of(snapshot),
        scrollback_lines: 0,
        scrollback_bytes: 0,
        picture_bytes: PICTURES,
    }
}
