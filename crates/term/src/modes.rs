//! The mode table: every mode of the terminal that is not a cell, kept once for all engines.
//!
//! In: parsed control and escape sequences; out: the table itself, the bytes that set it on
//! another terminal ([`Modes::to_ansi`]), the bytes that undo it ([`Modes::undo`]) and a stable
//! byte form ([`Modes::encode`]). Plain data, bounded: kitty stacks hold 32 entries a screen, the
//! title stack 16 titles of 1 KiB, saved modes only modes of this table.
//!
//! Sources: xterm "Control Sequences" (DECSET, DECSTR, XTSAVE, XTMODKEYS, DECSCUSR), the kitty
//! keyboard protocol page (push, pop, set), contour's notes on modes 2026, 2027 and 2031.

mod ansi;
mod codec;
mod kinds;
mod kitty;
mod private;
mod titles;

#[cfg(test)]
mod tests;

pub use codec::Truncated;
pub use kinds::{CursorShape, MouseEncoding, MouseMode};
pub use kitty::{KITTY_DEPTH, KittyStack};
pub use titles::{TITLE_LIMIT, Titles};

use std::collections::BTreeMap;

use crate::colours::Overrides;
use crate::parser::Sequence;
use crate::sink::Event;

/// The table. `Default` is the state at power-on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Modes {
    /// 1, DECCKM: cursor keys send SS3.
    pub cursor_keys: bool,
    /// 3, DECCOLM: 132 columns. Only told; the size is the viewer's. Needs 40.
    pub columns_132: bool,
    /// 40: mode 3 may be set.
    pub allow_columns: bool,
    /// 95, DECNCSM: mode 3 does not clear the screen.
    pub keep_on_columns: bool,
    /// 42, DECNRCM: national character sets replace characters.
    pub national: bool,
    /// 5, DECSCNM: the screen is inverse.
    pub reverse_video: bool,
    /// 6, DECOM: addresses count from the region's corner.
    pub origin: bool,
    /// 7, DECAWM: text goes on in the next row.
    pub autowrap: bool,
    /// 12 and odd DECSCUSR numbers: the cursor blinks.
    pub cursor_blink: bool,
    /// 25, DECTCEM.
    pub cursor_visible: bool,
    /// DECSCUSR.
    pub cursor_shape: CursorShape,
    /// 45: backspace goes on in the row above.
    pub reverse_wrap: bool,
    /// 47, 1047, 1049: the alternate screen is shown.
    pub alternate: bool,
    /// 66, `ESC =`: the keypad sends its own sequences.
    pub keypad: bool,
    /// 69, DECLRMM: left and right margins may be set.
    pub margins: bool,
    /// DECSACE 2: DECCARA and DECRARA change rectangles, not streams of cells.
    pub rectangles: bool,
    /// 9, 1000, 1002, 1003.
    pub mouse: MouseMode,
    /// 1005, 1006, 1015, 1016.
    pub mouse_encoding: MouseEncoding,
    /// 1004: focus changes are told.
    pub focus: bool,
    /// 1007: on the alternate screen the wheel sends cursor keys. On at power-on, as in most
    /// terminals but xterm.
    pub alternate_scroll: bool,
    /// 2004: pastes are bracketed.
    pub bracketed_paste: bool,
    /// 2026: drawing is held back.
    pub sync: bool,
    /// 2031: changes of the colour scheme are told.
    pub scheme_reports: bool,
    /// ANSI 4, IRM: text pushes what is behind it.
    pub insert: bool,
    /// ANSI 20, LNM: a line feed returns too, Enter sends both.
    pub newline: bool,
    /// XTMODKEYS 4: 0 off, 1 but for well-known keys, 2 all.
    pub modify_other_keys: u8,
    /// Kitty keyboard flags of the main screen.
    pub kitty_main: KittyStack,
    /// Kitty keyboard flags of the alternate screen.
    pub kitty_alternate: KittyStack,
    /// Colours the program set.
    pub colours: Overrides,
    /// Window title and its stack.
    pub titles: Titles,
    /// Private modes saved by XTSAVE, by number.
    pub saved: BTreeMap<u16, bool>,
}

