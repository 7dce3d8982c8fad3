//! The fast way for output that only scrolls: styled lines at the bottom of
//! the main screen. vt100 is slow at what nobody will look at, so such lines
//! are held back. Once they fill a screen, what stood there has left (into the
//! scrollback, through vt100), and each further line pushes the oldest held one
//! into the scrollback without vt100 ever seeing it. Whoever looks, and
//! whatever is not plain text with SGR and CR LF, ends it: vt100 then reads the
//! one screenful that is left and is where it would have been.
//!
//! That it makes no difference is tested by feeding the same bytes one by one
//! with a look after each.

use std::collections::VecDeque;

use super::Core;
use crate::cell::Style;
use crate::paint::{Dialect, Painter, TOFU, projected};
use crate::scrollback::RowWriter;
use crate::snapshot::Charset;

/// Rows held back, the cursor behind the text of the last.
#[derive(Debug, Default)]
pub(super) struct Flow {
    rows: VecDeque<Held>,
    /// They are the whole screen, and vt100's is blank.
    screenful: bool,
    /// CR came; only LF may follow.
    returned: bool,
    /// Rows to use again.
    spare: Vec<Held>,
}

/// A row held back, in characters vt100 prints.
#[derive(Debug, Default)]
struct Held {
    text: RowWriter,
    used: u16,
    /// Bytes of the last cell.
    cell: usize,
    /// The next row goes on without a line break.
    soft: bool,
    /// vt100 would mark it as wrapped (not if a wide character did not fit).
    wrapped: bool,
    /// Holds a stand-in for U+FFFD.
    tofu: bool,
}

/// vt100 drops marks once a cell has this many bytes.
const CELL_FULL: usize = 18;

impl Held {
    /// Adds a mark to the last cell; without one it is dropped.
    fn combine(&mut self, c: char) {
        if (1..CELL_FULL).contains(&self.cell) {
            self.text.extend(c.encode_utf8(&mut [0; 4]));
            self.cell += c.len_utf8();
        }
    }
}

impl Flow {
    fn blank(&mut self) -> Held {
        let mut row = self.spare.pop().unwrap_or_default();
        row.text.clear();
        row.used = 0;
        row.cell = 0;
        row.soft = false;
        row.wrapped = false;
        row.tofu = false;
        row
    }
}

impl Core {
    /// Begins holding lines back at a line feed, if everything is as it must
    /// be. The line feed itself is then the first thing held.
    pub(super) fn flow_start(&mut self) -> bool {
        let modes = &self.modes;
        let plain = !self.on_alternate
            && modes.autowrap
            && !(modes.insert || modes.newline || modes.origin)
            && self.charsets.active() == Charset::Ascii
            && self.size.rows >= 2
            && self.size.cols >= 2
            && self.region() == (0, self.size.rows - 1);
        if !plain {
            return false;
        }
        let at = self.position();
        if at.x != 0 || at.pending || at.y != self.size.rows - 1 {
            return false;
        }
        self.flow = Some(Flow::default());
        self.flow_row(false);
        true
    }

    /// Whether lines are held back just now.
    pub(super) fn flows(&self) -> bool {
        self.flow.is_some()
    }

    /// A run of ASCII; false if it cannot be held back.
    pub(super) fn flow_ascii(&mut self, run: &[u8]) -> bool {
        let Ok(mut text) = std::str::from_utf8(run) else {
            return false;
        };
        if self.flow.as_ref().is_none_or(|flow| flow.returned) {
            return false;
        }
        self.last_char = text.chars().next_back();
        let style = projected(self.pen);
        loop {
            let cols = self.size.cols;
            let Some(row) = self.flow.as_mut().and_then(|flow| flow.rows.back_mut()) else {
                return true;
            };
            let room = usize::from(cols - row.used).min(text.len());
            let (fits, rest) = text.split_at(room);
            row.text.push(fits, style);
            // At most a row's width.
            row.used += u16::try_from(room).unwrap_or(0);
            row.cell = 1;
            if rest.is_empty() {
                return true;
            }
            text = rest;
            self.flow_row(true);
        }
    }

