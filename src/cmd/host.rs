//! `abide host`: start it, stop it, be it.

use crate::cmd::Ctx;
use crate::daemons;
use crate::desk::{ANSWER, unexpected};
use crate::failure::{Exit, Failure};
use crate::out::say;
use link::{HostFile, LinkError};
use protocol::msg::{Status, Stop};
use protocol::{FromHost, PaneId, Role};
use ptyhost::HostError;
use std::time::Duration;
use sys::process::Identity;

const EXAMPLES: &str = "\
Examples:
  abide host start        returns as soon as it answers; other commands do it when needed
  abide host stop         ends every pane, then the host
  abide host run          be the host, in the foreground";

/// A family gets 3 s to end before force; this leaves room for a loaded machine.
const STOP_LIMIT: Duration = Duration::from_secs(30);

/// The words of `abide host`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Start the host if there is none.
    #[command(after_help = EXAMPLES)]
    Start,
    /// End every pane, then the host.
    #[command(after_help = EXAMPLES)]
    Stop,
    /// Be the host.
    #[command(after_help = EXAMPLES)]
    Run {
        /// The parent process is a root reaper.
        #[arg(long, hide = true)]
        under_root_reaper: bool,
    },
}

/// Does it.
///
/// # Errors
/// The host cannot be started, reached or stopped.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    match args.what {
        What::Start => start(ctx),
        What::Stop => stop(ctx),
        What::Run { under_root_reaper } => be(ctx, under_root_reaper),
    }
}

fn start(ctx: &Ctx) -> Result<(), Failure> {
    // Settings the host would stumble over are told here, to the user.
    let config = ctx.config()?;
    let connection = link::ensure(&ctx.places, Role::Control, &daemons::starter())?;
    daemons::keep(&config, &ctx.places);
    let welcome = connection.welcome();
    ctx.out.either(
        || serde_json::json!({ "host_pid": welcome.pid, "build": welcome.build }),
        || format!("the host runs (pid {}, {})", welcome.pid, welcome.build),
    )
}

fn stop(ctx: &Ctx) -> Result<(), Failure> {
    let connected =
        link::connect_patiently(&ctx.places, Role::Control, daemons::PATIENCE, &mut say);
    let mut connection = match connected {
        Ok(connection) => connection,
        Err(LinkError::NoHost { .. }) => {
            say("no host is running");
            return told(ctx, None);
        }
        Err(error @ LinkError::WrongToken { .. }) => return stop_unproven(ctx, error),
        Err(error) => return Err(error.into()),
    };
    let facts = match connection.request(PaneId::NONE, Status {}, ANSWER)? {
        FromHost::HostFacts(facts) => facts,
        other => return Err(unexpected(&other)),
    };
    let pid = i32::try_from(facts.pid).unwrap_or_default();
    let host = Identity {
        pid,
        start: facts.pid_start,
    };
    let recorded = HostFile::read(&ctx.places).ok().flatten();
    let above = recorded.as_ref().and_then(root_reaper);
    match connection.request(PaneId::NONE, Stop {}, STOP_LIMIT) {
        // It may close before its answer is out: it was asked to end.
        Ok(_) | Err(LinkError::Closed | LinkError::Goodbye { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    wait_gone(ctx, host, above)
}

fn root_reaper(file: &HostFile) -> Option<Identity> {
    let reaper = file.root_reaper?;
    Some(Identity {
        pid: reaper.pid,
        start: reaper.start,
    })
}

fn wait_gone(ctx: &Ctx, host: Identity, above: Option<Identity>) -> Result<(), Failure> {
    let gone = host.wait_gone(STOP_LIMIT) && above.is_none_or(|it| it.wait_gone(STOP_LIMIT));
    if !gone {
        let text = format!(
            "the host (pid {}) has not ended after {} s",
            host.pid,
            STOP_LIMIT.as_secs()
        );
        return Err(Failure::with(Exit::TimedOut, text));
    }
    told(ctx, Some(host.pid))
}

/// Ends a host that cannot be asked, since the token beside its endpoint is not its own: by the
/// identity that the endpoint names, and only when that process is a host.
fn stop_unproven(ctx: &Ctx, error: LinkError) -> Result<(), Failure> {
    let recorded = HostFile::read(&ctx.places).ok().flatten();
    let Some(file) = recorded.filter(HostFile::process_lives) else {
        return Err(error.into());
    };
    let host = Identity {
        pid: file.pid,
        start: file.start,
    };
    if sys::process::stat(host.pid).is_none_or(|stat| stat.comm != "abide-host") {
        return Err(error.into());
    }
    say(&format!(
        "the host (pid {}) does not know the token; it is ended by SIGTERM",
        host.pid
    ));
    host.signal(sys::process::Signal::TERM)
        .map_err(|e| Failure::new(format!("pid {}: {}", host.pid, sys::files::plain(&e))))?;
    wait_gone(ctx, host, root_reaper(&file))
}

fn told(ctx: &Ctx, stopped: Option<i32>) -> Result<(), Failure> {
    if ctx.out.json {
        return ctx.out.json(&serde_json::json!({ "stopped": stopped }));
    }
    Ok(())
}

fn be(ctx: &Ctx, under_root_reaper: bool) -> Result<(), Failure> {
    let config = ctx.config()?;
    let parent = under_root_reaper
        .then(sys::process::parent)
        .filter(|pid| *pid > 1);
    let root_reaper = parent.and_then(Identity::of);
    if root_reaper.is_none() {
        let state = ctx.places.state.display();
        say(&format!(
            "being the host for {state}; Ctrl-C ends every pane and the host"
        ));
    }
    let ran = ptyhost::run(daemons::host_config(&config, &ctx.places, root_reaper));
    ran.map_err(|error| match error {
        HostError::AlreadyRunning { .. } => {
            Failure::new("a host runs for this state folder already; see `abide status`")
        }
        other => Failure::new(other.to_string()),
    })
}
