//! `abide attach`: one pane on the whole terminal; and what every opening of the client shares.

use crate::cmd::{Ctx, open};
use crate::config::Config;
use crate::desk::{Desk, nested_in};
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::rejoin;
use crate::words::ending;
use crate::{daemons, keep, panes};
use client::{Backstage, ClientConfig, ClientError, Outcome, View};
use link::Connection;
use protocol::{PaneId, Role};
use std::io::{IsTerminal, stdin, stdout};

const EXAMPLES: &str = "\
Examples:
  abide attach web            Ctrl-b d detaches
  abide attach p12 --watch    only look: takes it from nobody, types nothing";

/// The words of `abide attach`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The pane.
    pane: String,
    /// Only look.
    #[arg(long)]
    watch: bool,
}

/// Shows the pane.
///
/// # Errors
/// No terminal, no host, no such pane, or the client fails.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    need_terminal()?;
    refuse_nested(ctx)?;
    let config = ctx.config()?;
    let role = if args.watch {
        Role::Watch
    } else {
        Role::Attach
    };
    let desk = Desk::open(ctx, role)?;
    let id = desk.find(&args.pane)?.id();
    let view = if args.watch {
        View::Watch(id)
    } else {
        View::Pane(id)
    };
    show(ctx, desk.connection, &config, view, id)
}

/// Gives a pane the whole terminal; `view` says in which way.
///
/// # Errors
/// The client fails.
pub fn show(
    ctx: &Ctx,
    connection: Connection,
    config: &Config,
    view: View,
    pane: PaneId,
) -> Result<(), Failure> {
    let role = match view {
        View::Watch(_) => Role::Watch,
        _ => Role::Attach,
    };
    let mut connection = connection;
    loop {
        let outcome = show_once(ctx, connection, config, view.clone());
        let what = pane.to_string();
        if !lost(&outcome) {
            return leave(ctx, outcome, &what);
        }
        if let Err(gone) = rejoin::wait(ctx) {
            return leave(ctx, gone.instead_of(outcome), &what);
        }
        let desk = Desk::open(ctx, role)?;
        if !desk.by_id(pane).is_ok_and(|pane| pane.alive()) {
            let why =
                format!("{pane} did not come back in the next one; `abide ls` lists what did");
            return leave(ctx, rejoin::Gone::Told(why).instead_of(outcome), &what);
        }
        connection = desk.connection;
    }
}

fn show_once(
    ctx: &Ctx,
    connection: Connection,
    config: &Config,
    view: View,
) -> Result<Outcome, ClientError> {
    // Started again, the pane takes its old place in its workspace's saved layout.
    let store = restore::Store::open(&ctx.places.state).ok();
    let (save, trouble) = match store.filter(|_| matches!(view, View::Pane(_))) {
        Some(store) => open::saving(store),
        None => (Box::new(|_: &_| {}) as open::Save, open::Trouble::default()),
    };
    let act = open::acts::acts(&ctx.places);
    let settings = settings(&ctx.places, config);
    let outcome = client::run(connection, view, settings, Backstage { save, act });
    open::tell_trouble(&trouble);
    outcome
}

/// The host went without a word.
#[must_use]
pub fn lost(outcome: &Result<Outcome, ClientError>) -> bool {
    matches!(outcome, Ok(Outcome::HostGone { announced, .. }) if !announced)
}

/// Both ends are a terminal.
#[must_use]
pub fn on_terminal() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// # Errors
/// Standard input or output is no terminal.
pub fn need_terminal() -> Result<(), Failure> {
    if on_terminal() {
        return Ok(());
    }
    Err(Failure::new(
        "the client needs a terminal on standard input and output; without one use \
         `abide new --no-attach -- CMD`, `abide ls`, `abide capture`, `abide send`",
    ))
}

/// A client within a client has no prefix of its own, and one that shows its own pane would draw itself
/// for ever.
///
/// # Errors
/// This is typed in a pane of this host.
pub fn refuse_nested(ctx: &Ctx) -> Result<(), Failure> {
    let Some(own) = nested_in(&ctx.places) else {
        return Ok(());
    };
    Err(Failure::new(format!(
        "this is typed in pane {own}, and the client would be shown within itself. Detach first, or use \
         another terminal; `env -u ABIDE_PANE abide ...` opens it here all the same"
    )))
}

/// What the client is told.
#[must_use]
pub fn settings(places: &link::Places, config: &Config) -> ClientConfig {
    let value = |name: &String| {
        let value =
            std::env::var_os(name).filter(|value| value.as_encoded_bytes().starts_with(b"/"));
        value.map(|value| (name.clone().into_bytes(), sys::text::into_bytes(value)))
    };
    ClientConfig {
        prefix: config.prefix().chars().last().unwrap_or('b'),
        mouse: config.mouse(),
        wheel_rows: 3,
        tell: config.notify_terminal(),
        argv: vec![sys::text::into_bytes(daemons::shell(config))],
        env: panes::environment(places, config),
        keep: keep::for_pane(config, &[], false)
            .ok()
            .and_then(|it| keep::variable(&it))
            .map(|(_, value)| value),
        links: config.links().iter().filter_map(value).collect(),
        label: label(),
        comeback: client::Comeback::default(),
    }
}

/// Where this client runs, for logs and for a client that loses its panes to it.
fn label() -> String {
    let tty = std::fs::read_link("/proc/self/fd/0").ok();
    let tty = tty.map_or_else(
        || "a terminal".to_owned(),
        |path| path.display().to_string(),
    );
    format!("{tty} (pid {})", std::process::id())
}

/// Says how it ended. `what` was shown.
///
/// # Errors
/// The host is gone, the client failed, or a signal ended it.
pub fn leave(ctx: &Ctx, outcome: Result<Outcome, ClientError>, what: &str) -> Result<(), Failure> {
    let outcome = outcome.map_err(|e| Failure::new(e.to_string()))?;
    let (word, text) = match outcome {
        Outcome::Detached => (
            "detached",
            format!("detached from {what}; everything runs on"),
        ),
        Outcome::Taken { by } => (
            "taken",
            format!("{what} is shown by another client now: {by}"),
        ),
        Outcome::Closed => ("closed", format!("{what} has no pane left")),
        Outcome::Ended { pane, raw } => ("closed", format!("{pane} ended ({})", ending(raw))),
        Outcome::HostGone { reason, .. } => {
            let text = format!("the host is gone: {reason}");
            return Err(Failure::with(Exit::Unreachable, text));
        }
        Outcome::Signal(signal) => {
            let text = format!("ended by signal {signal}; the panes of {what} run on");
            return Err(Failure::new(text));
        }
    };
    if ctx.out.json {
        return ctx
            .out
            .json(&serde_json::json!({ "outcome": word, "text": text }));
    }
    say(&text);
    Ok(())
}
