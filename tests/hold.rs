//! The user's say in a restore that runs: a key that stops the rest, Start fresh and taking it back,
//! settings that change meanwhile; and layouts that others write at the same time.

#![cfg(test)]

use link::layout::Workspace;
use protocol::msg::{CONFLICT, NoteList, NoteSet};
use protocol::{FromHost, PaneId, Role};
use serde_json::Value;
use std::path::{Path, PathBuf};
use testkit::{FakeAgent, Home, Outer, Signal, Wire, until};

const ID: &str = "5e0a3f0e-94c5-4c5e-9d0e-0a1b2c3d4e5f";

fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

fn folder(home: &Home, name: &str) -> PathBuf {
    let folder = home.work().join(name);
    std::fs::create_dir(&folder).expect("a folder");
    folder
}

fn open(home: &Home, folder: &Path) -> Outer {
    let none: [&str; 0] = [];
    Outer::run(home.abide(none).cwd(folder).command(), (100, 30))
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

/// A workspace with a shell and so many agents, all of them written down.
fn shop_with(home: &Home, agents: u32) -> PathBuf {
    let shop = folder(home, "shop");
    let mut window = open(home, &shop);
    window.wait_for(r"ready\$");
    window.command("d");
    window.wait_end();
    for _ in 0..agents {
        let new = home.abide(["new", "--no-attach", "--", "fake-agent"]);
        new.cwd(&shop).ok();
    }
    for pane in 1..=agents + 1 {
        until("a record with its agent", || {
            let record = home.record(PaneId(pane))?;
            (pane == 1 || record["conversation"]["id"].is_string()).then_some(())
        });
    }
    shop
}

/// herdr#4102, orca#12250: a restore that takes long can be stopped from the client, what was to come
/// keeps its place, and comes when it is asked for.
#[test]
fn one_key_stops_the_rest_and_restore_goes_on() {
    let (home, _agents) = world();
    let shop = shop_with(&home, 14);
    power_cut(&home);
    let mut window = open(&home, &shop);
    window.wait_for(r"\d+ pane\(s\) come back - Ctrl-b H stops the rest");
    // Who asks for one that is not there yet hears that it comes.
    let listed = home.abide(["ls", "--json"]).json();
    let coming = listed["coming"].as_array().cloned().unwrap_or_default();
    let last = coming
        .last()
        .and_then(Value::as_str)
        .expect("one that comes");
    let said = home.abide(["capture", last]).fails(3);
    assert!(
        said.contains("is coming back and has not started yet"),
        "{said}"
    );
    window.command("H");
    window.wait_for("held: what has not come back yet stays where it is");
    let held = until("the note that says it is over", || {
        let note = restore_note(&home)?;
        (note["done"] == true).then(|| note["held"].as_array().map_or(0, Vec::len))
    });
    assert!(held > 0, "nothing was left to hold");
    assert_eq!(
        living(&home).len(),
        15 - held,
        "what had not begun stays away"
    );
    assert_eq!(home.records()["hold"], true);
    home.abide(["restore", "--workspace", "nope"]).fails(3);
    home.abide(["restore", "--workspace", "shop"]).ok();
    until("all of them", || (living(&home).len() == 15).then_some(()));
    assert_eq!(home.records()["panes"].as_array().map(Vec::len), Some(15));
    window.command("d");
    window.wait_end();
}

fn restore_note(home: &Home) -> Option<Value> {
    let mut peer = Wire::connect(home, Role::Observe);
    let FromHost::Notes(notes) = peer.ask(PaneId::NONE, NoteList {}) else {
        return None;
    };
    let note = notes
        .notes
        .iter()
        .find(|it| it.key == link::notes::RESTORE)?;
    serde_json::from_slice(&note.value).ok()
}

/// Start fresh in the client asks, lets go of what has not come back, and is taken back by a command.
#[test]
fn start_fresh_in_the_client_can_be_taken_back() {
    let (home, agents) = world();
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"ready\$");
    let new = home.abide(["new", "--no-attach", "--", "fake-agent", "--session-id", ID]);
    let pane: PaneId = new.cwd(&shop).ok().trim().parse().expect("an id");
    home.wait_capture(pane, "^fake>");
    home.abide(["send", &pane.to_string(), "--enter", "hello"])
        .ok();
    home.wait_capture(pane, "you said: hello");
    until("its record", || {
        home.record(pane)
            .filter(|it| it["conversation"]["id"] == ID)
    });
    // It is gone, and offered.
    home.abide(["kill", &pane.to_string()]).ok();
    until("the user's end", || {
        home.record(pane)
            .filter(|it| it["intent"]["kind"] == "ended_by_user")
    });
    window.command("F");
    window.wait_for(r"let go of what would come back in shop\? what runs goes on\. y/n");
    window.type_bytes("n");
    window.wait_without("let go of what would come back");
    assert!(home.record(pane).is_some(), "only `y` is a yes");
    window.command("F");
    window.wait_for("let go of what would come back");
    window.type_bytes("y");
    window.wait_for("shop begins anew; `abide restore --undo` takes that back for 30 days");
    assert_eq!(home.record(pane), None);
    assert_eq!(living(&home), ["p1"], "what runs goes on");
    let back = home.abide(["restore", "--undo", "--json"]).json();
    assert_eq!(back["panes"], serde_json::json!([pane.to_string()]));
    assert_eq!(
        home.abide(["reopen", &pane.to_string()]).ok().trim(),
        pane.to_string()
    );
    agents.wait_live(ID);
    window.command("d");
    window.wait_end();
}

