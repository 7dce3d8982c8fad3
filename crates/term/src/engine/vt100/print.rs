//! Text and control characters on their way to vt100: character sets, insert
//! mode and switched-off autowrap, which vt100 does not know, are done here.

use unicode_width::UnicodeWidthChar as _;

use super::{BATCH, Core};
use crate::paint::{printable, sequence};
use crate::picture::stand_in::STAND_IN;
use crate::picture::{Head, Moves, Part};
use crate::snapshot::Charset;

impl Core {
    /// A picture: it is counted, and the cursor makes way for it as in `grid`.
    pub(super) fn picture(&mut self, head: &Head) {
        if head.counts {
            self.events.count_picture();
        }
        let Some((cols, rows)) = head.cells.filter(|_| !matches!(head.part, Part::Later(_))) else {
            return;
        };
        self.settle();
        let at = self.position();
        let down = match head.moves {
            Moves::Under | Moves::Beside => rows - 1,
            Moves::Stays => 0,
        };
        let x = match head.moves {
            Moves::Beside => at.x.saturating_add(cols).min(self.size.cols - 1),
            Moves::Under | Moves::Stays => at.x,
        };
        if head.moves == Moves::Stays {
            return;
        }
        self.out.extend(std::iter::repeat_n(
            b'\n',
            usize::from(down.min(self.size.rows)),
        ));
        let y = self.position().y;
        self.goto(x, y);
    }

    /// A run of printable ASCII.
    pub(super) fn print_ascii(&mut self, run: &[u8]) {
        if self.flow_ascii(run) {
            return;
        }
        self.settle();
        let set = self.charsets.active();
        if set != Charset::Ascii {
            for &byte in run {
                self.put(set.char(byte, self.modes.national));
            }
            return;
        }
        self.last_char = run.last().map(|&byte| char::from(byte));
        self.put_ascii(run);
    }

    /// One character outside ASCII.
    pub(super) fn print(&mut self, c: char) {
        // It stands for a part of a picture, with marks that say which; here for a blank.
        if c == STAND_IN {
            self.put(' ');
            self.last_char = Some(c);
        } else if let Some(c) = printable(c) {
            let marks = self.last_char == Some(STAND_IN) && c.width() == Some(0);
            if !marks {
                self.put(c);
            }
        }
    }

    fn put(&mut self, c: char) {
        let width = u16::try_from(c.width().unwrap_or(1)).unwrap_or(1).min(2);
        if self.flow_char(c, width) {
            return;
        }
        self.settle();
        if width > 0 {
            self.last_char = Some(c);
        }
        let mut bytes = [0; 4];
        self.put_bytes(c.encode_utf8(&mut bytes).as_bytes(), width);
    }

    fn put_ascii(&mut self, run: &[u8]) {
        if self.modes.insert {
            for byte in run {
                self.put_bytes(&[*byte], 1);
            }
        } else if self.modes.autowrap {
            self.tell_pen();
            self.out.extend_from_slice(run);
            self.batch();
        } else {
            self.put_unwrapped(run);
        }
    }

    /// A run without autowrap: what does not fit overwrites the last column.
    fn put_unwrapped(&mut self, run: &[u8]) {
        let at = self.position();
        let room = usize::from(self.size.cols - 1 - at.x);
        self.tell_pen();
        match (run.split_at_checked(room), run.last()) {
            (Some((fits, rest)), Some(&last)) if !rest.is_empty() => {
                self.goto(at.x, at.y);
                self.out.extend_from_slice(fits);
                self.out.push(last);
                self.goto(self.size.cols - 1, at.y);
            }
            _ => self.out.extend_from_slice(run),
        }
    }

