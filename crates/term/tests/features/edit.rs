//! Erasing, inserting, deleting: ED, EL, ECH, ICH, DCH, IL, DL, IRM, REP, DECALN.

use term::{Colour, EngineKind};

use crate::{check, fed, lost, style};

const SIZE: (u16, u16) = (6, 4);

#[test]
fn erase() {
    let full = "abcdef\r\nghijkl\r\nmnopqr\r\nstuvwx";
    let at = |rest: &str| format!("{full}\x1b[2;3H{rest}");
    check(
        SIZE,
        &at("\x1b[K"),
        &["abcdef", "gh", "mnopqr", "stuvwx"],
        (2, 1),
    );
    check(
        SIZE,
        &at("\x1b[1K"),
        &["abcdef", "   jkl", "mnopqr", "stuvwx"],
        (2, 1),
    );
    check(
        SIZE,
        &at("\x1b[2K"),
        &["abcdef", "", "mnopqr", "stuvwx"],
        (2, 1),
    );
    check(
        SIZE,
        &at("\x1b[9K"),
        &["abcdef", "ghijkl", "mnopqr", "stuvwx"],
        (2, 1),
    );
    check(SIZE, &at("\x1b[J"), &["abcdef", "gh"], (2, 1));
    check(
        SIZE,
        &at("\x1b[1J"),
        &["", "   jkl", "mnopqr", "stuvwx"],
        (2, 1),
    );
    check(SIZE, &at("\x1b[2J"), &[], (2, 1));
    check(
        SIZE,
        &at("\x1b[2X"),
        &["abcdef", "gh  kl", "mnopqr", "stuvwx"],
        (2, 1),
    );
    check(
        SIZE,
        &at("\x1b[99X"),
        &["abcdef", "gh", "mnopqr", "stuvwx"],
        (2, 1),
    );
}

#[test]
fn insert_and_delete() {
    let full = "abcdef\r\nghijkl\r\nmnopqr\r\nstuvwx";
    let at = |rest: &str| format!("{full}\x1b[2;3H{rest}");
    check(
        SIZE,
        &at("\x1b[@"),
        &["abcdef", "gh ijk", "mnopqr", "stuvwx"],
        (2, 1),
    );
    check(
        SIZE,
        &at("\x1b[99@"),
        &["abcdef", "gh", "mnopqr", "stuvwx"],
        (2, 1),
    );
    check(
        SIZE,
        &at("\x1b[2P"),
        &["abcdef", "ghkl", "mnopqr", "stuvwx"],
        (2, 1),
    );
    check(
        SIZE,
        &at("\x1b[99P"),
        &["abcdef", "gh", "mnopqr", "stuvwx"],
        (2, 1),
    );
    // IL and DL go to the first column (xterm, VT510; vt100 leaves the cursor).
    lost(
        SIZE,
        &at("\x1b[L"),
        &["abcdef", "", "ghijkl", "mnopqr"],
        (0, 1),
    );
    lost(SIZE, &at("\x1b[M"), &["abcdef", "mnopqr", "stuvwx"], (0, 1));
    lost(SIZE, &at("\x1b[99M"), &["abcdef"], (0, 1));
    check(SIZE, "abc\r\x1b[4hxy\x1b[4lz", &["xyzbc"], (3, 0));
    check(SIZE, "abcdef\r\x1b[4hxy", &["xyabcd"], (2, 0));
    // Outside the region nothing happens.
    check(
        SIZE,
        &format!("{full}\x1b[2;3r\x1b[4;1H\x1b[L"),
        &["abcdef", "ghijkl", "mnopqr", "stuvwx"],
        (0, 3),
    );
    check(
        SIZE,
        &format!("{full}\x1b[2;3r\x1b[2;1H\x1b[L"),
        &["abcdef", "", "ghijkl", "stuvwx"],
        (0, 1),
    );
}

#[test]
fn wide_cells_are_never_cut() {
    check(SIZE, "日本x\x1b[1;2H\x1b[K", &[""; 0], (1, 0));
    check(SIZE, "日本x\x1b[1;2Ha", &[" a本x"], (2, 0));
    check(SIZE, "日本x\x1b[1;1Ha", &["a 本x"], (1, 0));
    check(SIZE, "日本x\x1b[1;2H\x1b[X", &["  本x"], (1, 0));
    check(SIZE, "日本x\x1b[1;2H\x1b[P", &[" 本x"], (1, 0));
    check(SIZE, "abcd本\x1b[1;1H\x1b[@", &[" abcd"], (0, 0));
    check(SIZE, "a日b\x1b[1;3H語", &["a 語"], (4, 0));
}

#[test]
fn repeat_and_alignment() {
    check(SIZE, "a\x1b[3b", &["aaaa"], (4, 0));
    check(SIZE, "abcde\x1b[3b", &["abcdee", "ee"], (2, 1));
    check(SIZE, "漢\x1b[b", &["漢漢"], (4, 0));
    check(SIZE, "\x1b[3b", &[], (0, 0));
    check((3, 2), "ab\x1b[2;2r\x1b#8", &["EEE", "EEE"], (0, 0));
}

/// What is uncovered takes the pen's background (`bce`), and nothing else of it.
#[test]
fn background_colour_erase() {
    for bytes in [
        "abc\x1b[41;4;7m\x1b[1;1H\x1b[K",
        "abc\x1b[41;1m\x1b[1;1H\x1b[J",
        "abc\x1b[41;3m\x1b[1;1H\x1b[3X",
        "abc\x1b[41m\x1b[1;1H\x1b[@",
        "abc\x1b[41m\x1b[1;1H\x1b[L",
        "abc\x1b[41m\x1b[1;1H\x1bM",
        "abc\x1b[41m\x1b[1;1H\x1b[T",
        "\x1b[41m\x1b[3;1H\n\n\n",
        "\x1b[41m\x1b[3S",
    ] {
        style(bytes, 0, |style| style.bg = Colour::Indexed(1));
    }
    style("abc\x1b[41m\x1b[1;1H\x1b[P", 19, |style| {
        style.bg = Colour::Indexed(1);
    });
    style("abc\x1b[48;2;1;2;3m\x1b[1;1H\x1b[K", 9, |style| {
        style.bg = Colour::Rgb(1, 2, 3);
    });
}

#[test]
fn wraps_end_where_the_margin_is_erased() {
    for (bytes, wrapped) in [
        ("abcdefg", true),
        ("abcdefg\x1b[1;3H\x1b[K", false),
        ("abcdefg\x1b[1;3H\x1b[P", false),
        ("abcdefg\x1b[1;6Hx", false),
        ("abcdefg\x1b[1;3Hx", true),
        ("abcdef\r\ng", false),
    ] {
        let (terminal, _) = fed(EngineKind::Grid, SIZE, bytes);
        assert_eq!(terminal.row(0).wrapped, wrapped, "{bytes:?}");
    }
}
