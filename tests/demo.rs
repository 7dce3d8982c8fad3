//! The demo: four programs in a window; the window goes in every way there is; they never notice.

#![cfg(test)]

use protocol::PaneId;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use testkit::{Home, Outer, Process, Signal, until};

/// `.ci/long` asks for more of them.
fn rounds(usual: usize) -> usize {
    let asked = std::env::var("ABIDE_TEST_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok());
    asked.unwrap_or(usual)
}

/// A home whose shell is a script that tells its pid and then counts.
fn home() -> Home {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let agent = home.path().join("agent");
    let script = "#!/bin/bash\necho \"agent $$\"\nn=0\nwhile :; do n=$((n+1)); echo \"step $n\"; sleep 0.05; done\n";
    std::fs::write(&agent, script).expect("a script");
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    home.set_env("SHELL", &agent);
    home
}

fn status(home: &Home) -> Value {
    home.abide(["status", "--json"]).json()
}

/// Panes and the pids of their programs.
fn agents(home: &Home) -> Vec<(PaneId, Process)> {
    let ls = home.abide(["ls", "--json"]).json();
    let entry = |pane: &Value| {
        let id = pane["id"]
            .as_str()
            .expect("an id")
            .parse()
            .expect("a pane's id");
        let pid = i32::try_from(pane["pid"].as_i64().expect("a pid")).expect("a pid");
        (id, Process::of(pid).expect("the program lives"))
    };
    ls["panes"]
        .as_array()
        .expect("panes")
        .iter()
        .map(entry)
        .collect()
}

/// The highest step a pane shows.
fn step(home: &Home, pane: PaneId) -> u64 {
    let screen = home.capture(pane);
    let numbers = screen
        .lines()
        .filter_map(|l| l.trim().strip_prefix("step ")?.parse().ok());
    numbers.max().unwrap_or(0)
}

/// Opens the client on the work folder.
fn open(home: &Home, size: (u16, u16)) -> Outer {
    let window = Outer::open(home, size, [] as [&str; 0]);
    window.wait_for("step [0-9]+");
    window
}

/// Waits until a workspace shows as many panes.
fn wait_panes(home: &Home, count: usize) {
    until(&format!("{count} panes"), || {
        (agents(home).len() == count).then_some(())
    });
}

#[test]
fn four_agents_outlive_every_end_of_the_window() {
    let home = home();
    let mut window = open(&home, (160, 50));
    for (keys, count) in [("%", 2), ("\"", 3), ("c", 4)] {
        window.command(keys);
        wait_panes(&home, count);
    }
    let before = agents(&home);
    let host = home.host();
    for how in ["detach", "a closed window", "kill -9"] {
        let client = window.process();
        match how {
            "detach" => {
                window.command("d");
                assert_eq!(window.wait_end(), 0, "{}", window.text());
            }
            "a closed window" => window.close_window(),
            _ => window.signal(Signal::KILL),
        }
        client.wait_gone();
        let told = status(&home);
        assert_eq!(told["mode"], "host", "{how}: {told}");
        assert_eq!(told["host_pid"], host.pid, "{how}");
        assert_eq!(told["live_agents"], 4, "{how}");
        let gone_at: Vec<u64> = before.iter().map(|(pane, _)| step(&home, *pane)).collect();
        for ((pane, _), then) in before.iter().zip(&gone_at) {
            until(&format!("{pane} to count on"), || {
                (step(&home, *pane) > then + 5).then_some(())
            });
        }
        window = open(&home, (160, 50));
        assert_eq!(agents(&home), before, "{how}: the same programs");
    }
    drop(window);
    for (pane, process) in &before {
        check_history(&home, *pane, *process);
    }
}

/// The agent's pid, then every step from 1 on, none missing, none twice.
#[track_caller]
fn check_history(home: &Home, pane: PaneId, process: Process) {
    let all = home
        .abide(["capture", &pane.to_string(), "--scrollback", "all"])
        .ok();
    let mut lines = all.lines().map(str::trim).filter(|l| !l.is_empty());
    assert_eq!(
        lines.next(),
        Some(format!("agent {}", process.pid).as_str()),
        "{pane}"
    );
    let steps: Vec<u64> = lines
        .map(|l| l.strip_prefix("step ").and_then(|n| n.parse().ok()))
        .collect::<Option<_>>()
        .unwrap_or_else(|| panic!("{pane} has other lines:\n{all}"));
    assert!(steps.len() > 15, "{pane}: {steps:?}");
    assert!(
        steps.iter().zip(1..).all(|(step, n)| *step == n),
        "{pane}: {steps:?}"
    );
}

/// Rounds of attach and detach: one host, its log a line longer each time.
#[test]
fn attach_and_detach_twenty_four_times() {
    let home = home();
    let window = open(&home, (120, 40));
    let before = agents(&home);
    let attached = || {
        home.host_log()
            .lines()
            .filter(|l| l.contains("client attached: "))
            .count()
    };
    let begun = until("the first line", || Some(attached()).filter(|n| *n > 0));
    assert_eq!(begun, 1, "{}", home.host_log());
    let host = home.host();
    detach(window);
    let rounds = rounds(24);
    for round in 1..=rounds {
        let window = open(&home, (120, 40));
        detach(window);
        assert_eq!(attached(), begun + round, "one line a round");
    }
    assert!(
        home.host_log().contains("client attached: 1 terminals"),
        "{}",
        home.host_log()
    );
    assert_eq!(home.hosts(), [host]);
    assert_eq!(agents(&home), before);
}

#[track_caller]
fn detach(mut window: Outer) {
    window.command("d");
    assert_eq!(window.wait_end(), 0, "{}", window.text());
}

fn open_in(home: &Home, folder: &Path) -> Outer {
    let command = home.abide([] as [&str; 0]).cwd(folder).command();
    let window = Outer::run(command, (100, 30));
    window.wait_for("step [0-9]+");
    window
}

/// Two clients on two workspaces side by side, neither disturbed; a second on the same workspace
/// takes its panes, and the first is told and leaves.
#[test]
fn one_client_a_workspace() {
    let home = home();
    let (a, b) = (home.work().join("shop"), home.work().join("blog"));
    for folder in [&a, &b] {
        std::fs::create_dir(folder).expect("a folder");
    }
    let mut first = open_in(&home, &a);
    let second = open_in(&home, &b);
    assert_eq!(status(&home)["workspaces"], 2);
    assert_eq!(agents(&home).len(), 2);
    first.resize(90, 25);
    second.resize(110, 35);
    let highest = |window: &Outer| {
        let text = window.text();
        let steps = regex_steps(&text);
        steps.into_iter().max().unwrap_or(0)
    };
    let (one, two) = (highest(&first), highest(&second));
    first.wait_until("the first to go on", |t| {
        regex_steps(&t.text()).into_iter().find(|n| *n > one + 5)
    });
    second.wait_until("the second to go on", |t| {
        regex_steps(&t.text()).into_iter().find(|n| *n > two + 5)
    });

    let third = open_in(&home, &a);
    let code = first.wait_end();
    assert_eq!(code, 0, "{}", first.text());
    assert!(
        first.text().contains("another client"),
        "it is told:\n{}",
        first.text()
    );
    let two = highest(&second);
    second.wait_until("the second to go on", |t| {
        regex_steps(&t.text()).into_iter().find(|n| *n > two + 5)
    });
    let three = highest(&third);
    third.wait_until("the third to go on", |t| {
        regex_steps(&t.text()).into_iter().find(|n| *n > three + 5)
    });
    assert_eq!(agents(&home).len(), 2, "no program was started or ended");
}

/// Every step number on a screen.
fn regex_steps(text: &str) -> Vec<u64> {
    let words: Vec<_> = text.split_whitespace().collect();
    words
        .windows(2)
        .filter(|w| w[0] == "step")
        .filter_map(|w| w[1].parse().ok())
        .collect()
}

/// The layout lives on disk too: with the host gone it opens again with new shells.
#[test]
fn a_layout_outlives_the_host() {
    let home = home();
    let window = open(&home, (160, 50));
    window.command("%");
    wait_panes(&home, 2);
    window.command("c");
    wait_panes(&home, 3);
    detach(window);
    home.stop();
    assert!(home.state_file("restore.json").exists());
    let window = open(&home, (160, 50));
    wait_panes(&home, 3);
    assert_eq!(status(&home)["workspaces"], 1);
    detach(window);
}
