//! SGR in every spelling.

use term::{Colour, StyleFlags, Underline};

use crate::style;

/// XTPUSHSGR and XTPOPSGR (xterm), in both spellings.
#[test]
fn pens_put_aside() {
    for (push, pop) in [("#{", "#}"), ("#p", "#q")] {
        let red = |style: &mut term::Style| style.fg = Colour::Indexed(1);
        style(&format!("\x1b[31m\x1b[{push}\x1b[1;32m\x1b[{pop}x"), 0, red);
        style(
            &format!("\x1b[31m\x1b[{push}\x1b[m\x1b[{push}\x1b[{pop}\x1b[{pop}x"),
            0,
            red,
        );
        style(
            &format!("\x1b[31m\x1b[10{push}\x1b[0;4m\x1b[{pop}x"),
            0,
            |style| {
                red(style);
                style.underline = Underline::Single;
            },
        );
        style(&format!("\x1b[31m\x1b[1{push}\x1b[m\x1b[{pop}x"), 0, |_| {});
        style(&format!("\x1b[31m\x1b[{pop}x"), 0, red);
    }
}

#[test]
fn flags() {
    for (code, flag) in [
        (1, StyleFlags::BOLD),
        (2, StyleFlags::DIM),
        (3, StyleFlags::ITALIC),
        (5, StyleFlags::BLINK),
        (6, StyleFlags::BLINK),
        (7, StyleFlags::INVERSE),
        (8, StyleFlags::HIDDEN),
        (9, StyleFlags::STRIKE),
        (53, StyleFlags::OVERLINE),
    ] {
        style(&format!("\x1b[{code}mx"), 0, |style| style.flags = flag);
        style(&format!("\x1b[{code}m\x1b[0mx"), 0, |_| {});
        style(&format!("\x1b[{code}m\x1b[mx"), 0, |_| {});
        let off = match code {
            1 | 2 => 22,
            6 => 25,
            53 => 55,
            code => code + 20,
        };
        style(&format!("\x1b[{code}m\x1b[{off}mx"), 0, |_| {});
    }
    style("\x1b[1;2mx", 0, |style| {
        style.flags.set(StyleFlags::BOLD, true);
        style.flags.set(StyleFlags::DIM, true);
    });
    style("\x1b[1;2;22mx", 0, |_| {});
}

#[test]
fn underlines() {
    for (code, want) in [
        ("4", Underline::Single),
        ("4:0", Underline::None),
        ("4:1", Underline::Single),
        ("4:2", Underline::Double),
        ("21", Underline::Double),
        ("4:3", Underline::Curly),
        ("4:4", Underline::Dotted),
        ("4:5", Underline::Dashed),
        ("4;24", Underline::None),
        ("4:3;4:0", Underline::None),
    ] {
        style(&format!("\x1b[{code}mx"), 0, |style| style.underline = want);
    }
    for (code, want) in [
        ("58:5:9", Colour::Indexed(9)),
        ("58;5;9", Colour::Indexed(9)),
        ("58:2::1:2:3", Colour::Rgb(1, 2, 3)),
        ("58:2:1:2:3", Colour::Rgb(1, 2, 3)),
        ("58;2;1;2;3", Colour::Rgb(1, 2, 3)),
        ("58;5;9;59", Colour::Default),
    ] {
        style(&format!("\x1b[{code}mx"), 0, |style| {
            style.underline_colour = want;
        });
    }
}

#[test]
fn colours() {
    for (code, want) in [
        ("31", Colour::Indexed(1)),
        ("97", Colour::Indexed(15)),
        ("38;5;200", Colour::Indexed(200)),
        ("38:5:200", Colour::Indexed(200)),
        ("38;2;1;2;3", Colour::Rgb(1, 2, 3)),
        ("38:2:1:2:3", Colour::Rgb(1, 2, 3)),
        ("38:2::1:2:3", Colour::Rgb(1, 2, 3)),
        ("31;39", Colour::Default),
        ("38;5;256", Colour::Default),
    ] {
        style(&format!("\x1b[{code}mx"), 0, |style| style.fg = want);
    }
    for (code, want) in [
        ("41", Colour::Indexed(1)),
        ("107", Colour::Indexed(15)),
        ("48;5;200", Colour::Indexed(200)),
        ("48:2::1:2:3", Colour::Rgb(1, 2, 3)),
        ("41;49", Colour::Default),
    ] {
        style(&format!("\x1b[{code}mx"), 0, |style| style.bg = want);
    }
    // What follows a colour is not part of it.
    style("\x1b[38;5;9;3mx", 0, |style| {
        style.fg = Colour::Indexed(9);
        style.flags = StyleFlags::ITALIC;
    });
    // Forty parameters: the first 32 values count.
    style(&format!("\x1b[{}3mx", "0;".repeat(30)), 0, |style| {
        style.flags = StyleFlags::ITALIC;
    });
    style(&format!("\x1b[{}3mx", "0;".repeat(40)), 0, |_| {});
}
