//! The conversation as blocks, and blocks as lines of a width. Pure.
//!
//! In: what is shown. Out: styled lines. Promises: a block is laid out again only when it or the width
//! changed; at most [`MAX_BLOCKS`] are kept, the oldest go (they are in the record).

mod output;

use crate::event::{Card, Event, Output, PlanStatus, ToolOutcome};
use crate::program::Shown;
use crate::record::ending_words;
use output::Lay;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use std::collections::VecDeque;

/// Blocks that are kept.
pub(super) const MAX_BLOCKS: usize = 5_000;
/// Lines of one tool's result that are shown; the record has all.
const MAX_RESULT: usize = 40;

const USER: Style = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().fg(Color::DarkGray);
const THOUGHT: Style = Style::new()
    .fg(Color::DarkGray)
    .add_modifier(Modifier::ITALIC);
const TOOL: Style = Style::new().fg(Color::Yellow);
const GOOD: Style = Style::new().fg(Color::Green);
const BAD: Style = Style::new().fg(Color::Red);

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq)]
enum Block {
    Asked {
        text: String,
        again: bool,
    },
    Text(String),
    Thought(String),
    Tool {
        id: String,
        name: String,
        title: String,
        arguments: serde_json::Value,
        outcome: Option<ToolOutcome>,
        output: Vec<Output>,
    },
    Plan(Vec<(String, PlanStatus)>),
    Note(String, Style),
}

/// A block and its lines, once they were asked for.
#[derive(Debug)]
struct Laid {
    block: Block,
    lines: Option<Vec<Line<'static>>>,
}

/// The conversation.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: VecDeque<Laid>,
    width: usize,
}

impl Blocks {
    /// Takes what is shown.
    pub(super) fn take(&mut self, shown: &Shown<'_>) {
        match shown {
            Shown::Asked(asked) => self.push(Block::Asked {
                text: asked.text.clone(),
                again: asked.again > 0,
            }),
            Shown::Interrupted(why) => self.note(format!("\u{2014} {why}"), TOOL),
            Shown::Line(text) => self.note((*text).to_owned(), DIM),
            Shown::Back(_) => {}
            Shown::Event(event) => self.event(event),
        }
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Text { text } => {
                self.stream(text, |it| matches!(it, Block::Text(_)), Block::Text);
            }
            Event::Thought { text } => {
                self.stream(text, |it| matches!(it, Block::Thought(_)), Block::Thought);
            }
            Event::Tool(call) => self.tool(call),
            Event::ToolEnded {
                id,
                outcome,
                output,
            } => self.tool_ended(id, *outcome, output),
            Event::Plan { entries } => {
                let plan = entries
                    .iter()
                    .map(|it| (it.text.clone(), it.status))
                    .collect();
                self.plan(plan);
            }
            Event::Notice { text } => self.note(text.clone(), DIM),
            Event::NotSet { text, .. } => self.note(text.clone(), BAD),
            Event::Lost { words } | Event::Held { words } | Event::Broken { why: words } => {
                self.note(words.clone(), BAD);
            }
            Event::Other { asked, got } => {
                self.note(format!("asked for {asked}, got {got}"), BAD);
            }
            Event::Compacting { on: true } => self.note("compacting the context".to_owned(), DIM),
            Event::Ended { ending } => {
                let style = match ending {
                    crate::event::Ending::Done => GOOD,
                    _ => BAD,
                };
                self.note(format!("\u{2014} {}", ending_words(ending)), style);
            }
            _ => {}
        }
    }

    fn push(&mut self, block: Block) {
        if self.blocks.len() >= MAX_BLOCKS {
            self.blocks.pop_front();
        }
        let lines = None;
        self.blocks.push_back(Laid { block, lines });
    }

    fn note(&mut self, text: String, style: Style) {
        self.push(Block::Note(text, style));
    }

    /// Streamed words go on in the last block when it is of their kind.
    fn stream(&mut self, text: &str, same: impl Fn(&Block) -> bool, new: fn(String) -> Block) {
        if let Some(last) = self.blocks.back_mut().filter(|it| same(&it.block))
            && let Block::Text(so_far) | Block::Thought(so_far) = &mut last.block
        {
            so_far.push_str(text);
            last.lines = None;
            return;
        }
        self.push(new(text.to_owned()));
    }

    fn tool(&mut self, call: &crate::event::ToolCall) {
        if let Some(laid) = self.find(&call.id)
            && let Block::Tool {
                name,
                title,
                arguments,
                ..
            } = &mut laid.block
        {
            if !call.name.is_empty() {
                name.clone_from(&call.name);
            }
            if !call.title.is_empty() {
                title.clone_from(&call.title);
            }
            if !call.arguments.is_null() {
                *arguments = call.arguments.clone();
            }
            laid.lines = None;
            return;
        }
        self.push(Block::Tool {
            id: call.id.clone(),
            name: call.name.clone(),
            title: call.title.clone(),
            arguments: call.arguments.clone(),
            outcome: None,
            output: Vec::new(),
        });
    }

    fn tool_ended(&mut self, id: &str, how: ToolOutcome, gave: &[Output]) {
        if let Some(laid) = self.find(id)
            && let Block::Tool {
                outcome, output, ..
            } = &mut laid.block
        {
            *outcome = Some(how);
            *output = gave.to_vec();
            laid.lines = None;
        }
    }

    /// A call of this turn: some frameworks give a call's name again in a later one.
    fn find(&mut self, call: &str) -> Option<&mut Laid> {
        let is = |it: &&mut Laid| matches!(&it.block, Block::Tool { id, .. } if id == call);
        let this_turn = |it: &&mut Laid| !matches!(it.block, Block::Asked { .. });
        let mut blocks = self.blocks.iter_mut().rev().take_while(this_turn);
        blocks.find(is)
    }

    /// A plan replaces the one of the same turn.
    fn plan(&mut self, plan: Vec<(String, PlanStatus)>) {
        for laid in self.blocks.iter_mut().rev() {
            match &mut laid.block {
                Block::Plan(old) => {
                    *old = plan;
                    laid.lines = None;
                    return;
                }
                Block::Asked { .. } => break,
                _ => {}
            }
        }
        self.push(Block::Plan(plan));
    }

    /// The width lines were last asked for at.
    #[must_use]
    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// Every line at this width.
    pub(super) fn lines(&mut self, width: usize) -> Vec<&Line<'static>> {
        if self.width != width {
            self.width = width;
            for laid in &mut self.blocks {
                laid.lines = None;
            }
        }
        for laid in &mut self.blocks {
            if laid.lines.is_none() {
                laid.lines = Some(lay(&laid.block, width.max(4)));
            }
        }
        let lines = self.blocks.iter().filter_map(|it| it.lines.as_ref());
        lines.flatten().collect()
    }
}

