//! Rectangles (VT420): DECFRA fills one, DECERA and DECSERA erase one, DECCRA copies one.

use super::cell::Cell;
use super::core::Core;
use super::screen::split;
use crate::parser::Params;

/// Rows and columns, both ends inside.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    top: usize,
    left: usize,
    bottom: usize,
    right: usize,
}

impl Core {
    /// The rectangle of four parameters from `at` on; `None` if it is empty. In origin mode it
    /// counts from the region's corner and stays inside.
    fn rectangle(&self, params: &Params, at: usize) -> Option<Rectangle> {
        let (top, left, bottom, right) = if self.modes.origin {
            (self.top, self.left, self.bottom, self.right)
        } else {
            (0, 0, self.rows() - 1, self.cols() - 1)
        };
        let first = |index: usize, from: usize| from + usize::from(params.or(index, 1)) - 1;
        let last = |index: usize, from: usize, most: usize| match params.get(index) {
            0 => most,
            n => (from + usize::from(n) - 1).min(most),
        };
        let all = Rectangle {
            top: first(at, top),
            left: first(at + 1, left),
            bottom: last(at + 2, top, bottom),
            right: last(at + 3, left, right),
        };
        (all.top <= all.bottom && all.left <= all.right).then_some(all)
    }

    /// DECFRA.
    pub(super) fn fill_rectangle(&mut self, params: &Params) {
        let c = u8::try_from(params.get(0)).unwrap_or(0);
        let (Some(area), true) = (self.rectangle(params, 1), (0x20..=0x7e).contains(&c)) else {
            return;
        };
        let cell = Cell::char(char::from(c), false, self.pen_word());
        for y in area.top..=area.bottom {
            self.shown
                .fill(y, area.left, area.right + 1, cell, self.clock);
        }
    }

    /// DECERA and DECSERA.
    pub(super) fn erase_rectangle(&mut self, params: &Params, selective: bool) {
        let Some(area) = self.rectangle(params, 0) else {
            return;
        };
        for y in area.top..=area.bottom {
            self.erase(y, area.left, area.right + 1, selective);
        }
    }

    /// DECCRA; there is one page.
    pub(super) fn copy_rectangle(&mut self, params: &Params) {
        let Some(from) = self.rectangle(params, 0) else {
            return;
        };
        let (top, left) = if self.modes.origin {
            (self.top, self.left)
        } else {
            (0, 0)
        };
        let top = top + usize::from(params.or(5, 1)) - 1;
        let left = left + usize::from(params.or(6, 1)) - 1;
        if top >= self.rows() || left >= self.cols() {
            return;
        }
        let width = (from.right + 1 - from.left).min(self.cols() - left);
        let height = (from.bottom + 1 - from.top).min(self.rows() - top);
        // Source and target may overlap.
        let rows: Vec<Vec<Cell>> = (from.top..from.top + height)
            .map(|y| whole(&self.shown.row(y)[from.left..from.left + width]))
            .collect();
        for (y, row) in (top..).zip(rows) {
            let cols = self.cols();
            let (cells, meta) = self.shown.change(y, self.clock);
            split(cells, left);
            split(cells, left + width);
            cells[left..left + width].copy_from_slice(&row);
            meta.wide |= row.iter().any(|cell| cell.is_wide());
            meta.used = meta.used.max(left + width);
            if left + width == cols {
                meta.wrapped = false;
            }
        }
    }
}

/// Cells without halves of wide ones at the ends.
fn whole(cells: &[Cell]) -> Vec<Cell> {
    let mut cells = cells.to_vec();
    if let Some(first) = cells.first_mut().filter(|cell| cell.is_spacer()) {
        *first = Cell::blank(first.style());
    }
    if let Some(last) = cells.last_mut().filter(|cell| cell.is_wide()) {
        *last = Cell::blank(last.style());
    }
    cells
}
