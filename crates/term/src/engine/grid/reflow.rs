//! Another size. The main screen's text is taken apart into lines and wrapped anew; what does not
//! fit goes to the scrollback, and lines come back from it to fill a larger screen. The alternate
//! screen is cropped, since its program draws it anew.
//!
//! Blank rows below text and cursor are used up before anything leaves at the top.

use super::cell::{Cell, Content};
use super::core::Core;
use super::crop::crop;
use super::screen::Screen;
use super::store::kept;
use crate::size::Size;
use crate::snapshot::{Joins, Saved};
use crate::width::char_width;

/// A place on the screen that moves with the text. `pending`: behind column `x`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) pending: bool,
}

/// A line of text, unwrapped.
#[derive(Debug, Default)]
struct Text {
    cells: Vec<Cell>,
    /// Goes on in the next line all the same (it was cut for its length).
    continued: bool,
}

/// A row of a wrapped line: cells `from..to` of line `line`.
#[derive(Clone, Copy, Debug)]
struct Piece {
    line: usize,
    from: usize,
    to: usize,
    wrapped: bool,
}

/// The text of the main screen on its way to another width.
#[derive(Debug)]
struct Flow {
    lines: Vec<Text>,
    /// Where each old row stands in the lines.
    starts: Vec<Piece>,
    /// The new rows.
    pieces: Vec<Piece>,
    /// The new width.
    cols: usize,
    /// The old screen had one column.
    narrow: bool,
}

impl Flow {
    /// Wraps all lines anew.
    fn wrap(&mut self) {
        self.pieces.clear();
        for (number, line) in self.lines.iter().enumerate() {
            wrap_line(number, line, self.cols, &mut self.pieces);
        }
    }

    /// Where a point of the old screen is among the new rows (`y` counts from the first of them).
    fn place(&self, point: Point) -> Point {
        let Some(&row) = self.starts.get(point.y) else {
            // Below all text: as far below it as before.
            return Point {
                x: point.x.min(self.cols - 1),
                y: self.pieces.len() + point.y - self.starts.len(),
                pending: false,
            };
        };
        let offset = match point.pending {
            // Rows of one column may hold wide cells, which count twice in the line.
            true if self.narrow => row.to,
            pending => row.from + point.x + usize::from(pending),
        };
        let mut found = Point::default();
        for (y, piece) in self.pieces.iter().enumerate() {
            if piece.line == row.line && piece.from <= offset {
                let x = offset - piece.from;
                found = Point {
                    x: x.min(self.cols - 1),
                    y,
                    pending: x >= self.cols && offset == piece.to,
                };
            }
        }
        found
    }
}

impl Core {
    /// Changes the size of both screens.
    pub(super) fn resize(&mut self, size: Size) {
        let old = self.size();
        if size == old {
            return;
        }
        self.joins = Joins::No;
        self.gallery.clear();
        let cursor = Point {
            x: self.x,
            y: self.y,
            pending: self.pending,
        };
        let blank = Screen::new(size, self.clock);
        let shown = std::mem::replace(&mut self.shown, blank);
        let hidden = self.hidden.take();
        let (main, alternate) = match (shown, hidden) {
            (alternate, Some(main)) if self.on_alternate => (main, Some(alternate)),
            (main, alternate) => (main, alternate),
        };
        let (main, at) = self.reflow(&main, size, cursor);
        let alternate = alternate.map(|screen| crop(&screen, size, cursor, self.clock));
        let (shown, hidden, cursor) = match alternate {
            Some((alternate, at)) if self.on_alternate => (alternate, Some(main), at),
            alternate => (main, alternate.map(|(screen, _)| screen), at),
        };
        self.shown = shown;
        self.hidden = hidden;
        self.reset_margins();
        self.go(cursor.x, cursor.y);
        self.pending = cursor.pending;
        self.resize_tabs(old.cols, size.cols);
    }

    /// Keeps the stops that still fit and puts the usual ones into new columns.
    fn resize_tabs(&mut self, old: u16, cols: u16) {
        if let Some(tabs) = &mut self.tabs {
            tabs.retain(|&x| x < cols);
            tabs.extend((old..cols).filter(|x| x % 8 == 0));
        }
    }

