//! Control and escape sequences: what vt100 knows is passed on in its simplest
//! spelling, what it does wrongly or not at all is put together from that.

use super::Core;
use crate::cell::Style;
use crate::paint::sequence;
use crate::parser::Sequence;
use crate::picture::Album;
use crate::sgr::{self, Stack};
use crate::sink::Event;
use crate::snapshot::Charset;

impl Core {
    /// A control sequence's effect on screen and modes.
    pub(super) fn csi(&mut self, seq: &Sequence, byte: u8) -> Option<Event> {
        match byte {
            // The pen is told when something is written with it.
            b'm' if seq.is_plain() => {
                sgr::apply(&mut self.pen, seq.params());
                return None;
            }
            b'K' if seq.params().get(0) == 0 && seq.is_plain() && self.flow_erases_nothing() => {
                return None;
            }
            _ => self.settle(),
        }
        match (seq.prefix(), seq.intermediates(), byte) {
            (0, b"", _) => {
                self.plain(seq, byte);
                if !matches!(byte, b'h' | b'l' | b't') {
                    return None;
                }
            }
            (b'?', b"", b'J' | b'K') => self.erase(seq.params().get(0), byte),
            (b'?', b"", b'h' | b'l') => {
                for group in seq.params() {
                    self.private_mode(group.first().copied().unwrap_or(0), byte == b'h');
                }
            }
            (b'?', b"", b'r') => return self.restore_modes(seq, byte),
            (0, b"!", b'p') => self.soft_reset(),
            (0, b"#", b'{' | b'p') => self.pens.push(&self.pen, seq.params()),
            (0, b"#", b'}' | b'q') => self.pens.pop(&mut self.pen),
            _ => {}
        }
        let event = self.modes.csi(seq, byte);
        self.modes.alternate = self.on_alternate;
        event
    }

    /// XTRESTORE may bring modes back that are also vt100's.
    fn restore_modes(&mut self, seq: &Sequence, byte: u8) -> Option<Event> {
        let origin = self.modes.origin;
        let event = self.modes.csi(seq, byte);
        let (alternate, wanted) = (self.modes.alternate, self.modes.origin);
        if alternate != self.on_alternate {
            self.modes.origin = origin;
            self.alternate(47, alternate);
        }
        if wanted != origin {
            self.set_origin(wanted);
        }
        event
    }

    fn private_mode(&mut self, number: u16, on: bool) {
        match number {
            3 if self.modes.allow_columns => self.clear_for_columns(),
            6 => self.set_origin(on),
            47 | 1047 | 1048 | 1049 => self.alternate(number, on),
            _ => {}
        }
    }

    fn plain(&mut self, seq: &Sequence, byte: u8) {
        let params = seq.params();
        let n = params.or(0, 1);
        match byte {
            b'E' | b'F' => {
                self.vertical(n, if byte == b'E' { b'B' } else { b'A' });
                self.out.push(b'\r');
            }
            b'@' | b'C' | b'D' | b'G' | b'L' | b'M' | b'P' | b'S' => {
                self.pass(n, byte);
            }
            b'T' if params.len() == 1 => self.pass(n, b'T'),
            b'a' => self.pass(n, b'C'),
            b'`' => self.pass(n, b'G'),
            b'A' | b'B' => self.vertical(n, byte),
            b'e' => {
                self.pass(n, b'B');
                self.drop_pending_wrap();
            }
            b'd' => self.row_absolute(n),
            b'H' | b'f' => {
                let column = params.or(1, 1);
                sequence(&[n, column], b'H', &mut self.out);
            }
            b'I' => self.tab(n),
            b'Z' => self.back_tab(n),
            b'J' | b'K' => self.erase(params.get(0), byte),
            b'X' => {
                self.tell_erasing_pen();
                self.pass(n, b'X');
            }
            b'b' => self.repeat(n),
            b'g' => self.clear_stops(params.get(0)),
            b'r' => self.scroll_region(n, params.or(1, self.size.rows)),
            b's' if params.len() == 1 && params.get(0) == 0 => self.save_cursor(),
            b'u' if params.len() == 1 && params.get(0) == 0 => self.restore_cursor(),
            _ => {}
        }
    }

    fn pass(&mut self, n: u16, byte: u8) {
        sequence(&[n], byte, &mut self.out);
    }

