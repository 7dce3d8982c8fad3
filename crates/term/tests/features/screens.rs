//! The alternate screen: 47, 1047, 1048, 1049, and what belongs to each screen.

use term::EngineKind;

use crate::{answers, check, fed, history, rows};

const SIZE: (u16, u16) = (6, 3);

/// xterm, with mode 40: the screen is cleared, region and margins end. The width is the viewer's.
#[test]
fn columns() {
    check(SIZE, "ab\x1b[?3hc", &["abc"], (3, 0));
    check(SIZE, "ab\x1b[?40h\x1b[?3hc", &["c"], (1, 0));
    check(SIZE, "ab\x1b[?40h\x1b[?3lc", &["c"], (1, 0));
    check(SIZE, "ab\x1b[?40h\x1b[?95h\x1b[?3hc", &["cb"], (1, 0));
    check(SIZE, "\x1b[?40h\x1b[2;2r\x1b[?3h\nx", &["", "x"], (1, 1));
    answers(
        SIZE,
        "\x1b[?3h\x1b[?3$p\x1b[?40h\x1b[?3h\x1b[?3$p\x1b[?40$p\x1b[?95$p",
        "\x1b[?3;2$y\x1b[?3;1$y\x1b[?40;1$y\x1b[?95;2$y",
    );
}

#[test]
fn switching() {
    check(SIZE, "ab\x1b[?1049hx", &["  x"], (3, 0));
    check(SIZE, "ab\x1b[?1049hx\x1b[?1049lc", &["abc"], (3, 0));
    check(SIZE, "ab\x1b[?47hx\x1b[?47lc", &["ab c"], (4, 0));
    // 47 leaves the text there, 1047 clears it on leaving, 1049 on entering.
    check(SIZE, "\x1b[?47hx\x1b[?47l\x1b[?47h", &["x"], (1, 0));
    check(SIZE, "\x1b[?1047hx\x1b[?1047l\x1b[?1047h", &[], (1, 0));
    check(SIZE, "\x1b[?47hx\x1b[?47l\x1b[?1049h", &[], (1, 0));
    check(SIZE, "ab\x1b[?1048h\x1b[H\x1b[?1048lc", &["abc"], (3, 0));
    // Entering twice saves the cursor once.
    check(
        SIZE,
        "ab\x1b[?1049h\x1b[3;3H\x1b[?1049h\x1b[?1049lc",
        &["abc"],
        (3, 0),
    );
    // Each screen has its saved cursor.
    check(
        SIZE,
        "\x1b[2;2H\x1b7\x1b[?47h\x1b[3;3H\x1b7\x1b[?47l\x1b8x",
        &["", " x"],
        (2, 1),
    );
}

/// vim and `:q`: only the main screen is left, with its scrollback.
#[test]
fn nothing_of_it_stays() {
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        let screen = "\x1b[?1049h\x1b[H\x1b[2Jone\r\ntwo\r\nthree\r\nfour\r\n\x1b[?1049l";
        let (terminal, _) = fed(engine, SIZE, &format!("1\r\n2\r\n3\r\n4{screen}"));
        assert_eq!(rows(&terminal), ["2", "3", "4"], "{engine:?}");
        assert_eq!(history(&terminal), ["1"], "{engine:?}");
    }
}

#[test]
fn keyboard_flags_belong_to_a_screen() {
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        let (terminal, sink) = fed(
            engine,
            SIZE,
            "\x1b[>1u\x1b[?1049h\x1b[?u\x1b[>3u\x1b[?u\x1b[?1049l\x1b[?u",
        );
        assert_eq!(sink.answers, b"\x1b[?0u\x1b[?3u\x1b[?1u", "{engine:?}");
        assert_eq!(terminal.modes().kitty(), 1);
    }
}
