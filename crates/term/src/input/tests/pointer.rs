//! Mouse, pastes and focus.

use crate::input::{
    Button, Mods, MouseInput, MouseKind, Wheel, encode_focus, encode_mouse, encode_paste,
};
use crate::modes::Modes;
use crate::probe::Probe;

#[test]
fn mouse() {
    use Button::{Extra, Left, Middle, Right};
    use MouseKind::{Move, Press, Release};
    let wheel = MouseKind::Wheel;
    for (setup, kind, place, want) in [
        ("", Press(Left), (0, 0), None),
        ("\x1b[?9h", Press(Left), (0, 0), Some("\x1b[M !!")),
        ("\x1b[?9h", Press(Right), (4, 2), Some("\x1b[M\"%#")),
        ("\x1b[?9h", Release(Left), (0, 0), None),
        ("\x1b[?9h", wheel(Wheel::Up), (0, 0), None),
        ("\x1b[?1000h", Press(Middle), (0, 0), Some("\x1b[M!!!")),
        ("\x1b[?1000h", Release(Middle), (0, 0), Some("\x1b[M#!!")),
        ("\x1b[?1000h", wheel(Wheel::Down), (0, 0), Some("\x1b[Ma!!")),
        ("\x1b[?1000h", Move(Some(Left)), (0, 0), None),
        ("\x1b[?1000h", Press(Left), (300, 0), None),
        ("\x1b[?1002h", Move(Some(Left)), (1, 1), Some("\x1b[M@\"\"")),
        ("\x1b[?1002h", Move(None), (1, 1), None),
        ("\x1b[?1003h", Move(None), (1, 1), Some("\x1b[MC\"\"")),
        (
            "\x1b[?1000;1005h",
            Press(Left),
            (300, 0),
            Some("\x1b[M \u{14d}!"),
        ),
        (
            "\x1b[?1000;1005h",
            Press(Left),
            (2014, 0),
            Some("\x1b[M \u{7ff}!"),
        ),
        ("\x1b[?1000;1005h", Press(Left), (2015, 0), None),
        (
            "\x1b[?1000;1015h",
            Press(Left),
            (300, 9),
            Some("\x1b[32;301;10M"),
        ),
        (
            "\x1b[?1000;1015h",
            Release(Right),
            (0, 0),
            Some("\x1b[35;1;1M"),
        ),
        (
            "\x1b[?1000;1006h",
            Press(Left),
            (300, 9),
            Some("\x1b[<0;301;10M"),
        ),
        (
            "\x1b[?1000;1006h",
            Release(Right),
            (0, 0),
            Some("\x1b[<2;1;1m"),
        ),
        (
            "\x1b[?1000;1006h",
            Press(Extra(8)),
            (0, 0),
            Some("\x1b[<128;1;1M"),
        ),
        (
            "\x1b[?1000;1006h",
            wheel(Wheel::Left),
            (0, 0),
            Some("\x1b[<66;1;1M"),
        ),
        (
            "\x1b[?1000;1006h",
            wheel(Wheel::Right),
            (0, 0),
            Some("\x1b[<67;1;1M"),
        ),
        (
            "\x1b[?1003;1006h",
            Move(None),
            (5, 6),
            Some("\x1b[<35;6;7M"),
        ),
        (
            "\x1b[?1002;1006h",
            Move(Some(Right)),
            (5, 6),
            Some("\x1b[<34;6;7M"),
        ),
        (
            "\x1b[?1000;1016h",
            Press(Left),
            (5, 6),
            Some("\x1b[<0;55;130M"),
        ),
        // The wheel where no program has the mouse.
        ("", wheel(Wheel::Up), (0, 0), None),
        (
            "\x1b[?1049h",
            wheel(Wheel::Up),
            (0, 0),
            Some("\x1b[A\x1b[A\x1b[A"),
        ),
        (
            "\x1b[?1049h\x1b[?1h",
            wheel(Wheel::Down),
            (0, 0),
            Some("\x1bOB\x1bOB\x1bOB"),
        ),
        ("\x1b[?1049h\x1b[?1007l", wheel(Wheel::Up), (0, 0), None),
        ("\x1b[?1049h", wheel(Wheel::Left), (0, 0), None),
        ("\x1b[?1049h", Press(Left), (0, 0), None),
    ] {
        let modes = Probe::after(setup).modes;
        let pixel = (u32::from(place.0) * 10 + 5, u32::from(place.1) * 20 + 10);
        let input = MouseInput {
            kind,
            x: place.0,
            y: place.1,
            pixel,
            mods: Mods::NONE,
        };
        let got = encode_mouse(&input, &modes);
        assert_eq!(
            got.as_deref(),
            want.map(str::as_bytes),
            "{setup:?} {kind:?}"
        );
    }
    let modes = Probe::after("\x1b[?1000;1006h").modes;
    for (mods, number) in [
        (Mods::SHIFT, 4),
        (Mods::ALT, 8),
        (Mods::CTRL, 16),
        (Mods::CTRL.with(Mods::SHIFT), 20),
        (Mods::NUM_LOCK, 0),
    ] {
        let input = MouseInput {
            kind: Press(Left),
            x: 0,
            y: 0,
            pixel: (5, 10),
            mods,
        };
        let want = format!("\x1b[<{number};1;1M").into_bytes();
        assert_eq!(encode_mouse(&input, &modes), Some(want));
    }
}

#[test]
fn paste() {
    for (setup, text, want) in [
        ("", "ls\n", "ls\r"),
        ("", "a\r\nb\nc\rd", "a\rb\rc\rd"),
        ("", "a\n\n\nb\r\r\n", "a\r\r\rb\r\r"),
        ("", "\x1b[201~rm\n", "[201~rm\r"),
        ("\x1b[?2004h", "", "\x1b[200~\x1b[201~"),
        (
            "\x1b[?2004h",
            "a\r\nb\tc\n",
            "\x1b[200~a\r\nb\tc\n\x1b[201~",
        ),
        // `a ESC [ 201 ~ CR` would end the brackets and run what follows.
        ("\x1b[?2004h", "a\x1b[201~\r", "\x1b[200~a[201~\r\x1b[201~"),
        ("\x1b[?2004h", "a\u{9b}201~\r", "\x1b[200~a201~\r\x1b[201~"),
        (
            "\x1b[?2004h",
            "\u{80}\u{9f}\u{a0}\u{e9}",
            "\x1b[200~\u{a0}\u{e9}\x1b[201~",
        ),
        ("\x1b[?2004h", "\x03\x7f\0\x08x", "\x1b[200~x\x1b[201~"),
    ] {
        let modes = Probe::after(setup).modes;
        let bytes = encode_paste(text.as_bytes(), &modes);
        assert_eq!(String::from_utf8_lossy(&bytes), want, "{setup:?} {text:?}");
    }
    let modes = Probe::after("\x1b[?2004h").modes;
    assert_eq!(
        encode_paste(b"a\x9b201~\xff\xc2", &modes),
        b"\x1b[200~a201~\xff\xc2\x1b[201~"
    );
}

#[test]
fn focus() {
    let (asked, not) = (Probe::after("\x1b[?1004h").modes, Modes::default());
    assert_eq!(encode_focus(true, &asked).as_deref(), Some(&b"\x1b[I"[..]));
    assert_eq!(encode_focus(false, &asked).as_deref(), Some(&b"\x1b[O"[..]));
    // `cmux#2446`: a pane that never asked was told.
    assert_eq!(encode_focus(true, &not), None);
}