    /// One other character of 0 to 2 columns, as vt100 prints it.
    pub(super) fn flow_char(&mut self, c: char, width: u16) -> bool {
        let cols = self.size.cols;
        let Some(flow) = self.flow.as_mut().filter(|flow| !flow.returned) else {
            return false;
        };
        if width == 0 {
            if let Some(row) = flow.rows.back_mut() {
                row.combine(c);
            }
            return true;
        }
        if flow.rows.back().is_some_and(|row| row.used + width > cols) {
            self.flow_row(true);
        }
        self.last_char = Some(c);
        let style = projected(self.pen);
        if let Some(row) = self.flow.as_mut().and_then(|flow| flow.rows.back_mut()) {
            row.text.push(c.encode_utf8(&mut [0; 4]), style);
            row.used += width;
            row.cell = c.len_utf8();
            row.tofu |= c == TOFU;
        }
        true
    }

    /// CR.
    pub(super) fn flow_return(&mut self) -> bool {
        let Some(flow) = &mut self.flow else {
            return false;
        };
        flow.returned = flow.rows.back().is_some_and(|row| row.used > 0);
        true
    }

    /// LF; only in the first column.
    pub(super) fn flow_feed(&mut self) -> bool {
        let Some(flow) = &mut self.flow else {
            return false;
        };
        if !flow.returned && flow.rows.back().is_some_and(|row| row.used > 0) {
            return false;
        }
        flow.returned = false;
        self.flow_row(false);
        true
    }

    /// EL to the right of held text erases nothing, if it does not colour.
    pub(super) fn flow_erases_nothing(&self) -> bool {
        let uncoloured = self.pen.bg == Style::default().bg;
        uncoloured && self.flow.as_ref().is_some_and(|flow| !flow.returned)
    }

    /// The next row; `soft`: the text goes on there without a line break.
    fn flow_row(&mut self, soft: bool) {
        self.view.stale = true;
        let (rows, cols) = (usize::from(self.size.rows), self.size.cols);
        let Some(flow) = &mut self.flow else { return };
        if let Some(last) = flow.rows.back_mut() {
            last.soft = soft;
            last.wrapped = soft && last.used == cols;
        }
        if flow.screenful
            && flow.rows.len() >= rows
            && let Some(oldest) = flow.rows.pop_front()
        {
            let store = &mut self.vt.callbacks_mut().store;
            if oldest.tofu {
                store.push_row(&oldest.text.replaced(TOFU, "\u{fffd}"), oldest.wrapped);
            } else {
                store.push_row(&oldest.text, oldest.wrapped);
            }
            flow.spare.push(oldest);
        }
        let row = flow.blank();
        flow.rows.push_back(row);
        if !flow.screenful && flow.rows.len() == rows {
            flow.screenful = true;
            // Everything vt100 shows has left; it scrolls out now.
            self.feed(&vec![b'\n'; rows]);
        }
    }

    /// Ends holding back: what vt100 must still read is put before all else.
    #[inline]
    pub(super) fn settle(&mut self) {
        if self.flow.is_some() {
            self.settle_flow();
        }
    }

    fn settle_flow(&mut self) {
        let Some(flow) = self.flow.take() else { return };
        let out = std::mem::take(&mut self.out);
        let mut painter = Painter::new(out, self.size, Dialect::Vt100);
        let start: &[u8] = if flow.screenful { b"\x1b[H" } else { b"\n" };
        painter.out.extend_from_slice(start);
        painter.pen_is(self.told);
        let mut soft = true;
        for row in &flow.rows {
            if !soft {
                painter.out.extend_from_slice(b"\r\n");
            }
            soft = row.soft;
            for (text, style) in row.text.pieces() {
                painter.pen(style);
                self.told = style;
                painter.out.extend_from_slice(text.as_bytes());
            }
        }
        if flow.returned {
            painter.out.push(b'\r');
        }
        self.out = painter.out;
    }
}
