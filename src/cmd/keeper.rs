//! `abide keeper`: start it, stop it, be it.

use crate::cmd::Ctx;
use crate::daemons;
use crate::failure::{Exit, Failure};
use crate::out::say;
use keeper::KeeperError;
use std::time::{Duration, Instant};
use sys::process::Signal;

const EXAMPLES: &str = "\
Examples:
  abide keeper start       other commands that start the host do it when needed
  abide keeper stop        nothing is lost: what runs is found again by the next one
  abide keeper run         be the keeper, in the foreground";

/// How long a keeper may take to come up, or to end.
const LIMIT: Duration = Duration::from_secs(15);

/// The words of `abide keeper`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Start the keeper if there is none.
    #[command(after_help = EXAMPLES)]
    Start,
    /// End the keeper; panes run on.
    #[command(after_help = EXAMPLES)]
    Stop,
    /// Be the keeper.
    #[command(after_help = EXAMPLES)]
    Run {
        /// Become a daemon first.
        #[arg(long, hide = true)]
        detached: bool,
        /// A service manager started it: another keeper is no fault.
        #[arg(long, hide = true)]
        service: bool,
    },
}

/// Does it.
///
/// # Errors
/// The keeper cannot be started or stopped.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    match args.what {
        What::Start => start(ctx),
        What::Stop => stop(ctx),
        What::Run { detached, service } => be(ctx, detached, detached || service),
    }
}

fn start(ctx: &Ctx) -> Result<(), Failure> {
    let config = ctx.config()?;
    if std::env::var_os("ABIDE_PANE").is_some() && !link::keeper::lives(&ctx.places) {
        let text =
            "a command typed inside a pane starts no keeper; run it from a terminal outside abide";
        return Err(Failure::new(text));
    }
    sys::files::private_dir(&ctx.places.state).map_err(|e| Failure::new(e.to_string()))?;
    daemons::start_keeper(&ctx.places)?;
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        if let Some(keeper) = link::keeper::process(&ctx.places) {
            if !config.keeper_enabled() {
                say("`keeper.enabled` is false: commands do not start one by themselves");
            }
            return ctx.out.either(
                || serde_json::json!({ "keeper_pid": keeper.pid }),
                || format!("the keeper runs (pid {})", keeper.pid),
            );
        }
        std::thread::sleep(Duration::from_millis(5));
        if begun.elapsed() > Duration::from_secs(1) && !link::keeper::lives(&ctx.places) {
            break;
        }
    }
    let log = ctx.places.keeper_log();
    Err(Failure::new(format!(
        "the keeper found nothing to keep, or did not start; see {}",
        log.display()
    )))
}

fn stop(ctx: &Ctx) -> Result<(), Failure> {
    let told = |pid: Option<i32>| match ctx.out.json {
        true => ctx.out.json(&serde_json::json!({ "stopped": pid })),
        false => Ok(()),
    };
    let Some(keeper) = link::keeper::process(&ctx.places) else {
        say("no keeper is running");
        return told(None);
    };
    // It may be ending by itself: gone is what is wanted.
    drop(keeper.signal(Signal::TERM));
    if !keeper.wait_gone(LIMIT) {
        let text = format!(
            "the keeper (pid {}) has not ended after {} s",
            keeper.pid,
            LIMIT.as_secs()
        );
        return Err(Failure::with(Exit::TimedOut, text));
    }
    told(Some(keeper.pid))
}

fn be(ctx: &Ctx, detached: bool, one_is_enough: bool) -> Result<(), Failure> {
    if detached {
        sys::daemon::detach_self().map_err(|e| {
            Failure::new(format!("cannot become a daemon: {}", sys::files::plain(&e)))
        })?;
    }
    let config = ctx.config()?;
    let keeping = daemons::keeper_config(&config, &ctx.places);
    keeper::run(keeping).map_err(|error| match error {
        // Two that start at once make one keeper; the later has nothing to do.
        KeeperError::AlreadyRunning if one_is_enough => Failure::with(Exit::Ok, ""),
        other => Failure::new(other.to_string()),
    })
}
