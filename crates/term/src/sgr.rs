//! Select Graphic Rendition: parameters to a [`Style`] and back. In: groups of
//! parameters as the parser gives them; out: a changed pen, or the bytes that
//! set one. Promises that unknown parameters change nothing and that those
//! which take arguments consume them (`58;5;1` is a colour, not bold).

pub mod stack;

pub use stack::Stack;

use crate::cell::{Colour, Style, StyleFlags, Underline};

/// Applies one SGR sequence. Each item is a parameter with its sub-parameters.
pub fn apply<'a>(pen: &mut Style, groups: impl IntoIterator<Item = &'a [u16]>) {
    let mut groups = groups.into_iter();
    while let Some(group) = groups.next() {
        let &[first, ref rest @ ..] = group else {
            continue;
        };
        match (first, rest) {
            (38 | 48 | 58, []) => {
                let colour = spread_colour(&mut groups);
                set_colour(pen, first, colour);
            }
            (38 | 48 | 58, rest) => set_colour(pen, first, joined_colour(rest)),
            (4, [n, ..]) => pen.underline = Underline::from_number(*n),
            (_, []) => simple(pen, first),
            _ => {}
        }
    }
}

fn set_colour(pen: &mut Style, which: u16, colour: Option<Colour>) {
    let Some(colour) = colour else { return };
    match which {
        38 => pen.fg = colour,
        48 => pen.bg = colour,
        _ => pen.underline_colour = colour,
    }
}

fn byte(value: u16) -> Option<u8> {
    u8::try_from(value).ok()
}

/// `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b`.
fn joined_colour(rest: &[u16]) -> Option<Colour> {
    match *rest {
        [5, n, ..] => Some(Colour::Indexed(byte(n)?)),
        [2, r, g, b] | [2, _, r, g, b, ..] => Some(Colour::Rgb(byte(r)?, byte(g)?, byte(b)?)),
        _ => None,
    }
}

/// `38;5;n` and `38;2;r;g;b`: the arguments are parameters of their own.
fn spread_colour<'a>(groups: &mut impl Iterator<Item = &'a [u16]>) -> Option<Colour> {
    let mut next = || groups.next().and_then(|group| group.first().copied());
    match next()? {
        5 => Some(Colour::Indexed(byte(next()?)?)),
        2 => {
            let (r, g, b) = (next()?, next()?, next()?);
            Some(Colour::Rgb(byte(r)?, byte(g)?, byte(b)?))
        }
        _ => None,
    }
}

fn simple(pen: &mut Style, value: u16) {
    let flag = |pen: &mut Style, flag, on| pen.flags.set(flag, on);
    match value {
        0 => {
            *pen = Style {
                link: pen.link,
                protected: pen.protected,
                ..Style::default()
            }
        }
        1 => flag(pen, StyleFlags::BOLD, true),
        2 => flag(pen, StyleFlags::DIM, true),
        3 => flag(pen, StyleFlags::ITALIC, true),
        4 => pen.underline = Underline::Single,
        5 | 6 => flag(pen, StyleFlags::BLINK, true),
        7 => flag(pen, StyleFlags::INVERSE, true),
        8 => flag(pen, StyleFlags::HIDDEN, true),
        9 => flag(pen, StyleFlags::STRIKE, true),
        21 => pen.underline = Underline::Double,
        22 => {
            flag(pen, StyleFlags::BOLD, false);
            flag(pen, StyleFlags::DIM, false);
        }
        23 => flag(pen, StyleFlags::ITALIC, false),
        24 => pen.underline = Underline::None,
        25 => flag(pen, StyleFlags::BLINK, false),
        27 => flag(pen, StyleFlags::INVERSE, false),
        28 => flag(pen, StyleFlags::HIDDEN, false),
        29 => flag(pen, StyleFlags::STRIKE, false),
        30..=37 => pen.fg = palette(value - 30),
        39 => pen.fg = Colour::Default,
        40..=47 => pen.bg = palette(value - 40),
        49 => pen.bg = Colour::Default,
        53 => flag(pen, StyleFlags::OVERLINE, true),
        55 => flag(pen, StyleFlags::OVERLINE, false),
        59 => pen.underline_colour = Colour::Default,
        90..=97 => pen.fg = palette(value - 82),
        100..=107 => pen.bg = palette(value - 92),
        _ => {}
    }
}

fn palette(index: u16) -> Colour {
    byte(index).map_or(Colour::Default, Colour::Indexed)
}

