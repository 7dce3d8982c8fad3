//! Text. A run of ASCII is written to its row in one pass; everything else goes one character at
//! a time, and a character that continues the cluster before it joins that cell.

use super::cell::Cell;
use super::core::Core;
use super::screen::split;
use crate::snapshot::{Charset, Joins};
use crate::width::{char_width, cluster_width, joins};

/// Most bytes of a cluster; further marks are dropped.
const CLUSTER: usize = 64;

impl Core {
    /// A run of printable ASCII.
    #[inline]
    pub(super) fn print_ascii(&mut self, run: &[u8]) {
        let mapped = self.charsets.single != 0 || self.charsets.active() != Charset::Ascii;
        if mapped || self.modes.insert || !self.modes.autowrap || self.narrowed() {
            self.print_bytes(run, mapped);
        } else {
            self.print_run(run);
        }
    }

    /// ASCII one by one.
    #[cold]
    #[inline(never)]
    fn print_bytes(&mut self, run: &[u8], mapped: bool) {
        for &byte in run {
            let c = if mapped {
                self.mapped(byte)
            } else {
                char::from(byte)
            };
            self.put(c, 1);
        }
        self.clustered = true;
    }

    /// ASCII in whole rows.
    #[inline]
    fn print_run(&mut self, run: &[u8]) {
        self.last_char = run.last().map(|&byte| char::from(byte));
        self.joins = Joins::Behind;
        self.clustered = false;
        let word = self.pen_word();
        let mut run = run;
        while !run.is_empty() {
            if self.pending {
                self.wrap();
            }
            let room = (self.cols() - self.x).min(run.len());
            let (now, rest) = run.split_at(room);
            self.write_ascii(now, word);
            run = rest;
        }
    }

    /// Writes bytes that fit into the row.
    #[inline]
    fn write_ascii(&mut self, bytes: &[u8], word: u32) {
        let (from, to) = (self.x, self.x + bytes.len());
        let cols = self.cols();
        let (cells, meta) = self.shown.write(self.y);
        if meta.wide {
            split(cells, from);
            split(cells, to);
        }
        let base = Cell::blank(word).0;
        let mut changed = 0;
        for (cell, &byte) in cells[from..to].iter_mut().zip(bytes) {
            let new = base | u64::from(byte);
            changed |= cell.0 ^ new;
            cell.0 = new;
        }
        meta.used = meta.used.max(to);
        let unwrapped = to == cols && std::mem::take(&mut meta.wrapped);
        if changed != 0 || unwrapped {
            self.shown.touch(self.y, self.clock);
        }
        self.pending = to == cols;
        self.x = to.min(cols - 1);
    }

    /// A byte in the character set in force; a single shift is used up.
    fn mapped(&mut self, byte: u8) -> char {
        let set = match std::mem::take(&mut self.charsets.single) {
            0 => self.charsets.active(),
            n => self
                .charsets
                .sets
                .get(usize::from(n))
                .copied()
                .unwrap_or_default(),
        };
        set.char(byte, self.modes.national)
    }

    /// A character outside ASCII.
    #[inline]
    pub(super) fn print(&mut self, c: char) {
        self.charsets.single = 0;
        let (width, plain) = self.known.of(c);
        let alone = self.joins == Joins::No || (plain && !self.clustered);
        if !(alone && width > 0) && self.join(c, width) {
            self.clustered = true;
            return;
        }
        if width > 0 {
            self.put(c, usize::from(width));
            self.clustered = !plain;
        }
    }

    /// Where the next character goes if it is `width` wide: wraps if need be.
    fn make_room(&mut self, width: usize) {
        if self.pending {
            self.pending = false;
            if self.modes.autowrap {
                self.wrap();
            }
        }
        let limit = self.right_limit();
        if self.x + width > limit + 1 {
            let start = self.left_limit();
            if self.modes.autowrap && limit + 1 >= start + width {
                // The column that is too narrow shows nothing.
                let eraser = Cell::BLANK;
                self.shown
                    .fill(self.y, self.x, limit + 1, eraser, self.clock);
                self.wrap();
            } else {
                self.x = (limit + 1).saturating_sub(width);
            }
        }
        if self.modes.insert {
            self.insert_cells(width);
        }
    }

    /// Prints a character of one or two columns; the caller knows whether it may join the next.
    #[inline]
    fn put(&mut self, c: char, width: usize) {
        // A screen of one column shows half of it.
        let width = width.min(self.cols());
        self.last_char = Some(c);
        let word = self.pen_word();
        let plain = !(self.pending || self.modes.insert || self.narrowed());
        if plain && self.x + width < self.cols() {
            self.set_cell(self.x, self.y, Cell::char(c, width == 2, word), width);
            self.x += width;
            self.joins = Joins::Behind;
            return;
        }
        self.make_room(width);
        self.place(Cell::char(c, width == 2, word), width);
    }

    /// Writes a cell and its spacer and moves behind it.
    fn place(&mut self, cell: Cell, width: usize) {
        let (x, y, limit) = (self.x, self.y, self.right_limit());
        self.set_cell(x, y, cell, width);
        let behind = x + width;
        self.go_behind(behind, limit);
    }

