//! Other terminals as judges of both engines. tmux reads the same bytes: recordings of real
//! programs cut in four places (what it showed is also pinned beside them, for machines without a
//! tmux) and generated streams of the language both speak; and the two engines judge each other.
//! What is known to differ is left out of the language, with the reason beside it; the list is in
//! `docs/terminal.md`. `ABIDE_TEST_ROUNDS` sets how many generated streams go to tmux.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

mod alacritty;
mod engines;
mod recordings;
mod redraw;
mod streams;
mod tmux;

use term::{Cell, EngineKind, Options, Silent, Size, Style, StyleFlags, Terminal, Underline};

/// Rows, and the cursor's column and row.
type Screen = (Vec<Vec<Cell>>, (u16, u16));

/// What an engine makes of the bytes.
fn ours(engine: EngineKind, size: Size, bytes: &[u8]) -> Screen {
    let options = Options {
        engine,
        ..Options::default()
    };
    let mut terminal = Terminal::new(size, &options);
    terminal.advance(bytes, &mut Silent);
    let rows = (0..size.rows).map(|y| terminal.row(y).cells).collect();
    let cursor = terminal.cursor();
    (rows, (cursor.x, cursor.y))
}

/// A cell as every judge can show it: its text, and the style of what is visible. Blank cells are
/// alike whatever their style (capture-pane leaves erased ones out), bold and dim are one (the
/// vt100 engine has not both), and so are all underlines.
fn plain(cell: &Cell) -> (String, Style) {
    let text = match cell.text.as_str() {
        "" if cell.width == 1 => " ",
        text => text,
    };
    let mut style = Style::default();
    if text.trim().is_empty() {
        return (text.to_owned(), style);
    }
    let seen = StyleFlags::ITALIC.0 | StyleFlags::INVERSE.0;
    style.flags = StyleFlags(cell.style.flags.0 & seen);
    let weight = StyleFlags(StyleFlags::BOLD.0 | StyleFlags::DIM.0);
    style
        .flags
        .set(StyleFlags::BOLD, cell.style.flags.0 & weight.0 != 0);
    if cell.style.underline != Underline::None {
        style.underline = Underline::Single;
    }
    (style.fg, style.bg) = (cell.style.fg, cell.style.bg);
    (text.to_owned(), style)
}

/// What differs, row by row; empty if nothing does. `styles`: not only the text.
fn differences(ours: &Screen, theirs: &Screen, styles: bool) -> Vec<String> {
    let mut out = Vec::new();
    if ours.1 != theirs.1 {
        out.push(format!(
            "  cursor: ours {:?}, theirs {:?}",
            ours.1, theirs.1
        ));
    }
    let line = |row: &[Cell]| -> Vec<(String, Style)> {
        let mut cells: Vec<_> = row
            .iter()
            .filter(|cell| cell.width > 0)
            .map(plain)
            .collect();
        if !styles {
            cells.iter_mut().for_each(|cell| cell.1 = Style::default());
        }
        while cells.last().is_some_and(|(text, _)| text.trim().is_empty()) {
            cells.pop();
        }
        cells
    };
    for (y, (a, b)) in ours.0.iter().zip(&theirs.0).enumerate() {
        let (a, b) = (line(a), line(b));
        if a != b {
            let text = |row: &[(String, Style)]| -> String {
                row.iter().map(|(text, _)| text.as_str()).collect()
            };
            let x = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
            out.push(format!(
                "  row {y} from column {x}:\n    ours   {:?}\n    theirs {:?}\n    {:?} {:?}",
                text(&a),
                text(&b),
                a.get(x),
                b.get(x)
            ));
        }
    }
    out
}
