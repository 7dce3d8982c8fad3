//! DECFRA, DECERA, DECSERA, DECCRA; DECCARA and DECRARA with the extents of DECSACE. The vt100
//! engine has none, but keeps DECSACE.

use term::{Colour, EngineKind, Style, StyleFlags, Underline};

use crate::{answers, check, fed, lost};

const SIZE: (u16, u16) = (6, 4);
const FULL: &str = "abcdef\r\nghijkl\r\nmnopqr\r\nstuvwx\x1b[H";

fn with(rest: &str) -> String {
    format!("{FULL}{rest}")
}

#[test]
fn rectangles() {
    lost(
        SIZE,
        &with("\x1b[35;2;3;3;4$x"),
        &["abcdef", "gh##kl", "mn##qr", "stuvwx"],
        (0, 0),
    );
    lost(
        SIZE,
        &with("\x1b[2;3;3;4$z"),
        &["abcdef", "gh  kl", "mn  qr", "stuvwx"],
        (0, 0),
    );
    lost(SIZE, &with("\x1b[$z"), &[], (0, 0));
    lost(
        SIZE,
        &with("\x1b[1;1;2;2;1;3;5;1$v"),
        &["abcdef", "ghijkl", "mnopab", "stuvgh"],
        (0, 0),
    );
    // Onto itself, and over the edge.
    lost(
        SIZE,
        &with("\x1b[1;1;3;3;1;2;2;1$v"),
        &["abcdef", "gabckl", "mghiqr", "smnowx"],
        (0, 0),
    );
    lost(
        SIZE,
        &with("\x1b[1;1;3;3;1;4;6;1$v"),
        &["abcdef", "ghijkl", "mnopqr", "stuvwa"],
        (0, 0),
    );
    // In origin mode from the region's corner.
    lost(
        SIZE,
        &with("\x1b[2;3r\x1b[?6h\x1b[35;1;1;9;2$x"),
        &["abcdef", "##ijkl", "##opqr", "stuvwx"],
        (0, 1),
    );
    lost(
        (6, 1),
        "ab\x1b[1\"qcd\x1b[0\"qef\x1b[1;1;1;9${",
        &["  cd"],
        (6 - 1, 0),
    );
    // Halves of wide characters are not copied.
    lost(
        SIZE,
        "漢字x\x1b[1;2;1;4;1;2;1;1$v",
        &["漢字x", " 字"],
        (5, 0),
    );
    // An empty one does nothing, nor does a control to fill with.
    check(
        SIZE,
        &with("\x1b[35;3;3;2;2$x\x1b[7;1;1;2;2$x"),
        &["abcdef", "ghijkl", "mnopqr", "stuvwx"],
        (0, 0),
    );
}

/// How a cell looks, as letters: bold, blinking, inverse, underlined.
fn letters(style: &Style) -> String {
    let flags = [
        ('b', StyleFlags::BOLD),
        ('k', StyleFlags::BLINK),
        ('i', StyleFlags::INVERSE),
    ];
    let set = flags.iter().filter(|(_, flag)| style.flags.contains(*flag));
    let mut out: String = set.map(|(letter, _)| letter).collect();
    if style.underline != Underline::None {
        out.push('u');
    }
    if out.is_empty() { ".".into() } else { out }
}

/// The looks of all cells, a row a line.
#[track_caller]
fn looks(bytes: &str, want: &[&str]) {
    let (terminal, _) = fed(EngineKind::Grid, SIZE, bytes);
    let row = |y| -> Vec<String> {
        let row = terminal.row(y);
        row.cells.iter().map(|cell| letters(&cell.style)).collect()
    };
    let got: Vec<String> = (0..SIZE.1).map(|y| row(y).join(" ")).collect();
    assert_eq!(got, want, "{bytes:?}");
}

const PLAIN: &str = ". . . . . .";

/// DECSACE: from corner to corner as text runs, at power-on and with 0 and 1; 2: a rectangle.
#[test]
fn attributes_of_a_stream_and_of_a_rectangle() {
    let stream = [PLAIN, ". . b b b b", "b b b b . .", PLAIN];
    let rectangle = [PLAIN, ". . b b . .", ". . b b . .", PLAIN];
    for (extent, want) in [
        ("", stream),
        ("\x1b[*x", stream),
        ("\x1b[0*x", stream),
        ("\x1b[1*x", stream),
        ("\x1b[2*x\x1b[1*x", stream),
        ("\x1b[2*x\x1bc", stream),
        ("\x1b[2*x", rectangle),
        ("\x1b[2*x\x1b[3*x", rectangle),
        ("\x1b[2*x\x1b[!p", rectangle),
    ] {
        for change in ["\x1b[2;3;3;4;1$r", "\x1b[2;3;3;4;1$t"] {
            looks(&format!("{extent}{}", with(change)), &want);
        }
    }
    // All of the screen, its blank cells too; text and cursor stay.
    looks("ab\x1b[;;;;7$r", &["i i i i i i"; 4]);
    check(
        SIZE,
        &with("\x1b[2;3H\x1b[;;;;7$r"),
        &["abcdef", "ghijkl", "mnopqr", "stuvwx"],
        (2, 1),
    );
    // An empty one, and one below the screen.
    for none in ["\x1b[3;3;2;4;1$r", "\x1b[1;4;2;3;1$r", "\x1b[5;1;9;9;1$r"] {
        looks(&with(none), &[PLAIN; 4]);
    }
}

