//! What a frame looks like before it becomes bytes.
//!
//! In: ratatui widgets and a pane's cells. Out: cells with everything the outer terminal can be
//! told. ratatui's buffer has no underline shapes, underline colours, overlines or links, so those
//! stand beside it. Promises: a wide cell is followed by a spacer (an empty symbol), never by text;
//! a frame that is drawn over an old one is the same as one drawn on nothing, but a row of a pane
//! that is in its place already costs no more than a look.

use crate::links::Links;
use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use std::num::NonZeroU16;
use std::sync::Arc;
use term::{Cell as PaneCell, Colour, Row, Style, StyleFlags, Underline};
use unicode_width::UnicodeWidthStr;

/// What ratatui's cells cannot hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extra {
    /// Shape of the underline.
    pub(crate) underline: Underline,
    /// Its colour; `Default` is the text's.
    pub(crate) underline_colour: Colour,
    /// A line above the text.
    pub(crate) overline: bool,
    /// Hyperlink: a number of [`Canvas::link`], or 0.
    pub(crate) link: u32,
}

/// A frame.
#[derive(Clone, Debug)]
pub(crate) struct Canvas {
    /// Symbols, colours, modifiers.
    buffer: Buffer,
    /// One for each cell of the buffer.
    extras: Vec<Extra>,
    /// What stands behind `OSC 8 ;` for each link of the frame.
    links: Vec<String>,
    lines: Vec<Line>,
}

/// A row of the frame.
#[derive(Clone, Debug, Default)]
struct Line {
    /// It shows this row of a pane and nothing else, from that column on.
    whole: Option<(Arc<Row>, u16)>,
    /// It is as an old frame left it.
    old: bool,
}

impl Line {
    fn shows(&self, row: &Arc<Row>, left: u16) -> bool {
        let whole = self.whole.as_ref();
        whole.is_some_and(|(shown, from)| Arc::ptr_eq(shown, row) && *from == left)
    }
}

impl Canvas {
    /// A blank frame.
    pub(crate) fn new(cols: u16, rows: u16) -> Self {
        let buffer = Buffer::empty(Rect::new(0, 0, cols, rows));
        let extras = vec![Extra::default(); buffer.content.len()];
        Self {
            buffer,
            extras,
            links: Vec::new(),
            lines: vec![Line::default(); usize::from(rows)],
        }
    }

    /// Makes it blank again, with this size. Rows are cleared when they are drawn on, or by
    /// [`Canvas::finish`].
    pub(crate) fn reset(&mut self, cols: u16, rows: u16) {
        if self.area() != Rect::new(0, 0, cols, rows) {
            *self = Self::new(cols, rows);
            return;
        }
        self.links.clear();
        for line in &mut self.lines {
            line.old = true;
        }
    }

    /// Clears what an old frame left and nothing was drawn on.
    pub(crate) fn finish(&mut self) {
        for y in 0..self.area().height {
            if self.lines[usize::from(y)].old {
                self.touch(y);
            }
        }
    }

    /// Makes the row ready to be drawn on.
    fn touch(&mut self, y: u16) {
        let Some(line) = self.lines.get_mut(usize::from(y)) else {
            return;
        };
        line.whole = None;
        if std::mem::take(&mut line.old) {
            let cols = usize::from(self.area().width);
            let cells = usize::from(y) * cols..(usize::from(y) + 1) * cols;
            self.buffer.content[cells.clone()]
                .iter_mut()
                .for_each(Cell::reset);
            self.extras[cells].fill(Extra::default());
        }
    }

    /// Where widgets draw; nothing of theirs may reach beyond `area`.
    pub(crate) fn part(&mut self, area: Rect) -> &mut Buffer {
        let area = area.intersection(self.area());
        if area.is_empty() {
            return &mut self.buffer;
        }
        for y in area.y..area.bottom() {
            self.touch(y);
            let start = self.buffer.index_of(area.x, y);
            self.extras[start..start + usize::from(area.width)].fill(Extra::default());
        }
        &mut self.buffer
    }

