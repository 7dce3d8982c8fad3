//! The cursor of a drawing: where it stands, and whether a wrap waits there. In: a drawing whose text
//! and modes are done; out: sequences that lead there, also where origin mode or a margin that is gone
//! stand between.

use super::redraw::Drawing;
use crate::cell::{Row, Style};
use crate::paint::Painter;
use crate::snapshot::{Charsets, Saved, Screen};

impl<'a> Drawing<'a> {
    pub(super) fn cursor(&mut self) {
        let cursor = self.snapshot.cursor;
        if !cursor.pending_wrap {
            self.place(cursor.x);
            return;
        }
        // A wrap that waits was made before wrapping was turned off.
        let turned_off = self.modes && !self.snapshot.modes.autowrap;
        if turned_off {
            self.add(b"\x1b[?7h");
        }
        self.waiting();
        if turned_off {
            self.add(b"\x1b[?7l");
        }
    }

    /// A place an address leads to: in origin mode those inside region and margins.
    fn reachable(&self, x: u16, y: u16) -> bool {
        let (top, bottom) = self.snapshot.shown().region;
        let (left, right) = self.snapshot.margins;
        let inside = !self.narrowed() || (left..=right).contains(&x);
        !(self.modes && self.snapshot.modes.origin) || inside && (top..=bottom).contains(&y)
    }

    /// Moves to a column of the cursor's row. In origin mode addresses reach only what is inside
    /// region and margins: elsewhere only a saved cursor leads, and what moves from there.
    fn place(&mut self, x: u16) {
        let y = self.snapshot.cursor.y;
        let region = self.snapshot.shown().region;
        let reachable = self.reachable(x, y);
        let outside = |saved: &Saved, of: &Self| saved.origin && !of.reachable(saved.x, saved.y);
        let from = (!reachable).then(|| self.take_saved(outside)).flatten();
        let Some(from) = from else {
            self.painter.goto(x, y);
            return;
        };
        if from.pending_wrap && (from.x, from.y) == (x, y) {
            self.stop_waiting(y, region);
        }
        let steps = [(from.y, y, b'A', b'B'), (from.x, x, b'D', b'C')];
        for (from, to, back, on) in steps {
            match (from.saturating_sub(to), to.saturating_sub(from)) {
                (0, 0) => {}
                (n, 0) => self.painter.numbers(&[n], back),
                (_, n) => self.painter.numbers(&[n], on),
            }
        }
    }

    /// Ends a wrap that waits, by going to a row beside it and back within the region or outside.
    fn stop_waiting(&mut self, y: u16, (top, bottom): (u16, u16)) {
        if y > 0 && y != top && y != bottom + 1 {
            self.add(b"\x1b[A\x1b[B");
        } else if y + 1 < self.snapshot.size.rows && y != bottom && y + 1 != top {
            self.add(b"\x1b[B\x1b[A");
        }
    }

    /// A cursor that waits to wrap: printed at its margin; where there is none any more, at one
    /// set for the moment; where another is in force, it came from a saved cursor and does again.
    fn waiting(&mut self) {
        let (x, y) = (self.snapshot.cursor.x, self.snapshot.cursor.y);
        let (right, last) = (self.snapshot.margins.1, self.snapshot.size.cols - 1);
        let limit = if x <= right { right } else { last };
        let same = |saved: &Saved, _: &Self| saved.pending_wrap && (saved.x, saved.y) == (x, y);
        let elsewhere = self.narrowed() && x != limit;
        if (elsewhere || !self.reachable(x, y)) && self.take_saved(same).is_some() {
            return;
        }
        if elsewhere {
            self.place(x);
            return;
        }
        let row = |screen: &'a Screen| screen.rows.get(usize::from(y));
        let shown = row(self.snapshot.shown());
        if self.painter.can_print_again(x, shown) {
            self.hold(x, shown);
            return;
        }
        // The cell cannot be printed again there: what stands there on the other screen can.
        let other = self.other().and_then(row);
        if !self.painter.can_print_again(x, other) {
            self.place(x);
            return;
        }
        self.swap();
        self.hold(x, other);
        if other.is_none() {
            self.painter.pen(Style::default());
            self.add(b"\x1b[2J");
        }
        self.swap();
    }

    /// Prints what is in the cursor's column again, a margin behind it.
    fn hold(&mut self, x: u16, row: Option<&Row>) {
        let inside = !self.narrowed() && x + 1 < self.snapshot.size.cols;
        self.painter.margin(inside.then_some(x));
        self.place(Painter::begins(x, row));
        self.painter.again(x, row);
        self.painter.no_margin(inside);
        if inside && self.modes && self.snapshot.modes.margins {
            self.add(b"\x1b[?69h");
        }
    }

    /// Restores the saved cursor of the screen where it is of this kind; the pen is plain then.
    fn take_saved(&mut self, is: impl Fn(&Saved, &Self) -> bool) -> Option<Saved> {
        let saved = |screen: &Screen| screen.saved.filter(|saved| is(saved, self));
        let shown = saved(self.snapshot.shown());
        let other = self.other().and_then(saved);
        let found = shown.or(other)?;
        if shown.is_none() {
            self.swap();
        }
        self.add(b"\x1b8");
        if shown.is_none() {
            self.swap();
        }
        self.painter.plain();
        self.charsets(found.charsets, Charsets::default());
        Some(found)
    }
}
