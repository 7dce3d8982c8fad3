//! Workspaces and the commands around them: what `abide` opens, what `new` adds, what `close`
//! forgets, and what a command typed inside a pane may not do.

#![cfg(test)]

use serde_json::Value;
use std::path::Path;
use testkit::{Home, Outer, Signal, until};

const SIZE: (u16, u16) = (100, 30);

fn home() -> Home {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.set_env("SHELL", "/bin/sh");
    home.set_env("PS1", "$ ");
    home
}

fn open(home: &Home, folder: &Path) -> Outer {
    let none: [&str; 0] = [];
    Outer::run(home.abide(none).cwd(folder).command(), SIZE)
}

fn folder(home: &Home, name: &str) -> std::path::PathBuf {
    let folder = home.work().join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn detach(window: &mut Outer) {
    window.command("d");
    assert_eq!(window.wait_end(), 0);
}

fn ls(home: &Home) -> Value {
    home.abide(["ls", "--json"]).json()
}

/// What commands started in a folder is what its new workspace shows.
#[test]
fn a_new_workspace_begins_with_the_panes_started_in_its_folder() {
    let home = home();
    let shop = folder(&home, "shop");
    home.abide(["new", "--", "sh", "-c", "echo from the shop; exec cat"])
        .cwd(&shop)
        .ok();
    home.abide(["new", "--", "sh", "-c", "echo from elsewhere; exec cat"])
        .ok();
    let mut window = open(&home, &shop);
    window.wait_for("from the shop");
    detach(&mut window);
    let listed = ls(&home);
    let workspace = &listed["workspaces"][0];
    assert_eq!(
        (&workspace["name"], &workspace["panes"]),
        (&"shop".into(), &serde_json::json!(["p1"]))
    );
    assert_eq!(listed["panes"][0]["workspace"], workspace["id"]);
    assert_eq!(listed["panes"][1]["workspace"], Value::Null, "{listed}");
}

/// A pane that a command starts below an open workspace is a tab of it, at once and on disk, and
/// the tab in front stays in front.
#[test]
fn a_command_adds_a_tab_to_the_open_workspace() {
    let home = home();
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"\[shop\].* p\d+ ");
    let below = folder(&home, "shop/api");
    home.abide(["new", "--name", "api", "--no-attach", "--", "cat"])
        .cwd(&below)
        .ok();
    window.wait_for(r"1:cat");
    window.wait_for(r"0:\S+\*");
    assert_eq!(home.abide(["capture", "shop/api"]).run().code, 0);
    detach(&mut window);
    let stored = std::fs::read(home.state_file("restore.json")).expect("layouts are written down");
    let stored: Value = serde_json::from_slice(&stored).expect("as JSON");
    assert_eq!(stored["workspaces"][0]["tabs"][1]["focus"], 2, "{stored}");
}

#[test]
fn the_folder_or_the_name_opens_the_same_workspace_again() {
    let home = home();
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"\[shop\].* p\d+ ");
    detach(&mut window);
    let deep = folder(&home, "shop/deep/down");
    let elsewhere = folder(&home, "elsewhere");
    for (folder, words) in [(&deep, &[][..]), (&elsewhere, &["shop"])] {
        let mut window = Outer::run(home.abide(words).cwd(folder).command(), SIZE);
        window.wait_for(r"\[shop\].* p\d+ ");
        detach(&mut window);
    }
    let listed = ls(&home);
    assert_eq!(
        listed["workspaces"].as_array().map(Vec::len),
        Some(1),
        "{listed}"
    );
    assert_eq!(
        listed["panes"].as_array().map(Vec::len),
        Some(1),
        "{listed}"
    );
}

/// A client that leaves, or is killed, right after a split leaves the pane beside the one it was
/// split from, not in a tab of its own.
#[test]
fn a_split_survives_a_client_that_is_gone_at_once() {
    let home = home();
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"\[shop\].* p1 ");
    window.type_bytes("\x02%\x02d");
    assert_eq!(window.wait_end(), 0);
    assert_eq!(
        ls(&home)["workspaces"][0]["panes"],
        serde_json::json!(["p1", "p2"])
    );
    let mut window = open(&home, &shop);
    window.wait_for(r"\[shop\].* p2 ");
    window.type_bytes("\x02\"");
    until("the pane", || {
        ls(&home)["panes"].as_array().filter(|it| it.len() == 3)?;
        Some(())
    });
    window.signal(Signal::KILL);
    window.wait_end();
    let mut window = open(&home, &shop);
    window.wait_for(r"p3 sh ─");
    window.wait_for(r"p1 sh ─");
    detach(&mut window);
    let stored = std::fs::read(home.state_file("restore.json")).expect("layouts are written down");
    let stored: Value = serde_json::from_slice(&stored).expect("as JSON");
    let tabs = stored["workspaces"][0]["tabs"].as_array().expect("tabs");
    assert_eq!(tabs.len(), 1, "{stored}");
}

