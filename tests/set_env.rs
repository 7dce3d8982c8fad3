//! What the user set for a pane with `--env` is part of what the pane is: it comes back with it, and no
//! secret of it is ever written to disk.

#![cfg(test)]

use protocol::PaneId;
use std::path::Path;
use testkit::{FakeAgent, Home, Signal, until};

fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
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

/// A pane with these variables.
#[track_caller]
fn pane(home: &Home, set: &[&str], argv: &[&str]) -> PaneId {
    let mut words = vec!["new", "--no-attach"];
    words.extend(set.iter().flat_map(|it| ["--env", it]));
    words.push("--");
    words.extend(argv);
    home.abide(words).ok().trim().parse().expect("an id")
}

/// Every file below the folder that has these bytes in it.
fn holding(folder: &Path, bytes: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, bytes));
        } else if let Ok(text) = std::fs::read(&path)
            && String::from_utf8_lossy(&text).contains(bytes)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn what_was_set_for_a_pane_comes_back_and_no_secret_is_written_down() {
    let (home, agents) = world();
    let long = format!("LONG={}", "x".repeat(5_000));
    let secret = "TOKEN_OF_STAGE=ab5cd3e1";
    let shell = pane(&home, &["STAGE=two words", secret, &long], &["bash"]);
    home.wait_capture(shell, "ready");
    // A name that no allow-list has, and a private pane, which comes back like any other.
    let id = format!("5e0a3f0e-94c5-4c5e-9d0e-{:012x}", std::process::id());
    let argv = ["fake-agent", "--session-id", &id];
    let mut words = vec![
        "new",
        "--no-attach",
        "--private",
        "--env",
        "FAKE_STAGE=three",
        "--",
    ];
    words.extend(argv);
    let agent: PaneId = home.abide(words).ok().trim().parse().expect("an id");
    home.wait_capture(agent, "^fake>");
    home.abide(["send", &agent.to_string(), "--enter", "hello"])
        .ok();
    home.wait_capture(agent, "you said: hello");
    until("what was set, in the records", || {
        let [shell, agent] = [home.record(shell)?, home.record(agent)?];
        let named = shell["set_needs"] == serde_json::json!(["TOKEN_OF_STAGE"]);
        let all = named && shell["set_env"].as_array()?.len() == 2;
        let known = agent["conversation"]["id"] == id.as_str();
        let set = agent["set_env"] == serde_json::json!([["FAKE_STAGE", "three"]]);
        (all && known && set).then_some(())
    });
    power_cut(&home);
    assert_eq!(holding(&home.abide_home(), "ab5cd3e1"), [""; 0]);
    let dry = home.abide(["restore", "--dry-run"]).ok();
    assert!(
        dry.contains("without TOKEN_OF_STAGE, which `--env` gave"),
        "{dry}"
    );

    // The login shell has one of that name by now.
    let rc = "PS1='ready$ '\nexport TOKEN_OF_STAGE=from-the-shell\n";
    for name in [".bashrc", ".bash_profile"] {
        std::fs::write(home.path().join("user").join(name), rc).expect("a file");
    }
    home.abide(["host", "start"]).ok();
    agents.wait_live(&id);
    let start = agents.wait_starts(2).pop().expect("a start");
    assert_eq!(start.env["FAKE_STAGE"], "three", "{:#}", start.env);
    home.wait_capture(shell, "ready");
    let ask = "echo \"<$STAGE> <$TOKEN_OF_STAGE> <${#LONG}>\"";
    home.abide(["send", &shell.to_string(), "--enter", ask])
        .ok();
    home.wait_capture(shell, "^<two words> <from-the-shell> <5000>");
    // And again: what came back is written down as it was.
    let record = home.record(shell).expect("a record");
    assert_eq!(record["set_needs"], serde_json::json!(["TOKEN_OF_STAGE"]));
    assert_eq!(record["set_env"].as_array().map(Vec::len), Some(2));
}