    /// CUU and CUD. vt100 keeps a pending wrap through them and then prints
    /// in the wrong row; everyone else drops it.
    fn vertical(&mut self, n: u16, byte: u8) {
        let n = self.within_region(n, byte);
        if n > 0 {
            self.pass(n, byte);
        }
        self.drop_pending_wrap();
    }

    /// How many rows of `n` there are up to the region's edge. vt100 stops there only on the way
    /// out of the region, xterm and tmux also on the way through it.
    fn within_region(&mut self, n: u16, byte: u8) -> u16 {
        let (top, bottom) = self.region();
        if (top, bottom) == (0, self.size.rows - 1) {
            return n;
        }
        let y = self.position().y;
        match byte {
            b'A' | b'F' if y >= top => n.min(y - top),
            b'B' | b'E' if y <= bottom => n.min(bottom - y),
            _ => n,
        }
    }

    fn drop_pending_wrap(&mut self) {
        if self.position().pending {
            self.pass(self.size.cols, b'G');
        }
    }

    /// VPA, which counts from the region in origin mode (not so in vt100).
    fn row_absolute(&mut self, n: u16) {
        let (top, bottom) = self.region();
        let row = if self.modes.origin {
            n.saturating_add(top).min(bottom + 1)
        } else {
            n
        };
        self.vertical(row, b'd');
    }

    /// ED and EL; ED 3 forgets the scrollback.
    fn erase(&mut self, which: u16, byte: u8) {
        match which {
            0..=2 => {
                self.tell_erasing_pen();
                self.pass_raw(which, byte);
            }
            3 if byte == b'J' => {
                self.flush();
                self.vt.callbacks_mut().store.clear();
            }
            _ => {}
        }
    }

    fn pass_raw(&mut self, n: u16, byte: u8) {
        sequence(&[n], byte, &mut self.out);
    }

    /// Erased cells take the background, not underline or inverse.
    fn tell_erasing_pen(&mut self) {
        let pen = self.pen;
        self.pen = Style {
            bg: pen.bg,
            ..Style::default()
        };
        self.tell_pen();
        self.pen = pen;
    }

    /// DECSTBM. An impossible region changes nothing (vt100 would take all).
    fn scroll_region(&mut self, top: u16, bottom: u16) {
        let bottom = bottom.min(self.size.rows);
        if top < bottom {
            self.set_region((top - 1, bottom - 1));
            sequence(&[top, bottom], b'r', &mut self.out);
            self.out.extend_from_slice(b"\x1b[H");
        }
    }

    /// An escape sequence's effect on screen and modes.
    pub(super) fn esc(&mut self, intermediates: &[u8], byte: u8) {
        self.settle();
        match (intermediates, byte) {
            (b"", b'7') => self.save_cursor(),
            (b"", b'8') => self.restore_cursor(),
            (b"", b'D') => self.out.push(b'\n'),
            (b"", b'E') => self.out.extend_from_slice(b"\r\n"),
            (b"", b'H') => self.set_stop(),
            (b"", b'M') => self.reverse_index(),
            (b"", b'c') => {
                self.full_reset();
                self.pens = Stack::default();
                self.events.reset();
                self.album = Album::default();
            }
            (b"#", b'8') => self.alignment_test(),
            (&[b'(', ref more @ ..], set) => {
                self.charsets.sets[0] = Charset::designated(more, set);
            }
            (&[b')', ref more @ ..], set) => {
                self.charsets.sets[1] = Charset::designated(more, set);
            }
            _ => self.modes.esc(intermediates, byte),
        }
    }

    /// RI. vt100 scrolls the region also from the first row above it.
    fn reverse_index(&mut self) {
        if self.region().0 == 0 || self.position().y > 0 {
            self.out.extend_from_slice(b"\x1bM");
        }
    }

    /// DECCOLM, either way, but for the width.
    fn clear_for_columns(&mut self) {
        if !self.modes.keep_on_columns {
            self.erase(2, b'J');
        }
        self.set_region((0, self.size.rows - 1));
        self.out.extend_from_slice(b"\x1b[r");
        self.goto(0, 0);
    }

    /// DECALN: the screen full of E, region and origin mode off.
    fn alignment_test(&mut self) {
        self.set_origin(false);
        self.set_region((0, self.size.rows - 1));
        self.out.extend_from_slice(b"\x1b[r\x1b[m\x1b[2J");
        let line = vec![b'E'; usize::from(self.size.cols)];
        for y in 0..self.size.rows {
            self.goto(0, y);
            self.out.extend_from_slice(&line);
        }
        self.goto(0, 0);
        self.retell_pen();
    }
}
