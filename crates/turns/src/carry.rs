//! A conversation that its framework lost goes on in a fresh one, carried from our record. Pure.
//!
//! In: rows, a bound. Out: one text for the fresh conversation's first message: every message, tool
//! call and result, oldest first. Promises: cut at the oldest end only and said so; never empty of
//! the newest row that fits at all.

use crate::event::{Output, ToolOutcome};
use crate::record::{Body, Row, ending_words};
use std::fmt::Write as _;

/// Most bytes that are carried: a share of the smallest context window in use that leaves room to work.
pub const MAX_CARRIED: usize = 300_000;

/// The rows without a request that is about to be sent: it is written down first, and goes by itself.
#[must_use]
pub fn past(rows: &[Row]) -> &[Row] {
    let last = rows.iter().rposition(|row| told(&row.body).is_some());
    match last {
        Some(at) if matches!(rows[at].body, Body::Asked(_)) => &rows[..at],
        _ => rows,
    }
}

/// The text, or `None` when there is nothing to carry.
#[must_use]
pub fn carry(rows: &[Row], most: usize) -> Option<String> {
    let told: Vec<String> = rows.iter().filter_map(|row| told(&row.body)).collect();
    if told.is_empty() {
        return None;
    }
    let mut room = most;
    let mut first = told.len();
    while first > 0 && told[first - 1].len() < room {
        room -= told[first - 1].len() + 1;
        first -= 1;
    }
    let mut text = String::from(
        "This conversation goes on from an earlier one whose session is gone. What was said and done \
         in it follows, oldest first. It is history: do not answer it or repeat its steps.\n",
    );
    if first > 0 {
        let _always = writeln!(text, "[{first} earlier entries are left out]");
    }
    text.push('\n');
    if first == told.len() {
        let last = &told[first - 1];
        text.push_str(&last[last.ceil_char_boundary(last.len().saturating_sub(most))..]);
    }
    text.push_str(&told[first..].join("\n"));
    text.push_str("\n[end of what was carried over]\n");
    Some(text)
}

fn told(body: &Body) -> Option<String> {
    Some(match body {
        Body::Asked(asked) => format!("USER: {}", asked.text),
        Body::Text { text, cut } => {
            format!("ASSISTANT: {text}{}", if *cut { " [cut]" } else { "" })
        }
        Body::Tool {
            id,
            name,
            title,
            arguments,
        } => format!("TOOL CALL {id}: {name} {title} {arguments}"),
        Body::Result {
            id,
            outcome,
            output,
        } => {
            let word = match outcome {
                ToolOutcome::Ok => "RESULT",
                ToolOutcome::Failed => "FAILED",
            };
            let output: Vec<String> = output.iter().map(shown).collect();
            format!("{word} {id}: {}", output.join("\n"))
        }
        Body::Interrupted { why } => format!("[interrupted: {why}]"),
        Body::Ended { ending, .. } => format!("[turn {}]", ending_words(ending)),
        _ => return None,
    })
}

fn shown(output: &Output) -> String {
    match output {
        Output::Text { text } => text.clone(),
        Output::Diff { path, old, new } => {
            let old = old.as_deref().unwrap_or("");
            format!("changed {path}\n--- before\n{old}\n--- after\n{new}")
        }
        Output::Other { value } => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Asked;

    fn rows(count: usize) -> Vec<Row> {
        let asked = |n: usize| {
            Body::Asked(Asked {
                text: format!("question {n}"),
                ..Asked::default()
            })
        };
        (0..count)
            .map(|n| Row {
                at: 0,
                body: asked(n),
            })
            .collect()
    }

    #[test]
    fn all_of_it_is_carried_when_it_fits() {
        let text = carry(&rows(3), MAX_CARRIED).unwrap();
        assert!(text.contains("USER: question 0\nUSER: question 1\nUSER: question 2"));
        assert!(!text.contains("left out"));
        assert_eq!(carry(&[], MAX_CARRIED), None);
    }

    #[test]
    fn a_request_that_is_about_to_be_sent_is_no_past() {
        let mut rows = rows(2);
        assert_eq!(past(&rows).len(), 1);
        let why = "the program was restarted during this turn".to_owned();
        rows.push(Row {
            at: 0,
            body: Body::Interrupted { why },
        });
        assert_eq!(past(&rows).len(), 3, "it was sent and cut");
        assert_eq!(past(&[]).len(), 0);
    }

    #[test]
    fn it_is_cut_from_the_oldest_end_and_says_so() {
        let text = carry(&rows(100), 200).unwrap();
        assert!(
            text.contains("question 99") && !text.contains("question 1\n"),
            "{text}"
        );
        assert!(text.contains("earlier entries are left out"));
    }

    #[test]
    fn one_row_that_is_too_long_keeps_its_end() {
        let mut rows = rows(1);
        rows[0].body = Body::Text {
            text: format!("{}\u{e9}end", "x".repeat(500)),
            cut: false,
        };
        let text = carry(&rows, 100).unwrap();
        assert!(text.contains("end") && text.len() < 500);
    }
}
