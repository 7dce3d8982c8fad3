//! A terminal fed with a rendered snapshot shows the snapshot.

use super::*;
use crate::snapshot::Screen;
use crate::{EngineKind, Options, Silent, Size, Terminal};

fn fed(text: &str) -> Terminal {
    on(EngineKind::default(), text)
}

fn on(engine: EngineKind, text: &str) -> Terminal {
    let options = Options {
        engine,
        ..Options::default()
    };
    let mut terminal = Terminal::new(Size::new(10, 4), &options);
    terminal.advance(text.as_bytes(), &mut Silent);
    terminal
}

/// What a terminal shows after it got a snapshot as bytes is the snapshot.
fn check(engine: EngineKind, text: &str) {
    let snapshot = on(engine, text).snapshot();
    let options = AnsiOptions {
        title: true,
        modes: true,
    };
    let bytes = snapshot_to_ansi(&snapshot, &options);
    let mut other = on(engine, "leftovers\x1b[2;3r\x1b[?1049h\x1b[31mrubbish");
    other.advance(&bytes, &mut Silent);
    let mut got = other.snapshot();
    let mut want = snapshot;
    // Not seen: ids, and what the other left on the screen that is hidden.
    got.lines = want.lines;
    got.last_char = want.last_char;
    got.joins = want.joins;
    if !want.on_alternate {
        got.alternate.clone_from(&want.alternate);
    }
    if want.main.saved.is_none() {
        got.main.saved = None;
    }
    let saved = |screen: &Option<Screen>| screen.as_ref().is_some_and(|s| s.saved.is_some());
    if let (Some(screen), false) = (&mut got.alternate, saved(&want.alternate)) {
        screen.saved = None;
    }
    // Blank cells in a style come as spaces.
    for rows in [&mut got.main.rows, &mut want.main.rows] {
        blank_to_space(rows);
    }
    for screen in [&mut got.alternate, &mut want.alternate]
        .into_iter()
        .flatten()
    {
        blank_to_space(&mut screen.rows);
    }
    assert_eq!(got, want, "{text:?}");
}

fn blank_to_space(rows: &mut [Row]) {
    for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
        if cell.text.as_str() == " " {
            cell.text = crate::CellText::EMPTY;
        }
    }
}

#[test]
fn a_real_terminal_shows_the_snapshot() {
    for text in [
        "",
        "hello\r\n\x1b[31;4mwörld 漢字 wraps around",
        "0123456789",
        "\x1b[41m\x1b[2J\x1b[2;2H",
        "main\x1b7\x1b[?1049h\x1b[2;3r\x1b[?6halt\x1b[3;4H\x1b[1mx",
        "\x1b(0qqq\x0e\x1b)0",
        "\x1b[3g\x1b[5G\x1bH\r\tx",
        "\x1b[?25l\x1b[?1002h\x1b[?1006h\x1b[?2004h\x1b[4h\x1b[4 q\x1b]0;title\x07",
        "\x1b[2;3r\x1b[?6h\x1b[2;2Hregion\x1b7",
        "\x1b[>5u\x1b[?1h\x1b=",
        "\x1b[?7lno wrap at the margin",
    ] {
        check(EngineKind::Vt100, text);
        check(EngineKind::Grid, text);
    }
}

/// What only the grid engine has.
#[test]
fn all_of_the_model_is_drawn() {
    for text in [
        "\x1b[4:3;58:2::1:2:3;9;53;5;8;1;2mall\x1b[m",
        "\x1b]8;;http://x\x07here\x1b]8;id=1;http://y;z\x07there\x1b]8;;\x07 none",
        "\x1b]8;;http://x\x07on\x1b[4;1H",
        "\x1b[?69h\x1b[3;6sbetween\x1b[2;4r",
        "\x1b[?69h\x1b[3;6s\x1b[2;3r\x1b[?6h\x1b[2;2Hx",
        "\x1b*0\x1b+0\x1bnq",
        "👩\u{200d}🔧⚠\u{fe0f}\r\n\x1b[48;2;1;2;3m\x1b[K\x1b[3;1H\x1b[41mx",
        "\x1b[41m\x1b[H\x1bM\x1bM",
        "0123456789\x1b[?7l",
    ] {
        check(EngineKind::Grid, text);
    }
}

#[test]
fn text_and_styles_of_rows_and_lines() {
    let terminal = fed("\x1b[1mab\x1b[m c  \r\n漢 long enough\r\n\x1b[44m \x1b[m\r\nx");
    let rows: Vec<Row> = (0..4).map(|y| terminal.row(y)).collect();
    assert_eq!(rows_to_text(&rows), "漢 long enough\n\nx\n");
    assert_eq!(
        String::from_utf8(rows_to_ansi(&rows)).unwrap(),
        "漢 long enough\n\x1b[0;44m \x1b[0m\nx\n"
    );
    let page = terminal.page(0, 5);
    assert_eq!(page_to_text(&page), "ab c  \n");
    assert_eq!(
        String::from_utf8(page_to_ansi(&page)).unwrap(),
        "\x1b[0;1mab\x1b[0m c  \n"
    );
}
