//! Tests of the mode table: sequences and what they set, and that every form of the table
//! (bytes of a snapshot, bytes for a terminal) gives the same table again.

use proptest::prelude::*;

use super::*;
use crate::probe::Probe;

/// The table after a stream equals the default one after `change`.
fn check(stream: &str, change: impl FnOnce(&mut Modes)) {
    let mut want = Modes::default();
    change(&mut want);
    let modes = Probe::after(stream).modes;
    assert_eq!(modes, want, "{stream:?}");
    assert_eq!(Modes::decode(&modes.encode()).unwrap(), modes, "{stream:?}");
}

#[test]
fn switches() {
    type Change = fn(&mut Modes);
    let table: [(&str, Change); 26] = [
        ("\x1b[?1h", |m| m.cursor_keys = true),
        ("\x1b[?5h", |m| m.reverse_video = true),
        ("\x1b[?6h", |m| m.origin = true),
        ("\x1b[?7l", |m| m.autowrap = false),
        ("\x1b[?12h", |m| m.cursor_blink = true),
        ("\x1b[?25l", |m| m.cursor_visible = false),
        ("\x1b[?45h", |m| m.reverse_wrap = true),
        ("\x1b[?47h", |m| m.alternate = true),
        ("\x1b[?1047h", |m| m.alternate = true),
        ("\x1b[?1049h", |m| m.alternate = true),
        ("\x1b[?1049h\x1b[?1049l", |_| {}),
        ("\x1b[?1048h", |_| {}),
        ("\x1b[?66h", |m| m.keypad = true),
        ("\x1b=", |m| m.keypad = true),
        ("\x1b=\x1b>", |_| {}),
        ("\x1b[?69h", |m| m.margins = true),
        ("\x1b[?1004h", |m| m.focus = true),
        ("\x1b[?1007l", |m| m.alternate_scroll = false),
        ("\x1b[?2004h", |m| m.bracketed_paste = true),
        ("\x1b[?2026h", |m| m.sync = true),
        ("\x1b[?2031h", |m| m.scheme_reports = true),
        ("\x1b[4h", |m| m.insert = true),
        ("\x1b[20h", |m| m.newline = true),
        ("\x1b[4;20h\x1b[20l", |m| m.insert = true),
        ("\x1b[?1;2004h", |m| {
            (m.cursor_keys, m.bracketed_paste) = (true, true);
        }),
        (
            "\x1b[?0h\x1b[0h\x1b[?2027l\x1b[?3h\x1b[?9999h\x1b[?h\x1b[>1h",
            |_| {},
        ),
    ];
    for (stream, change) in table {
        check(stream, change);
    }
}

#[test]
fn mouse() {
    use MouseEncoding::{Default as Plain, Sgr, SgrPixels, Urxvt, Utf8};
    use MouseMode::{Drag, Motion, Normal, Off, X10};
    for (stream, mode, encoding) in [
        ("\x1b[?9h", X10, Plain),
        ("\x1b[?1000h", Normal, Plain),
        ("\x1b[?1002h", Drag, Plain),
        ("\x1b[?1003h", Motion, Plain),
        ("\x1b[?1000;1002;1003;1006h", Motion, Sgr),
        ("\x1b[?1003h\x1b[?1000h", Normal, Plain),
        ("\x1b[?1003h\x1b[?1000l", Off, Plain),
        ("\x1b[?1005h", Off, Utf8),
        ("\x1b[?1015h", Off, Urxvt),
        ("\x1b[?1006h\x1b[?1016h", Off, SgrPixels),
        ("\x1b[?1006h\x1b[?1005l", Off, Sgr),
        ("\x1b[?1006h\x1b[?1006l", Off, Plain),
        ("\x1b[?1001h", Off, Plain),
    ] {
        check(stream, |modes| {
            (modes.mouse, modes.mouse_encoding) = (mode, encoding);
        });
    }
}

#[test]
fn cursor_style() {
    use CursorShape::{Bar, Block, Default as Own, Underline};
    for (stream, shape, blink, number) in [
        ("\x1b[ q", Own, false, 0),
        ("\x1b[1 q", Block, true, 1),
        ("\x1b[2 q", Block, false, 2),
        ("\x1b[3 q", Underline, true, 3),
        ("\x1b[4 q", Underline, false, 4),
        ("\x1b[5 q", Bar, true, 5),
        ("\x1b[6 q", Bar, false, 6),
        ("\x1b[6 q\x1b[0 q", Own, false, 0),
        ("\x1b[6 q\x1b[7 q", Bar, false, 6),
        ("\x1b[6 q\x1b[?12h", Bar, true, 5),
    ] {
        check(stream, |modes| {
            (modes.cursor_shape, modes.cursor_blink) = (shape, blink);
        });
        assert_eq!(
            Probe::after(stream).modes.cursor_style(),
            number,
            "{stream:?}"
        );
    }
}

