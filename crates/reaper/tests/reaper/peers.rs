//! What other supervisors make of the same families: printed for comparison, not asserted.
//! `ABIDE_TEST_PEERS` asks for it, since it waits a good second for each column.

use crate::support::Witness;
use crate::table::{FAMILIES, Family, STAYS, scripts};
use std::io::Write;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use sys::process::{Identity, Signal};

/// How long the family has to go after the event.
const PATIENCE: Duration = Duration::from_millis(1_300);

/// Name and options.
const PEERS: [&[&str]; 4] = [
    &["tini", "-s", "--"],
    &["tini", "-s", "-g", "-p", "SIGTERM", "--"],
    &["dumb-init", "--"],
    &["catatonit", "--"],
];

/// What happens to the supervisor; without a signal its program ends.
const EVENTS: [(&str, Option<Signal>); 3] = [
    ("TERM", Some(Signal::TERM)),
    ("KILL", Some(Signal::KILL)),
    ("main ends", None),
];

#[test]
fn what_others_make_of_the_same_families() {
    let mut out = std::io::stderr();
    let installed = |peer: &&[&str]| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|dir| dir.join(peer[0]).is_file())
    };
    if std::env::var_os("ABIDE_TEST_PEERS").is_none() {
        writeln!(out, "skipped: ABIDE_TEST_PEERS is not set").unwrap();
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    scripts(dir.path());
    for peer in PEERS.iter().copied().filter(installed) {
        for (event, signal) in EVENTS {
            writeln!(out, "{}, {event}: survivors", peer.join(" ")).unwrap();
            for (name, left) in column(peer, signal, dir.path()) {
                writeln!(out, "  {name:<40} {left}").unwrap();
            }
        }
    }
}

fn column(peer: &[&str], signal: Option<Signal>, folder: &Path) -> Vec<(&'static str, usize)> {
    std::thread::scope(|scope| {
        let cell = |family: &'static Family| {
            scope.spawn(move || (family.name, survivors(peer, signal, family, folder)))
        };
        let all: Vec<_> = FAMILIES.iter().filter(|it| !chain(it)).map(cell).collect();
        all.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

/// Counting takes a picture, and a chain of forks is gone from it before it can be seen.
fn chain(family: &Family) -> bool {
    family.name.contains("chain") || family.script.contains("$HOST")
}

fn survivors(peer: &[&str], signal: Option<Signal>, family: &Family, folder: &Path) -> usize {
    let mut witness = Witness::new();
    let last = if signal.is_some() { STAYS } else { "exit 5" };
    let script = format!("exec 9>\"$W\"; {}", family.script.replace("LAST", last));
    let mut command = Command::new(peer[0]);
    command.args(&peer[1..]).args(["sh", "-c", &script]);
    command
        .envs(crate::support::names(&witness))
        .env("D", folder);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut supervisor = command.spawn().unwrap();
    if let Some(signal) = signal {
        witness.lines(1);
        let whom = Identity::of(supervisor.id().cast_signed()).unwrap();
        // Ended by itself.
        let _gone = whom.signal(signal);
    }
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE && !witness.holders().is_empty() {
        let left = PATIENCE.saturating_sub(begun.elapsed());
        let whom = sys::pidfd::PidFd::open(supervisor.id().cast_signed()).unwrap();
        let ready = sys::fd::wait_readable(&[whom.as_fd()], Some(left)).unwrap();
        if ready == [true] {
            std::thread::yield_now();
        }
    }
    let left = witness.holders().len();
    witness.clear();
    // One that outlived its program's family ends with it.
    supervisor.wait().unwrap();
    left
}
