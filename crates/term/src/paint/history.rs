//! Lines of the scrollback on their way into a real terminal's own. In: lines, the screen they are
//! above of; out: rows that are printed from the top of a blank screen and scroll off there, soft wraps
//! made by the reader itself. Promises that nothing else gets into its scrollback, if both agree about
//! widths, and that the screen is blank behind it but for rows in which the newest line goes on.

use super::Painter;
use super::rows::{Above, Waits};
use crate::cell::{Colour, Row, Style};
use crate::scrollback::Line;
use crate::snapshot::Screen;

/// Lines that scroll off, newest last, drawn page by page.
pub(crate) struct History {
    above: Above,
    /// The row the next one is printed in.
    y: u16,
}

impl Painter {
    /// Begins on a blank screen that has no region.
    pub(crate) fn history(&mut self) -> History {
        self.pen(Style::default());
        self.goto(0, 0);
        self.slides = true;
        History {
            above: Above::default(),
            y: 0,
        }
    }

    /// Prints lines whose links are these.
    pub(crate) fn lines(&mut self, history: &mut History, lines: &[Line], links: &[String]) {
        self.pen(Style::default());
        self.links = links.to_vec();
        let mut rest = lines.iter();
        while let Some(line) = rest.next() {
            let mut line = line.clone();
            while line.continued
                && let Some(more) = rest.next()
            {
                // It was cut where it became too long.
                line.spans.extend_from_slice(&more.spans);
                line.continued = more.continued;
            }
            for row in line.rows(self.size.cols) {
                self.slide(history, &row);
            }
        }
        self.pen(Style::default());
    }

    /// Prints a row below the last one.
    fn slide(&mut self, history: &mut History, row: &Row) {
        if history.above.waits != Waits::No && !self.goes_on(row, &history.above) {
            history.above.waits = Waits::No;
            self.next_line();
        }
        self.turn(row, &history.above);
        self.row_below(history.y, row, &mut history.above);
        if history.above.waits == Waits::No {
            self.next_line();
        }
        history.y = (history.y + 1).min(self.size.rows - 1);
    }

    /// Goes on in the next row with a plain pen, where the row's own would colour what scrolls in.
    fn turn(&mut self, row: &Row, above: &Above) {
        let first = row.cells.first();
        if first.is_none_or(|cell| cell.style.bg == Colour::Default) {
            return;
        }
        let wraps: &str = match above.waits {
            Waits::No => return,
            Waits::Behind => " \x08",
            // Only what is wide goes there.
            Waits::Before => "\u{3000}\r",
        };
        self.pen(Style::default());
        self.out.extend_from_slice(wraps.as_bytes());
    }

    fn next_line(&mut self) {
        self.pen(Style::default());
        self.out.extend_from_slice(b"\r\n");
    }

    /// Scrolls off what is left of the lines. Gives how many rows of the screen are drawn: those in
    /// which the newest line goes on.
    pub(crate) fn end_history(&mut self, mut history: History, screen: &Screen) -> u16 {
        let mut drawn = 0;
        let rows = screen.rows.iter().take(usize::from(self.size.rows));
        for row in rows {
            if !self.goes_on(row, &history.above) {
                break;
            }
            self.turn(row, &history.above);
            self.row_below(history.y, row, &mut history.above);
            history.y = (history.y + 1).min(self.size.rows - 1);
            drawn += 1;
        }
        self.pen(Style::default());
        if drawn == 0 && history.above.waits != Waits::No {
            self.next_line();
        }
        let down = self.size.rows - drawn.max(1);
        self.out
            .extend(std::iter::repeat_n(b'\n', usize::from(down)));
        self.slides = false;
        drawn
    }
}
