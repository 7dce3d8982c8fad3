//! Gemini CLI, OpenCode, Qwen Code and others, the real ones, against the scripted model. They take
//! minutes and more than a gigabyte, so only with `ABIDE_TEST_ALL_CLIS=1`, as `.ci/long` sets it; left
//! out with a line that says so.

#![cfg(test)]

use protocol::PaneId;
use testkit::cli::{COPILOT, Cli, GEMINI, KIMI, OPENCODE, QWEN, Rig, skipped};

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
    // Two in one folder are two.
    assert_eq!(rig.status(pane)["agent"], rig.cli.cli.name);
    id
}

/// Two in one folder in the middle of a turn, cut; both come back in their own conversations, nothing
/// is typed, and the next request holds what was said before.
fn cut(rig: &Rig, panes: &[(PaneId, &str)]) {
    let ids: Vec<String> = panes
        .iter()
        .map(|(pane, word)| turn(rig, *pane, word))
        .collect();
    assert!(
        ids.iter()
            .all(|id| ids.iter().filter(|other| id == *other).count() == 1)
    );
    for (pane, word) in panes {
        let _held = rig.ask(*pane, &format!("[hold*1] say {word} again"));
    }
    let before = rig.model.requests().len();
    rig.cut_power();
    rig.start();
    for ((pane, _), id) in panes.iter().zip(&ids) {
        rig.wait_known(*pane, id);
        rig.cli.wait_ready(&rig.home, *pane);
        rig.assert_untouched(*pane);
    }
    assert_eq!(rig.model.requests().len(), before, "nothing was sent");
    for (pane, word) in panes {
        let next = rig.ask(*pane, &format!("and after {word}"));
        assert!(
            next.asked.holds(&format!("the word is {word}")),
            "{:#?}",
            next.asked.messages
        );
    }
}

/// Another conversation in the same process is another id, at the latest with its first message.
fn renew(rig: &Rig, pane: PaneId) {
    let before = rig.known(pane);
    rig.renew(pane);
    let _request = rig.ask(pane, "hello once more");
    testkit::until_within(testkit::cli::LONG, "another conversation", || {
        let status = rig.status(pane);
        (status["conversation"].as_str()? != before).then_some(())
    });
}

#[test]
fn qwen_comes_back() {
    let Some(rig) = rig(&QWEN) else { return };
    let (launched, typed) = (rig.launched(&[]), rig.typed());
    cut(&rig, &[(launched, "plum"), (typed, "pear")]);
    renew(&rig, launched);
    renew(&rig, typed);
}

#[test]
fn opencode_comes_back() {
    let Some(rig) = rig(&OPENCODE) else { return };
    let (launched, typed) = (rig.launched(&[]), rig.typed());
    cut(&rig, &[(launched, "plum"), (typed, "pear")]);
}

/// Launched by abide its id was chosen; typed by hand nothing proves it, and abide says so.
#[test]
fn gemini_is_known_where_its_id_was_chosen() {
    let Some(rig) = rig(&GEMINI) else { return };
    let launched = rig.launched(&[]);
    let _id = turn(&rig, launched, "plum");
    unknown(&rig);
}

#[test]
fn kimi_is_unknown() {
    let Some(rig) = rig(&KIMI) else { return };
    unknown(&rig);
}

#[test]
fn copilot_comes_back() {
    let Some(rig) = rig(&COPILOT) else { return };
    let (launched, typed) = (rig.launched(&[]), rig.typed());
    cut(&rig, &[(launched, "plum"), (typed, "pear")]);
}

/// Typed into a shell: the agent is seen, its conversation is not.
fn unknown(rig: &Rig) {
    let typed = rig.typed();
    let _request = rig.ask(typed, "the word is pear");
    let status = testkit::until("the agent", || {
        Some(rig.status(typed)).filter(|status| status["agent"] == rig.cli.cli.name)
    });
    assert!(status["conversation"].is_null(), "{status:#}");
    let how = status["proof"].as_str().unwrap_or_default();
    assert!(how.contains("unknown conversation"), "{status:#}");
}
