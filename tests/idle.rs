//! Idle: a host that nothing needs goes, with all above it; what needs it keeps it.

#![cfg(test)]

use protocol::msg::{Kill, Subscribe};
use protocol::{FromHost, PaneId, Role};
use std::time::Duration;
use testkit::{Home, Signal, Wire, wait};

/// A home whose host leaves after a second of idleness.
fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.write_config("[host]\nidle_exit = 1\n");
    home
}

/// The last live program is gone, an observer as the keeper is one stays connected, ended panes are
/// still readable: none of that holds the host. It says goodbye, and host and root reaper are gone.
#[test]
fn an_observer_does_not_hold_an_idle_host() {
    let home = home();
    let pane = home.pane(["cat"]);
    let (host, root) = (home.host(), home.root_reaper().expect("a root reaper"));
    let mut keeper = Wire::connect(&home, Role::Manage);
    let mut observer = Wire::connect(&home, Role::Observe);
    observer.must(PaneId::NONE, Subscribe {});
    // Longer than the limit: a live program holds the host without anybody attached.
    wait::holds_for(Duration::from_secs(2), "the host", || host.alive());
    keeper.must(pane, Kill {});
    let reason = observer.expect("a goodbye", |said| match &said.message {
        FromHost::Goodbye(goodbye) => Some(goodbye.reason.clone()),
        _ => None,
    });
    assert!(!reason.is_empty());
    host.wait_gone();
    root.wait_gone();
    home.wait_empty();
    assert!(
        !home.state_file("host.json").exists(),
        "it removes its own endpoint"
    );
    assert!(
        home.state_file("host.lock").exists(),
        "the lock's file stays"
    );
    assert_eq!(home.abide(["status", "--json"]).json()["mode"], "none");
}

/// An attachment holds it, even of a pane that has ended; when it goes, so does the host.
#[test]
fn an_attachment_holds_an_idle_host() {
    let home = home();
    let pane = home.script("read -r _");
    let host = home.host();
    let mut client = Wire::connect(&home, Role::Attach);
    client.claim(pane, (80, 24));
    client.input(pane, *b"\r");
    client.expect("the end", |said| {
        matches!(said.message, FromHost::PaneExited(_)).then_some(())
    });
    wait::holds_for(Duration::from_secs(2), "the host", || host.alive());
    drop(client);
    host.wait_gone();
    home.wait_empty();
}

/// paseo#3235, hunk#311: time in which the machine slept, or the daemon was stopped, was counted as
/// idleness of somebody else, and living sessions were reaped at wake-up. Host, root reaper and the
/// pane's own reaper stop for longer than every limit; afterwards nothing has ended.
#[test]
fn time_asleep_ends_nothing() {
    let home = home();
    let pane = home.script("echo up; read -r _; echo still there; sleep 600");
    let _screen = home.wait_capture(pane, "up");
    // Root reaper, host, the pane's reaper, in this order: each watches the next.
    let all = home.processes();
    let everyone: Vec<_> = all
        .iter()
        .filter(|p| p.command().contains("reaper"))
        .collect();
    assert_eq!(everyone.len(), 3, "{everyone:?}");
    for process in &everyone {
        process.signal(Signal::STOP);
        process.wait_state('T');
    }
    let stopped = || {
        everyone
            .iter()
            .all(|p| p.stat().is_some_and(|s| s.state == 'T'))
    };
    wait::holds_for(Duration::from_secs(3), "the stop", stopped);
    for process in &everyone {
        process.signal(Signal::CONT);
    }
    let _typed = home
        .abide(["send", &pane.to_string(), "--keys", "Enter"])
        .ok();
    let _screen = home.wait_capture(pane, "still there");
    assert!(
        everyone.iter().all(|p| p.alive()),
        "somebody was taken for dead"
    );
}
