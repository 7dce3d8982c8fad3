//! The view on a frame.

use super::blocks::{about, wrapped};
use super::view::View;
use crate::event::Card;
use crate::runner::Core;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};
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
    frame.render_widget(
        Paragraph::new(status(view, core, bar.width.into())).style(BAR),
        bar,
    );
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

/// The line between conversation and input: each part with how much it is worth, and in a narrow window
/// those that are worth least go.
fn status(view: &View, core: &Core, width: usize) -> String {
    let mut parts: Vec<(u8, String)> = vec![(4, view.about.framework.clone())];
    let params = core.params();
    let chosen = [&params.model, &params.permission_mode, &params.effort];
    parts.extend(chosen.into_iter().flatten().map(|it| (3, it.clone())));
    if core.paused() {
        parts.push((9, "paused".to_owned()));
    } else if let Some(since) = view.since {
        let seconds = since.elapsed().as_secs();
        let time = format!("working {}:{:02}", seconds / 60, seconds % 60);
        let time = if core.stopping() {
            "stopping".to_owned()
        } else {
            time
        };
        parts.push((9, time));
        let plan = view.plan.map(|(done, of)| (6, format!("plan {done}/{of}")));
        parts.extend(plan);
    }
    let beside: Vec<&str> = core.tasks().map(|it| it.title.as_str()).collect();
    match beside[..] {
        [] => {}
        [title] if !title.is_empty() => parts.push((5, format!("beside: {title}"))),
        _ => parts.push((5, format!("{} beside", beside.len()))),
    }
    let (read, written) = view.tokens;
    if read + written > 0 {
        parts.push((2, format!("{} in, {} out", short(read), short(written))));
    }
    let queued = core.queued().count();
    if queued > 0 {
        parts.push((7, format!("{queued} waiting")));
    }
    if view.up > 0 {
        parts.push((8, format!("{} lines below", view.up)));
    }
    parts.push(match (&view.hint, &view.search) {
        (Some(hint), _) => (10, hint.clone()),
        (None, Some(search)) => (10, format!("search: {}", search.text())),
        (None, None) => (1, "/help".to_owned()),
    });
    loop {
        let line = parts.iter().map(|it| it.1.as_str());
        let line = format!(" {}", line.collect::<Vec<_>>().join(" \u{b7} "));
        let least = parts.iter().map(|it| it.0).min().unwrap_or_default();
        if line.width() <= width || parts.len() <= 1 {
            return line;
        }
        if let Some(at) = parts.iter().rposition(|it| it.0 == least) {
            parts.remove(at);
        }
    }
}

/// A number of tokens.
fn short(n: u64) -> String {
    match n {
        0..=9_999 => n.to_string(),
        10_000..=999_999 => format!("{}k", n / 1_000),
        _ => format!("{}.{}M", n / 1_000_000, n / 100_000 % 10),
    }
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

/// A card: its title, what it is about, its options. Where there is little room, what it is about is cut,
/// then its title; the options stay.
fn draw_card(frame: &mut Frame<'_>, card: &Card, chosen: usize, count: usize, area: Rect) {
    let width = usize::from(area.width).saturating_sub(2).max(1);
    let room = usize::from(area.height).saturating_sub(2);
    let mut options = Vec::new();
    for (at, option) in card.options.iter().enumerate() {
        let style = if at == chosen { CHOSEN } else { Style::new() };
        let text = format!(" {} {} ", at + 1, option.name);
        options.push(Line::from(Span::styled(text, style)));
    }
    let left = room.saturating_sub(options.len());
    let mut lines = wrapped(&card.title, width);
    lines.truncate(left.min(3));
    lines.extend(about(card, width, left - lines.len()));
    lines.extend(options);
    let title = if count > 1 {
        format!(" asks (1 of {count}) ")
    } else {
        " asks ".to_owned()
    };
    let height = u16::try_from(lines.len() + 2)
        .unwrap_or(u16::MAX)
        .min(area.height);
    let place = Rect {
        y: area.bottom() - height,
        height,
        ..area
    };
    let block = Block::new().borders(Borders::ALL).title(title);
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(Text::from(lines)).block(block), place);
}
