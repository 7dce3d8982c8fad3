//! Erasing, inserting and deleting, within region and margins. What is uncovered takes the pen's
//! background (`bce` in terminfo).

use super::cell::Cell;
use super::core::Core;
use super::screen::split;

impl Core {
    /// EL and DECSEL. `selective`: protected cells stay.
    pub(super) fn erase_line(&mut self, which: u16, selective: bool) {
        let (x, y, cols) = (self.x, self.y, self.cols());
        let (from, to) = match which {
            // Behind the last column there is nothing to erase.
            0 if self.pending => return,
            0 => (x, cols),
            1 => (0, x + 1),
            2 => (0, cols),
            _ => return,
        };
        self.erase(y, from, to, selective);
    }

    /// ED and DECSED.
    pub(super) fn erase_display(&mut self, which: u16, selective: bool) {
        let (y, cols, rows) = (self.y, self.cols(), self.rows());
        let lines = match which {
            0 => {
                self.erase_line(0, selective);
                y + 1..rows
            }
            1 => {
                self.erase_line(1, selective);
                0..y
            }
            2 => 0..rows,
            3 => {
                self.store.clear();
                return;
            }
            _ => return,
        };
        for y in lines {
            self.erase(y, 0, cols, selective);
        }
    }

    /// ECH.
    pub(super) fn erase_cells(&mut self, n: usize) {
        let (x, y) = (self.x, self.y);
        self.erase(y, x, x.saturating_add(n), false);
        self.settle();
    }

    pub(super) fn erase(&mut self, y: usize, from: usize, to: usize, selective: bool) {
        let eraser = self.eraser();
        let to = to.min(self.cols());
        self.pictures_touched(y, from, to);
        if from == 0 {
            self.cut_off(y);
        }
        if !selective {
            self.shown.fill(y, from, to, eraser, self.clock);
            return;
        }
        let mut x = from;
        while x < to {
            let row = &self.shown.row(y)[x..to];
            let protected = |cell: &Cell| self.style(cell.style()).protected;
            let free = row.iter().position(protected).unwrap_or(row.len());
            let kept = row[free..]
                .iter()
                .take_while(|cell| protected(cell))
                .count();
            self.shown.fill(y, x, x + free, eraser, self.clock);
            x += free + kept;
        }
    }

    /// The beginning of row `y` was replaced: the open line of the scrollback does not go on at
    /// the top of the screen any more.
    pub(super) fn cut_off(&mut self, y: usize) {
        if y == 0 && !self.on_alternate {
            self.store.end_row(false);
        }
    }

    /// True if the cursor is where lines and cells may be shifted.
    fn inside(&self) -> bool {
        (self.top..=self.bottom).contains(&self.y) && (self.left..=self.right).contains(&self.x)
    }

    /// IL and DL.
    pub(super) fn shift_lines(&mut self, n: usize, insert: bool) {
        if !self.inside() {
            return;
        }
        let (y, bottom, clock) = (self.y, self.bottom, self.clock);
        let eraser = self.eraser();
        if self.narrowed() {
            self.scroll_columns(y, n, !insert);
        } else {
            self.cut_off(y);
            if insert {
                self.shown.scroll_down(y, bottom, n, eraser, clock);
            } else {
                self.shown.scroll_up(y, bottom, n, eraser, clock);
            }
            self.pictures_scrolled(y, bottom, n, !insert);
        }
        self.x = self.left;
        self.settle();
    }

    /// ICH.
    pub(super) fn insert_cells(&mut self, n: usize) {
        if self.x < self.left || self.x > self.right {
            return;
        }
        let (x, y, right) = (self.x, self.y, self.right);
        self.shift_row(y, x, right, n, true);
        self.settle();
    }

    /// DCH.
    pub(super) fn delete_cells(&mut self, n: usize) {
        if self.x < self.left || self.x > self.right {
            return;
        }
        let (x, y, right) = (self.x, self.y, self.right);
        self.shift_row(y, x, right, n, false);
        self.settle();
    }

