//! Control and escape sequences: which one does what.

use super::core::Core;
use crate::parser::{Params, Sequence};
use crate::sgr;
use crate::sink::Event;
use crate::snapshot::{Charset, Joins};

impl Core {
    /// The effect of any other control sequence on screen and modes.
    pub(super) fn csi(&mut self, seq: &Sequence, byte: u8) -> Option<Event> {
        self.joins = Joins::No;
        match (seq.prefix(), seq.intermediates()) {
            (0, b"") => {}
            (b'?', b"") => match byte {
                b'J' => self.erase_display(seq.params().get(0), true),
                b'K' => self.erase_line(seq.params().get(0), true),
                b'W' if seq.params().get(0) == 5 => self.tabs = None,
                b'h' | b'l' => {
                    for group in seq.params() {
                        let number = group.first().copied().unwrap_or(0);
                        self.private_mode(number, byte == b'h');
                    }
                }
                b'r' => return self.restore_modes(seq, byte),
                _ => {}
            },
            (0, b"!") if byte == b'p' => self.soft_reset(),
            (0, intermediates) => self.with_intermediate(intermediates, seq, byte),
            _ => {}
        }
        let event = self.modes.csi(seq, byte);
        self.modes.alternate = self.on_alternate;
        event
    }

    /// A sequence without prefix and intermediates; false if it was none of these, which neither
    /// the mode table nor the answers need to see.
    #[inline]
    pub(super) fn plain(&mut self, seq: &Sequence, byte: u8) -> bool {
        self.joins = Joins::No;
        let params = seq.params();
        if byte == b'm' {
            self.rendition(params);
            return true;
        }
        let first = usize::from(params.or(0, 1));
        match byte {
            b'H' | b'f' => self.position(usize::from(params.or(1, 1)) - 1, first - 1),
            b'K' => self.erase_line(params.get(0), false),
            b'J' => self.erase_display(params.get(0), false),
            b'A' => self.up(first),
            b'B' => self.down(first),
            b'C' => self.forward(first),
            b'a' => self.relative(first, 0),
            b'e' => self.relative(0, first),
            b'D' => self.back(first),
            b'E' => {
                self.down(first);
                self.carriage_return();
            }
            b'F' => {
                self.up(first);
                self.carriage_return();
            }
            b'G' | b'`' => self.column(first - 1),
            b'd' => self.line(first - 1),
            b'X' => self.erase_cells(first),
            b'@' => self.insert_cells(first),
            b'P' => self.delete_cells(first),
            b'L' => self.shift_lines(first, true),
            b'M' => self.shift_lines(first, false),
            b'S' => self.scroll_up(first),
            b'T' if params.len() == 1 => self.scroll_down(first),
            b'^' => self.scroll_down(first),
            b'I' => self.tab(first),
            b'Z' => self.back_tab(first),
            b'b' => self.repeat(first),
            b'g' => self.clear_stops(params.get(0)),
            b'r' => self.scroll_region(params.or(0, 1), params.get(1)),
            b's' if self.modes.margins => self.set_margins(params.or(0, 1), params.get(1)),
            b's' if params.len() == 1 && params.get(0) == 0 => self.save_cursor(),
            b'u' if params.len() == 1 && params.get(0) == 0 => self.restore_cursor(),
            _ => return false,
        }
        true
    }

    /// SGR.
    #[inline]
    fn rendition(&mut self, params: &Params) {
        let Some(values) = params.flat() else {
            sgr::apply(&mut self.pen, params);
            return self.repen();
        };
        if !self.recolour(values) {
            sgr::apply(&mut self.pen, values.iter().map(std::slice::from_ref));
            self.repen();
        }
    }

    /// The commonest settings of the pen, its word changed in place; false if it is another one.
    #[inline]
    fn recolour(&mut self, values: &[u16]) -> bool {
        match *values {
            [0] => self.plain_pen(),
            [value @ 30..=37] => self.palette_pen(value - 30),
            [value @ 90..=97] => self.palette_pen(value - 82),
            [38, 5, value] => self.palette_pen(value),
            _ => false,
        }
    }

    fn with_intermediate(&mut self, intermediates: &[u8], seq: &Sequence, byte: u8) {
        let params = seq.params();
        let n = usize::from(params.or(0, 1));
        match (intermediates, byte) {
            (b" ", b'@') => self.shift_region(n, false),
            (b" ", b'A') => self.shift_region(n, true),
            (b"'", b'}') => self.shift_at_cursor(n, true),
            (b"'", b'~') => self.shift_at_cursor(n, false),
            (b"$", b'x') => self.fill_rectangle(params),
            (b"$", b'z') => self.erase_rectangle(params),
            (b"$", b'{') => self.wipe_rectangle(params),
            (b"$", b'r') => self.change_rectangle(params, false),
            (b"$", b't') => self.change_rectangle(params, true),
            (b"$", b'v') => self.copy_rectangle(params),
            (b"#", b'{' | b'p') => self.pens.push(&self.pen, params),
            (b"#", b'}' | b'q') => {
                self.pens.pop(&mut self.pen);
                self.repen();
            }
            (b"\"", b'q') => {
                self.pen.protected = params.get(0) == 1;
                self.repen();
            }
            _ => {}
        }
    }

