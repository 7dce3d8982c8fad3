//! Everything of the engine but the parser: two screens, the cursor, the pen, what sequences set.

use std::collections::BTreeSet;

use super::cell::{self, Cell, Content};
use super::gallery::Gallery;
use super::links::Links;
use super::pool::{Marks, Pool};
use super::screen::Screen;
use super::store::Scratch;
use crate::cell::{Colour, Style};
use crate::colours::Colours;
use crate::events::Events;
use crate::modes::Modes;
use crate::picture::{Album, Collector};
use crate::scrollback::Scrollback;
use crate::sgr::Stack;
use crate::size::Size;
use crate::snapshot::{Charsets, Joins};
use crate::strings::Strings;
use crate::width::Known;

/// Most clusters of several characters at once; beyond, a cell keeps its first character.
const MOST_CLUSTERS: usize = 1 << 17;

/// The state.
#[derive(Debug)]
pub(super) struct Core {
    /// The screen that is shown.
    pub(super) shown: Screen,
    /// The other one, once there was an alternate screen.
    pub(super) hidden: Option<Screen>,
    pub(super) on_alternate: bool,
    /// Cursor; with a pending wrap in the last column.
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) pending: bool,
    /// Where the cursor stands to what was printed last.
    pub(super) joins: Joins,
    /// What stands before it may join a plain character.
    pub(super) clustered: bool,
    pub(super) pen: Style,
    /// The pen's words for printed and for erased cells, while known.
    word: Option<u32>,
    erased: Option<u32>,
    /// Pens put aside (XTPUSHSGR).
    pub(super) pens: Stack,
    pub(super) charsets: Charsets,
    pub(super) tabs: Option<Vec<u16>>,
    pub(super) last_char: Option<char>,
    /// Scroll region: first and last row.
    pub(super) top: usize,
    pub(super) bottom: usize,
    /// Margins: first and last column.
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) modes: Modes,
    pub(super) colours: Colours,
    pub(super) events: Events,
    pub(super) strings: Strings,
    pub(super) collector: Collector,
    pub(super) album: Album,
    pub(super) gallery: Gallery,
    pub(super) styles: Pool<Style>,
    pub(super) clusters: Pool<Box<str>>,
    pub(super) links: Links,
    pub(super) store: Scrollback,
    /// Counts calls; rows that change are stamped with it.
    pub(super) clock: u64,
    /// For rows on their way to the scrollback.
    pub(super) scratch: Scratch,
    /// Characters met.
    pub(super) known: Known,
    #[cfg(test)]
    pub(super) trap: bool,
}

impl Core {
    /// A blank terminal.
    pub(super) fn new(size: Size, store: Scrollback) -> Self {
        Self {
            shown: Screen::new(size, 1),
            hidden: None,
            on_alternate: false,
            x: 0,
            y: 0,
            pending: false,
            joins: Joins::No,
            clustered: true,
            pen: Style::default(),
            word: None,
            erased: None,
            pens: Stack::default(),
            charsets: Charsets::default(),
            tabs: None,
            last_char: None,
            top: 0,
            bottom: usize::from(size.rows) - 1,
            left: 0,
            right: usize::from(size.cols) - 1,
            modes: Modes::default(),
            colours: Colours::default(),
            events: Events::default(),
            strings: Strings::default(),
            collector: Collector::default(),
            album: Album::default(),
            gallery: Gallery::default(),
            styles: Pool::default(),
            clusters: Pool::bounded(MOST_CLUSTERS),
            links: Links::default(),
            store,
            clock: 1,
            scratch: Scratch::default(),
            known: Known::default(),
            #[cfg(test)]
            trap: false,
        }
    }

    #[inline]
    pub(super) fn cols(&self) -> usize {
        self.shown.cols
    }

    #[inline]
    pub(super) fn rows(&self) -> usize {
        self.shown.rows
    }

    /// Columns and rows.
    pub(super) fn size(&self) -> Size {
        // A screen is made from a size, so both fit.
        let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        Size::new(short(self.cols()), short(self.rows()))
    }

    /// Margins narrower than the screen are in force.
    #[inline]
    pub(super) fn narrowed(&self) -> bool {
        self.left > 0 || self.right + 1 < self.cols()
    }

    /// The pen changed.
    #[inline]
    pub(super) fn repen(&mut self) {
        self.word = None;
        self.erased = None;
    }