/// Stacks of the main and the alternate screen, and the flags in force.
#[test]
fn kitty_keyboard() {
    for (stream, main, alternate, flags) in [
        ("\x1b[>1u", &[1][..], &[][..], 1),
        ("\x1b[>u", &[0], &[], 0),
        ("\x1b[>255u", &[31], &[], 31),
        ("\x1b[>1u\x1b[>5u", &[1, 5], &[], 5),
        ("\x1b[>1u\x1b[>5u\x1b[<u", &[1], &[], 1),
        ("\x1b[>1u\x1b[>5u\x1b[<9u", &[], &[], 0),
        ("\x1b[<u", &[], &[], 0),
        ("\x1b[=5u", &[5], &[], 5),
        ("\x1b[=5;1u", &[5], &[], 5),
        ("\x1b[=5u\x1b[=2;2u", &[7], &[], 7),
        ("\x1b[=5u\x1b[=4;3u", &[1], &[], 1),
        ("\x1b[=5u\x1b[=4;9u", &[5], &[], 5),
        ("\x1b[=0u", &[], &[], 0),
        ("\x1b[>1u\x1b[?1049h", &[1], &[], 0),
        ("\x1b[>1u\x1b[?1049h\x1b[>7u", &[1], &[7], 7),
        ("\x1b[>1u\x1b[?1049h\x1b[>7u\x1b[?1049l", &[1], &[7], 1),
    ] {
        let modes = Probe::after(stream).modes;
        assert_eq!(modes.kitty_main.entries(), main, "{stream:?}");
        assert_eq!(modes.kitty_alternate.entries(), alternate, "{stream:?}");
        assert_eq!(modes.kitty(), flags, "{stream:?}");
        assert_eq!(Modes::decode(&modes.encode()).unwrap(), modes);
    }
    let deep: String = (1..=40).map(|n| format!("\x1b[>{}u", n % 32)).collect();
    let modes = Probe::after(deep).modes;
    assert_eq!(modes.kitty_main.entries().len(), KITTY_DEPTH);
    assert_eq!(modes.kitty_main.entries()[0], 9);
}

#[test]
fn modify_other_keys() {
    for (stream, level) in [
        ("\x1b[>4;1m", 1),
        ("\x1b[>4;2m", 2),
        ("\x1b[>4;3m", 2),
        ("\x1b[>4;2m\x1b[>4m", 0),
        ("\x1b[>4;2m\x1b[>m", 0),
        ("\x1b[>4;2m\x1b[>4n", 0),
        ("\x1b[>4;2m\x1b[>1;0m", 2),
        ("\x1b[>4;2m\x1b[4;2m", 2),
    ] {
        check(stream, |modes| modes.modify_other_keys = level);
    }
}

#[test]
fn saved_modes() {
    for (stream, bracketed, mouse) in [
        (
            "\x1b[?2004h\x1b[?2004s\x1b[?2004l\x1b[?2004r",
            true,
            MouseMode::Off,
        ),
        ("\x1b[?2004s\x1b[?2004h\x1b[?2004r", false, MouseMode::Off),
        ("\x1b[?2004h\x1b[?2004r", true, MouseMode::Off),
        (
            "\x1b[?1000h\x1b[?1000;2004s\x1b[?1000l\x1b[?1000;2004r",
            false,
            MouseMode::Normal,
        ),
        (
            "\x1b[?2004h\x1b[?2004s\x1bc\x1b[?2004r",
            false,
            MouseMode::Off,
        ),
    ] {
        let modes = Probe::after(stream).modes;
        assert_eq!(
            (modes.bracketed_paste, modes.mouse),
            (bracketed, mouse),
            "{stream:?}"
        );
        assert_eq!(Modes::decode(&modes.encode()).unwrap(), modes);
    }
    let all: String = (0..=9999).map(|n| format!("\x1b[?{n}s")).collect();
    assert!(Probe::after(all).modes.saved.len() < 40);
}

