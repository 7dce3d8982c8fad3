//! Another size. vt100 cuts and pads rows, pushes rows off the top when the
//! cursor would fall off the bottom, and would pull rows back it no longer has;
//! so its count of those is cleared first and growing adds blank rows below.

use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Core;
use crate::size::Size;

impl Core {
    /// Changes the size of both screens.
    pub(super) fn resize(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        self.flush();
        let pushed = self.prepare(size);
        let resized = catch_unwind(AssertUnwindSafe(|| {
            let cells = |n: u16| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
            self.vt.set_size(cells(size.rows), cells(size.cols));
        }));
        let old = std::mem::replace(&mut self.size, size);
        self.regions = [(0, size.rows - 1); 2];
        for (saved, pushed) in self.saved.iter_mut().zip(pushed) {
            if let Some(saved) = saved {
                saved.y = saved.y.saturating_sub(pushed).min(size.rows - 1);
                saved.x = saved.x.min(size.cols - 1);
                saved.pending_wrap = false;
            }
        }
        self.resize_tabs(old.cols);
        self.view.stale = true;
        if let Err(panic) = resized {
            self.recover(panic.as_ref());
        }
    }

    /// Brings both grids into a state that depends on nothing hidden. Returns
    /// how many rows each will push off its top.
    fn prepare(&mut self, size: Size) -> [u16; 2] {
        let at = self.position();
        let hidden = if self.on_alternate {
            // Where the main screen's cursor will be once it shows again.
            self.saved[0].map_or((at.x, at.y), |saved| (saved.x, saved.y))
        } else {
            (0, 0)
        };
        if self.on_alternate {
            self.out.extend_from_slice(b"\x1b[?47l");
            self.goto(hidden.0, hidden.1);
            self.flush();
            self.vt.screen_mut().clear_scrollback();
            self.out.extend_from_slice(b"\x1b[?47h");
        } else {
            self.vt.screen_mut().clear_scrollback();
            if self.alternate_used {
                self.out.extend_from_slice(b"\x1b[?47h");
                self.goto(hidden.0, hidden.1);
                self.out.extend_from_slice(b"\x1b[?47l");
            }
        }
        self.flush();
        let excess = self.size.rows.saturating_sub(size.rows);
        let pushed = |y: u16| excess.saturating_sub(self.size.rows - 1 - y);
        if self.on_alternate {
            [pushed(hidden.1), pushed(at.y)]
        } else {
            [pushed(at.y), pushed(hidden.1)]
        }
    }

    /// Keeps the stops that still fit and puts the usual ones into new columns.
    fn resize_tabs(&mut self, old_cols: u16) {
        let cols = self.size.cols;
        if let Some(tabs) = &mut self.tabs {
            tabs.retain(|&x| x < cols);
            let usual = (old_cols..cols).filter(|x| x % 8 == 0);
            tabs.extend(usual);
        }
    }
}
