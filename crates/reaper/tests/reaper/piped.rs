//! Programs on pipes: the same reaper, the same promise.

use crate::support::{HANG, HOST, Witness, kill, launcher, script, until, words};
use reaper::{Headless, KEEP, News, Spec, Tag, Use};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use sys::process::{Identity, Signal, Status};

fn start(argv: &[&str], env: &[(&str, &str)], using: [Use; 3]) -> Headless {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all = vec![("PATH".into(), path)];
    all.extend(env.iter().map(|(name, value)| (name.into(), value.into())));
    let spec = Spec {
        argv: words(argv),
        cwd: "/".into(),
        env: all,
        pane: String::new(),
    };
    launcher().spawn_piped(&spec, using).unwrap()
}

const PIPES: [Use; 3] = [Use::Pipe, Use::Pipe, Use::Pipe];

fn rest(fd: Option<std::os::fd::OwnedFd>) -> String {
    let mut text = String::new();
    File::from(fd.unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn bytes_go_in_and_out_and_the_status_is_told() {
    let script = "cat; echo wrong >&2; exit 7";
    let mut headless = start(&["sh", "-c", script], &[], PIPES);
    headless.started().unwrap();
    File::from(headless.stdin.take().unwrap())
        .write_all(b"in and out")
        .unwrap();
    assert_eq!(rest(headless.stdout.take()), "in and out");
    assert_eq!(rest(headless.stderr.take()), "wrong\n");
    assert_eq!(headless.wait(None), Some(Status::Exited(7)));
    assert_eq!(headless.wait(None), Some(Status::Exited(7)), "told again");
    headless.end_and_wait();
}

#[test]
fn the_program_has_a_session_no_terminal_and_no_other_descriptor() {
    let script = "ls /proc/self/fd | tr '\\n' ' '; ps -o sid= -p $$ | tr -d ' '; echo $$; (: </dev/tty) 2>/dev/null || echo none; grep SigIgn /proc/$$/status";
    let mut headless = start(
        &["sh", "-c", script],
        &[],
        [Use::Null, Use::Pipe, Use::Null],
    );
    headless.started().unwrap();
    assert!(headless.stdin.is_none() && headless.stderr.is_none());
    let text = rest(headless.stdout.take());
    let lines: Vec<&str> = text.lines().collect();
    let [sid, pid, terminal, ignored] = lines[..] else {
        panic!("{text}");
    };
    let (fds, sid) = sid.rsplit_once(' ').unwrap();
    assert_eq!(fds, "0 1 2 3", "the fourth is the folder's own");
    assert_eq!((sid, terminal), (pid, "none"));
    assert_eq!(ignored, "SigIgn:\t0000000000000000");
}

#[test]
fn a_program_that_cannot_be_started_is_told() {
    let mut headless = start(&["no-such-program", "x"], &[], PIPES);
    let why = headless.started().unwrap_err();
    assert!(why.contains("no-such-program"), "{why}");
    until("its reaper says nothing more", || {
        headless.news() == News::Ended
    });
    let spec = Spec {
        argv: Vec::new(),
        cwd: "/".into(),
        env: Vec::new(),
        pane: String::new(),
    };
    assert!(launcher().spawn_piped(&spec, PIPES).is_err());
}

/// A family that tries to get away; each member holds the witness.
const FAMILY: &str = "exec 9>\"$W\"
    (setsid sh -c 'echo up >&9; sleep 1000 & exec sleep 1000' &)
    (setsid env -i /bin/sh -c 'echo up >&9; exec /bin/sleep 1000' &)
    sleep 1000 & sleep 1000 & echo up >&9";

fn family(last: &str, witness: &Witness) -> Headless {
    let script = format!("{FAMILY}\n{last}");
    let mut headless = start(&["sh", "-c", &script], &[("W", witness.name())], PIPES);
    headless.started().unwrap();
    headless
}

#[test]
fn dropping_it_ends_the_family() {
    let mut witness = Witness::new();
    let headless = family("sleep 1000; exit", &witness);
    witness.lines(3);
    let reaper = Identity::of(headless.reaper().unwrap()).unwrap();
    drop(headless);
    witness.ended("family of a dropped program");
    until("no zombie stays", || {
        Identity::of(reaper.pid) != Some(reaper)
    });
}

#[test]
fn the_programs_end_is_its_familys() {
    let mut witness = Witness::new();
    let mut headless = family("read x; exit 5", &witness);
    witness.lines(3);
    headless.stdin = None;
    assert_eq!(headless.wait(Some(HANG)), Some(Status::Exited(5)));
    witness.ended("family of a program that ended");
    // Its daemons held its output too.
    assert_eq!(rest(headless.stdout.take()), "");
    until("its reaper says nothing more", || {
        headless.news() == News::Ended
    });
}

#[test]
fn what_is_kept_for_panes_is_not_kept_here() {
    let mut witness = Witness::new();
    let sleep = Path::new("/bin/sleep").canonicalize().unwrap();
    let script = format!("{FAMILY}\necho \"<${KEEP}>\"; sleep 1000; exit");
    let env = [("W", witness.name()), (KEEP, sleep.to_str().unwrap())];
    let mut headless = start(&["sh", "-c", &script], &env, PIPES);
    witness.lines(3);
    let mut line = String::new();
    let output = File::from(headless.stdout.take().unwrap());
    BufReader::new(output).read_line(&mut line).unwrap();
    assert_eq!(line, "<>\n");
    headless.end_and_wait();
    witness.ended("nothing is kept");
}

/// What an owner says of its reaper.
fn reaper_of(owner: &mut std::process::Child) -> i32 {
    let output = BufReader::new(owner.stdout.as_mut().unwrap());
    let mut lines = output.lines().map(Result::unwrap);
    let line = lines.find_map(|it| it.strip_prefix("reaper ").map(str::to_owned));
    line.unwrap().parse().unwrap()
}

/// An owner in a process of its own: it says its reaper, then waits for ever.
fn owner(witness: &Witness, more: &[&str]) -> (std::process::Child, i32) {
    let script = format!("{FAMILY}\nsleep 1000; exit");
    let mut command = Command::new(HOST);
    command.arg(crate::BUILD).arg("--pipes").args(more);
    command.args(["--", "sh", "-c", &script]);
    command.envs(crate::support::names(witness));
    let mut owner = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let reaper = reaper_of(&mut owner);
    (owner, reaper)
}

#[test]
fn a_killed_owner_takes_its_family_along() {
    let mut witness = Witness::new();
    let (mut owner, _) = owner(&witness, &[]);
    witness.lines(3);
    owner.kill().unwrap();
    owner.wait().unwrap();
    witness.ended("family of a killed owner");
}

/// Nobody else is there; what carries no mark is then out of reach, so it is left out here.
#[test]
fn a_killed_reapers_family_is_swept() {
    let state = tempfile::tempdir().unwrap();
    let witness = Witness::new();
    let daemon = state.path().join("daemon");
    script(
        state.path(),
        "family",
        "(setsid sh -c 'echo $$ >\"$D.new\"; mv \"$D.new\" \"$D\"; exec sleep 1000' &); sleep 1000; exit\n",
    );
    let mut command = Command::new(HOST);
    command
        .args([crate::BUILD, "--pipes", "--tag"])
        .arg(state.path());
    command
        .arg("--")
        .arg(state.path().join("family"))
        .env("D", &daemon);
    command.envs(crate::support::names(&witness));
    let mut owner = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let reaper = reaper_of(&mut owner);
    let mut text = String::new();
    until("the daemon", || {
        text = std::fs::read_to_string(&daemon).unwrap_or_default();
        !text.is_empty()
    });
    let daemon = Identity::of(text.trim().parse().unwrap()).unwrap();
    let mut tag = None;
    until("its mark", || {
        let environment = sys::process::environment(daemon.pid).unwrap();
        tag = sys::process::variable(&environment, reaper::VARIABLE).and_then(Tag::read);
        tag.is_some()
    });
    let gone = Identity::of(reaper).unwrap();
    assert_eq!(tag.unwrap().links[0], gone);
    kill(reaper, Signal::KILL);
    assert!(gone.wait_gone(HANG));
    assert!(daemon.alive(), "nobody is there who would end it");
    let report = reaper::sweep(state.path());
    assert!(
        report.ended.iter().any(|it| it.process == daemon),
        "{report:?}"
    );
    assert!(!daemon.alive());
    owner.kill().unwrap();
    owner.wait().unwrap();
}

#[test]
fn a_program_that_was_killed_says_so() {
    let mut headless = start(&["sleep", "1000"], &[], PIPES);
    let program = headless.started().unwrap();
    assert_eq!(headless.news(), News::Nothing);
    assert_eq!(headless.wait(Some(std::time::Duration::ZERO)), None);
    program.signal(Signal::TERM).unwrap();
    assert_eq!(headless.wait(Some(HANG)), Some(Status::Killed(15)));
    let mut other = start(&["sleep", "1000"], &[], PIPES);
    other.started().unwrap();
    other.end();
    let news = other.wait(Some(HANG));
    assert_eq!(news, Some(Status::Killed(15)));
}