impl Default for Modes {
    fn default() -> Self {
        Self {
            cursor_keys: false,
            columns_132: false,
            allow_columns: false,
            keep_on_columns: false,
            national: false,
            reverse_video: false,
            origin: false,
            autowrap: true,
            cursor_blink: false,
            cursor_visible: true,
            cursor_shape: CursorShape::Default,
            reverse_wrap: false,
            alternate: false,
            keypad: false,
            margins: false,
            rectangles: false,
            mouse: MouseMode::Off,
            mouse_encoding: MouseEncoding::Default,
            focus: false,
            alternate_scroll: true,
            bracketed_paste: false,
            sync: false,
            scheme_reports: false,
            insert: false,
            newline: false,
            modify_other_keys: 0,
            kitty_main: KittyStack::default(),
            kitty_alternate: KittyStack::default(),
            colours: Overrides::default(),
            titles: Titles::default(),
            saved: BTreeMap::new(),
        }
    }
}

impl Modes {
    /// Kitty keyboard flags in force, 0 to 31.
    pub fn kitty(&self) -> u8 {
        if self.alternate {
            self.kitty_alternate.flags()
        } else {
            self.kitty_main.flags()
        }
    }

    /// The kitty stack of the screen that is shown.
    fn kitty_stack(&mut self) -> &mut KittyStack {
        if self.alternate {
            &mut self.kitty_alternate
        } else {
            &mut self.kitty_main
        }
    }

    /// Applies a control sequence; others are left alone. Gives the event that follows, if any:
    /// [`Event::RiskyMode`] or a title from the stack.
    pub fn csi(&mut self, seq: &Sequence, byte: u8) -> Option<Event> {
        // Colours and cursor moves are most of a stream.
        if seq.is_plain() && !matches!(byte, b'h' | b'l' | b't') {
            return None;
        }
        let was_risky = self.risky();
        match (seq.prefix(), seq.intermediates(), byte) {
            (b'?', b"", b'h' | b'l') => {
                for group in seq.params() {
                    self.set_private(group[0], byte == b'h');
                }
            }
            (b'?', b"", b's') => self.save(seq),
            (b'?', b"", b'r') => self.restore(seq),
            (0, b"", b'h' | b'l') => {
                for group in seq.params() {
                    self.set_ansi(group[0], byte == b'h');
                }
            }
            (0, b" ", b'q') => self.set_cursor_style(seq.params().get(0)),
            (0, b"!", b'p') => self.soft_reset(),
            (0, b"*", b'x') => self.set_extent(seq.params().get(0)),
            (b'>', b"", b'm') => self.modify_keys(seq),
            (b'>', b"", b'n') if seq.params().get(0) == 4 => self.modify_other_keys = 0,
            (b'>', b"", b'u') => {
                let flags = kitty::flags(seq.params().get(0));
                self.kitty_stack().push(flags);
            }
            (b'<', b"", b'u') => {
                let count = seq.params().or(0, 1);
                self.kitty_stack().pop(count);
            }
            (b'=', b"", b'u') => {
                let flags = kitty::flags(seq.params().get(0));
                let how = seq.params().or(1, 1);
                self.kitty_stack().set(flags, how);
            }
            (0, b"", b't') => return self.title_stack(seq).map(Event::Title),
            _ => return None,
        }
        // Told each time one is set anew, since another program may be in front by now.
        let sets = matches!(byte, b'h' | b'l' | b'r' | b'm' | b'u');
        (sets && self.risky() && (!was_risky || sets_risky(seq, byte))).then_some(Event::RiskyMode)
    }

    /// Applies an escape sequence; others are left alone.
    pub fn esc(&mut self, intermediates: &[u8], byte: u8) {
        match (intermediates, byte) {
            (b"", b'=') => self.keypad = true,
            (b"", b'>') => self.keypad = false,
            (b"", b'c') => self.reset(),
            _ => {}
        }
    }

