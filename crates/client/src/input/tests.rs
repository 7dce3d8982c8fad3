//! Bytes of every terminal and what they mean, split anywhere.

use super::*;
use term::input::{Key, KeyKind, Keypad, parse_key_name};

/// Everything `bytes` mean, with a flush at the end if something is unfinished.
fn decode(bytes: &[u8]) -> Vec<Input> {
    decode_in_pieces(&[bytes])
}

fn decode_in_pieces(pieces: &[&[u8]]) -> Vec<Input> {
    let mut decoder = Decoder::default();
    let mut out = Vec::new();
    for piece in pieces {
        decoder.feed(piece, &mut out);
    }
    if decoder.pending().is_some() {
        decoder.flush(&mut out);
    }
    assert_eq!(decoder.pending(), None);
    out
}

/// An input in words: keys by tmux's names.
fn words(input: &Input) -> String {
    match input {
        Input::Key(key) => {
            let mut name = String::new();
            for (held, letter) in [
                (Mods::CTRL, "C-"),
                (Mods::ALT, "M-"),
                (Mods::SHIFT, "S-"),
                (Mods::SUPER, "D-"),
            ] {
                if key.mods.contains(held) {
                    name.push_str(letter);
                }
            }
            match key.key {
                Key::Char(' ') => name.push_str("Space"),
                Key::Char(c) => name.push(c),
                Key::Keypad(Keypad::Digit(n)) => name.push_str(&format!("KP{n}")),
                other => name.push_str(&format!("{other:?}")),
            }
            if let Some(c) = key.shifted {
                name.push_str(&format!("^{c}"));
            }
            if let Some(c) = key.base {
                name.push_str(&format!("@{c}"));
            }
            if key.kind == KeyKind::Repeat {
                name.push('*');
            }
            name
        }
        Input::Paste(text) => format!("paste:{}", String::from_utf8_lossy(text)),
        other => format!("{other:?}"),
    }
}

fn show(inputs: &[Input]) -> String {
    inputs.iter().map(words).collect::<Vec<_>>().join(" ")
}

