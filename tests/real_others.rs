//! Gemini CLI, OpenCode, Qwen Code and others, the real ones, against the scripted model. They take
//! minutes and more than a gigabyte, so only with `ABIDE_TEST_ALL_CLIS=1`, as `.ci/long` sets it; left
//! out with a line that says so.

#![cfg(test)]

use protocol::PaneId;
use std::collections::BTreeSet;
use testkit::cli::{COPILOT, Cli, GEMINI, KIMI, LONG, OPENCODE, QWEN, Rig, skipped};
use testkit::until_within;

fn rig(cli: &'static Cli) -> Option<Rig> {
    if std::env::var_os("ABIDE_TEST_ALL_CLIS").is_none() {
        skipped(&format!("{}: ABIDE_TEST_ALL_CLIS is not set", cli.name));
        return None;
    }
    Rig::new(env!("CARGO_BIN_EXE_abide"), cli)
}

/// A turn, and what abide knows of the conversation then.
fn turn(rig: &Rig, pane: PaneId, word: &str) -> String {
    let _request = rig.ask(pane, &format!("the word is {word}"));
    let id = rig.known(pane);
    assert_eq!(rig.status(pane)["agent"], rig.cli.cli.name);
    id
}

/// The power fails in the middle of a turn of each. All come back in their own conversations, nothing
/// is typed, nothing is sent, and the next request holds what was said before, and nobody else's.
fn cut(rig: &Rig, panes: &[(PaneId, &str)], ids: &[String]) {
    for (pane, word) in panes {
        let _held = rig.ask(*pane, &format!("[hold*1] say {word} again"));
    }
    let before = rig.model.requests().len();
    rig.cut_power();
    rig.start_watched();
    for ((pane, _), id) in panes.iter().zip(ids) {
        rig.wait_known(*pane, id);
        rig.cli.wait_ready(&rig.home, *pane);
        rig.assert_untouched(*pane);
    }
    assert_eq!(rig.model.requests().len(), before, "nothing was sent");
    for (pane, word) in panes {
        let next = rig.ask(*pane, &format!("and after {word}"));
        rig.assert_watched(&format!("and after {word}"));
        for (_, said) in panes {
            assert_eq!(
                next.asked.holds(&format!("the word is {said}")),
                said == word,
                "{:#?}",
                next.asked.messages
            );
        }
    }
}

/// Two in one folder, launched and typed: cut; in another conversation each, known at once or with its
/// first message; cut again: those come back, not the former ones.
fn cut_twice(rig: &Rig, at_once: bool) {
    let (launched, typed) = (rig.launched(&[]), rig.typed());
    let known = |panes: &[(PaneId, &str)]| -> Vec<String> {
        let ids = panes.iter().map(|(pane, word)| turn(rig, *pane, word));
        ids.collect()
    };
    let panes = [(launched, "plum"), (typed, "pear")];
    let ids = known(&panes);
    cut(rig, &panes, &ids);
    for (pane, id) in [launched, typed].into_iter().zip(&ids) {
        rig.renew(pane);
        if !at_once {
            let _request = rig.ask(pane, "hello once more");
        }
        let _another = rig.known_but(pane, id);
    }
    let panes = [(launched, "quince"), (typed, "sloe")];
    let others = known(&panes);
    let all: BTreeSet<&String> = ids.iter().chain(&others).collect();
    assert_eq!(all.len(), 4, "{ids:?} {others:?}");
    cut(rig, &panes, &others);
}

/// The published experiment: an agent that writes thirty small files is cut after the nineteenth, comes
/// back and waits; one message of the user's, and it finishes.
fn thirty_files(rig: &Rig, pane: PaneId) {
    rig.model.gate(Some(19));
    rig.model.goes_on_at("go on");
    let _first = rig.ask(pane, "[files:30] write them");
    let _twentieth = rig
        .model
        .wait_request("for file 20", |it| it.asked.files() == 19);
    let id = rig.known(pane);
    if rig.cli.cli.name == GEMINI.name {
        rig.copied(&id);
    }
    rig.cut_power();
    rig.model.gate(None);
    rig.start_watched();
    rig.wait_known(pane, &id);
    rig.cli.wait_ready(&rig.home, pane);
    rig.assert_untouched(pane);
    let file = |number: usize| rig.folder().join(format!("file-{number:02}.txt"));
    assert!(file(19).exists() && !file(20).exists());
    rig.cli
        .submit(&rig.home, pane, "go on", || file(20).exists());
    until_within(LONG, "file 30", || file(30).exists().then_some(()));
    for number in 1..=30 {
        let text = std::fs::read_to_string(file(number)).expect("a file");
        assert_eq!(text, format!("file {number}\n"), "written once");
    }
}

