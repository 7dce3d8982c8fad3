//! The model as a frame.
//!
//! In: the model. Out: a canvas, and where the cursor stands. Promises: changes nothing; draws
//! nothing outside a pane's place; what a program wrote reaches the canvas only as cells, never
//! as control characters.

pub(crate) mod help;
mod pane;
pub(crate) mod status;
#[cfg(test)]
mod tests;

use crate::canvas::Canvas;
use crate::geometry::{Divider, Geometry};
use crate::model::{Mode, Model};
use crate::paint::{CursorPlace, Placed};
use link::layout::Direction;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

/// Borders and title of the focused pane.
const FOCUSED: Style = Style::new().fg(Color::Green);
/// Borders of the others.
const BORDER: Style = Style::new().fg(Color::DarkGray);

/// Brings the panes that are shown up to date.
pub(crate) fn prepare(model: &mut Model) {
    for placed in model.geometry().panes {
        if let Some(pane) = model.panes.get_mut(&placed.pane) {
            pane.prepare();
        }
    }
}

/// Draws the model; the cursor, if one is shown.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas) -> Option<CursorPlace> {
    let geometry = model.geometry();
    for divider in &geometry.dividers {
        border(model, &geometry, divider, canvas);
    }
    let mut cursor = None;
    for placed in &geometry.panes {
        let focused = model.focus() == Some(placed.pane);
        let Some(pane) = model.panes.get(&placed.pane) else {
            continue;
        };
        if let Some(row) = placed.title {
            pane::title(pane, row, focused, canvas);
        }
        let place = pane::content(model, pane, placed.content, canvas);
        cursor = cursor.or(place.filter(|_| focused));
    }
    let asking = status::draw(model, canvas);
    if let Mode::Help(down) = model.mode {
        help::draw(model, down, canvas);
        return None;
    }
    asking.or(cursor)
}

/// Pictures of the panes that are shown, each where it is seen as a whole.
pub(crate) fn pictures(model: &Model) -> Vec<Placed> {
    if matches!(model.mode, Mode::Help(_)) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for placed in model.geometry().panes {
        let Some(pane) = model.panes.get(&placed.pane) else {
            continue;
        };
        all.extend(pane.pictures().iter().filter_map(|picture| {
            let area = placed.content;
            let (left, top) = pane.origin(area.width, area.height);
            let x = picture.at.0.checked_sub(left)?;
            let y = picture.at.1.checked_sub(top)?;
            let fits = x + picture.cells.0 <= area.width && y + picture.cells.1 <= area.height;
            fits.then(|| Placed {
                pane: placed.pane,
                corner: (area.x + x, area.y + y),
                picture: picture.clone(),
            })
        }));
    }
    all
}

/// The column between panes side by side; the title rows are the borders between others.
fn border(model: &Model, geometry: &Geometry, divider: &Divider, canvas: &mut Canvas) {
    if divider.direction == Direction::Down {
        return;
    }
    let focus = model
        .focus()
        .and_then(|id| geometry.of(id))
        .map(crate::geometry::Placed::outer);
    let Rect { x, .. } = divider.rect;
    for y in divider.rect.y..divider.rect.bottom() {
        let beside = focus
            .is_some_and(|r| (r.y..r.bottom()).contains(&y) && (r.right() == x || r.x == x + 1));
        let place = Rect {
            x,
            y,
            width: 1,
            height: 1,
        };
        if let Some(cell) = canvas.part(place).cell_mut((x, y)) {
            cell.set_symbol(joint(geometry, divider.rect, y))
                .set_style(if beside { FOCUSED } else { BORDER });
        }
    }
}

/// The border's piece at row `y`: title rows that end at it join it.
fn joint(geometry: &Geometry, border: Rect, y: u16) -> &'static str {
    let titles = || geometry.panes.iter().filter_map(|placed| placed.title);
    let left = titles().any(|row| row.y == y && row.right() == border.x);
    let right = titles().any(|row| row.y == y && row.x == border.x + 1);
    match (left, right, y == border.y) {
        (true, true, true) => "┬",
        (true, true, false) => "┼",
        (true, false, true) => "┐",
        (false, true, true) => "┌",
        (true, false, false) => "┤",
        (false, true, false) => "├",
        (false, false, _) => "│",
    }
}
