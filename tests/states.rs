//! What a pane without an agent is said to do: by who has its terminal, and never by a still screen; and
//! what has it, where.

#![cfg(test)]

use protocol::PaneId;
use serde_json::{Value, json};
use testkit::{Home, until};

fn send(home: &Home, pane: PaneId, line: &str) {
    home.abide(["send", &pane.to_string(), "--enter", line])
        .ok();
}

#[track_caller]
fn wait(home: &Home, pane: PaneId, goal: [&str; 2]) {
    let pane = pane.to_string();
    home.abide(["wait", &pane, goal[0], goal[1], "--timeout", "60"])
        .ok();
}

fn listed(home: &Home, pane: PaneId) -> Value {
    let list = home.abide(["ls", "--json"]).json();
    let panes = list["panes"].as_array().expect("a list");
    let ours = panes.iter().find(|it| it["id"] == pane.to_string());
    ours.expect("the pane").clone()
}

/// Every plain shell `needs input` ten seconds after its first command, and so did vim in it.
#[test]
fn a_shell_is_idle_or_works_and_needs_no_input() {
    let home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let (idle, busy) = (home.pane(["bash", "--norc"]), home.pane(["bash", "--norc"]));
    for pane in [idle, busy] {
        wait(&home, pane, ["--state", "idle"]);
    }
    send(&home, busy, "echo begun; cat");
    wait(&home, busy, ["--state", "working"]);
    send(&home, idle, "echo $((6 * 7)); ls /");
    home.wait_capture(idle, "^42");
    for pane in [idle, busy] {
        wait(&home, pane, ["--idle", "10.5"]);
    }
    for (pane, state, evidence) in [
        (idle, "idle", "the shell waits for a command"),
        (busy, "working", "the shell runs a program"),
    ] {
        let listed = listed(&home, pane);
        assert_eq!(listed["state"], state, "{listed}");
        assert_eq!(listed["evidence"], evidence, "{listed}");
        assert_eq!(listed["agent"], Value::Null);
    }
    home.abide(["send", &busy.to_string(), "--keys", "C-d"])
        .ok();
    wait(&home, busy, ["--state", "idle"]);
    // A program that asks for the user on purpose is still heard.
    send(&home, busy, r"printf '\e]9;build done\a'");
    wait(&home, busy, ["--state", "needs_input"]);
    // The host tells of input once a second.
    wait(&home, busy, ["--idle", "1.2"]);
    send(&home, busy, "true");
    wait(&home, busy, ["--state", "idle"]);
}

/// COMMAND was the shell for ever, and the folder was the one it had been started in.
#[test]
fn what_runs_and_where_is_that_of_the_foreground() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let pane = home.pane(["bash"]);
    home.wait_capture(pane, "ready");
    let work = home.work().join("there");
    std::fs::create_dir(&work).expect("a folder");
    let work = std::fs::canonicalize(work).expect("its path");
    send(&home, pane, "cd there; cat");
    let listed = until("the foreground", || {
        let listed = listed(&home, pane);
        (listed["foreground"]["argv"] == json!(["cat"])).then_some(listed)
    });
    let shown = work.display().to_string();
    assert_eq!(listed["foreground"]["cwd"], shown);
    assert_ne!(listed["foreground"]["pid"], listed["pid"]);
    assert_eq!(listed["argv"], json!(["bash"]));
    assert_ne!(listed["cwd"], shown);
    let table = home.abide(["ls"]).ok();
    let row = table.lines().find(|line| line.starts_with("p1 "));
    let row = row.expect("a row");
    assert!(row.ends_with("there  cat"), "{table}");
    home.abide(["send", &pane.to_string(), "--keys", "C-d"])
        .ok();
    until("the shell in front", || {
        let listed = self::listed(&home, pane);
        let front = &listed["foreground"];
        (front["argv"] == json!(["bash"]) && front["cwd"] == shown).then_some(())
    });
}