#[test]
fn attributes_one_after_the_other() {
    for (set, change, want) in [
        // DECCARA: on, off, all off; without one: all off (VT510; xterm: nothing).
        ("", "1;4;5;7$r", "bkiu"),
        ("\x1b[1;4;5;7m", "22;25$r", "iu"),
        ("\x1b[1;4;5;7m", "24;27$r", "bk"),
        ("\x1b[1;4;5;7m", "0$r", "."),
        ("\x1b[1;4;5;7m", "$r", "."),
        ("\x1b[1;4m", "0;7$r", "i"),
        ("\x1b[1m", "7;0$r", "."),
        ("", "1;22;1$r", "b"),
        ("\x1b[4:3m", "4$r", "u"),
        // Others are ignored.
        ("\x1b[1m", "2;3;6;8;21;23;26;31;38;5$r", "bk"),
        // DECRARA: each time the other way; 0 and none: all four (VT510; xterm: nothing).
        ("\x1b[1;4m", "1;7$t", "iu"),
        ("\x1b[1;4m", "0$t", "ki"),
        ("\x1b[1;4m", "$t", "ki"),
        ("\x1b[1;4m", "1;1$t", "bu"),
        ("\x1b[1;4m", "0;4;5$t", "iu"),
        ("\x1b[1m", "22;31$t", "b"),
    ] {
        let row = format!("{want} . . . . .");
        let bytes = format!("\x1b[2*x{set}x\x1b[m\x1b[1;1;1;1;{change}");
        looks(&bytes, &[&row, PLAIN, PLAIN, PLAIN]);
    }
}

#[test]
fn colours_and_other_attributes_stay() {
    let bytes = "\x1b[2;3;9;31;44m\x1b[1\"qx\x1b[2*x\x1b[1;1;1;1;0$r";
    let (terminal, _) = fed(EngineKind::Grid, SIZE, bytes);
    let style = terminal.row(0).cells[0].style;
    assert!(style.protected);
    let colours = (Colour::Indexed(1), Colour::Indexed(4));
    assert_eq!((style.fg, style.bg), colours);
    for flag in [StyleFlags::DIM, StyleFlags::ITALIC, StyleFlags::STRIKE] {
        assert!(style.flags.contains(flag));
    }
    // The pen is another matter.
    let (terminal, _) = fed(EngineKind::Grid, SIZE, "\x1b[;;;;1$rx");
    assert_eq!(terminal.row(0).cells[0].style, Style::default());
    // DECSERA leaves looks alone (VT510, xterm).
    let bytes = "\x1b[7mab\x1b[m\x1b[1;1;1;9${";
    looks(bytes, &["i i . . . .", PLAIN, PLAIN, PLAIN]);
}

#[test]
fn in_origin_mode_within_region_and_margins() {
    let region = "\x1b[2;3r\x1b[?69h\x1b[2;5s";
    for (change, want) in [
        // From the region's corner, cut at its edges; a stream goes on at the margins.
        (
            "\x1b[?6h\x1b[1;2;2;2;1$r",
            [PLAIN, ". . b b b .", ". b b . . .", PLAIN],
        ),
        (
            "\x1b[?6h\x1b[2*x\x1b[1;2;9;9;1$r",
            [PLAIN, ". . b b b .", ". . b b b .", PLAIN],
        ),
        // Without it region and margins mean nothing.
        (
            "\x1b[1;2;2;2;1$r",
            [". b b b b b", "b b . . . .", PLAIN, PLAIN],
        ),
    ] {
        looks(&with(&format!("{region}{change}")), &want);
    }
}

#[test]
fn wide_characters_change_whole() {
    for columns in ["1;2;1;2", "1;3;1;3", "1;2;1;3"] {
        let (terminal, _) = fed(
            EngineKind::Grid,
            SIZE,
            &format!("a漢b\x1b[2*x\x1b[{columns};1$r"),
        );
        let row = terminal.row(0);
        let looks = row.cells.iter().take(4);
        let looks: Vec<String> = looks.map(|cell| letters(&cell.style)).collect();
        assert_eq!(looks[..2], [".", "b"], "{columns}");
        assert_eq!(looks[3], ".", "{columns}");
        assert_eq!(row.text(), "a漢b");
    }
}

#[test]
fn the_extent_is_told_and_in_snapshots() {
    answers(SIZE, "\x1bP$q*x\x1b\\", "\x1bP1$r1*x\x1b\\");
    answers(SIZE, "\x1b[2*x\x1bP$q*x\x1b\\", "\x1bP1$r2*x\x1b\\");
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        let (mut terminal, _) = fed(engine, SIZE, "\x1b[2*x");
        let bytes = terminal.encoded_snapshot(0);
        let snapshot = term::codec::decode_snapshot(&bytes).unwrap();
        assert!(snapshot.modes.rectangles);
    }
}
