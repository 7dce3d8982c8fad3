//! A view into a pane's scrollback: the screen as it was, and lines above it fetched in pages.
//!
//! In: the screen at the moment the view was opened, pages from the host, movements. Out: rows for
//! the view, and which page is wanted next. Promises: the view stands still while the program goes
//! on; a page is fetched only when the view comes near its end; lines are kept as text and wrapped
//! when drawn. Selecting and copying is left to the outer terminal (Shift with the mouse).

use crate::links::Kept;
use std::collections::VecDeque;
use term::{Line, Page, Row, Size, Terminal};

/// Lines of one request; the host gives at most 1,000.
const PAGE: u32 = 500;
/// Most lines kept; the host itself keeps 10,000 unless told otherwise.
const MAX_LINES: usize = 100_000;

/// See the module.
#[derive(Debug)]
pub(crate) struct Scroll {
    screen: Vec<Row>,
    /// What the styles of its rows and lines count their links in.
    links: Kept,
    /// Columns lines are wrapped to.
    cols: u16,
    /// Oldest first; each with the number of rows it takes.
    lines: VecDeque<(Line, usize)>,
    /// Rows of all lines.
    rows_above: usize,
    /// All lines from this id on are here.
    oldest: u64,
    /// Lines of the next request.
    step: u64,
    /// There is nothing older.
    complete: bool,
    /// A page is on its way.
    asked: bool,
    /// Rows the view stands above the bottom.
    up: usize,
    /// Rows it will stand above the bottom once the lines for that are here.
    wish: usize,
    /// Rows of the view.
    height: usize,
    /// On the way to the very top.
    to_top: bool,
    /// Back at the bottom the view is closed.
    ends_at_bottom: bool,
}

/// A movement of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// Rows towards older lines.
    Up(usize),
    /// Rows towards newer lines.
    Down(usize),
    /// A screenful, less one row.
    PageUp,
    /// A screenful, less one row.
    PageDown,
    /// Half a screenful.
    HalfUp,
    /// Half a screenful.
    HalfDown,
    /// The oldest line.
    Top,
    /// The newest.
    Bottom,
}

impl Scroll {
    /// A view at the bottom; `end` is the id behind the newest line of the scrollback.
    pub(crate) fn new(terminal: &Terminal, height: u16, end: u64) -> Self {
        let Size { cols, rows } = terminal.size();
        let mut links = Kept::default();
        let mut screen: Vec<Row> = (0..rows).map(|y| terminal.row(y)).collect();
        for cell in screen.iter_mut().flat_map(|row| &mut row.cells) {
            links.keep(&mut cell.style, |id| terminal.link(id));
        }
        Self {
            screen,
            links,
            cols: cols.max(1),
            lines: VecDeque::new(),
            rows_above: 0,
            oldest: end,
            step: u64::from(PAGE),
            complete: end == 0,
            asked: false,
            up: 0,
            wish: 0,
            height: usize::from(height),
            to_top: false,
            ends_at_bottom: false,
        }
    }

    /// The wheel opened it, so the wheel's way back down closes it.
    pub(crate) fn end_at_bottom(&mut self) {
        self.ends_at_bottom = true;
    }

    /// The user opened it again, by a key: it stays.
    pub(crate) fn stay(&mut self) {
        self.ends_at_bottom = false;
    }

    /// The wheel opened it: it goes when the user types on.
    pub(crate) fn is_passing(&self) -> bool {
        self.ends_at_bottom
    }

    /// A movement down led to where the view is to be closed.
    pub(crate) fn is_over(&self) -> bool {
        self.ends_at_bottom && self.wish == 0
    }

    /// The view's place got another height.
    pub(crate) fn set_height(&mut self, height: u16) {
        self.height = usize::from(height);
        self.settle();
    }

    /// Goes as near to the wish as the lines that are here allow.
    fn settle(&mut self) {
        self.up = self.wish.min(self.most_up());
        if self.complete {
            self.wish = self.up;
        }
    }

