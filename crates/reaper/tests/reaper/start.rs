//! Starting the one program of a pane: what it gets, what it leaves behind, and what is said when
//! it cannot be started.

use crate::support::{HOST, Host, Pane, Witness, script, words};
use reaper::{Launcher, Report, SpawnError, Spec, Stage, describe_failure};
use std::path::Path;
use std::process::Command;
use sys::process::{Status, stat};

fn fails(argv: &[&str], cwd: &Path, expected: Stage, parts: &[&str]) {
    let mut pane = Pane::start_in(argv, cwd, &[]);
    let Report::Failed { stage, errno } = pane.report() else {
        panic!("{argv:?} started")
    };
    assert_eq!(stage, expected, "{argv:?}");
    let text = describe_failure(&words(argv), cwd, stage, errno);
    for part in parts {
        assert!(text.contains(part), "{part:?} in {text:?}");
    }
    assert_eq!(Status::from_raw(pane.gone()), Status::Exited(127));
    assert_eq!(pane.all_output(), "", "nothing is printed into the pane");
}

#[test]
fn a_program_that_cannot_be_started_is_named_with_its_arguments_and_folder() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let shown = at.to_str().unwrap();
    std::fs::write(at.join("plain"), "no program").unwrap();
    script(at, "orphan", "#!/no/such/interpreter\n");
    let missing = ["no-such-agent", "--resume", "7"];
    fails(
        &missing,
        at,
        Stage::Exec,
        &["`no-such-agent --resume 7`", "PATH", shown],
    );
    fails(
        &["./missing"],
        at,
        Stage::Exec,
        &["`./missing`", "no such program", shown],
    );
    fails(
        &["./plain"],
        at,
        Stage::Exec,
        &["`./plain`", "not executable", shown],
    );
    fails(
        &["./orphan"],
        at,
        Stage::Exec,
        &["`./orphan`", "interpreter", shown],
    );
    fails(&["/"], at, Stage::Exec, &["`/`", "is a folder"]);
}

/// A host that takes whichever build there is, with a family that tells which one it is below: the
/// memory file, or the host's own program. It ends with the host.
pub(crate) fn runs_build(command: Command, small: bool) {
    let mut witness = Witness::new();
    let script = "exec 9>\"$W\"; readlink /proc/$PPID/exe >&9; cat /proc/$PPID/comm >&9
        (setsid sh -c 'echo up >&9; exec sleep 1000' &); sleep 1000; exit";
    let argv = ["sh", "-c", script];
    let mut host = Host::start_with(command, "default", &[], &argv, &witness);
    assert_eq!(host.line("small "), small.to_string());
    let lines = witness.lines(3);
    if small {
        assert!(lines[0].starts_with("/memfd:abide-reaper"), "{lines:?}");
    } else {
        assert_eq!(
            Path::new(&lines[0]),
            Path::new(HOST).canonicalize().unwrap()
        );
    }
    assert_eq!(lines[1..], ["abide-reaper", "up"]);
    drop(host);
    witness.ended("the host ended");
}

/// `ABIDE_SMALL_REAPER=no cargo test` makes a build without the small one.
#[test]
fn the_small_build_runs_where_there_is_one_else_the_portable_one() {
    let small = Launcher::small().is_ok();
    assert_eq!(small, reaper::small_size().is_some());
    runs_build(Command::new(HOST), small);
}

#[test]
fn a_folder_that_cannot_be_entered_is_not_replaced_by_another() {
    let dir = tempfile::tempdir().unwrap();
    let (gone, file) = (dir.path().join("gone"), dir.path().join("file"));
    std::fs::write(&file, "").unwrap();
    let shown = gone.to_str().unwrap();
    fails(
        &["sh", "-c", "true"],
        &gone,
        Stage::Folder,
        &["`sh -c true`", "no such folder", shown],
    );
    fails(
        &["true"],
        &file,
        Stage::Folder,
        &["`true`", "is no folder", file.to_str().unwrap()],
    );
}

#[test]
fn nothing_to_run_and_a_missing_reaper_are_errors_at_once() {
    let spawn = |launcher: Launcher, argv: &[&str]| {
        let (_master, slave) = sys::pty::open(80, 24).unwrap();
        let spec = Spec {
            argv: words(argv),
            cwd: "/".into(),
            env: Vec::new(),
            pane: "p1".to_owned(),
        };
        launcher.spawn(&spec, slave).unwrap_err()
    };
    assert!(matches!(
        spawn(Launcher::at(HOST), &[]),
        SpawnError::NoProgram
    ));
    let missing = spawn(Launcher::at("/no/such/reaper"), &["true"]);
    assert_eq!(
        missing.to_string(),
        "cannot start /no/such/reaper for the pane: No such file or directory"
    );
}

