//! A snapshot as bytes for a real terminal: both screens, cursors, modes. In: plain data; out:
//! sequences in an order in which none undoes another.
//!
//! Saved cursors come first, on blank rows, since placing one may print; then, on the main screen,
//! lines that scroll off into the reader's scrollback; then text; then modes, region and margins, which
//! move the cursor; then the cursor, and last what only the pen has.

use super::AnsiOptions;
use crate::cell::Style;
use crate::paint::{Dialect, Painter};
use crate::scrollback::{Line, Page};
use crate::snapshot::{Charsets, Saved, Screen, Snapshot};

/// What a drawing begins with: main screen, nothing on it, no region, no margins, autowrap, no
/// saved cursor, plain character sets, the extent of power-on.
const START: &[u8] = b"\x1b[?1049l\x1b[!p\x1b[?25l\x1b[?6l\x1b[?69l\x1b[r\x1b[?7h\x1b[4l\
    \x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[0*x";

/// Bytes that make a real terminal of the same size show this snapshot:
/// both screens, cursor, regions, saved cursors, and what `options` add. The
/// snapshot's lines of the scrollback go into the terminal's own, soft wraps
/// kept; what it held before stays above them.
#[must_use]
pub fn snapshot_to_ansi(snapshot: &Snapshot, options: &AnsiOptions) -> Vec<u8> {
    let lines = [(&snapshot.history[..], &snapshot.links[..])];
    redraw(snapshot, &lines, options)
}

/// The same with lines that came in pages, the oldest first, instead of the snapshot's own.
#[must_use]
pub fn pages_to_ansi(pages: &[Page], snapshot: &Snapshot, options: &AnsiOptions) -> Vec<u8> {
    let lines = pages.iter().map(|page| (&page.lines[..], &page.links[..]));
    redraw(snapshot, &lines.collect::<Vec<_>>(), options)
}

/// Lines and their links.
type Lines<'a> = (&'a [Line], &'a [String]);

fn redraw(snapshot: &Snapshot, lines: &[Lines<'_>], options: &AnsiOptions) -> Vec<u8> {
    let mut painter = Painter::new(START.to_vec(), snapshot.size, Dialect::Real);
    painter.plain();
    painter.out.extend_from_slice(b"\x1b[H\x1b[J");
    painter.links.clone_from(&snapshot.links);
    let mut drawing = Drawing {
        painter,
        snapshot,
        lines,
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

pub(super) struct Drawing<'a> {
    pub(super) painter: Painter,
    pub(super) snapshot: &'a Snapshot,
    lines: &'a [Lines<'a>],
    /// Modes are drawn too.
    pub(super) modes: bool,
    /// The reader shows its alternate screen.
    alternate: bool,
}

impl<'a> Drawing<'a> {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.painter.out.extend_from_slice(bytes);
    }

    /// Shows the other screen. 47 leaves saved cursors alone.
    pub(super) fn swap(&mut self) {
        self.alternate = !self.alternate;
        let shown: &[u8] = if self.alternate {
            b"\x1b[?47h"
        } else {
            b"\x1b[?47l"
        };
        self.add(shown);
    }

    /// The screen that is not shown.
    pub(super) fn other(&self) -> Option<&'a Screen> {
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
                self.saved(&snapshot.main);
                self.screen(&snapshot.main);
                self.alternate(alternate);
            }
            Some(alternate) => {
                self.saved(&snapshot.main);
                self.alternate(alternate);
                self.change(false);
                self.add(b"\x1b[r");
                self.screen(&snapshot.main);
            }
            None => {
                self.saved(&snapshot.main);
                self.screen(&snapshot.main);
            }
        }
    }

    /// Shows the alternate screen, or the main one again. With 1049, which every terminal knows
    /// (alacritty does not know 47): it saves the cursor, so that has to be the saved one already.
    fn change(&mut self, alternate: bool) {
        let saved = self.snapshot.main.saved;
        let Some(saved) = saved.filter(|saved| saved.charsets.single == 0) else {
            return self.swap();
        };
        let sequence: &[u8] = if alternate {
            b"\x1b8\x1b[?1049h\x1b[?6l"
        } else {
            b"\x1b[?1049l\x1b[?6l"
        };
        self.add(sequence);
        self.alternate = alternate;
        self.painter.plain();
        self.charsets(saved.charsets, Charsets::default());
    }

    fn alternate(&mut self, alternate: &Screen) {
        self.painter.pen(Style::default());
        self.change(true);
        self.add(b"\x1b[r\x1b[H\x1b[J");
        if alternate.saved.is_none() {
            // What takes a saved cursor away shows the other one.
            self.add(b"\x1b[!p\x1b[?25l\x1b[?7h");
        }
        self.saved(alternate);
        self.screen(alternate);
    }

    /// Sets what DECSC kept, on blank rows.
    fn saved(&mut self, screen: &Screen) {
        if let Some(saved) = screen.saved {
            self.saved_cursor(saved);
        }
    }

    /// The screen that is shown and blank. Leaves its region set.
    fn screen(&mut self, screen: &Screen) {
        if self.modes {
            let kitty = self.snapshot.modes.kitty_ansi(self.alternate);
            self.add(&kitty);
        }
        let drawn = if self.alternate {
            0
        } else {
            self.history(screen)
        };
        self.painter.screen(screen, drawn);
    }

    /// Lines that scroll off above the main screen; gives how many of its rows are drawn with them.
    fn history(&mut self, main: &Screen) -> u16 {
        if self.lines.iter().all(|(lines, _)| lines.is_empty()) {
            return 0;
        }
        let mut history = self.painter.history();
        for (lines, links) in self.lines {
            self.painter.lines(&mut history, lines, links);
        }
        self.painter.links.clone_from(&self.snapshot.links);
        self.painter.end_history(history, main)
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
    pub(super) fn narrowed(&self) -> bool {
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

    /// Designations that differ, and the shift.
    pub(super) fn charsets(&mut self, from: Charsets, to: Charsets) {
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