#[test]
fn qwen_comes_back() {
    let Some(rig) = rig(&QWEN) else { return };
    cut_twice(&rig, true);
}

#[test]
fn qwen_writes_thirty_files() {
    let Some(rig) = rig(&QWEN) else { return };
    thirty_files(&rig, rig.launched(&[]));
}

#[test]
fn opencode_comes_back() {
    let Some(rig) = rig(&OPENCODE) else { return };
    cut_twice(&rig, false);
}

/// What OpenCode shows is known by its screen: right after `/new` it has no conversation, so that a fresh
/// one comes back and not the one that was left; one that is opened by its id is known before a message.
#[test]
fn opencode_is_where_its_screen_is() {
    let Some(rig) = rig(&OPENCODE) else { return };
    let panes = [(rig.launched(&[]), "plum"), (rig.typed(), "pear")];
    let proof = |pane: PaneId, text: &str| {
        until_within(LONG, text, || {
            let told = rig.status(pane)["proof"].as_str()?.contains(text);
            told.then_some(())
        });
    };
    for (pane, word) in panes {
        proof(pane, "no conversation yet");
        let _id = turn(&rig, pane, word);
        rig.renew(pane);
        proof(pane, "no conversation yet");
        assert!(rig.status(pane)["conversation"].is_null());
    }
    rig.cut_power();
    rig.start();
    rig.wait_restored();
    let ids = panes.map(|(pane, word)| {
        rig.cli.wait_ready(&rig.home, pane);
        rig.assert_untouched(pane);
        let next = rig.ask(pane, &format!("what was it, {word}?"));
        assert!(!next.asked.holds("the word is"));
        rig.known(pane)
    });
    rig.cut_power();
    rig.start();
    for ((pane, word), id) in panes.iter().zip(&ids) {
        rig.wait_known(*pane, id);
        proof(*pane, "hook");
        rig.assert_untouched(*pane);
        rig.cli.wait_ready(&rig.home, *pane);
        let next = rig.ask(*pane, "and after");
        assert!(next.asked.holds(&format!("what was it, {word}?")));
    }
}

#[test]
fn opencode_writes_thirty_files() {
    let Some(rig) = rig(&OPENCODE) else { return };
    thirty_files(&rig, rig.launched(&[]));
}

#[test]
fn copilot_writes_thirty_files() {
    let Some(rig) = rig(&COPILOT) else { return };
    thirty_files(&rig, rig.launched(&["--allow-all-tools"]));
}

#[test]
fn gemini_writes_thirty_files() {
    let Some(rig) = rig(&GEMINI) else { return };
    thirty_files(&rig, rig.launched(&["--yolo"]));
}

/// Opened by its id: nothing else proves which conversation it is.
#[test]
fn kimi_writes_thirty_files() {
    let Some(rig) = rig(&KIMI) else { return };
    let (id, _) = kimi_began(&rig);
    thirty_files(&rig, opened(&rig, &id, &["--yolo"]));
}

#[test]
fn copilot_comes_back() {
    let Some(rig) = rig(&COPILOT) else { return };
    cut_twice(&rig, true);
}

/// Gemini CLI 0.61 deletes a resumed chat at its next start: it is opened only where the vault has all
/// of it, and put back when it is gone. Launched by abide its id was chosen; typed by hand nothing
/// proves it, and after /clear nothing does either: then abide says so and opens nothing.
#[test]
fn gemini_comes_back_where_its_id_was_chosen() {
    let Some(rig) = rig(&GEMINI) else { return };
    let mut ids = Vec::new();
    let panes = ["plum", "pear"].map(|word| {
        let pane = rig.launched(&[]);
        // Before the next one starts: that one would delete a chat without a message.
        ids.push(turn(&rig, pane, word));
        (pane, word)
    });
    let typed = unknown(&rig);
    for (pane, word) in panes {
        // Newer than what the typed one began.
        let _request = rig.ask(pane, &format!("once more {word}"));
    }
    ids.iter().for_each(|id| rig.copied(id));
    cut(&rig, &panes, &ids);
    rig.home.wait_capture(typed, r"ready\$");
    // What was resumed may be gone at the next start: the copy is what comes back.
    ids.iter().for_each(|id| rig.copied(id));
    cut_again(&rig, &panes, &ids);
    let (cleared, _) = panes[0];
    rig.renew(cleared);
    until_within(LONG, "that it is not known any more", || {
        rig.status(cleared)["conversation"].is_null().then_some(())
    });
    // The other one's next turn says that it is still where it was.
    let (stays, _) = panes[1];
    let _request = rig.ask(stays, "still here");
    rig.wait_known(stays, &ids[1]);
    rig.cut_power();
    let plan = rig.home.abide(["restore", "--dry-run"]).ok();
    assert!(plan.contains("unknown conversation"), "{plan}");
    let _gone = rig.home.abide(["vault", "rm", "--all"]).ok();
    let plan = rig.home.abide(["restore", "--dry-run"]).ok();
    assert!(plan.contains("abide has no whole copy"), "{plan}");
}

