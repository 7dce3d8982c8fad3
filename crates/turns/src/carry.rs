//! A conversation that its framework lost goes on in a fresh one, carried from our record. Pure.
//!
//! In: the rows of several sources, the request that is to follow, a bound. Out: one text for the fresh
//! conversation's first message: every message, tool call and result, oldest first, from the fullest
//! source. Promises: cut at the oldest end only and said so; never empty of the newest row that fits at
//! all; a call that became known bit by bit is told once; the request that follows is told only when
//! something was done on it.

use crate::event::{Output, ToolOutcome};
use crate::record::{Asked, Body, Row, ending_words};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Most bytes that are carried: a share of the smallest context window in use that leaves room to work.
pub const MAX_CARRIED: usize = 300_000;

/// Where the rows come from; of two that are as full the first is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Our own record.
    Record,
    /// The framework's own transcript.
    Transcript,
    /// A copy of it in the vault.
    Vault,
}

impl Source {
    /// For people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Record => "the record",
            Self::Transcript => "its transcript",
            Self::Vault => "the vault's copy of its transcript",
        }
    }
}

/// What a fresh conversation begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The text.
    pub text: String,
    /// Where it comes from.
    pub source: Source,
    /// Entries at the oldest end that did not fit.
    pub left_out: usize,
}

/// The text of the fullest source, without the request that follows it; `None`: there is nothing.
#[must_use]
pub fn fullest(sources: &[(Source, &[Row])], next: Option<&Asked>, most: usize) -> Option<Carried> {
    let sized = sources.iter().map(|(source, rows)| {
        let rows = before(rows, next);
        (size(rows), *source, rows)
    });
    let mut best: Option<(usize, Source, &[Row])> = None;
    for one in sized {
        if best.is_none_or(|it| one.0 > it.0) {
            best = Some(one);
        }
    }
    let (_, source, rows) = best?;
    let (text, left_out) = carry(rows, most)?;
    Some(Carried {
        text,
        source,
        left_out,
    })
}

/// The rows without a request that nothing was done on: it is sent behind them.
fn before<'a>(rows: &'a [Row], next: Option<&Asked>) -> &'a [Row] {
    let Some(next) = next else { return rows };
    let is_next = |it: &Row| match &it.body {
        Body::Asked(asked) => asked.uuid == next.uuid || asked.text == next.text,
        _ => false,
    };
    let counts = |it: &Row| {
        matches!(
            it.body,
            Body::Asked(_) | Body::Text { .. } | Body::Tool { .. } | Body::Result { .. }
        )
    };
    match rows.iter().rposition(counts) {
        Some(at) if is_next(&rows[at]) => &rows[..at],
        _ => rows,
    }
}

/// How much a source holds: bytes of its messages, calls and results.
fn size(rows: &[Row]) -> usize {
    let counts = |it: &&(usize, String)| {
        matches!(
            rows[it.0].body,
            Body::Asked(_) | Body::Text { .. } | Body::Tool { .. } | Body::Result { .. }
        )
    };
    all_told(rows)
        .iter()
        .filter(counts)
        .map(|it| it.1.len())
        .sum()
}

/// Each row that is told, by its place. Of the rows of one call the last that has arguments is told.
fn all_told(rows: &[Row]) -> Vec<(usize, String)> {
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        if let Body::Tool { id, arguments, .. } = &row.body
            && (!arguments.is_null() || !calls.contains_key(id.as_str()))
        {
            calls.insert(id, at);
        }
    }
    let once = |at: usize, body: &Body| match body {
        Body::Tool { id, .. } if !id.is_empty() => calls.get(id.as_str()) == Some(&at),
        _ => true,
    };
    let rows = rows.iter().enumerate();
    rows.filter(|(at, row)| once(*at, &row.body))
        .filter_map(|(at, row)| Some((at, told(&row.body)?)))
        .collect()
}

/// The text and how many entries were left out, or `None` when there is nothing to carry.
#[must_use]
pub fn carry(rows: &[Row], most: usize) -> Option<(String, usize)> {
    let told: Vec<String> = all_told(rows).into_iter().map(|it| it.1).collect();
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
    Some((text, first))
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
        let (text, left_out) = carry(&rows(3), MAX_CARRIED).unwrap();
        assert_eq!(left_out, 0);
        assert!(text.contains("USER: question 0\nUSER: question 1\nUSER: question 2"));
        assert!(!text.contains("left out"));
        assert_eq!(carry(&[], MAX_CARRIED), None);
    }

    #[test]
    fn it_is_cut_from_the_oldest_end_and_says_so() {
        let (text, left_out) = carry(&rows(100), 200).unwrap();
        assert!(left_out > 80);
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
        let (text, _) = carry(&rows, 100).unwrap();
        assert!(text.contains("end") && text.len() < 500);
    }

    #[test]
    fn the_fullest_source_is_carried_and_of_two_that_are_as_full_our_record() {
        let (few, many) = (rows(2), rows(5));
        let pick = |record: &[Row], transcript: &[Row], vault: &[Row]| {
            let sources = [
                (Source::Record, record),
                (Source::Transcript, transcript),
                (Source::Vault, vault),
            ];
            fullest(&sources, None, MAX_CARRIED).map(|it| it.source)
        };
        assert_eq!(pick(&many, &few, &few), Some(Source::Record));
        assert_eq!(pick(&many, &many, &many), Some(Source::Record));
        assert_eq!(pick(&few, &many, &few), Some(Source::Transcript));
        assert_eq!(pick(&few, &few, &many), Some(Source::Vault));
        assert_eq!(pick(&[], &[], &few), Some(Source::Vault));
        assert_eq!(pick(&[], &[], &[]), None);
    }

    #[test]
    fn the_request_that_follows_is_told_only_when_something_was_done_on_it() {
        let next = Asked {
            text: "question 2".to_owned(),
            ..Asked::default()
        };
        let carried = |rows: &[Row]| {
            let sources = [(Source::Record, rows)];
            fullest(&sources, Some(&next), MAX_CARRIED).unwrap().text
        };
        let mut rows = rows(3);
        assert!(!carried(&rows).contains("question 2"));
        let (text, cut) = ("half".to_owned(), true);
        let body = Body::Text { text, cut };
        rows.push(Row { at: 0, body });
        assert!(carried(&rows).contains("USER: question 2\nASSISTANT: half [cut]"));
    }

    #[test]
    fn a_call_that_became_known_bit_by_bit_is_told_once() {
        let call = |title: &str, arguments: serde_json::Value| {
            let (id, name, title) = ("c".to_owned(), String::new(), title.to_owned());
            let body = Body::Tool {
                id,
                name,
                title,
                arguments,
            };
            Row { at: 0, body }
        };
        let null = serde_json::Value::Null;
        let rows = [
            call("a", null.clone()),
            call("ls", "-l".into()),
            call("b", null),
        ];
        let (text, _) = carry(&rows, MAX_CARRIED).unwrap();
        assert_eq!(text.matches("TOOL CALL").count(), 1, "{text}");
        assert!(text.contains("ls \"-l\""), "{text}");
    }
}
