//! The view on a frame.

use super::view::View;
use crate::event::{Card, Output};
use crate::runner::Core;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Clear, Paragraph, Wrap};
use unicode_width::UnicodeWidthStr;

const BAR: Style = Style::new().fg(Color::Black).bg(Color::Gray);
const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
/// Rows of the typed text that are shown at most.
const MAX_INPUT: usize = 8;

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, view: &mut View, core: &Core) {
    let area = frame.area();
    let rows = view.editor.text().split('\n').count().min(MAX_INPUT);
    let queue: Vec<&str> = core.queued().collect();
    let waiting = queue.len().min(3);
    let height = |rows: usize| Constraint::Length(u16::try_from(rows).unwrap_or(u16::MAX));
    let parts = Layout::vertical([Constraint::Min(1), height(waiting), height(1), height(rows)]);
    let [above, behind, bar, input] = parts.areas(area);
    conversation(frame, view, above);
    let queued = queue.iter().take(waiting).map(|it| {
        let line = it.lines().next().unwrap_or("");
        Line::styled(format!("\u{23f3} {line}"), Style::new().fg(Color::DarkGray))
    });
    frame.render_widget(Text::from_iter(queued), behind);
    frame.render_widget(Paragraph::new(status(view, core)).style(BAR), bar);
    if let Some(card) = core.cards().first() {
        draw_card(frame, card, view.chosen, core.cards().len(), above);
    }
    typed(frame, view, input);
}

fn conversation(frame: &mut Frame<'_>, view: &mut View, area: Rect) {
    let height = usize::from(area.height);
    view.page = height;
    let lines = view.blocks.lines(usize::from(area.width));
    let most = lines.len().saturating_sub(height);
    view.up = view.up.min(most);
    let first = most - view.up;
    let shown = lines.into_iter().skip(first).take(height).cloned();
    let text = Text::from_iter(shown);
    frame.render_widget(text, area);
}

/// The line between conversation and input.
fn status(view: &View, core: &Core) -> String {
    let mut parts = vec![view.about.framework.clone()];
    parts.extend(view.about.settings.iter().cloned());
    if core.paused() {
        parts.push("paused".to_owned());
    } else if let Some(since) = view.since {
        let seconds = since.elapsed().as_secs();
        parts.push(format!("working {}:{:02}", seconds / 60, seconds % 60));
    }
    let (read, written) = view.tokens;
    if read + written > 0 {
        parts.push(format!("{read} in, {written} out"));
    }
    let queued = core.queued().count();
    if queued > 0 {
        parts.push(format!("{queued} waiting"));
    }
    if view.up > 0 {
        parts.push(format!("{} lines below", view.up));
    }
    let hint = match (&view.hint, &view.search) {
        (Some(hint), _) => hint.clone(),
        (None, Some(search)) => format!("search: {}", search.text()),
        (None, None) => "/help".to_owned(),
    };
    parts.push(hint);
    format!(" {}", parts.join(" \u{b7} "))
}

/// The text being typed, its cursor in sight.
fn typed(frame: &mut Frame<'_>, view: &View, area: Rect) {
    let text = view.editor.text();
    let before = &text[..view.editor.cursor()];
    let row = before.matches('\n').count();
    let line = before.rsplit('\n').next().unwrap_or("");
    let column = line.width() + 2;
    let top = row.saturating_sub(usize::from(area.height).saturating_sub(1));
    let left = (column + 1).saturating_sub(usize::from(area.width));
    let lines = text.split('\n').enumerate().map(|(at, line)| {
        let mark = if at == 0 { "> " } else { "  " };
        Line::from(format!("{mark}{line}"))
    });
    let offset = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let paragraph = Paragraph::new(Text::from_iter(lines)).scroll((offset(top), offset(left)));
    frame.render_widget(paragraph, area);
    if area.height > 0 && view.search.is_none() {
        let place = Position::new(
            area.x.saturating_add(offset(column - left)),
            area.y.saturating_add(offset(row - top)),
        );
        frame.set_cursor_position(place);
    }
}

fn draw_card(frame: &mut Frame<'_>, card: &Card, chosen: usize, count: usize, area: Rect) {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for output in &card.detail {
        let text = match output {
            Output::Text { text } => text.clone(),
            Output::Diff { path, new, .. } => format!("{path}\n{new}"),
            Output::Other { value } => serde_json::to_string_pretty(value).unwrap_or_default(),
        };
        let most = usize::from(area.height) / 2;
        let shown = text
            .lines()
            .take(most)
            .map(|it| Line::from(it.replace('\t', "    ")));
        lines.extend(shown);
    }
    for (at, option) in card.options.iter().enumerate() {
        let style = if at == chosen { CHOSEN } else { Style::new() };
        let text = format!(" {} {} ", at + 1, option.name);
        lines.push(Line::from(Span::styled(text, style)));
    }
    let more = if count > 1 {
        format!(" (1 of {count})")
    } else {
        String::new()
    };
    let title = format!(" {}{more} ", card.title.lines().next().unwrap_or(""));
    let height = u16::try_from(lines.len() + 2)
        .unwrap_or(u16::MAX)
        .min(area.height);
    let place = Rect {
        y: area.bottom() - height,
        height,
        ..area
    };
    let block = Block::new().borders(Borders::ALL).title(title);
    let text = Paragraph::new(Text::from(lines))
        .wrap(Wrap { trim: false })
        .block(block);
    frame.render_widget(Clear, place);
    frame.render_widget(text, place);
}
