//! Opening a folder whose panes do not run: they come back in their places, or their places say why not.
//! No shell ever stands where something else was.

#![cfg(test)]

use protocol::PaneId;
use serde_json::Value;
use std::path::{Path, PathBuf};
use testkit::{FakeAgent, Home, Outer, Signal, until};

fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

/// An id that no other test has: one process of the user may have a conversation open.
fn id(test: u32) -> String {
    format!(
        "4c0a3f0e-94c5-4c5e-9d0e-{:012x}",
        std::process::id() * 16 + test
    )
}

fn open(home: &Home, folder: &Path) -> Outer {
    let none: [&str; 0] = [];
    Outer::run(home.abide(none).cwd(folder).command(), (100, 30))
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

/// A workspace with a shell on the left, p1, and on the right another, p2, in which an agent was begun.
fn split(home: &Home, id: &str) -> PathBuf {
    let shop = home.work().join("shop");
    std::fs::create_dir(&shop).expect("a folder");
    let mut window = open(home, &shop);
    window.wait_for(r"ready\$");
    window.command("%");
    window.wait_for(r"p1 .* p2 ");
    home.wait_capture(PaneId(2), "ready");
    let start = format!("fake-agent --session-id {id}\r");
    window.type_bytes(&start);
    window.wait_for("fake>");
    window.type_bytes("hello\r");
    window.wait_for("you said: hello");
    until("both records", || {
        let agent = home.record(PaneId(2))?;
        let known = agent["conversation"]["id"] == id && home.record(PaneId(1)).is_some();
        (known && in_layout(&home.records()) == [vec![1, 2]]).then_some(())
    });
    window.command("d");
    window.wait_end();
    shop
}

/// The panes of each tab, as they are written down.
fn in_layout(records: &Value) -> Vec<Vec<u64>> {
    fn leaves(node: &Value) -> Vec<u64> {
        let children = node["children"].as_array().into_iter().flatten();
        let below = children.flat_map(|child| leaves(&child[1]));
        node["pane"].as_u64().into_iter().chain(below).collect()
    }
    let tabs = records["workspaces"][0]["tabs"].as_array();
    let tabs = tabs.into_iter().flatten();
    tabs.map(|tab| leaves(&tab["root"])).collect()
}

fn living(home: &Home) -> Vec<String> {
    let listed = home.abide(["ls", "--json"]).json();
    let panes = listed["panes"].as_array().expect("a list");
    let alive = panes.iter().filter(|pane| pane["alive"] == true);
    let ids = alive.map(|pane| pane["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

/// The workspace stands as it did: both panes side by side in its one tab, shown, and none beside them.
#[track_caller]
fn assert_whole(home: &Home, window: &Outer) {
    window.wait_for(r"p1 .* p2 ");
    window.wait_for("you said: hello");
    until("both panes with the client", || {
        let listed = home.abide(["ls", "--json"]).json();
        let panes = listed["panes"].as_array()?.clone();
        let shown = panes.iter().filter(|pane| pane["attached"] == true);
        (shown.count() == 2 && panes.len() == 2).then_some(())
    });
    let shown = window.text();
    assert!(shown.contains("0:") && !shown.contains("1:"), "{shown}");
    assert_eq!(in_layout(&home.records()), [vec![1, 2]]);
}

/// herdr#3671, cmux#4149: with `on-open` the panes come with the folder, where they were, however often
/// the power goes.
#[test]
fn on_open_brings_every_pane_back_into_its_place() {
    let (home, agents) = world();
    let id = id(1);
    let shop = split(&home, &id);
    home.abide(["config", "set", "restore.start", "on-open"])
        .ok();
    for starts in 2..4 {
        power_cut(&home);
        let mut window = open(&home, &shop);
        assert_whole(&home, &window);
        agents.wait_live(&id);
        assert_eq!(agents.starts().len(), starts);
        window.command("d");
        window.wait_end();
        assert_eq!(living(&home), ["p1", "p2"]);
    }
}

/// The places of both panes say what stays away and why, and nothing runs.
#[track_caller]
fn assert_away(home: &Home, window: &Outer, why: &str) {
    window.wait_for(why);
    window.wait_for(r"bash \(shell\) .* fake \(resume\)");
    window.wait_for(r"p1 .*\[away\].* p2 .*\[away\]");
    testkit::wait::holds_for(std::time::Duration::from_secs(1), "nothing starts", || {
        living(home).is_empty()
    });
    assert_eq!(in_layout(&home.records()), [vec![1, 2]]);
}

/// What is held stays away when its folder is opened, and so does what `never` comes by itself: the places
/// say so, and what is asked for comes into them (herdr#4102, orca#12250).
#[test]
fn what_stays_away_keeps_its_place() {
    for (test, held) in [(2, true), (3, false)] {
        let (home, agents) = world();
        let id = id(test);
        let shop = split(&home, &id);
        power_cut(&home);
        if held {
            home.abide(["restore", "--hold"]).ok();
        } else {
            home.abide(["config", "set", "restore.start", "never"]).ok();
        }
        let mut window = open(&home, &shop);
        let why = if held {
            "held"
        } else {
            "restore.start is never"
        };
        assert_away(&home, &window, why);
        // Again, as another client.
        window.command("d");
        window.wait_end();
        let mut window = open(&home, &shop);
        assert_away(&home, &window, why);
        home.abide(["restore"]).ok();
        assert_whole(&home, &window);
        agents.wait_live(&id);
        window.command("d");
        window.wait_end();
    }
}

/// A workspace that is closed at the moment the power goes, right behind a line typed to its agent, comes back with
/// its folder, and is open again.
#[test]
fn a_workspace_closed_in_a_crash_comes_back_with_its_folder() {
    let (home, agents) = world();
    let id = id(4);
    let shop = split(&home, &id);
    home.abide(["close", "shop"]).ok();
    power_cut(&home);
    assert!(home.records()["workspaces"][0]["closed"].is_u64());
    let mut window = open(&home, &shop);
    assert_whole(&home, &window);
    agents.wait_live(&id);
    window.command("c");
    until("the new tab in the records", || {
        (in_layout(&home.records()) == [vec![1, 2], vec![3]]).then_some(())
    });
    assert!(home.records()["workspaces"][0]["closed"].is_null());
    window.command("d");
    window.wait_end();
}

/// What the user ended does not come back, and nothing stands in its place: killed by a command, or closed in the
/// client a moment before the power goes (cmux#4149).
#[test]
fn the_place_of_what_the_user_ended_closes() {
    for (test, by_key, cut) in [(5, false, true), (6, false, false), (7, true, true)] {
        let (home, agents) = world();
        let id = id(test);
        let shop = split(&home, &id);
        let mut window = None;
        if by_key {
            let shown = open(&home, &shop);
            shown.wait_for("you said: hello");
            shown.command("x");
            shown.wait_for("y/n");
            shown.type_bytes("y");
            window = Some(shown);
        } else {
            home.abide(["kill", "p2"]).ok();
        }
        until("the user's end", || {
            let record = home.record(PaneId(2))?;
            (record["intent"]["kind"] == "ended_by_user").then_some(())
        });
        if cut {
            power_cut(&home);
        } else {
            home.abide(["host", "stop"]).ok();
            home.wait_empty();
        }
        drop(window);
        let mut window = open(&home, &shop);
        window.wait_for(r"ready\$");
        until("one pane in the layout", || {
            (in_layout(&home.records()) == [vec![1]]).then_some(())
        });
        assert_eq!(living(&home), ["p1"]);
        assert_eq!(agents.starts().len(), 1);
        window.command("d");
        window.wait_end();
        let offered = home.abide(["reopen", "--json"]).json();
        assert_eq!(offered[0]["id"], "p2", "{offered}");
    }
}
