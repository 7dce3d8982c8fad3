//! Key names as tmux(1) spells them.

use super::{Key, KeyInput, Keypad, Mods};

/// A key by its name: `C-`, `M-` (also `A-`) and `S-` before a single character or one of `Up`,
/// `Down`, `Left`, `Right`, `Home`, `End`, `PageUp` (`PgUp`, `PPage`), `PageDown` (`PgDn`,
/// `NPage`), `Insert` (`IC`), `Delete` (`DC`), `Enter`, `Tab`, `BTab`, `Space`, `BSpace`
/// (`Backspace`), `Escape` (`Esc`), `F1` to `F35`, `KP0` to `KP9`, `KPEnter`, `KP/`, `KP*`,
/// `KP-`, `KP+`, `KP.`; also `^c` for `C-c`. Names may be written in any case, characters not.
/// `None` if it is no key's name.
#[must_use]
pub fn parse_key_name(name: &str) -> Option<KeyInput> {
    let mut rest = name;
    let mut mods = Mods::NONE;
    // A dash that stands alone is a key, not the end of a prefix.
    while let Some((prefix, after)) = rest
        .split_at_checked(2)
        .filter(|(_, after)| !after.is_empty())
    {
        mods = mods.with(match prefix {
            "C-" | "c-" => Mods::CTRL,
            "M-" | "m-" | "A-" | "a-" => Mods::ALT,
            "S-" | "s-" => Mods::SHIFT,
            _ => break,
        });
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('^').filter(|after| !after.is_empty()) {
        mods = mods.with(Mods::CTRL);
        rest = after;
    }
    let input = single(rest).or_else(|| named(rest))?;
    Some(KeyInput {
        mods: input.mods.with(mods),
        ..input
    })
}

fn single(text: &str) -> Option<KeyInput> {
    let mut chars = text.chars();
    let c = chars.next().filter(|c| !c.is_control())?;
    chars.next().is_none().then(|| KeyInput::typed(c))
}

fn named(name: &str) -> Option<KeyInput> {
    let name = name.to_ascii_lowercase();
    let key = match name.as_str() {
        "up" => Key::Up,
        "down" => Key::Down,
        "left" => Key::Left,
        "right" => Key::Right,
        "home" => Key::Home,
        "end" => Key::End,
        "pageup" | "pgup" | "ppage" => Key::PageUp,
        "pagedown" | "pgdn" | "npage" => Key::PageDown,
        "insert" | "ic" => Key::Insert,
        "delete" | "dc" => Key::Delete,
        "enter" | "return" => Key::Enter,
        "tab" => Key::Tab,
        "btab" => return Some(KeyInput::new(Key::Tab, Mods::SHIFT)),
        "space" => Key::Char(' '),
        "bspace" | "backspace" => Key::Backspace,
        "escape" | "esc" => Key::Escape,
        "kpenter" => Key::Keypad(Keypad::Enter),
        "kp/" => Key::Keypad(Keypad::Divide),
        "kp*" => Key::Keypad(Keypad::Multiply),
        "kp-" => Key::Keypad(Keypad::Subtract),
        "kp+" => Key::Keypad(Keypad::Add),
        "kp." => Key::Keypad(Keypad::Decimal),
        other => numbered(other)?,
    };
    Some(KeyInput::new(key, Mods::NONE))
}

fn numbered(name: &str) -> Option<Key> {
    if let Some(digit) = name.strip_prefix("kp") {
        let [digit @ b'0'..=b'9'] = digit.as_bytes() else {
            return None;
        };
        return Some(Key::Keypad(Keypad::Digit(digit - b'0')));
    }
    let digits = name
        .strip_prefix('f')
        .filter(|digits| !digits.starts_with(['0', '+']))?;
    digits
        .parse()
        .ok()
        .filter(|n| (1..=35).contains(n))
        .map(Key::F)
}
