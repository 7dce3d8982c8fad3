//! `abide record`: the conversations that `abide ask` had, read back.

use crate::cmd::Ctx;
use crate::failure::Failure;
use crate::words;
use serde_json::{Value, json};
use turns::event::{Output, ToolOutcome};
use turns::record::{Body, Reader, Row, ending_words, is_open, list, search};

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
    #[command(after_help = EXAMPLES)]
    Show {
        /// Which; all are listed without it.
        id: Option<String>,
    },
    /// Print every row of a conversation as JSON lines.
    #[command(after_help = EXAMPLES)]
    Export {
        /// Which.
        id: String,
    },
    /// Find words in every conversation.
    #[command(after_help = EXAMPLES)]
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
            let mut wrote = Ok(());
            let mut any = false;
            each(&reader, &id, |row| {
                any = true;
                wrote = ctx
                    .out
                    .json(&serde_json::to_value(&row).unwrap_or_default());
                wrote.is_ok()
            });
            wrote.and_then(|()| if any { Ok(()) } else { Err(none(&id)) })
        }
        What::Search { words } => found(ctx, &reader, &words),
    }
}

fn none(id: &str) -> Failure {
    let text = format!("there is no conversation {id}; `abide record show` lists them");
    Failure::new(text)
}

/// A conversation's name names files.
fn each(reader: &Reader, id: &str, take: impl FnMut(Row) -> bool) {
    if id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        reader.each(id, take);
    }
}

fn rows(reader: &Reader, id: &str) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    each(reader, id, |row| {
        rows.push(row);
        true
    });
    if rows.is_empty() {
        return Err(none(id));
    }
    Ok(rows)
}

/// Whether a turn of the conversation is under way, or waits to be gone on with.
fn state(ctx: &Ctx, conversation: &str) -> &'static str {
    let state = &ctx.places.state;
    let mark = state.join("turns").join(format!("{conversation}.json"));
    match (is_open(state, conversation), mark.exists()) {
        (true, true) => "under way",
        (true, false) => "open",
        (false, true) => "cut",
        (false, false) => "",
    }
}

fn all(ctx: &Ctx, reader: &Reader) -> Result<(), Failure> {
    let found = list(reader);
    if ctx.out.json {
        let entry = |it: &turns::record::Records| {
            json!({ "conversation": it.conversation, "framework": it.framework,
                "title": it.title, "at": it.at, "state": state(ctx, &it.conversation) })
        };
        let found: Vec<Value> = found.iter().map(entry).collect();
        return ctx.out.json(&json!({ "conversations": found }));
    }
    let heads = ["ID", "AGENT", "STATE", "FIRST REQUEST"];
    let mut table = vec![heads.map(str::to_owned).to_vec()];
    table.extend(found.into_iter().map(|it| {
        let title: String = it
            .title
            .chars()
            .filter(|c| !c.is_control())
            .take(60)
            .collect();
        let state = state(ctx, &it.conversation).to_owned();
        vec![it.conversation, it.framework, state, title]
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