const EVERYTHING: &str = "\x1b[?1;5;6;12;45;47;66;69;1002;1006;1004;2004;2026;2031h\x1b[?7;25;1007l\
    \x1b[4;20h\x1b[5 q\x1b[>4;2m\x1b[>1u\x1b]4;1;#ff0000\x07\x1b]11;#00ff00\x07\x1b]2;title\x07";

#[test]
fn resets() {
    // RIS: the title stays.
    check(&format!("{EVERYTHING}\x1b[22t\x1bc"), |modes| {
        modes.titles = Titles::of("title".into());
    });
    // DECSTR: what the VT510 manual lists, and nothing else.
    let before = Probe::after(EVERYTHING).modes;
    check(&format!("{EVERYTHING}\x1b[!p"), |modes| {
        *modes = before;
        (modes.cursor_visible, modes.autowrap) = (true, true);
        (modes.insert, modes.origin, modes.cursor_keys) = (false, false, false);
        (modes.keypad, modes.margins, modes.reverse_wrap) = (false, false, false);
    });
}

#[test]
fn titles() {
    let title = |text: &str| Event::Title(text.into());
    for (stream, current, depth, told) in [
        ("\x1b]2;a\x07", "a", 0, vec![title("a")]),
        ("\x1b]0;a\x07\x1b]2;a\x07", "a", 0, vec![title("a")]),
        ("\x1b]1;icon\x07", "", 0, vec![]),
        (
            "\x1b]2;a\x07\x1b[22;0;0t\x1b]2;b\x07",
            "b",
            1,
            vec![title("a"), title("b")],
        ),
        (
            "\x1b[22t\x1b]2;b\x07\x1b[23t",
            "",
            0,
            vec![title("b"), title("")],
        ),
        ("\x1b[22;2t\x1b[23;0t", "", 0, vec![]),
        ("\x1b[22;1t\x1b[23;1t\x1b[23t", "", 0, vec![]),
    ] {
        let probe = Probe::after(stream);
        assert_eq!(probe.modes.titles.current(), current, "{stream:?}");
        assert_eq!(probe.modes.titles.stack().len(), depth, "{stream:?}");
        assert_eq!(probe.told, told, "{stream:?}");
        assert_eq!(Modes::decode(&probe.modes.encode()).unwrap(), probe.modes);
    }
    let modes = Probe::after("\x1b[22t".repeat(100)).modes;
    assert_eq!(modes.titles.stack().len(), 16);
}

/// `agent-deck#510`: a program died and left its modes to the shell.
#[test]
fn what_a_dead_program_left() {
    for (stream, bytes) in [
        ("", ""),
        ("\x1b[?1;6h\x1b[?7l", ""),
        ("\x1b[?25;2026h", "\x1b[?2026l"),
        ("\x1b[?1000;1006h", "\x1b[?1000l\x1b[?1006l"),
        ("\x1b[?1004h", "\x1b[?1004l"),
        ("\x1b[?2004h", "\x1b[?2004l"),
        ("\x1b[?25l", "\x1b[?25h"),
        ("\x1b[>4;2m", "\x1b[>4;0m"),
        ("\x1b[>1u\x1b[>5u", "\x1b[<2u"),
        ("\x1b[?1049h\x1b[>5u", "\x1b[<1u"),
        (
            "\x1b[>1u\x1b[?1049h\x1b[>5u",
            "\x1b[<1u\x1b[?47l\x1b[<1u\x1b[?47h",
        ),
    ] {
        let mut probe = Probe::after(stream);
        let risky = probe.modes.risky();
        assert_eq!(risky, !bytes.is_empty() && !probe.modes.sync, "{stream:?}");
        // The event was told, and the bytes do on a viewer what was done here.
        assert_eq!(probe.told.contains(&Event::RiskyMode), risky, "{stream:?}");
        let mut viewer = probe.clone();
        let reset = probe.modes.reset_left();
        assert_eq!(String::from_utf8_lossy(&reset), bytes, "{stream:?}");
        viewer.feed(&reset);
        assert_eq!(viewer.modes, probe.modes, "{stream:?}");
        assert!(!probe.modes.risky() && probe.modes.reset_left().is_empty());
    }
}

