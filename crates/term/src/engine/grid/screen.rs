//! One screen: rows of cells in one piece of memory, reached through a list of slots so that
//! scrolling moves two bytes a row and never a cell. Nothing is allocated after it was made.
//!
//! Each row knows up to which column it may hold anything (behind that all is [`Cell::BLANK`]),
//! whether it may hold wide cells, and whether its text goes on in the next row.

use super::cell::Cell;
use crate::size::Size;
use crate::snapshot::Saved;

/// What a row knows of itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meta {
    /// Cells from here on are blank.
    pub(super) used: usize,
    /// The text goes on in the next row.
    pub(super) wrapped: bool,
    /// There may be wide cells.
    pub(super) wide: bool,
}

/// The screen.
#[derive(Clone, Debug)]
pub(super) struct Screen {
    pub(super) cols: usize,
    pub(super) rows: usize,
    cells: Vec<Cell>,
    /// Slot of each row.
    slots: Vec<u16>,
    /// By slot.
    meta: Vec<Meta>,
    /// When each row last changed, and when all of them did.
    generations: Vec<u64>,
    all: u64,
    /// What DECSC kept.
    pub(super) saved: Option<Saved>,
}

impl Screen {
    /// A blank screen.
    pub(super) fn new(size: Size, clock: u64) -> Self {
        let (cols, rows) = (usize::from(size.cols), usize::from(size.rows));
        Self {
            cols,
            rows,
            cells: vec![Cell::BLANK; cols * rows],
            slots: (0..size.rows).collect(),
            meta: vec![Meta::default(); rows],
            generations: vec![0; rows],
            all: clock,
            saved: None,
        }
    }

    #[inline]
    fn slot(&self, y: usize) -> usize {
        self.slots.get(y).copied().map_or(0, usize::from)
    }

    /// The cells of row `y`.
    #[inline]
    pub(super) fn row(&self, y: usize) -> &[Cell] {
        let start = self.slot(y) * self.cols;
        self.cells.get(start..start + self.cols).unwrap_or_default()
    }

    /// What row `y` knows of itself.
    #[inline]
    pub(super) fn meta(&self, y: usize) -> Meta {
        self.meta.get(self.slot(y)).copied().unwrap_or_default()
    }

    /// Row `y` to be written to; it counts as changed.
    #[inline]
    pub(super) fn change(&mut self, y: usize, clock: u64) -> (&mut [Cell], &mut Meta) {
        self.generations[y] = clock;
        self.write(y)
    }

    /// Row `y` to be written to; whoever does calls [`Self::touch`] if it changed.
    #[inline]
    pub(super) fn write(&mut self, y: usize) -> (&mut [Cell], &mut Meta) {
        let slot = self.slot(y);
        let start = slot * self.cols;
        (
            &mut self.cells[start..start + self.cols],
            &mut self.meta[slot],
        )
    }

    /// Row `y` changed.
    #[inline]
    pub(super) fn touch(&mut self, y: usize, clock: u64) {
        self.generations[y] = clock;
    }

    /// Every row changed.
    pub(super) fn touch_all(&mut self, clock: u64) {
        self.all = clock;
    }

    /// When row `y` last changed.
    pub(super) fn generation(&self, y: usize) -> u64 {
        self.generations.get(y).map_or(0, |&own| own.max(self.all))
    }

    /// Sets whether row `y` goes on in the next.
    pub(super) fn set_wrapped(&mut self, y: usize, wrapped: bool, clock: u64) {
        let slot = self.slot(y);
        if self.meta[slot].wrapped != wrapped {
            self.meta[slot].wrapped = wrapped;
            self.touch(y, clock);
        }
    }

    /// All cells, for collecting what they refer to.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Fills columns `from..to` of row `y`. Wide cells cut by the edges are erased whole; filling
    /// the last column ends a wrap.
    pub(super) fn fill(&mut self, y: usize, from: usize, to: usize, with: Cell, clock: u64) {
        let to = to.min(self.cols);
        if from >= to {
            return;
        }
        let cols = self.cols;
        let (cells, meta) = self.change(y, clock);
        if meta.wide {
            split(cells, from);
            split(cells, to);
        }
        if with == Cell::BLANK {
            let end = to.min(meta.used);
            if from < end {
                cells[from..end].fill(with);
            }
            if to >= meta.used {
                meta.used = meta.used.min(from);
            }
        } else {
            cells[from..to].fill(with);
            meta.used = meta.used.max(to);
        }
        if to == cols {
            meta.wrapped = false;
        }
        meta.wide &= meta.used > 0;
    }

    /// Moves rows `top..=bottom` up by `n`; the rows that come in are filled.
    pub(super) fn scroll_up(
        &mut self,
        top: usize,
        bottom: usize,
        n: usize,
        with: Cell,
        clock: u64,
    ) {
        let n = n.min(bottom + 1 - top);
        self.slots[top..=bottom].rotate_left(n);
        for y in bottom + 1 - n..=bottom {
            self.renew(y, with);
        }
        self.stamp(top, bottom, clock);
    }

    /// Moves rows `top..=bottom` down by `n`; the rows that come in are filled.
    pub(super) fn scroll_down(
        &mut self,
        top: usize,
        bottom: usize,
        n: usize,
        with: Cell,
        clock: u64,
    ) {
        let n = n.min(bottom + 1 - top);
        self.slots[top..=bottom].rotate_right(n);
        for y in top..top + n {
            self.renew(y, with);
        }
        self.stamp(top, bottom, clock);
    }

    fn stamp(&mut self, top: usize, bottom: usize, clock: u64) {
        if top == 0 && bottom + 1 == self.rows {
            self.all = clock;
        } else {
            self.generations[top..=bottom].fill(clock);
        }
    }

    /// A row as new.
    fn renew(&mut self, y: usize, with: Cell) {
        let cols = self.cols;
        let (cells, meta) = self.write(y);
        if with == Cell::BLANK {
            cells[..meta.used].fill(with);
            meta.used = 0;
        } else {
            cells.fill(with);
            meta.used = cols;
        }
        meta.wrapped = false;
        meta.wide = false;
    }

    /// Copies columns of one row to the same columns of another.
    pub(super) fn copy_columns(&mut self, source: usize, target: usize, left: usize, right: usize) {
        let from = self.slot(source) * self.cols;
        let to = self.slot(target) * self.cols;
        self.cells
            .copy_within(from + left..=from + right, to + left);
        let source = self.meta(source);
        let slot = self.slot(target);
        let meta = &mut self.meta[slot];
        meta.used = meta.used.max(right + 1);
        meta.wide |= source.wide;
    }
}

/// Erases a wide cell that the edge before column `at` cuts in two.
pub(super) fn split(cells: &mut [Cell], at: usize) {
    if at == 0 || !cells.get(at).is_some_and(|cell| cell.is_spacer()) {
        return;
    }
    for x in [at - 1, at] {
        cells[x] = Cell::blank(cells[x].style());
    }
}
