//! The terminal the host and the client hold: one engine behind one face.

use std::ops::Range;

use crate::cell::Row;
use crate::colours::Colours;
use crate::engine::Engine;
use crate::engine::guard::Guarded;
use crate::engine::vt100::Vt100;
use crate::modes::Modes;
use crate::picture::Picture;
use crate::scrollback::Page;
use crate::sink::Sink;
use crate::size::Size;
use crate::snapshot::{Cursor, Snapshot};

/// Which engine reads the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// Our own, which loses nothing the model has; should it fail, vt100 takes
    /// over.
    #[default]
    Grid,
    /// The crate `vt100`, wrapped; see `docs/terminal.md` for what it loses.
    Vt100,
}

/// Settings of a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Most lines of scrollback.
    pub scrollback_lines: usize,
    /// Most bytes of scrollback.
    pub scrollback_bytes: usize,
    /// Most bytes of pictures kept for [`Terminal::pictures`]; 0, the default: they are counted
    /// only.
    pub picture_bytes: usize,
    /// The engine.
    pub engine: EngineKind,
}

impl Default for Options {
    /// 10,000 lines, 32 MiB.
    fn default() -> Self {
        Self {
            scrollback_lines: 10_000,
            scrollback_bytes: 32 << 20,
            picture_bytes: 0,
            engine: EngineKind::default(),
        }
    }
}

/// A terminal: feed it the program's output, ask it what is on the screen.
#[derive(Debug)]
pub struct Terminal {
    engine: Box<dyn Engine>,
}

impl Terminal {
    /// A blank terminal.
    #[must_use]
    pub fn new(size: Size, options: &Options) -> Self {
        Self::from_snapshot(&Snapshot::blank(size.clamped()), options)
    }

    /// The terminal a snapshot was taken of: for every later byte it does what
    /// that one does.
    #[must_use]
    pub fn from_snapshot(snapshot: &Snapshot, options: &Options) -> Self {
        let engine: Box<dyn Engine> = match options.engine {
            EngineKind::Vt100 => Box::new(Vt100::from_snapshot(snapshot, options)),
            EngineKind::Grid => Box::new(Guarded::from_snapshot(snapshot, options)),
        };
        Self { engine }
    }

    /// Reads output of the program, cut anywhere.
    pub fn advance(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        self.engine.advance(bytes, sink);
    }

    /// Changes the size; nothing happens if it is the same.
    pub fn resize(&mut self, size: Size) {
        self.engine.resize(size.clamped());
    }

    /// Columns and rows.
    #[must_use]
    pub fn size(&self) -> Size {
        self.engine.size()
    }

    /// The whole terminal as data, without lines of the scrollback.
    pub fn snapshot(&mut self) -> Snapshot {
        self.engine.snapshot(0)
    }

    /// The whole terminal as data, with the newest `lines` of the scrollback.
    pub fn snapshot_with_scrollback(&mut self, lines: usize) -> Snapshot {
        self.engine.snapshot(lines)
    }

    /// The same encoded, without a detour through the data where the engine can; with the name
    /// of the engine, for [`crate::codec::engine_of`].
    pub fn encoded_snapshot(&mut self, lines: usize) -> Vec<u8> {
        let mut encoded = self.engine.encoded(lines);
        crate::codec::name_engine(&mut encoded, self.engine.kind());
        encoded
    }

    /// Takes over the colours of the viewer, for colour queries.
    pub fn set_colours(&mut self, colours: &Colours) {
        self.engine.set_colours(colours);
    }

    /// The modes the program set.
    #[must_use]
    pub fn modes(&self) -> &Modes {
        self.engine.modes()
    }

    /// The window title.
    #[must_use]
    pub fn title(&self) -> &str {
        self.engine.modes().titles.current()
    }

    /// The cursor.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        self.engine.cursor()
    }

    /// Row `y` of the screen that is shown; no cells if there is none.
    #[must_use]
    pub fn row(&self, y: u16) -> Row {
        self.engine.row(y)
    }

    /// A number that grows whenever row `y` looks different.
    #[must_use]
    pub fn row_generation(&self, y: u16) -> u64 {
        self.engine.row_generation(y)
    }

    /// Ids of the lines the scrollback holds.
    #[must_use]
    pub fn scrollback(&self) -> Range<u64> {
        self.engine.scrollback()
    }

    /// Up to `count` lines of the scrollback from id `from`, or from the oldest
    /// that is held.
    #[must_use]
    pub fn page(&self, from: u64, count: usize) -> Page {
        self.engine.page(from, count)
    }

    /// The hyperlink of a row's style, as `OSC 8 ;` spells it: parameters, `;`
    /// and target. (Styles of a snapshot count in its own `links`.)
    #[must_use]
    pub fn link(&self, id: u32) -> Option<String> {
        self.engine.link(id)
    }

    /// Pictures over the screen that is shown, the oldest first, if [`Options::picture_bytes`]
    /// keeps any: those that came since this terminal was made and whose cells are as they were.
    pub fn pictures(&mut self) -> Vec<Picture> {
        self.engine.pictures()
    }

    /// Grows with each picture that is to be shown, whether [`Terminal::pictures`] has it or not.
    #[must_use]
    pub fn pictures_asked(&self) -> u64 {
        self.engine.pictures_asked()
    }

    /// How many pictures came.
    #[must_use]
    pub fn pictures_seen(&self) -> u64 {
        self.engine.pictures_seen()
    }

    /// The text of the screen that is shown, wrapped rows joined.
    #[must_use]
    pub fn text(&self) -> String {
        let rows: Vec<Row> = (0..self.size().rows).map(|y| self.row(y)).collect();
        crate::render::rows_to_text(&rows)
    }

    /// Resets modes a dead program left behind; returns the bytes that do the
    /// same to a viewer which follows the raw stream.
    pub fn reset_left_modes(&mut self) -> Vec<u8> {
        self.engine.reset_left_modes()
    }

    /// Whether the program asked viewers to hold drawing (2026).
    #[must_use]
    pub fn synchronized(&self) -> bool {
        self.engine.modes().sync
    }
}
