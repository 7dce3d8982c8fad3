//! `abide doctor`: looks for what is wrong. Changes nothing (a file with which it tries whether the state
//! folder can be written is gone at once), starts nothing, and signals nobody unless it was asked to end
//! leftovers.

mod checks;
mod disk;
mod notices;
mod reap;

use crate::cmd::Ctx;
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::words;
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  abide doctor
  abide doctor --reap --dry-run   names the programs whose reaper is gone
  abide doctor --reap             ends them
  abide doctor --json | jq '.checks[] | select(.level != \"ok\")'";

/// The words of `abide doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// End programs that outlived their reaper.
    #[arg(long)]
    reap: bool,
    /// With --reap: say what would be ended, end nothing.
    #[arg(long, requires = "reap")]
    dry_run: bool,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// As it should be.
    Ok,
    /// Works, but worth knowing.
    Warn,
    /// Must be mended.
    Bad,
}

impl Level {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) level: Level,
    pub(crate) text: String,
}

/// Prints every check.
///
/// # Errors
/// Something must be mended, or somebody could not be ended.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    if args.reap {
        return reap::run(ctx, args.dry_run);
    }
    let checks = checks::all(ctx);
    if ctx.out.json {
        let list: Vec<Value> = checks
            .iter()
            .map(|it| json!({ "name": it.name, "level": it.level.word(), "text": it.text }))
            .collect();
        ctx.out.json(&json!({ "checks": list }))?;
    } else {
        let row = |it: &Check| {
            vec![
                it.level.word().to_owned(),
                it.name.to_owned(),
                it.text.clone(),
            ]
        };
        ctx.out
            .line(&words::table(&checks.iter().map(row).collect::<Vec<_>>()))?;
    }
    let bad = checks.iter().filter(|it| it.level == Level::Bad).count();
    if bad > 0 {
        say(&format!("{bad} of {} checks need mending", checks.len()));
        // The checks are all that goes to stdout, also as JSON.
        return Err(Failure::said(Exit::Failed));
    }
    Ok(())
}