/// Settings count at the next decision, not at the keeper's next start.
#[test]
fn settings_that_change_meanwhile_count() {
    let (home, agents) = world();
    let (pane, _) = agents.pane(&home, &["--session-id", ID]);
    until("its record", || {
        home.record(pane)
            .filter(|it| it["conversation"]["id"] == ID)
    });
    let keeper = home.wait_keeper();
    home.abide(["config", "set", "restore.start", "never"]).ok();
    home.host().signal(Signal::KILL);
    until("that nothing comes back", || {
        let log = home.keeper_log();
        log.contains("resumed 0 workspace(s), 0 terminal(s); 1 skipped")
            .then_some(())
    });
    assert_eq!(home.wait_keeper(), keeper, "the same keeper");
    assert_eq!(agents.starts().len(), 1);
    home.abide(["restore"]).ok();
    let _starts = agents.wait_starts(2);
}

/// One pane has settings of its own, which go before the file's and come back with it; only what can
/// differ from pane to pane is taken.
#[test]
fn a_pane_has_its_own_settings() {
    let (home, agents) = world();
    let (stays, _) = agents.pane(&home, &["--session-id", ID]);
    let (comes, _) = agents.pane(&home, &[]);
    let (stays, comes) = (stays.to_string(), comes.to_string());
    let set = |pane: &str, key: &str, value: &str| {
        home.abide(["config", "set", "--pane", pane, key, value])
    };
    let get = |pane: &str, key: &str| {
        let got = home.abide(["config", "get", "--pane", pane, key]).ok();
        got.trim().to_owned()
    };
    set(&stays, "restore.start", "never").ok();
    set(&comes, "restore.start", "auto").ok();
    set(&comes, "restore.continue", "attended").ok();
    assert_eq!(get(&stays, "restore.start"), "never");
    assert_eq!(get(&stays, "restore.continue"), "default");
    for (key, value, why) in [
        (
            "restore.start",
            "soon",
            "allowed: one of \"auto\", \"on-open\"",
        ),
        ("client.mouse", "true", "is one for all panes"),
        ("restore.stop", "never", "restore.stop"),
    ] {
        let refused = set(&comes, key, value).fails(1);
        assert!(refused.contains(why), "{refused}");
    }
    set("p77", "restore.start", "never").fails(3);
    home.abide(["config", "set", "restore.start", "on-open"])
        .ok();
    until("both conversations", || {
        let known = |pane: u32| {
            home.record(PaneId(pane))?["conversation"]["id"]
                .as_str()
                .map(drop)
        };
        known(1).and(known(2))
    });
    home.host().signal(Signal::KILL);
    until("that one comes back", || {
        let log = home.keeper_log();
        log.contains("resumed 0 workspace(s), 1 terminal(s); 1 skipped")
            .then_some(())
    });
    until("the one", || {
        (living(&home) == [comes.clone()]).then_some(())
    });
    assert_eq!(get(&comes, "restore.start"), "auto");
    assert_eq!(get(&comes, "restore.continue"), "attended");
    assert_eq!(get(&stays, "restore.start"), "never", "it is still offered");
    set(&comes, "restore.start", "default").ok();
    assert_eq!(get(&comes, "restore.start"), "default");
}

/// A client, or a command, that writes a layout while the keeper puts one back: neither loses anything
/// of the other's.
#[test]
fn layouts_that_others_write_meanwhile_are_kept() {
    let home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"ready\$");
    window.command("d");
    window.wait_end();
    for _ in 0..3 {
        home.abide(["new", "--no-attach", "--", "bash"])
            .cwd(&shop)
            .ok();
    }
    let layout = until("the layout", || {
        let layout = home.records()["workspaces"][0].clone();
        let tabs = layout["tabs"].as_array().map_or(0, Vec::len);
        let known = (1..=4).all(|pane| home.record(PaneId(pane)).is_some());
        (tabs == 4 && known).then_some(layout)
    });
    power_cut(&home);
    home.write_config("[keeper]\nenabled = false\n");
    home.abide(["host", "start"]).ok();
    // Somebody was faster, and goes on writing while the keeper does.
    let mut peer = Wire::connect(&home, Role::Control);
    let mut theirs = Workspace::from_json(layout.to_string().as_bytes()).expect("a layout");
    assert!((1..=4).all(|pane| theirs.remove_pane(pane)));
    theirs.add_tab(50);
    let key = theirs.note_key();
    let put = |peer: &mut Wire, workspace: &Workspace, revision: u64| {
        let set = NoteSet {
            key: key.clone(),
            revision: Some(revision),
            value: Some(workspace.to_json().expect("json")),
        };
        match peer.ask(PaneId::NONE, set) {
            FromHost::Failed(failed) if failed.code == CONFLICT => false,
            FromHost::Failed(failed) => panic!("{}", failed.text),
            _ => true,
        }
    };
    assert!(put(&mut peer, &theirs, 0));
    let keeper = home.abide(["keeper", "start"]).spawn();
    let mut next = 51;
    let shown = until("both writers' panes", || {
        let FromHost::Notes(notes) = peer.ask(PaneId::NONE, NoteList {}) else {
            return None;
        };
        let note = notes.notes.iter().find(|it| it.key == key)?;
        let mut there = Workspace::from_json(&note.value).expect("a layout");
        let panes = there.panes();
        if (1..=4).all(|pane| panes.contains(&pane)) {
            return Some(panes);
        }
        if next < 200 {
            there.add_tab(next);
            next += u32::from(put(&mut peer, &there, note.revision));
        }
        None
    });
    assert_eq!(keeper.finish().code, 0);
    assert!((50..next).all(|pane| shown.contains(&pane)), "{shown:?}");
    until("the panes", || (living(&home).len() == 4).then_some(()));
}
