//! The list of keys, over everything else.
//!
//! In: the model. Out: a frame in the middle. Promises: what fits is shown as a whole, in columns if it
//! must; what does not is one column that can be scrolled, and says so.

use super::status::help_lines;
use crate::canvas::Canvas;
use crate::model::Model;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

const STYLE: Style = Style::new().fg(Color::White).bg(Color::Black);

/// Rows of the list that are seen at once.
pub(crate) fn rows(model: &Model) -> usize {
    usize::from(model.size.1.saturating_sub(2)).max(1)
}

/// Rows the list can be scrolled down; 0: it is seen as a whole.
pub(crate) fn most_down(model: &Model) -> usize {
    let lines = help_lines(model);
    let fits = width(&columns(&lines, rows(model))) <= usize::from(model.size.0);
    let hidden = lines.len().saturating_sub(rows(model));
    if fits { 0 } else { hidden }
}

fn columns(lines: &[String], rows: usize) -> Vec<&[String]> {
    lines.chunks(rows.min(lines.len()).max(1)).collect()
}

/// Columns of the screen that these take, with the frame.
fn width(columns: &[&[String]]) -> usize {
    columns.iter().map(|lines| widest(lines) + 1).sum::<usize>() + 3
}

/// Draws it, scrolled `down` so many rows if it does not fit.
pub(super) fn draw(model: &Model, down: usize, canvas: &mut Canvas) {
    let area = canvas.area();
    let lines = help_lines(model);
    let (rows, most) = (rows(model), most_down(model));
    let down = down.min(most);
    let shown = if most == 0 {
        columns(&lines, rows)
    } else {
        vec![&lines[down..lines.len().min(down + rows)]]
    };
    // The frame stays as wide while it is scrolled.
    let all = if most == 0 {
        width(&shown)
    } else {
        width(&[lines.as_slice()])
    };
    let side = |cells: usize, most: u16| u16::try_from(cells).unwrap_or(most).min(most);
    let (width, height) = (
        side(all, area.width),
        side(lines.len().min(rows) + 2, area.height),
    );
    let frame = Rect {
        x: (area.width - width) / 2,
        y: (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(frame, canvas.part(frame));
    let mut block = Block::bordered().style(STYLE);
    block = if most == 0 {
        block.title(" keys (any key closes) ")
    } else {
        let (last, count) = (down + rows, lines.len());
        block
            .title(" keys (arrows scroll, others close) ")
            .title_bottom(format!(" {}-{} of {count} ", down + 1, last.min(count)))
    };
    let inner = block.inner(frame);
    block.render(frame, canvas.part(frame));
    let mut x = inner.x + 1;
    for column in shown {
        let width = side(widest(column) + 1, inner.width);
        let place = Rect { x, width, ..inner }.intersection(inner);
        Paragraph::new(column.join("\n"))
            .style(STYLE)
            .render(place, canvas.part(place));
        x = x.saturating_add(width);
    }
}

fn widest(lines: &[String]) -> usize {
    let widths = lines.iter().map(|line| term::width::text_width(line));
    widths.max().unwrap_or(0)
}
