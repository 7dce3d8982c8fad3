//! Looking at vt100's two grids and moving between them.

use super::{Core, read};
use crate::cell::Style;
use crate::paint::{Dialect, Painter, projected, sequence};
use crate::snapshot::{Charsets, Cursor, Saved, Screen, Snapshot};

/// Where vt100's cursor is; `pending` when it waits behind the last column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) x: u16,
    pub(super) y: u16,
    pub(super) pending: bool,
}

impl Core {
    /// The cursor's place, after everything gathered was read.
    pub(super) fn position(&mut self) -> Position {
        self.flush();
        self.read_position()
    }

    fn read_position(&self) -> Position {
        let (y, x) = self.vt.screen().cursor_position();
        Position {
            x: x.min(self.size.cols - 1),
            y: y.min(self.size.rows - 1),
            pending: x >= self.size.cols,
        }
    }

    pub(super) fn cursor(&self) -> Cursor {
        let at = self.read_position();
        Cursor {
            x: at.x,
            y: at.y,
            visible: self.modes.cursor_visible,
            shape: self.modes.cursor_style(),
            pending_wrap: at.pending,
        }
    }

    /// Index of the screen that is shown.
    pub(super) fn shown(&self) -> usize {
        usize::from(self.on_alternate)
    }

    pub(super) fn region(&self) -> (u16, u16) {
        let [main, alternate] = self.regions;
        if self.on_alternate { alternate } else { main }
    }

    pub(super) fn set_region(&mut self, region: (u16, u16)) {
        let shown = self.shown();
        if let Some(place) = self.regions.get_mut(shown) {
            *place = region;
        }
    }

    /// Everything but scrollback and parser, as data.
    pub(super) fn capture(&mut self) -> Snapshot {
        self.flush();
        self.look()
    }

    pub(super) fn look(&mut self) -> Snapshot {
        let size = self.size;
        let shown = read::rows(self.vt.screen(), size);
        let cursor = self.cursor();
        let hidden = self.alternate_used.then(|| {
            // Entering and leaving by 47 changes nothing but which grid shows.
            let (there, back): (&[u8], &[u8]) = match self.on_alternate {
                true => (b"\x1b[?47l", b"\x1b[?47h"),
                false => (b"\x1b[?47h", b"\x1b[?47l"),
            };
            self.vt.process(there);
            let rows = read::rows(self.vt.screen(), size);
            self.vt.process(back);
            rows
        });
        let (main, alternate) = match (self.on_alternate, hidden) {
            (true, Some(main)) => (main, Some(shown)),
            (_, alternate) => (shown, alternate),
        };
        let screen = |rows, index: usize| Screen {
            rows,
            saved: self.saved.get(index).copied().flatten(),
            region: self.regions.get(index).copied().unwrap_or_default(),
        };
        Snapshot {
            size,
            main: screen(main, 0),
            alternate: alternate.map(|rows| screen(rows, 1)),
            on_alternate: self.on_alternate,
            cursor,
            pen: self.pen,
            charsets: self.charsets,
            tabs: self.tabs.clone(),
            last_char: self.last_char,
            modes: self.modes.clone(),
            colours: self.colours.clone(),
            pens: self.pens.clone(),
            notice: self.events.notice().clone(),
            pictures: self.events.pictures(),
            album: self.album.kept(),
            ..Snapshot::blank(size)
        }
    }

    /// Appends what a painter writes for this terminal.
    pub(super) fn paint(&mut self, write: impl FnOnce(&mut Painter)) {
        let mut painter = Painter::new(std::mem::take(&mut self.out), self.size, Dialect::Vt100);
        write(&mut painter);
        self.out = painter.out;
    }

    pub(super) fn goto(&mut self, x: u16, y: u16) {
        sequence(&[y + 1], b'd', &mut self.out);
        sequence(&[x + 1], b'G', &mut self.out);
    }

    /// Tells vt100 the pen, if it does not know it.
    pub(super) fn tell_pen(&mut self) {
        let pen = projected(self.pen);
        if pen != self.told {
            let told = std::mem::replace(&mut self.told, pen);
            self.paint(|painter| {
                painter.pen_is(told);
                painter.pen(pen);
            });
        }
    }