/// Bytes and what they mean; `^` stands for ESC.
const TABLE: &[(&str, &str)] = &[
    // Text and control bytes.
    ("a", "a"),
    ("aé日", "a é 日"),
    ("A", "S-a^A"),
    ("%", "%"),
    ("\r", "Enter"),
    ("\n", "C-j"),
    ("\t", "Tab"),
    ("\x7f", "Backspace"),
    ("\x08", "C-h"),
    ("\x00", "C-Space"),
    ("\x02", "C-b"),
    ("\x1c\x1d\x1e\x1f", "C-\\ C-] C-^ C-_"),
    // ESC, Alt.
    ("^", "Escape"),
    ("^^", "M-Escape"),
    ("^a", "M-a"),
    ("^A", "M-S-a^A"),
    ("^é", "M-é"),
    ("^\x02", "C-M-b"),
    ("^\r", "M-Enter"),
    ("^\x7f", "M-Backspace"),
    ("^[", "M-["),
    ("^O", "M-S-o^O"),
    ("^]", "M-]"),
    ("^P", "M-S-p^P"),
    // Cursor and function keys.
    ("^[A^OA^[1;5A^[1;2A^[1;3D", "Up Up C-Up S-Up M-Left"),
    (
        "^[H^[F^OH^[1~^[4~^[7~^[8~",
        "Home End Home Home End Home End",
    ),
    (
        "^[2~^[3~^[5~^[6~^[3;5~",
        "Insert Delete PageUp PageDown C-Delete",
    ),
    (
        "^OP^OQ^OR^OS^[15~^[17~^[24~^[25~",
        "F(1) F(2) F(3) F(4) F(5) F(6) F(12) F(13)",
    ),
    ("^[1;5P^[1;2R", "C-F(1) S-F(3)"),
    ("^[[A^[[E", "F(1) F(5)"),
    ("^[Z", "S-Tab"),
    ("^Oq^OM", "KP1 Keypad(Enter)"),
    // Kitty.
    ("^[98;5u", "C-b"),
    ("^[98;69u^[98;133u^[98;197u", "C-b C-b C-b"),
    ("^[98;5:1u^[98;5:2u^[98;5:3u", "C-b C-b*"),
    ("^[97:65;2u", "S-a^A"),
    ("^[1089::99;5u", "C-с@c"),
    (
        "^[13;2u^[13;5u^[27u^[9;5u^[127;3u",
        "S-Enter C-Enter Escape C-Tab M-Backspace",
    ),
    ("^[97;9u", "D-a"),
    ("^[57400u^[57414u^[57376u", "KP1 Keypad(Enter) F(13)"),
    ("^[57358;65u", "Other(57358)"),
    ("^[1;5:3A^[1;1:2B^[3;1:3~", "Down*"),
    ("^[97;;97u", "a"),
    // modifyOtherKeys.
    ("^[27;5;98~^[27;2;13~^[27;6;66~", "C-b S-Enter C-S-b^B"),
    // Mouse.
    (
        "^[<0;1;1M^[<0;3;2m^[<2;10;20M^[<32;5;6M^[<35;5;6M",
        "Mouse(Mouse { kind: Press(0), x: 0, y: 0, mods: Mods(0) }) \
         Mouse(Mouse { kind: Release(0), x: 2, y: 1, mods: Mods(0) }) \
         Mouse(Mouse { kind: Press(2), x: 9, y: 19, mods: Mods(0) }) \
         Mouse(Mouse { kind: Drag(0), x: 4, y: 5, mods: Mods(0) }) \
         Mouse(Mouse { kind: Move, x: 4, y: 5, mods: Mods(0) })",
    ),
    (
        "^[<64;1;1M^[<65;1;1M^[<80;300;1M^[<128;1;1M",
        "Mouse(Mouse { kind: WheelUp, x: 0, y: 0, mods: Mods(0) }) \
         Mouse(Mouse { kind: WheelDown, x: 0, y: 0, mods: Mods(0) }) \
         Mouse(Mouse { kind: WheelUp, x: 299, y: 0, mods: Mods(4) }) \
         Mouse(Mouse { kind: Press(8), x: 0, y: 0, mods: Mods(0) })",
    ),
    ("^[<0;0;1M^[<0;1M^[<99999;1;1M^[M !!a", "a"),
    // Paste.
    (
        "^[200~hello\r\n^[A\x02^[201~x",
        "paste:hello\r\n\x1b[A\x02 x",
    ),
    ("^[200~^[201~", "paste:"),
    ("^[200~no end", "paste:no end"),
    ("^[201~", ""),
    // Focus.
    ("^[I^[O", "Focus(true) Focus(false)"),
    // Replies are understood or swallowed, never typed.
    (
        "^]11;rgb:1e1e/2222/ffff^\\x",
        "Reply(Background(1975039)) x",
    ),
    ("^]10;rgb:ff/80/00\x07x", "Reply(Foreground(16744448)) x"),
    ("^]12;rgba:f/0/0/f^\\", "Reply(Cursor(16711680))"),
    ("^]11;nonsense^\\x", "x"),
    ("^]4;1;rgb:0000/0000/0000^\\^]52;c;eA==^\\x", "x"),
    (
        "^[?62;22c^[>0;136;0c^[?1u^[?5u",
        "Reply(Attributes { sixel: false }) Reply(Kitty) Reply(Kitty)",
    ),
    ("^[?64;1;4;22c", "Reply(Attributes { sixel: true })"),
    ("^[6;18;9t^[8;24;80tx", "Reply(Cell(9, 18)) x"),
    ("^[?997;1n^[0n^[?2026;2$y^[12;40Rx", "Reply(Theme) x"),
    ("^P>|xterm(380)^\\^P1+r544e=78^\\^_Gi=1;OK^\\x", "x"),
    // Cut off by something else.
    ("^[12^[A", "Up"),
    ("^]11;rgb^[A", "Up"),
    ("^[1;2\x01x", "x"),
    ("é\u{fffd}", "é \u{fffd}"),
];

#[test]
fn bytes_mean() {
    for (bytes, want) in TABLE {
        assert_eq!(
            &show(&decode(bytes.replace('^', "\x1b").as_bytes())),
            want,
            "{bytes:?}"
        );
    }
}

