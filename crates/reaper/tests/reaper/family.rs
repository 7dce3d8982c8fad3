//! Families that try to get away, when their pane is closed, and traps on the way to that. What
//! else can happen to a pane and its watchers is the escape table's, beside this.

use crate::support::{Host, Pane, Witness, kill, until};
use std::path::Path;
use sys::process::{Identity, Signal, children_of};

/// Name, script (descriptor 9 is the witness), lines it says when it is complete. Each goes on
/// on or ends as the test wants.
const FAMILIES: [(&str, &str, usize); 7] = [
    ("plain child", "sleep 1000 & echo up >&9", 1),
    (
        "sessions, double forks, nohup",
        "setsid sh -c 'echo up >&9; exec sleep 1000' &
         (setsid sh -c 'echo up >&9; sleep 1000 & exec sleep 1000' &)
         nohup sh -c 'echo up >&9; exec sleep 1000' >/dev/null 2>&1 &",
        3,
    ),
    (
        "double fork without environment",
        "(setsid env -i PATH=\"$PATH\" sh -c 'echo up >&9; exec sleep 1000' &)",
        1,
    ),
    (
        "100 children",
        "i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i+1)); done; echo up >&9",
        1,
    ),
    (
        "stopped child",
        "sleep 1000 & kill -STOP $!; echo up >&9",
        1,
    ),
    (
        "nested host with a pty and a subreaper of its own",
        "setsid \"$HOST\" \"$REAPER\" --subreaper --stay -- \
         sh -c 'exec 9>\"$W\"; setsid sh -c \"echo up >&9; exec sleep 1000\"' >/dev/null &",
        1,
    ),
    (
        "orphans in the background",
        "(sleep 1000 & sleep 1000 & setsid sleep 1000 &) ; echo up >&9",
        1,
    ),
];

/// Those that no polite signal ends: they cost the grace of three seconds.
const STUBBORN: [(&str, &str, usize); 4] = [
    (
        "ignores TERM, HUP, INT",
        "trap '' TERM HUP INT; setsid sh -c 'echo up >&9; sleep 1000; sleep 1000' & sleep 1000 &",
        1,
    ),
    ("chain of forks", "cd \"$D\"; sh ./comet &", 3),
    (
        "chain of forks, each a session",
        "cd \"$D\"; sh ./setsid-comet &",
        3,
    ),
    (
        "chain of forks that ignores TERM",
        "cd \"$D\"; trap '' TERM; sh ./comet &",
        3,
    ),
];

/// Each link starts the next and ends. The first few say that it is under way.
fn comets(folder: &Path) {
    let link = |start: &str| {
        format!("n=${{1:-0}}; [ $n -gt 3 ] || echo up >&9; {start} sh \"$0\" $((n+1)) & exit\n")
    };
    crate::support::script(folder, "comet", &link(""));
    crate::support::script(folder, "setsid-comet", &link("setsid"));
}

/// How a main program goes on that lives until it is ended.
const STAY: &str = "sleep 1000; exit";

/// Runs every family in a thread of its own: starts it, lets `end` end it, waits for its end.
fn each(
    families: &[(&str, &str, usize)],
    last: &str,
    end: impl Fn(&str, &mut Witness, &Path) + Sync,
) {
    let dir = tempfile::tempdir().unwrap();
    comets(dir.path());
    std::thread::scope(|scope| {
        for (name, script, _) in families {
            let (end, dir) = (&end, dir.path());
            scope.spawn(move || {
                let mut witness = Witness::new();
                end(
                    &format!("exec 9>\"$W\"; {script}\n{last}"),
                    &mut witness,
                    dir,
                );
                witness.ended(name);
            });
        }
    });
}

fn complete(families: &[(&str, &str, usize)], script: &str) -> usize {
    families
        .iter()
        .find(|it| script.contains(it.1))
        .map_or(1, |it| it.2)
}