/// Each client of a new folder made a shell of its own.
#[test]
fn clients_that_open_a_folder_at_once_share_one_shell() {
    let home = home();
    let shop = folder(&home, "shop");
    let windows: Vec<Outer> = (0..4).map(|_| open(&home, &shop)).collect();
    // The last one to claim the pane keeps it.
    until("one client left", || {
        let told = |window: &&Outer| window.text().contains("another client");
        (windows.iter().filter(told).count() == 3).then_some(())
    });
    until("the layout", || {
        (ls(&home)["workspaces"][0]["panes"] == serde_json::json!(["p1"])).then_some(())
    });
    let listed = ls(&home);
    assert_eq!(
        listed["panes"].as_array().map(Vec::len),
        Some(1),
        "{listed}"
    );
    assert_eq!(
        listed["workspaces"][0]["panes"],
        serde_json::json!(["p1"]),
        "{listed}"
    );
}

/// A pane of a workspace, shown alone and started again, left a hole and a stray pane.
#[test]
fn a_pane_started_again_alone_keeps_its_place_and_name() {
    let home = home();
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"\[shop\].* p1 ");
    window.command("%");
    window.wait_for("p2 ");
    detach(&mut window);
    home.abide(["rename", "p2", "api"]).ok();
    let mut window = Outer::open(&home, SIZE, ["attach", "api"]);
    // One that its user leaves would take its pane along.
    window.type_bytes("kill -KILL $$\r");
    window.wait_for("Enter: again");
    window.key("Enter");
    window.wait_for(r"\$");
    until("the place", || {
        let listed = ls(&home);
        let panes = listed["panes"].as_array()?;
        (panes.len() == 2 && panes[1]["name"] == "api").then_some(())?;
        (listed["workspaces"][0]["panes"] == serde_json::json!(["p1", "p3"])).then_some(())
    });
    window.type_bytes("exit\r");
    assert_eq!(window.wait_end(), 0);
    assert!(
        window.text().contains("p3 ended (exited 0)"),
        "{}",
        window.text()
    );
    let stored = std::fs::read_to_string(home.state_file("restore.json")).expect("it is there");
    assert!(
        stored.contains(r#""pane":3"#) || stored.contains(r#""pane": 3"#),
        "{stored}"
    );
}

/// With the host gone a layout opens with new shells; records of panes stay untouched.
#[test]
fn a_layout_outlives_the_host_and_pane_records_stay() {
    let home = home();
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"\[shop\].* p\d+ ");
    window.command("%");
    window.wait_for("p2 ");
    detach(&mut window);
    home.abide(["host", "stop"]).ok();
    let file = home.state_file("restore.json");
    let mut stored: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("it is there")).expect("as JSON");
    let record = serde_json::json!([{ "id": 1, "conversation": "kept", "unknown": [1, 2] }]);
    stored["panes"] = record.clone();
    std::fs::write(&file, stored.to_string()).expect("it is ours");
    let mut window = open(&home, &shop);
    window.wait_for("p3 ");
    window.wait_for("p4 ");
    detach(&mut window);
    let stored: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("it is there")).expect("as JSON");
    assert_eq!(stored["panes"], record, "{stored}");
    assert_eq!(
        ls(&home)["workspaces"][0]["panes"],
        serde_json::json!(["p3", "p4"])
    );
}

#[test]
fn close_ends_the_panes_and_forgets_the_layout() {
    let home = home();
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"\[shop\].* p\d+ ");
    let written = || std::fs::read_to_string(home.state_file("restore.json")).ok();
    until("the layout on disk", || {
        written().filter(|text| text.contains("shop"))
    });
    home.abide(["new", "--no-attach", "--", "cat"]).ok();
    home.abide(["close", "shop"]).ok();
    window.wait_end();
    let listed = ls(&home);
    assert_eq!(listed["workspaces"], serde_json::json!([]), "{listed}");
    let left = listed["panes"].as_array().expect("a list");
    assert_eq!((left.len(), &left[0]["id"]), (1, &"p2".into()), "{listed}");
    let stored = written().expect("it is still there");
    assert!(!stored.contains("shop"), "{stored}");
}