    /// The cursor goes behind what was printed, as far as it can.
    fn go_behind(&mut self, x: usize, limit: usize) {
        let stuck = x > limit && !self.modes.autowrap;
        self.pending = x > limit && !stuck;
        self.joins = if stuck { Joins::On } else { Joins::Behind };
        self.x = x.min(limit);
    }

    #[inline]
    fn set_cell(&mut self, x: usize, y: usize, cell: Cell, width: usize) {
        let cols = self.cols();
        let end = (x + width).min(cols);
        let (cells, meta) = self.shown.write(y);
        if meta.wide {
            split(cells, x);
            split(cells, end);
        }
        let mut changed = cells[x] != cell;
        cells[x] = cell;
        if width == 2 && x + 1 < cols {
            let spacer = Cell::spacer(cell.style());
            changed |= cells[x + 1] != spacer;
            cells[x + 1] = spacer;
            meta.wide = true;
        }
        meta.used = meta.used.max(end);
        let unwrapped = end == cols && std::mem::take(&mut meta.wrapped);
        if changed || unwrapped {
            self.shown.touch(y, self.clock);
        }
    }

    /// Goes on in the next row.
    pub(super) fn wrap(&mut self) {
        let (row, start) = (self.y, self.left_limit());
        self.pending = false;
        // Text in a column of its own is no line of the screen.
        let soft = !self.narrowed() && (row == self.bottom || row + 1 < self.rows());
        if soft {
            self.shown.set_wrapped(row, true, self.clock);
        }
        self.index();
        self.x = start;
    }

    /// The cell the cursor stands behind: its column.
    fn before(&self) -> Option<usize> {
        let x = if self.pending || self.joins == Joins::On {
            self.x
        } else {
            self.x.checked_sub(1)?
        };
        let spacer = self.shown.row(self.y).get(x)?.is_spacer();
        if spacer { x.checked_sub(1) } else { Some(x) }
    }

    /// Adds `c` to the cluster before it; false if it begins one of its own.
    fn join(&mut self, c: char, width: u8) -> bool {
        let Some(x) = self.before() else {
            return width == 0;
        };
        let cell = self.shown.row(self.y)[x];
        let mut buffer = [0; 4];
        let before = match self.text(cell, &mut buffer) {
            "" if width > 0 => return false,
            "" => " ",
            before if width > 0 && !joins(before, c) => return false,
            before => before,
        };
        let mut text = String::with_capacity(CLUSTER);
        text.push_str(before);
        text.push(c);
        if text.len() <= CLUSTER {
            self.rejoin(x, cell, &text);
        }
        // A character that may stand alone can be repeated.
        if width > 0 {
            self.last_char = Some(c);
        }
        true
    }

    /// Puts the longer cluster where `cell` was; it may have become wide.
    fn rejoin(&mut self, x: usize, cell: Cell, text: &str) {
        let Some(number) = self.cluster(text) else {
            return;
        };
        let was = if cell.is_wide() { 2 } else { 1 };
        let width = usize::from(cluster_width(text))
            .clamp(was, 2)
            .min(self.cols());
        if width == was {
            let new = Cell::cluster(number, width == 2, cell.style());
            self.replace(x, new);
            return;
        }
        let (behind, limit) = (self.joins != Joins::No, self.right_limit());
        let new = Cell::cluster(number, true, cell.style());
        if x < limit {
            self.set_cell(x, self.y, new, 2);
            if behind {
                self.go_behind(x + 2, limit);
            }
        } else if behind && self.modes.autowrap && limit > self.left_limit() {
            // No room for its second half: it moves to the next row.
            self.shown.fill(self.y, x, x + 1, Cell::BLANK, self.clock);
            self.wrap();
            self.place(new, 2);
        } else {
            self.replace(x, Cell::cluster(number, false, cell.style()));
        }
    }

    /// Another cell of the same width in the cursor's row.
    fn replace(&mut self, x: usize, cell: Cell) {
        let (cells, meta) = self.shown.change(self.y, self.clock);
        cells[x] = cell;
        meta.used = meta.used.max(x + 1);
    }

    /// REP: the last character again. More than a screenful shows nothing new, and nine bytes
    /// must not cost 65,535 prints.
    pub(super) fn repeat(&mut self, count: usize) {
        let Some(c) = self.last_char else { return };
        let count = count.min(self.cols() * self.rows());
        self.joins = Joins::No;
        if c.is_ascii() && self.charsets.single == 0 && self.charsets.active() == Charset::Ascii {
            let byte = u8::try_from(c).unwrap_or(b' ');
            let run = [byte; 256];
            let mut left = count;
            while left > 0 {
                let now = left.min(run.len());
                self.print_ascii(&run[..now]);
                left -= now;
            }
            return;
        }
        let width = usize::from(char_width(c)).max(1);
        for _ in 0..count {
            self.put(c, width);
        }
        self.clustered = true;
    }
}
