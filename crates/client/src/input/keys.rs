//! Keys in every form terminals send them: control bytes, SS3, the old function-key sequences,
//! kitty's `CSI u`, xterm's modifyOtherKeys.

use term::input::{Key, KeyInput, KeyKind, Keypad, Mods};

pub(super) const fn plain(key: Key, mods: Mods) -> KeyInput {
    KeyInput::new(key, mods)
}

/// The key that types `c`, with Alt if an ESC came before it.
pub(super) fn typed(c: char, alt: bool) -> KeyInput {
    let input = KeyInput::typed(c);
    if alt {
        KeyInput {
            mods: input.mods.with(Mods::ALT),
            ..input
        }
    } else {
        input
    }
}

/// A byte below 0x80 that is not ESC.
pub(super) fn control_or_ascii(byte: u8, alt: bool) -> KeyInput {
    let mods = if alt { Mods::ALT } else { Mods::NONE };
    let ctrl = |c: u8| plain(Key::Char(char::from(c)), mods.with(Mods::CTRL));
    match byte {
        b'\r' => plain(Key::Enter, mods),
        b'\t' => plain(Key::Tab, mods),
        0x7f => plain(Key::Backspace, mods),
        0 => ctrl(b' '),
        0x01..=0x1a => ctrl(byte - 1 + b'a'),
        0x1b..=0x1f => ctrl(byte - 0x1b + b'['),
        0x20..=0xff => typed(char::from(byte), alt),
    }
}

/// `ESC O` and a letter: cursor keys, F1 to F4, the keypad in application mode.
pub(super) fn ss3(byte: u8) -> Option<KeyInput> {
    let keypad = |key| Some(Key::Keypad(key));
    let key = lettered(byte).or_else(|| match byte {
        b'M' => keypad(Keypad::Enter),
        b'j' => keypad(Keypad::Multiply),
        b'k' => keypad(Keypad::Add),
        b'l' => keypad(Keypad::Separator),
        b'm' => keypad(Keypad::Subtract),
        b'n' => keypad(Keypad::Decimal),
        b'o' => keypad(Keypad::Divide),
        b'p'..=b'y' => keypad(Keypad::Digit(byte - b'p')),
        b'X' => keypad(Keypad::Equal),
        _ => None,
    })?;
    Some(plain(key, Mods::NONE))
}

/// Keys whose sequences end in a letter.
const fn lettered(last: u8) -> Option<Key> {
    Some(match last {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'E' => Key::Keypad(Keypad::Begin),
        b'F' => Key::End,
        b'H' => Key::Home,
        b'P' => Key::F(1),
        b'Q' => Key::F(2),
        b'R' => Key::F(3),
        b'S' => Key::F(4),
        _ => return None,
    })
}

/// Keys whose sequences end in `~`.
fn numbered(number: u32) -> Option<Key> {
    let function = |n: u32, from: u32, key: u8| Some(Key::F(key + u8::try_from(n - from).ok()?));
    match number {
        1 | 7 => Some(Key::Home),
        2 => Some(Key::Insert),
        3 => Some(Key::Delete),
        4 | 8 => Some(Key::End),
        5 => Some(Key::PageUp),
        6 => Some(Key::PageDown),
        n @ 11..=15 => function(n, 11, 1),
        n @ 17..=21 => function(n, 17, 6),
        n @ 23..=24 => function(n, 23, 11),
        n @ 25..=26 => function(n, 25, 13),
        n @ 28..=29 => function(n, 28, 15),
        n @ 31..=34 => function(n, 31, 17),
        _ => None,
    }
}

