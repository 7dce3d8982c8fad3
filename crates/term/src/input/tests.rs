//! Tests of the input encoders, as tables: what a program asked for, what a person did, what the
//! program reads.

mod kitty;
mod pointer;

use proptest::prelude::*;

use super::*;
use crate::probe::Probe;

/// Keys by name, each as the program reads it after `setup`.
fn check(setup: &str, table: &[(&str, &str)]) {
    let modes = Probe::after(setup).modes;
    for (name, want) in table {
        let input = parse_key_name(name).unwrap_or_else(|| panic!("{name}"));
        let bytes = encode_key(&input, &modes);
        assert_eq!(String::from_utf8_lossy(&bytes), *want, "{setup:?} {name}");
    }
}

#[test]
fn legacy_text() {
    check(
        "",
        &[
            ("a", "a"),
            ("A", "A"),
            ("S-a", "A"),
            ("\u{e9}", "\u{e9}"),
            ("\u{df}", "\u{df}"),
            ("-", "-"),
            ("C-c", "\x03"),
            ("^c", "\x03"),
            ("C-C", "\x03"),
            ("C-S-c", "\x03"),
            ("C-Space", "\0"),
            ("C-@", "\0"),
            ("C-[", "\x1b"),
            ("C-\\", "\x1c"),
            ("C-]", "\x1d"),
            ("C-^", "\x1e"),
            ("C-_", "\x1f"),
            ("C-/", "\x1f"),
            ("C-?", "\x7f"),
            ("C-2", "\0"),
            ("C-3", "\x1b"),
            ("C-8", "\x7f"),
            ("C-9", "9"),
            ("C-;", ";"),
            ("M-x", "\x1bx"),
            ("M-X", "\x1bX"),
            ("C-M-c", "\x1b\x03"),
            ("M--", "\x1b-"),
            ("C--", "-"),
        ],
    );
}

#[test]
fn legacy_special_keys() {
    check(
        "",
        &[
            ("Enter", "\r"),
            ("C-Enter", "\r"),
            ("M-Enter", "\x1b\r"),
            // The line break agents know, for want of anything better.
            ("S-Enter", "\x1b\r"),
            ("Tab", "\t"),
            ("BTab", "\x1b[Z"),
            ("S-Tab", "\x1b[Z"),
            ("M-Tab", "\x1b\t"),
            ("BSpace", "\x7f"),
            ("C-BSpace", "\x08"),
            ("M-BSpace", "\x1b\x7f"),
            ("Escape", "\x1b"),
            ("M-Escape", "\x1b\x1b"),
            ("Up", "\x1b[A"),
            ("Down", "\x1b[B"),
            ("Right", "\x1b[C"),
            ("Left", "\x1b[D"),
            ("S-Up", "\x1b[1;2A"),
            ("M-Up", "\x1b[1;3A"),
            ("C-Left", "\x1b[1;5D"),
            ("C-S-Right", "\x1b[1;6C"),
            ("C-M-S-Right", "\x1b[1;8C"),
            ("Home", "\x1b[H"),
            ("C-End", "\x1b[1;5F"),
            ("Insert", "\x1b[2~"),
            ("Delete", "\x1b[3~"),
            ("C-Delete", "\x1b[3;5~"),
            ("PageUp", "\x1b[5~"),
            ("NPage", "\x1b[6~"),
            ("F1", "\x1bOP"),
            ("F4", "\x1bOS"),
            ("S-F1", "\x1b[1;2P"),
            ("F5", "\x1b[15~"),
            ("F6", "\x1b[17~"),
            ("F10", "\x1b[21~"),
            ("F11", "\x1b[23~"),
            ("F12", "\x1b[24~"),
            ("C-F12", "\x1b[24;5~"),
            ("F13", "\x1b[1;2P"),
            ("F24", "\x1b[24;2~"),
            ("F25", "\x1b[1;5P"),
            ("KP5", "5"),
            ("KP/", "/"),
            ("KPEnter", "\r"),
        ],
    );
    check(
        "\x1b[?1h",
        &[
            ("Up", "\x1bOA"),
            ("Home", "\x1bOH"),
            ("C-Up", "\x1b[1;5A"),
            ("Delete", "\x1b[3~"),
        ],
    );
    check(
        "\x1b=",
        &[
            ("KP0", "\x1bOp"),
            ("KP9", "\x1bOy"),
            ("KP*", "\x1bOj"),
            ("KP+", "\x1bOk"),
            ("KP-", "\x1bOm"),
            ("KP.", "\x1bOn"),
            ("KP/", "\x1bOo"),
            ("KPEnter", "\x1bOM"),
            ("C-KP5", "\x1d"),
            ("5", "5"),
        ],
    );
    check("\x1b[20h", &[("Enter", "\r\n")]);
}

