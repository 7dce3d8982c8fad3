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
/// message; after /new with the first message, when Codex makes the conversation; and that one comes
/// back, not the one before.
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
    let third = check(launched, "number three");
    let fourth = check(typed, "number four");
    assert!(![&first, &second].contains(&&third) && ![&first, &second, &third].contains(&&fourth));
    rig.cut_power();
    rig.start();
    for (pane, id, said) in [
        (launched, &third, "number three"),
        (typed, &fourth, "number four"),
    ] {
        rig.wait_known(pane, id);
        rig.cli.wait_ready(&rig.home, pane);
        rig.assert_untouched(pane);
        let next = rig.ask(pane, "and after");
        assert_eq!(next.conversation(), Some(id.as_str()));
        for other in ["one", "two", "number three", "number four"] {
            let told = next.asked.texts.iter().any(|it| it == other);
            assert_eq!(told, other == said, "{:#?}", next.asked.texts);
        }
    }
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
    rig.start_watched();
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
        rig.assert_watched(&format!("and after {word}"));
    }
    let typed = panes[1].0;
    rig.cli.submit(&rig.home, typed, "/quit", || {
        rig.home.capture(typed).contains("ready$")
    });
}

/// A fork has an id of its own, be it made by `/fork` or asked for on the command line, and comes back
/// beside the conversation it came from.
#[test]
fn a_fork_and_its_trunk_come_back_apart() {
    let Some(rig) = rig() else { return };
    let first = rig.launched(&[]);
    let request = rig.ask(first, "the word is plum");
    let trunk = request.conversation().expect("Codex says it");
    rig.wait_known(first, trunk);
    let panes = [
        (first, "trunk"),
        (rig.launched(&["fork", trunk]), "launched"),
        (rig.typed_as(&format!("codex fork {trunk}")), "typed"),
    ];
    let ids = panes.map(|(pane, name)| {
        let request = rig.ask(pane, &format!("this is the {name} one"));
        let id = request.conversation().expect("Codex says it");
        rig.wait_known(pane, id);
        id.to_owned()
    });
    assert_eq!(ids[0], trunk);
    assert!(
        ids[1] != ids[0] && ids[2] != ids[0] && ids[1] != ids[2],
        "{ids:?}"
    );
    rig.cut_power();
    rig.start();
    for ((pane, name), id) in panes.iter().zip(&ids) {
        rig.wait_known(*pane, id);
        rig.cli.wait_ready(&rig.home, *pane);
        rig.assert_untouched(*pane);
        let next = rig.ask(*pane, &format!("and after {name}"));
        assert_eq!(next.conversation(), Some(id.as_str()));
        assert!(next.asked.holds("the word is plum"));
        for (_, other) in &panes {
            let told = next.asked.holds(&format!("this is the {other} one"));
            assert_eq!(told, other == name, "{name}: {:#?}", next.asked.messages);
        }
    }
}

/// `/fork` in the running process is followed at once, `/resume` with the next message, which is when
/// Codex first writes there again; what is known then is what comes back.
#[test]
fn fork_and_resume_in_the_process_are_followed() {
    let Some(rig) = rig() else { return };
    let panes = [(rig.launched(&[]), "plum"), (rig.typed(), "pear")];
    let trunks = panes.map(|(pane, word)| {
        let request = rig.ask(pane, &format!("the word is {word}"));
        let trunk = request.conversation().expect("Codex says it").to_owned();
        rig.wait_known(pane, &trunk);
        let fork = rig.goes_to_another(pane, "/fork", &trunk);
        let request = rig.ask(pane, "in the fork");
        assert_eq!(request.conversation(), Some(fork.as_str()));
        assert!(request.asked.holds(&format!("the word is {word}")));
        rig.wait_known(pane, &fork);
        let shows = |text: &str| rig.home.capture(pane).contains(text);
        rig.cli
            .submit(&rig.home, pane, "/resume", || shows("Resume a previous"));
        // The newest is the fork, the next one is what it came from.
        let keys = ["send", &pane.to_string(), "--keys", "Down", "Enter"];
        rig.home.abide(keys).ok();
        until_within(LONG, "the trunk", || {
            (shows(&format!("the word is {word}")) && !shows("in the fork")).then_some(())
        });
        rig.cli.wait_ready(&rig.home, pane);
        let request = rig.ask(pane, &format!("[hold*1] {word} in the trunk again"));
        assert_eq!(request.conversation(), Some(trunk.as_str()));
        assert!(!request.asked.holds("in the fork"));
        rig.wait_known(pane, &trunk);
        trunk
    });
    rig.cut_power();
    rig.start();
    for ((pane, word), trunk) in panes.iter().zip(&trunks) {
        rig.wait_known(*pane, trunk);
        rig.home.wait_capture(*pane, "(?i)interrupted");
        rig.assert_untouched(*pane);
        let next = rig.ask(*pane, &format!("and after {word}"));
        assert_eq!(next.conversation(), Some(trunk.as_str()));
        assert!(next.asked.holds(&format!("{word} in the trunk again")));
    }
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
        .wait_request("for file 20", |r| r.asked.files() == 19);
    let id = request.conversation().expect("Codex says it");
    rig.wait_known(pane, id);
    rig.cut_power();
    rig.model.gate(None);
    rig.start_watched();
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

/// One that was begun without the variable that panes get lies in Codex's own daemon, which does not say
/// whose it is: unknown, and nothing is opened for it. Those beside it are in their own processes, known
/// and come back.
#[test]
fn beside_its_daemon() {
    let Some(rig) = rig() else { return };
    let shared = rig.typed_as("env -u CODEX_EXEC_SERVER_URL codex");
    until_within(LONG, "the daemon", || {
        let status = rig.status(shared);
        let how = status["proof"].as_str()?;
        how.contains("shared app-server daemon").then_some(())
    });
    let _request = rig.ask(shared, "the word is fig");
    assert!(rig.status(shared)["conversation"].is_null());
    let panes = [(rig.launched(&[]), "plum"), (rig.typed(), "pear")];
    let ids = panes.map(|(pane, word)| {
        let request = rig.ask(pane, &format!("the word is {word}"));
        let id = request.conversation().expect("Codex says it").to_owned();
        rig.wait_known(pane, &id);
        id
    });
    assert!(rig.status(shared)["conversation"].is_null());
    rig.cut_power();
    let plan = rig.home.abide(["restore", "--dry-run"]).ok();
    assert!(plan.contains("unknown conversation"), "{plan}");
    rig.start();
    for ((pane, word), id) in panes.iter().zip(&ids) {
        rig.wait_known(*pane, id);
        rig.cli.wait_ready(&rig.home, *pane);
        rig.assert_untouched(*pane);
        let next = rig.ask(*pane, &format!("and after {word}"));
        assert_eq!(next.conversation(), Some(id.as_str()));
        assert!(next.asked.holds(&format!("the word is {word}")));
    }
    rig.home.wait_capture(shared, r"ready\$");
    assert!(rig.status(shared)["agent"].is_null());
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
        rig.start_watched();
        rig.wait_known(pane, id);
        rig.assert_untouched(pane);
        rig.cli.wait_ready(&rig.home, pane);
        let next = rig.ask(pane, &format!("after {signal:?}"));
        assert!(next.asked.holds("the word is plum"));
        assert_eq!(next.conversation(), Some(id));
    }
}
