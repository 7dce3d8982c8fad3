//! The status line: workspace, tabs, what the keyboard is for; or a question, or a message.

use super::pane::{clean, what_it_does};
use crate::canvas::Canvas;
use crate::keys;
use crate::model::{Mode, Model, Question};
use crate::paint::CursorPlace;
use crate::pane::Pane;
use link::layout::Tab;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use std::ops::Range;
use term::width::text_width;

/// The line.
const LINE: Style = Style::new().fg(Color::Black).bg(Color::Green);
/// The tab in front.
const FRONT: Style = LINE
    .add_modifier(Modifier::BOLD)
    .add_modifier(Modifier::REVERSED);
/// Questions, messages, the prefix.
const ASK: Style = Style::new().fg(Color::Black).bg(Color::Yellow);
/// Longest label of a tab, in columns.
const MAX_LABEL: usize = 20;

/// Draws the line; the cursor, if it asks for text.
pub(super) fn draw(model: &Model, canvas: &mut Canvas) -> Option<CursorPlace> {
    let row = model.status_row();
    if row.is_empty() {
        return None;
    }
    if let Some((text, typing)) = instead(model) {
        let buffer = fill(row, ASK, canvas);
        let text = format!(" {text}");
        let width = u16::try_from(text_width(&text)).unwrap_or(row.width);
        buffer.set_stringn(row.x, row.y, text, row.width.into(), ASK);
        let x = (row.x + width).min(row.right() - 1);
        return typing.then_some(CursorPlace {
            x,
            y: row.y,
            shape: 0,
        });
    }
    if !model.bare {
        usual(model, row, canvas);
    }
    None
}

fn fill(row: Rect, style: Style, canvas: &mut Canvas) -> &mut Buffer {
    let buffer = canvas.part(row);
    for x in row.x..row.right() {
        buffer[(x, row.y)].reset();
        buffer[(x, row.y)].set_style(style);
    }
    buffer
}

/// What takes the line's place, and whether text is typed into it.
fn instead(model: &Model) -> Option<(String, bool)> {
    let prefix = crate::update::prefix_name(model);
    match &model.mode {
        Mode::Prefix => Some((format!("{prefix} - ?: keys, d: detach"), false)),
        Mode::Confirm(Question::KillPane(id)) => {
            let label = model
                .panes
                .get(id)
                .map(|pane| clean(&pane.label()))
                .unwrap_or_default();
            Some((format!("end p{id} ({label})? y/n"), false))
        }
        Mode::Confirm(Question::KillTab) => {
            let count = model.tab().map_or(0, |tab| tab.root.panes().len());
            Some((format!("end all {count} programs of this tab? y/n"), false))
        }
        Mode::Confirm(Question::Fresh) => {
            let name = clean(&model.workspace.name);
            let what = format!("let go of what would come back in {name}? what runs goes on. y/n");
            Some((what, false))
        }
        Mode::Rename(name) => Some((format!("name of the tab: {name}"), true)),
        Mode::Normal | Mode::Repeat(_) | Mode::Help(_) if model.silence.silent => {
            Some(("the host does not answer".to_owned(), false))
        }
        Mode::Normal | Mode::Repeat(_) | Mode::Help(_) => {
            model.message.as_ref().map(|(text, _)| (clean(text), false))
        }
    }
}

fn usual(model: &Model, row: Rect, canvas: &mut Canvas) {
    let buffer = fill(row, LINE, canvas);
    let name = name(model);
    let bold = LINE.add_modifier(Modifier::BOLD);
    buffer.set_stringn(row.x, row.y, &name, row.width.into(), bold);
    let parts = parts(model);
    let ends = (parts.tabs.first(), parts.tabs.last());
    if let (Some((first, ..)), Some((last, ..))) = ends {
        if parts.before {
            buffer.set_string(first.start - 1, row.y, "<", LINE);
        }
        if parts.after {
            buffer.set_string(last.end, row.y, ">", LINE);
        }
    }
    for (span, index, text) in parts.tabs {
        let style = if index == model.workspace.active {
            FRONT
        } else {
            LINE
        };
        let room = usize::from(span.end - span.start);
        buffer.set_stringn(span.start, row.y, text, room, style);
    }
    let x = row.right().saturating_sub(columns(&parts.right));
    buffer.set_string(x, row.y, parts.right, LINE);
}

/// Columns of a text.
fn columns(text: &str) -> u16 {
    u16::try_from(text_width(text)).unwrap_or(u16::MAX)
}

fn name(model: &Model) -> String {
    format!("[{}] ", cut(&clean(&model.workspace.name), MAX_LABEL))
}

/// The focused pane: title, and what it does.
fn right(model: &Model, longest: usize, with_state: bool) -> String {
    let Some(pane) = model.focus().and_then(|id| model.panes.get(&id)) else {
        return String::new();
    };
    let mut out = format!("p{} {}", pane.id, cut(&clean(&pane.label()), longest));
    if let Some(state) = what_it_does(pane).filter(|_| with_state) {
        out.push_str(&format!(" [{state}]"));
    }
    out
}

/// What stands behind the workspace's name.
struct Parts {
    /// Columns, index and text of each tab that is shown.
    tabs: Vec<(Range<u16>, usize, String)>,
    /// There are more before them.
    before: bool,
    /// There are more behind them.
    after: bool,
    /// What stands at the right edge; may be empty.
    right: String,
}

