//! Laying text, tool output and changes out in lines of a width. Pure.
//!
//! Output with a terminal's escape sequences goes through the terminal model, so that a progress bar
//! is its last state and colours are colours.

use super::{BAD, DIM, GOOD};
use crate::event::Output;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use similar::{ChangeTag, TextDiff};
use term::{Colour, Silent, Size, StyleFlags, Terminal};
use unicode_width::UnicodeWidthChar;

/// Lines in the making.
pub(super) struct Lay {
    width: usize,
    lines: Vec<Line<'static>>,
}

impl Lay {
    pub(super) const fn new(width: usize) -> Self {
        let lines = Vec::new();
        Self { width, lines }
    }

    pub(super) fn done(self) -> Vec<Line<'static>> {
        self.lines
    }

    pub(super) fn gap(&mut self) {
        self.lines.push(Line::default());
    }

    /// One line, cut at the width.
    pub(super) fn spans(&mut self, spans: Vec<Span<'static>>) {
        let mut room = self.width;
        let mut line = Vec::new();
        for span in spans {
            let text = fitting(&span.content, room);
            room -= width_of(&text);
            line.push(Span::styled(text, span.style));
        }
        self.lines.push(Line::from(line));
    }

    /// Text, wrapped; `mark` stands before the first line and its width before the others.
    pub(super) fn text(&mut self, text: &str, style: Style, mark: &'static str) {
        let indent = width_of(mark);
        let room = self.width.saturating_sub(indent).max(1);
        let mut first = true;
        for line in text.trim_end_matches('\n').split('\n') {
            for part in wrap(&plain(line), room) {
                let before = if std::mem::take(&mut first) {
                    mark.to_owned()
                } else {
                    " ".repeat(indent)
                };
                self.lines.push(Line::from(vec![
                    Span::styled(before, style),
                    Span::styled(part, style),
                ]));
            }
        }
    }

    /// What a tool gave, at most so many lines of it: the last ones.
    pub(super) fn results(&mut self, output: &[Output], most: usize) {
        let mut lines = Vec::new();
        for output in output {
            match output {
                Output::Text { text } => lines.extend(self.terminal(text)),
                Output::Diff { path, old, new } => {
                    lines.push(Line::styled(format!("  {}", plain(path)), DIM));
                    lines.extend(changes(old.as_deref().unwrap_or(""), new, self.width));
                }
                Output::Other { .. } => {} // in the record
            }
        }
        if lines.len() > most {
            let left_out = lines.len() - most;
            lines.drain(..left_out);
            let text = format!("  [{left_out} lines above]");
            self.lines.push(Line::styled(text, DIM));
        }
        self.lines.extend(lines);
    }

    /// Text as a terminal of this width would show it at its end.
    fn terminal(&self, text: &str) -> Vec<Line<'static>> {
        const MOST_ROWS: usize = 200;
        // Only as many rows as it can come to: a screen of 200 for each small result is dear.
        let cols = u16::try_from(self.width.saturating_sub(2).clamp(1, 1000)).unwrap_or(1000);
        let wraps = text.len() / usize::from(cols);
        let rows = (text.matches('\n').count() + wraps + 2).min(MOST_ROWS);
        let rows = u16::try_from(rows).unwrap_or(24);
        let mut terminal = Terminal::new(Size::new(cols, rows), &term::Options::default());
        // A pipe's lines end with LF alone; a terminal would have made CR LF of it.
        let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
        let tail = text.ceil_char_boundary(text.len().saturating_sub(256 * 1024));
        terminal.advance(&text.as_bytes()[tail..], &mut Silent);
        let mut lines: Vec<Line<'static>> = (0..rows).map(|y| row(&terminal.row(y))).collect();
        while lines.last().is_some_and(is_blank) {
            lines.pop();
        }
        lines
    }
}

fn is_blank(line: &Line<'_>) -> bool {
    line.spans.iter().all(|it| it.content.trim().is_empty())
}

/// A row's runs of one style, indented.
fn row(row: &term::Row) -> Line<'static> {
    let mut spans = vec![Span::raw("  ")];
    let mut last = None;
    for cell in row.cells.iter().filter(|it| it.width > 0) {
        let text = if cell.text.is_empty() {
            " "
        } else {
            cell.text.as_str()
        };
        let style = style_of(&cell.style);
        match spans.last_mut().filter(|_| last == Some(style)) {
            Some(span) => span.content.to_mut().push_str(text),
            None => spans.push(Span::styled(text.to_owned(), style)),
        }
        last = Some(style);
    }
    if let Some(span) = spans.last_mut().filter(|it| it.style == Style::new()) {
        let kept = span.content.trim_end().len();
        span.content.to_mut().truncate(kept);
    }
    Line::from(spans)
}

fn style_of(style: &term::Style) -> Style {
    let colour = |it: Colour| match it {
        Colour::Default => None,
        Colour::Indexed(n) => Some(Color::Indexed(n)),
        Colour::Rgb(r, g, b) => Some(Color::Rgb(r, g, b)),
    };
    let mut drawn = Style::new();
    drawn.fg = colour(style.fg);
    drawn.bg = colour(style.bg);
    for (flag, modifier) in [
        (StyleFlags::BOLD, Modifier::BOLD),
        (StyleFlags::DIM, Modifier::DIM),
        (StyleFlags::ITALIC, Modifier::ITALIC),
        (StyleFlags::INVERSE, Modifier::REVERSED),
        (StyleFlags::STRIKE, Modifier::CROSSED_OUT),
    ] {
        if style.flags.contains(flag) {
            drawn = drawn.add_modifier(modifier);
        }
    }
    drawn
}

/// A change, line by line.
fn changes(old: &str, new: &str, width: usize) -> Vec<Line<'static>> {
    let diff = TextDiff::from_lines(old, new);
    let mut lines = Vec::new();
    for group in diff.grouped_ops(2) {
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (mark, style) = match change.tag() {
                ChangeTag::Delete => ("  - ", BAD),
                ChangeTag::Insert => ("  + ", GOOD),
                ChangeTag::Equal => ("    ", DIM),
            };
            let text = plain(change.value().trim_end_matches('\n'));
            let text = fitting(&text, width.saturating_sub(4));
            lines.push(Line::styled(format!("{mark}{text}"), style));
        }
    }
    lines
}

/// Without what could move a cursor.
fn plain(text: &str) -> String {
    let expanded = text.replace('\t', "    ");
    expanded.chars().filter(|c| !c.is_control()).collect()
}

fn width_of(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// As much of the text's begin as fits.
fn fitting(text: &str, room: usize) -> String {
    let mut left = room;
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    text.chars().take_while(fits).collect()
}

/// Lines of at most `room` columns, broken at spaces where there are some.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let mut used = 0;
        let over = rest.char_indices().find(|(_, c)| {
            used += c.width().unwrap_or(0);
            used > room
        });
        let Some((end, c)) = over else {
            lines.push(rest.to_owned());
            return lines;
        };
        let fits = &rest[..end];
        let at = match fits.rfind(' ') {
            _ if c == ' ' => end,
            Some(space) if space > 0 => space,
            _ => end.max(rest.chars().next().map_or(1, char::len_utf8)),
        };
        lines.push(rest[..at].trim_end().to_owned());
        rest = rest[at..].trim_start_matches(' ');
    }
}
