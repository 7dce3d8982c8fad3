//! vt100's cells as ours.

use ::vt100::{Color, Screen};

use crate::cell::{Cell, CellText, Colour, Row, Style, StyleFlags, Underline};
use crate::paint::TOFU;
use crate::size::Size;

/// All rows of the grid that is shown.
pub(super) fn rows(screen: &Screen, size: Size) -> Vec<Row> {
    (0..size.rows)
        .map(|y| {
            let mut row = Row::blank(size.cols);
            update(&mut row, screen, y);
            row
        })
        .collect()
}

/// Makes `row` what row `y` is; tells whether it changed.
pub(super) fn update(row: &mut Row, screen: &Screen, y: u16) -> bool {
    let mut changed = false;
    for (x, cell) in (0u16..).zip(&mut row.cells) {
        let Some(theirs) = screen.cell(y, x) else {
            continue;
        };
        let style = style(theirs);
        let width = match (theirs.is_wide(), theirs.is_wide_continuation()) {
            (true, _) => 2,
            (_, true) => 0,
            _ => 1,
        };
        let text = if width == 0 { "" } else { theirs.contents() };
        if cell.style == style && cell.width == width && cell.text.as_str() == text {
            continue;
        }
        let text = if text.starts_with(TOFU) {
            let text = text.replace(TOFU, "\u{fffd}");
            if cell.style == style && cell.width == width && cell.text.as_str() == text {
                continue;
            }
            CellText::from(text.as_str())
        } else {
            CellText::from(text)
        };
        *cell = Cell { text, width, style };
        changed = true;
    }
    let wrapped = screen.row_wrapped(y);
    changed |= row.wrapped != wrapped;
    row.wrapped = wrapped;
    changed
}

fn style(cell: &::vt100::Cell) -> Style {
    let mut flags = StyleFlags::default();
    flags.set(StyleFlags::BOLD, cell.bold());
    flags.set(StyleFlags::DIM, cell.dim());
    flags.set(StyleFlags::ITALIC, cell.italic());
    flags.set(StyleFlags::INVERSE, cell.inverse());
    Style {
        fg: colour(cell.fgcolor()),
        bg: colour(cell.bgcolor()),
        flags,
        underline: if cell.underline() {
            Underline::Single
        } else {
            Underline::None
        },
        ..Style::default()
    }
}

fn colour(colour: Color) -> Colour {
    match colour {
        Color::Default => Colour::Default,
        Color::Idx(n) => Colour::Indexed(n),
        Color::Rgb(r, g, b) => Colour::Rgb(r, g, b),
    }
}
