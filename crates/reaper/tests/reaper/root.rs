//! The root reaper: detached from whoever starts it, and the last one to see that nobody is left.

use crate::support::{HOST, REAPER, Witness, kill, take, until, words};
use reaper::ROOT_COMMAND;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use sys::process::{Identity, Signal, Status, children_of, stat};

struct Root {
    pid: i32,
    folder: tempfile::TempDir,
}

impl Root {
    /// Starts it as the program does, with `host` below it.
    fn start(host: &[&str], witness: &Witness, more: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut argv = words(&[REAPER, ROOT_COMMAND, "--"]);
        argv.extend(words(host));
        let mut env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        env.push(("W".into(), witness.path.clone().into()));
        env.extend(more.iter().map(|(name, value)| (name.into(), value.into())));
        let log = folder.path().join("log");
        let pid = sys::daemon::spawn_detached(&argv, &env, &log).unwrap();
        Self { pid, folder }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    fn ended(&self) -> Status {
        Status::from_raw(take(self.pid))
    }
}

/// A real host whose pane's program has a daemon without environment; tells `up PID PPID` twice.
const FAMILY: [&str; 8] = [
    HOST,
    crate::BUILD,
    "--subreaper",
    "--stay",
    "--",
    "sh",
    "-c",
    "exec 9>\"$W\"; echo up $$ $PPID >&9; (setsid env -i /bin/sh -c 'echo up $$ $PPID >&9; exec sleep 1000' &); wait; sleep 1000",
];

/// Host and reaper of the started [`FAMILY`].
fn found(witness: &mut Witness) -> (i32, i32) {
    let lines = witness.lines(2);
    let main = lines.iter().find_map(|line| {
        let mut numbers = line.split(' ').skip(1).map(|it| it.parse::<i32>().unwrap());
        let (pid, parent) = (numbers.next()?, numbers.next()?);
        (stat(pid)?.session == pid && stat(parent)?.comm == "abide-reaper").then_some(parent)
    });
    let reaper = main.expect("the main program's parent is its reaper");
    (stat(reaper).unwrap().ppid, reaper)
}

#[test]
fn it_is_detached_in_every_way() {
    let witness = Witness::new();
    let (_reader, writer) = std::io::pipe().unwrap();
    // Left open for a child on purpose.
    let _leak = rustix::io::dup(&writer).unwrap();
    let root = Root::start(&["sleep", "1000"], &witness, &[]);
    until("it runs the host", || !children_of(root.pid).is_empty());
    let own = stat(root.pid).unwrap();
    assert_eq!(
        (own.session, own.pgrp, own.comm.as_str()),
        (root.pid, root.pid, "abide-root")
    );
    let of = |what: &str| std::fs::read_link(format!("/proc/{}/{what}", root.pid)).unwrap();
    assert_eq!(of("cwd"), Path::new("/"));
    assert_eq!(of("fd/0"), Path::new("/dev/null"));
    assert_eq!(of("fd/1"), root.folder.path().join("log"));
    assert_eq!(of("fd/2"), root.folder.path().join("log"));
    until("it has the three and its signals", || {
        std::fs::read_dir(format!("/proc/{}/fd", root.pid))
            .unwrap()
            .count()
            == 4
    });
    kill(root.pid, Signal::TERM);
    assert_eq!(root.ended(), Status::Exited(128 + 15));
}

/// A command substitution waits for whoever holds its pipe, so nobody may.
#[test]
fn a_command_substitution_around_its_starter_returns() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let start = format!(
        "out=$( '{REAPER}' {ROOT_COMMAND} -- sleep 1000 </dev/null >'{0}' 2>&1 9>&1 & echo $! ); echo \"$out\"",
        log.display()
    );
    let mut shell = Command::new("sh");
    let output = shell
        .args(["-c", &start])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let pid: i32 = String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let identity = Identity::of(pid).unwrap();
    until("it runs the host", || !children_of(pid).is_empty());
    identity.signal(Signal::TERM).unwrap();
    assert!(identity.wait_gone(crate::support::HANG));
}

#[test]
fn a_signal_to_end_is_passed_on_and_the_code_is_the_hosts() {
    let mut witness = Witness::new();
    let host =
        "exec 9>\"$W\"; trap 'exit 6' TERM; echo up >&9; while :; do sleep 1000 & wait; done";
    let root = Root::start(&["sh", "-c", host], &witness, &[]);
    witness.lines(1);
    kill(root.pid, Signal::TERM);
    assert_eq!(root.ended(), Status::Exited(6));
    witness.ended("what the host left behind");
}

#[test]
fn a_host_that_cannot_be_started_is_in_the_log() {
    let witness = Witness::new();
    let root = Root::start(&["/no/such/host"], &witness, &[]);
    assert_eq!(root.ended(), Status::Exited(127));
    assert_eq!(
        root.log(),
        "root reaper: cannot start the host: No such file or directory\n"
    );
}

#[test]
fn the_host_inherits_no_pane() {
    let mut witness = Witness::new();
    let tell = "echo tag=$ABIDE_REAPER >\"$W\"";
    let root = Root::start(&["sh", "-c", tell], &witness, &[("ABIDE_REAPER", "1:2")]);
    assert_eq!(witness.lines(1), ["tag="]);
    assert_eq!(root.ended(), Status::Exited(0));
}

#[test]
fn a_killed_host_leaves_nobody() {
    let mut witness = Witness::new();
    let root = Root::start(&FAMILY, &witness, &[]);
    let (host, _) = found(&mut witness);
    kill(host, Signal::KILL);
    witness.ended("family of a killed host");
    assert_eq!(root.ended(), Status::Exited(128 + 9));
}

/// The host is stopped first, so that it cannot adopt and end the family itself.
#[test]
fn host_and_reaper_killed_together_leave_nobody() {
    let mut witness = Witness::new();
    let root = Root::start(&FAMILY, &witness, &[]);
    let (host, reaper) = found(&mut witness);
    kill(host, Signal::STOP);
    until("the host is stopped", || {
        stat(host).is_some_and(|it| it.state == 'T')
    });
    kill(reaper, Signal::KILL);
    kill(host, Signal::KILL);
    witness.ended("family without reaper and host");
    assert_eq!(root.ended(), Status::Exited(128 + 9));
}

/// With the root reaper gone the host goes on: it is not tied to it.
#[test]
fn a_killed_root_reaper_does_not_end_the_host() {
    let mut witness = Witness::new();
    let root = Root::start(&FAMILY, &witness, &[]);
    let (host, _) = found(&mut witness);
    let host = Identity::of(host).unwrap();
    kill(root.pid, Signal::KILL);
    assert_eq!(root.ended(), Status::Killed(9));
    assert!(host.alive());
    host.signal(Signal::TERM).unwrap();
    witness.ended("family of a host that was told to end");
}