/// Whatever the read boundaries are, the meaning is the same (zellij#5320: fragmented stdin).
#[test]
fn bytes_mean_the_same_split_anywhere() {
    for (text, _) in TABLE {
        let bytes = text.replace('^', "\x1b").into_bytes();
        let whole = decode(&bytes);
        for at in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(decode_in_pieces(&[head, tail]), whole, "{text:?} at {at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(decode_in_pieces(&single), whole, "{text:?} byte by byte");
    }
}

#[test]
fn invalid_utf8_is_dropped() {
    assert_eq!(show(&decode(b"a\xffb\xc3(\xe2\x82c\x80d")), "a b ( c d");
    assert_eq!(show(&decode(b"\xf4\x90\x80\x80x")), "x");
}

#[test]
fn names_and_bytes_agree() {
    for (bytes, name) in [
        ("\x02", "C-b"),
        ("\x1b[1;5A", "C-Up"),
        ("\x1b[15~", "F5"),
        ("\x1bx", "M-x"),
        ("\x1b[Z", "BTab"),
        ("A", "A"),
    ] {
        let key = parse_key_name(name).unwrap();
        assert_eq!(decode(bytes.as_bytes()), [Input::Key(key)], "{name}");
    }
}

#[test]
fn how_long_to_wait_depends_on_what_is_unfinished() {
    let pending = |bytes: &str| {
        let mut decoder = Decoder::default();
        decoder.feed(bytes.as_bytes(), &mut Vec::new());
        decoder.pending()
    };
    for (bytes, want) in [
        ("a", None),
        ("\x1b", Some(Pending::Escape)),
        ("\x1b[", Some(Pending::Escape)),
        ("\x1b]", Some(Pending::Escape)),
        ("\x1bO", Some(Pending::Escape)),
        ("\x1b[1;", Some(Pending::Sequence)),
        ("\x1b]11;rgb:00", Some(Pending::Sequence)),
        ("\x1b[200~abc", Some(Pending::Paste)),
    ] {
        assert_eq!(pending(bytes), want, "{bytes:?}");
    }
}

/// A reply that is cut for longer than a sequence waits is dropped, not typed (orca#16633: a
/// colour reply was run by the shell).
#[test]
fn half_a_reply_is_never_typed() {
    let reply = b"\x1b]11;rgb:1e1e/1e1e/1e1e";
    for at in 3..reply.len() {
        assert_eq!(decode(&reply[..at]), [], "{at}");
    }
}

#[test]
fn a_paste_over_the_limit_is_refused_whole() {
    let mut decoder = Decoder::default();
    let mut out = Vec::new();
    decoder.feed(b"\x1b[200~", &mut out);
    let block = vec![b'x'; 1 << 20];
    for _ in 0..=MAX_PASTE >> 20 {
        decoder.feed(&block, &mut out);
    }
    decoder.feed(b"\x1b[201~y", &mut out);
    assert_eq!(show(&out), "PasteTooLong y");
}

#[test]
fn long_sequences_and_strings_are_bounded() {
    let digits = "1".repeat(10_000);
    assert_eq!(
        show(&decode(format!("\x1b]11;{digits}\x1b\\x").as_bytes())),
        "x"
    );
    let mut decoder = Decoder::default();
    let mut out = Vec::new();
    decoder.feed(format!("\x1b[{}", "1".repeat(256)).as_bytes(), &mut out);
    assert_eq!(decoder.pending(), Some(Pending::Sequence));
    decoder.feed(b"1x", &mut out);
    assert_eq!(show(&out), "x");
}

/// Any bytes, in any pieces: no panic, bounded, and the decoder finds back to plain keys.
#[test]
fn no_bytes_confuse_the_decoder_for_good() {
    let mut seed = 7_u64;
    let mut roll = |sides: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % sides
    };
    let likely = b"\x1b[]OPM<>?;:0123456789uM~mtRc\x07\\_^X\xc3\xa9\xe6\x97\xa5\xff\x02a";
    for _ in 0..2_000 {
        let mut decoder = Decoder::default();
        let mut out = Vec::new();
        for _ in 0..roll(40) {
            let at = usize::try_from(roll(likely.len() as u64)).unwrap();
            decoder.feed(&likely[at..=at], &mut out);
        }
        decoder.flush(&mut out);
        assert_eq!(decoder.pending(), None);
        out.clear();
        decoder.feed(b"z", &mut out);
        assert_eq!(show(&out), "z");
    }
}
