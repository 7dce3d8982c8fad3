//! The keeper: one beside each host, which writes down what runs and goes when its host says goodbye.

#![cfg(test)]

use testkit::{Home, Signal, until};

fn home() -> Home {
    Home::with_keeper(env!("CARGO_BIN_EXE_abide"))
}

/// Whoever starts the host starts the keeper beside it; both are gone after `host stop`.
#[test]
fn it_comes_and_goes_with_its_host() {
    let home = home();
    let pane = home.pane(["cat"]);
    let keeper = home.wait_keeper();
    assert_ne!(
        keeper.stat().expect("it lives").parent,
        home.host().pid,
        "beside, not below"
    );
    let record = until("the pane's record", || home.record(pane));
    assert_eq!(record["argv"], serde_json::json!(["cat"]));
    assert_eq!(record["cwd"], home.work().to_str().expect("text"));
    assert_eq!(record["intent"]["kind"], "open");
    assert_eq!(record["shell"], false);
    let host = home.host().pid;
    until("whose panes these are", || {
        (home.records()["host"]["pid"] == host).then_some(())
    });
    let _said = home.abide(["host", "stop"]).ok();
    keeper.wait_gone();
    home.wait_empty();
    let record = home.record(pane).expect("records stay");
    assert_eq!(
        record["intent"]["kind"], "open",
        "an end that was announced means nothing"
    );
}

/// One at a time, however many start one; and each way to start and stop it.
#[test]
fn there_is_one_at_a_time() {
    let home = home();
    home.start();
    let keeper = home.wait_keeper();
    let said = home.abide(["keeper", "start", "--json"]).json();
    assert_eq!(said["keeper_pid"], keeper.pid);
    let said = home.abide(["keeper", "run"]).fails(1);
    assert!(
        said.contains("runs for this state folder already"),
        "{said}"
    );
    let stopped = home.abide(["keeper", "stop", "--json"]).json();
    assert_eq!(stopped["stopped"], keeper.pid);
    assert!(!keeper.alive() && home.host().alive());
    let said = home.abide(["keeper", "start", "--json"]).json();
    let second = home.wait_keeper();
    assert_eq!(said["keeper_pid"], second.pid);
    // Killed, it is back with the next command that could start a host.
    second.signal(Signal::KILL);
    second.wait_gone();
    let pane = home.pane(["cat"]);
    let third = home.wait_keeper();
    assert_ne!(third, second);
    until("the pane's record", || home.record(pane));
}

/// Without the setting no command starts one.
#[test]
fn a_setting_turns_it_off() {
    let home = home();
    home.write_config("[keeper]\nenabled = false\n");
    let _pane = home.pane(["cat"]);
    assert_eq!(home.keeper(), None);
    assert!(!home.state_file("keeper.lock").exists());
}

/// The keeper is an observer: it does not keep an idle host.
#[test]
fn it_does_not_hold_the_host() {
    let home = home();
    home.write_config("[host]\nidle_exit = 1\n");
    let pane = home.pane(["true"]);
    let host = home.host();
    let keeper = home.wait_keeper();
    host.wait_gone();
    keeper.wait_gone();
    home.wait_empty();
    assert!(home.record(pane).is_some());
}