/// As [`cut`], between turns.
fn cut_again(rig: &Rig, panes: &[(PaneId, &str)], ids: &[String]) {
    rig.cut_power();
    rig.start_watched();
    for ((pane, _), id) in panes.iter().zip(ids) {
        rig.wait_known(*pane, id);
        rig.cli.wait_ready(&rig.home, *pane);
        rig.assert_untouched(*pane);
    }
    for (pane, word) in panes {
        let next = rig.ask(*pane, &format!("at last {word}"));
        assert!(next.asked.holds(&format!("the word is {word}")));
    }
}

/// Nothing proves a conversation of Kimi's but the id that opened it: abide says so, opens nothing by
/// itself, and what it opened by id comes back, also when its folder is gone.
#[test]
fn kimi_comes_back_where_its_id_opened_it() {
    let Some(rig) = rig(&KIMI) else { return };
    let (id, folder) = kimi_began(&rig);
    let pane = opened(&rig, &id, &[]);
    rig.copied(&id);
    rig.cut_power();
    std::fs::remove_dir_all(folder).expect("it was there");
    rig.start_watched();
    rig.wait_known(pane, &id);
    rig.cli.wait_ready(&rig.home, pane);
    rig.assert_untouched(pane);
    let next = rig.ask(pane, "and after pear");
    assert!(next.asked.holds("the word is pear"));
}

/// A conversation that Kimi began by itself, and left: its id and its folder, as its own index has them.
fn kimi_began(rig: &Rig) -> (String, String) {
    let typed = unknown(rig);
    let index = rig.home.path().join("user/.kimi-code/session_index.jsonl");
    let text = until_within(LONG, "its index", || std::fs::read_to_string(&index).ok());
    let line: serde_json::Value =
        serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    rig.home.abide(["kill", &typed.to_string()]).ok();
    let said = |key: &str| line[key].as_str().expect("it stands there").to_owned();
    (said("sessionId"), said("sessionDir"))
}

/// A pane with a conversation that is there.
fn opened(rig: &Rig, id: &str, flags: &[&str]) -> PaneId {
    let name = rig.cli.cli.name;
    let mut words = vec!["new", "--no-attach", "--agent", name, "--resume", id, "--"];
    words.extend(flags);
    let said = rig.home.abide(words).ok();
    let pane = said.lines().last().and_then(|it| it.parse().ok());
    let pane: PaneId = pane.expect("a pane");
    rig.cli.wait_ready(&rig.home, pane);
    rig.wait_known(pane, id);
    pane
}

/// Copilot keeps a folder for each conversation; deleted, it comes back from the vault.
#[test]
fn copilots_folder_is_put_back() {
    let Some(rig) = rig(&COPILOT) else { return };
    let pane = rig.launched(&[]);
    let id = turn(&rig, pane, "plum");
    rig.copied(&id);
    rig.cut_power();
    let folder = rig
        .home
        .path()
        .join("user/.copilot/session-state")
        .join(&id);
    let events = std::fs::read(folder.join("events.jsonl")).expect("a transcript");
    std::fs::remove_dir_all(&folder).expect("it was there");
    rig.start_watched();
    rig.wait_known(pane, &id);
    rig.cli.wait_ready(&rig.home, pane);
    rig.assert_untouched(pane);
    let now = std::fs::read(folder.join("events.jsonl")).expect("it is back");
    assert!(now.starts_with(&events), "byte for byte");
    let next = rig.ask(pane, "and after plum");
    assert!(next.asked.holds("the word is plum"));
}

/// Typed into a shell: the agent is seen, its conversation is not.
fn unknown(rig: &Rig) -> PaneId {
    let typed = rig.typed();
    let _request = rig.ask(typed, "the word is pear");
    let status = until_within(LONG, "the agent", || {
        Some(rig.status(typed)).filter(|status| status["agent"] == rig.cli.cli.name)
    });
    assert!(status["conversation"].is_null(), "{status:#}");
    let how = status["proof"].as_str().unwrap_or_default();
    assert!(how.contains("unknown conversation"), "{status:#}");
    typed
}