/// A card's title in lines of a width.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<Line<'static>> {
    let mut lay = Lay::new(width);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    lay.text(text, bold, "");
    lay.done()
}

/// What a card is about, its beginning, in at most so many lines.
pub(super) fn about(card: &Card, width: usize, most: usize) -> Vec<Line<'static>> {
    let mut lay = Lay::new(width);
    lay.results(&card.detail, usize::MAX);
    for output in &card.detail {
        if let Output::Other { value } = output {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            lay.text(&text, DIM, "  ");
        }
    }
    let mut lines = lay.done();
    if lines.len() > most {
        let left_out = lines.len() - most.saturating_sub(1);
        lines.truncate(most.saturating_sub(1));
        let text = format!("  [{left_out} lines below]");
        lines.extend((most > 0).then(|| Line::styled(text, DIM)));
    }
    lines
}

fn lay(block: &Block, width: usize) -> Vec<Line<'static>> {
    let mut lay = Lay::new(width);
    match block {
        Block::Asked { text, again } => {
            lay.gap();
            let mark = if *again { "\u{21bb} " } else { "> " };
            lay.text(text, USER, mark);
        }
        Block::Text(text) => lay.text(text, Style::new(), ""),
        Block::Thought(text) => lay.text(text, THOUGHT, "  "),
        Block::Note(text, style) => lay.text(text, *style, ""),
        Block::Plan(entries) => {
            let done = entries.iter().filter(|it| it.1 == PlanStatus::Completed);
            let head = format!("plan {}/{}", done.count(), entries.len());
            lay.text(&head, TOOL, "");
            for (text, status) in entries {
                let (mark, style) = match status {
                    PlanStatus::Completed => ("  \u{2713} ", GOOD),
                    PlanStatus::InProgress => ("  \u{25b8} ", Style::new()),
                    PlanStatus::Pending => ("  \u{00b7} ", DIM),
                };
                lay.text(text, style, mark);
            }
        }
        Block::Tool {
            name,
            title,
            arguments,
            outcome,
            output,
            ..
        } => {
            let (mark, style) = match outcome {
                None => ("\u{25d0} ", TOOL),
                Some(ToolOutcome::Ok) => ("\u{2713} ", GOOD),
                Some(ToolOutcome::Failed) => ("\u{2717} ", BAD),
            };
            let title = if title.is_empty() {
                arguments.to_string()
            } else {
                title.clone()
            };
            lay.spans(vec![
                Span::styled(mark, style),
                Span::styled(name.clone(), TOOL),
                Span::raw(if name.is_empty() { "" } else { " " }),
                Span::raw(title.lines().next().unwrap_or("").to_owned()),
            ]);
            lay.results(output, MAX_RESULT);
        }
    }
    lay.done()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{PlanEntry, ToolCall};
    use crate::record::Asked;

    fn shown(blocks: &mut Blocks, width: usize) -> String {
        let lines = blocks.lines(width);
        let text =
            |line: &&Line<'static>| line.spans.iter().map(|it| &*it.content).collect::<String>();
        lines.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    fn event(blocks: &mut Blocks, event: &Event) {
        blocks.take(&Shown::Event(event));
    }

    #[test]
    fn a_turn_as_it_is_shown() {
        let mut blocks = Blocks::default();
        let asked = Asked {
            text: "make it".to_owned(),
            ..Asked::default()
        };
        blocks.take(&Shown::Asked(&asked));
        for text in ["he", "llo wor", "ld"] {
            let text = text.to_owned();
            event(&mut blocks, &Event::Text { text });
        }
        let call = ToolCall {
            id: "t".to_owned(),
            name: "Bash".to_owned(),
            title: "ls".to_owned(),
            ..ToolCall::default()
        };
        event(&mut blocks, &Event::Tool(call));
        assert_eq!(
            shown(&mut blocks, 20),
            "\n> make it\nhello world\n\u{25d0} Bash ls"
        );
        let output = vec![Output::Text {
            text: "\x1b[31mred\x1b[m\r\nb".to_owned(),
        }];
        let (id, outcome) = ("t".to_owned(), ToolOutcome::Ok);
        event(
            &mut blocks,
            &Event::ToolEnded {
                id,
                outcome,
                output,
            },
        );
        let text = shown(&mut blocks, 20);
        assert!(text.ends_with("\u{2713} Bash ls\n  red\n  b"), "{text}");
        let lines = blocks.lines(20);
        let red = lines
            .iter()
            .flat_map(|it| &it.spans)
            .find(|it| it.content == "red");
        assert_eq!(red.unwrap().style.fg, Some(Color::Indexed(1)));
    }

    #[test]
    fn words_wrap_at_spaces_and_long_ones_anywhere() {
        let mut blocks = Blocks::default();
        let text = "one two three abcdefghijkl".to_owned();
        event(&mut blocks, &Event::Text { text });
        assert_eq!(shown(&mut blocks, 8), "one two\nthree\nabcdefgh\nijkl");
        assert_eq!(shown(&mut blocks, 40), "one two three abcdefghijkl");
    }

    #[test]
    fn a_plan_is_replaced_and_a_change_is_coloured() {
        let mut blocks = Blocks::default();
        for status in [PlanStatus::Pending, PlanStatus::Completed] {
            let text = "a".to_owned();
            let entries = vec![PlanEntry { text, status }];
            event(&mut blocks, &Event::Plan { entries });
        }
        assert_eq!(shown(&mut blocks, 20), "plan 1/1\n  \u{2713} a");
        let call = ToolCall {
            id: "e".to_owned(),
            title: "edit".to_owned(),
            ..ToolCall::default()
        };
        event(&mut blocks, &Event::Tool(call));
        let output = vec![Output::Diff {
            path: "f".to_owned(),
            old: Some("a\nb\n".to_owned()),
            new: "a\nc\n".to_owned(),
        }];
        let (id, outcome) = ("e".to_owned(), ToolOutcome::Ok);
        event(
            &mut blocks,
            &Event::ToolEnded {
                id,
                outcome,
                output,
            },
        );
        let text = shown(&mut blocks, 20);
        assert!(text.contains("  f\n    a\n  - b\n  + c"), "{text}");
    }

    #[test]
    fn the_oldest_blocks_go() {
        let mut blocks = Blocks::default();
        for n in 0..MAX_BLOCKS + 10 {
            blocks.take(&Shown::Line(&n.to_string()));
        }
        assert_eq!(blocks.lines(20).len(), MAX_BLOCKS);
    }
}
