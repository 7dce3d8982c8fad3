//! One pane: its title row, its cells, and what stands over them when its program is not running.

use super::{BORDER, FOCUSED};
use crate::canvas::Canvas;
use crate::links::Links;
use crate::model::Model;
use crate::paint::CursorPlace;
use crate::pane::{Pane, State};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use term::{Cell, Colour, Modes, StyleFlags};

/// Lines of ours over a pane's cells.
const NOTE: Style = Style::new().fg(Color::Black).bg(Color::Yellow);

/// The row above a pane.
pub(super) fn title(pane: &Pane, row: Rect, focused: bool, canvas: &mut Canvas) {
    if row.is_empty() {
        return;
    }
    let style = if focused { FOCUSED } else { BORDER };
    let buffer = canvas.part(row);
    for x in row.x..row.right() {
        buffer[(x, row.y)].set_symbol("─").set_style(style);
    }
    let mut text = format!(" p{} {} ", pane.id, clean(&pane.label()));
    if let Some(state) = what_it_does(pane) {
        text.push_str(&format!("[{state}] "));
    }
    let style = if focused {
        style.add_modifier(Modifier::BOLD)
    } else {
        style
    };
    let room = usize::from(row.width.saturating_sub(2));
    buffer.set_stringn(row.x + 1, row.y, text, room, style);
}

/// A title as cells may show it.
pub(super) fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// What the program or its agent does, if it is worth telling.
pub(super) fn what_it_does(pane: &Pane) -> Option<String> {
    let other = pane.other_conversation().map(|_| "another conversation");
    let told: Vec<&str> = other.into_iter().chain(pane.doing()).collect();
    state_words(&pane.state).or_else(|| Some(told.join(", ")).filter(|it| !it.is_empty()))
}

/// What the program does as a process, if it is worth telling.
pub(super) fn state_words(state: &State) -> Option<String> {
    match state {
        State::Running => None,
        State::Starting => Some("starting".to_owned()),
        State::Stopped => Some("stopped".to_owned()),
        State::Exited { raw, .. } => Some(exit_words(*raw)),
        State::Failed(_) => Some("not started".to_owned()),
        State::Away(_) => Some("away".to_owned()),
        State::Taken { .. } => Some("taken".to_owned()),
    }
}

/// A raw wait status in words.
pub(crate) fn exit_words(raw: i32) -> String {
    let (signal, code) = (raw & 0x7f, raw >> 8 & 0xff);
    let name = match signal {
        0 => return format!("exited {code}"),
        1 => " (HUP)",
        2 => " (INT)",
        3 => " (QUIT)",
        6 => " (ABRT)",
        9 => " (KILL)",
        11 => " (SEGV)",
        13 => " (PIPE)",
        15 => " (TERM)",
        _ => "",
    };
    format!("ended by signal {signal}{name}")
}

/// Where the scrollback view stands.
fn scroll_words(pane: &Pane) -> String {
    let Some(scroll) = &pane.scroll else {
        return String::new();
    };
    let (up, most) = scroll.position();
    let more = if scroll.is_complete() { "" } else { "+" };
    format!("{up}/{most}{more}")
}

/// The pane's cells in `area`; where its cursor is, if it shows one.
pub(super) fn content(
    model: &Model,
    pane: &Pane,
    area: Rect,
    canvas: &mut Canvas,
) -> Option<CursorPlace> {
    if area.is_empty() {
        return None;
    }
    let cursor = if pane.scroll.is_some() {
        scrolled(pane, area, canvas);
        None
    } else {
        screen(pane, area, canvas)
    };
    over(model, pane, area, canvas);
    cursor.filter(|_| pane.takes_input())
}

fn scrolled(pane: &Pane, area: Rect, canvas: &mut Canvas) {
    let Some(scroll) = &pane.scroll else {
        return;
    };
    let find = |id| scroll.link(id);
    let mut links = Links::new(pane.id, &find);
    for (y, row) in (area.y..area.bottom()).zip(scroll.view()) {
        canvas.put_cells((area.x, y), area.width, &row.cells, &mut links);
    }
    let back = if scroll.is_passing() { "Esc" } else { "q" };
    let words = format!(" {} - {back}: back ", scroll_words(pane));
    let width = u16::try_from(words.len())
        .unwrap_or(area.width)
        .min(area.width);
    let place = Rect {
        x: area.right() - width,
        width,
        height: 1,
        ..area
    };
    let buffer = canvas.part(place);
    buffer.set_stringn(place.x, place.y, words, width.into(), NOTE);
}

fn screen(pane: &Pane, area: Rect, canvas: &mut Canvas) -> Option<CursorPlace> {
    let (rows, cursor) = pane.rows()?;
    let terminal = pane.terminal()?;
    let modes = terminal.modes();
    let find = |id| terminal.link(id);
    let mut links = Links::new(pane.id, &find);
    let (left, top) = pane.origin(area.width, area.height);
    for (y, row) in (area.y..area.bottom()).zip(rows.skip(usize::from(top))) {
        if plain(modes) {
            canvas.put_row((area.x, y), area.width, (row, left), &mut links);
        } else {
            let cells = row.cells.iter().skip(left.into());
            let cells: Vec<Cell> = cells.map(|cell| tinted(cell, modes)).collect();
            canvas.put_cells((area.x, y), area.width, &cells, &mut links);
        }
    }
    let x = cursor.x.checked_sub(left).filter(|x| *x < area.width)?;
    let y = cursor.y.checked_sub(top).filter(|y| *y < area.height)?;
    let place = CursorPlace {
        x: area.x + x,
        y: area.y + y,
        shape: cursor.shape,
    };
    cursor.visible.then_some(place)
}