#[test]
fn modify_other_keys() {
    check(
        "\x1b[>4;1m",
        &[
            ("a", "a"),
            ("A", "A"),
            ("C-c", "\x03"),
            ("M-x", "\x1bx"),
            ("C-M-c", "\x1b\x03"),
            ("C-;", "\x1b[27;5;59~"),
            ("C-9", "\x1b[27;5;57~"),
            ("Enter", "\r"),
            ("S-Enter", "\x1b[27;2;13~"),
            ("C-Enter", "\x1b[27;5;13~"),
            ("M-Enter", "\x1b\r"),
            ("C-Tab", "\x1b[27;5;9~"),
            ("S-Tab", "\x1b[Z"),
            ("C-BSpace", "\x08"),
            ("Escape", "\x1b"),
            ("C-Up", "\x1b[1;5A"),
        ],
    );
    check(
        "\x1b[>4;2m",
        &[
            ("a", "a"),
            ("A", "A"),
            ("C-c", "\x1b[27;5;99~"),
            ("C-S-c", "\x1b[27;6;67~"),
            ("M-x", "\x1b[27;3;120~"),
            ("S-Enter", "\x1b[27;2;13~"),
            ("M-Enter", "\x1b[27;3;13~"),
            ("S-Tab", "\x1b[27;2;9~"),
            ("C-BSpace", "\x1b[27;5;127~"),
            ("BSpace", "\x7f"),
            ("C-Space", "\x1b[27;5;32~"),
            ("C-Up", "\x1b[1;5A"),
        ],
    );
}

#[test]
fn key_names() {
    let key = |key, mods| Some(KeyInput::new(key, mods));
    for (name, want) in [
        ("up", key(Key::Up, Mods::NONE)),
        ("c-m-UP", key(Key::Up, Mods::CTRL.with(Mods::ALT))),
        ("A-Space", key(Key::Char(' '), Mods::ALT)),
        (" ", key(Key::Char(' '), Mods::NONE)),
        ("PPage", key(Key::PageUp, Mods::NONE)),
        ("PgDn", key(Key::PageDown, Mods::NONE)),
        ("DC", key(Key::Delete, Mods::NONE)),
        ("Esc", key(Key::Escape, Mods::NONE)),
        ("Return", key(Key::Enter, Mods::NONE)),
        ("^", key(Key::Char('^'), Mods::NONE)),
        ("C-^", key(Key::Char('^'), Mods::CTRL)),
        ("-", key(Key::Char('-'), Mods::NONE)),
        ("C-", None),
        ("C-M-", None),
        ("", None),
        ("nothing", None),
        ("ab", None),
        ("F0", None),
        ("F36", None),
        ("F1x", None),
        ("F+1", None),
        ("KP", None),
        ("KP10", None),
        ("\x1b", None),
        ("X-a", None),
    ] {
        assert_eq!(parse_key_name(name), want, "{name:?}");
    }
}

proptest! {
    #[test]
    fn nothing_breaks_out_of_a_paste(
        text in prop::collection::vec(
            prop_oneof![
                any::<u8>(),
                prop::sample::select(b"\x1b[201~\r\xc2\x9b\xe2\x80".to_vec()),
            ],
            0..60,
        ),
        bracketed in any::<bool>(),
    ) {
        let modes = Modes { bracketed_paste: bracketed, ..Modes::default() };
        let bytes = encode_paste(&text, &modes);
        let inside = if bracketed { &bytes[6..bytes.len() - 6] } else { &bytes[..] };
        // Neither a program that reads UTF-8 nor one that reads single bytes finds a control;
        // inside valid characters those bytes cannot be helped.
        prop_assert!(!inside.contains(&0x1b));
        for chunk in inside.utf8_chunks() {
            let c1 = chunk.valid().chars().find(|c| ('\u{80}'..='\u{9f}').contains(c));
            prop_assert_eq!(c1, None);
            let byte = chunk.invalid().iter().find(|b| (0x80..=0x9f).contains(*b));
            prop_assert_eq!(byte, None);
        }
    }

    /// A key's sequence is one whole sequence, and no key panics.
    #[test]
    fn keys_are_whole_sequences(
        key in prop_oneof![
            any::<char>().prop_filter("no control", |c| !c.is_control()).prop_map(Key::Char),
            any::<u8>().prop_map(Key::F),
            any::<u8>().prop_map(|n| Key::Keypad(Keypad::Digit(n))),
            any::<u16>().prop_map(Key::Other),
            prop::sample::select(vec![Key::Enter, Key::Tab, Key::Backspace, Key::Up, Key::Delete]),
        ],
        mods in any::<u8>(),
        flags in 0..32u8,
        level in 0..3u8,
        release in any::<bool>(),
    ) {
        let kind = if release { KeyKind::Release } else { KeyKind::Press };
        let input = KeyInput { kind, ..KeyInput::new(key, Mods(mods)) };
        let modes = Probe::after(format!("\x1b[>{flags}u\x1b[>4;{level}m")).modes;
        let bytes = encode_key(&input, &modes);
        if let [0x1b, b'[', middle @ .., last] = &bytes[..] {
            prop_assert!(middle.iter().all(|b| b"0123456789;:".contains(b)), "{bytes:?}");
            prop_assert!((0x40..=0x7e).contains(last));
        }
    }
}