    /// Forgets what vt100 was told of the pen and tells it anew.
    pub(super) fn retell_pen(&mut self) {
        let pen = self.pen;
        self.told = projected(pen);
        self.paint(|painter| painter.pen(pen));
    }

    /// DECSC.
    pub(super) fn save_cursor(&mut self) {
        let at = self.position();
        let shown = self.shown();
        if let Some(place) = self.saved.get_mut(shown) {
            *place = Some(Saved {
                x: at.x,
                y: at.y,
                pending_wrap: at.pending,
                pen: self.pen,
                origin: self.modes.origin,
                charsets: self.charsets,
            });
        }
    }

    /// DECRC; home with a plain pen if nothing was saved.
    pub(super) fn restore_cursor(&mut self) {
        self.flush();
        let shown = self.shown();
        let saved = self.saved.get(shown).copied().flatten().unwrap_or_default();
        self.set_origin(saved.origin);
        let row = saved.pending_wrap.then(|| {
            let mut row = crate::cell::Row::blank(self.size.cols);
            self.flush();
            read::update(&mut row, self.vt.screen(), saved.y);
            row
        });
        self.paint(|painter| painter.cursor(saved.x, saved.y, saved.pending_wrap, row.as_ref()));
        self.pen = saved.pen;
        self.charsets = saved.charsets;
        self.retell_pen();
    }

    /// DECOM; moves the cursor to the corner.
    pub(super) fn set_origin(&mut self, on: bool) {
        self.modes.origin = on;
        let mode: &[u8] = if on { b"\x1b[?6h" } else { b"\x1b[?6l" };
        self.out.extend_from_slice(mode);
    }

    /// Shows the other grid by `sequence`, the cursor staying where it is.
    fn switch(&mut self, sequence: &[u8], to_alternate: bool) {
        let at = self.position();
        self.out.extend_from_slice(sequence);
        self.on_alternate = to_alternate;
        self.modes.alternate = to_alternate;
        self.alternate_used |= to_alternate;
        // vt100 keeps an origin mode for each grid; there is one.
        self.set_origin(self.modes.origin);
        self.goto(at.x, at.y);
    }

    /// The private modes 47, 1047, 1048 and 1049.
    pub(super) fn alternate(&mut self, number: u16, on: bool) {
        match (number, on, self.on_alternate) {
            (1048, true, _) => self.save_cursor(),
            (1048, false, _) => self.restore_cursor(),
            (1049, true, false) => {
                self.save_cursor();
                self.regions[1] = (0, self.size.rows - 1);
                // vt100 clears the alternate grid for 1049 alone.
                self.switch(b"\x1b[?1049h", true);
            }
            (_, true, false) => self.switch(b"\x1b[?47h", true),
            (_, false, true) => {
                if number == 1047 {
                    self.out.extend_from_slice(b"\x1b[m\x1b[2J");
                }
                self.switch(b"\x1b[?47l", false);
                self.retell_pen();
                if number == 1049 {
                    self.restore_cursor();
                }
            }
            (1049, false, false) if self.saved[0].is_some() => self.restore_cursor(),
            _ => {}
        }
    }

    /// RIS; the scrollback and the title stay.
    pub(super) fn full_reset(&mut self) {
        self.out.extend_from_slice(b"\x1bc");
        self.modes.reset();
        self.pen = Style::default();
        self.told = Style::default();
        self.charsets = Charsets::default();
        self.tabs = None;
        self.last_char = None;
        self.on_alternate = false;
        self.alternate_used = false;
        self.regions = [(0, self.size.rows - 1); 2];
        self.saved = [None; 2];
    }

    /// DECSTR; the cursor stays where it is.
    pub(super) fn soft_reset(&mut self) {
        let at = self.position();
        self.set_origin(false);
        self.set_region((0, self.size.rows - 1));
        self.out.extend_from_slice(b"\x1b[r");
        self.goto(at.x, at.y);
        self.pen = Style::default();
        self.tell_pen();
        self.charsets = Charsets::default();
        let shown = self.shown();
        if let Some(place) = self.saved.get_mut(shown) {
            *place = None;
        }
    }
}