/// Each time a risky mode is set it is told, not when one is taken back.
#[test]
fn risky_modes_are_told() {
    for (stream, times) in [
        ("\x1b[?2004h\x1b[?2004l\x1b[?2004h", 2),
        ("\x1b[?2004h\x1b[?1000h\x1b[?1000l", 2),
        ("\x1b[?2004h\x1b[?7h\x1b[?7l\x1b[m\x1b[1;2H", 1),
        ("\x1b[>1u\x1b[<u", 1),
        ("\x1b[?25l\x1b[?25h", 1),
        ("\x1b[?1004h\x1b[?1004s\x1b[?1004l\x1b[?1004r", 2),
    ] {
        let told = Probe::after(stream).told;
        let count = told
            .iter()
            .filter(|event| **event == Event::RiskyMode)
            .count();
        assert_eq!(count, times, "{stream:?}");
    }
}

#[test]
fn bytes_for_a_terminal() {
    assert_eq!(Modes::default().to_ansi(), b"");
    assert_eq!(Modes::default().undo(), b"");
    let modes = Probe::after(EVERYTHING).modes;
    let ansi = String::from_utf8(modes.to_ansi()).unwrap();
    // A pending synchronized update must never be replayed (`zmx` keeps it out as well).
    assert!(!ansi.contains("2026"), "{ansi:?}");
    assert!(
        String::from_utf8(modes.undo())
            .unwrap()
            .contains("\x1b[?2026l")
    );
}

#[test]
fn decoding() {
    let bytes = Probe::after(EVERYTHING).modes.encode();
    // No panic; an error unless a record ends at the cut.
    let whole = (1..bytes.len())
        .filter(|cut| Modes::decode(&bytes[..*cut]).is_ok())
        .count();
    assert!((20..40).contains(&whole), "{whole}");
    assert_eq!(Modes::decode(&bytes[..bytes.len() - 1]), Err(Truncated));
    let unknown = [&[0xff, 0xff, 2, 0, 9, 9][..], &bytes].concat();
    assert_eq!(Modes::decode(&unknown), Modes::decode(&bytes));
    assert_eq!(Modes::decode(&[]), Ok(Modes::default()));
    // The form is frozen: a change here means that old snapshots cannot be read any more.
    assert_eq!(&bytes[..10], [1, 0, 1, 0, 1, 5, 0, 1, 0, 1]);
    assert_eq!(
        &Modes::default().encode()[75..85],
        [4, 0x40, 1, 0, 0, 0x14, 0x40, 1, 0, 0]
    );
}

/// Streams of mode sequences.
fn streams() -> impl Strategy<Value = String> {
    let numbers = prop::sample::select(vec![
        1, 5, 6, 7, 9, 12, 25, 45, 47, 66, 69, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015,
        1016, 1047, 1049, 2004, 2031,
    ]);
    let piece = prop_oneof![
        6 => (numbers, "[hlsr]").prop_map(|(number, end)| format!("\x1b[?{number}{end}")),
        1 => "\x1b\\[(4|20)[hl]",
        2 => "\x1b\\[[<>=][0-9]{1,2}(;[1-3])?u",
        1 => "\x1b\\[>4;[012]m",
        1 => "\x1b\\[[0-6] q",
        1 => "\x1b\\]4;[0-9];#[0-9a-f]{6}\x07",
        1 => "\x1b\\]1[012];#[0-9a-f]{6}\x07",
        1 => "\x1b\\](104|110|111|112)\x07",
        1 => "\x1b\\]2;[a-z]{0,3}\x07",
        1 => "\x1b(=|>|c|\\[!p)",
        1 => "\x1b\\[[0-3]\\*x",
        1 => "\x1b\\[2[23]t",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_form_gives_the_table_again(stream in streams()) {
        let probe = Probe::after(&stream);
        prop_assert_eq!(&Modes::decode(&probe.modes.encode()).unwrap(), &probe.modes);

        // Shown on a terminal that was reset. What is not for a terminal is left out.
        let mut shown = Probe::after(probe.modes.to_ansi()).modes;
        let mut want = probe.modes.clone();
        want.saved.clear();
        want.titles = Titles::of(want.titles.current().into());
        prop_assert_eq!(&shown, &want);

        // Undone again, as a client does that leaves.
        let mut undone = Probe { modes: probe.modes.clone(), ..Probe::default() };
        undone.feed(probe.modes.undo());
        shown = undone.modes;
        shown.saved.clear();
        shown.titles = Titles::default();
        prop_assert_eq!(shown, Modes::default());
    }

    #[test]
    fn any_bytes_decode_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(modes) = Modes::decode(&bytes) {
            prop_assert_eq!(Modes::decode(&modes.encode()), Ok(modes));
        }
    }
}
