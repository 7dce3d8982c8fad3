//! DEC private modes by number.

use super::{Modes, MouseEncoding, MouseMode};

impl Modes {
    /// A private mode's value; `None` if it is not one of this table (2027 is not: grapheme
    /// clusters are always on).
    pub fn private(&self, number: u16) -> Option<bool> {
        Some(match number {
            1 => self.cursor_keys,
            3 => self.columns_132,
            5 => self.reverse_video,
            6 => self.origin,
            7 => self.autowrap,
            12 => self.cursor_blink,
            25 => self.cursor_visible,
            40 => self.allow_columns,
            42 => self.national,
            45 => self.reverse_wrap,
            47 | 1047 | 1049 => self.alternate,
            66 => self.keypad,
            69 => self.margins,
            95 => self.keep_on_columns,
            9 | 1000 | 1002 | 1003 => self.mouse.number() == number,
            1004 => self.focus,
            1005 | 1006 | 1015 | 1016 => self.mouse_encoding.number() == number,
            1007 => self.alternate_scroll,
            2004 => self.bracketed_paste,
            2026 => self.sync,
            2031 => self.scheme_reports,
            _ => return None,
        })
    }

    /// Sets a private mode; an unknown number changes nothing.
    pub fn set_private(&mut self, number: u16, on: bool) {
        match number {
            1 => self.cursor_keys = on,
            3 if self.allow_columns => self.columns_132 = on,
            5 => self.reverse_video = on,
            6 => self.origin = on,
            7 => self.autowrap = on,
            12 => self.cursor_blink = on,
            25 => self.cursor_visible = on,
            40 => self.allow_columns = on,
            42 => self.national = on,
            45 => self.reverse_wrap = on,
            47 | 1047 | 1049 => self.alternate = on,
            66 => self.keypad = on,
            69 => self.margins = on,
            95 => self.keep_on_columns = on,
            1004 => self.focus = on,
            1007 => self.alternate_scroll = on,
            2004 => self.bracketed_paste = on,
            2026 => self.sync = on,
            2031 => self.scheme_reports = on,
            _ => self.set_mouse(number, on),
        }
    }

    fn set_mouse(&mut self, number: u16, on: bool) {
        if number == 0 {
            return;
        }
        if let Some(mode) = MouseMode::from_number(number) {
            self.mouse = if on { mode } else { MouseMode::Off };
        }
        if let Some(encoding) = MouseEncoding::from_number(number) {
            if on {
                self.mouse_encoding = encoding;
            } else if self.mouse_encoding == encoding {
                self.mouse_encoding = MouseEncoding::Default;
            }
        }
    }
}
