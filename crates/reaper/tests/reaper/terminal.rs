//! Job control, stops and sizes in a pane: the reaper is outside the terminal's session and must
//! not be in anybody's way.

use crate::support::{Pane, kill, until};
use reaper::Report;
use std::path::Path;
use sys::process::{Signal, Status};

#[test]
fn a_shells_job_control_works() {
    let mut pane = Pane::start_in(
        &["bash", "--norc", "--noprofile", "-i"],
        Path::new("/"),
        &[("PS1", "$ ")],
    );
    let shell = pane.started();
    pane.expect("$ ");
    pane.write("cat\n");
    until("cat in the foreground", || {
        pane.master.foreground() != Some(shell)
    });
    pane.write("one\n");
    pane.expect("one\r\none\r\n");
    pane.write("\x1a");
    pane.expect("Stopped");
    pane.expect("$ ");
    pane.write("fg\n");
    pane.expect("cat\r\n");
    pane.write("two\n");
    pane.expect("two\r\ntwo\r\n");
    pane.write("\x03");
    pane.expect("$ ");
    pane.write("echo rc=$?\n");
    pane.expect("rc=130\r\n");
    pane.write("exit 4\n");
    let Report::Exited { raw } = pane.report() else {
        panic!("a stop was reported")
    };
    assert_eq!(Status::from_raw(raw), Status::Exited(4));
}

/// agent-of-empires#145: Ctrl-Z in a pane without a shell left the agent stopped for ever.
#[test]
fn the_stop_key_does_not_strand_the_only_program() {
    let mut pane = Pane::start(&["cat"]);
    pane.started();
    pane.write("\x1a");
    pane.expect("^Z");
    pane.write("still here\n");
    pane.expect("still here\r\nstill here\r\n");
}

#[test]
fn a_program_stopped_as_a_whole_is_continued_at_once() {
    let mut pane = Pane::start(&["sh", "-c", "kill -STOP $$; echo back; read x"]);
    let pid = pane.started();
    pane.expect("back");
    kill(pid, Signal::STOP);
    pane.write("\n");
    let Report::Exited { raw } = pane.report() else {
        panic!("the stop was reported")
    };
    assert_eq!(Status::from_raw(raw), Status::Exited(0));
}

/// A group stops for its terminal only while one of its members has its parent in another group
/// of the session, so the program makes such a grandchild first.
const STOPS_FOR_TERMINAL: &str = r#"
use POSIX; $| = 1; my $top = $$; pipe(my $in, my $out);
if (!fork) {
    setpgrp(0, 0);
    if (!fork) { setpgrp(0, $top); syswrite $out, "x"; sleep 1000; exit; }
    wait; exit;
}
sysread $in, my $x, 1;
kill "TTIN", $$;
print "back\n"; <STDIN>;
"#;

#[test]
fn a_stop_for_terminal_input_is_reported_and_left() {
    let mut pane = Pane::start(&["perl", "-e", STOPS_FOR_TERMINAL]);
    let pid = pane.started();
    assert_eq!(
        pane.report(),
        Report::Stopped {
            signal: Signal::TTIN.as_raw()
        }
    );
    assert_eq!(sys::process::stat(pid).unwrap().state, 'T');
    kill(pid, Signal::CONT);
    assert_eq!(pane.report(), Report::Continued);
    pane.expect("back");
}

#[test]
fn a_new_size_reaches_the_program() {
    let wait = "trap 'stty size' WINCH; echo ready; while :; do sleep 1000 & wait; done";
    let mut pane = Pane::start(&["sh", "-c", wait]);
    pane.started();
    pane.expect("ready");
    pane.master.resize(101, 31).unwrap();
    pane.expect("31 101");
}

/// Only the session's leader is told by the kernel that its terminal is gone.
#[test]
fn closing_the_terminal_hangs_the_program_up() {
    let (master, slave) = sys::pty::open(80, 24).unwrap();
    let mut witness = crate::support::Witness::new();
    let script = "exec 9>\"$W\"; trap 'echo hup >&9; exit' HUP; echo up >&9; while :; do sleep 1000 & wait; done";
    let spec = reaper::Spec {
        argv: crate::support::words(&["sh", "-c", script]),
        cwd: "/".into(),
        env: std::env::vars_os()
            .chain([("W".into(), witness.path.clone().into())])
            .collect(),
        pane: "p1".to_owned(),
    };
    let reaped = crate::support::launcher().spawn(&spec, slave).unwrap();
    witness.lines(1);
    drop(master);
    assert_eq!(witness.lines(2), ["up", "hup"]);
    witness.ended("hung up");
    crate::support::take(reaped.reaper);
}
