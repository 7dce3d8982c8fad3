//! Codex, the real one, against the scripted model: its conversations are known by the lock that the
//! process itself holds, and come back. Pinned, from npm; left out with a line that says so where npm
//! is not.

#![cfg(test)]

use std::fs;
use testkit::cli::{CODEX, LONG, Rig};
use testkit::{Signal, until_within};

fn rig() -> Option<Rig> {
    Rig::new(env!("CARGO_BIN_EXE_abide"), &CODEX)
}

/// Two in one folder, one launched, one typed into bash: each is known from the start, before a
/// message; after /new with the first message, when Codex makes the conversation.
#[test]
fn ids_are_known_and_never_mixed() {
    let Some(rig) = rig() else { return };
    let (launched, typed) = (rig.launched(&[]), rig.typed());
    let (first, second) = (rig.known(launched), rig.known(typed));
    assert_ne!(first, second);
    let check = |pane, text: &str| {
        let request = rig.ask(pane, text);
        let id = request.conversation().expect("Codex says it").to_owned();
        rig.wait_known(pane, &id);
        id
    };
    assert_eq!(check(launched, "one"), first);
    assert_eq!(check(typed, "two"), second);
    rig.renew(launched);
    rig.renew(typed);
    let (third, fourth) = (check(launched, "three"), check(typed, "four"));
    assert!(![&first, &second].contains(&&third) && ![&first, &second, &third].contains(&&fourth));
}

/// The power fails while two answer. Both come back in their own conversations and wait: Codex shows
/// the turn as interrupted and sends nothing by itself.
#[test]
fn a_power_cut_in_a_turn() {
    let Some(rig) = rig() else { return };
    let panes = [(rig.launched(&[]), "plum"), (rig.typed(), "pear")];
    let ids = panes.map(|(pane, word)| {
        let _request = rig.ask(pane, &format!("the word is {word}"));
        let request = rig.ask(pane, &format!("[hold*1] say {word} again"));
        let id = request.conversation().expect("Codex says it").to_owned();
        rig.wait_known(pane, &id);
        id
    });
    let before = rig.model.requests().len();
    rig.cut_power();
    rig.start();
    for ((pane, word), id) in panes.iter().zip(&ids) {
        rig.wait_known(*pane, id);
        let screen = rig.home.wait_capture(*pane, "(?i)interrupted");
        assert!(screen.contains(&format!("the word is {word}")), "{screen}");
        rig.assert_untouched(*pane);
    }
    assert_eq!(rig.model.requests().len(), before, "nothing was sent");
    for ((pane, word), id) in panes.iter().zip(&ids) {
        let next = rig.ask(*pane, &format!("and after {word}"));
        assert_eq!(next.conversation(), Some(id.as_str()));
        for text in [
            format!("the word is {word}"),
            format!("[hold*1] say {word} again"),
        ] {
            assert!(next.asked.holds(&text), "{:#?}", next.asked.messages);
        }
    }
    let typed = panes[1].0;
    rig.cli.submit(&rig.home, typed, "/quit", || {
        rig.home.capture(typed).contains("ready$")
    });
}

/// An agent that writes thirty small files is cut after the nineteenth; told to go on, it finishes.
#[test]
fn thirty_files() {
    let Some(rig) = rig() else { return };
    let pane = rig.launched(&[]);
    rig.model.gate(Some(19));
    rig.model.goes_on_at("go on");
    let request = rig.ask(pane, "[files:30] write them");
    let file = |number: usize| rig.folder().join(format!("file-{number:02}.txt"));
    let _twentieth = rig
        .model
        .wait_request("for file 20", |r| r.asked.results == 19);
    let id = request.conversation().expect("Codex says it");
    rig.wait_known(pane, id);
    rig.cut_power();
    rig.model.gate(None);
    rig.start();
    rig.wait_known(pane, id);
    rig.cli.wait_ready(&rig.home, pane);
    rig.assert_untouched(pane);
    assert!(file(19).exists() && !file(20).exists());
    rig.cli
        .submit(&rig.home, pane, "go on", || file(20).exists());
    until_within(LONG, "file 30", || file(30).exists().then_some(()));
    for number in 1..=30 {
        let text = fs::read_to_string(file(number)).expect("a file");
        assert_eq!(text, format!("file {number}\n"), "written once");
    }
}

/// A shutdown in good order, with both signals.
#[test]
fn an_orderly_shutdown() {
    let Some(rig) = rig() else { return };
    let pane = rig.launched(&[]);
    let first = rig.ask(pane, "the word is plum");
    let id = first.conversation().expect("Codex says it");
    for signal in [Signal::TERM, Signal::HUP] {
        rig.wait_known(pane, id);
        rig.shut_down(signal);
        rig.start();
        rig.wait_known(pane, id);
        rig.assert_untouched(pane);
        rig.cli.wait_ready(&rig.home, pane);
        let next = rig.ask(pane, &format!("after {signal:?}"));
        assert!(next.asked.holds("the word is plum"));
        assert_eq!(next.conversation(), Some(id));
    }
}
