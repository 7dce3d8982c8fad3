//! Snapshots, rows and lines for people. In: plain data; out: bytes for a real
//! terminal, or plain text. Promises that text never becomes a control (it is
//! checked where it enters) and that each call leaves the pen reset.

mod cursor;
mod redraw;

pub use redraw::{pages_to_ansi, snapshot_to_ansi};

use crate::cell::{Row, Style};
use crate::scrollback::Page;
use crate::sgr;

/// What to write beside cells and cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnsiOptions {
    /// Set the window title (the modes include it).
    pub title: bool,
    /// Set all modes, character sets and tab stops too, so that the stream can
    /// go on from there.
    pub modes: bool,
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
