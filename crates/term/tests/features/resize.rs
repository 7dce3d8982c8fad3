//! Another size: text is wrapped anew, lines come and go between screen and scrollback.

use term::{EngineKind, Terminal};

use crate::{fed, history, rows};
use term::{Recorder, Size};

fn sized(size: (u16, u16), bytes: &str, to: &[(u16, u16)]) -> Terminal {
    let (mut terminal, _) = fed(EngineKind::Grid, size, bytes);
    for &(cols, rows) in to {
        terminal.resize(Size::new(cols, rows));
    }
    terminal
}

#[track_caller]
fn check(
    size: (u16, u16),
    bytes: &str,
    to: &[(u16, u16)],
    want: &[&str],
    cursor: (u16, u16),
    lines: &[&str],
) {
    let terminal = sized(size, bytes, to);
    assert_eq!(rows(&terminal), want, "{bytes:?} {to:?}");
    assert_eq!(history(&terminal), lines, "{bytes:?} {to:?}");
    let at = terminal.cursor();
    assert_eq!((at.x, at.y), cursor, "{bytes:?} {to:?}");
}

#[test]
fn width() {
    check(
        (8, 3),
        "abcdefgh",
        &[(4, 3)],
        &["abcd", "efgh"],
        (3, 1),
        &[],
    );
    check(
        (8, 3),
        "abcdefgh",
        &[(4, 3), (8, 3)],
        &["abcdefgh"],
        (7, 0),
        &[],
    );
    check(
        (8, 3),
        "abcdefghij",
        &[(12, 3)],
        &["abcdefghij"],
        (10, 0),
        &[],
    );
    check((8, 3), "abcdef", &[(4, 3)], &["abcd", "ef"], (2, 1), &[]);
    check((8, 3), "ab\r\ncd", &[(4, 3)], &["ab", "cd"], (2, 1), &[]);
    // What does not fit goes to the scrollback and comes back.
    check(
        (8, 2),
        "abcdefgh\r\nij",
        &[(4, 2)],
        &["efgh", "ij"],
        (2, 1),
        &["abcd"],
    );
    check(
        (8, 2),
        "abcdefgh\r\nij",
        &[(4, 2), (8, 2)],
        &["abcdefgh", "ij"],
        (2, 1),
        &[],
    );
    // Wide characters at the margin.
    check((6, 3), "ab漢字x", &[(5, 3)], &["ab漢", "字x"], (3, 1), &[]);
    check(
        (6, 3),
        "ab漢字x",
        &[(5, 3), (7, 3)],
        &["ab漢字x"],
        (6, 0),
        &[],
    );
    check((6, 3), "漢字", &[(1, 3), (6, 3)], &["漢字"], (4, 0), &[]);
}

#[test]
fn height() {
    check(
        (9, 4),
        "1\r\n2\r\n3\r\n4",
        &[(9, 2)],
        &["3", "4"],
        (1, 1),
        &["1", "2"],
    );
    check(
        (9, 4),
        "1\r\n2\r\n3\r\n4",
        &[(9, 2), (9, 4)],
        &["1", "2", "3", "4"],
        (1, 3),
        &[],
    );
    // Blank rows below go first.
    check((9, 4), "1\r\n2", &[(9, 2)], &["1", "2"], (1, 1), &[]);
    check(
        (9, 4),
        "1\r\n2",
        &[(9, 2), (9, 4)],
        &["1", "2"],
        (1, 1),
        &[],
    );
    // The cursor stays on the screen.
    check(
        (9, 4),
        "1\r\n2\r\n3\r\n4\x1b[H",
        &[(9, 2)],
        &["1", "2"],
        (0, 0),
        &[],
    );
    // After `clear` a larger screen shows older lines above (tmux, alacritty).
    check(
        (9, 3),
        "1\r\n2\r\n3\r\n4\x1b[2J\x1b[H$ ",
        &[(9, 4)],
        &["1", "$"],
        (2, 1),
        &[],
    );
    check((9, 3), "1\x1b[2J\x1b[H$ ", &[(9, 5)], &["$"], (2, 0), &[]);
}

#[test]
fn the_alternate_screen_is_cropped() {
    let bytes = "main text\x1b[?1049h\x1b[Habcdef\r\nghijkl";
    let terminal = sized((9, 3), bytes, &[(4, 3)]);
    assert_eq!(rows(&terminal), ["abcd", "ghij"]);
    let mut terminal = sized((9, 3), bytes, &[(4, 3), (9, 3)]);
    assert_eq!(rows(&terminal), ["abcd", "ghij"]);
    // The main screen was wrapped meanwhile, its cursor with it.
    terminal.advance(b"\x1b[?1049l!", &mut Recorder::default());
    assert_eq!(rows(&terminal), ["main text", "!"]);
}

#[test]
fn regions_margins_and_tabs() {
    let terminal = sized((20, 4), "\x1b[2;3r\x1b[3g\x1b[5G\x1bH", &[(30, 6)]);
    let mut terminal = terminal;
    terminal.advance(b"\r\tx\tx\x1b[6;1H\ny", &mut Recorder::default());
    assert_eq!(rows(&terminal).last().map(String::as_str), Some("y"));
    assert_eq!(terminal.row(0).text().len(), 0);
}
