//! `abide hook CLI`: what an agent's hook calls. In: the hook's payload on standard input. Out: a report
//! to the host under the pane's own key.
//!
//! Promises: it prints nothing, ends with status 0 and within 2 seconds whatever happens, and outside
//! a pane does nothing, so that it never disturbs the agent that waits for it.

use agents::hook::Report;
use link::Places;
use protocol::PaneId;
use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

/// Longest stay, reading included.
const LIMIT: Duration = Duration::from_millis(1800);
/// Longest wait for the host.
const HOST: Duration = Duration::from_millis(1200);
/// A longer payload is cut and then no JSON any more; prompts and answers are part of it.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The words of `abide hook`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The CLI whose hook this is.
    #[arg(value_name = "CLI")]
    cli: String,
}

/// Reports.
pub fn run(args: &Args) {
    let Some(pane) = crate::desk::own_pane() else {
        return;
    };
    let Some(key) = std::env::var("ABIDE_PANE_KEY").ok() else {
        return;
    };
    let cli = args.cli.clone();
    let (done, ended) = mpsc::channel();
    // Its own thread: the agent may keep standard input open for ever.
    std::thread::spawn(move || {
        tell(&cli, pane, &key);
        let _told = done.send(());
    });
    // Too late is no failure of the agent's.
    let _in_time = ended.recv_timeout(LIMIT);
}

fn tell(cli: &str, pane: PaneId, key: &str) {
    let mut payload = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(MAX_BYTES)
        .read_to_end(&mut payload);
    let report = read.ok().and_then(|_| Report::of_hook(cli, &payload));
    let (Some(report), Ok(places)) = (report, Places::find()) else {
        return;
    };
    // Nobody may hear of it: the agent would show it.
    drop(link::report(&places, (pane, key), report.to_json(), HOST));
}
