//! Keys by the kitty keyboard protocol
//! (<https://sw.kovidgoyal.net/kitty/keyboard-protocol/>), all five flags.

use super::legacy::{Form, form, typed};
use super::{Key, KeyInput, KeyKind, Keypad, Mods, small};
use crate::modes::Modes;

/// Tell keys apart that the old form confuses.
const DISAMBIGUATE: u8 = 1;
/// Report repeat and release.
const EVENTS: u8 = 2;
/// Report the shifted key and the key of a US keyboard.
const ALTERNATES: u8 = 4;
/// Report every key as a sequence, text too.
const ALL_KEYS: u8 = 8;
/// Report the text a key types (only with [`ALL_KEYS`]).
const TEXT: u8 = 16;

/// First and last number of the keys that only change other keys: the locks and the modifiers.
const LOCKS: std::ops::RangeInclusive<u16> = 57358..=57360;
const MODIFIERS: std::ops::RangeInclusive<u16> = 57441..=57454;

/// A key event under these flags, which are not 0.
pub(super) fn encode(input: &KeyInput, flags: u8, modes: &Modes) -> Vec<u8> {
    let all_keys = flags & ALL_KEYS != 0;
    let events = flags & EVENTS != 0;
    if input.kind == KeyKind::Release && !events {
        return Vec::new();
    }
    if flags & (DISAMBIGUATE | EVENTS | ALL_KEYS) == 0 {
        // Flags 4 and 16 alone change nothing of the legacy form.
        return super::legacy::encode(input, modes);
    }
    if !all_keys && let Some(plain) = plain(input, modes, flags) {
        return plain;
    }
    sequence(input, flags)
}

/// What stays as it was while not every key is a sequence: text, and Enter, Tab and Backspace
/// without modifiers, which keep a shell usable when a program died. `None`: a sequence it is.
fn plain(input: &KeyInput, modes: &Modes, flags: u8) -> Option<Vec<u8>> {
    let released = input.kind == KeyKind::Release;
    let disambiguate = flags & DISAMBIGUATE != 0;
    let mods = input.mods.held();
    match input.key {
        Key::Enter | Key::Tab | Key::Backspace if released => Some(Vec::new()),
        Key::Enter if mods == Mods::NONE && modes.newline => Some(b"\r\n".to_vec()),
        Key::Enter if mods == Mods::NONE => Some(b"\r".to_vec()),
        Key::Tab if mods == Mods::NONE => Some(b"\t".to_vec()),
        Key::Backspace if mods == Mods::NONE => Some(b"\x7f".to_vec()),
        Key::Other(n) if LOCKS.contains(&n) || MODIFIERS.contains(&n) => Some(Vec::new()),
        _ if released => None,
        Key::Char(_) | Key::Keypad(_) | Key::Escape | Key::Enter | Key::Tab | Key::Backspace
            if !disambiguate =>
        {
            Some(super::legacy::encode(input, modes))
        }
        Key::Char(c) if !mods.beyond_shift() => Some(input.text(c).to_string().into_bytes()),
        Key::Keypad(key) if !mods.beyond_shift() => typed(key).map(|c| c.to_string().into_bytes()),
        _ => None,
    }
}

/// `CSI code:shifted:base ; mods:event ; text u`, or the older forms with a letter or `~`.
fn sequence(input: &KeyInput, flags: u8) -> Vec<u8> {
    let (code, last) = code(input.key);
    let all_keys = flags & ALL_KEYS != 0;
    let types_text = matches!(input.key, Key::Char(_));
    // Locks are not told with keys that type, unless every key is a sequence.
    let mods = if types_text && !all_keys {
        input.mods.held()
    } else {
        input.mods
    };

    let mut first = code.to_string();
    if let Key::Char(c) = input.key
        && flags & ALTERNATES != 0
    {
        first.push_str(&alternates(input, c));
    }
    let event = match input.kind {
        KeyKind::Repeat if flags & EVENTS != 0 => ":2",
        KeyKind::Release => ":3",
        KeyKind::Press | KeyKind::Repeat => "",
    };
    let mut second = String::new();
    if mods != Mods::NONE || !event.is_empty() {
        second = format!("{}{event}", 1 + u16::from(mods.0));
    }
    let third = if flags & TEXT != 0 && all_keys {
        text(input)
    } else {
        None
    };

    let out = match (second.is_empty(), third) {
        (_, Some(text)) => format!("\x1b[{first};{second};{}{last}", u32::from(text)),
        // `CSI A`, not `CSI 1 A`.
        (true, None) if code == 1 => format!("\x1b[{last}"),
        (true, None) => format!("\x1b[{first}{last}"),
        (false, None) => format!("\x1b[{first};{second}{last}"),
    };
    out.into_bytes()
}

/// The text this event types, if any.
fn text(input: &KeyInput) -> Option<char> {
    if input.kind == KeyKind::Release || input.mods.beyond_shift() {
        return None;
    }
    let text = match input.key {
        Key::Char(c) => Some(input.text(c)),
        Key::Keypad(key) => typed(key),
        _ => None,
    };
    text.filter(|c| !c.is_control())
}

/// `:shifted:base`, without what is not known or the same.
fn alternates(input: &KeyInput, c: char) -> String {
    let code = small(c);
    let shifted = Some(input.text(code))
        .filter(|shifted| input.mods.contains(Mods::SHIFT) && *shifted != code);
    let base = input.base.filter(|base| *base != code);
    match (shifted, base) {
        (None, None) => String::new(),
        (Some(shifted), None) => format!(":{}", u32::from(shifted)),
        (None, Some(base)) => format!("::{}", u32::from(base)),
        (Some(shifted), Some(base)) => format!(":{}:{}", u32::from(shifted), u32::from(base)),
    }
}

/// A key's number and the last byte of its sequence.
fn code(key: Key) -> (u32, char) {
    // F3's letter would be a cursor position report.
    if key == Key::F(3) {
        return (13, '~');
    }
    match form(key) {
        Some(Form::Letter(letter)) => return (1, char::from(letter)),
        Some(Form::Tilde(number)) => return (u32::from(number), '~'),
        None => {}
    }
    let code = match key {
        Key::Char(c) => u32::from(small(c)),
        Key::Enter => 13,
        Key::Tab => 9,
        Key::Backspace => 127,
        Key::Escape => 27,
        Key::F(n) => 57363 + u32::from(n.clamp(13, 35)),
        Key::Keypad(key) => keypad_code(key),
        Key::Other(n) => u32::from(n),
        // The rest has a form of its own, above.
        _ => 0,
    };
    (code, 'u')
}

fn keypad_code(key: Keypad) -> u32 {
    match key {
        Keypad::Digit(n) => 57399 + u32::from(n.min(9)),
        Keypad::Decimal => 57409,
        Keypad::Divide => 57410,
        Keypad::Multiply => 57411,
        Keypad::Subtract => 57412,
        Keypad::Add => 57413,
        Keypad::Enter => 57414,
        Keypad::Equal => 57415,
        Keypad::Separator => 57416,
        Keypad::Left => 57417,
        Keypad::Right => 57418,
        Keypad::Up => 57419,
        Keypad::Down => 57420,
        Keypad::PageUp => 57421,
        Keypad::PageDown => 57422,
        Keypad::Home => 57423,
        Keypad::End => 57424,
        Keypad::Insert => 57425,
        Keypad::Delete => 57426,
        Keypad::Begin => 57427,
    }
}
