//! `abide logs`: what host and keeper wrote down, in the order of time. It never holds bytes of panes.

use crate::cmd::Ctx;
use crate::failure::Failure;
use std::io::{Read, Seek, SeekFrom};
use sys::files::plain;

const EXAMPLES: &str = "\
Examples:
  abide logs
  abide logs -n 1000 | less
  tail -f \"$(abide logs --path)\"";

/// No more of a log is read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The words of `abide logs`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// How many lines.
    #[arg(short = 'n', long, default_value_t = 100)]
    lines: usize,
    /// Print only the log's path.
    #[arg(long)]
    path: bool,
}

/// Prints the last lines.
///
/// # Errors
/// There is no log, or it cannot be read.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let path = ctx.places.host_log();
    let shown = path.display().to_string();
    if args.path {
        return ctx
            .out
            .either(|| serde_json::json!({ "path": shown }), || shown.clone());
    }
    let text = tail(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Failure::new(format!("no host has written {shown} yet")),
        _ => Failure::new(format!("{shown} cannot be read: {}", plain(&e))),
    })?;
    let keeper = tail(&ctx.places.keeper_log()).unwrap_or_default();
    let all = merged(&text, &keeper);
    let lines = &all[all.len().saturating_sub(args.lines)..];
    if ctx.out.json {
        return ctx
            .out
            .json(&serde_json::json!({ "path": shown, "lines": lines }));
    }
    lines.iter().try_for_each(|line| ctx.out.line(line))
}

/// The lines of both logs by their times; a line without one stays behind the one before it.
fn merged<'a>(host: &'a str, keeper: &'a str) -> Vec<&'a str> {
    let stamped = |text: &'a str| {
        let mut last = "";
        text.lines().map(move |line| {
            let time = line.split(' ').next().unwrap_or_default();
            if time.len() >= 20 && time.ends_with('Z') {
                last = time;
            }
            (last, line)
        })
    };
    let mut all: Vec<(&str, &str)> = stamped(host).chain(stamped(keeper)).collect();
    all.sort_by_key(|(time, _)| *time);
    all.into_iter().map(|(_, line)| line).collect()
}

fn tail(path: &std::path::Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn two_logs_are_one_by_time() {
        let host =
            "2026-01-01T00:00:01.000000Z INFO a\n  more\n2026-01-01T00:00:03.000000Z INFO c\n";
        let keeper = "abide: early\n2026-01-01T00:00:02.000000Z INFO b\n";
        let want = [
            "abide: early",
            "2026-01-01T00:00:01.000000Z INFO a",
            "  more",
            "2026-01-01T00:00:02.000000Z INFO b",
            "2026-01-01T00:00:03.000000Z INFO c",
        ];
        assert_eq!(merged(host, keeper), want);
    }
}