    /// Moves columns `from..=last` of a row by `n`, `right` or left, within themselves.
    fn shift_row(&mut self, y: usize, from: usize, last: usize, n: usize, right: bool) {
        let n = n.min(last + 1 - from);
        self.pictures_touched(y, from, last + 1);
        let eraser = self.eraser();
        let cols = self.cols();
        let (cells, meta) = self.shown.change(y, self.clock);
        if meta.wide {
            split(cells, from);
            split(cells, last + 1);
        }
        let keep = last + 1 - from - n;
        if right {
            // A wide cell pushed over the edge goes whole.
            split(cells, from + keep);
            cells.copy_within(from..from + keep, from + n);
            cells[from..from + n].fill(eraser);
        } else {
            split(cells, from + n);
            cells.copy_within(from + n..=last, from);
            cells[last + 1 - n..=last].fill(eraser);
        }
        meta.used = if eraser == Cell::BLANK && !right && last + 1 == cols {
            meta.used.min(last + 1)
        } else {
            meta.used.max(last + 1)
        };
        if last + 1 == cols {
            meta.wrapped = false;
        }
    }

    /// Moves the columns within the margins, from row `first` to the bottom of the region.
    pub(super) fn scroll_columns(&mut self, first: usize, n: usize, up: bool) {
        let (bottom, left, right) = (self.bottom, self.left, self.right);
        (first..=bottom).for_each(|y| self.pictures_touched(y, left, right + 1));
        let n = n.min(bottom + 1 - first);
        let eraser = self.eraser();
        for y in first..=bottom {
            let (cells, meta) = self.shown.change(y, self.clock);
            if meta.wide {
                split(cells, left);
                split(cells, right + 1);
            }
            if right + 1 == self.shown.cols {
                let (_, meta) = self.shown.write(y);
                meta.wrapped = false;
            }
        }
        let moved = bottom + 1 - first - n;
        for step in 0..moved {
            let (source, target) = if up {
                (first + n + step, first + step)
            } else {
                (bottom - n - step, bottom - step)
            };
            self.shown.copy_columns(source, target, left, right);
        }
        let empty = if up {
            bottom + 1 - n..bottom + 1
        } else {
            first..first + n
        };
        for y in empty {
            self.shown.fill(y, left, right + 1, eraser, self.clock);
        }
    }

    /// SL, SR, DECIC, DECDC and the column indexes: moves columns of the whole region.
    pub(super) fn shift_region(&mut self, n: usize, right: bool) {
        let left = self.left;
        self.shift_columns(left, n, right);
    }

    /// Moves the columns from `from` on in every row of the region.
    pub(super) fn shift_columns(&mut self, from: usize, n: usize, right: bool) {
        let last = self.right;
        if from > last {
            return;
        }
        for y in self.top..=self.bottom {
            self.shift_row(y, from, last, n, right);
        }
    }

    /// DECIC and DECDC at the cursor's column.
    pub(super) fn shift_at_cursor(&mut self, n: usize, insert: bool) {
        if self.inside() {
            let x = self.x;
            self.shift_columns(x, n, insert);
        }
    }

    /// DECALN: the screen full of E; region, margins and origin mode off.
    pub(super) fn alignment_test(&mut self) {
        self.modes.origin = false;
        self.reset_margins();
        let (cols, rows) = (self.cols(), self.rows());
        self.cut_off(0);
        for y in 0..rows {
            let cell = Cell::char('E', false, 0);
            self.shown.fill(y, 0, cols, cell, self.clock);
        }
        self.go(0, 0);
    }

    /// Region and margins over the whole screen.
    pub(super) fn reset_margins(&mut self) {
        self.top = 0;
        self.bottom = self.rows() - 1;
        self.left = 0;
        self.right = self.cols() - 1;
    }
}
