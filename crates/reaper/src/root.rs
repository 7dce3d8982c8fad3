//! The body of the root reaper: the process above the host that survives it and ends what is
//! left, so that nothing outlives even a host and a pane's reaper that were killed together.

use crate::hunt::{Hunt, Spare};
use crate::keep::Kept;
use crate::kin::Tracker;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::{Command, ExitCode};
use std::time::Duration;
use sys::process::{self, Identity, Signal, Stat, Status, Waited};
use sys::signals::Signals;

/// How long panes' reapers have for their own families after the host is gone: their grace of
/// 3 s and a little.
const OTHERS: Duration = Duration::from_secs(4);
/// The exit code when the host could not be started.
const NOT_STARTED: u8 = 127;

/// The body of the hidden subcommand [`crate::ROOT_COMMAND`]; `args` is what follows it:
/// `--kept FILE` (see [`Kept`]) if tools are to outlive the host, `--` and the host's argv. Becomes a
/// daemon, starts the host and lives until nothing of it is left. The code is the host's. What goes wrong is written to stderr, which the starter made a log.
#[must_use]
pub fn root_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut argv: Vec<OsString> = args.into_iter().collect();
    let mut kept = None;
    if argv.len() > 1 && argv.first().is_some_and(|it| it == "--kept") {
        kept = argv.drain(..2).nth(1).map(Kept::at);
    }
    if argv.first().is_some_and(|it| it == "--") {
        argv.remove(0);
    }
    match run(&argv, kept.as_ref()) {
        Ok(raw) => ExitCode::from(Status::from_raw(raw).code().unwrap_or(NOT_STARTED)),
        Err(error) => {
            log(&format!(
                "cannot start the host: {}",
                sys::files::plain(&error)
            ));
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn run(argv: &[OsString], kept: Option<&Kept>) -> io::Result<i32> {
    let (program, arguments) = argv
        .split_first()
        .ok_or_else(|| io::Error::other("no program was given"))?;
    sys::daemon::detach_self()?;
    process::set_name("abide-root");
    let wanted = [
        Signal::CHILD,
        Signal::TERM,
        Signal::HUP,
        Signal::INT,
        Signal::QUIT,
    ];
    let signals = Signals::take(&wanted)?;
    if let Err(error) = process::become_subreaper() {
        log(&format!(
            "orphans will not be found: {}",
            sys::files::plain(&error)
        ));
    }
    // The host is meant to outlive the pane it may have been started from.
    let mut command = Command::new(program);
    command.args(arguments).env_remove(crate::tag::VARIABLE);
    let mut kin = Tracker::start();
    let host = sys::child::with_fresh_signals(&mut command).spawn()?;
    let host = i32::try_from(host.id()).map_err(io::Error::other)?;
    // From its first child on.
    drop(kin.members());
    let raw = watch(host, &signals, &mut kin);
    end(host, &signals, kept, kin);
    Ok(raw)
}

/// Waits for the host's end; asks it to end when asked oneself.
fn watch(host: i32, signals: &Signals, kin: &mut Tracker) -> i32 {
    let identity = Identity::of(host);
    loop {
        while let Ok(Waited::Changed { pid, raw }) = process::wait_change() {
            let over = Status::from_raw(raw).code().is_some();
            if pid == host && over {
                return raw;
            }
        }
        let mut fds = vec![signals.as_fd()];
        fds.extend(kin.news());
        if sys::fd::wait_readable(&fds, None).is_err() {
            // Out of kernel memory for a moment; do not spin on it.
            std::thread::sleep(Duration::from_millis(10));
        }
        kin.look();
        while let Ok(Some(signal)) = signals.next() {
            if signal != Signal::CHILD {
                // Gone already: its end is the next news.
                let _gone = identity.map(|it| it.signal(Signal::TERM));
            }
        }
    }
}

/// The host was a session of its own with the panes' reapers in it; those do their own work.
/// Whoever else is our child now, or was followed by `kin`, had a reaper that is gone. Tools to
/// keep stay.
fn end(host: i32, signals: &Signals, kept: Option<&Kept>, kin: Tracker) {
    let own = process::stat(Identity::me().pid).map_or(0, |it| it.session);
    let orphan = |it: &Stat| it.session != host && it.session != own;
    let mut taken = |_pid: i32, _raw: i32| {};
    // Reapers write there until they end, so it is looked at each time.
    let keeps = |it: &Stat| kept.is_some_and(|kept| kept.look().has(it.identity()));
    let spare = Spare {
        children: &[],
        others: kept.is_some().then_some(&keeps),
    };
    let mut hunt = Hunt::new(spare, &mut taken).following(kin);
    hunt.ask(orphan);
    if hunt.wait(signals, OTHERS) {
        return;
    }
    for pid in hunt.finish(signals) {
        log(&format!(
            "process {pid} belongs to another user and was left running"
        ));
    }
}

fn log(text: &str) {
    // Nobody to tell where even this cannot be written.
    let _lost = writeln!(io::stderr(), "root reaper: {text}");
}
