//! Keys as xterm sends them, with modifyOtherKeys.

use super::{Key, KeyInput, KeyKind, Keypad, Mods};
use crate::modes::Modes;

/// How a key that types nothing is spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `CSI 1 ; mods letter`, unmodified `CSI letter` or `SS3 letter`.
    Letter(u8),
    /// `CSI number ; mods ~`.
    Tilde(u16),
}

/// The form of the cursor, editing and function keys up to F12.
pub(super) fn form(key: Key) -> Option<Form> {
    Some(match key {
        Key::Up => Form::Letter(b'A'),
        Key::Down => Form::Letter(b'B'),
        Key::Right => Form::Letter(b'C'),
        Key::Left => Form::Letter(b'D'),
        Key::Home => Form::Letter(b'H'),
        Key::End => Form::Letter(b'F'),
        Key::Insert => Form::Tilde(2),
        Key::Delete => Form::Tilde(3),
        Key::PageUp => Form::Tilde(5),
        Key::PageDown => Form::Tilde(6),
        Key::F(n @ 1..=4) => Form::Letter(b'P' + n - 1),
        Key::F(5) => Form::Tilde(15),
        Key::F(n @ 6..=10) => Form::Tilde(u16::from(n) + 11),
        Key::F(n @ 11..=12) => Form::Tilde(u16::from(n) + 12),
        _ => return None,
    })
}

/// A key event without the kitty protocol.
pub(super) fn encode(input: &KeyInput, modes: &Modes) -> Vec<u8> {
    if input.kind == KeyKind::Release {
        return Vec::new();
    }
    if let Some(bytes) = other_key(input, modes.modify_other_keys) {
        return bytes;
    }
    let mods = input.mods.held();
    match input.key {
        Key::Char(c) => char_key(input, c),
        Key::Enter if modes.newline => with_alt(mods, b"\r\n"),
        // See `encode_key` for the shift.
        Key::Enter if mods.contains(Mods::SHIFT) => b"\x1b\r".to_vec(),
        Key::Enter => with_alt(mods, b"\r"),
        Key::Tab if mods.contains(Mods::SHIFT) => with_alt(mods, b"\x1b[Z"),
        Key::Tab => with_alt(mods, b"\t"),
        Key::Backspace if mods.contains(Mods::CTRL) => with_alt(mods, b"\x08"),
        Key::Backspace => with_alt(mods, b"\x7f"),
        Key::Escape => with_alt(mods, b"\x1b"),
        Key::Keypad(key) => keypad(key, input, modes),
        Key::F(n @ 13..=48) => high_function(n, mods, modes),
        Key::Other(_) => Vec::new(),
        key => form(key).map_or_else(Vec::new, |form| spell(form, mods, modes.cursor_keys)),
    }
}

/// F13 and above are F1 to F12 with shift, control, or both (terminfo's kf13 to kf48).
fn high_function(n: u8, mods: Mods, modes: &Modes) -> Vec<u8> {
    let extra = match (n - 1) / 12 {
        1 => Mods::SHIFT,
        2 => Mods::CTRL,
        _ => Mods::SHIFT.with(Mods::CTRL),
    };
    let low = Key::F((n - 1) % 12 + 1);
    form(low).map_or_else(Vec::new, |form| {
        spell(form, mods.with(extra), modes.cursor_keys)
    })
}

/// A special key with its modifiers; `application`: cursor keys send SS3.
fn spell(form: Form, mods: Mods, application: bool) -> Vec<u8> {
    // xterm's numbers know shift, alt, control and meta; super is sent as nothing.
    let number = 1 + (mods.0 & 7) + if mods.contains(Mods::META) { 8 } else { 0 };
    let text = match (form, number) {
        (Form::Letter(letter), 1) => {
            let function = (b'P'..=b'S').contains(&letter);
            let introducer = if application || function {
                "\x1bO"
            } else {
                "\x1b["
            };
            format!("{introducer}{}", char::from(letter))
        }
        (Form::Letter(letter), mods) => format!("\x1b[1;{mods}{}", char::from(letter)),
        (Form::Tilde(number), 1) => format!("\x1b[{number}~"),
        (Form::Tilde(number), mods) => format!("\x1b[{number};{mods}~"),
    };
    text.into_bytes()
}

/// Alt is an ESC before.
fn with_alt(mods: Mods, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 1);
    if mods.contains(Mods::ALT) || mods.contains(Mods::META) {
        out.push(0x1b);
    }
    out.extend_from_slice(bytes);
    out
}