/// The pane's colours are the outer terminal's.
fn plain(modes: &Modes) -> bool {
    modes.colours.is_empty() && !modes.reverse_video
}

/// A cell with the colours the program gave its own terminal (OSC 4, 10, 11; DECSCNM).
fn tinted(cell: &Cell, modes: &Modes) -> Cell {
    let own = &modes.colours;
    let rgb = |told: Option<(u8, u8, u8)>| told.map(|(r, g, b)| Colour::Rgb(r, g, b));
    let from_palette = |colour: Colour| match colour {
        Colour::Indexed(n) => rgb(own.palette.get(&n).copied()).unwrap_or(colour),
        Colour::Default | Colour::Rgb(..) => colour,
    };
    let mut out = cell.clone();
    out.style.fg = match cell.style.fg {
        Colour::Default => rgb(own.foreground).unwrap_or_default(),
        colour => from_palette(colour),
    };
    out.style.bg = match cell.style.bg {
        Colour::Default => rgb(own.background).unwrap_or_default(),
        colour => from_palette(colour),
    };
    out.style.underline_colour = from_palette(cell.style.underline_colour);
    if modes.reverse_video {
        let inverse = out.style.flags.contains(StyleFlags::INVERSE);
        out.style.flags.set(StyleFlags::INVERSE, !inverse);
    }
    out
}

/// What is told over a pane whose program does not run here.
fn over(model: &Model, pane: &Pane, area: Rect, canvas: &mut Canvas) {
    let line = match &pane.state {
        State::Running => return,
        State::Starting if pane.terminal().is_some() => return,
        State::Starting => "starting".to_owned(),
        State::Stopped if pane.watched => "stopped".to_owned(),
        State::Stopped => "stopped - Enter: continue".to_owned(),
        State::Exited { raw, note } => {
            let note = if note.is_empty() {
                String::new()
            } else {
                format!(" ({})", clean(note))
            };
            format!("{}{note} - {}", exit_words(*raw), what_next(model, pane))
        }
        State::Taken { label } => {
            format!("taken by {} - Enter: take it back", clean(label))
        }
        State::Failed(text) => return failed(model, pane, text, area, canvas),
        State::Away(text) => clean(text),
    };
    // In a narrow pane in several rows: what the user can do stands at the end.
    let width = usize::from(area.width.saturating_sub(2));
    let mut lines = vec![line];
    if term::width::text_width(&lines[0]) > width {
        let parts = lines[0].rsplit_once(" - ");
        let parts = parts.map_or(vec![lines[0].as_str()], |(what, next)| vec![what, next]);
        lines = parts.iter().flat_map(|it| wrapped(it, width)).collect();
    }
    let left_out = lines.len().saturating_sub(area.height.into());
    let rows = (area.y..area.bottom()).rev();
    for (y, line) in rows.zip(lines.iter().skip(left_out).rev()) {
        note(line, y, area, canvas);
    }
}

/// The keys of a pane whose program ended.
fn what_next(model: &Model, pane: &Pane) -> String {
    let again = if pane.watched { "" } else { "Enter: again, " };
    format!("{again}{} x: close", crate::update::prefix_name(model))
}

/// One line over a pane.
fn note(line: &str, y: u16, area: Rect, canvas: &mut Canvas) {
    let buffer = canvas.part(Rect {
        y,
        height: 1,
        ..area
    });
    buffer.set_stringn(area.x, y, format!(" {line} "), area.width.into(), NOTE);
}

/// Which pane did not start, why, and what the user can do: that line is there however long the reason.
fn failed(model: &Model, pane: &Pane, text: &str, area: Rect, canvas: &mut Canvas) {
    let text = format!("p{} did not start: {}", pane.id, clean(text));
    let width = usize::from(area.width.saturating_sub(2));
    let lines = wrapped(&text, width);
    let hint = wrapped(&what_next(model, pane), width);
    let room = usize::from(area.height).saturating_sub(hint.len());
    let mut lines: Vec<_> = lines.iter().take(room).chain(&hint).collect();
    lines.truncate(usize::from(area.height));
    // At the bottom, as all such lines: what it showed last is readable above.
    let first = area.bottom() - u16::try_from(lines.len()).unwrap_or(area.height);
    for (y, line) in (first..area.bottom()).zip(lines) {
        note(line, y, area, canvas);
    }
}

/// The words in lines of this width at most; a path is broken at its slashes.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let wide = term::width::text_width;
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut space = " ";
        for part in word.split_inclusive('/') {
            let last = lines.last_mut().filter(|it| !it.is_empty());
            match last {
                Some(last) if wide(last) + wide(space) + wide(part) <= width => {
                    last.push_str(space);
                    last.push_str(part);
                }
                _ => lines.push(part.to_owned()),
            }
            space = "";
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}