    /// One character as bytes, the slow way if a mode asks for it.
    fn put_bytes(&mut self, bytes: &[u8], width: u16) {
        self.tell_pen();
        let cols = self.size.cols;
        if width == 0 || (self.modes.autowrap && !self.modes.insert) {
            self.out.extend_from_slice(bytes);
            self.batch();
            return;
        }
        let at = self.position();
        let full = at.pending || at.x + width > cols;
        if full && !self.modes.autowrap && width <= cols {
            self.goto(cols - width, at.y);
        }
        if self.modes.insert {
            if full && self.modes.autowrap {
                self.out.extend_from_slice(b"\r\n");
            }
            sequence(&[width], b'@', &mut self.out);
        }
        self.out.extend_from_slice(bytes);
        if !self.modes.autowrap && self.position().pending {
            self.goto(cols - 1, at.y);
        }
    }

    fn batch(&mut self) {
        if self.out.len() >= BATCH {
            self.flush();
        }
    }

    /// REP: the last character again. More than a screenful shows nothing new,
    /// and nine bytes must not cost 65,535 prints.
    pub(super) fn repeat(&mut self, count: u16) {
        let Some(c) = self.last_char else { return };
        let c = if c == STAND_IN { ' ' } else { c };
        let count = usize::from(count).min(self.size.cells());
        if c.is_ascii() {
            let byte = u8::try_from(c).unwrap_or(b' ');
            self.put_ascii(&vec![byte; count]);
        } else {
            for _ in 0..count {
                self.put(c);
            }
        }
    }

    /// A C0 control.
    pub(super) fn execute(&mut self, byte: u8) {
        let held = match byte {
            0x0d => self.flow_return(),
            0x0a if self.flows() => self.flow_feed(),
            0x0a => self.flow_start(),
            _ => false,
        };
        if held {
            return;
        }
        self.settle();
        match byte {
            0x08 | 0x0d => self.out.push(byte),
            0x09 => self.tab(1),
            0x0a..=0x0c if self.modes.newline => self.out.extend_from_slice(b"\r\n"),
            0x0a..=0x0c => self.out.push(b'\n'),
            0x0e => self.charsets.left = 1,
            0x0f => self.charsets.left = 0,
            _ => {}
        }
        self.batch();
    }

    /// HT and CHT. A pending wrap stays, since the cursor does not move; vt100 would drop it.
    pub(super) fn tab(&mut self, count: u16) {
        if self.position().pending {
            return;
        }
        let count = count.min(self.size.cols);
        if self.tabs.is_none() {
            // vt100's own stops are every eighth column.
            let tabs = std::iter::repeat_n(b'\t', usize::from(count));
            self.out.extend(tabs);
            return;
        }
        let x = self.position().x;
        let stops = self.tabs.iter().flatten().filter(|&&stop| stop > x);
        let stop = stops.copied().nth(usize::from(count.saturating_sub(1)));
        let last = self.size.cols - 1;
        self.column(stop.unwrap_or(last).min(last));
    }

    /// CBT.
    pub(super) fn back_tab(&mut self, count: u16) {
        let x = self.position().x;
        let stops = self.stops();
        let back = stops.iter().rev().filter(|&&stop| stop < x);
        let stop = back.copied().nth(usize::from(count.saturating_sub(1)));
        self.column(stop.unwrap_or(0));
    }

    /// HTS.
    pub(super) fn set_stop(&mut self) {
        let x = self.position().x;
        let mut stops = self.stops();
        if let Err(at) = stops.binary_search(&x) {
            stops.insert(at, x);
        }
        self.tabs = Some(stops);
    }

    /// TBC.
    pub(super) fn clear_stops(&mut self, which: u16) {
        let mut stops = self.stops();
        match which {
            0 => {
                let x = self.position().x;
                stops.retain(|&stop| stop != x);
            }
            3 => stops.clear(),
            _ => return,
        }
        self.tabs = Some(stops);
    }

    fn stops(&self) -> Vec<u16> {
        let usual = || (8..self.size.cols).step_by(8).collect();
        self.tabs.clone().unwrap_or_else(usual)
    }

    fn column(&mut self, x: u16) {
        sequence(&[x + 1], b'G', &mut self.out);
    }
}
