//! A recorded conversation as a screen shows it. Pure.

use crate::event::{Event, ToolCall};
use crate::program::Shown;
use crate::record::{Body, Row};

/// Shows every row, oldest first.
pub(super) fn show(rows: &[Row], mut take: impl FnMut(&Shown<'_>)) {
    for row in rows {
        let event = match &row.body {
            Body::Asked(asked) => {
                take(&Shown::Asked(asked));
                continue;
            }
            Body::Interrupted { why } => {
                take(&Shown::Interrupted(why));
                continue;
            }
            Body::Text { text, .. } => Event::Text { text: text.clone() },
            Body::Thought { text, .. } => Event::Thought { text: text.clone() },
            Body::Tool {
                id,
                name,
                title,
                arguments,
            } => Event::Tool(ToolCall {
                id: id.clone(),
                name: name.clone(),
                title: title.clone(),
                arguments: arguments.clone(),
            }),
            Body::Result {
                id,
                outcome,
                output,
            } => Event::ToolEnded {
                id: id.clone(),
                outcome: *outcome,
                output: output.clone(),
            },
            Body::Plan { entries } => Event::Plan {
                entries: entries.clone(),
            },
            Body::Notice { text } => Event::Notice { text: text.clone() },
            Body::Ended { ending, .. } => Event::Ended {
                ending: ending.clone(),
            },
            Body::Session { .. } | Body::Question { .. } | Body::Usage { .. } | Body::Unknown => {
                continue;
            }
        };
        take(&Shown::Event(&event));
    }
}
