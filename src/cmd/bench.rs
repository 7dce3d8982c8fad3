//! `abide bench`: measures this program on this machine.

#[cfg_attr(not(unix), path = "bench/unsupported.rs")]
mod reaper;

use crate::cmd::Ctx;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  abide bench reaper              size and start cost of a pane's reaper, beside tini and others
  abide bench reaper --rounds 50";

/// The words of `abide bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// What the process above each pane's program costs.
    #[command(after_help = EXAMPLES)]
    Reaper {
        /// How often each is started, turn by turn.
        #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        rounds: u32,
    },
}

/// Measures and prints.
///
/// # Errors
/// Something could not be started.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    match args.what {
        What::Reaper { rounds } => reaper::run(ctx, rounds),
    }
}