    /// RIS: everything as at power-on, except that the title stays.
    pub fn reset(&mut self) {
        let title = std::mem::take(&mut self.titles).into_current();
        *self = Self {
            titles: Titles::of(title),
            ..Self::default()
        };
    }

    /// DECSTR (VT510 manual; DECAWM goes to its power-on state, as in xterm).
    pub fn soft_reset(&mut self) {
        self.cursor_visible = true;
        self.insert = false;
        self.origin = false;
        self.autowrap = true;
        self.reverse_wrap = false;
        self.cursor_keys = false;
        self.keypad = false;
        self.margins = false;
    }

    /// An ANSI mode's value; `None` if it is not known.
    pub fn ansi(&self, number: u16) -> Option<bool> {
        match number {
            4 => Some(self.insert),
            20 => Some(self.newline),
            _ => None,
        }
    }

    fn set_ansi(&mut self, number: u16, on: bool) {
        match number {
            4 => self.insert = on,
            20 => self.newline = on,
            _ => {}
        }
    }

    fn set_extent(&mut self, number: u16) {
        match number {
            0 | 1 => self.rectangles = false,
            2 => self.rectangles = true,
            _ => {}
        }
    }

    fn set_cursor_style(&mut self, number: u16) {
        self.cursor_shape = match number {
            0 => CursorShape::Default,
            1 | 2 => CursorShape::Block,
            3 | 4 => CursorShape::Underline,
            5 | 6 => CursorShape::Bar,
            _ => return,
        };
        self.cursor_blink = number % 2 == 1;
    }

    /// The number DECSCUSR would take for the cursor as it is, 0 to 6.
    pub fn cursor_style(&self) -> u8 {
        let steady = match self.cursor_shape {
            CursorShape::Default => return 0,
            CursorShape::Block => 2,
            CursorShape::Underline => 4,
            CursorShape::Bar => 6,
        };
        steady - u8::from(self.cursor_blink)
    }

    fn modify_keys(&mut self, seq: &Sequence) {
        let params = seq.params();
        let resource = params.get(0);
        if resource == 4 || (resource == 0 && params.len() == 1) {
            self.modify_other_keys = u8::try_from(params.get(1).min(2)).unwrap_or(0);
        }
    }

    fn title_stack(&mut self, seq: &Sequence) -> Option<String> {
        // 1 is the icon's title alone, which is not kept.
        if seq.params().get(1) == 1 {
            return None;
        }
        match seq.params().get(0) {
            22 => self.titles.push(),
            23 => return self.titles.pop(),
            _ => {}
        }
        None
    }

    fn save(&mut self, seq: &Sequence) {
        for number in seq.params().iter().map(|group| group[0]) {
            if let Some(on) = self.private(number) {
                self.saved.insert(number, on);
            }
        }
    }

    fn restore(&mut self, seq: &Sequence) {
        for number in seq.params().iter().map(|group| group[0]) {
            if let Some(&on) = self.saved.get(&number) {
                self.set_private(number, on);
            }
        }
    }

    /// True while a mode is set that a program which dies leaves behind to the annoyance of the
    /// next: mouse, focus, bracketed paste, kitty keyboard, modifyOtherKeys, hidden cursor.
    pub fn risky(&self) -> bool {
        self.mouse != MouseMode::Off
            || self.focus
            || self.bracketed_paste
            || !self.cursor_visible
            || self.modify_other_keys != 0
            || !self.kitty_main.is_empty()
            || !self.kitty_alternate.is_empty()
    }
}

/// True for sequences that switch a risky mode on.
fn sets_risky(seq: &Sequence, byte: u8) -> bool {
    let any = |numbers: &[u16]| seq.params().iter().any(|group| numbers.contains(&group[0]));
    match (seq.prefix(), byte) {
        (b'?', b'h') => any(&[9, 1000, 1002, 1003, 1004, 2004]),
        (b'?', b'l') => any(&[25]),
        (b'>', b'u' | b'm') | (b'=', b'u') => true,
        _ => false,
    }
}
