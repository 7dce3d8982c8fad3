//! Rectangles (VT420): DECFRA fills one, DECERA and DECSERA erase one, DECCRA copies one, DECCARA
//! and DECRARA change attributes in one, or in the stream of cells between its corners (DECSACE).

use super::cell::Cell;
use super::core::Core;
use super::screen::split;
use crate::cell::{Style, StyleFlags, Underline};
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

    /// DECERA.
    pub(super) fn erase_rectangle(&mut self, params: &Params) {
        let Some(area) = self.rectangle(params, 0) else {
            return;
        };
        for y in area.top..=area.bottom {
            self.erase(y, area.left, area.right + 1, false);
        }
    }

    /// DECSERA: characters go, protected ones stay, and how the cells look stays (VT510, xterm).
    pub(super) fn wipe_rectangle(&mut self, params: &Params) {
        let Some(area) = self.rectangle(params, 0) else {
            return;
        };
        for y in area.top..=area.bottom {
            self.pictures_touched(y, area.left, area.right + 1);
            if area.left == 0 {
                self.cut_off(y);
            }
            let (from, to) = self.whole_cells(y, area.left, area.right + 1);
            for x in from..to {
                let word = self.shown.row(y)[x].style();
                if !self.style(word).protected {
                    let (cells, _) = self.shown.change(y, self.clock);
                    cells[x] = Cell::blank(word);
                }
            }
            if to == self.cols() {
                self.shown.set_wrapped(y, false, self.clock);
            }
        }
    }

    /// DECCARA, and DECRARA with `reverse`.
    pub(super) fn change_rectangle(&mut self, params: &Params, reverse: bool) {
        let Some(area) = self.rectangle(params, 0) else {
            return;
        };
        let change = Change::of(params, reverse);
        let (first, last) = match (self.modes.rectangles, self.modes.origin) {
            (true, _) => (area.left, area.right),
            // A stream goes on in the next row.
            (false, true) => (self.left, self.right),
            (false, false) => (0, self.cols() - 1),
        };
        for y in area.top..=area.bottom {
            let left = if y == area.top { area.left } else { first };
            let right = if y == area.bottom { area.right } else { last };
            let (from, to) = self.whole_cells(y, left, right + 1);
            self.restyle(y, from, to, change);
        }
    }

    /// Changes how cells look, a run of the same style at once.
    fn restyle(&mut self, y: usize, from: usize, to: usize, change: Change) {
        let mut x = from;
        while x < to {
            let row = &self.shown.row(y)[x..to];
            let word = row.first().map_or(0, |cell| cell.style());
            let same = row.iter().take_while(|cell| cell.style() == word).count();
            let style = self.style(word);
            let changed = change.apply(style);
            if changed != style {
                let word = self.word_of(&changed);
                let (cells, meta) = self.shown.change(y, self.clock);
                for cell in &mut cells[x..x + same] {
                    *cell = cell.restyled(word);
                }
                meta.used = meta.used.max(x + same);
            }
            x += same;
        }
    }

    /// Columns `from..to` of a row, and the other half of a wide cell that they cut in two.
    fn whole_cells(&self, y: usize, from: usize, to: usize) -> (usize, usize) {
        let row = self.shown.row(y);
        let spacer = |x: usize| row.get(x).is_some_and(|cell| cell.is_spacer());
        (
            from - usize::from(from > 0 && spacer(from)),
            to + usize::from(spacer(to)),
        )
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

/// What DECCARA and DECRARA do to attributes, all parameters in one: those of `kept` stay, then
/// those of `flipped` are reversed. Colours and the other attributes stay what they are.
#[derive(Clone, Copy, Debug)]
struct Change {
    kept: u16,
    flipped: u16,
}

/// Beside the flags of a style.
const UNDERLINED: u16 = 1 << 8;
/// Bold, underline, blink and inverse: all that there were on a VT420.
const ATTRIBUTES: [(u16, u16); 4] = [
    (1, StyleFlags::BOLD.0 as u16),
    (4, UNDERLINED),
    (5, StyleFlags::BLINK.0 as u16),
    (7, StyleFlags::INVERSE.0 as u16),
];

impl Change {
    /// The parameters behind the rectangle's, in their order; none is 0.
    fn of(params: &Params, reverse: bool) -> Self {
        let all = ATTRIBUTES.iter().fold(0, |all, (_, bit)| all | bit);
        let bit = |number: u16| {
            let found = ATTRIBUTES.iter().find(|(n, _)| *n == number);
            found.map_or(0, |(_, bit)| *bit)
        };
        let mut change = Self {
            kept: u16::MAX,
            flipped: 0,
        };
        for index in 4..params.len().max(5) {
            match (params.get(index), reverse) {
                (0, true) => change.flipped ^= all,
                (number, true) => change.flipped ^= bit(number),
                (0, false) => change.set(all, false),
                (22, false) => change.set(bit(1), false),
                (number @ 24..=27, false) => change.set(bit(number - 20), false),
                (number, false) => change.set(bit(number), true),
            }
        }
        change
    }

    fn set(&mut self, bits: u16, on: bool) {
        self.kept &= !bits;
        self.flipped = if on {
            self.flipped | bits
        } else {
            self.flipped & !bits
        };
    }

    fn apply(self, style: Style) -> Style {
        let underlined = match style.underline {
            Underline::None => 0,
            _ => UNDERLINED,
        };
        let bits = u16::from(style.flags.0) | underlined;
        let [flags, rest] = ((bits & self.kept) ^ self.flipped).to_le_bytes();
        let underline = match (rest != 0, style.underline) {
            (false, _) => Underline::None,
            (true, Underline::None) => Underline::Single,
            (true, shape) => shape,
        };
        Style {
            flags: StyleFlags(flags),
            underline,
            ..style
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
