//! What outlives its reaper, its host and whoever is above them is found by its tag, and nobody
//! else is.

use crate::BUILD;
use crate::support::{HOST, Host, REAPER, Witness, kill, until};
use reaper::{Sweeper, Tag};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use sys::process::{Identity, Signal, stat};

/// A daemon in a session of its own that says its pid, beside a main program.
const DAEMON: &str = "exec 9>\"$W\"
    (setsid sh -c 'echo $$ >&9; exec sleep 1000' &)
    sleep 1000; exit";

fn tagged(state: &Path, script: &str, witness: &Witness) -> Host {
    let options = ["--tag", state.to_str().unwrap()];
    Host::start(&options, &["sh", "-c", script], witness)
}

fn variable(pid: i32) -> Option<Vec<u8>> {
    let environment = sys::process::environment(pid).unwrap();
    sys::process::variable(&environment, reaper::VARIABLE).map(Into::into)
}

fn pids(lines: &[String]) -> Vec<i32> {
    lines.iter().map(|it| it.parse().unwrap()).collect()
}

/// Kills a host and its reaper at once: the reaper is stopped first, so it cannot do its work.
fn kill_both(host: &mut Host, reaper: i32) {
    let gone = Identity::of(reaper).unwrap();
    kill(reaper, Signal::STOP);
    until("the reaper is stopped", || {
        stat(reaper).is_some_and(|it| it.state == 'T')
    });
    kill(reaper, Signal::KILL);
    host.kill();
    assert!(gone.wait_gone(crate::support::HANG));
}

#[test]
fn the_family_carries_the_tag_and_the_reaper_does_not() {
    let state = tempfile::tempdir().unwrap();
    let mut witness = Witness::new();
    let mut host = tagged(state.path(), DAEMON, &witness);
    let reaper = host.reaper();
    let daemon = pids(&witness.lines(1))[0];
    let tag = |pid| Tag::read(&variable(pid)?);
    // While it is being executed anew it shows no environment.
    let mut found = None;
    until("the daemon's tag", || {
        found = tag(daemon);
        found.is_some()
    });
    let found = found.unwrap();
    assert_eq!(found.links, [Identity::of(reaper).unwrap()]);
    assert_eq!(found.place, reaper::Place::of(state.path()));
    assert_eq!(tag(reaper), None, "a head is no tag");
    assert_eq!(variable(host.pid()), None);
    assert!(Sweeper::new(state.path()).find().is_empty(), "all is well");
}

