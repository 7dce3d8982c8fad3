//! `abide capture`: what a pane shows.

use crate::cmd::Ctx;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::screen;
use protocol::{PaneId, Role};
use term::render::{
    AnsiOptions, page_to_ansi, page_to_text, pages_to_ansi, rows_to_ansi, rows_to_text,
};
use term::{Options, Row, Snapshot, Terminal};

const EXAMPLES: &str = "\
Examples:
  abide capture web
  abide capture web --scrollback 200      and the 200 lines above
  abide capture web --scrollback all --ansi > web.ans
  abide capture web --scrollback all --redraw     makes this terminal, if it is as large, show the same

A line that is longer than the screen is wide is printed as one line: rows that go on in the next are
joined. --rows prints the rows as they stand. Blank lines below the last text are left out; --json
gives the whole screen as rows, and under `wrapped` which of them go on in the next, from 0.";

/// The words of `abide capture`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The pane.
    pane: String,
    /// Keep colours and styles.
    #[arg(long)]
    ansi: bool,
    /// What makes a terminal of the same size show all of it: both screens, cursor and modes, and the
    /// lines of history in its own scrollback.
    #[arg(long, conflicts_with = "ansi")]
    redraw: bool,
    /// Print the rows of the screen as they stand, long lines not joined.
    #[arg(long, conflicts_with = "redraw")]
    rows: bool,
    /// Lines of history above the screen.
    #[arg(long, value_name = "N|all", value_parser = lines, allow_negative_numbers = true)]
    scrollback: Option<Lines>,
}

/// How much history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines(Option<u64>);

fn lines(word: &str) -> Result<Lines, String> {
    match word {
        "all" => Ok(Lines(None)),
        number => match number.parse() {
            Ok(n) => Ok(Lines(Some(n))),
            Err(_) => Err("must be a number of lines, 0 or more, or `all`".to_owned()),
        },
    }
}

/// Prints the screen, and the history above it if asked for.
///
/// # Errors
/// No host, no such pane.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let mut desk = Desk::open(ctx, Role::Control)?;
    let pane = desk.find(&args.pane)?;
    let id = pane.id();
    let end = (!pane.alive()).then(|| pane.state_for_people());
    let snapshot = screen::snapshot(&mut desk, id)?;
    if args.redraw {
        return redraw(ctx, &mut desk, id, &snapshot, args.scrollback);
    }
    let terminal = Terminal::from_snapshot(&snapshot, &Options::default());
    let mut history = Vec::new();
    if let Some(Lines(most)) = args.scrollback {
        let kept = snapshot.lines.ids();
        screen::scrollback(&mut desk, id, kept, most, |page| {
            let bytes = if args.ansi {
                page_to_ansi(&page)
            } else {
                page_to_text(&page).into()
            };
            if ctx.out.json {
                history.extend_from_slice(&bytes);
                return Ok(());
            }
            ctx.out.bytes(&bytes)
        })?;
    }
    let mut rows: Vec<Row> = (0..terminal.size().rows).map(|y| terminal.row(y)).collect();
    let wrapped: Vec<usize> = (0..rows.len()).filter(|y| rows[*y].wrapped).collect();
    if args.rows || ctx.out.json {
        rows.iter_mut().for_each(|row| row.wrapped = false);
    }
    let shown = match args.ansi {
        true => rows_to_ansi(&rows),
        false => rows_to_text(&rows).into_bytes(),
    };
    let blank = rows.iter().all(|row| row.text().is_empty());
    if let Some(end) = end.filter(|_| blank && snapshot.lines.ids().is_empty()) {
        crate::out::say(&format!("{id} has ended ({end}) and shows nothing"));
    }
    if !ctx.out.json {
        return ctx.out.bytes(&trimmed(shown));
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let cursor = terminal.cursor();
    ctx.out.json(&serde_json::json!({
        "pane": id.to_string(),
        "screen": text(&shown),
        "wrapped": wrapped,
        "scrollback": args.scrollback.map(|_| text(&history)),
        "size": [terminal.size().cols, terminal.size().rows],
        "cursor": [cursor.x, cursor.y],
        "title": terminal.title(),
        "alternate": snapshot.on_alternate,
        "pictures": snapshot.pictures,
    }))
}

/// Prints what makes a terminal of the same size show the pane.
fn redraw(
    ctx: &Ctx,
    desk: &mut Desk,
    pane: PaneId,
    snapshot: &Snapshot,
    history: Option<Lines>,
) -> Result<(), Failure> {
    let mut pages = Vec::new();
    if let Some(Lines(most)) = history {
        screen::scrollback(desk, pane, snapshot.lines.ids(), most, |page| {
            pages.push(page);
            Ok(())
        })?;
    }
    let all = AnsiOptions {
        title: true,
        modes: true,
    };
    let bytes = pages_to_ansi(&pages, snapshot, &all);
    if !ctx.out.json {
        return ctx.out.bytes(&bytes);
    }
    ctx.out.json(&serde_json::json!({
        "pane": pane.to_string(),
        "redraw": String::from_utf8_lossy(&bytes),
        "size": [snapshot.size.cols, snapshot.size.rows],
    }))
}

/// Without the blank lines below the last one that shows something; ends with a new line.
fn trimmed(mut bytes: Vec<u8>) -> Vec<u8> {
    let kept = bytes
        .iter()
        .rposition(|byte| *byte != b'\n')
        .map_or(0, |at| at + 1);
    bytes.truncate(kept);
    if !bytes.is_empty() {
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_at_the_end_are_left_out() {
        let check = |text: &str, want: &str| assert_eq!(trimmed(text.into()), want.as_bytes());
        check("a\n\nb\n\n\n", "a\n\nb\n");
        check("a", "a\n");
        check("\n\n", "");
    }

    #[test]
    fn amounts_of_history() {
        assert_eq!(lines("all"), Ok(Lines(None)));
        assert_eq!(lines("0"), Ok(Lines(Some(0))));
        assert!(lines("-1").is_err() && lines("many").is_err());
    }
}
