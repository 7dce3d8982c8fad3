//! `fake-agent`: a stand-in for a coding agent's CLI, for tests. Not part of any release.
//!
//! In: a command line like Claude Code's (`--session-id`, `--resume`, `-p`), lines of a file of
//! switches, keys. Out: a conversation on disk, a live file by pid and start, OSC 7501 states, a log
//! that tells tests everything that happened. The test kit's `fake_agent` module has the manual.
//! Promises: it never answers from outside of its own folder, reads every byte it is sent, ends with
//! status 0 at SIGTERM (unless told otherwise) and takes its live file along.

#![forbid(unsafe_code)]

mod agent;
mod args;
mod keys;
mod screen;
mod store;
mod turn;

use agent::Agent;
use args::Args;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use store::Store;
use sys::process::Signal;
use sys::signals::Signals;

/// Between two steps of a turn.
const TICK: Duration = Duration::from_millis(20);

fn main() -> ExitCode {
    match run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _closed = writeln!(io::stderr(), "fake-agent: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<u8> {
    let store = Store::open()?;
    let args = Args::read(std::env::args().skip(1), &store.settings());
    if args.print_version {
        writeln!(io::stdout(), "{} (fake agent)", args.version)?;
        return Ok(0);
    }
    if args.launcher && std::env::var_os("FAKE_LAUNCHED").is_none() {
        return launch();
    }
    if args.on_term == args::OnTerm::Die {
        // A thread that takes no signals: what is sent to the process acts there as it always does.
        std::thread::spawn(std::thread::park);
    }
    let signals = Signals::take(&args.signals())?;
    store.log("start", &store::facts_of_start())?;
    let mut agent = Agent::new(args, store);
    let _terminal = keys::raw()?;
    let code = drive(&mut agent, &signals)?;
    agent.leave(code)?;
    Ok(code)
}

/// The npm kind of CLI: a process that only waits for the real one, and does not mind signals.
fn launch() -> io::Result<u8> {
    let _deaf = Signals::take(&[])?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(std::env::args_os().skip(1))
        .env("FAKE_LAUNCHED", "1");
    Ok(command
        .status()?
        .code()
        .and_then(|c| u8::try_from(c).ok())
        .unwrap_or(1))
}

/// Waits for keys, signals and the next step of a turn until the agent ends; gives its status.
fn drive(agent: &mut Agent, signals: &Signals) -> io::Result<u8> {
    let mut keys = keys::Keys::default();
    let ready = Instant::now() + agent.args().slow_start;
    let mut open = true;
    if let Some(code) = agent.begin()? {
        return Ok(code);
    }
    loop {
        let stdin = io::stdin();
        let mut fds = vec![signals.as_fd()];
        // Before it is ready it does not read: what is typed waits in the terminal.
        let listens = open && Instant::now() >= ready;
        if listens {
            fds.push(stdin.as_fd());
        }
        let woken = sys::fd::wait_readable(&fds, Some(TICK))?;
        while let Some(signal) = signals.next()? {
            if let Some(code) = agent.signal(signal)? {
                return Ok(code);
            }
        }
        if woken.get(1) == Some(&true) {
            let bytes = keys::read()?;
            open = !bytes.is_empty();
            agent.read(&bytes)?;
            for key in keys.take(&bytes) {
                if let Some(code) = agent.key(key)? {
                    return Ok(code);
                }
            }
        }
        if listens && let Some(code) = agent.step()? {
            return Ok(code);
        }
    }
}

/// Stops itself as ctrl-z does.
fn stop_self() -> io::Result<()> {
    sys::process::Identity::me().signal(Signal::STOP)
}