    /// The main screen in another size, and where the cursor is then. While the alternate screen
    /// is shown the main screen's own cursor is the saved one.
    fn reflow(&mut self, main: &Screen, size: Size, cursor: Point) -> (Screen, Point) {
        let kept_in_view = match &main.saved {
            Some(saved) if self.on_alternate => saved_point(saved),
            None if self.on_alternate => Point::default(),
            _ => cursor,
        };
        let last = (0..main.rows)
            .rev()
            .find(|&y| main.meta(y).used > 0 && main.row(y).iter().any(|c| *c != Cell::BLANK));
        let last = last.unwrap_or(0).max(kept_in_view.y);
        let (lines, starts) = unwrapped(main, last);
        let mut text = Flow {
            lines,
            starts,
            pieces: Vec::new(),
            cols: usize::from(size.cols),
            narrow: main.cols == 1,
        };
        let rows = usize::from(size.rows);
        let top = self.fill_up(&mut text, rows, main.rows - 1 - last);
        // The cursor stays on the screen.
        let view = text.place(kept_in_view);
        let top = top.min(view.y).max((view.y + 1).saturating_sub(rows));
        self.give_back(&text, top);
        let mut screen = self.assembled(&text.lines, &text.pieces[top..], size);
        let moved = |point: Point| {
            let at = text.place(point);
            Point {
                y: at.y.saturating_sub(top).min(rows - 1),
                ..at
            }
        };
        screen.saved = main.saved.map(|mut saved| {
            let at = moved(saved_point(&saved));
            saved.x = u16::try_from(at.x).unwrap_or(0);
            saved.y = u16::try_from(at.y).unwrap_or(0);
            saved.pending_wrap = at.pending;
            saved
        });
        (screen, moved(cursor))
    }

    /// Wraps the text, with lines from the scrollback if it does not fill `rows` rows, `blanks`
    /// blank ones below it counted. Gives which row is the first on the screen.
    fn fill_up(&mut self, text: &mut Flow, rows: usize, blanks: usize) -> usize {
        let before = self.take_open(text);
        text.wrap();
        let left = |piece: &&Piece| piece.line == 0 && piece.to <= before && before > 0;
        let top = text.pieces.iter().filter(left).count();
        let shown = text.pieces.len() - top;
        if shown > rows {
            return top + shown - rows;
        }
        let blanks = blanks.min(rows - shown);
        let wanted = rows - shown - blanks;
        let missing = wanted - wanted.min(top);
        let pulled = self.pull(&mut text.lines, text.cols, missing);
        if pulled == 0 {
            return top - wanted.min(top);
        }
        text.starts.iter_mut().for_each(|row| row.line += pulled);
        let without = text.pieces.len();
        text.wrap();
        (text.pieces.len() - without).saturating_sub(missing)
    }

    /// Puts what of the first line has left already back before it; gives how many cells.
    fn take_open(&mut self, text: &mut Flow) -> usize {
        if !self.store.range().open {
            return 0;
        }
        let Some(open) = self.store.pop() else {
            return 0;
        };
        let mut cells = self.cells_of(&open);
        let before = cells.len();
        if let Some(first) = text.lines.first_mut() {
            cells.append(&mut first.cells);
            first.cells = cells;
        }
        for row in text.starts.iter_mut().filter(|row| row.line == 0) {
            row.from += before;
            row.to += before;
        }
        before
    }

    /// Takes lines out of the scrollback until they fill `rows` rows; gives how many lines.
    fn pull(&mut self, lines: &mut Vec<Text>, cols: usize, rows: usize) -> usize {
        let mut pulled = Vec::new();
        let mut filled = 0;
        while filled < rows {
            let Some(line) = self.store.pop() else { break };
            let text = Text {
                cells: self.cells_of(&line),
                continued: line.continued,
            };
            let mut pieces = Vec::new();
            wrap_line(0, &text, cols, &mut pieces);
            filled += pieces.len();
            pulled.push(text);
        }
        let count = pulled.len();
        pulled.reverse();
        lines.splice(0..0, pulled);
        count
    }

