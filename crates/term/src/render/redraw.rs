//! A snapshot as bytes for a real terminal: both screens, cursors, modes. In: plain data; out:
//! sequences in an order in which none undoes another.
//!
//! Saved cursors come first, on blank rows, since placing one may print; then text; then modes,
//! region and margins, which move the cursor; then the cursor, and last what only the pen has.

use super::AnsiOptions;
use crate::cell::{Row, Style};
use crate::paint::{Dialect, Painter};
use crate::snapshot::{Charsets, Saved, Screen, Snapshot};

/// What a drawing begins with: main screen, nothing on it, no region, no margins, autowrap, no
/// saved cursor, plain character sets, the extent of power-on.
const START: &[u8] = b"\x1b[?1049l\x1b[!p\x1b[?25l\x1b[?6l\x1b[?69l\x1b[r\x1b[?7h\x1b[4l\
    \x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[0*x";

/// Bytes that make a real terminal of the same size show this snapshot:
/// both screens, cursor, regions, saved cursors, and what `options` add.
#[must_use]
pub fn snapshot_to_ansi(snapshot: &Snapshot, options: &AnsiOptions) -> Vec<u8> {
    let mut painter = Painter::new(START.to_vec(), snapshot.size, Dialect::Real);
    painter.plain();
    painter.out.extend_from_slice(b"\x1b[H\x1b[2J");
    painter.links.clone_from(&snapshot.links);
    let mut drawing = Drawing {
        painter,
        snapshot,
        modes: options.modes,
        alternate: false,
    };
    drawing.screens();
    if options.modes {
        drawing.modes();
    } else if options.title {
        let title = snapshot.modes.titles.current();
        drawing.add(format!("\x1b]2;{title}\x1b\\").as_bytes());
    }
    drawing.cursor();
    drawing.painter.pen(snapshot.pen);
    if options.modes {
        drawing.charsets(Charsets::default(), snapshot.charsets);
    }
    if snapshot.cursor.visible {
        drawing.add(b"\x1b[?25h");
    }
    drawing.painter.out
}

struct Drawing<'a> {
    painter: Painter,
    snapshot: &'a Snapshot,
    /// Modes are drawn too.
    modes: bool,
    /// The reader shows its alternate screen.
    alternate: bool,
}

impl<'a> Drawing<'a> {
    fn add(&mut self, bytes: &[u8]) {
        self.painter.out.extend_from_slice(bytes);
    }

    /// Shows the other screen. 47 leaves saved cursors alone.
    fn swap(&mut self) {
        self.alternate = !self.alternate;
        let shown: &[u8] = if self.alternate {
            b"\x1b[?47h"
        } else {
            b"\x1b[?47l"
        };
        self.add(shown);
    }

    /// The screen that is not shown.
    fn other(&self) -> Option<&'a Screen> {
        if self.snapshot.on_alternate {
            Some(&self.snapshot.main)
        } else {
            self.snapshot.alternate.as_ref()
        }
    }

    /// Both screens, the shown one last.
    fn screens(&mut self) {
        let snapshot = self.snapshot;
        match &snapshot.alternate {
            Some(alternate) if snapshot.on_alternate => {
                self.screen(&snapshot.main);
                self.alternate(alternate);
            }
            Some(alternate) => {
                self.alternate(alternate);
                self.swap();
                self.add(b"\x1b[r");
                self.screen(&snapshot.main);
            }
            None => self.screen(&snapshot.main),
        }
    }

    fn alternate(&mut self, alternate: &Screen) {
        self.painter.pen(Style::default());
        self.swap();
        self.add(b"\x1b[r\x1b[H\x1b[2J");
        if alternate.saved.is_none() {
            // What takes a saved cursor away shows the other one.
            self.add(b"\x1b[!p\x1b[?25l\x1b[?7h");
        }
        self.screen(alternate);
    }

    /// The screen that is shown and blank. Leaves its region set.
    fn screen(&mut self, screen: &Screen) {
        if self.modes {
            let kitty = self.snapshot.modes.kitty_ansi(self.alternate);
            self.add(&kitty);
        }
        if let Some(saved) = screen.saved {
            self.saved_cursor(saved);
        }
        self.painter.screen(screen);
    }

    fn saved_cursor(&mut self, saved: Saved) {
        if saved.origin {
            self.add(b"\x1b[?6h");
        }
        let inside = saved.pending_wrap && saved.x + 1 < self.snapshot.size.cols;
        self.painter.margin(inside.then_some(saved.x));
        self.painter.goto(saved.x, saved.y);
        if saved.pending_wrap {
            self.painter.again(saved.x, None);
        }
        self.painter.no_margin(inside);
        self.painter.pen(saved.pen);
        self.charsets(Charsets::default(), saved.charsets);
        self.add(b"\x1b7");
        if saved.charsets.single != 0 {
            // Only a character uses it up.
            self.add(b" ");
        }
        self.charsets(saved.charsets, Charsets::default());
        if saved.origin {
            self.add(b"\x1b[?6l");
        }
        self.painter.pen(Style::default());
        self.painter.goto(0, saved.y);
        self.add(b"\x1b[K");
        if saved.charsets.single != 0 && saved.y + 1 < self.snapshot.size.rows {
            self.painter.goto(0, saved.y + 1);
            self.add(b"\x1b[K");
        }
    }

    /// Modes that are the same on both screens, tab stops, margins.
    fn modes(&mut self) {
        self.tab_stops();
        let (modes, margins) = (&self.snapshot.modes, self.snapshot.margins);
        self.add(&modes.shared_ansi());
        if self.narrowed() {
            self.painter.numbers(&[margins.0 + 1, margins.1 + 1], b's');
        }
        if modes.origin {
            let left = if modes.margins { margins.0 } else { 0 };
            self.painter.origin(left, self.snapshot.shown().region.0);
        }
    }

    /// Margins are drawn, and are not the edges of the screen.
    fn narrowed(&self) -> bool {
        let (left, right) = self.snapshot.margins;
        let narrow = left > 0 || right + 1 < self.snapshot.size.cols;
        self.modes && self.snapshot.modes.margins && narrow
    }

    fn tab_stops(&mut self) {
        let Some(tabs) = &self.snapshot.tabs else {
            return;
        };
        self.add(b"\x1b[3g");
        for &x in tabs {
            self.painter.goto(x, 0);
            self.add(b"\x1bH");
        }
    }

    fn cursor(&mut self) {
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

    /// Designations that differ, and the shift.
    fn charsets(&mut self, from: Charsets, to: Charsets) {
        let out = &mut self.painter.out;
        let sets = (b'('..).zip(from.sets.into_iter().zip(to.sets));
        for (introducer, (_, to)) in sets.filter(|(_, (from, to))| from != to) {
            out.extend_from_slice(&[0x1b, introducer]);
            out.extend_from_slice(to.spelled().as_bytes());
        }
        let shift: &[u8] = match to.left {
            0 => b"\x0f",
            1 => b"\x0e",
            2 => b"\x1bn",
            _ => b"\x1bo",
        };
        if from.left != to.left {
            out.extend_from_slice(shift);
        }
        match to.single {
            2 => out.extend_from_slice(b"\x1bN"),
            3 => out.extend_from_slice(b"\x1bO"),
            _ => {}
        }
    }
}
