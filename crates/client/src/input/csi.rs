//! What a control sequence or an OSC string from the outer terminal means.

use super::{Input, Mouse, MouseKind, Reply, keys};

/// Meaning of `CSI body final`; `None`: nothing for us.
pub(super) fn meaning(body: &[u8], last: u8) -> Option<Input> {
    let text = std::str::from_utf8(body).ok()?;
    match (text.as_bytes().first(), last) {
        (Some(b'<'), b'M' | b'm') => mouse(&text[1..], last == b'm').map(Input::Mouse),
        (Some(b'?'), _) => private(&text[1..], last).map(Input::Reply),
        // DA2 and other answers.
        (Some(b'>' | b'<' | b'='), _) => None,
        (None, b'I') => Some(Input::Focus(true)),
        (None, b'O') => Some(Input::Focus(false)),
        (_, b't') => pixels(text).map(Input::Reply),
        // Status and mode reports.
        (_, b'n' | b'y' | b'c') => None,
        _ => keys::csi(text, last).map(Input::Key),
    }
}

fn private(text: &str, last: u8) -> Option<Reply> {
    match last {
        b'u' => Some(Reply::Kitty),
        b'c' => Some(Reply::Attributes {
            sixel: text.split(';').skip(1).any(|n| n == "4"),
        }),
        b'n' if text.starts_with("997;") => Some(Reply::Theme),
        _ => None,
    }
}

/// `6;height;width` answers the question for a cell's size.
fn pixels(text: &str) -> Option<Reply> {
    let mut numbers = text.split(';');
    if numbers.next() != Some("6") {
        return None;
    }
    let height = numbers.next()?.parse().ok()?;
    let width = numbers.next()?.parse().ok()?;
    Some(Reply::Cell(width, height))
}

/// `button;column;row`, from 1.
fn mouse(text: &str, released: bool) -> Option<Mouse> {
    let mut numbers = text.split(';').map(|n| n.parse::<u16>().ok());
    let (code, x, y) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let button = u8::try_from(code & 3 | (code & 0xc0) >> 4).ok()?;
    let moved = code & 32 != 0;
    let kind = match (code & 0xc0, code & 3) {
        (0x40, 0) => MouseKind::WheelUp,
        (0x40, 1) => MouseKind::WheelDown,
        (0x40, 2) => MouseKind::WheelLeft,
        (0x40, _) => MouseKind::WheelRight,
        (0, 3) if moved => MouseKind::Move,
        // The extra buttons are 8..=11 here: 128 + 0..=3.
        _ if moved => MouseKind::Drag(button),
        _ if released => MouseKind::Release(button),
        _ => MouseKind::Press(button),
    };
    let mods = keys::mods_of_mouse(code);
    Some(Mouse {
        kind,
        x: x.checked_sub(1)?,
        y: y.checked_sub(1)?,
        mods,
    })
}

/// Colours; other strings are swallowed.
pub(super) fn osc(body: &[u8]) -> Option<Reply> {
    let text = std::str::from_utf8(body).ok()?;
    let (number, value) = text.split_once(';')?;
    let colour = colour(value)?;
    match number {
        "10" => Some(Reply::Foreground(colour)),
        "11" => Some(Reply::Background(colour)),
        "12" => Some(Reply::Cursor(colour)),
        _ => None,
    }
}

/// `rgb:RRRR/GGGG/BBBB` with one to four digits each, `rgba:` too, as 0xRRGGBB.
fn colour(text: &str) -> Option<u32> {
    let digits = text
        .strip_prefix("rgb:")
        .or_else(|| text.strip_prefix("rgba:"))?;
    let mut parts = digits.split('/').map(|part| {
        let value = u32::from_str_radix(part, 16).ok()?;
        let most = match part.len() {
            1 => 0xf,
            2 => 0xff,
            3 => 0xfff,
            4 => 0xffff,
            _ => return None,
        };
        Some(value * 255 / most)
    });
    let (r, g, b) = (parts.next()??, parts.next()??, parts.next()??);
    Some(r << 16 | g << 8 | b)
}
