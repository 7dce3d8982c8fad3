//! Who is left alone: what the host asked for, as long as the host lives, and tools that a user keeps.

use crate::support::{HANG, HOST, Host, Pane, REAPER, Witness, kill, until, words};
use reaper::{KEEP, Keep, Kept, Sweeper};
use std::path::{Path, PathBuf};
use std::process::Command;
use sys::process::{Identity, Signal, stat};

/// A helper as agents start them: in a session of its own, with a child, and beside it a daemon that
/// nobody shares. Each says its pid: helper, helper's child, daemon.
const HELPER: &str = "exec 9>\"$W\"
    (setsid sh -c 'echo $$ >&9; sleep 1000 & echo $! >&9; wait' &)
    (setsid sh -c 'echo $$ >&9; exec sleep 1000' &)";

/// Ends whoever a test left alive on purpose.
struct Ended(Vec<Identity>);

impl Drop for Ended {
    fn drop(&mut self) {
        for whom in &self.0 {
            // Gone as it should be.
            let _gone = whom.signal(Signal::KILL);
        }
    }
}

fn identities(lines: &[String]) -> Vec<Identity> {
    let pid = |line: &String| line.parse().unwrap();
    let found = lines.iter().map(|line| Identity::of(pid(line)).unwrap());
    found.collect()
}

fn pane(script: &str, witness: &Witness, env: &[(&str, &str)]) -> Pane {
    let mut all = vec![("W", witness.name())];
    all.extend(env);
    let mut pane = Pane::start_in(&["sh", "-c", script], Path::new("/"), &all);
    pane.started();
    pane
}

/// Helper, its child and the daemon, of which the first was asked to be spared.
fn spared(pane: &Pane, witness: &mut Witness) -> (Vec<Identity>, Ended) {
    let all = identities(&witness.lines(3));
    let session = |it: &Identity| stat(it.pid).unwrap().session;
    // The two start at once: the helper is the one whose session has two.
    let first = all.iter().find(|it| {
        all.iter()
            .filter(|other| session(other) == session(it))
            .count()
            == 2
    });
    let helper = *first.unwrap();
    let helper = Identity::of(session(&helper)).unwrap();
    let child = *all
        .iter()
        .find(|it| session(it) == helper.pid && **it != helper)
        .unwrap();
    let daemon = *all.iter().find(|it| session(it) != helper.pid).unwrap();
    pane.spare(helper);
    (vec![helper, child, daemon], Ended(all))
}

#[test]
fn a_spared_helper_outlives_its_reaper_with_its_children_and_nobody_else_does() {
    let mut witness = Witness::new();
    let mut pane = pane(&format!("{HELPER}\nsleep 1000; exit"), &witness, &[]);
    let (all, _ended) = spared(&pane, &mut witness);
    pane.end();
    pane.gone();
    assert!(all[0].alive() && all[1].alive(), "the helper stays");
    assert!(all[2].wait_gone(HANG), "the rest goes");
    let whose = stat(all[0].pid).unwrap().ppid;
    assert_ne!(whose, pane.reaper);
}

/// The request is on its way when the program ends: it counts.
#[test]
fn a_helper_is_spared_when_the_program_ends_by_itself() {
    let mut witness = Witness::new();
    let mut pane = pane(&format!("{HELPER}\nread x; exit 3"), &witness, &[]);
    let (all, _ended) = spared(&pane, &mut witness);
    kill(pane.reaper, Signal::STOP);
    pane.write("go\n");
    until("the program has ended", || {
        sys::process::children_of(pane.reaper)
            .iter()
            .any(|it| !it.alive())
    });
    kill(pane.reaper, Signal::CONT);
    pane.gone();
    assert!(all[0].alive() && all[1].alive() && all[2].wait_gone(HANG));
}

/// With the host dead there is nobody whose it could be.
#[test]
fn nobody_is_spared_when_the_host_is_dead() {
    let mut witness = Witness::new();
    let script = format!("{HELPER}\nsleep 1000; exit");
    let mut host = Host::start(&[], &["sh", "-c", &script], &witness);
    let all = identities(&witness.lines(3));
    for whom in &all {
        host.spare(whom.pid);
    }
    host.kill();
    witness.ended("a helper without a host");
    assert!(all.iter().all(|it| it.wait_gone(HANG)));
}

#[test]
fn a_pid_with_another_start_time_is_a_stranger() {
    let mut witness = Witness::new();
    let mut pane = pane(&format!("{HELPER}\nsleep 1000; exit"), &witness, &[]);
    for whom in identities(&witness.lines(3)) {
        pane.spare(Identity {
            start: whom.start + 1,
            ..whom
        });
    }
    pane.end();
    pane.gone();
    witness.ended("nobody was spared");
}

/// A program under a name of its own, which reads for ever from what it is given.
fn tool(folder: &Path) -> (PathBuf, String) {
    let path = folder.canonicalize().unwrap().join("tool");
    std::fs::copy("/bin/sleep", &path).unwrap();
    let keep = Keep::new([path.clone()]).unwrap();
    (path, keep.value().into_string().unwrap())
}

/// A tool in a session of its own and one in a stranger's group, with others beside them; each says
/// what it is and its pid.
const TOOLS: &str = "exec 9>\"$W\"
    (setsid sh -c 'echo tool $$ >&9; exec \"$TOOL\" 1000' &)
    (setsid sh -c 'echo other $$ >&9; \"$TOOL\" 1000 & echo tool $! >&9; sleep 1000; exit' &)
    (setsid sh -c 'echo other $$ >&9; exec sleep 1000' &)";

