//! The cursor: moving within screen, region and margins; tab stops; line feeds and what scrolls.

use super::core::Core;

impl Core {
    /// Last column text may reach from where the cursor is.
    #[inline]
    pub(super) fn right_limit(&self) -> usize {
        if self.x <= self.right {
            self.right
        } else {
            self.cols() - 1
        }
    }

    /// Column text begins in from where the cursor is.
    #[inline]
    pub(super) fn left_limit(&self) -> usize {
        if self.x >= self.left { self.left } else { 0 }
    }

    /// CUU.
    pub(super) fn up(&mut self, n: usize) {
        let stop = if self.y >= self.top { self.top } else { 0 };
        self.y = self.y.saturating_sub(n).max(stop);
        self.settle();
    }

    /// CUD.
    pub(super) fn down(&mut self, n: usize) {
        let stop = if self.y <= self.bottom {
            self.bottom
        } else {
            self.rows() - 1
        };
        self.y = (self.y + n).min(stop);
        self.settle();
    }

    /// CUF.
    pub(super) fn forward(&mut self, n: usize) {
        self.x = (self.x + n).min(self.right_limit());
        self.settle();
    }

    /// CUB and BS; with reverse wrap it goes on at the end of a row that wrapped into this one.
    pub(super) fn back(&mut self, n: usize) {
        let mut n = n;
        let reverse = self.modes.reverse_wrap && self.modes.autowrap;
        if reverse && self.pending {
            // The cursor counts as behind the last column.
            n -= 1;
        }
        self.settle();
        while n > 0 {
            let start = self.left_limit();
            let step = n.min(self.x - start);
            self.x -= step;
            n -= step;
            if n == 0 || !reverse || self.y == 0 || !self.shown.meta(self.y - 1).wrapped {
                break;
            }
            self.y -= 1;
            self.x = self.right;
            n -= 1;
        }
    }

    /// CR.
    pub(super) fn carriage_return(&mut self) {
        self.x = if self.modes.origin || self.x >= self.left {
            self.left
        } else {
            0
        };
        self.settle();
    }

    /// CHA and HPA, from 0.
    pub(super) fn column(&mut self, x: usize) {
        self.x = if self.modes.origin {
            (x + self.left).min(self.right)
        } else {
            x.min(self.cols() - 1)
        };
        self.settle();
    }

    /// VPA, from 0.
    pub(super) fn line(&mut self, y: usize) {
        self.y = if self.modes.origin {
            (y + self.top).min(self.bottom)
        } else {
            y.min(self.rows() - 1)
        };
        self.settle();
    }

    /// HPR and VPR: region and margins hold only in origin mode.
    pub(super) fn relative(&mut self, right: usize, down: usize) {
        let (last_x, last_y) = if self.modes.origin {
            (self.right, self.bottom)
        } else {
            (self.cols() - 1, self.rows() - 1)
        };
        self.x = (self.x + right).min(last_x.max(self.x));
        self.y = (self.y + down).min(last_y.max(self.y));
        self.settle();
    }

    /// CUP, from 0.
    pub(super) fn position(&mut self, x: usize, y: usize) {
        self.line(y);
        self.column(x);
    }

    /// IND and LF: down one row, scrolling at the bottom of the region.
    #[inline]
    pub(super) fn index(&mut self) {
        self.pending = false;
        if self.y == self.bottom {
            if self.x >= self.left && self.x <= self.right {
                self.scroll_up(1);
            }
        } else if self.y + 1 < self.rows() {
            self.y += 1;
        }
    }

    /// RI.
    pub(super) fn reverse_index(&mut self) {
        self.pending = false;
        if self.y == self.top {
            if self.x >= self.left && self.x <= self.right {
                self.scroll_down(1);
            }
        } else {
            self.y = self.y.saturating_sub(1);
        }
    }

    /// DECBI and DECFI: at a margin the text moves instead of the cursor.
    pub(super) fn column_index(&mut self, forward: bool) {
        let rows = self.y >= self.top && self.y <= self.bottom;
        let edge = if forward { self.right } else { self.left };
        if self.x == edge && rows {
            self.shift_region(1, !forward);
        } else if forward {
            self.x = (self.x + 1).min(self.cols() - 1);
        } else {
            self.x = self.x.saturating_sub(1);
        }
        self.settle();
    }

    /// SU, and what a line feed does at the bottom. Whole rows that leave at the top of the main
    /// screen go to the scrollback.
    pub(super) fn scroll_up(&mut self, n: usize) {
        let n = n.min(self.bottom + 1 - self.top);
        let eraser = self.eraser();
        if self.narrowed() {
            self.scroll_columns(self.top, n, true);
            return;
        }
        if self.top == 0 && !self.on_alternate {
            for y in 0..n {
                self.store_row(y);
            }
        }
        self.shown
            .scroll_up(self.top, self.bottom, n, eraser, self.clock);
        self.pictures_scrolled(self.top, self.bottom, n, true);
    }

    /// SD.
    pub(super) fn scroll_down(&mut self, n: usize) {
        let eraser = self.eraser();
        if self.narrowed() {
            self.scroll_columns(self.top, n, false);
            return;
        }
        self.cut_off(self.top);
        self.shown
            .scroll_down(self.top, self.bottom, n, eraser, self.clock);
        self.pictures_scrolled(self.top, self.bottom, n, false);
    }

    /// Tab stops that are set, also the usual ones.
    fn stops(&self) -> Vec<u16> {
        let usual = || (8..self.size().cols).step_by(8).collect();
        self.tabs.clone().unwrap_or_else(usual)
    }

    /// HT and CHT. A pending wrap stays, since the cursor does not move (as in xterm).
    pub(super) fn tab(&mut self, n: usize) {
        let limit = self.right_limit();
        let mut x = self.x;
        match &self.tabs {
            None => x = (x / 8).saturating_add(n).saturating_mul(8),
            Some(stops) => {
                let later = stops.iter().map(|&stop| usize::from(stop));
                let mut later = later.filter(|&stop| stop > x);
                x = later.nth(n.saturating_sub(1)).unwrap_or(limit);
            }
        }
        let x = x.min(limit);
        if x != self.x {
            self.x = x;
            self.settle();
        }
    }

    /// CBT.
    pub(super) fn back_tab(&mut self, n: usize) {
        let x = self.x;
        let stops = self.stops();
        let earlier = stops.iter().rev().map(|&stop| usize::from(stop));
        let stop = earlier.filter(|&stop| stop < x).nth(n.saturating_sub(1));
        let start = if self.modes.origin { self.left } else { 0 };
        self.x = stop.unwrap_or(0).max(start.min(x));
        self.settle();
    }

    /// HTS.
    pub(super) fn set_stop(&mut self) {
        let x = u16::try_from(self.x).unwrap_or(u16::MAX);
        let mut stops = self.stops();
        if let Err(at) = stops.binary_search(&x) {
            stops.insert(at, x);
        }
        self.tabs = Some(stops);
    }

    /// TBC.
    pub(super) fn clear_stops(&mut self, which: u16) {
        let x = u16::try_from(self.x).unwrap_or(u16::MAX);
        let mut stops = self.stops();
        match which {
            0 => stops.retain(|&stop| stop != x),
            3 => stops.clear(),
            _ => return,
        }
        self.tabs = Some(stops);
    }
}
