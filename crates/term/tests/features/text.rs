//! Plain text: wrapping on and off, invalid UTF-8, controls that print nothing.

use crate::{check, fed, rows};
use term::{EngineKind, Options, Recorder, Size, Terminal};

#[test]
fn autowrap() {
    check((5, 2), "\x1b[?7labcdefgh", &["abcdh"], (4, 0));
    check((5, 2), "\x1b[?7labcdefg漢", &["abc漢"], (4, 0));
    check((5, 2), "abcdefghijklm", &["fghij", "klm"], (3, 1));
    check((5, 3), "abcd漢x", &["abcd", "漢x"], (3, 1));
    check((5, 2), "abcde\x1b[?7lf", &["abcdf"], (4, 0));
}

#[test]
fn nothing_printed() {
    check((9, 2), "a\x00\x01\x7fb", &["ab"], (2, 0));
    check((9, 2), "a\u{80}\u{9f}b", &["ab"], (2, 0));
    check(
        (9, 2),
        "a\x1b_secret\x1b\\b\x1b^x\x1b\\c\x1bXy\x1b\\d",
        &["abcd"],
        (4, 0),
    );
    check((9, 2), "a\x1bP0;1q#0;2;0;0;0~~\x1b\\b", &["ab"], (2, 0));
    check((9, 2), "a\x1b_Gf=24,s=1,v=1;AAAA\x1b\\b", &["ab"], (2, 0));
    check(
        (9, 2),
        "a\x1b]1337;File=inline=1:AAAA\x07b",
        &["ab"],
        (2, 0),
    );
    check((9, 2), "a\x1b[12\x18b\x1b[3\x1ac", &["abc"], (3, 0));
}

/// One U+FFFD for each maximal subpart (Unicode 3.9).
#[test]
fn invalid_utf8() {
    for (bytes, want) in [
        (&b"a\xffb"[..], "a\u{fffd}b"),
        (b"a\xc3(", "a\u{fffd}("),
        (b"a\xe6\xbcb", "a\u{fffd}b"),
        (b"a\xf0\x9f\x98b", "a\u{fffd}b"),
        (b"a\xed\xa0\x80b", "a\u{fffd}\u{fffd}\u{fffd}b"),
        (b"a\xc0\xafb", "a\u{fffd}\u{fffd}b"),
    ] {
        for engine in [EngineKind::Grid, EngineKind::Vt100] {
            let options = Options {
                engine,
                ..Options::default()
            };
            let mut terminal = Terminal::new(Size::new(9, 1), &options);
            terminal.advance(bytes, &mut Recorder::default());
            assert_eq!(rows(&terminal), [want], "{engine:?} {bytes:?}");
        }
    }
}

#[test]
fn resets() {
    let (terminal, _) = fed(
        EngineKind::Grid,
        (9, 3),
        "abc\x1b[1;31m\x1b[2;3r\x1b[?6h\x1b[4h\x1b[?7l\x1b(0\x1b[?1049hx\x1bcq",
    );
    assert_eq!(rows(&terminal), ["q"]);
    assert_eq!(terminal.row(0).cells[0].style, term::Style::default());
    assert!(!terminal.modes().alternate && !terminal.modes().origin && terminal.modes().autowrap);
    check(
        (9, 3),
        "ab\x1b[2;3r\x1b[?6h\x1b[4h\x1b[!p\x1b[1;1Hx",
        &["xb"],
        (1, 0),
    );
}
