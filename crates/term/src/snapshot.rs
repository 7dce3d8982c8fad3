//! A terminal as plain data. In: what an engine knows; out: what another
//! engine, the codec or the renderer needs. Promises that an engine built from
//! a snapshot behaves as the one it was taken from for every later byte.

use std::ops::Range;

use crate::cell::{Row, Style};
use crate::colours::Colours;
use crate::events::PartialNotice;
use crate::modes::Modes;
use crate::picture::Album;
use crate::scrollback::{Jump, Line, Page};
use crate::sgr::Stack;
use crate::size::Size;

pub use crate::charset::Charset;

/// The designated character sets and which one is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charsets {
    /// G0 to G3.
    pub sets: [Charset; 4],
    /// Which of them is in force: 0 after SI, 1 after SO, 2 and 3 after LS2 and LS3.
    pub left: u8,
    /// 2 or 3: SS2 or SS3 came, the next character is of that set; else 0.
    pub single: u8,
}

impl Charsets {
    /// The set in use.
    #[must_use]
    pub fn active(&self) -> Charset {
        let set = self.sets.get(usize::from(self.left));
        set.copied().unwrap_or_default()
    }
}

/// The cursor as it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Column, from 0; the last column while a wrap is pending.
    pub x: u16,
    /// Row, from 0.
    pub y: u16,
    /// Whether it is shown (DECTCEM).
    pub visible: bool,
    /// DECSCUSR number, 0 to 6; 0 is the viewer's default.
    pub shape: u8,
    /// The last column was printed; the next character goes to the next row.
    pub pending_wrap: bool,
}

/// Where the cursor stands to the character printed last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joins {
    /// Elsewhere: only marks are added to what stands before it.
    #[default]
    No,
    /// Right behind it.
    Behind,
    /// On it: it stands at a margin and nothing wraps.
    On,
}

/// What DECSC keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Column, from 0.
    pub x: u16,
    /// Row, from 0.
    pub y: u16,
    /// A wrap was pending.
    pub pending_wrap: bool,
    /// The pen.
    pub pen: Style,
    /// Origin mode.
    pub origin: bool,
    /// Character sets.
    pub charsets: Charsets,
}

/// One of the two screens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Exactly as many rows as the size says.
    pub rows: Vec<Row>,
    /// What DECSC kept, if it was used.
    pub saved: Option<Saved>,
    /// First and last row of the scroll region, from 0, both inside.
    pub region: (u16, u16),
}

impl Screen {
    /// A blank screen.
    #[must_use]
    pub fn blank(size: Size) -> Self {
        Self {
            rows: vec![Row::blank(size.cols); usize::from(size.rows)],
            saved: None,
            region: (0, size.rows.saturating_sub(1)),
        }
    }
}

/// Which lines the scrollback holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineRange {
    /// Id of the oldest line.
    pub first: u64,
    /// Id behind the newest line.
    pub end: u64,
    /// The newest line goes on at the top of the screen.
    pub open: bool,
}

impl LineRange {
    /// The ids.
    #[must_use]
    pub fn ids(&self) -> Range<u64> {
        self.first..self.end
    }
}

/// A whole terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Size of both screens.
    pub size: Size,
    /// The main screen.
    pub main: Screen,
    /// The alternate screen, if it was ever shown.
    pub alternate: Option<Screen>,
    /// Whether the alternate screen is shown.
    pub on_alternate: bool,
    /// The cursor, on the screen that is shown.
    pub cursor: Cursor,
    /// How the next character looks.
    pub pen: Style,
    /// G0, G1 and the shift.
    pub charsets: Charsets,
    /// Columns with a tab stop, ascending; `None` is every eighth.
    pub tabs: Option<Vec<u16>>,
    /// The character REP repeats.
    pub last_char: Option<char>,
    /// DECSLRM: first and last column of the margins, from 0, both inside.
    pub margins: (u16, u16),
    /// Where the cursor stands to what was printed last, which the next character
    /// may continue.
    pub joins: Joins,
    /// All modes, the title and its stack.
    pub modes: Modes,
    /// Colours of the last viewer.
    pub colours: Colours,
    /// Bytes of a sequence that is not complete yet.
    pub pending: Vec<u8>,
    /// Lines the scrollback holds, also when `history` is empty.
    pub lines: LineRange,
    /// The newest lines of the scrollback, if they were asked for.
    pub history: Vec<Line>,
    /// Their ids; empty: the last one has the id `lines.end - 1`, and the others
    /// the ids before it.
    pub history_ids: Vec<Jump>,
    /// Hyperlinks by a style's `link`: each what stands behind `OSC 8 ;`, that is
    /// parameters, `;` and target.
    pub links: Vec<String>,
    /// Pens put aside (XTPUSHSGR).
    pub pens: Stack,
    /// A kitty notification (OSC 99) of which some parts came.
    pub notice: PartialNotice,
    /// Pictures that came so far; they are no part of a screen.
    pub pictures: u64,
    /// What later strings of pictures may go on from.
    pub album: Album,
}

impl Snapshot {
    /// Takes over lines of the scrollback with their ids.
    pub(crate) fn set_history(&mut self, page: Page) {
        let first = self.lines.end.checked_sub(page.lines.len() as u64);
        let usual = page.jumps.is_empty() && first == Some(page.first);
        self.history_ids = Vec::new();
        if !usual && !page.lines.is_empty() {
            let start = Jump {
                index: 0,
                id: page.first,
            };
            self.history_ids.push(start);
            self.history_ids.extend(page.jumps);
        }
        self.history = page.lines;
    }

    /// A blank terminal of this size.
    #[must_use]
    pub fn blank(size: Size) -> Self {
        let modes = Modes::default();
        Self {
            size,
            main: Screen::blank(size),
            alternate: None,
            on_alternate: false,
            cursor: Cursor {
                visible: modes.cursor_visible,
                shape: modes.cursor_style(),
                ..Cursor::default()
            },
            pen: Style::default(),
            charsets: Charsets::default(),
            tabs: None,
            last_char: None,
            margins: (0, size.cols.saturating_sub(1)),
            joins: Joins::No,
            modes,
            colours: Colours::default(),
            pending: Vec::new(),
            lines: LineRange::default(),
            history: Vec::new(),
            history_ids: Vec::new(),
            links: Vec::new(),
            pens: Stack::default(),
            notice: PartialNotice::default(),
            pictures: 0,
            album: Album::default(),
        }
    }

    /// The screen that is shown.
    #[must_use]
    pub fn shown(&self) -> &Screen {
        match &self.alternate {
            Some(alternate) if self.on_alternate => alternate,
            _ => &self.main,
        }
    }
}