    /// Moves; false when it was a way down and the bottom was reached already.
    pub(crate) fn go(&mut self, movement: Move) -> bool {
        let page = self.height.saturating_sub(1).max(1);
        let half = (self.height / 2).max(1);
        self.to_top = movement == Move::Top;
        let at_bottom = self.up == 0;
        self.wish = match movement {
            Move::Up(rows) => self.wish + rows,
            Move::PageUp => self.wish + page,
            Move::HalfUp => self.wish + half,
            Move::HalfDown => self.up.saturating_sub(half),
            Move::Down(rows) => self.up.saturating_sub(rows),
            Move::PageDown => self.up.saturating_sub(page),
            Move::Top => self.most_up(),
            Move::Bottom => 0,
        };
        self.settle();
        !(at_bottom && matches!(movement, Move::Down(_) | Move::PageDown | Move::HalfDown))
    }

    /// First line and number of lines to ask the host for, if the view needs them.
    pub(crate) fn wanted(&mut self) -> Option<(u64, u32)> {
        let near = self.wish + 2 * self.height >= self.most_up();
        if self.asked || self.complete || !(near || self.to_top) {
            return None;
        }
        self.asked = true;
        let from = self.oldest.saturating_sub(self.step);
        let count = u32::try_from(self.oldest - from).unwrap_or(PAGE);
        Some((from, count))
    }

    /// The page that was asked for; `None`: it could not be had, so what is here is all.
    pub(crate) fn page(&mut self, page: Option<Page>) {
        self.asked = false;
        let Some(page) = page else {
            self.complete = true;
            self.settle();
            return;
        };
        // Lines so long that the page ends early: those next to what is here come first.
        if page.end() < self.oldest.min(page.held.end) && self.step > 1 {
            self.step /= 2;
            return;
        }
        let wanted = self.oldest.saturating_sub(self.step);
        self.step = u64::from(PAGE);
        let ids: Vec<u64> = (0..page.lines.len()).map(|at| page.id(at)).collect();
        let find = |id| page.links.get(usize::try_from(id).ok()?).cloned();
        let lines = page.lines.into_iter().zip(ids);
        for (mut line, _) in lines.filter(|(_, id)| *id < self.oldest).rev() {
            for span in &mut line.spans {
                self.links.keep(&mut span.style, find);
            }
            let rows = line.rows(self.cols).len();
            self.rows_above += rows;
            self.lines.push_front((line, rows));
        }
        // Ids may have gaps, so a page without lines is not the end.
        self.complete = page.held.is_empty() || page.held.start >= wanted;
        self.oldest = wanted;
        self.complete |= self.lines.len() >= MAX_LINES;
        if self.to_top {
            self.wish = self.most_up();
        }
        self.settle();
    }

    /// What stands behind `OSC 8 ;` for the link of a row's style.
    pub(crate) fn link(&self, id: u32) -> Option<String> {
        self.links.get(id)
    }

    /// Rows above the bottom, and how many there can be as far as is known.
    pub(crate) fn position(&self) -> (usize, usize) {
        (self.up, self.most_up())
    }

    /// Everything there is has been fetched.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    fn most_up(&self) -> usize {
        (self.rows_above + self.screen.len()).saturating_sub(self.height)
    }

    /// The rows of the view, top first, at most its height.
    pub(crate) fn view(&self) -> Vec<Row> {
        let total = self.rows_above + self.screen.len();
        let first = total.saturating_sub(self.height + self.up);
        let mut rows = Vec::with_capacity(self.height);
        let mut at = 0;
        for (line, count) in &self.lines {
            if at + count > first && rows.len() < self.height {
                let skip = first.saturating_sub(at);
                rows.extend(line.rows(self.cols).into_iter().skip(skip));
            }
            at += count;
        }
        let skip = first.saturating_sub(self.rows_above);
        rows.extend(self.screen.iter().skip(skip).cloned());
        rows.truncate(self.height);
        rows
    }
}

#[cfg(test)]
mod tests;
