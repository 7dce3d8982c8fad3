//! Screens as both sides can show them. In: a terminal, or what `capture-pane -e` wrote; out: cells and
//! the cursor, and what differs. Of blank cells only what is to be seen counts.

use term::{Cell, Options, Silent, Size, Style, StyleFlags, Terminal, Underline};

/// A cell's text and what is to be seen of its style.
type Look = (String, Style);

/// A screen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    rows: Vec<Vec<Look>>,
    /// Column and row, if it is to be seen.
    pub(crate) cursor: Option<(u16, u16)>,
}

impl Shown {
    /// The text, a row a line.
    pub(crate) fn text(&self) -> String {
        let line = |row: &Vec<Look>| {
            row.iter()
                .map(|(text, _)| text.as_str())
                .collect::<String>()
        };
        self.rows.iter().map(|row| line(row) + "\n").collect()
    }
}

fn look(cell: &Cell) -> Look {
    let text = match cell.text.as_str() {
        "" => " ",
        text => text,
    };
    let mut style = Style {
        bg: cell.style.bg,
        ..Style::default()
    };
    let inverse = cell.style.flags.contains(StyleFlags::INVERSE);
    style.flags.set(StyleFlags::INVERSE, inverse);
    if !text.trim().is_empty() || inverse {
        style.fg = cell.style.fg;
    }
    if !text.trim().is_empty() {
        for flag in [
            StyleFlags::BOLD,
            StyleFlags::DIM,
            StyleFlags::ITALIC,
            StyleFlags::BLINK,
            StyleFlags::STRIKE,
        ] {
            style.flags.set(flag, cell.style.flags.contains(flag));
        }
        if cell.style.underline != Underline::None {
            style.underline = Underline::Single;
        }
    }
    (text.to_owned(), style)
}

/// What a terminal shows.
pub(crate) fn shown(terminal: &Terminal) -> Shown {
    let row = |y: u16| -> Vec<Look> {
        let row = terminal.row(y);
        let cells = row.cells.iter().filter(|cell| cell.width > 0);
        let mut row: Vec<Look> = cells.map(look).collect();
        while row
            .last()
            .is_some_and(|(text, style)| text == " " && *style == Style::default())
        {
            row.pop();
        }
        row
    };
    let cursor = terminal.cursor();
    Shown {
        rows: (0..terminal.size().rows).map(row).collect(),
        cursor: cursor.visible.then_some((cursor.x, cursor.y)),
    }
}

/// What `capture-pane -e` wrote. It writes line drawing as SO, the letters sent, SI.
pub(crate) fn captured(size: Size, text: &[u8], cursor: Option<(u16, u16)>) -> Shown {
    let mut terminal = Terminal::new(size, &Options::default());
    terminal.advance(b"\x1b)0\x1b[?7l", &mut Silent);
    for (y, line) in text.split(|b| *b == b'\n').enumerate() {
        let start = format!("\x1b[{};1H", y + 1);
        terminal.advance(start.as_bytes(), &mut Silent);
        terminal.advance(line, &mut Silent);
    }
    Shown {
        cursor,
        ..shown(&terminal)
    }
}

/// How many cells there are up to the last one that is not blank.
fn written(row: &[Look]) -> usize {
    row.iter()
        .rposition(|(text, _)| text != " ")
        .map_or(0, |at| at + 1)
}

/// What differs, in words.
pub(crate) fn differences(ours: &Shown, theirs: &Shown) -> Vec<String> {
    let mut out = Vec::new();
    if ours.cursor != theirs.cursor {
        let (a, b) = (ours.cursor, theirs.cursor);
        out.push(format!("  cursor: {a:?} in abide, {b:?} in tmux"));
    }
    for (y, (a, b)) in ours.rows.iter().zip(&theirs.rows).enumerate() {
        // What was erased at the end of a row capture-pane leaves out, whatever its background.
        let (a, rest) = a.split_at(a.len().min(b.len().max(written(a))));
        if a == b && rest.iter().all(|(text, _)| text == " ") {
            continue;
        }
        let text = |row: &[Look]| {
            row.iter()
                .map(|(text, _)| text.as_str())
                .collect::<String>()
        };
        let x = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        out.push(format!(
            "  row {y} from column {x}:\n    abide {:?}\n    tmux  {:?}\n    {:?}\n    {:?}",
            text(a),
            text(b),
            a.get(x),
            b.get(x)
        ));
    }
    out
}