fn char_key(input: &KeyInput, c: char) -> Vec<u8> {
    let mods = input.mods.held();
    let text = input.text(c);
    if mods.contains(Mods::CTRL)
        && let Some(control) = control(text).or_else(|| control(c))
    {
        return with_alt(mods, &[control]);
    }
    with_alt(mods, text.encode_utf8(&mut [0; 4]).as_bytes())
}

/// The control character of control with this character (kitty's table of legacy text keys,
/// which is xterm's).
fn control(c: char) -> Option<u8> {
    Some(match c {
        ' ' | '@' | '2' => 0,
        'a'..='z' | 'A'..='Z' => u8::try_from(c).ok()? & 0x1f,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '~' | '6' => 0x1e,
        '_' | '/' | '7' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}

/// modifyOtherKeys: `CSI 27 ; mods ; code ~` for keys whose modifiers the plain form would lose.
/// Level 1 leaves alone what has a well-known form; level 2 only unmodified and shifted text.
fn other_key(input: &KeyInput, level: u8) -> Option<Vec<u8>> {
    let mods = input.mods.held();
    if level == 0 || mods == Mods::NONE {
        return None;
    }
    let (code, known) = match input.key {
        Key::Char(c) => {
            if !mods.beyond_shift() {
                return None;
            }
            let text = input.text(c);
            let only = mods.without(Mods::SHIFT);
            let known = (only == Mods::CTRL && control(text).is_some())
                || only == Mods::ALT
                || (only == Mods::CTRL.with(Mods::ALT) && control(text).is_some());
            (u32::from(text), known)
        }
        Key::Enter => (13, mods == Mods::ALT),
        Key::Tab => (9, mods == Mods::SHIFT || mods == Mods::ALT),
        Key::Backspace => (127, true),
        Key::Escape => (27, mods == Mods::ALT),
        _ => return None,
    };
    if level == 1 && known {
        return None;
    }
    let number = 1 + (mods.0 & 7) + if mods.contains(Mods::META) { 8 } else { 0 };
    // Super and hyper alone have no number here.
    (number > 1).then(|| format!("\x1b[27;{number};{code}~").into_bytes())
}

/// The numeric keypad: its own sequences in application mode (VT100 manual, table 3-8), else what
/// is printed on the key.
fn keypad(key: Keypad, input: &KeyInput, modes: &Modes) -> Vec<u8> {
    if let Some(plain) = without_num_lock(key) {
        return match form(plain) {
            Some(form) => spell(form, input.mods.held(), modes.cursor_keys),
            None => spell(Form::Letter(b'E'), input.mods.held(), modes.cursor_keys),
        };
    }
    if modes.keypad && input.mods.held() == Mods::NONE {
        return vec![0x1b, b'O', application_letter(key)];
    }
    match typed(key) {
        Some(c) => char_key(input, c),
        None => encode(
            &KeyInput {
                key: Key::Enter,
                ..*input
            },
            modes,
        ),
    }
}

fn application_letter(key: Keypad) -> u8 {
    match key {
        Keypad::Digit(n) => b'p' + n.min(9),
        Keypad::Decimal => b'n',
        Keypad::Divide => b'o',
        Keypad::Multiply => b'j',
        Keypad::Subtract => b'm',
        Keypad::Add => b'k',
        Keypad::Equal => b'X',
        Keypad::Separator => b'l',
        _ => b'M',
    }
}

/// What a keypad key types; `None` for Enter and the keys without num lock.
pub(super) fn typed(key: Keypad) -> Option<char> {
    Some(match key {
        Keypad::Digit(n) => char::from(b'0' + n.min(9)),
        Keypad::Decimal => '.',
        Keypad::Divide => '/',
        Keypad::Multiply => '*',
        Keypad::Subtract => '-',
        Keypad::Add => '+',
        Keypad::Equal => '=',
        Keypad::Separator => ',',
        _ => return None,
    })
}

/// The key a keypad key is without num lock; `Begin` gives a key without a form.
fn without_num_lock(key: Keypad) -> Option<Key> {
    Some(match key {
        Keypad::Left => Key::Left,
        Keypad::Right => Key::Right,
        Keypad::Up => Key::Up,
        Keypad::Down => Key::Down,
        Keypad::PageUp => Key::PageUp,
        Keypad::PageDown => Key::PageDown,
        Keypad::Home => Key::Home,
        Keypad::End => Key::End,
        Keypad::Insert => Key::Insert,
        Keypad::Delete => Key::Delete,
        Keypad::Begin => Key::Other(0),
        _ => return None,
    })
}