fn pane(script: &str, witness: &Witness, folder: &Path) -> Pane {
    let env = [
        ("W", witness.name()),
        ("D", folder.to_str().unwrap()),
        ("HOST", crate::support::HOST),
        ("REAPER", crate::BUILD),
    ];
    let mut pane = Pane::start_in(&["sh", "-c", script], folder, &env);
    pane.started();
    pane
}

fn host(options: &[&str], script: &str, witness: &Witness, folder: &Path) -> Host {
    let script = format!("D='{}'; export D; {script}", folder.display());
    Host::start(options, &["sh", "-c", &script], witness)
}

#[test]
fn closing_the_lifeline_ends_every_family() {
    each(&FAMILIES, STAY, |script, witness, folder| {
        let mut pane = pane(script, witness, folder);
        witness.lines(complete(&FAMILIES, script));
        pane.end();
        pane.gone();
    });
}

#[test]
fn closing_the_lifeline_ends_the_stubborn_too() {
    each(&STUBBORN, STAY, |script, witness, folder| {
        let mut pane = pane(script, witness, folder);
        witness.lines(complete(&STUBBORN, script));
        pane.end();
        pane.gone();
    });
}

#[test]
fn a_killed_reapers_family_is_ended_by_the_host() {
    each(&STUBBORN, STAY, |script, witness, folder| {
        let mut host = host(&["--subreaper"], script, witness, folder);
        let reaper = host.reaper();
        witness.lines(complete(&STUBBORN, script));
        kill(reaper, Signal::KILL);
        host.line("reaper-ended 9");
        witness.ended(script);
        until("no child is left", || children_of(host.pid()).is_empty());
    });
}

#[test]
fn orphans_leave_no_zombies() {
    let mut witness = Witness::new();
    let script = "exec 9>\"$W\"; i=0; while [ $i -lt 200 ]; do (true &); i=$((i+1)); done; echo up >&9; read x";
    let pane = pane(script, &witness, Path::new("/"));
    witness.lines(1);
    until("only the main program is left", || {
        children_of(pane.reaper).len() == 1
    });
}

/// A lifeline that another process holds too never ends, so the host's death is watched as well.
#[test]
fn a_leaked_lifeline_does_not_keep_a_family_alive() {
    let mut witness = Witness::new();
    let (_master, slave) = sys::pty::open(80, 24).unwrap();
    let (_report, report_end) = std::io::pipe().unwrap();
    let (lifeline_end, _leaked) = std::io::pipe().unwrap();
    // A shell as the host: its background jobs have their stdin replaced, so it is passed on.
    let host = format!(
        "exec 3<&0; \"$0\" {} $$ 0 p1 / - -- sh -c 'exec 9>\"$W\"; echo up >&9; read x' <&3 3<&- & wait",
        reaper::PANE_COMMAND
    );
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &host, &crate::support::reaper_file()])
        .env("W", &witness.path);
    command.stdin(slave).stdout(report_end).stderr(lifeline_end);
    let mut host = command.spawn().unwrap();
    witness.lines(1);
    host.kill().unwrap();
    host.wait().unwrap();
    witness.ended("family of a host with a leaked lifeline");
}

/// A reaper that is started when its host is dead already starts nothing.
#[test]
fn a_reaper_of_another_host_starts_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let made = dir.path().join("made");
    let (_master, slave) = sys::pty::open(80, 24).unwrap();
    let (_report, report_end) = std::io::pipe().unwrap();
    let (lifeline_end, _lifeline) = std::io::pipe().unwrap();
    let mut command = std::process::Command::new(crate::support::reaper_file());
    command
        .args([
            reaper::PANE_COMMAND,
            "1",
            "1",
            "p1",
            "/",
            "-",
            "--",
            "touch",
        ])
        .arg(&made);
    command.stdin(slave).stdout(report_end).stderr(lifeline_end);
    assert_ne!(Identity::me().pid, 1);
    assert_eq!(command.status().unwrap().code(), Some(127));
    assert!(!made.exists());
}