    /// The first `count` rows go to the scrollback.
    fn give_back(&mut self, text: &Flow, count: usize) {
        let size = Size::new(u16::try_from(text.cols).unwrap_or(u16::MAX), 1);
        for at in 0..count {
            let row = self.assembled(&text.lines, &text.pieces[at..=at], size);
            let next = text.pieces.get(at + 1);
            let next = next.and_then(|p| text.lines.get(p.line)?.cells.get(p.from).copied());
            let meta = row.meta(0);
            let cells = kept(row.row(0), meta.used, meta.wrapped, next);
            self.store_cells(cells, meta.wrapped);
        }
    }

    /// A screen of these rows.
    fn assembled(&self, lines: &[Text], pieces: &[Piece], size: Size) -> Screen {
        let mut screen = Screen::new(size, self.clock);
        for (y, piece) in pieces.iter().take(screen.rows).enumerate() {
            let Some(line) = lines.get(piece.line) else {
                continue;
            };
            let (cells, meta) = screen.write(y);
            for (to, from) in cells.iter_mut().zip(&line.cells[piece.from..piece.to]) {
                *to = *from;
                meta.wide |= from.is_wide();
            }
            if let [only] = cells
                && only.is_wide()
            {
                // One column shows half of it.
                *only = narrowed(*only);
                meta.wide = false;
            }
            meta.used = (piece.to - piece.from).min(cells.len());
            meta.wrapped = piece.wrapped;
        }
        screen
    }
}

fn saved_point(saved: &Saved) -> Point {
    Point {
        x: usize::from(saved.x),
        y: usize::from(saved.y),
        pending: saved.pending_wrap,
    }
}

/// Rows up to `last` as lines, and for each row where it stands in them.
fn unwrapped(main: &Screen, last: usize) -> (Vec<Text>, Vec<Piece>) {
    let mut lines = vec![Text::default()];
    let mut starts = Vec::new();
    for y in 0..=last {
        let meta = main.meta(y);
        let wrapped = meta.wrapped && y < last;
        let number = lines.len() - 1;
        if let Some(line) = lines.last_mut() {
            let from = line.cells.len();
            let next = (y < last).then(|| main.row(y + 1)[0]);
            let cells = kept(main.row(y), meta.used, wrapped, next);
            if main.cols == 1 {
                cells.iter().for_each(|cell| widen(*cell, &mut line.cells));
            } else {
                line.cells.extend_from_slice(cells);
            }
            line.continued = meta.wrapped && y == last;
            starts.push(Piece {
                line: number,
                from,
                to: line.cells.len(),
                wrapped,
            });
        }
        if !wrapped && y < last {
            lines.push(Text::default());
        }
    }
    (lines, starts)
}

/// A wide character a screen of one column showed half of is whole again.
fn widen(cell: Cell, out: &mut Vec<Cell>) {
    match cell.content() {
        Content::Char(c) if char_width(c) == 2 => {
            out.push(Cell::char(c, true, cell.style()));
            out.push(Cell::spacer(cell.style()));
        }
        _ => out.push(cell),
    }
}

fn narrowed(cell: Cell) -> Cell {
    match cell.content() {
        Content::Char(c) => Cell::char(c, false, cell.style()),
        Content::Cluster(number) => Cell::cluster(number, false, cell.style()),
        Content::Blank | Content::Spacer => cell,
    }
}

/// The rows of one line; at least one.
fn wrap_line(line: usize, text: &Text, cols: usize, pieces: &mut Vec<Piece>) {
    let cells = &text.cells;
    let mut from = 0;
    loop {
        let mut to = (from + cols).min(cells.len());
        // A wide cell is not cut, unless there is but one column.
        if to < cells.len() && cells[to].is_spacer() {
            to = if cols > 1 { to - 1 } else { to + 1 };
        }
        let more = to < cells.len();
        pieces.push(Piece {
            line,
            from,
            to,
            wrapped: more || text.continued,
        });
        if !more {
            return;
        }
        from = to;
    }
}
