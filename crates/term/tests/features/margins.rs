//! DECLRMM and DECSLRM: left and right margins. The vt100 engine has none.

use crate::{answers, check, lost};
use term::EngineKind;

const SIZE: (u16, u16) = (10, 4);
const FULL: &str = "abcdefghij\r\nklmnopqrst\r\nuvwxyzABCD\r\nEFGHIJKLMN";

fn with(rest: &str) -> String {
    format!("{FULL}\x1b[?69h\x1b[3;6s{rest}")
}

#[test]
fn text_stays_between() {
    lost(
        (10, 2),
        "\x1b[?69h\x1b[3;6s\x1b[1;3Habcdef",
        &["  abcd", "  ef"],
        (4, 1),
    );
    // To the right of them the screen's edge counts.
    lost(
        (10, 2),
        "\x1b[?69h\x1b[3;6s\x1b[1;8Habcd",
        &["       abc", "  d"],
        (3, 1),
    );
    lost((10, 2), "\x1b[?69h\x1b[3;6s\x1b[1;4H\rx", &["  x"], (3, 0));
    check((10, 2), "\x1b[?69h\x1b[3;6s\x1b[1;2H\rx", &["x"], (1, 0));
    lost(
        (10, 2),
        "\x1b[?69h\x1b[3;6s\x1b[1;3H\x1b[9Cx",
        &["     x"],
        (5, 0),
    );
    lost(
        (10, 2),
        "\x1b[?69h\x1b[3;6s\x1b[1;5H\x1b[9Dx",
        &["  x"],
        (3, 0),
    );
    // Without the mode CSI s saves the cursor.
    check((10, 2), "ab\x1b[s\x1b[2;2H\x1b[ux", &["abx"], (3, 0));
    // Switched off, they are gone.
    check(
        (10, 2),
        "\x1b[?69h\x1b[3;6s\x1b[?69labcdefgh",
        &["abcdefgh"],
        (8, 0),
    );
    lost(
        (10, 4),
        "\x1b[?69h\x1b[3;6s\x1b[2;3r\x1b[?6hx",
        &["", "  x"],
        (3, 1),
    );
}

#[test]
fn shifting() {
    let keep = ["abcdefghij", "klmnopqrst", "uvwxyzABCD", "EFGHIJKLMN"];
    lost(
        SIZE,
        &with("\x1b[2;4H\x1b[@"),
        &[keep[0], "klm noqrst", keep[2], keep[3]],
        (3, 1),
    );
    lost(
        SIZE,
        &with("\x1b[2;4H\x1b[P"),
        &[keep[0], "klmop qrst", keep[2], keep[3]],
        (3, 1),
    );
    lost(
        SIZE,
        &with("\x1b[2;4H\x1b[M"),
        &["abcdefghij", "klwxyzqrst", "uvGHIJABCD", "EF    KLMN"],
        (2, 1),
    );
    lost(
        SIZE,
        &with("\x1b[2;4H\x1b[L"),
        &["abcdefghij", "kl    qrst", "uvmnopABCD", "EFwxyzKLMN"],
        (2, 1),
    );
    lost(
        SIZE,
        &with("\x1b[S"),
        &["abmnopghij", "klwxyzqrst", "uvGHIJABCD", "EF    KLMN"],
        (0, 0),
    );
    lost(
        SIZE,
        &with("\x1b[T"),
        &["ab    ghij", "klcdefqrst", "uvmnopABCD", "EFwxyzKLMN"],
        (0, 0),
    );
    // A line feed below the last row scrolls only if the cursor is between the margins.
    lost(
        SIZE,
        &with("\x1b[4;4H\n"),
        &["abmnopghij", "klwxyzqrst", "uvGHIJABCD", "EF    KLMN"],
        (3, 3),
    );
    lost(SIZE, &with("\x1b[4;1H\n"), &keep, (0, 3));
}

#[test]
fn columns() {
    lost(
        (6, 2),
        "abcdef\r\nghijkl\x1b[1;3H\x1b['}",
        &["ab cde", "gh ijk"],
        (2, 0),
    );
    lost(
        (6, 2),
        "abcdef\r\nghijkl\x1b[1;3H\x1b['~",
        &["abdef", "ghjkl"],
        (2, 0),
    );
    lost(
        (6, 2),
        "abcdef\r\nghijkl\x1b[2 @",
        &["cdef", "ijkl"],
        (5, 1),
    );
    lost(
        (6, 2),
        "abcdef\r\nghijkl\x1b[2 A",
        &["  abcd", "  ghij"],
        (5, 1),
    );
    lost(
        (6, 2),
        "abcdef\r\nghijkl\x1b[1;1H\x1b6",
        &[" abcde", " ghijk"],
        (0, 0),
    );
    lost(
        (6, 2),
        "abcdef\r\nghijkl\x1b[1;6H\x1b9",
        &["bcdef", "hijkl"],
        (5, 0),
    );
}

#[test]
fn reports() {
    let (_, sink) = crate::fed(EngineKind::Grid, SIZE, &with("\x1bP$qs\x1b\\\x1b[?69$p"));
    assert_eq!(sink.answers, b"\x1bP1$r3;6s\x1b\\\x1b[?69;1$y");
    answers(SIZE, "\x1bP$qs\x1b\\", "\x1bP1$r1;10s\x1b\\");
}
