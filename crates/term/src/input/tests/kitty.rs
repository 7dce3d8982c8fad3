//! Keys by the kitty protocol.

use super::check;
use crate::input::{Key, KeyInput, KeyKind, Keypad, Mods, encode_key};
use crate::probe::Probe;

/// `superset#4231`, `claude-code#26629`: Shift+Enter sent the prompt.
#[test]
fn kitty_disambiguates() {
    check(
        "\x1b[>1u",
        &[
            ("a", "a"),
            ("A", "A"),
            ("\u{e9}", "\u{e9}"),
            ("Enter", "\r"),
            ("Tab", "\t"),
            ("BSpace", "\x7f"),
            ("S-Enter", "\x1b[13;2u"),
            ("C-Enter", "\x1b[13;5u"),
            ("S-Tab", "\x1b[9;2u"),
            ("M-BSpace", "\x1b[127;3u"),
            ("Escape", "\x1b[27u"),
            ("S-Escape", "\x1b[27;2u"),
            ("C-c", "\x1b[99;5u"),
            ("C-S-c", "\x1b[99;6u"),
            ("C-C", "\x1b[99;6u"),
            ("M-x", "\x1b[120;3u"),
            ("C-Space", "\x1b[32;5u"),
            ("C-[", "\x1b[91;5u"),
            ("Up", "\x1b[A"),
            ("C-Up", "\x1b[1;5A"),
            ("Home", "\x1b[H"),
            ("Delete", "\x1b[3~"),
            ("C-PageUp", "\x1b[5;5~"),
            ("F1", "\x1b[P"),
            ("F3", "\x1b[13~"),
            ("C-F3", "\x1b[13;5~"),
            ("F4", "\x1b[S"),
            ("F5", "\x1b[15~"),
            ("F13", "\x1b[57376u"),
            ("F35", "\x1b[57398u"),
            ("KP5", "5"),
            ("KPEnter", "\x1b[57414u"),
            ("C-KP5", "\x1b[57404;5u"),
        ],
    );
    // Cursor keys mode is of the legacy form.
    check("\x1b[>1u\x1b[?1h", &[("Up", "\x1b[A")]);
    // The stack of the other screen does not count here.
    check("\x1b[>1u\x1b[?1049h", &[("Escape", "\x1b")]);
    // Without flag 1 the ambiguous ones stay.
    check(
        "\x1b[>2u",
        &[
            ("Escape", "\x1b"),
            ("C-c", "\x03"),
            ("M-x", "\x1bx"),
            ("Up", "\x1b[A"),
        ],
    );
    check(
        "\x1b[>20u",
        &[
            ("Escape", "\x1b"),
            ("C-c", "\x03"),
            ("a", "a"),
            ("F1", "\x1bOP"),
        ],
    );
}

#[test]
fn kitty_reports_everything() {
    check(
        "\x1b[>9u",
        &[
            ("a", "\x1b[97u"),
            ("A", "\x1b[97;2u"),
            ("Enter", "\x1b[13u"),
            ("Tab", "\x1b[9u"),
            ("BSpace", "\x1b[127u"),
            ("Escape", "\x1b[27u"),
            ("KP5", "\x1b[57404u"),
            ("Up", "\x1b[A"),
        ],
    );
    check(
        "\x1b[>25u",
        &[
            ("a", "\x1b[97;;97u"),
            ("A", "\x1b[97;2;65u"),
            ("C-a", "\x1b[97;5u"),
            ("Enter", "\x1b[13u"),
            ("KP5", "\x1b[57404;;53u"),
            ("Up", "\x1b[A"),
        ],
    );
    check(
        "\x1b[>13u",
        &[
            ("a", "\x1b[97u"),
            ("A", "\x1b[97:65;2u"),
            ("C-S-a", "\x1b[97:65;6u"),
        ],
    );
    check(
        "\x1b[>5u",
        &[
            ("C-S-a", "\x1b[97:65;6u"),
            ("C-a", "\x1b[97;5u"),
            ("A", "A"),
        ],
    );
}

