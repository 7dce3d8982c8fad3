//! The mode table as bytes for a real terminal: set it, undo it, and take back what a dead
//! program left.

use super::{CursorShape, KittyStack, Modes, MouseEncoding, MouseMode};
use crate::colours::spelled;

/// Private modes that are plain switches a viewer's terminal should follow, in the order they
/// are sent. Not among them: the alternate screen (placed by the caller), 2026 (a pending one
/// must never be replayed), the mouse, and 3 with its kin, which would clear.
const SWITCHES: [u16; 13] = [1, 5, 6, 7, 25, 42, 45, 66, 69, 1004, 1007, 2004, 2031];

impl Modes {
    /// Bytes that set these modes on a terminal in its power-on state. Left out: mode 2026, saved
    /// modes and the title stack, which a real terminal has no use for. The alternate screen
    /// comes by `CSI ? 1049 h`, before its kitty flags.
    pub fn to_ansi(&self) -> Vec<u8> {
        let mut out = self.shared_ansi();
        push_kitty(&self.kitty_main, &mut out);
        if self.alternate {
            out.extend_from_slice(b"\x1b[?1049h");
            push_kitty(&self.kitty_alternate, &mut out);
        } else if !self.kitty_alternate.is_empty() {
            on_other_screen(false, &mut out, |out| {
                push_kitty(&self.kitty_alternate, out);
            });
        }
        out
    }

    /// The part of [`Modes::to_ansi`] that is the same on both screens: everything but the
    /// alternate screen and the kitty keyboard.
    pub fn shared_ansi(&self) -> Vec<u8> {
        let start = Self::default();
        let mut out = Vec::new();
        for number in SWITCHES {
            let value = self.private(number);
            if value != start.private(number) {
                switch(number, value == Some(true), &mut out);
            }
        }
        for number in [self.mouse.number(), self.mouse_encoding.number()] {
            if number != 0 {
                switch(number, true, &mut out);
            }
        }
        for (number, on) in [(4, self.insert), (20, self.newline)] {
            if on {
                out.extend_from_slice(format!("\x1b[{number}h").as_bytes());
            }
        }
        if self.rectangles {
            out.extend_from_slice(b"\x1b[2*x");
        }
        if self.modify_other_keys != 0 {
            out.extend_from_slice(format!("\x1b[>4;{}m", self.modify_other_keys).as_bytes());
        }
        if self.cursor_shape != CursorShape::Default {
            out.extend_from_slice(format!("\x1b[{} q", self.cursor_style()).as_bytes());
        } else if self.cursor_blink {
            switch(12, true, &mut out);
        }
        self.colours_ansi(&mut out);
        if !self.titles.current().is_empty() {
            out.extend_from_slice(format!("\x1b]2;{}\x1b\\", self.titles.current()).as_bytes());
        }
        out
    }

    /// Bytes that push the kitty flags of one screen; that screen must be shown.
    pub fn kitty_ansi(&self, alternate: bool) -> Vec<u8> {
        let mut out = Vec::new();
        push_kitty(
            if alternate {
                &self.kitty_alternate
            } else {
                &self.kitty_main
            },
            &mut out,
        );
        out
    }

    fn colours_ansi(&self, out: &mut Vec<u8>) {
        for (index, colour) in &self.colours.palette {
            out.extend_from_slice(format!("\x1b]4;{index};{}\x1b\\", spelled(*colour)).as_bytes());
        }
        let dynamic = [
            self.colours.foreground,
            self.colours.background,
            self.colours.cursor,
        ];
        for (number, colour) in (10..).zip(dynamic) {
            if let Some(colour) = colour {
                out.extend_from_slice(
                    format!("\x1b]{number};{}\x1b\\", spelled(colour)).as_bytes(),
                );
            }
        }
    }

