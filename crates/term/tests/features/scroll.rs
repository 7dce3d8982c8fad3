//! Scrolling: LF at the bottom, IND, RI, SU, SD, DECSTBM, DECOM, and what reaches the scrollback.

use term::EngineKind;

use crate::{check, fed, history, lost};

const SIZE: (u16, u16) = (5, 4);
const FULL: &str = "a\r\nb\r\nc\r\nd";

fn with(rest: &str) -> String {
    format!("{FULL}{rest}")
}

#[test]
fn whole_screen() {
    check(SIZE, &with("\ne"), &["b", "c", "d", " e"], (2, 3));
    check(SIZE, &with("\x1bDe"), &["b", "c", "d", " e"], (2, 3));
    check(SIZE, &with("\x1b[H\x1bMe"), &["e", "a", "b", "c"], (1, 0));
    check(SIZE, &with("\x1b[2S"), &["c", "d"], (1, 3));
    check(SIZE, &with("\x1b[2T"), &["", "", "a", "b"], (1, 3));
    check(SIZE, &with("\x1b[99S"), &[], (1, 3));
    lost(SIZE, &with("\x1b[2^"), &["", "", "a", "b"], (1, 3));
}

#[test]
fn region() {
    check(SIZE, &with("\x1b[2;3r"), &["a", "b", "c", "d"], (0, 0));
    check(
        SIZE,
        &with("\x1b[2;3r\x1b[3;1H\nx"),
        &["a", "c", "x", "d"],
        (1, 2),
    );
    check(
        SIZE,
        &with("\x1b[2;3r\x1b[2;1H\x1bMx"),
        &["a", "x", "b", "d"],
        (1, 1),
    );
    check(
        SIZE,
        &with("\x1b[2;3r\x1b[4;1H\nx"),
        &["a", "b", "c", "x"],
        (1, 3),
    );
    check(SIZE, &with("\x1b[2;3r\x1b[S"), &["a", "c", "", "d"], (0, 0));
    check(SIZE, &with("\x1b[2;3r\x1b[T"), &["a", "", "b", "d"], (0, 0));
    // CUU and CUD stop at the region's edges, if they begin inside.
    check(SIZE, "\x1b[2;3r\x1b[3;1H\x1b[9Ax", &["", "x"], (1, 1));
    check(SIZE, "\x1b[2;3r\x1b[2;1H\x1b[9Bx", &["", "", "x"], (1, 2));
    check(
        SIZE,
        "\x1b[2;3r\x1b[4;1H\x1b[9Bx",
        &["", "", "", "x"],
        (1, 3),
    );
    // Impossible regions change nothing.
    check(SIZE, "ab\x1b[3;3rc\x1b[4;2rd", &["abcd"], (4, 0));
    // Without parameters it is the whole screen again.
    check(
        SIZE,
        &with("\x1b[2;3r\x1b[r\x1b[4;1H\nx"),
        &["b", "c", "d", "x"],
        (1, 3),
    );
}

#[test]
fn origin_mode() {
    check(SIZE, "\x1b[2;3r\x1b[?6hx", &["", "x"], (1, 1));
    check(SIZE, "\x1b[2;3r\x1b[?6h\x1b[2;2Hx", &["", "", " x"], (2, 2));
    check(
        SIZE,
        "\x1b[2;3r\x1b[?6h\x1b[9;9Hx",
        &["", "", "    x"],
        (4, 2),
    );
    check(SIZE, "\x1b[2;3r\x1b[?6h\x1b[2dx", &["", "", "x"], (1, 2));
    check(SIZE, "\x1b[2;3r\x1b[?6h\x1b[?6lx", &["x"], (1, 0));
}

#[test]
fn scrollback() {
    let lines = |bytes: &str| history(&fed(EngineKind::Grid, SIZE, bytes).0);
    assert_eq!(lines(&with("\r\ne\r\nf")), ["a", "b"]);
    assert_eq!(lines(&with("\x1b[2S")), ["a", "b"]);
    // Regions feed it only from the top row.
    assert_eq!(lines(&with("\x1b[1;3r\x1b[3;1H\n")), ["a"]);
    assert_eq!(lines(&with("\x1b[2;4r\x1b[4;1H\n")), [""; 0]);
    // Deleting lines is no scrolling, nor is the alternate screen.
    assert_eq!(lines(&with("\x1b[H\x1b[2M")), [""; 0]);
    assert_eq!(lines(&with("\x1b[?1049h\n\n\n\n\n\n")), [""; 0]);
    // Rows that wrapped are one line, wherever it ends.
    assert_eq!(lines("abcdefghijkl\r\nx\r\ny\r\nz\r\n"), ["abcdefghijkl"]);
    assert_eq!(lines("abcdefghijkl\r\nx\r\ny\r\n"), ["abcdefghij"]);
    assert_eq!(lines("abcd漢字\r\n\n\n\n"), ["abcd漢字"]);
    // A line whose rest was erased does not swallow the next.
    assert_eq!(
        lines("abcdefghijklmnopqrstu\x1b[2J\x1b[Hx\r\n\n\n\n"),
        ["abcde", "x"]
    );
    assert_eq!(lines(&with("\r\ne\x1b[3J")), [""; 0]);
}
