//! One logical line, written piece by piece and read as spans.

use std::ops::Range;

use crate::cell::{Cell, Row, Style};
use crate::width::clusters;

/// A piece of a line in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its text, never empty.
    pub text: String,
    /// How it looks.
    pub style: Style,
}

/// One logical line: what stood between two line breaks, however often the
/// screen wrapped it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The text in pieces.
    pub spans: Vec<Span>,
    /// It goes on: in the next line (cut at the length limit), or on the screen.
    pub continued: bool,
}

impl Line {
    /// The text without styles.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// The line wrapped to rows of `cols` columns; at least one row.
    #[must_use]
    pub fn rows(&self, cols: u16) -> Vec<Row> {
        let cols = usize::from(cols.max(1));
        let mut rows = vec![Row::default()];
        for span in &self.spans {
            for (text, width) in clusters(&span.text) {
                let width = usize::from(width).clamp(1, 2).min(cols);
                push_cell(&mut rows, cols, text, width, span.style);
            }
        }
        if let Some(last) = rows.last_mut() {
            last.cells.resize(cols, Cell::BLANK);
            last.wrapped = self.continued;
        }
        rows
    }
}

fn push_cell(rows: &mut Vec<Row>, cols: usize, text: &str, width: usize, style: Style) {
    let full = rows.last().is_none_or(|row| row.cells.len() + width > cols);
    if full {
        if let Some(row) = rows.last_mut() {
            row.cells.resize(cols, Cell::BLANK);
            row.wrapped = true;
        }
        rows.push(Row::default());
    }
    let Some(row) = rows.last_mut() else { return };
    let mut cell = Cell::narrow(text, style);
    if width == 2 {
        cell.width = 2;
        row.cells.push(cell);
        cell = Cell {
            width: 0,
            style,
            ..Cell::BLANK
        };
    }
    row.cells.push(cell);
}

/// From line `index` of some lines on, ids count from `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Place among the lines, from 0.
    pub index: usize,
    /// That line's id.
    pub id: u64,
}

/// Some lines that follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Id of the first line; without lines, of the next there will be.
    pub first: u64,
    /// The lines, oldest first.
    pub lines: Vec<Line>,
    /// Where ids do not go on by one.
    pub jumps: Vec<Jump>,
    /// Ids of the oldest line there is and behind the newest, whether or not they are in here.
    pub held: Range<u64>,
    /// Hyperlinks by a style's `link`: each what stands behind `OSC 8 ;`.
    pub links: Vec<String>,
}

impl Page {
    /// The id of line `index`.
    #[must_use]
    pub fn id(&self, index: usize) -> u64 {
        let jump = self.jumps.iter().rev().find(|jump| jump.index <= index);
        let jump = jump.copied().unwrap_or(Jump {
            index: 0,
            id: self.first,
        });
        jump.id + (index - jump.index) as u64
    }

    /// The id behind the last line.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.id(self.lines.len())
    }

    pub(super) fn add(&mut self, id: u64, line: Line) {
        if self.lines.is_empty() {
            self.first = id;
        } else if self.end() != id {
            let index = self.lines.len();
            self.jumps.push(Jump { index, id });
        }
        self.lines.push(line);
    }
}

/// A line being written: text and runs of styles.
#[derive(Clone, Debug, Default)]
pub struct RowWriter {
    text: String,
    /// Bytes of text and their style; neighbours differ.
    runs: Vec<(usize, Style)>,
}

impl RowWriter {
    /// Appends text in one style.
    pub fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        match self.runs.last_mut() {
            Some((len, last)) if *last == style => *len += text.len(),
            _ => self.runs.push((text.len(), style)),
        }
    }

    /// Appends text to the last run; something was pushed before.
    #[inline]
    pub fn extend(&mut self, text: &str) {
        self.text.push_str(text);
        if let Some((len, _)) = self.runs.last_mut() {
            *len += text.len();
        }
    }

    /// Bytes of text so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn runs(&self) -> &[(usize, Style)] {
        &self.runs
    }

    /// The text in pieces of one style.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (&str, Style)> {
        let mut rest = self.text.as_str();
        self.runs.iter().filter_map(move |&(len, style)| {
            let (text, tail) = rest.split_at_checked(len)?;
            rest = tail;
            Some((text, style))
        })
    }

    /// The same with each `from` replaced.
    pub(crate) fn replaced(&self, from: char, to: &str) -> Self {
        let mut out = Self::default();
        for (text, style) in self.pieces() {
            out.push(&text.replace(from, to), style);
        }
        out
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.runs.clear();
        // A giant line must not keep its room for ever.
        self.text.shrink_to(4096);
        self.runs.shrink_to(512);
    }

    pub(super) fn line(&self, continued: bool) -> Line {
        let spans = self.pieces().map(|(text, style)| Span {
            text: text.to_owned(),
            style,
        });
        Line {
            spans: spans.collect(),
            continued,
        }
    }
}
