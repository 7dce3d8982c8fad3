//! Rows on their way to the scrollback, and lines of it on their way back when the screen grows.

use super::cell::{self, Cell, Content};
use super::core::Core;
use super::pool::Pool;
use crate::cell::Style;
use crate::picture::stand_in::{STAND_IN, is_stand_in};
use crate::scrollback::Line;
use crate::width::clusters;

impl Core {
    /// Adds row `y` of the shown screen to the scrollback.
    pub(super) fn store_row(&mut self, y: usize) {
        let meta = self.shown.meta(y);
        let row = self.shown.row(y);
        let next = self
            .shown
            .row(if y + 1 < self.shown.rows { y + 1 } else { y });
        let cells = kept(row, meta.used, meta.wrapped, next.first().copied());
        self.scratch.read(cells, &self.clusters, &self.styles);
        self.store.push_words(
            &self.scratch.text,
            &self.scratch.runs,
            meta.wrapped,
            |word| plain_style(word, &self.styles),
        );
    }

    /// Adds a row of these cells to the scrollback.
    pub(super) fn store_cells(&mut self, cells: &[Cell], wrapped: bool) {
        self.scratch.read(cells, &self.clusters, &self.styles);
        self.store
            .push_words(&self.scratch.text, &self.scratch.runs, wrapped, |word| {
                plain_style(word, &self.styles)
            });
    }

    /// A line of the scrollback as cells.
    pub(super) fn cells_of(&mut self, line: &Line) -> Vec<Cell> {
        let mut out = Vec::new();
        for span in &line.spans {
            let word = self.word_of(&span.style);
            for (text, width) in clusters(&span.text) {
                let wide = width == 2;
                let mut chars = text.chars();
                let cell = match (chars.next(), chars.next()) {
                    (Some(c), None) => Cell::char(c, wide, word),
                    (Some(c), _) => match self.cluster(text) {
                        Some(number) => Cell::cluster(number, wide, word),
                        None => Cell::char(c, wide, word),
                    },
                    (None, _) => continue,
                };
                out.push(cell);
                if wide {
                    out.push(Cell::spacer(word));
                }
            }
        }
        out
    }
}

/// Protection means nothing once a line has left.
fn plain_style(word: u32, styles: &Pool<Style>) -> Style {
    Style {
        protected: false,
        ..cell::style(word, styles)
    }
}

/// Whether two words look the same in the scrollback.
fn same(a: u32, b: u32, styles: &Pool<Style>) -> bool {
    let listed = cell::number(a).is_some() && cell::number(b).is_some();
    a == b || (listed && plain_style(a, styles) == plain_style(b, styles))
}

/// A row as text, with buffers to be used again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// UTF-8.
    text: Vec<u8>,
    /// Bytes and style of each piece.
    runs: Vec<(u32, u32)>,
}

impl Scratch {
    fn read(&mut self, cells: &[Cell], clusters: &Pool<Box<str>>, styles: &Pool<Style>) {
        self.text.clear();
        self.runs.clear();
        let Some(first) = cells.first().map(|cell| cell.style()) else {
            return;
        };
        // One pass the compiler turns into vector code tells what most rows are.
        let base = Cell::blank(first).0;
        let odd = cells.iter().fold(0, |odd, cell| odd | (cell.0 ^ base));
        if Cell(odd).is_byte() {
            self.text.extend(cells.iter().map(Cell::shown_byte));
            if Cell(odd).style() == 0 {
                self.run(self.bytes(), first, styles);
            } else {
                self.styles_of(cells, styles);
            }
            return;
        }
        self.mixed(cells, clusters, styles);
    }

    /// Adds a row that is not all ASCII. The text's memory is there before, so that a cell costs
    /// no look at its size.
    fn mixed(&mut self, cells: &[Cell], clusters: &Pool<Box<str>>, styles: &Pool<Style>) {
        let mut text = std::mem::take(&mut self.text);
        text.resize(cells.len() * 4, 0);
        let mut word = cells.first().map_or(0, |cell| cell.style());
        let (mut at, mut start) = (0, 0);
        for (n, cell) in cells.iter().enumerate() {
            if cell.style() != word {
                self.run(short(at - start), word, styles);
                (word, start) = (cell.style(), at);
            }
            if cell.is_byte() {
                text[at] = cell.shown_byte();
                at += 1;
            } else if let Some(code) = cell.code() {
                at += if code == u32::from(STAND_IN) {
                    text[at] = b' ';
                    1
                } else {
                    spell(code, &mut text[at..])
                };
            } else if let Content::Cluster(number) = cell.content() {
                let cluster = match clusters.get(number) {
                    Some(text) if is_stand_in(text) => b" ",
                    Some(text) => text.as_bytes(),
                    None => b"",
                };
                let end = at + cluster.len();
                let rest = cells.len() - n;
                if text.len() < end + rest * 4 {
                    text.resize(end + rest * 4, 0);
                }
                text[at..end].copy_from_slice(cluster);
                at = end;
            }
        }
        text.truncate(at);
        self.text = text;
        self.run(short(at - start), word, styles);
    }

    fn bytes(&self) -> u32 {
        short(self.text.len())
    }

    /// Adds the pieces of cells of one byte each.
    fn styles_of(&mut self, cells: &[Cell], styles: &Pool<Style>) {
        let mut rest = cells;
        while let Some(first) = rest.first() {
            let word = first.style();
            let end = rest.iter().position(|cell| cell.style() != word);
            let end = end.unwrap_or(rest.len());
            self.run(short(end), word, styles);
            rest = &rest[end..];
        }
    }

    /// Adds a piece in one style.
    #[inline]
    fn run(&mut self, bytes: u32, word: u32, styles: &Pool<Style>) {
        let word = cell::unprotected(word);
        match self.runs.last_mut() {
            Some((len, last)) if same(*last, word, styles) => *len += bytes,
            _ => self.runs.push((bytes, word)),
        }
    }
}

/// The cells of a row that count: without blank ones at its end, unless the text goes on in the
/// next row; a single blank one before a wide character that did not fit never counts.
pub(super) fn kept(row: &[Cell], used: usize, wrapped: bool, next: Option<Cell>) -> &[Cell] {
    let used = used.min(row.len());
    if !wrapped {
        let last = row[..used].iter().rposition(|cell| *cell != Cell::BLANK);
        return &row[..last.map_or(0, |last| last + 1)];
    }
    let gap = row.last().is_some_and(|cell| cell.is_blank()) && next.is_some_and(Cell::is_wide);
    &row[..row.len() - usize::from(gap && row.len() > 1)]
}

/// Writes a character beyond ASCII in UTF-8, with four bytes of room; gives its length.
#[inline]
fn spell(code: u32, out: &mut [u8]) -> usize {
    let part = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
    let Some(out) = out.first_chunk_mut::<4>() else {
        return 0;
    };
    if code < 0x800 {
        *out = [0xc0 | (code >> 6) as u8, part(0), 0, 0];
        2
    } else if code < 0x10000 {
        *out = [0xe0 | (code >> 12) as u8, part(6), part(0), 0];
        3
    } else {
        *out = [0xf0 | (code >> 18) as u8, part(12), part(6), part(0)];
        4
    }
}

/// Bytes of a row, which are few.
fn short(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
