//! Rows one below the other: whether the text of one goes on in the next by itself. In: rows; out:
//! what `Painter::row` writes of each.

use super::{Dialect, Painter};
use crate::cell::{CellText, Row};
use crate::snapshot::Screen;
use crate::width::joins;

/// Where the cursor is left behind a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Waits {
    /// Anywhere.
    #[default]
    No,
    /// Behind the last column: what is printed next goes to the next row.
    Behind,
    /// Before the last column: what is wide goes to the next row.
    Before,
}

/// What stands above the next row.
#[derive(Clone, Debug, Default)]
pub(super) struct Above {
    pub(super) waits: Waits,
    /// Its last character.
    last: Option<CellText>,
}

impl Painter {
    /// Draws a screen from row `from` on (those above are drawn) and sets its scroll region; leaves
    /// the cursor anywhere.
    pub(crate) fn screen(&mut self, screen: &Screen, from: u16) {
        self.rows(screen, from);
        self.region(screen.region);
    }

    /// Draws the rows of a screen from `from` on.
    pub(crate) fn rows(&mut self, screen: &Screen, from: u16) {
        let mut above = Above::default();
        let rows = (0..self.size.rows).zip(&screen.rows);
        for (y, row) in rows.skip(usize::from(from)) {
            self.row_below(y, row, &mut above);
        }
    }

    /// Draws a row, behind what stands above it if that waits to go on there.
    pub(super) fn row_below(&mut self, y: u16, row: &Row, above: &mut Above) {
        if !self.goes_on(row, above) {
            above.waits = Waits::No;
        }
        above.waits = self.row(y, row, above.waits != Waits::No);
        let gap = usize::from(above.waits == Waits::Before);
        let mut cells = row.cells.iter().rev().skip(gap);
        let last = cells.find(|cell| cell.width > 0);
        above.last = last.map(|cell| cell.text.clone());
    }

    /// Whether what stands first in a row goes there by itself behind the row above.
    pub(super) fn goes_on(&self, row: &Row, above: &Above) -> bool {
        let first = row.cells.first();
        let start = first.and_then(|cell| cell.text.as_str().chars().next());
        let joined = match (&above.last, start, self.dialect) {
            // Written one behind the other they would become one cell.
            (Some(last), Some(start), Dialect::Real) => joins(last.as_str(), start),
            _ => false,
        };
        match above.waits {
            Waits::No => false,
            Waits::Behind => !joined,
            Waits::Before => !joined && first.is_some_and(|cell| cell.width == 2),
        }
    }
}
