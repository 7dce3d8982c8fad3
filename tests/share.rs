//! A helper that several panes use, as Codex's app-server daemon is: it lives as long as the last of
//! them, whoever started it, and no longer.

#![cfg(test)]

use protocol::msg::{self, Share};
use protocol::{FromHost, PaneId, Role};
use std::path::Path;
use testkit::wire::Wire;
use testkit::{Home, Process, Signal, until};

/// A helper with a child in a session of its own, and a daemon that nobody shares. Asked by a file,
/// the helper starts a daemon of its own. All carry the first pane's environment.
const FIRST: &str = r#"
(setsid sh -c '
  sleep 1000 &
  echo $! >child.new; mv child.new child
  echo $$ >helper.new; mv helper.new helper
  until [ -e go ]; do sleep 0.02; done
  (setsid sh -c "echo \$\$ >late.new; mv late.new late; exec sleep 1000" &)
  wait' &)
(setsid sh -c 'echo $$ >daemon.new; mv daemon.new daemon; exec sleep 1000' &)
echo ready; read x; exit 3"#;

struct Panes {
    first: PaneId,
    second: PaneId,
    helper: Process,
    child: Process,
    daemon: Process,
    keeper: Wire,
    home: Home,
}

fn said(dir: &Path, name: &str) -> Process {
    let text = until(name, || std::fs::read_to_string(dir.join(name)).ok());
    Process::of(text.trim().parse().expect("a number")).expect("it lives")
}

const fn share(whom: Process) -> Share {
    Share {
        pid: whom.pid.cast_unsigned(),
        start: whom.start,
    }
}

impl Panes {
    /// Two panes that share a helper of the first.
    fn start() -> Self {
        let home = Home::new(env!("CARGO_BIN_EXE_abide"));
        let dir = home.work();
        let first = home.script(&format!("cd '{}'; {FIRST}", dir.display()));
        let second = home.script("read x");
        let [helper, child, daemon] = ["helper", "child", "daemon"].map(|it| said(&dir, it));
        let mut keeper = Wire::connect(&home, Role::Manage);
        for pane in [first, second] {
            keeper.must(pane, share(helper));
        }
        Self {
            first,
            second,
            helper,
            child,
            daemon,
            keeper,
            home,
        }
    }

    fn kill(&self, pane: PaneId) {
        let _said = self.home.abide(["kill", &pane.to_string()]).ok();
    }

    fn reaper(&mut self, pane: PaneId) -> Process {
        let facts = self.keeper.list();
        let facts = facts.iter().find(|it| it.pane == pane.0).expect("listed");
        Process::of(facts.reaper.cast_signed()).expect("it lives")
    }

    /// The first pane is over: its family is gone, the helper is the host's.
    fn helper_alone(&self) {
        self.daemon.wait_gone();
        let host = self.home.host().pid;
        until("the helper is the host's child", || {
            self.helper
                .stat()
                .is_some_and(|it| it.parent == host)
                .then_some(())
        });
        assert!(self.child.alive(), "whatever is below it stays too");
        let found = self.home.abide(["doctor", "--reap"]).ok();
        assert_eq!(found.trim(), "no program is without its reaper");
        assert!(
            self.helper.alive() && self.child.alive(),
            "no sweep ends it"
        );
    }

    fn helper_gone(&self) {
        self.helper.wait_gone();
        self.child.wait_gone();
    }
}

#[test]
fn the_helper_outlives_the_pane_that_started_it_and_ends_with_the_last() {
    let panes = Panes::start();
    panes.kill(panes.first);
    panes.helper_alone();
    panes.kill(panes.second);
    panes.helper_gone();
    assert!(panes.home.host().alive());
}

#[test]
fn the_helper_stays_while_the_pane_that_started_it_lives() {
    let panes = Panes::start();
    panes.kill(panes.second);
    until("the second pane is over", || {
        let list = panes.home.abide(["ls", "--json"]).json();
        list.to_string().contains("\"alive\":false").then_some(())
    });
    assert!(panes.helper.alive() && panes.daemon.alive());
    panes.kill(panes.first);
    panes.helper_gone();
    panes.daemon.wait_gone();
}

#[test]
fn the_program_that_started_it_may_end_by_itself() {
    let mut panes = Panes::start();
    let first = panes.first;
    let mut typist = Wire::connect(&panes.home, Role::Control);
    let reaper = panes.reaper(first);
    typist.input(first, "x\n");
    reaper.wait_gone();
    panes.helper_alone();
    panes.kill(panes.second);
    panes.helper_gone();
}

#[test]
fn a_killed_reaper_takes_its_family_but_not_the_helper() {
    let mut panes = Panes::start();
    let first = panes.first;
    panes.reaper(first).signal(Signal::KILL);
    panes.helper_alone();
    panes.kill(panes.second);
    panes.helper_gone();
}

/// What it starts for the second pane is not ended because its mark names the first one's reaper.
#[test]
fn what_the_helper_lets_go_later_ends_with_it() {
    let panes = Panes::start();
    panes.kill(panes.first);
    panes.helper_alone();
    std::fs::write(panes.home.work().join("go"), "").expect("the work folder is there");
    let late = said(&panes.home.work(), "late");
    let host = panes.home.host().pid;
    until("it is the host's child", || {
        late.stat()
            .is_some_and(|it| it.parent == host)
            .then_some(())
    });
    panes.helper_alone();
    assert!(late.alive());
    panes.kill(panes.second);
    panes.helper_gone();
    late.wait_gone();
}

#[test]
fn without_a_host_the_helper_ends() {
    let panes = Panes::start();
    panes.kill(panes.first);
    panes.helper_alone();
    let root = panes.home.root_reaper().expect("a root reaper");
    panes.home.host().signal(Signal::KILL);
    panes.helper_gone();
    root.wait_gone();
}

#[test]
fn a_host_that_stops_ends_the_helper() {
    let panes = Panes::start();
    panes.kill(panes.first);
    panes.helper_alone();
    let _said = panes.home.abide(["host", "stop"]).ok();
    assert!(!panes.helper.alive() && !panes.child.alive());
}

/// Only what lives below a reaper of this host can be shared, and only by its exact start.
#[test]
fn strangers_are_not_shared() {
    let mut panes = Panes::start();
    let stranger = std::process::Command::new("sleep").arg("1000").spawn();
    let mut stranger = stranger.expect("sleep starts");
    let whom = Process::of(stranger.id().cast_signed()).expect("it lives");
    let other = Process {
        start: panes.helper.start + 1,
        ..panes.helper
    };
    let main = panes.keeper.list()[0].pid.cast_signed();
    let main = Process::of(main).expect("it lives");
    let reaper = panes.reaper(panes.first);
    for (whom, want) in [
        (whom, msg::FORBIDDEN),
        (panes.home.host(), msg::FORBIDDEN),
        (main, msg::FORBIDDEN),
        (reaper, msg::FORBIDDEN),
        (other, msg::NOT_ALIVE),
    ] {
        let answer = panes.keeper.ask(panes.first, share(whom));
        let FromHost::Failed(failed) = answer else {
            panic!("{whom:?}: {answer:?}");
        };
        assert_eq!(failed.code, want, "{}", failed.text);
    }
    let mut control = Wire::connect(&panes.home, Role::Control);
    let answer = control.ask(panes.first, share(panes.helper));
    assert!(matches!(answer, FromHost::Failed(it) if it.code == msg::FORBIDDEN));
    stranger.kill().expect("it is ours");
    stranger.wait().expect("it ended");
    panes.kill(panes.first);
    panes.kill(panes.second);
    panes.helper_gone();
}
