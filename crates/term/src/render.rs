//! Snapshots, rows and lines for people. In: plain data; out: bytes for a real
//! terminal, or plain text. Promises that text never becomes a control (it is
//! checked where it enters) and that each call leaves the pen reset.

use crate::cell::{Row, Style};
use crate::paint::{Dialect, Painter};
use crate::scrollback::Page;
use crate::sgr;
use crate::snapshot::{Charset, Charsets, Screen, Snapshot};

/// What to write beside cells and cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnsiOptions {
    /// Set the window title (the modes include it).
    pub title: bool,
    /// Set all modes, character sets and tab stops too, so that the stream can
    /// go on from there.
    pub modes: bool,
}

/// Bytes that make a real terminal of the same size show this snapshot:
/// both screens, cursor, regions, saved cursors, and what `options` add.
#[must_use]
pub fn snapshot_to_ansi(snapshot: &Snapshot, options: &AnsiOptions) -> Vec<u8> {
    let start =
        b"\x1b[?1049l\x1b[?25l\x1b[?6l\x1b[?69l\x1b[r\x1b[?7h\x1b[4l\x1b(B\x1b)B\x0f\x1b[m\x1b[H\x1b[2J";
    let mut painter = Painter::new(start.to_vec(), snapshot.size, Dialect::Real);
    painter.links.clone_from(&snapshot.links);
    painter.screen(&snapshot.main);
    let modes = &snapshot.modes;
    if options.modes {
        painter.out.extend_from_slice(&modes.kitty_ansi(false));
    }
    saved_cursor(&mut painter, &snapshot.main);
    if let Some(alternate) = snapshot
        .alternate
        .as_ref()
        .filter(|_| snapshot.on_alternate)
    {
        painter.pen(Style::default());
        // 47 leaves the saved cursor of the main screen alone.
        painter
            .out
            .extend_from_slice(b"\x1b[?47h\x1b[r\x1b[H\x1b[2J");
        painter.screen(alternate);
        saved_cursor(&mut painter, alternate);
        if options.modes {
            painter.out.extend_from_slice(&modes.kitty_ansi(true));
        }
    }
    if options.modes {
        tab_stops(&mut painter, snapshot);
        painter.out.extend_from_slice(&modes.shared_ansi());
        let (left, right) = snapshot.margins;
        if modes.margins && (left > 0 || right + 1 < snapshot.size.cols) {
            painter.numbers(&[left + 1, right + 1], b's');
        }
    } else if options.title {
        let title = modes.titles.current();
        painter
            .out
            .extend_from_slice(format!("\x1b]2;{title}\x1b\\").as_bytes());
    }
    let cursor = snapshot.cursor;
    let row = snapshot.shown().rows.get(usize::from(cursor.y));
    if options.modes && modes.origin {
        let left = if modes.margins { snapshot.margins.0 } else { 0 };
        painter.origin(left, snapshot.shown().region.0);
    }
    // A wrap that waits was made before wrapping was turned off.
    let turned_off = options.modes && cursor.pending_wrap && !modes.autowrap;
    if turned_off {
        painter.out.extend_from_slice(b"\x1b[?7h");
    }
    painter.cursor(cursor.x, cursor.y, cursor.pending_wrap, row);
    if turned_off {
        painter.out.extend_from_slice(b"\x1b[?7l");
    }
    painter.pen(snapshot.pen);
    if options.modes {
        charsets(&mut painter.out, snapshot.charsets);
    }
    if cursor.visible {
        painter.out.extend_from_slice(b"\x1b[?25h");
    }
    painter.out
}

fn saved_cursor(painter: &mut Painter, screen: &Screen) {
    let Some(saved) = screen.saved else { return };
    if saved.origin {
        painter.out.extend_from_slice(b"\x1b[?6h");
        painter.origin(0, screen.region.0);
    }
    let row = screen.rows.get(usize::from(saved.y));
    painter.cursor(saved.x, saved.y, saved.pending_wrap, row);
    painter.pen(saved.pen);
    charsets(&mut painter.out, saved.charsets);
    painter.out.extend_from_slice(b"\x1b7");
    charsets(&mut painter.out, Charsets::default());
    if saved.origin {
        painter.out.extend_from_slice(b"\x1b[?6l");
        painter.origin(0, 0);
    }
}

fn charsets(out: &mut Vec<u8>, charsets: Charsets) {
    for (introducer, set) in (b'('..).zip(charsets.sets) {
        if set == Charset::Ascii && introducer > b')' {
            continue;
        }
        out.extend_from_slice(&[0x1b, introducer]);
        out.extend_from_slice(set.spelled().as_bytes());
    }
    let shift: &[u8] = match charsets.left {
        0 => b"\x0f",
        1 => b"\x0e",
        2 => b"\x1bn",
        _ => b"\x1bo",
    };
    out.extend_from_slice(shift);
    match charsets.single {
        2 => out.extend_from_slice(b"\x1bN"),
        3 => out.extend_from_slice(b"\x1bO"),
        _ => {}
    }
}

fn tab_stops(painter: &mut Painter, snapshot: &Snapshot) {
    let Some(tabs) = &snapshot.tabs else { return };
    painter.out.extend_from_slice(b"\x1b[3g");
    for &x in tabs {
        painter.goto(x, 0);
        painter.out.extend_from_slice(b"\x1bH");
    }
}

/// Rows as text with SGR; a wrapped row is joined with the next, blanks at the
/// end of a line are left out, each line ends with the pen reset.
#[must_use]
pub fn rows_to_ansi(rows: &[Row]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut pen = Style::default();
    for row in rows {
        let blank = |cell: &&crate::cell::Cell| {
            cell.text.is_empty() && cell.width > 0 && cell.style == Style::default()
        };
        let blanks = row.cells.iter().rev().take_while(blank).count();
        let kept = if row.wrapped { 0 } else { blanks };
        for cell in row.cells.iter().take(row.cells.len() - kept) {
            if cell.width == 0 {
                continue;
            }
            change(&mut pen, cell.style, &mut out);
            match cell.text.as_str() {
                "" => out.push(b' '),
                text => out.extend_from_slice(text.as_bytes()),
            }
        }
        if !row.wrapped {
            change(&mut pen, Style::default(), &mut out);
            out.push(b'\n');
        }
    }
    change(&mut pen, Style::default(), &mut out);
    out
}

fn change(pen: &mut Style, to: Style, out: &mut Vec<u8>) {
    let to = Style {
        link: None,
        protected: false,
        ..to
    };
    if *pen != to {
        *pen = to;
        sgr::write(&to, out);
    }
}

/// Rows as plain text; a wrapped row is joined with the next.
#[must_use]
pub fn rows_to_text(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        if row.wrapped {
            // A space at the margin stands between two words.
            out.push_str(&row.full_text());
        } else {
            out.push_str(&row.text());
            out.push('\n');
        }
    }
    out
}

/// Lines as text with SGR, each line ending with the pen reset.
#[must_use]
pub fn page_to_ansi(page: &Page) -> Vec<u8> {
    let mut out = Vec::new();
    let mut pen = Style::default();
    for line in &page.lines {
        for span in &line.spans {
            change(&mut pen, span.style, &mut out);
            out.extend_from_slice(span.text.as_bytes());
        }
        if !line.continued {
            change(&mut pen, Style::default(), &mut out);
            out.push(b'\n');
        }
    }
    change(&mut pen, Style::default(), &mut out);
    out
}

/// Lines as plain text.
#[must_use]
pub fn page_to_text(page: &Page) -> String {
    let mut out = String::new();
    for line in &page.lines {
        out.push_str(&line.text());
        if !line.continued {
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests;