#[test]
fn the_status_is_reported_raw_and_the_reapers_own_code_says_it_too() {
    for (script, expected, code) in [
        ("exit 0", Status::Exited(0), 0),
        ("exit 7", Status::Exited(7), 7),
        ("exit 255", Status::Exited(255), 255),
        ("kill -TERM $$", Status::Killed(15), 143),
        ("kill -SEGV $$", Status::Killed(11), 139),
        ("kill -KILL $$", Status::Killed(9), 137),
    ] {
        let mut pane = Pane::start(&["sh", "-c", script]);
        pane.started();
        let Report::Exited { raw } = pane.report() else {
            panic!("{script}")
        };
        assert_eq!(Status::from_raw(raw), expected, "{script}");
        assert_eq!(
            Status::from_raw(pane.gone()),
            Status::Exited(code),
            "{script}"
        );
    }
}

/// intent-hq/intent#587: the last words of a program that ends at once were lost.
#[test]
fn a_program_that_prints_and_ends_at_once_loses_nothing() {
    for round in 0..40 {
        let print = "head -c 60000 /dev/zero | tr '\\0' x; echo END; exit 3";
        let mut pane = Pane::start(&["sh", "-c", print]);
        pane.started();
        let text = pane.all_output();
        assert_eq!(text.matches('x').count(), 60_000, "round {round}");
        assert!(text.ends_with("END\r\n"), "round {round}");
        let Report::Exited { raw } = pane.report() else {
            panic!("round {round}")
        };
        assert_eq!(Status::from_raw(raw), Status::Exited(3));
    }
}

#[test]
fn the_program_leads_a_session_with_the_pty_as_its_terminal() {
    let dir = tempfile::tempdir().unwrap();
    script(
        dir.path(),
        "here",
        "#!/bin/sh\nset -e\ntty >/dev/null\necho by name >/dev/tty\necho pwd=$PWD\nread x\n",
    );
    let mut pane = Pane::start_in(&["./here"], dir.path(), &[]);
    let pid = pane.started();
    pane.expect("by name\r\n");
    pane.expect(&format!(
        "pwd={}\r\n",
        dir.path().canonicalize().unwrap().display()
    ));
    let main = stat(pid).unwrap();
    assert_eq!(
        (main.session, main.pgrp, main.ppid),
        (pid, pid, pane.reaper)
    );
    assert_eq!(pane.master.foreground(), Some(pid));
    let reaper = stat(pane.reaper).unwrap();
    assert_eq!(
        reaper.session,
        stat(sys::process::Identity::me().pid).unwrap().session
    );
    assert_eq!(
        (reaper.pgrp, reaper.comm.as_str()),
        (pane.reaper, "abide-reaper")
    );
}

#[test]
fn a_script_without_a_first_line_is_run_as_a_shell_would() {
    let dir = tempfile::tempdir().unwrap();
    script(dir.path(), "bare", "exit 9\n");
    let mut pane = Pane::start_in(&["./bare"], dir.path(), &[]);
    pane.started();
    let Report::Exited { raw } = pane.report() else {
        panic!()
    };
    assert_eq!(Status::from_raw(raw), Status::Exited(9));
}

/// child_pty#18: a descriptor that a child inherits by accident keeps a terminal from ever
/// hanging up. The host here is started with one left open and with signals ignored.
#[test]
fn the_program_has_three_descriptors_and_every_signal_as_new() {
    let mut witness = Witness::new();
    let mut sh = Command::new("sh");
    let leaky =
        "exec 7>/dev/null; trap '' HUP INT USR1 USR2 PIPE ALRM TSTP WINCH; exec \"$0\" \"$@\"";
    sh.args(["-c", leaky, HOST]);
    let look = "ls -m /proc/self/fd >\"$W\"; grep -E 'Sig(Ign|Blk)' /proc/self/status >\"$W\"; tty=$(readlink /proc/$$/fd/1); echo $tty >\"$W\"";
    let _host = Host::start_by(sh, &[], &["sh", "-c", look], &witness);
    let lines = witness.lines(4);
    assert_eq!(
        lines[0], "0, 1, 2, 3",
        "3 is the folder that is being listed"
    );
    assert_eq!(lines[1], "SigBlk:\t0000000000000000");
    assert_eq!(lines[2], "SigIgn:\t0000000000000000");
    assert!(lines[3].starts_with("/dev/pts/"), "{lines:?}");
}

#[test]
fn the_reaper_keeps_neither_terminal_nor_folder_and_sleeps_without_a_timer() {
    let dir = tempfile::tempdir().unwrap();
    let mut pane = Pane::start_in(&["sh", "-c", "echo up; read x"], dir.path(), &[]);
    pane.started();
    pane.expect("up");
    let of = |what: &str| std::fs::read_link(format!("/proc/{}/{what}", pane.reaper)).unwrap();
    for fd in 0..3 {
        assert_eq!(of(&format!("fd/{fd}")), Path::new("/dev/null"));
    }
    assert_eq!(of("cwd"), Path::new("/"));
    #[cfg(target_arch = "x86_64")]
    crate::support::until("the reaper waits in ppoll without a timeout", || {
        let call = std::fs::read_to_string(format!("/proc/{}/syscall", pane.reaper));
        let call = call.unwrap_or_default();
        let mut words = call.split(' ');
        words.next() == Some("271") && words.nth(2) == Some("0x0")
    });
}