/// A key as a control sequence; `None` for a release and for what is no key.
pub(super) fn csi(text: &str, last: u8) -> Option<KeyInput> {
    if let Some(console) = text.strip_prefix('[') {
        let n = last
            .checked_sub(b'A')
            .filter(|n| *n < 5 && console.is_empty())?;
        return Some(plain(Key::F(n + 1), Mods::NONE));
    }
    let mut fields = text.split(';');
    let first = fields.next().unwrap_or_default();
    let (mods, kind) = modifiers(fields.next().unwrap_or_default())?;
    let finish = |key| {
        Some(KeyInput {
            kind,
            ..plain(key, mods)
        })
    };
    match last {
        b'Z' => Some(plain(Key::Tab, mods.with(Mods::SHIFT))),
        b'u' => kitty(first, mods, kind),
        b'~' if first == "27" => {
            let code = fields.next()?.parse().ok()?;
            coded(code).map(|key| KeyInput {
                kind,
                ..with_shift(key, mods)
            })
        }
        b'~' => finish(numbered(first.parse().ok()?)?),
        // A cursor position report we never asked for looks like F3 with a row.
        b'R' if !matches!(first, "" | "1") => None,
        _ => finish(lettered(last)?),
    }
}

/// `modifiers:event`, from 1; `None` for a release.
fn modifiers(field: &str) -> Option<(Mods, KeyKind)> {
    let mut parts = field.split(':');
    let mods = match parts.next().unwrap_or_default() {
        "" => 0,
        number => number.parse::<u16>().ok()?.checked_sub(1)?,
    };
    let kind = match parts.next().unwrap_or_default() {
        "" | "1" => KeyKind::Press,
        "2" => KeyKind::Repeat,
        _ => return None,
    };
    Some((Mods(u8::try_from(mods).ok()?), kind))
}

/// `code:shifted:base` of a `CSI u` key.
fn kitty(first: &str, mods: Mods, kind: KeyKind) -> Option<KeyInput> {
    let mut codes = first.split(':').map(|code| code.parse::<u32>().ok());
    let key = coded(codes.next()??)?;
    let shifted = codes.next().flatten().and_then(char::from_u32);
    let base = codes.next().flatten().and_then(char::from_u32);
    let input = with_shift(key, mods);
    Some(KeyInput {
        kind,
        shifted: shifted.or(input.shifted),
        base,
        ..input
    })
}

/// modifyOtherKeys names a capital letter where kitty names the small one with Shift.
fn with_shift(key: Key, mods: Mods) -> KeyInput {
    match key {
        Key::Char(c) => {
            let input = KeyInput::typed(c);
            KeyInput {
                mods: input.mods.with(mods),
                ..input
            }
        }
        _ => plain(key, mods),
    }
}

/// A key by its number: a character, or one of kitty's private ones.
fn coded(code: u32) -> Option<Key> {
    let keypad = |key| Some(Key::Keypad(key));
    match code {
        13 => Some(Key::Enter),
        9 => Some(Key::Tab),
        27 => Some(Key::Escape),
        127 => Some(Key::Backspace),
        0..=31 => None,
        57376..=57398 => Some(Key::F(u8::try_from(code - 57363).ok()?)),
        57399..=57408 => keypad(Keypad::Digit(u8::try_from(code - 57399).ok()?)),
        57409..=57427 => keypad(KEYPAD[usize::try_from(code - 57409).ok()?]),
        57344..=63743 => Some(Key::Other(u16::try_from(code).ok()?)),
        _ => char::from_u32(code).map(Key::Char),
    }
}

/// Kitty's 57409 and above.
const KEYPAD: [Keypad; 19] = [
    Keypad::Decimal,
    Keypad::Divide,
    Keypad::Multiply,
    Keypad::Subtract,
    Keypad::Add,
    Keypad::Enter,
    Keypad::Equal,
    Keypad::Separator,
    Keypad::Left,
    Keypad::Right,
    Keypad::Up,
    Keypad::Down,
    Keypad::PageUp,
    Keypad::PageDown,
    Keypad::Home,
    Keypad::End,
    Keypad::Insert,
    Keypad::Delete,
    Keypad::Begin,
];

/// Shift, Alt and Ctrl of a mouse report.
pub(super) fn mods_of_mouse(code: u16) -> Mods {
    let mut mods = Mods::NONE;
    for (bit, held) in [(4, Mods::SHIFT), (8, Mods::ALT), (16, Mods::CTRL)] {
        if code & bit != 0 {
            mods = mods.with(held);
        }
    }
    mods
}
