//! `abide record`: the conversations that `abide ask` had, read back.

use crate::cmd::Ctx;
use crate::failure::Failure;
use crate::words;
use serde_json::{Value, json};
use turns::event::{Output, ToolOutcome};
use turns::record::{Body, Reader, Row, ending_words, list, search};

const EXAMPLES: &str = "\
Examples:
  abide record show              every conversation, the newest first
  abide record show ID           one of them, as text
  abide record export ID > file  all of it, a JSON object a line
  abide record search 'panic'    where these words stand";

/// Rows that a search gives at most.
const MOST: usize = 200;

/// The words of `abide record`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print a conversation, or list them.
    Show {
        /// Which; all are listed without it.
        id: Option<String>,
    },
    /// Print every row of a conversation as JSON lines.
    Export {
        /// Which.
        id: String,
    },
    /// Find words in every conversation.
    Search {
        /// The words, in either case.
        words: String,
    },
}

/// Does it.
///
/// # Errors
/// There is no such conversation.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let reader = Reader::new(&ctx.places.state);
    match args.what {
        What::Show { id: None } => all(ctx, &reader),
        What::Show { id: Some(id) } => {
            let rows = rows(&reader, &id)?;
            ctx.out.either(
                || json!({ "conversation": id, "rows": rows }),
                || {
                    rows.iter()
                        .filter_map(|it| text(&it.body))
                        .collect::<Vec<_>>()
                        .join("\n")
                },
            )
        }
        What::Export { id } => {
            let line = |row: &Row| ctx.out.json(&serde_json::to_value(row).unwrap_or_default());
            rows(&reader, &id)?.iter().try_for_each(line)
        }
        What::Search { words } => found(ctx, &reader, &words),
    }
}

fn rows(reader: &Reader, id: &str) -> Result<Vec<Row>, Failure> {
    let safe = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let rows = if safe { reader.rows(id) } else { Vec::new() };
    if rows.is_empty() {
        let text = format!("there is no conversation {id}; `abide record show` lists them");
        return Err(Failure::new(text));
    }
    Ok(rows)
}

fn all(ctx: &Ctx, reader: &Reader) -> Result<(), Failure> {
    let found = list(reader);
    if ctx.out.json {
        let entry = |it: &turns::record::Records| {
            json!({ "conversation": it.conversation, "framework": it.framework,
                "title": it.title, "at": it.at })
        };
        let found: Vec<Value> = found.iter().map(entry).collect();
        return ctx.out.json(&json!({ "conversations": found }));
    }
    let mut table = vec![["ID", "AGENT", "FIRST REQUEST"].map(str::to_owned).to_vec()];
    table.extend(found.into_iter().map(|it| {
        let title: String = it
            .title
            .chars()
            .filter(|c| !c.is_control())
            .take(60)
            .collect();
        vec![it.conversation, it.framework, title]
    }));
    ctx.out.line(&words::table(&table))
}

fn found(ctx: &Ctx, reader: &Reader, words: &str) -> Result<(), Failure> {
    let found = search(reader, words, MOST);
    ctx.out.either(
        || {
            let entry = |(id, row): &(String, Row)| json!({ "conversation": id, "row": row });
            json!({ "found": found.iter().map(entry).collect::<Vec<_>>() })
        },
        || {
            let lower = words.to_lowercase();
            let line = |(id, row): &(String, Row)| {
                let text = text(&row.body)?;
                let line = text.lines().find(|it| it.to_lowercase().contains(&lower));
                Some(format!("{id}: {}", line.or(text.lines().next())?))
            };
            found.iter().filter_map(line).collect::<Vec<_>>().join("\n")
        },
    )
}

/// A row for people. Control characters go: what a tool printed shall not act on this terminal.
fn text(body: &Body) -> Option<String> {
    let text = match body {
        Body::Asked(asked) => format!("\n> {}", asked.text),
        Body::Text { text, cut } => format!("{text}{}", if *cut { " [cut]" } else { "" }),
        Body::Thought { text, .. } => format!("({text})"),
        Body::Tool {
            name,
            title,
            arguments,
            ..
        } => {
            let title = if title.is_empty() {
                arguments.to_string()
            } else {
                title.clone()
            };
            format!("[{name}] {title}")
        }
        Body::Result {
            outcome, output, ..
        } => {
            let word = match outcome {
                ToolOutcome::Ok => "=",
                ToolOutcome::Failed => "failed:",
            };
            let output: Vec<String> = output.iter().map(shown).collect();
            format!("{word} {}", output.join("\n"))
        }
        Body::Plan { entries } => {
            let entry = |it: &turns::event::PlanEntry| format!("  - {} ({:?})", it.text, it.status);
            format!(
                "plan:\n{}",
                entries.iter().map(entry).collect::<Vec<_>>().join("\n")
            )
        }
        Body::Question { title } => format!("asked: {title}"),
        Body::Notice { text } => text.clone(),
        Body::Interrupted { why } => format!("-- {why}"),
        Body::Ended { ending, .. } => format!("-- {}", ending_words(ending)),
        Body::Session { .. } | Body::Usage { .. } | Body::Unknown => return None,
    };
    let keep = |c: &char| *c == '\n' || !c.is_control();
    Some(text.chars().filter(keep).collect())
}

fn shown(output: &Output) -> String {
    match output {
        Output::Text { text } => text.clone(),
        Output::Diff { path, .. } => format!("changed {path}"),
        Output::Other { value } => value.to_string(),
    }
}
