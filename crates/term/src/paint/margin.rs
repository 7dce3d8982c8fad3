//! Margins of a real terminal as a tool: a wrap that waits in any column, a cluster in a cell too
//! narrow for it. In: cells and places; out: sequences that print against a margin put there for
//! the moment. Promises that it is gone again where the program had none.

use super::Painter;
use crate::cell::{Cell, Row, Style};
use crate::width::cluster_width;

impl Painter {
    /// The column to begin in for [`Self::again`].
    pub(crate) fn begins(x: u16, row: Option<&Row>) -> u16 {
        let cell = row.and_then(|row| row.cells.get(usize::from(x)));
        x.saturating_sub(u16::from(cell.is_some_and(|cell| cell.width == 0)))
    }

    /// Prints what stands in column `x` again, so that the cursor waits to wrap behind it. A blank
    /// cell becomes a space. Needs autowrap, a margin or the edge of the screen there, and the
    /// cursor where it begins.
    pub(crate) fn again(&mut self, x: u16, row: Option<&Row>) {
        let from = Self::begins(x, row);
        let cell = row.and_then(|row| row.cells.get(usize::from(from)));
        let cell = cell.unwrap_or(&Cell::BLANK);
        if cell.text.is_empty() {
            self.pen(cell.style);
            self.out.push(b' ');
        } else {
            self.text(cell, from);
        }
    }

    /// Whether [`Self::again`] can print what stands there: not over the first half of a wide cell,
    /// nor a cluster that would move to the next row.
    pub(crate) fn can_print_again(&self, x: u16, row: Option<&Row>) -> bool {
        let cell = row.and_then(|row| row.cells.get(usize::from(x)));
        cell.is_none_or(|cell| cell.width < 2 && !self.is_squeezed(cell))
    }

    /// The cluster is wider than its cell: its end came at a margin while nothing wrapped.
    pub(super) fn is_squeezed(&self, cell: &Cell) -> bool {
        let text = cell.text.as_str();
        let several = cell.width == 1 && text.chars().nth(1).is_some();
        several && self.size.cols > 1 && cluster_width(text) > 1
    }

    /// Writes such a cell on a row that is blank from there on.
    pub(super) fn squeezed(&mut self, cell: &Cell, x: u16, y: u16) {
        // There is no margin in the first column: it is written in the second and pulled back.
        let at = x.max(1);
        let inside = at + 1 < self.size.cols;
        self.out.extend_from_slice(b"\x1b[?7l");
        self.margin(inside.then_some(at));
        self.goto(at, y);
        self.text(cell, at);
        self.no_margin(inside);
        self.out.extend_from_slice(b"\x1b[?7h");
        if at > x {
            self.pen(Style::default());
            self.goto(x, y);
            self.numbers(&[1], b'P');
        }
    }

    /// A right margin for the moment. Margins must be off, and are off after [`Self::no_margin`].
    pub(crate) fn margin(&mut self, right: Option<u16>) {
        if let Some(right) = right {
            self.out.extend_from_slice(b"\x1b[?69h");
            self.numbers(&[1, right + 1], b's');
        }
    }

    /// It goes again.
    pub(crate) fn no_margin(&mut self, was: bool) {
        if was {
            self.out.extend_from_slice(b"\x1b[?69l");
        }
    }
}
