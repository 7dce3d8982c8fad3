//! The two screens, saved cursors, and the resets.

use super::core::Core;
use super::screen::Screen;
use crate::cell::Style;
use crate::picture::Album;
use crate::sgr::Stack;
use crate::snapshot::{Charsets, Saved};

impl Core {
    /// DECSC.
    pub(super) fn save_cursor(&mut self) {
        let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.shown.saved = Some(Saved {
            x: short(self.x),
            y: short(self.y),
            pending_wrap: self.pending,
            pen: self.pen,
            origin: self.modes.origin,
            charsets: self.charsets,
        });
    }

    /// DECRC; home with a plain pen if nothing was saved.
    pub(super) fn restore_cursor(&mut self) {
        let saved = self.shown.saved.unwrap_or_default();
        self.modes.origin = saved.origin;
        self.go(usize::from(saved.x), usize::from(saved.y));
        self.pending = saved.pending_wrap;
        self.pen = saved.pen;
        self.repen();
        self.charsets = saved.charsets;
    }

    /// DECOM; the cursor goes to the corner.
    pub(super) fn set_origin(&mut self, on: bool) {
        self.modes.origin = on;
        self.position(0, 0);
    }

    /// Shows the other screen; cursor, region and margins stay.
    fn switch(&mut self, to_alternate: bool) {
        let (size, clock) = (self.size(), self.clock);
        let other = self.hidden.take();
        let other = other.unwrap_or_else(|| Screen::new(size, clock));
        self.hidden = Some(std::mem::replace(&mut self.shown, other));
        self.shown.touch_all(clock);
        self.on_alternate = to_alternate;
        self.modes.alternate = to_alternate;
    }

    fn clear_screen(&mut self) {
        self.erase_display(2, false);
    }

    /// The private modes 47, 1047, 1048 and 1049.
    pub(super) fn alternate(&mut self, number: u16, on: bool) {
        match (number, on, self.on_alternate) {
            (1048, true, _) => self.save_cursor(),
            (1048, false, _) => self.restore_cursor(),
            (1049, true, false) => {
                self.save_cursor();
                self.switch(true);
                self.clear_screen();
            }
            (_, true, false) => self.switch(true),
            (_, false, true) => {
                if number == 1047 {
                    self.clear_screen();
                }
                self.switch(false);
                if number == 1049 {
                    self.restore_cursor();
                }
            }
            (1049, false, false) if self.shown.saved.is_some() => self.restore_cursor(),
            _ => {}
        }
    }

    /// DECCOLM, either way: the screen is cleared (unless DECNCSM says no), region and margins end,
    /// the cursor goes home. The width stays what the viewer gives.
    pub(super) fn clear_for_columns(&mut self) {
        if !self.modes.keep_on_columns {
            self.clear_screen();
        }
        self.modes.margins = false;
        self.reset_margins();
        self.position(0, 0);
    }

    /// RIS; the scrollback and the title stay.
    pub(super) fn full_reset(&mut self) {
        let (size, clock) = (self.size(), self.clock);
        self.on_alternate = false;
        self.hidden = None;
        self.shown = Screen::new(size, clock);
        self.gallery.forget();
        self.cut_off(0);
        self.modes.reset();
        self.pen = Style::default();
        self.repen();
        self.pens = Stack::default();
        self.charsets = Charsets::default();
        self.tabs = None;
        self.last_char = None;
        self.reset_margins();
        self.go(0, 0);
        self.events.reset();
        self.album = Album::default();
    }

    /// DECSTR; the cursor stays where it is.
    pub(super) fn soft_reset(&mut self) {
        self.modes.origin = false;
        self.reset_margins();
        self.settle();
        self.pen = Style::default();
        self.repen();
        self.charsets = Charsets::default();
        self.shown.saved = None;
    }
}
