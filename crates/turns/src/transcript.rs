//! A framework's own transcript, read as the rows of a record.
//!
//! In: the lines of a transcript, or its file. Out: [`Row`]s in order, so that what is asked of our record
//! can be asked of it too: was this message answered ([`crate::record::tail`]), what is to be carried.
//! Forms that are read: Claude Code's, Codex's, and the one that Gemini and Qwen share; they are told
//! apart line by line. Promises: a line of no known form is left out, never guessed at; a turn has an end
//! only where the transcript says that its answer was whole; what a CLI put there itself (reminders,
//! sub-agents, compacted history) is no message; at most [`MOST`] bytes are read, from the end.

mod claude;
mod codex;
mod parts;

#[cfg(test)]
mod tests;

use crate::event::{Ending, Output, ToolOutcome};
use crate::record::{Asked, Body, Row};
use serde_json::Value;
use std::path::Path;

/// Most bytes of a transcript that are read: more than is ever carried.
pub const MOST: u64 = 64 * 1024 * 1024;

/// The rows of the transcript at `path`; none when it cannot be read.
#[must_use]
pub fn read(path: &Path) -> Vec<Row> {
    let Ok((bytes, _)) = sys::files::read_tail(path, MOST) else {
        return Vec::new();
    };
    rows(&String::from_utf8_lossy(&bytes))
}

/// The rows of a transcript's text. A half line, at either end, is left out.
#[must_use]
pub fn rows(text: &str) -> Vec<Row> {
    let mut told = Told::default();
    for line in text.lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let known = claude::line(&value, &mut told) || codex::line(&value, &mut told);
        if !known {
            parts::line(&value, &mut told);
        }
    }
    told.finish();
    told.rows
}

/// What a transcript has told so far.
#[derive(Debug, Default)]
struct Told {
    rows: Vec<Row>,
    /// The message that was asked last.
    uuid: String,
    /// Its answer was said to be whole; another line may still belong to it.
    whole: bool,
    /// A message of the form that says nothing else of an end.
    count: usize,
}

impl Told {
    fn row(&mut self, body: Body) {
        self.rows.push(Row { at: 0, body });
    }

    /// A message of the person's. One without a name of its own gets one by its place.
    fn asked(&mut self, uuid: &str, text: &str) {
        self.finish();
        self.count += 1;
        self.uuid = match uuid {
            "" => format!("message-{}", self.count),
            uuid => uuid.to_owned(),
        };
        let asked = Asked {
            text: text.to_owned(),
            uuid: self.uuid.clone(),
            ..Asked::default()
        };
        self.row(Body::Asked(asked));
    }

    fn text(&mut self, text: &str) {
        if !text.trim().is_empty() {
            let text = text.to_owned();
            self.row(Body::Text { text, cut: false });
        }
    }

    fn tool(&mut self, id: &str, name: &str, arguments: Value) {
        self.whole = false;
        self.row(Body::Tool {
            id: id.to_owned(),
            name: name.to_owned(),
            title: String::new(),
            arguments,
        });
    }

    fn result(&mut self, id: &str, failed: bool, text: String) {
        self.whole = false;
        let outcome = if failed {
            ToolOutcome::Failed
        } else {
            ToolOutcome::Ok
        };
        self.row(Body::Result {
            id: id.to_owned(),
            outcome,
            output: vec![Output::Text { text }],
        });
    }

    fn ended(&mut self, ending: Ending) {
        self.whole = false;
        let uuid = self.uuid.clone();
        self.row(Body::Ended { uuid, ending });
    }

    /// An answer that was whole has its end before the next message.
    fn finish(&mut self) {
        if std::mem::take(&mut self.whole) {
            self.ended(Ending::Done);
        }
    }
}

/// A text field; empty when it is not there.
fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or("")
}

/// What a tool gave: a text, or blocks of which the texts count.
fn given(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(|it| text(it, "/text"));
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
