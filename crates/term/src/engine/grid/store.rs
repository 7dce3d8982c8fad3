//! Rows on their way to the scrollback, and lines of it on their way back when the screen grows.

use super::cell::{self, Cell, Content, Kind};
use super::core::Core;
use super::pool::Pool;
use crate::cell::Style;
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
        let mut rest = cells;
        while let Some(first) = rest.first() {
            let start = self.bytes();
            let word = first.style();
            rest = self.piece(rest, word, clusters);
            self.run(self.bytes() - start, word, styles);
        }
    }

    fn bytes(&self) -> u32 {
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }

    /// Adds the pieces of cells of one byte each.
    fn styles_of(&mut self, cells: &[Cell], styles: &Pool<Style>) {
        let mut rest = cells;
        while let Some(first) = rest.first() {
            let word = first.style();
            let end = rest.iter().position(|cell| cell.style() != word);
            let end = end.unwrap_or(rest.len());
            self.run(u32::try_from(end).unwrap_or(u32::MAX), word, styles);
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

    /// Adds the text of the cells at the front that have this style; gives the rest.
    #[inline]
    fn piece<'a>(&mut self, cells: &'a [Cell], word: u32, clusters: &Pool<Box<str>>) -> &'a [Cell] {
        for (at, cell) in cells.iter().enumerate() {
            if cell.style() != word {
                return &cells[at..];
            }
            match cell.kind() {
                Kind::Blank | Kind::Ascii => self.text.push(cell.shown_byte()),
                Kind::Text => spell(*cell, clusters, &mut self.text),
            }
        }
        &[]
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

/// Adds the text of any cell to `out`.
#[inline]
fn spell(cell: Cell, clusters: &Pool<Box<str>>, out: &mut Vec<u8>) {
    match cell.content() {
        Content::Blank => out.push(b' '),
        Content::Spacer => {}
        Content::Char(c) => {
            // Pieces of a fixed size need no call.
            let mut buffer = [0; 4];
            match *c.encode_utf8(&mut buffer).as_bytes() {
                [a] => out.push(a),
                [a, b] => out.extend_from_slice(&[a, b]),
                [a, b, c] => out.extend_from_slice(&[a, b, c]),
                _ => out.extend_from_slice(&buffer),
            }
        }
        Content::Cluster(number) => {
            let text = clusters.get(number).map_or("", |text| text);
            out.extend_from_slice(text.as_bytes());
        }
    }
}