    /// SGR 0, if nothing of the pen outlives it.
    #[inline]
    pub(super) fn plain_pen(&mut self) -> bool {
        let plain = self.pen.link.is_none() && !self.pen.protected;
        if plain {
            self.pen = Style::default();
            self.word = Some(0);
            self.erased = Some(0);
        }
        plain
    }

    /// A palette colour for text; false if the pen's word is not known or listed.
    #[inline]
    pub(super) fn palette_pen(&mut self, index: u16) -> bool {
        let Some(word) = self.word.filter(|word| cell::number(*word).is_none()) else {
            return false;
        };
        let Ok(index) = u8::try_from(index) else {
            return false;
        };
        self.pen.fg = Colour::Indexed(index);
        self.word = Some(cell::with_text_colour(word, index));
        true
    }

    /// The pen's word for printed cells.
    #[inline]
    pub(super) fn pen_word(&mut self) -> u32 {
        if let Some(word) = self.word {
            return word;
        }
        let word = self.word_of(&self.pen.clone());
        self.word = Some(word);
        word
    }

    /// An erased cell: the pen's background and nothing else.
    #[inline]
    pub(super) fn eraser(&mut self) -> Cell {
        if let Some(word) = self.erased {
            return Cell::blank(word);
        }
        let erased = Style {
            bg: self.pen.bg,
            ..Style::default()
        };
        let word = self.word_of(&erased);
        self.erased = Some(word);
        Cell::blank(word)
    }

    /// The word of any style.
    #[inline]
    pub(super) fn word_of(&mut self, style: &Style) -> u32 {
        if let Some(word) = cell::inline(style) {
            return word;
        }
        if let Some(number) = self.styles.find(style) {
            return cell::listed(number);
        }
        if self.styles.is_due() {
            self.collect();
        }
        self.styles.intern(style).map_or(0, cell::listed)
    }

    /// The style of a word.
    pub(super) fn style(&self, word: u32) -> Style {
        cell::style(word, &self.styles)
    }

    /// The number of a cluster; `None` if there are too many.
    pub(super) fn cluster(&mut self, text: &str) -> Option<u32> {
        if let Some(number) = self.clusters.find(text) {
            return Some(number);
        }
        if self.clusters.is_due() {
            self.collect();
        }
        self.clusters.intern(&text.into())
    }

    /// Frees styles and clusters no cell refers to. The pen's word may be among them.
    fn collect(&mut self) {
        let mut styles = Marks::default();
        let mut clusters = Marks::default();
        let hidden = self.hidden.iter().flat_map(|screen| screen.cells());
        for cell in self.shown.cells().iter().chain(hidden) {
            if let Some(number) = cell::number(cell.style()) {
                styles.mark(number);
            }
            if let Content::Cluster(number) = cell.content() {
                clusters.mark(number);
            }
        }
        let words = [self.word, self.erased].into_iter().flatten();
        words.filter_map(cell::number).for_each(|n| styles.mark(n));
        self.styles.collect(&styles);
        self.store.forget_words();
        self.clusters.collect(&clusters);
    }

    /// The id of a link, room made for it if need be.
    pub(super) fn link(&mut self, link: &str) -> Option<u32> {
        if self.links.is_due() {
            self.collect();
            let saved = [Some(&self.shown), self.hidden.as_ref()];
            let saved = saved.into_iter().flatten().filter_map(|s| s.saved);
            let used: BTreeSet<u32> = self
                .styles
                .values()
                .copied()
                .chain(saved.map(|saved| saved.pen))
                .chain(self.store.styles())
                .chain([self.pen])
                .filter_map(|style| style.link)
                .collect();
            self.links.collect(&used);
        }
        self.links.intern(link)
    }

    /// The text of a cell; empty for a blank one and for a spacer.
    pub(super) fn text<'a>(&'a self, cell: Cell, buffer: &'a mut [u8; 4]) -> &'a str {
        match cell.content() {
            Content::Blank | Content::Spacer => "",
            Content::Char(c) => c.encode_utf8(buffer),
            Content::Cluster(number) => self.clusters.get(number).map_or("", |text| text),
        }
    }

    /// The cursor moved or something was written: a pending wrap is over.
    #[inline]
    pub(super) fn settle(&mut self) {
        self.pending = false;
    }

    /// Moves the cursor, which stays on the screen.
    pub(super) fn go(&mut self, x: usize, y: usize) {
        self.x = x.min(self.cols() - 1);
        self.y = y.min(self.rows() - 1);
        self.pending = false;
    }
}