/// The tools, once they are executed, and the others.
fn tools(witness: &mut Witness, tool: &Path) -> (Vec<Identity>, Vec<Identity>, Ended) {
    let lines = witness.lines(4);
    let of = |kind: &str| -> Vec<Identity> {
        let pids = lines.iter().filter_map(|it| it.strip_prefix(kind));
        pids.map(|it| Identity::of(it.trim().parse().unwrap()).unwrap())
            .collect()
    };
    let (kept, others) = (of("tool"), of("other"));
    until("the tools run", || {
        kept.iter()
            .all(|it| sys::process::executable(it.pid).is_some_and(|exe| exe == tool))
    });
    let ended = Ended(kept.clone());
    (kept, others, ended)
}

#[test]
fn a_tool_to_keep_outlives_pane_host_and_sweep() {
    for event in ["closed", "TERM", "host", "reaper, sweep"] {
        let state = tempfile::tempdir().unwrap();
        let (tool, keep) = tool(state.path());
        let mut witness = Witness::new();
        let script = format!(
            "export TOOL='{}' {KEEP}='{keep}'; {TOOLS}\nsleep 1000; exit",
            tool.display()
        );
        let mut command = Command::new(HOST);
        command.env(KEEP, &keep);
        let options = ["--tag", state.path().to_str().unwrap()];
        let mut host = Host::start_by(command, &options, &["sh", "-c", &script], &witness);
        let reaper = host.reaper();
        let (kept, others, _ended) = tools(&mut witness, &tool);
        match event {
            "closed" => drop(host),
            "TERM" => kill(reaper, Signal::TERM),
            "host" => host.kill(),
            _ => {
                kill(reaper, Signal::KILL);
                host.kill();
            }
        }
        if event.ends_with("sweep") {
            // While it dies, its family is still its own business.
            until("the reaper is gone", || {
                stat(reaper).is_none_or(|it| !it.alive())
            });
            let report = reaper::sweep(state.path());
            assert!(report.left.is_empty(), "{report:?}");
        }
        for other in &others {
            assert!(other.wait_gone(HANG), "{event}: {other:?} stays");
        }
        until("the reaper is gone", || {
            stat(reaper).is_none_or(|it| !it.alive())
        });
        assert!(kept.iter().all(Identity::alive), "{event}: the tools stay");
        if !event.ends_with("sweep") {
            assert!(
                kept.iter()
                    .all(|it| Kept::of(state.path()).all().contains(it)),
                "{event}"
            );
        }
        assert!(Sweeper::new(state.path()).find().is_empty(), "{event}");
    }
}

/// Only a pane's own list counts for its reaper: what a program says of itself does not.
#[test]
fn a_program_cannot_keep_itself() {
    let dir = tempfile::tempdir().unwrap();
    let (tool, keep) = tool(dir.path());
    let mut witness = Witness::new();
    let script = format!(
        "export TOOL='{}' {KEEP}='{keep}'; {TOOLS}\nsleep 1000; exit",
        tool.display()
    );
    let mut pane = pane(&script, &witness, &[]);
    let (_kept, _others, _ended) = tools(&mut witness, &tool);
    pane.end();
    pane.gone();
    witness.ended("a family that wants to stay");
}

/// The main program is ended with its pane, whatever it was started from.
#[test]
fn the_panes_own_program_is_never_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (tool, keep) = tool(dir.path());
    let line = [tool.to_str().unwrap(), "1000"];
    let mut pane = Pane::start_in(&line, Path::new("/"), &[(KEEP, &keep)]);
    let main = Identity::of(pane.started()).unwrap();
    pane.end();
    pane.gone();
    assert!(!main.alive());
}

/// One that wrote over its environment, as a master of `ssh` does with its title, is still known by
/// its line in the file.
#[test]
fn a_root_reaper_spares_those_who_were_written_down() {
    let state = tempfile::tempdir().unwrap();
    let (tool, _) = tool(state.path());
    let mut witness = Witness::new();
    let kept = Kept::of(state.path());
    // Not the host's business: both are daemons below the root reaper, without any environment.
    let script = format!(
        "exec 9>\"$W\"; for i in 1 2; do (setsid env -i sh -c 'echo $$ >&9; exec \"{}\" 1000' &); done; read x <\"$GO\"",
        tool.display()
    );
    let go = state.path().join("go");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &go,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let mut argv = words(&[REAPER, reaper::ROOT_COMMAND, "--kept"]);
    argv.push(kept.path().into());
    argv.extend(words(&["--", "sh", "-c", &script]));
    let mut env: Vec<_> = std::env::vars_os().collect();
    env.extend(crate::support::names(&witness));
    env.push(("GO".into(), go.clone().into()));
    let root = sys::daemon::spawn_detached(&argv, &env, &state.path().join("log")).unwrap();
    let both = identities(&witness.lines(2));
    let _ended = Ended(both.clone());
    kept.add(both[0]).unwrap();
    std::fs::write(&go, "go\n").unwrap();
    crate::support::take(root);
    assert!(both[0].alive(), "it was written down");
    assert!(!both[1].alive(), "it was not");
}
