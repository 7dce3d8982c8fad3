//! The list of keys, over everything else.

use super::status::help_lines;
use crate::canvas::Canvas;
use crate::model::Model;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

const STYLE: Style = Style::new().fg(Color::White).bg(Color::Black);

/// Draws it in the middle, in as many columns as its height asks for.
pub(super) fn draw(model: &Model, canvas: &mut Canvas) {
    let area = canvas.area();
    let lines = help_lines(model);
    let rows = usize::from(area.height.saturating_sub(2)).max(1);
    let columns: Vec<&[String]> = lines.chunks(rows.min(lines.len())).collect();
    let widths: Vec<u16> = columns.iter().map(|column| widest(column) + 1).collect();
    let width = widths.iter().sum::<u16>().saturating_add(3).min(area.width);
    let height = u16::try_from(lines.len().min(rows) + 2).unwrap_or(area.height);
    let height = height.min(area.height);
    let frame = Rect {
        x: (area.width - width) / 2,
        y: (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(frame, canvas.part(frame));
    let block = Block::bordered()
        .title(" keys (any key closes) ")
        .style(STYLE);
    let inner = block.inner(frame);
    block.render(frame, canvas.part(frame));
    let mut x = inner.x + 1;
    for (column, width) in columns.iter().zip(widths) {
        let place = Rect { x, width, ..inner }.intersection(inner);
        Paragraph::new(column.join("\n"))
            .style(STYLE)
            .render(place, canvas.part(place));
        x = x.saturating_add(width);
    }
}

fn widest(lines: &[String]) -> u16 {
    let columns = lines
        .iter()
        .map(|line| term::width::text_width(line))
        .max()
        .unwrap_or(0);
    u16::try_from(columns).unwrap_or(u16::MAX)
}
