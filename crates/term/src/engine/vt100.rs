//! The crate `vt100` 0.18 as an engine. In: program output; out: what the
//! trait says. Our parser reads the stream and hands vt100 only whole, simple
//! sequences, so vt100 is between sequences whenever we look; what it does not
//! know is translated or kept here (see `docs/terminal.md` for what is lost).
//!
//! Promises: vt100 holds no state that is not also in the snapshot, because
//! saved cursors, regions, origin, tab stops, REP's character and all modes
//! live here, and because taking a snapshot repaints vt100 from that very
//! snapshot. A panic inside vt100 costs at most the looks of the screen.

mod control;
mod flow;
mod hooks;
mod perform;
mod print;
mod read;
mod resize;
mod screen;

use std::cell::{RefCell, RefMut};
use std::num::NonZeroU16;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cell::{Row, Style};
use crate::colours::Colours;
use crate::engine::Engine;
use crate::events::Events;
use crate::modes::Modes;
use crate::paint::{Dialect, Painter, projected};
use crate::parser::Parser;
use crate::picture::Album;
use crate::scrollback::{Page, Scrollback};
use crate::sgr::Stack;
use crate::sink::{Event, Silent, Sink};
use crate::size::Size;
use crate::snapshot::{Charsets, Cursor, Saved, Snapshot};
use crate::strings::Strings;
use crate::terminal::{EngineKind, Options};
use flow::Flow;
use hooks::Hooks;
use perform::Performer;

/// Bytes gathered for vt100 before it reads them at the latest.
const BATCH: usize = 16 * 1024;

/// The engine.
#[derive(Debug)]
pub struct Vt100 {
    parser: Parser,
    /// In a cell because looking may let vt100 read what was held back.
    core: RefCell<Core>,
    /// The core's, as of the last call.
    modes: Modes,
}

/// Everything but the parser, so that the parser can call into it.
struct Core {
    vt: ::vt100::Parser<Hooks>,
    /// Translated bytes vt100 has not read yet.
    out: Vec<u8>,
    size: Size,
    pen: Style,
    /// The part of the pen that vt100 was told.
    told: Style,
    /// Pens put aside (XTPUSHSGR).
    pens: Stack,
    charsets: Charsets,
    tabs: Option<Vec<u16>>,
    last_char: Option<char>,
    on_alternate: bool,
    alternate_used: bool,
    /// Scroll regions of the main and the alternate screen.
    regions: [(u16, u16); 2],
    /// DECSC of the main and the alternate screen.
    saved: [Option<Saved>; 2],
    modes: Modes,
    colours: Colours,
    events: Events,
    album: Album,
    strings: Strings,
    /// What vt100 said when it failed, until it is reported.
    fault: Option<String>,
    /// Lines held back from vt100.
    flow: Option<Flow>,
    view: View,
}

/// The rows as last looked at, to tell which changed.
#[derive(Default)]
struct View {
    stale: bool,
    rows: Vec<Row>,
    generations: Vec<u64>,
    clock: u64,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core")
            .field("size", &self.size)
            .field("on_alternate", &self.on_alternate)
            .finish_non_exhaustive()
    }
}

impl Vt100 {
    /// A blank terminal.
    #[must_use]
    pub fn new(size: Size, options: &Options) -> Self {
        Self::from_snapshot(&Snapshot::blank(size.clamped()), options)
    }

    /// The terminal a snapshot was taken of.
    #[must_use]
    pub fn from_snapshot(snapshot: &Snapshot, options: &Options) -> Self {
        let store = Scrollback::resume(
            options.scrollback_lines,
            options.scrollback_bytes,
            snapshot.lines,
            &snapshot.history,
            &snapshot.history_ids,
        );
        let mut core = Core::from_snapshot(snapshot, store);
        let mut parser = Parser::new();
        // Its effects are none but to bring parser and collectors where they were.
        let mut nobody = Silent;
        let mut performer = Performer::new(&mut core, &mut nobody);
        parser.advance(&snapshot.pending, &mut performer);
        let modes = core.modes.clone();
        Self {
            parser,
            core: RefCell::new(core),
            modes,
        }
    }
}