    /// Symbols, colours, modifiers.
    pub(crate) const fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Whether row `y` is known to be the same in another frame.
    pub(crate) fn same_row<'a>(&'a self, other: &'a Self, y: u16) -> bool {
        let line = |canvas: &'a Self| canvas.lines.get(usize::from(y))?.whole.as_ref();
        match (line(self), line(other)) {
            (Some((row, left)), Some((other, from))) => Arc::ptr_eq(row, other) && left == from,
            _ => false,
        }
    }

    /// Both frames show the same.
    #[cfg(test)]
    pub(crate) fn assert_same(&self, other: &Self) {
        assert_eq!(self.buffer, other.buffer);
        let cells = 0..self.extras.len();
        let differ: Vec<usize> = cells.filter(|at| !self.same_extra(other, *at)).collect();
        assert_eq!(differ, [0; 0], "cells whose styles differ");
    }

    /// The whole frame.
    pub(crate) const fn area(&self) -> Rect {
        self.buffer.area
    }

    /// What stands beside the cell at `index`, counted row by row.
    pub(crate) fn extra(&self, index: usize) -> Extra {
        self.extras.get(index).copied().unwrap_or_default()
    }

    /// What stands behind `OSC 8 ;` for a link of a cell.
    pub(crate) fn link(&self, number: u32) -> Option<&str> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        self.links.get(index).map(String::as_str)
    }

    /// Whether what stands beside the cell at `index` is the same in another frame.
    pub(crate) fn same_extra(&self, other: &Self, index: usize) -> bool {
        let (ours, theirs) = (self.extra(index), other.extra(index));
        if ours.link == 0 && theirs.link == 0 {
            return ours == theirs;
        }
        // Numbers are each frame's own.
        let unlinked = |extra| Extra { link: 0, ..extra };
        unlinked(ours) == unlinked(theirs) && self.link(ours.link) == other.link(theirs.link)
    }

    /// Draws a row of a pane from column `left` on at `(x, y)`, `width` columns of it. A wide cell
    /// that does not fit becomes a blank.
    pub(crate) fn put_row(
        &mut self,
        (x, y): (u16, u16),
        width: u16,
        (row, left): (&Arc<Row>, u16),
        links: &mut Links<'_>,
    ) {
        let cells = row.cells.get(usize::from(left)..).unwrap_or_default();
        let cols = self.area().width;
        let whole = x == 0 && width >= cols && cells.len() >= usize::from(cols);
        if let Some(line) = self.lines.get_mut(usize::from(y))
            && whole
            && line.old
            && line.shows(row, left)
        {
            line.old = false;
            return;
        }
        self.put_cells((x, y), width, cells, links);
        let linked = || cells.iter().any(|cell| cell.style.link.is_some());
        // Numbers of links are this frame's own.
        if whole
            && !linked()
            && let Some(line) = self.lines.get_mut(usize::from(y))
        {
            line.whole = Some((Arc::clone(row), left));
        }
    }

    /// As [`Canvas::put_row`], for cells that are no row of a pane.
    pub(crate) fn put_cells(
        &mut self,
        (x, y): (u16, u16),
        width: u16,
        cells: &[PaneCell],
        links: &mut Links<'_>,
    ) {
        let area = self.area();
        if y >= area.bottom() {
            return;
        }
        self.touch(y);
        let width = width.min(area.right().saturating_sub(x));
        for (column, cell) in (0..width).zip(cells) {
            let fits = cell.width < 2 || column + 1 < width;
            let link = cell.style.link;
            let link = link.map_or(0, |id| links.number(id, &mut self.links));
            self.put(x + column, y, cell, fits, link);
        }
    }

    fn put(&mut self, x: u16, y: u16, cell: &PaneCell, fits: bool, link: u32) {
        let index = self.buffer.index_of(x, y);
        let target = &mut self.buffer.content[index];
        target.reset();
        match (cell.width, cell.text.as_str()) {
            (0, _) => {
                target.set_symbol("");
            }
            (_, "") => {}
            (2, text) if fits => {
                target.set_symbol(text);
                if let Some(two) = NonZeroU16::new(2) {
                    target.set_diff_option(CellDiffOption::ForcedWidth(two));
                }
            }
            (1, text) => {
                target.set_symbol(text);
                if !text.is_ascii() {
                    target.set_diff_option(CellDiffOption::ForcedWidth(NonZeroU16::MIN));
                }
            }
            _ => {}
        }
        target.fg = colour(cell.style.fg);
        target.bg = colour(cell.style.bg);
        target.modifier = modifiers(&cell.style);
        self.extras[index] = Extra {
            underline: cell.style.underline,
            underline_colour: cell.style.underline_colour,
            overline: cell.style.flags.contains(StyleFlags::OVERLINE),
            link,
        };
    }
}

/// Columns a cell of a frame takes; 0 for a spacer.
pub(crate) fn width(cell: &Cell) -> u16 {
    if cell.symbol().len() == 1 {
        // No control character gets this far.
        return 1;
    }
    match cell.diff_option {
        CellDiffOption::ForcedWidth(width) => width.get(),
        CellDiffOption::None | CellDiffOption::Skip | CellDiffOption::AlwaysUpdate => {
            u16::try_from(cell.symbol().width()).unwrap_or(1).min(2)
        }
    }
}

fn colour(colour: Colour) -> Color {
    match colour {
        Colour::Default => Color::Reset,
        Colour::Indexed(n) => Color::Indexed(n),
        Colour::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}

fn modifiers(style: &Style) -> Modifier {
    let table = [
        (StyleFlags::BOLD, Modifier::BOLD),
        (StyleFlags::DIM, Modifier::DIM),
        (StyleFlags::ITALIC, Modifier::ITALIC),
        (StyleFlags::BLINK, Modifier::SLOW_BLINK),
        (StyleFlags::INVERSE, Modifier::REVERSED),
        (StyleFlags::HIDDEN, Modifier::HIDDEN),
        (StyleFlags::STRIKE, Modifier::CROSSED_OUT),
    ];
    let mut out = Modifier::empty();
    for (flag, modifier) in table {
        if style.flags.contains(flag) {
            out |= modifier;
        }
    }
    if style.underline != Underline::None {
        out |= Modifier::UNDERLINED;
    }
    out
}