/// What is only written down is forgotten without a host, and none is started for it.
#[test]
fn close_works_on_what_is_only_written_down() {
    let home = home();
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"\[shop\].* p\d+ ");
    detach(&mut window);
    home.abide(["host", "stop"]).ok();
    assert_eq!(home.abide(["status", "--json"]).json()["workspaces"], 1);
    home.abide(["close", "shop"]).ok();
    assert_eq!(home.abide(["status", "--json"]).json()["workspaces"], 0);
    assert!(home.hosts().is_empty());
}

/// A client in a pane has no prefix of its own, and one that showed its own pane would draw itself for ever.
#[test]
fn the_client_is_not_opened_inside_a_pane_unless_it_is_forced() {
    let home = home();
    let shop = folder(&home, "shop");
    let mut window = open(&home, &shop);
    window.wait_for(r"\[shop\].* p\d+ ");
    let exe = home.exe().display().to_string();
    let other = home.script("echo other; sleep 600");
    let refused = r"typed in pane p1, and the client would be\s+shown within itself";
    for (word, told) in [
        ("".to_owned(), refused),
        (format!("attach {other}"), refused),
        (format!("attach --watch {other}"), refused),
        (
            "new".to_owned(),
            r"p3 runs; this is typed in pane p1.*\s+it is a tab of workspace shop\s+p3",
        ),
        ("capture p2".to_owned(), "other"),
    ] {
        window.type_bytes(format!("clear; {exe} {word}; echo codes $?\r"));
        window.wait_for(&format!(r"(?s){told}.*codes \d"));
    }
    window.type_bytes(format!("clear; env -u ABIDE_PANE {exe} attach {other}\r"));
    window.wait_for(r"(?m)^other");
    window.type_bytes("\x02\x02d");
    window.wait_for("detached from p2");
    detach(&mut window);
    // Of another host this is no pane.
    let second = self::home();
    second.start();
    let key = "5e".repeat(32);
    let attached = second.abide(["new"]).env("ABIDE_PANE", "p1");
    let mut window = Outer::run(attached.env("ABIDE_PANE_KEY", key).command(), SIZE);
    window.wait_for(r"\$");
    window.type_bytes("exit\r");
    assert_eq!(window.wait_end(), 0);
}

#[test]
fn a_command_inside_a_pane_starts_no_host() {
    let home = home();
    for words in [&["new", "--", "cat"][..], &["host", "start"]] {
        let told = home.abide(words).env("ABIDE_PANE", "p1").fails(4);
        assert!(told.contains("does not start one"), "{told}");
    }
    assert!(home.hosts().is_empty());
}

/// A pane whose program is gone when it is to be started again: which pane, why, and what can be done stands
/// there, in a window of one pane and in a workspace, above what it showed last.
#[test]
fn a_pane_that_cannot_be_started_again_says_so() {
    use std::os::unix::fs::PermissionsExt;
    for bare in [true, false] {
        let home = home();
        let shop = home.work().join("shop");
        std::fs::create_dir(&shop).expect("a folder");
        let program = shop.join("once");
        std::fs::write(&program, "#!/bin/sh\necho last words\nread x\nexit 3\n").expect("a file");
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("a program");
        let none: [&str; 0] = [];
        let mut window = match bare {
            true => {
                let pane = home
                    .abide(["new", "--no-attach", "--", "./once"])
                    .cwd(&shop)
                    .ok();
                Outer::open(&home, (100, 20), ["attach", pane.trim()])
            }
            false => {
                let first = Outer::run(home.abide(none).cwd(&shop).command(), (100, 20));
                first.wait_for(r"\$");
                // Its own pane: a shell that the user leaves would take its pane along.
                let new = home.abide(["new", "--no-attach", "--", "./once"]);
                new.cwd(&shop).ok();
                first.wait_for(" 1:");
                first.type_bytes("exit\r");
                first
            }
        };
        window.wait_for("last words");
        window.type_bytes("\r");
        window.wait_for("exited 3 - Enter: again");
        std::fs::remove_dir_all(&shop).expect("deleted");
        window.type_bytes("\r");
        let shown = window.wait_for(if bare {
            "p1 did not start: cannot start"
        } else {
            "p2 did not start: cannot start"
        });
        assert!(shown.contains("Enter: again, Ctrl-b x: close"), "{shown}");
        assert!(shown.contains("last words"), "{shown}");
        window.command("x");
        window.wait_end();
    }
}