/// Writes the sequence that makes any pen this one (all but its link).
pub fn write(style: &Style, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b[0");
    attributes(style, out);
    out.push(b'm');
}

/// The same for a pen that is known to be the default one: shorter.
pub fn write_on_default(style: &Style, out: &mut Vec<u8>) {
    out.push(0x1b);
    let start = out.len();
    attributes(style, out);
    // The first separator becomes the introducer's second byte.
    match out.get_mut(start) {
        Some(separator) => *separator = b'[',
        None => out.push(b'['),
    }
    out.push(b'm');
}

/// Writes parameters, each with a separator before it.
fn attributes(style: &Style, out: &mut Vec<u8>) {
    const FLAGS: [(StyleFlags, &[u8]); 8] = [
        (StyleFlags::BOLD, b";1"),
        (StyleFlags::DIM, b";2"),
        (StyleFlags::ITALIC, b";3"),
        (StyleFlags::BLINK, b";5"),
        (StyleFlags::INVERSE, b";7"),
        (StyleFlags::HIDDEN, b";8"),
        (StyleFlags::STRIKE, b";9"),
        (StyleFlags::OVERLINE, b";53"),
    ];
    for (flag, code) in FLAGS {
        if style.flags.contains(flag) {
            out.extend_from_slice(code);
        }
    }
    match style.underline {
        Underline::None => {}
        Underline::Single => out.extend_from_slice(b";4"),
        shape => {
            out.extend_from_slice(b";4:");
            number(shape as u16, out);
        }
    }
    write_colour(style.fg, [30, 90, 38], b';', out);
    write_colour(style.bg, [40, 100, 48], b';', out);
    // Only sub-parameters: a terminal that does not know 58 must skip all of it.
    match style.underline_colour {
        Colour::Default => {}
        Colour::Indexed(n) => {
            out.extend_from_slice(b";58:5:");
            number(n.into(), out);
        }
        Colour::Rgb(r, g, b) => {
            out.extend_from_slice(b";58:2:");
            for part in [r, g, b] {
                out.push(b':');
                number(part.into(), out);
            }
        }
    }
}

fn write_colour(colour: Colour, [low, high, long]: [u16; 3], separator: u8, out: &mut Vec<u8>) {
    match colour {
        Colour::Default => {}
        Colour::Indexed(n @ 0..=7) => {
            out.push(b';');
            number(low + u16::from(n), out);
        }
        Colour::Indexed(n @ 8..=15) => {
            out.push(b';');
            number(high + u16::from(n) - 8, out);
        }
        Colour::Indexed(n) => {
            for part in [long, 5, n.into()] {
                out.push(separator);
                number(part, out);
            }
        }
        Colour::Rgb(r, g, b) => {
            for part in [long, 2, r.into(), g.into(), b.into()] {
                out.push(separator);
                number(part, out);
            }
        }
    }
}

/// Writes a decimal number.
pub fn number(value: u16, out: &mut Vec<u8>) {
    let mut digits = [0u8; 5];
    let mut at = digits.len();
    let mut value = value;
    loop {
        at -= 1;
        if let Some(digit) = digits.get_mut(at) {
            // A digit is below 10.
            *digit = b'0' + u8::try_from(value % 10).unwrap_or(0);
        }
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(at..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Style {
        let groups: Vec<Vec<u16>> = text
            .split(';')
            .map(|group| group.split(':').map(|v| v.parse().unwrap_or(0)).collect())
            .collect();
        let mut pen = Style::default();
        apply(&mut pen, groups.iter().map(Vec::as_slice));
        pen
    }

    fn check(text: &str, want: impl FnOnce(&mut Style)) {
        let mut style = Style::default();
        want(&mut style);
        assert_eq!(parse(text), style, "{text}");
    }

    #[test]
    fn parameters() {
        check("1;2", |s| {
            s.flags.set(StyleFlags::BOLD, true);
            s.flags.set(StyleFlags::DIM, true);
        });
        check("1;22", |_| {});
        check("38:2::1:2:3", |s| s.fg = Colour::Rgb(1, 2, 3));
        check("38:2:1:2:3", |s| s.fg = Colour::Rgb(1, 2, 3));
        check("38;2;1;2;3", |s| s.fg = Colour::Rgb(1, 2, 3));
        check("48;5;200;3", |s| {
            s.bg = Colour::Indexed(200);
            s.flags.set(StyleFlags::ITALIC, true);
        });
        check("58;5;1", |s| s.underline_colour = Colour::Indexed(1));
        check("58:2::9:8:7", |s| s.underline_colour = Colour::Rgb(9, 8, 7));
        check("4:3", |s| s.underline = Underline::Curly);
        check("4;4:0", |_| {});
        check("21", |s| s.underline = Underline::Double);
        check("97;107", |s| {
            s.fg = Colour::Indexed(15);
            s.bg = Colour::Indexed(15);
        });
        check("38;5;300", |_| {});
        check("31;0", |_| {});
    }

    #[test]
    fn written_styles_read_back() {
        for text in [
            "",
            "1;2;3;5;7;8;9;53",
            "4:5;58:5:200",
            "31;48;5;17",
            "38;2;255;0;1;103;4",
            "58:2::1:2:3;4:2",
        ] {
            let style = parse(text);
            let mut bytes = Vec::new();
            write(&style, &mut bytes);
            let inner = &bytes[2..bytes.len() - 1];
            assert_eq!(parse(std::str::from_utf8(inner).unwrap()), style, "{text}");
            let mut short = Vec::new();
            write_on_default(&style, &mut short);
            assert!(short.starts_with(b"\x1b[") && short.ends_with(b"m"));
            let inner = &short[2..short.len() - 1];
            assert_eq!(parse(std::str::from_utf8(inner).unwrap()), style, "{text}");
        }
    }
}
