//! One turn: what a line of the user's makes it do, a step at a time.

use crate::store::Store;
use serde_json::Value;
use std::io;

/// A turn that runs.
pub(crate) struct Turn {
    text: String,
    kind: Kind,
    answer: Option<String>,
}

enum Kind {
    /// One answer.
    Reply,
    /// Nothing until a test releases it.
    Hold,
    /// Words, one a step.
    Slow { next: usize, total: usize },
    /// Files, one a step.
    Files { next: usize, total: usize },
    /// Waits for `y` or `n`.
    Ask(Option<String>),
}

/// What a step brought.
pub(crate) enum Went {
    /// Nothing to show.
    On,
    /// A line to show.
    Said(String),
    /// The turn is over with this answer.
    Done(String),
}

impl Turn {
    /// `hold`, `slow N`, `files N`, `ask`, or anything else, which is answered at once.
    pub(crate) fn new(text: &str, answer: Option<&str>) -> Self {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let total = rest.parse().unwrap_or(0);
        let kind = match word {
            "hold" => Kind::Hold,
            "slow" => Kind::Slow { next: 1, total },
            "files" => Kind::Files { next: 1, total },
            "ask" => Kind::Ask(None),
            _ => Kind::Reply,
        };
        Self {
            text: text.to_owned(),
            kind: if answer.is_some() { Kind::Reply } else { kind },
            answer: answer.map(str::to_owned),
        }
    }

    /// Whether it begins with a question.
    pub(crate) fn asks(&self) -> bool {
        matches!(self.kind, Kind::Ask(_))
    }

    /// Takes a line as the answer to its question; false: it has none.
    pub(crate) fn answer(&mut self, line: &str) -> bool {
        match &mut self.kind {
            Kind::Ask(answer @ None) => {
                *answer = Some(line.to_owned());
                true
            }
            _ => false,
        }
    }

    pub(crate) fn step(&mut self, store: &Store) -> io::Result<Went> {
        Ok(match &mut self.kind {
            Kind::Reply => {
                let usual = || format!("you said: {}", self.text);
                Went::Done(self.answer.clone().unwrap_or_else(usual))
            }
            Kind::Hold if store.released() => Went::Done("released".to_owned()),
            Kind::Hold | Kind::Ask(None) => Went::On,
            Kind::Ask(Some(answer)) if answer.starts_with('y') => Went::Done("allowed".to_owned()),
            Kind::Ask(Some(_)) => Went::Done("refused".to_owned()),
            Kind::Slow { next, total } | Kind::Files { next, total } if *next > *total => {
                Went::Done(format!("done with {total}"))
            }
            Kind::Slow { next, .. } => {
                *next += 1;
                Went::Said(format!("word {}", *next - 1))
            }
            Kind::Files { next, .. } if store.gate().is_some_and(|last| *next > last) => Went::On,
            Kind::Files { next, .. } => {
                let path = store.cwd().join(format!("file-{next:02}.txt"));
                *next += 1;
                if path.exists() {
                    return Ok(Went::On);
                }
                std::fs::write(&path, format!("file {}\n", *next - 1))?;
                Went::Said(format!("wrote {}", path.display()))
            }
        })
    }
}

/// The user's last line, if nothing answered it and nobody interrupted it.
pub(crate) fn cut_turn(lines: &[Value]) -> Option<String> {
    let last = lines.iter().rfind(|l| {
        ["user", "assistant", "interrupted"]
            .iter()
            .any(|t| l["type"] == *t)
    })?;
    let cut = last["type"] == "user";
    cut.then(|| last["text"].as_str().unwrap_or_default().to_owned())
}