/// Repeats, releases, locks, alternate keys and keys without a name of tmux's.
#[test]
fn kitty_details() {
    use KeyKind::{Press, Release, Repeat};
    let key = |key, mods, kind| KeyInput {
        kind,
        ..KeyInput::new(key, mods)
    };
    let a = Key::Char('a');
    let cyrillic = KeyInput {
        shifted: Some('\u{421}'),
        base: Some('c'),
        ..KeyInput::new(Key::Char('\u{441}'), Mods::CTRL)
    };
    let shift_control = Mods::CTRL.with(Mods::SHIFT);
    let caps = Mods::CAPS_LOCK;
    for (flags, input, want) in [
        (0, key(a, Mods::NONE, Repeat), "a"),
        (0, key(a, Mods::NONE, Release), ""),
        (1, key(a, Mods::NONE, Release), ""),
        (1, key(Key::Up, Mods::NONE, Repeat), "\x1b[A"),
        (3, key(a, Mods::NONE, Press), "a"),
        (3, key(a, Mods::NONE, Repeat), "a"),
        (3, key(a, Mods::NONE, Release), "\x1b[97;1:3u"),
        (3, key(Key::Enter, Mods::NONE, Release), ""),
        (3, key(Key::Enter, Mods::SHIFT, Release), ""),
        (3, key(Key::Up, Mods::NONE, Release), "\x1b[1;1:3A"),
        (3, key(Key::Up, Mods::CTRL, Repeat), "\x1b[1;5:2A"),
        (3, key(Key::Delete, Mods::NONE, Release), "\x1b[3;1:3~"),
        (11, key(Key::Enter, Mods::NONE, Release), "\x1b[13;1:3u"),
        (11, key(a, Mods::NONE, Repeat), "\x1b[97;1:2u"),
        (27, key(a, Mods::NONE, Repeat), "\x1b[97;1:2;97u"),
        (27, key(a, Mods::NONE, Release), "\x1b[97;1:3u"),
        (1, key(a, Mods::SUPER, Press), "\x1b[97;9u"),
        (1, key(a, Mods::CTRL.with(caps), Press), "\x1b[97;5u"),
        (1, key(Key::Up, caps, Press), "\x1b[1;65A"),
        (9, key(a, caps, Press), "\x1b[97;65u"),
        (1, cyrillic, "\x1b[1089;5u"),
        (5, cyrillic, "\x1b[1089::99;5u"),
        (
            5,
            KeyInput {
                mods: shift_control,
                ..cyrillic
            },
            "\x1b[1089:1057:99;6u",
        ),
        (0, cyrillic, "\u{441}"),
        (1, key(Key::Other(57441), Mods::SHIFT, Press), ""),
        (
            9,
            key(Key::Other(57441), Mods::SHIFT, Press),
            "\x1b[57441;2u",
        ),
        (
            11,
            key(Key::Other(57441), Mods::NONE, Release),
            "\x1b[57441;1:3u",
        ),
        (1, key(Key::Other(57358), Mods::NONE, Press), ""),
        (1, key(Key::Other(57430), Mods::NONE, Press), "\x1b[57430u"),
        (0, key(Key::Other(57430), Mods::NONE, Press), ""),
        (
            1,
            key(Key::Keypad(Keypad::Begin), Mods::NONE, Press),
            "\x1b[57427u",
        ),
        (
            0,
            key(Key::Keypad(Keypad::Begin), Mods::NONE, Press),
            "\x1b[E",
        ),
        (
            0,
            key(Key::Keypad(Keypad::Home), Mods::NONE, Press),
            "\x1b[H",
        ),
        // A layout where shift gives something the letters do not tell.
        (
            0,
            KeyInput {
                shifted: Some('!'),
                ..KeyInput::new(Key::Char('1'), Mods::SHIFT)
            },
            "!",
        ),
        (
            1,
            KeyInput {
                shifted: Some('!'),
                ..KeyInput::new(Key::Char('1'), Mods::SHIFT)
            },
            "!",
        ),
        (
            0,
            KeyInput {
                shifted: Some('?'),
                ..KeyInput::new(Key::Char('/'), shift_control)
            },
            "\x7f",
        ),
    ] {
        let modes = Probe::after(format!("\x1b[>{flags}u")).modes;
        let bytes = encode_key(&input, &modes);
        assert_eq!(String::from_utf8_lossy(&bytes), want, "{flags} {input:?}");
    }
}