impl Vt100 {
    /// The core with vt100 up to date.
    fn look(&self) -> RefMut<'_, Core> {
        let mut core = self.core.borrow_mut();
        core.flush();
        core
    }

    fn take_modes(&mut self) {
        let modes = &self.core.get_mut().modes;
        if self.modes != *modes {
            self.modes.clone_from(modes);
        }
    }
}

impl Engine for Vt100 {
    fn kind(&self) -> EngineKind {
        EngineKind::Vt100
    }

    fn advance(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        let core = self.core.get_mut();
        self.parser.advance(bytes, &mut Performer::new(core, sink));
        if !core.flows() {
            core.flush();
        }
        if let Some(fault) = core.fault.take() {
            sink.event(Event::Fault(fault));
        }
        self.take_modes();
    }

    fn resize(&mut self, size: Size) {
        self.core.get_mut().resize(size.clamped());
    }

    fn size(&self) -> Size {
        self.core.borrow().size
    }

    fn snapshot(&mut self, history: usize) -> Snapshot {
        let core = self.core.get_mut();
        let mut snapshot = core.capture();
        // From here on this engine is what the snapshot makes of any other.
        core.repaint(&snapshot);
        let store = core.store();
        snapshot.lines = store.range();
        snapshot.set_history(store.newest(history));
        snapshot.pending = self.parser.pending_with(core.strings.data());
        snapshot
    }

    fn set_colours(&mut self, colours: &Colours) {
        self.core.get_mut().colours = colours.clone();
    }

    fn modes(&self) -> &Modes {
        &self.modes
    }

    fn reset_left_modes(&mut self) -> Vec<u8> {
        let bytes = self.core.get_mut().modes.reset_left();
        self.take_modes();
        bytes
    }

    fn cursor(&self) -> Cursor {
        self.look().cursor()
    }

    fn row(&self, y: u16) -> Row {
        let mut core = self.look();
        let row = core.view().rows.get(usize::from(y));
        row.cloned().unwrap_or_default()
    }

    fn row_generation(&self, y: u16) -> u64 {
        let mut core = self.look();
        let generation = core.view().generations.get(usize::from(y));
        generation.copied().unwrap_or_default()
    }

    fn pictures_seen(&self) -> u64 {
        self.core.borrow().events.pictures()
    }

    fn scrollback(&self) -> Range<u64> {
        self.look().store().ids()
    }

    fn page(&self, from: u64, count: usize) -> Page {
        self.look().store().page(from, count)
    }
}

impl Core {
    fn from_snapshot(snapshot: &Snapshot, store: Scrollback) -> Self {
        let size = snapshot.size.clamped();
        let screens = [Some(&snapshot.main), snapshot.alternate.as_ref()];
        let full = (0, size.rows - 1);
        let valid = |(top, bottom): (u16, u16)| top < bottom && bottom < size.rows;
        let mut core = Self {
            vt: parser(size, store),
            out: Vec::new(),
            size,
            pen: snapshot.pen,
            told: Style::default(),
            charsets: snapshot.charsets,
            tabs: snapshot.tabs.clone(),
            last_char: snapshot.last_char,
            on_alternate: snapshot.on_alternate && snapshot.alternate.is_some(),
            alternate_used: snapshot.alternate.is_some(),
            regions: screens.map(|screen| {
                let region = screen.map(|screen| screen.region);
                region.filter(|region| valid(*region)).unwrap_or(full)
            }),
            saved: screens.map(|screen| {
                let mut saved = screen?.saved?;
                saved.x = saved.x.min(size.cols - 1);
                saved.y = saved.y.min(size.rows - 1);
                Some(saved)
            }),
            modes: snapshot.modes.clone(),
            colours: snapshot.colours.clone(),
            events: Events::resumed(snapshot.notice.clone(), snapshot.pictures),
            album: snapshot.album.clone(),
            pens: snapshot.pens.clone(),
            strings: Strings::default(),
            fault: None,
            flow: None,
            view: View::default(),
        };
        core.modes.alternate = core.on_alternate;
        core.repaint(snapshot);
        core
    }

    fn store(&self) -> &Scrollback {
        &self.vt.callbacks().store
    }