    fn private_mode(&mut self, number: u16, on: bool) {
        match number {
            3 if self.modes.allow_columns => self.clear_for_columns(),
            6 => self.set_origin(on),
            47 | 1047 | 1048 | 1049 => self.alternate(number, on),
            69 if !on => {
                self.left = 0;
                self.right = self.cols() - 1;
            }
            _ => {}
        }
    }

    /// XTRESTORE may bring back modes that move the cursor or show the other screen.
    fn restore_modes(&mut self, seq: &Sequence, byte: u8) -> Option<Event> {
        let (origin, margins) = (self.modes.origin, self.modes.margins);
        let event = self.modes.csi(seq, byte);
        let (alternate, wanted) = (self.modes.alternate, self.modes.origin);
        if alternate != self.on_alternate {
            self.modes.origin = origin;
            self.alternate(47, alternate);
        }
        if wanted != origin {
            self.set_origin(wanted);
        }
        if margins && !self.modes.margins {
            self.private_mode(69, false);
        }
        event
    }

    /// DECSTBM. An impossible region changes nothing.
    fn scroll_region(&mut self, top: u16, bottom: u16) {
        let (top, bottom) = (usize::from(top), usize::from(bottom));
        let bottom = if bottom == 0 {
            self.rows()
        } else {
            bottom.min(self.rows())
        };
        if top < bottom {
            self.top = top - 1;
            self.bottom = bottom - 1;
            self.position(0, 0);
        }
    }

    /// DECSLRM.
    fn set_margins(&mut self, left: u16, right: u16) {
        let (left, right) = (usize::from(left), usize::from(right));
        let right = if right == 0 {
            self.cols()
        } else {
            right.min(self.cols())
        };
        if left < right {
            self.left = left - 1;
            self.right = right - 1;
            self.position(0, 0);
        }
    }

    /// An escape sequence's effect on screen and modes.
    pub(super) fn esc(&mut self, intermediates: &[u8], byte: u8) {
        self.joins = Joins::No;
        match (intermediates, byte) {
            (b"", b'7') => self.save_cursor(),
            (b"", b'8') => self.restore_cursor(),
            (b"", b'D') => self.index(),
            (b"", b'E') => {
                self.index();
                self.carriage_return();
            }
            (b"", b'H') => self.set_stop(),
            (b"", b'M') => self.reverse_index(),
            (b"", b'6') => self.column_index(false),
            (b"", b'9') => self.column_index(true),
            (b"", b'c') => self.full_reset(),
            (b"", b'N') => self.charsets.single = 2,
            (b"", b'O') => self.charsets.single = 3,
            (b"", b'n') => self.charsets.left = 2,
            (b"", b'o') => self.charsets.left = 3,
            (b"#", b'8') => self.alignment_test(),
            (&[g @ b'('..=b'+', ref more @ ..], set) => {
                let set = Charset::designated(more, set);
                if let Some(place) = self.charsets.sets.get_mut(usize::from(g - b'(')) {
                    *place = set;
                }
            }
            #[cfg(test)]
            (b"#", b'9') if self.trap => panic!("a fault for tests"),
            _ => self.modes.esc(intermediates, byte),
        }
    }

    /// A C0 control.
    #[inline]
    pub(super) fn execute(&mut self, byte: u8) {
        self.joins = Joins::No;
        match byte {
            0x08 => self.back(1),
            0x09 => self.tab(1),
            0x0a..=0x0c => {
                self.index();
                if self.modes.newline {
                    self.carriage_return();
                }
            }
            0x0d => self.carriage_return(),
            0x0e => self.charsets.left = 1,
            0x0f => self.charsets.left = 0,
            _ => {}
        }
    }

    /// OSC 8: what is written from now on belongs to this link, or to none.
    pub(super) fn hyperlink(&mut self, text: &[u8]) {
        self.pen.link = self.target(text);
        self.repen();
    }

    fn target(&mut self, text: &[u8]) -> Option<u32> {
        let text = std::str::from_utf8(text).ok()?;
        let (params, target) = text.split_once(';')?;
        if target.is_empty() || text.chars().any(char::is_control) {
            return None;
        }
        let id = params.split(':').find(|param| param.starts_with("id="));
        self.link(&format!("{};{target}", id.unwrap_or_default()))
    }
}