/// Shares the line: the tab in front is always there; then comes the focused pane's name, then the
/// other tabs, then the rest.
fn parts(model: &Model) -> Parts {
    let row = model.status_row();
    let start = row.x.saturating_add(columns(&name(model)));
    let room = row.right().saturating_sub(start);
    let labels: Vec<String> = labels(model).collect();
    let all = labels
        .iter()
        .map(|text| columns(text))
        .fold(0, u16::saturating_add);
    let coming = model.coming_words().map(|words| format!(" {words} "));
    let help = format!(" {} ?: help ", crate::update::prefix_name(model));
    let help = coming.clone().unwrap_or(help);
    let whole = right(model, 40, true);
    let short = format!("{} ", right(model, MAX_LABEL, false));
    let with_help = if whole.is_empty() {
        help
    } else {
        format!("{whole} |{help}")
    };
    let fits = |right: &String| all.saturating_add(columns(right)) < room;
    // While panes come back, how many is told rather than the pane's name.
    let right = [
        Some(with_help),
        coming,
        Some(format!("{whole} ")),
        Some(short.clone()),
    ]
    .into_iter()
    .flatten()
    .find(fits);
    let right = right.unwrap_or_else(|| {
        // Tabs give way to it, as long as the one in front keeps its room.
        let wide = |words: &String| usize::from(columns(words)) + MAX_LABEL < usize::from(room);
        if let Some(words) = model
            .coming_words()
            .map(|it| format!(" {it} "))
            .filter(wide)
        {
            return words;
        }
        // Tabs give way, as long as they keep half of the room.
        let narrow = columns(&short) > room / 2;
        if narrow { String::new() } else { short }
    });
    let room = match columns(&right) {
        0 => room,
        taken => room.saturating_sub(taken + 1),
    };
    let (tabs, before, after) = window(&labels, model.workspace.active, start, room);
    Parts {
        tabs,
        before,
        after,
        right,
    }
}

fn labels(model: &Model) -> impl Iterator<Item = String> {
    let tabs = model.workspace.tabs.iter().enumerate();
    tabs.map(|(index, tab)| {
        let flags = flags(model, index, tab);
        format!(" {index}:{}{flags} ", label(model, tab))
    })
}

type Shown = Vec<(Range<u16>, usize, String)>;

/// The tabs that fit into the room, among them the front one; whether some are left out before and
/// behind them, each of which takes a column for its mark.
fn window(labels: &[String], front: usize, start: u16, room: u16) -> (Shown, bool, bool) {
    let wide = |range: Range<usize>| {
        let marks = u16::from(range.start > 0) + u16::from(range.end < labels.len());
        let shown = labels[range].iter().map(|text| columns(text));
        shown.fold(marks, u16::saturating_add)
    };
    let count = labels.len();
    let Some(label) = labels.get(front) else {
        return (Vec::new(), false, false);
    };
    let fits = |first: &usize| wide(*first..front + 1) <= room;
    let Some(first) = (0..=front).find(fits) else {
        let text = cut(label, room.into());
        let span = start..start.saturating_add(columns(&text));
        let tabs = if room < 4 {
            Vec::new()
        } else {
            vec![(span, front, text)]
        };
        return (tabs, false, false);
    };
    let ends = (front + 1..=count).rev();
    let end = ends.into_iter().find(|end| wide(first..*end) <= room);
    let end = end.unwrap_or(front + 1);
    let mut at = start.saturating_add(u16::from(first > 0));
    let mut tabs = Vec::new();
    for (index, text) in labels.iter().enumerate().take(end).skip(first) {
        let next = at.saturating_add(columns(text));
        tabs.push((at..next, index, text.clone()));
        at = next;
    }
    (tabs, first > 0, end < count)
}

/// The tab whose label is in that column.
pub(crate) fn tab_at(model: &Model, x: u16) -> Option<usize> {
    let tabs = parts(model).tabs;
    tabs.into_iter()
        .find(|(span, ..)| span.contains(&x))
        .map(|(_, index, _)| index)
}

fn label(model: &Model, tab: &Tab) -> String {
    let label = match &tab.name {
        Some(name) => clean(name),
        None => model
            .panes
            .get(&tab.focus)
            .map(|p| clean(&p.label()))
            .unwrap_or_default(),
    };
    cut(&label, MAX_LABEL)
}

fn flags(model: &Model, index: usize, tab: &Tab) -> String {
    let any = |is: &dyn Fn(&Pane) -> bool| {
        let panes = tab.root.panes();
        panes.iter().any(|id| model.panes.get(id).is_some_and(is))
    };
    let rang = any(&|pane| pane.bell);
    let does = |what: &str| any(&|pane| pane.doing() == Some(what));
    let table = [
        (index == model.workspace.active, '*'),
        (
            Some(index) == model.last_tab && index != model.workspace.active,
            '-',
        ),
        (rang, '!'),
        (does("needs input"), '?'),
        (does("done"), '+'),
        (tab.zoomed, 'Z'),
    ];
    table
        .into_iter()
        .filter(|(on, _)| *on)
        .map(|(_, flag)| flag)
        .collect()
}

/// At most `most` columns of a text.
fn cut(text: &str, most: usize) -> String {
    if text_width(text) <= most {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for (cluster, width) in term::width::clusters(text) {
        used += usize::from(width);
        if used > most {
            break;
        }
        out.push_str(cluster);
    }
    out.push('…');
    out
}

/// Lines of the help, each at most this wide.
pub(crate) fn help_lines(model: &Model) -> Vec<String> {
    let prefix = crate::update::prefix_name(model);
    let mut lines = vec![format!("after {prefix}:")];
    lines.extend(keys::help().map(|(key, words)| match key {
        "" => format!("  {words}"),
        key => format!("  {key:<7}{words}"),
    }));
    lines.push(format!("  {prefix}  types {prefix} into the pane"));
    lines
}