#[test]
fn a_family_whose_reaper_and_host_were_killed_is_swept() {
    let (state, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut witness = Witness::new();
    let mut host = tagged(state.path(), DAEMON, &witness);
    let reaper = host.reaper();
    let daemon = pids(&witness.lines(1))[0];
    kill_both(&mut host, reaper);
    assert_eq!(reaper::sweep(other.path()), reaper::SweepReport::default());
    let found = Sweeper::new(state.path()).find();
    assert!(found.iter().any(|it| it.process.pid == daemon), "{found:?}");
    let text = found[0].to_string();
    assert!(
        text.contains(&format!("its reaper, process {reaper}, is gone")),
        "{text}"
    );
    assert!(stat(daemon).is_some(), "looking ends nobody");
    let report = reaper::sweep(state.path());
    assert!(report.left.is_empty(), "{report:?}");
    assert!(report.ended.iter().any(|it| it.process.pid == daemon));
    witness.ended("swept");
}

/// TERM means nothing to it, and it forks as it goes.
#[test]
fn a_stubborn_chain_of_forks_is_swept() {
    let state = tempfile::tempdir().unwrap();
    crate::support::script(
        state.path(),
        "comet",
        "n=${1:-0}; [ $n -gt 3 ] || echo 1 >&9; sh \"$0\" $((n+1)) & exit\n",
    );
    let script = format!(
        "exec 9>\"$W\"; cd '{}'; trap '' TERM; sh ./comet & sleep 1000; exit",
        state.path().display()
    );
    let mut witness = Witness::new();
    let mut host = tagged(state.path(), &script, &witness);
    let reaper = host.reaper();
    witness.lines(3);
    kill_both(&mut host, reaper);
    let report = reaper::sweep(state.path());
    assert!(report.left.is_empty(), "{report:?}");
    witness.ended("swept");
}

/// The reaper of a program driven below another is killed: its daemon goes though the reaper
/// further out lives, and the outer family stays.
#[test]
fn the_innermost_reaper_is_the_one_that_counts() {
    let state = tempfile::tempdir().unwrap();
    let mut witness = Witness::new();
    let script = format!(
        "exec 9>\"$W\"; echo $$ >&9
         setsid '{HOST}' '{BUILD}' --stay --tag '{}' -- sh -c '{}' >\"$R\" &
         sleep 1000; exit",
        state.path().display(),
        DAEMON.replace('\'', "'\\''"),
    );
    let said = state.path().join("inner");
    let script = format!("R='{}'; {script}", said.display());
    let mut host = tagged(state.path(), &script, &witness);
    let outer = host.reaper();
    let all = pids(&witness.lines(2));
    let (main, daemon) = (all[0], all[1]);
    let text = std::fs::read_to_string(&said).unwrap();
    let inner = text.lines().find_map(|it| it.strip_prefix("reaper "));
    let inner: i32 = inner.unwrap().parse().unwrap();
    let mut tag = None;
    until("the daemon's tag", || {
        tag = variable(daemon);
        tag.is_some()
    });
    let tag = Tag::read(&tag.unwrap()).unwrap();
    let links = [inner, outer].map(|pid| Identity::of(pid).unwrap());
    assert_eq!(tag.links, links);
    let daemon = Identity::of(daemon).unwrap();
    let gone = links[0];
    kill(inner, Signal::KILL);
    assert!(gone.wait_gone(crate::support::HANG));
    // As the outer host sweeps: what is below a living reaper of its own is not its business.
    let mut sweeper = Sweeper::new(state.path()).beside(Identity::of(host.pid()));
    let report = sweeper.sweep();
    assert!(
        report.ended.iter().any(|it| it.process == daemon),
        "{report:?}"
    );
    assert!(!daemon.alive());
    assert!(
        stat(main).is_some_and(|it| it.alive()),
        "the outer family lives"
    );
}

/// A chain of which each link has a session of its own has no group that could be hit.
#[test]
fn a_stubborn_chain_of_sessions_is_swept() {
    let state = tempfile::tempdir().unwrap();
    crate::support::script(
        state.path(),
        "comet",
        "n=${1:-0}; [ $n -gt 3 ] || echo 1 >&9; setsid sh \"$0\" $((n+1)) & exit\n",
    );
    let script = format!(
        "exec 9>\"$W\"; cd '{}'; trap '' TERM HUP; sh ./comet & sleep 1000; exit",
        state.path().display()
    );
    for _ in 0..crate::support::rounds() {
        let mut witness = Witness::new();
        let mut host = tagged(state.path(), &script, &witness);
        let reaper = host.reaper();
        witness.lines(3);
        kill_both(&mut host, reaper);
        let report = reaper::sweep(state.path());
        assert!(report.left.is_empty(), "{report:?}");
        witness.ended("swept");
    }
}

/// In a group with somebody who carries no mark the links are met one by one, and that one stays.
#[test]
fn a_chain_goes_and_one_without_a_mark_in_its_group_stays() {
    let state = tempfile::tempdir().unwrap();
    crate::support::script(
        state.path(),
        "comet",
        "n=${1:-0}; [ $n -gt 3 ] || echo 1 >&9; sh \"$0\" $((n+1)) & exit\n",
    );
    let script = format!(
        "exec 9>\"$W\"; cd '{}'; trap '' TERM HUP
         env -i PATH=\"$PATH\" sleep 1000 9>&- & echo $! >&9
         sh ./comet & sleep 1000; exit",
        state.path().display()
    );
    for _ in 0..crate::support::rounds() {
        let mut witness = Witness::new();
        let mut host = tagged(state.path(), &script, &witness);
        let reaper = host.reaper();
        let lines = witness.lines(4);
        let unmarked = Identity::of(pids(&lines[..1])[0]).unwrap();
        until("it is executed", || variable(unmarked.pid).is_none());
        kill_both(&mut host, reaper);
        let report = reaper::sweep(state.path());
        assert!(report.left.is_empty(), "{report:?}");
        witness.ended("swept");
        assert!(unmarked.alive());
        unmarked.signal(Signal::KILL).unwrap();
    }
}

/// What fell to a living host is the host's, unless it is below a reaper of a pane.
#[test]
fn a_living_hosts_own_are_left_to_it() {
    let state = tempfile::tempdir().unwrap();
    let mut witness = Witness::new();
    let mut host = tagged(state.path(), DAEMON, &witness);
    let reaper = host.reaper();
    let daemon = Identity::of(pids(&witness.lines(1))[0]).unwrap();
    let mut command = Command::new("sleep");
    let gone = Identity {
        pid: reaper,
        start: 1,
    };
    let tag = Tag {
        place: reaper::Place::of(state.path()),
        links: vec![gone],
    };
    // This test is the host of a leftover, and a stranger to another one.
    let mut ours = command
        .arg("1000")
        .env(reaper::VARIABLE, tag.text())
        .spawn()
        .unwrap();
    let found = |beside: Option<Identity>| {
        let mut sweeper = Sweeper::new(state.path()).beside(beside);
        let found = sweeper.find();
        let pid = i32::try_from(ours.id()).unwrap();
        found.iter().any(|it| it.process.pid == pid)
    };
    until("it is executed", || found(None));
    assert!(!found(Some(Identity::me())));
    let stranger = Identity {
        start: 1,
        ..Identity::me()
    };
    assert!(found(Some(stranger)) && found(Identity::of(host.pid())));
    ours.kill().unwrap();
    ours.wait().unwrap();
    assert!(daemon.alive());
}

/// Pids mean nothing in another namespace: a sweep there judged live processes orphaned.
#[test]
fn another_pid_namespace_is_left_alone() {
    let state = tempfile::tempdir().unwrap();
    let mut witness = Witness::new();
    let script = format!(
        "exec 9>\"$W\"; echo $$ >&9
         unshare -p -f --mount-proc '{REAPER}' find '{}' >\"$R\" 2>&1; echo $? >&9
         sleep 1000; exit",
        state.path().display()
    );
    let said = state.path().join("found");
    let script = format!("R='{}'; {script}", said.display());
    let _host = tagged(state.path(), &script, &witness);
    let lines = witness.lines(2);
    if lines[1] != "0" {
        let why = std::fs::read_to_string(&said).unwrap();
        writeln!(std::io::stderr(), "skipped: no pid namespace here: {why}").unwrap();
        return;
    }
    assert_eq!(std::fs::read_to_string(&said).unwrap(), "");
}

/// juspay/kolu#1287: a recorded pid was given to a stranger, who was then signalled. Here the pid
/// really is given out again, in a pid namespace of its own.
#[test]
fn a_stranger_with_a_recycled_pid_gets_no_signal() {
    let mut command = Command::new("unshare");
    command.args(["-p", "-f", "--mount-proc", REAPER, "reuse"]);
    let output = command.output().unwrap();
    let skip = |why: &str| writeln!(std::io::stderr(), "skipped: {why}").unwrap();
    match output.status.code() {
        Some(0) => {}
        Some(77) => skip("the next pid cannot be chosen here"),
        _ if !output.stderr.is_empty() => skip("no pid namespace can be made here"),
        _ => panic!("the stranger was signalled: {output:?}"),
    }
}

#[test]
fn nobody_above_the_sweeper_and_nobody_untagged_is_swept() {
    let state = tempfile::tempdir().unwrap();
    let mut gone = Command::new("true").spawn().unwrap();
    let links = vec![Identity::of(i32::try_from(gone.id()).unwrap()).unwrap()];
    gone.wait().unwrap();
    let tag = Tag {
        place: reaper::Place::of(state.path()),
        links,
    };
    // A shell with the tag of a dead reaper runs the sweep itself, beside one without a tag.
    let script = "env -u ABIDE_REAPER sleep 1000 & u=$!
        sleep 1000 & t=$!
        \"$0\" sweep \"$1\" >\"$1/ended\"
        kill -0 $u && kill $u && [ \"$(cat \"$1/ended\")\" = $t ] && echo well";
    let output = Command::new("sh")
        .args(["-c", script, REAPER])
        .arg(state.path())
        .env(reaper::VARIABLE, tag.text())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "well\n",
        "{output:?}"
    );
}
