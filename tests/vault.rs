//! Copies of conversations: a transcript that is gone comes back with its conversation, one that is
//! there is never written, and what is to be forgotten is gone everywhere.

#![cfg(test)]

use protocol::PaneId;
use std::path::PathBuf;
use testkit::{FakeAgent, Home, Signal, until};

const ID: &str = "6f0a3f0e-94c5-4c5e-9d0e-0a1b2c3d4e5f";

fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

/// An agent that has answered once, with its turn in the vault. Gives its transcript and its bytes.
#[track_caller]
fn talk(home: &Home, agent: &FakeAgent) -> (PaneId, PathBuf, Vec<u8>) {
    let (pane, _) = agent.pane(home, &["--session-id", ID]);
    home.abide(["send", &pane.to_string(), "--enter", "hello"])
        .ok();
    home.wait_capture(pane, "you said: hello");
    let copied = until("the copy in the vault", || {
        let said = home.abide(["vault", "ls", "--json"]).json();
        let copy = said["copies"].as_array()?.first()?.clone();
        let path = PathBuf::from(copy["path"].as_str()?);
        let length = std::fs::metadata(&path).ok()?.len();
        (copy["bytes"].as_u64() == Some(length) && copy["intact"] == true).then_some(path)
    });
    let bytes = std::fs::read(&copied).expect("the transcript");
    (pane, copied, bytes)
}

/// Claude Code removes transcripts after 30 days, Gemini CLI a resumed chat at its next start: "No
/// conversation found with session ID" (claude-code#4172).
#[test]
fn a_conversation_whose_transcript_is_gone_comes_back_whole() {
    let (home, agent) = world();
    let (pane, path, bytes) = talk(&home, &agent);
    let exported = home.abide(["vault", "export", "6f0a3f0e"]).ok();
    let text = String::from_utf8_lossy(&bytes);
    assert_eq!(exported, text.trim_end_matches('\n'));
    let (host, keeper) = (home.host(), home.wait_keeper());
    keeper.signal(Signal::KILL);
    keeper.wait_gone();
    host.signal(Signal::KILL);
    // The agent too, which writes into its transcript until its end.
    home.wait_empty();
    std::fs::remove_file(&path).expect("it was there");
    let plan = home.abide(["restore", "--dry-run"]).ok();
    assert!(plan.contains("put back from the vault"), "{plan}");
    assert!(!path.exists(), "a dry run changes nothing");
    home.start();
    until("the pane is back", || {
        let log = home.keeper_log();
        log.contains("resumed 0 workspace(s), 1 terminal(s)")
            .then_some(())
    });
    home.wait_capture(pane, "> hello\n.*you said: hello");
    let now = std::fs::read(&path).expect("it is back");
    assert!(now.starts_with(&bytes), "byte for byte");
    assert!(home.keeper_log().contains("is put back"));
}

#[test]
fn what_is_forgotten_is_gone_and_stays_away() {
    let (home, agent) = world();
    let (pane, path, bytes) = talk(&home, &agent);
    until("the record", || home.record(pane));
    let said = home.abide(["forget", &pane.to_string(), "--json"]).json();
    assert_eq!(said["copies"], 1);
    home.abide(["send", &pane.to_string(), "--enter", "again"])
        .ok();
    home.wait_capture(pane, "you said: again");
    // Another pane's record is written after that turn, this one's is not.
    let other = home.pane(["cat"]);
    until("the other's record", || home.record(other));
    assert_eq!(home.record(pane), None);
    let said = home.abide(["vault", "ls", "--json"]).json();
    assert_eq!(said["copies"], serde_json::json!([]));
    let text = std::fs::read_to_string(home.state().join("restore.json")).expect("records");
    assert!(!text.contains(ID));
    assert!(
        !home.state().join("restore.json.before").exists() || {
            let before = std::fs::read_to_string(home.state().join("restore.json.before"));
            !before.expect("text").contains(ID)
        }
    );
    let now = std::fs::read(&path).expect("the agent's own file is not touched");
    assert!(now.starts_with(&bytes));
    home.abide(["forget", "p999"]).fails(3);
    home.abide(["forget"]).fails(2);
}

#[test]
fn it_can_be_turned_off_and_emptied() {
    let (home, agent) = world();
    let (_pane, _, _) = talk(&home, &agent);
    let said = home.abide(["vault", "off", "--json"]).json();
    assert_eq!(said["vault"], false);
    let said = home.abide(["config", "get", "vault.enabled"]).ok();
    assert_eq!(said.trim(), "false");
    let said = home.abide(["vault", "rm", "--all", "--json"]).json();
    assert_eq!(said["removed"], 1);
    home.abide(["vault", "export", "6f0a3f0e"]).fails(1);
    home.abide(["vault", "rm"]).fails(2);
}
