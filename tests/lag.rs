//! Lag: a viewer that stops or crawls slows nobody, and shows the exact screen when it goes on.

#![cfg(test)]

use protocol::msg::{Ack, split_offset};
use protocol::{FromHost, PaneId, Role};
use std::time::Duration;
use testkit::{Home, Outer, Signal, View, Wire, until};

/// Unacknowledged output a connection may have for a pane, as docs/protocol.md says.
const CREDIT: u64 = 256 * 1024;

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    home
}

/// Ten megabytes in lines, then a word.
const FLOOD: &str =
    "read -r _; seq -f 'line %020g of a flood of ten megabytes' 1 180000; echo FLOOD-OVER";

/// shpool#335, #347, #399, #413: a stopped client's full socket stalled the session and then the
/// whole daemon. With client A stopped, ten megabytes flow, `ls` and a second viewer work, and after
/// CONT the window shows exactly what the pane holds.
#[test]
fn a_stopped_client_stalls_nobody() {
    let home = home();
    let pane = home.script(&format!("{FLOOD}; sleep 600"));
    let window = Outer::open(&home, (100, 30), ["attach", &pane.to_string()]);
    window.wait_until("a drawn screen", |t| t.modes().alternate.then_some(()));
    window.signal(Signal::STOP);
    window.process().wait_state('T');

    let mut control = Wire::connect(&home, Role::Control);
    control.input(pane, *b"\r");
    let other = home.script("echo other pane; sleep 600");
    let _listed = home.abide(["ls"]).ok();
    let _screen = home.wait_capture(pane, "FLOOD-OVER");
    assert!(control.facts(pane).offset > 8_000_000);
    let mut second = View::attach(&home, other, (80, 24));
    second.wait_for("other pane");
    let mut watcher = View::watch(&home, pane);
    watcher.wait_for("FLOOD-OVER");

    window.signal(Signal::CONT);
    window.wait_for("FLOOD-OVER");
    let screen = home.capture(pane);
    let lines: Vec<_> = screen.lines().map(str::trim_end).collect();
    window.wait_until("the pane's very screen", |t| {
        let text = t.text();
        let shown: Vec<_> = text.lines().map(str::trim_end).collect();
        (shown.len() >= lines.len() && shown[..lines.len()] == lines[..]).then_some(())
    });
}

/// The same on the wire: without acknowledgements no more than the credit comes, nothing is queued
/// for later; with the credit comes a snapshot of now, and the stream goes on from its offset.
#[test]
fn without_credit_comes_a_snapshot_not_the_backlog() {
    let home = home();
    let pane = home.script(&format!("{FLOOD}; read -r _; echo and on; sleep 600"));
    let mut wire = Wire::connect(&home, Role::Attach);
    wire.claim(pane, (100, 30));
    let mut last = 0;
    let (mut bytes, mut snapshots) = (0u64, 0);
    let mut control = Wire::connect(&home, Role::Control);
    control.input(pane, *b"\r");
    let _screen = home.wait_capture(pane, "FLOOD-OVER");
    while let Some(said) = wire.next(Duration::from_millis(500)) {
        match said.message {
            FromHost::Output(payload) => {
                let (offset, output) = split_offset(&payload).expect("an offset");
                assert_eq!(offset, last, "a gap");
                last = offset + output.len() as u64;
                bytes += output.len() as u64;
            }
            FromHost::Snapshot(payload) => {
                last = split_offset(&payload).expect("an offset").0;
                snapshots += 1;
            }
            _ => {}
        }
    }
    assert_eq!(snapshots, 1, "only the first");
    assert!(bytes <= CREDIT, "{bytes} bytes without credit");
    let now = control.facts(pane).offset;
    assert!(last < now, "the flood went on meanwhile");

    wire.send(pane, Ack { offset: last });
    let offset = wire.expect("a snapshot", |said| match &said.message {
        FromHost::Snapshot(payload) => Some(split_offset(payload).expect("an offset").0),
        FromHost::Output(_) => panic!("the backlog came"),
        _ => None,
    });
    assert_eq!(offset, now);
    wire.send(pane, Ack { offset });
    control.input(pane, *b"\r");
    let next = wire.expect("the live stream", |said| match &said.message {
        FromHost::Output(payload) => Some(split_offset(payload).expect("an offset").0),
        _ => None,
    });
    assert_eq!(next, offset, "from that very byte");
}

/// codemux#53, oh-my-pi#6854, orca#10306: memory grew with the backlog of a slow consumer.
#[test]
fn a_lagging_viewer_costs_no_memory() {
    let home = home();
    let pane = home.script(&format!("{FLOOD}; sleep 600"));
    let mut held: Vec<Wire> = (0..8).map(|_| Wire::connect(&home, Role::Watch)).collect();
    for wire in &mut held {
        wire.must(
            PaneId::NONE,
            protocol::msg::Watch {
                panes: vec![pane.0],
            },
        );
    }
    let resident = |pid: i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the host");
        let line = status
            .lines()
            .find(|l| l.starts_with("VmRSS:"))
            .expect("VmRSS");
        line.split_whitespace()
            .nth(1)
            .expect("kB")
            .parse::<u64>()
            .expect("kB")
    };
    let mut control = Wire::connect(&home, Role::Control);
    control.input(pane, *b"\r");
    let _screen = home.wait_capture(pane, "FLOOD-OVER");
    let after = resident(home.host().pid);
    // The scrollback's own bound is 32 MiB a pane; eight backlogs of 9 MB would stand above it.
    assert!(after < 96 * 1024, "{after} kB");
}

/// Another pane's echo comes while one floods and its viewer does not keep up.
#[test]
fn another_pane_answers_during_a_flood() {
    let home = home();
    let flood = home.script("while :; do seq 1 10000; done");
    let _held = {
        let mut wire = Wire::connect(&home, Role::Attach);
        wire.claim(flood, (80, 24));
        wire
    };
    let quiet = home.pane(["cat"]);
    let mut view = View::attach(&home, quiet, (80, 24));
    for word in ["one", "two", "three"] {
        view.type_bytes(format!("{word}\r"));
        view.wait_for(&format!("^{word}$\n^{word}$"));
    }
    let _killed = home.abide(["kill", &flood.to_string()]).ok();
    until("its end", || {
        let ls = home.abide(["ls", "--json"]).json();
        let entry = ls["panes"]
            .as_array()?
            .iter()
            .find(|p| p["id"] == flood.to_string())?
            .clone();
        (entry["alive"] == false).then_some(())
    });
}
