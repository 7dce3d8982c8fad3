//! What the user closed, and how it is had back, with the keeper beside the host.

#![cfg(test)]

use protocol::PaneId;
use serde_json::Value;
use std::path::Path;
use testkit::{FakeAgent, Home, Outer, Signal, until};

fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

/// An id that no other test has: one process of the user may have a conversation open.
fn id(test: u32) -> String {
    format!(
        "7f0a3f0e-94c5-4c5e-9d0e-{:012x}",
        std::process::id() * 16 + test
    )
}

fn open(home: &Home, folder: &Path) -> Outer {
    let none: [&str; 0] = [];
    Outer::run(home.abide(none).cwd(folder).command(), (100, 30))
}

/// Holds a turn, until its conversation is written down.
#[track_caller]
fn talk(home: &Home, pane: PaneId, id: &str) {
    home.abide(["send", &pane.to_string(), "--enter", "hello"])
        .ok();
    home.wait_capture(pane, "you said: hello");
    wait_record(home, pane, |record| record["conversation"]["id"] == id);
}

#[track_caller]
fn wait_record(home: &Home, pane: PaneId, is: impl Fn(&Value) -> bool) {
    until(&format!("the record of {pane}"), || {
        home.record(pane).filter(|record| is(record))
    });
}

fn living(home: &Home) -> Vec<String> {
    let listed = home.abide(["ls", "--json"]).json();
    let panes = listed["panes"].as_array().expect("a list");
    let alive = panes.iter().filter(|pane| pane["alive"] == true);
    let ids = alive.map(|pane| pane["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

/// The power goes.
fn power_cut(home: &Home) {
    let (host, root, keeper) = (home.host(), home.root_reaper(), home.wait_keeper());
    keeper.signal(Signal::KILL);
    root.iter().for_each(|root| root.signal(Signal::KILL));
    host.signal(Signal::KILL);
    keeper.wait_gone();
    home.wait_empty();
}

/// Closing a workspace ends its programs; opening the folder brings every one back in its place.
#[test]
fn a_closed_workspace_comes_back_with_its_folder() {
    let (home, agents) = world();
    let id = id(1);
    let shop = home.work().join("shop");
    std::fs::create_dir(&shop).expect("a folder");
    let mut window = open(&home, &shop);
    window.wait_for(r"ready\$");
    let two = home.abide([
        "new",
        "--no-attach",
        "--",
        "fake-agent",
        "--session-id",
        &id,
    ]);
    assert_eq!(two.cwd(&shop).ok().trim(), "p2");
    home.wait_capture(PaneId(2), "^fake>");
    talk(&home, PaneId(2), &id);
    home.abide(["close", "shop"]).ok();
    window.wait_end();
    assert!(living(&home).is_empty());
    for pane in [1, 2] {
        wait_record(&home, PaneId(pane), |it| {
            it["intent"]["kind"] == "closed_workspace"
        });
    }
    // After a reboot it is offered, not started.
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    let _keeper = home.wait_keeper();
    let dry = home.abide(["restore", "--dry-run", "--json"]).json();
    assert_eq!(dry["skip"], 2, "{dry}");
    assert_eq!(agents.starts().len(), 1);

    let mut window = open(&home, &shop);
    let pid = agents.wait_live(&id);
    until("both panes and no other", || {
        let mut ids = living(&home);
        ids.sort();
        (ids == ["p1", "p2"]).then_some(())
    });
    agents.assert_untouched(pid);
    window.command("n");
    window.wait_for("you said: hello");
    window.command("d");
    assert_eq!(window.wait_end(), 0);
    assert_eq!(agents.starts().len(), 2);
}

/// A pane that was killed stays away (cmux#4149), and `reopen` brings it back in its conversation.
#[test]
fn a_killed_pane_stays_away_until_it_is_reopened() {
    let (home, agents) = world();
    let id = id(2);
    let (pane, _) = agents.pane(&home, &["--session-id", &id]);
    talk(&home, pane, &id);
    let shell = home.pane(["bash"]);
    home.wait_capture(shell, "ready");
    wait_record(&home, shell, |_| true);
    home.abide(["kill", &pane.to_string()]).ok();
    wait_record(&home, pane, |it| it["intent"]["kind"] == "ended_by_user");
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    until("the shell is back", || {
        living(&home).contains(&shell.to_string()).then_some(())
    });
    assert_eq!(agents.starts().len(), 1);
    let offered = home.abide(["reopen", "--json"]).json();
    assert_eq!(offered[0]["conversation"], id.as_str(), "{offered}");
    let reopened = home.abide(["reopen", &pane.to_string()]).ok();
    assert_eq!(reopened.trim(), pane.to_string());
    let pid = agents.wait_live(&id);
    agents.assert_untouched(pid);
    wait_record(&home, pane, |it| it["intent"]["kind"] == "open");
}

/// Daemon start, client and command at once: one process (agent-deck#224, orca#13932).
#[test]
fn whoever_brings_it_back_there_is_one_process() {
    let (home, agents) = world();
    let id = id(3);
    let shop = home.work().join("shop");
    std::fs::create_dir(&shop).expect("a folder");
    let mut window = open(&home, &shop);
    window.wait_for(r"ready\$");
    let two = home.abide([
        "new",
        "--no-attach",
        "--",
        "fake-agent",
        "--session-id",
        &id,
    ]);
    two.cwd(&shop).ok();
    home.wait_capture(PaneId(2), "^fake>");
    talk(&home, PaneId(2), &id);
    window.command("d");
    window.wait_end();
    power_cut(&home);
    let one = home.abide(["restore"]).spawn();
    let two = home.abide(["restore", "--workspace", "shop"]).spawn();
    let mut window = open(&home, &shop);
    agents.wait_live(&id);
    one.finish();
    two.finish();
    until("both panes and no other", || {
        let mut ids = living(&home);
        ids.sort();
        (ids == ["p1", "p2"]).then_some(())
    });
    assert_eq!(agents.starts().len(), 2, "{:?}", agents.starts());
    window.command("d");
    window.wait_end();
}

/// A dialog at the start is shown and never clicked (gascity#5796, superset#7663): the user's one
/// Enter lets the resume finish.
#[test]
fn a_notice_at_the_start_waits_for_the_user() {
    let (home, agents) = world();
    let id = id(4);
    let (pane, _) = agents.pane(&home, &["--session-id", &id]);
    talk(&home, pane, &id);
    agents.settings(&["on-resume notice"]);
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    let start = agents.wait_starts(2).pop().expect("it was started");
    until("the notice", || {
        let out = home.abide(["capture", &pane.to_string()]).run();
        out.stdout.to_lowercase().contains("enter").then_some(())
    });
    testkit::wait::holds_for(
        std::time::Duration::from_secs(1),
        "nothing is typed",
        || agents.read(start.pid).is_empty(),
    );
    home.abide(["send", &pane.to_string(), "--keys", "Enter"])
        .ok();
    home.wait_capture(pane, "you said: hello");
    agents.wait_live(&id);
    assert_eq!(agents.starts().len(), 2);
}

/// Its folder is gone at one start and there at the next (claude-code#28745, claude-code#24267): the shell that stands in
/// its place meanwhile takes nothing away.
#[test]
fn a_blocked_pane_keeps_its_conversation_until_its_folder_is_back() {
    let (home, agents) = world();
    let id = id(5);
    let shop = home.work().join("shop");
    std::fs::create_dir(&shop).expect("a folder");
    let new = home.abide([
        "new",
        "--no-attach",
        "--",
        "fake-agent",
        "--session-id",
        &id,
    ]);
    let pane: PaneId = new.cwd(&shop).ok().trim().parse().expect("an id");
    home.wait_capture(pane, "^fake>");
    talk(&home, pane, &id);
    power_cut(&home);
    let away = home.work().join("away");
    std::fs::rename(&shop, &away).expect("moved");
    home.abide(["host", "start"]).ok();
    until("a shell that says why", || {
        let out = home.abide(["capture", &pane.to_string()]).run();
        let said = out.stdout.replace('\n', "");
        (said.contains("is gone") && said.contains("ready$")).then_some(())
    });
    home.abide(["send", &pane.to_string(), "--enter", "echo in the shell"])
        .ok();
    home.wait_capture(pane, "\nin the shell");
    testkit::wait::holds_for(std::time::Duration::from_secs(3), "the offer stays", || {
        let record = home.record(pane).expect("the record");
        let stays = record["conversation"]["id"] == id.as_str() && record["agent"]["cli"] == "fake";
        assert!(stays, "{record:#}");
        stays
    });
    assert_eq!(agents.starts().len(), 1);
    power_cut(&home);
    std::fs::rename(&away, &shop).expect("moved back");
    home.abide(["host", "start"]).ok();
    agents.wait_live(&id);
    assert_eq!(agents.wait_starts(2)[1].cwd, shop);
}

/// A CLI that is asked for one conversation and opens another (herdr#3671, codex exec resume): that is
/// told and no comeback, what was asked for stays, and `reopen` brings it back beside the other.
#[test]
fn another_conversation_is_told_and_takes_nothing_away() {
    let (home, agents) = world();
    let id = id(6);
    let (pane, _) = agents.pane(&home, &["--session-id", &id]);
    talk(&home, pane, &id);
    agents.settings(&["on-resume other"]);
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    let start = agents.wait_starts(2).pop().expect("it was started");
    let other = until("the other conversation", || {
        let live = agents.live().into_iter();
        let mut mine = live.filter(|it| it["pid"] == start.pid);
        Some(mine.next()?["sessionId"].as_str()?.to_owned())
    });
    let words = format!("asked for {}, it opened {}", &id[..8], &other[..8]);
    wait_record(&home, pane, |it| it["failure"] == words.as_str());
    let record = home.record(pane).expect("the record");
    assert_eq!(record["conversation"]["id"], id.as_str(), "{record:#}");
    assert_eq!(record["tries"], 1);
    let said = until("the pane says so", || {
        let shown = home.abide(["ls", "--json"]).json()["panes"][0].clone();
        (shown["proof"] == words.as_str()).then_some(shown)
    });
    assert_eq!(said["conversation"], Value::Null);
    assert!(home.abide(["ls"]).run().stderr.contains(&words));
    let offered = home.abide(["reopen", "--json"]).json();
    assert_eq!(offered[0]["why"], words.as_str(), "{offered}");
    assert_eq!(agents.starts().len(), 2, "it is left alone");

    agents.settings(&[]);
    let reopened = home.abide(["reopen", &pane.to_string()]).ok();
    let new: PaneId = reopened.trim().parse().expect("an id");
    assert_ne!(new, pane);
    agents.wait_live(&id);
    wait_record(&home, new, |it| it["conversation"]["id"] == id.as_str());
    // What runs there is that pane's own from now on.
    wait_record(&home, pane, |it| {
        it["conversation"]["id"] == other.as_str() && it["failure"] == Value::Null
    });
    let listed = home.abide(["ls", "--json"]).json();
    for shown in listed["panes"].as_array().expect("panes") {
        let proof = shown["proof"].as_str().unwrap_or_default();
        assert!(!proof.contains("it opened"), "{shown}");
        assert_ne!(shown["conversation"], Value::Null, "{shown}");
    }
    let said = home.abide(["ls"]).run().stderr;
    assert!(!said.contains("asks again"), "{said}");
}