    /// Bytes that undo every mode that differs from power-on, for a client that leaves the outer
    /// terminal. Empty for a table at power-on. The title is left alone.
    pub fn undo(&self) -> Vec<u8> {
        let start = Self::default();
        let mut out = Vec::new();
        if self.sync {
            switch(2026, false, &mut out);
        }
        if self.alternate {
            pop_kitty(&self.kitty_alternate, &mut out);
            switch(1049, false, &mut out);
        } else if !self.kitty_alternate.is_empty() {
            on_other_screen(false, &mut out, |out| pop_kitty(&self.kitty_alternate, out));
        }
        pop_kitty(&self.kitty_main, &mut out);
        if self.rectangles {
            out.extend_from_slice(b"\x1b[0*x");
        }
        if self.modify_other_keys != 0 {
            out.extend_from_slice(b"\x1b[>4;0m");
        }
        for number in [self.mouse.number(), self.mouse_encoding.number()] {
            if number != 0 {
                switch(number, false, &mut out);
            }
        }
        for number in SWITCHES {
            let wanted = start.private(number);
            if self.private(number) != wanted {
                switch(number, wanted == Some(true), &mut out);
            }
        }
        for (number, on) in [(4, self.insert), (20, self.newline)] {
            if on {
                out.extend_from_slice(format!("\x1b[{number}l").as_bytes());
            }
        }
        if self.cursor_shape != CursorShape::Default {
            out.extend_from_slice(b"\x1b[0 q");
        } else if self.cursor_blink {
            switch(12, false, &mut out);
        }
        self.undo_colours(&mut out);
        out
    }

    fn undo_colours(&self, out: &mut Vec<u8>) {
        if !self.colours.palette.is_empty() {
            out.extend_from_slice(b"\x1b]104\x1b\\");
        }
        let dynamic = [
            self.colours.foreground,
            self.colours.background,
            self.colours.cursor,
        ];
        for (number, colour) in (110..).zip(dynamic) {
            if colour.is_some() {
                out.extend_from_slice(format!("\x1b]{number}\x1b\\").as_bytes());
            }
        }
    }

    /// Takes back what a program that died left set (see [`Modes::risky`]), and with it a pending
    /// synchronized update (2026), which is set too often to be told each time. Gives the bytes
    /// that do the same on every viewer; empty if there was nothing.
    pub fn reset_left(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let alternate = self.alternate;
        let (shown, other) = if alternate {
            (&self.kitty_alternate, &self.kitty_main)
        } else {
            (&self.kitty_main, &self.kitty_alternate)
        };
        pop_kitty(shown, &mut out);
        if !other.is_empty() {
            on_other_screen(alternate, &mut out, |out| pop_kitty(other, out));
        }
        self.kitty_main.clear();
        self.kitty_alternate.clear();
        if self.modify_other_keys != 0 {
            self.modify_other_keys = 0;
            out.extend_from_slice(b"\x1b[>4;0m");
        }
        if self.mouse != MouseMode::Off {
            switch(self.mouse.number(), false, &mut out);
            self.mouse = MouseMode::Off;
        }
        if self.mouse_encoding != MouseEncoding::Default {
            switch(self.mouse_encoding.number(), false, &mut out);
            self.mouse_encoding = MouseEncoding::Default;
        }
        for (number, wanted) in [(1004, false), (2004, false), (2026, false), (25, true)] {
            if self.private(number) != Some(wanted) {
                self.set_private(number, wanted);
                switch(number, wanted, &mut out);
            }
        }
        out
    }
}

fn switch(number: u16, on: bool, out: &mut Vec<u8>) {
    let last = if on { 'h' } else { 'l' };
    out.extend_from_slice(format!("\x1b[?{number}{last}").as_bytes());
}

fn push_kitty(stack: &KittyStack, out: &mut Vec<u8>) {
    for flags in stack.entries() {
        out.extend_from_slice(format!("\x1b[>{flags}u").as_bytes());
    }
}

fn pop_kitty(stack: &KittyStack, out: &mut Vec<u8>) {
    if !stack.is_empty() {
        out.extend_from_slice(format!("\x1b[<{}u", stack.entries().len()).as_bytes());
    }
}

/// Writes for the screen that is not shown. Mode 47 neither clears nor moves the cursor.
fn on_other_screen(alternate: bool, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    switch(47, !alternate, out);
    write(out);
    switch(47, alternate, out);
}
