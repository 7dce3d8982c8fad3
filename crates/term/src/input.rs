//! What a person does, as the bytes a program expects: keys, mouse, pastes, focus.
//!
//! In: an input and the mode table; out: bytes for the pane's input, empty or `None` when the
//! program did not ask for such a thing. Pure functions. The one place where an answer depends
//! on text from outside is the paste, which is cleaned: nothing in it can end the brackets.
//!
//! Sources: xterm "Control Sequences" (cursor and function keys, mouse tracking, bracketed
//! paste) and "XTerm – Other Modified Keys", kitty's keyboard protocol page, ncurses' terminfo
//! entry `xterm-256color` for F13 and above, tmux(1) for key names.

mod kitty;
mod legacy;
mod mouse;
mod names;
mod paste;

#[cfg(test)]
mod tests;

pub use mouse::{Button, MouseInput, MouseKind, Wheel, encode_mouse};
pub use names::parse_key_name;
pub use paste::encode_paste;

use crate::modes::Modes;

/// Modifiers, with the bits of the kitty protocol (and, below 16, of xterm).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mods(pub u8);

impl Mods {
    /// No modifier.
    pub const NONE: Self = Self(0);
    /// Shift.
    pub const SHIFT: Self = Self(1);
    /// Alt.
    pub const ALT: Self = Self(2);
    /// Control.
    pub const CTRL: Self = Self(4);
    /// Super (Windows, Command).
    pub const SUPER: Self = Self(8);
    /// Hyper.
    pub const HYPER: Self = Self(16);
    /// Meta.
    pub const META: Self = Self(32);
    /// Caps lock is on.
    pub const CAPS_LOCK: Self = Self(64);
    /// Num lock is on.
    pub const NUM_LOCK: Self = Self(128);

    /// Whether all of `other` are held.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These without `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Without the two locks.
    #[must_use]
    pub const fn held(self) -> Self {
        self.without(Self::CAPS_LOCK.with(Self::NUM_LOCK))
    }

    /// Whether any modifier but shift is held.
    #[must_use]
    pub const fn beyond_shift(self) -> bool {
        self.held().without(Self::SHIFT).0 != 0
    }
}

/// A key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// A key that types this character, best without shift (`a`, not `A`).
    Char(char),
    /// Return.
    Enter,
    /// Tab; backwards with shift.
    Tab,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// Cursor key.
    Up,
    /// Cursor key.
    Down,
    /// Cursor key.
    Left,
    /// Cursor key.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Insert.
    Insert,
    /// Delete.
    Delete,
    /// Function key 1 to 35.
    F(u8),
    /// A key of the numeric keypad.
    Keypad(Keypad),
    /// Lock, media and modifier keys: the number of the kitty protocol (57358..=57363,
    /// 57428..=57454). Only that protocol reports them.
    Other(u16),
}

/// A key of the numeric keypad.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Keypad {
    /// 0 to 9, with num lock.
    Digit(u8),
    /// Decimal point.
    Decimal,
    /// `/`.
    Divide,
    /// `*`.
    Multiply,
    /// `-`.
    Subtract,
    /// `+`.
    Add,
    /// Enter.
    Enter,
    /// `=`.
    Equal,
    /// `,`.
    Separator,
    /// Without num lock.
    Left,
    /// Without num lock.
    Right,
    /// Without num lock.
    Up,
    /// Without num lock.
    Down,
    /// Without num lock.
    PageUp,
    /// Without num lock.
    PageDown,
    /// Without num lock.
    Home,
    /// Without num lock.
    End,
    /// Without num lock.
    Insert,
    /// Without num lock.
    Delete,
    /// The 5 without num lock.
    Begin,
}

/// What happened to a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum KeyKind {
    /// Pressed.
    #[default]
    Press,
    /// Still held.
    Repeat,
    /// Let go. Only the kitty protocol reports it.
    Release,
}

/// One key event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KeyInput {
    /// The key.
    pub key: Key,
    /// Modifiers that are held.
    pub mods: Mods,
    /// Pressed, repeated or let go.
    pub kind: KeyKind,
    /// What the key types with shift, if known.
    pub shifted: Option<char>,
    /// The key at this place of a US keyboard, if known and another one.
    pub base: Option<char>,
}

impl KeyInput {
    /// A key press.
    #[must_use]
    pub const fn new(key: Key, mods: Mods) -> Self {
        Self {
            key,
            mods,
            kind: KeyKind::Press,
            shifted: None,
            base: None,
        }
    }

    /// The press that types `c`: a capital letter is its small letter with shift.
    #[must_use]
    pub fn typed(c: char) -> Self {
        let small = small(c);
        if small == c {
            return Self::new(Key::Char(c), Mods::NONE);
        }
        Self {
            shifted: Some(c),
            ..Self::new(Key::Char(small), Mods::SHIFT)
        }
    }

    /// The character a `Char` key types with shift as it is held.
    fn text(&self, c: char) -> char {
        if !self.mods.contains(Mods::SHIFT) {
            return c;
        }
        self.shifted.unwrap_or_else(|| capital(c))
    }
}

/// The small letter of a capital one, if that is one character.
fn small(c: char) -> char {
    let mut small = c.to_lowercase();
    match (small.next(), small.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// The capital letter of a small one, if that is one character.
fn capital(c: char) -> char {
    let mut capital = c.to_uppercase();
    match (capital.next(), capital.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// A key event as the program wants it: by the kitty protocol if it pushed flags, else by
/// modifyOtherKeys if it set that, else as xterm does. Empty if the program would see nothing.
///
/// Without any protocol Shift+Enter is `ESC CR`, as Alt+Enter: the line break that agent programs
/// understand; a bare CR would send the half-written prompt (`claude-code#26629`).
#[must_use]
pub fn encode_key(input: &KeyInput, modes: &Modes) -> Vec<u8> {
    match modes.kitty() {
        0 => legacy::encode(input, modes),
        flags => kitty::encode(input, flags, modes),
    }
}

/// A change of focus, if the program asked (mode 1004).
#[must_use]
pub fn encode_focus(focused: bool, modes: &Modes) -> Option<Vec<u8>> {
    modes.focus.then(|| {
        if focused {
            b"\x1b[I".to_vec()
        } else {
            b"\x1b[O".to_vec()
        }
    })
}