    /// Replaces vt100's screen by what the snapshot shows.
    fn repaint(&mut self, snapshot: &Snapshot) {
        let mut snapshot = snapshot.clone();
        snapshot.size = self.size;
        snapshot.on_alternate = self.on_alternate;
        snapshot.cursor.x = snapshot.cursor.x.min(self.size.cols - 1);
        snapshot.cursor.y = snapshot.cursor.y.min(self.size.rows - 1);
        let empty = Scrollback::new(0, 0);
        let store = std::mem::replace(&mut self.vt.callbacks_mut().store, empty);
        self.vt = parser(self.size, store);
        self.vt.callbacks_mut().muted = true;
        let bytes = painted(&snapshot);
        let done = catch_unwind(AssertUnwindSafe(|| self.vt.process(&bytes)));
        if done.is_err() {
            // Nothing left to show; a blank screen works.
            let store =
                std::mem::replace(&mut self.vt.callbacks_mut().store, Scrollback::new(0, 0));
            self.vt = parser(self.size, store);
        }
        self.vt.callbacks_mut().muted = false;
        self.told = projected(snapshot.pen);
        self.view.stale = true;
    }

    /// Lets vt100 read what was gathered for it.
    fn flush(&mut self) {
        self.settle();
        if self.out.is_empty() {
            return;
        }
        let mut bytes = std::mem::take(&mut self.out);
        self.feed(&bytes);
        bytes.clear();
        self.out = bytes;
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.view.stale = true;
        let read = catch_unwind(AssertUnwindSafe(|| self.vt.process(bytes)));
        if let Err(panic) = read {
            self.recover(panic.as_ref());
        }
    }

    /// After a panic in vt100: a fresh one, repainted from what can be read.
    fn recover(&mut self, panic: &(dyn std::any::Any + Send)) {
        let why = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        self.fault = Some(format!("the vt100 engine failed: {why}"));
        let read = catch_unwind(AssertUnwindSafe(|| self.look()));
        let snapshot = read.unwrap_or_else(|_| Snapshot::blank(self.size));
        self.repaint(&snapshot);
    }

    /// The rows, brought up to date.
    fn view(&mut self) -> &View {
        if self.view.stale || self.view.rows.len() != usize::from(self.size.rows) {
            self.view.refresh(self.vt.screen(), self.size);
        }
        &self.view
    }
}

impl View {
    fn refresh(&mut self, screen: &::vt100::Screen, size: Size) {
        self.stale = false;
        self.clock += 1;
        let rows = usize::from(size.rows);
        let cols = usize::from(size.cols);
        self.rows.resize_with(rows, Row::default);
        self.generations.resize(rows, 0);
        for (y, row) in (0u16..).zip(&mut self.rows) {
            let resized = row.cells.len() != cols;
            row.cells.resize_with(cols, Default::default);
            let changed = read::update(row, screen, y) || resized;
            if let (true, Some(generation)) = (changed, self.generations.get_mut(usize::from(y))) {
                *generation = self.clock;
            }
        }
    }
}

/// A fresh vt100 that keeps no scrollback of its own.
fn parser(size: Size, store: Scrollback) -> ::vt100::Parser<Hooks> {
    let cells = |n: u16| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
    let hooks = Hooks {
        store,
        muted: false,
    };
    ::vt100::Parser::new_with_callbacks(cells(size.rows), cells(size.cols), 0, hooks)
}

/// A snapshot in vt100's dialect: fed to a fresh parser of the same size it
/// gives both screens, regions, origin mode, cursor and pen.
fn painted(snapshot: &Snapshot) -> Vec<u8> {
    let mut painter = Painter::new(Vec::new(), snapshot.size, Dialect::Vt100);
    painter.screen(&snapshot.main, 0);
    if let Some(alternate) = &snapshot.alternate {
        painter.out.extend_from_slice(b"\x1b[?47h");
        painter.screen(alternate, 0);
        if !snapshot.on_alternate {
            painter.out.extend_from_slice(b"\x1b[?47l");
        }
    }
    if snapshot.modes.origin {
        painter.out.extend_from_slice(b"\x1b[?6h");
    }
    let cursor = snapshot.cursor;
    let row = snapshot.shown().rows.get(usize::from(cursor.y));
    painter.cursor(cursor.x, cursor.y, cursor.pending_wrap, row);
    painter.pen(snapshot.pen);
    painter.out
}

#[cfg(test)]
mod tests;
