//! Claude Code, the real one, against the scripted model: abide knows its conversations by proof and
//! brings them back. Pinned, from npm; left out with a line that says so where npm is not.

#![cfg(test)]

use std::fs;
use testkit::cli::{CLAUDE, LONG, Rig};
use testkit::{Signal, until, until_within};

fn rig() -> Option<Rig> {
    Rig::new(env!("CARGO_BIN_EXE_abide"), &CLAUDE)
}

/// Waits until a message is in its conversation's transcript. Claude Code writes it a moment after it sent
/// it to the model; what was cut in between stands nowhere, so it cannot go on.
fn wait_written(rig: &Rig, id: &str, text: &str) {
    let projects = rig.home.path().join("user/.claude/projects");
    let name = format!("{id}.jsonl");
    until_within(LONG, "the message is in the transcript", || {
        let folders = fs::read_dir(&projects).ok()?.flatten();
        let mut transcripts =
            folders.filter_map(|it| fs::read_to_string(it.path().join(&name)).ok());
        let user = format!("\"content\":\"{text}\"");
        transcripts.any(|it| it.contains(&user)).then_some(())
    });
}

/// Two in one folder, one launched, one typed into bash: each is known by its own id from the start,
/// before a message, and right after /clear; and that one comes back, not the one before.
#[test]
fn ids_are_known_and_never_mixed() {
    let Some(rig) = rig() else { return };
    let (launched, typed) = (rig.launched(&[]), rig.typed());
    let (first, second) = (rig.known(launched), rig.known(typed));
    assert_ne!(first, second);
    let check = |pane, text: &str, id: &str| {
        let request = rig.ask(pane, text);
        assert_eq!(request.conversation(), Some(id), "{text}");
        rig.wait_known(pane, id);
    };
    check(launched, "one", &first);
    check(typed, "two", &second);
    let third = rig.renew_known(launched, &first);
    let fourth = rig.renew_known(typed, &second);
    check(launched, "number three", &third);
    check(typed, "number four", &fourth);
    wait_written(&rig, &third, "number three");
    wait_written(&rig, &fourth, "number four");
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

/// The power fails while two answer. Both come back in their own conversations, and the turns go on by
/// themselves: nobody types.
#[test]
fn a_power_cut_in_a_turn() {
    let Some(rig) = rig() else { return };
    let panes = [
        (rig.launched(&["--permission-mode", "default"]), "plum"),
        (rig.typed(), "pear"),
    ];
    let ids = panes.map(|(pane, word)| {
        let _request = rig.ask(pane, &format!("the word is {word}"));
        let request = rig.ask(pane, &format!("[hold*1] say {word} again"));
        rig.known(pane);
        request
            .conversation()
            .expect("Claude Code says it")
            .to_owned()
    });
    for ((_, word), id) in panes.iter().zip(&ids) {
        wait_written(&rig, id, &format!("[hold*1] say {word} again"));
    }
    rig.cut_power();
    rig.start_watched();
    for ((pane, word), id) in panes.iter().zip(&ids) {
        let again = rig
            .model
            .wait_sent(&format!("[hold*1] say {word} again"), 2);
        assert_eq!(again.conversation(), Some(id.as_str()));
        assert!(
            again.asked.holds(&format!("the word is {word}")),
            "{:#?}",
            again.asked.messages
        );
        rig.wait_known(*pane, id);
        rig.assert_untouched(*pane);
    }
    // Each once, and what comes next is still the same conversation.
    for ((pane, word), id) in panes.iter().zip(&ids) {
        let next = rig.ask(*pane, &format!("and after {word}"));
        assert_eq!(next.conversation(), Some(id.as_str()));
        assert_eq!(rig.model.sent(&format!("[hold*1] say {word} again")), 2);
        rig.assert_watched(&format!("and after {word}"));
    }
    // The one that was typed into a shell leaves the user in that shell.
    let typed = panes[1].0;
    rig.cli.submit(&rig.home, typed, "/exit", || {
        rig.home.capture(typed).contains("ready$")
    });
}

/// `/branch` goes on in another conversation, which holds what was said before: that one is known at
/// once, and it is the one that comes back and goes on.
#[test]
fn a_branch_is_what_comes_back() {
    let Some(rig) = rig() else { return };
    let panes = [(rig.launched(&[]), "plum"), (rig.typed(), "pear")];
    let branches = panes.map(|(pane, word)| {
        let first = rig.ask(pane, &format!("the word is {word}"));
        let trunk = first.conversation().expect("Claude Code says it");
        rig.wait_known(pane, trunk);
        let branch = rig.goes_to_another(pane, "/branch", trunk);
        let text = format!("[hold*1] say {word} in the branch");
        let held = rig.ask(pane, &text);
        assert_eq!(held.conversation(), Some(branch.as_str()));
        wait_written(&rig, &branch, &text);
        branch
    });
    rig.cut_power();
    rig.start();
    for ((pane, word), branch) in panes.iter().zip(&branches) {
        let text = format!("[hold*1] say {word} in the branch");
        let again = rig.model.wait_sent(&text, 2);
        assert_eq!(again.conversation(), Some(branch.as_str()));
        assert!(again.asked.holds(&format!("the word is {word}")));
        rig.wait_known(*pane, branch);
        rig.assert_untouched(*pane);
    }
}

/// `/resume` in the running process goes to another conversation: it is followed at once, before a
/// message, and what comes back is where the user went.
#[test]
fn resume_in_the_process_is_followed() {
    let Some(rig) = rig() else { return };
    let panes = [(rig.launched(&[]), "plum"), (rig.typed(), "pear")];
    let former = panes.map(|(pane, word)| {
        let text = format!("the word is {word}");
        let first = rig.ask(pane, &text);
        let former = first
            .conversation()
            .expect("Claude Code says it")
            .to_owned();
        wait_written(&rig, &former, &text);
        let second = rig.renew_known(pane, &former);
        let next = rig.ask(pane, &format!("behind {word}"));
        assert_eq!(next.conversation(), Some(second.as_str()));
        rig.cli
            .submit(&rig.home, pane, &format!("/resume {former}"), || {
                rig.status(pane)["conversation"] == former.as_str()
            });
        rig.wait_known(pane, &former);
        former
    });
    rig.cut_power();
    rig.start();
    for ((pane, word), former) in panes.iter().zip(&former) {
        rig.wait_known(*pane, former);
        rig.cli.wait_ready(&rig.home, *pane);
        rig.assert_untouched(*pane);
        let next = rig.ask(*pane, &format!("and after {word}"));
        assert_eq!(next.conversation(), Some(former.as_str()));
        assert!(next.asked.holds(&format!("the word is {word}")));
        assert!(!next.asked.holds(&format!("behind {word}")));
    }
}

/// A fork that was asked for on the command line has an id of its own, beside the conversation it came
/// from, which stays open in another pane. All come back, each where it was.
#[test]
fn a_fork_and_its_trunk_come_back_apart() {
    let Some(rig) = rig() else { return };
    let first = rig.launched(&[]);
    let request = rig.ask(first, "the word is plum");
    let trunk = request.conversation().expect("Claude Code says it");
    let fork = ["--resume", trunk, "--fork-session"];
    let panes = [
        (first, "trunk"),
        (rig.launched(&fork), "launched"),
        (rig.typed_as(&format!("claude {}", fork.join(" "))), "typed"),
    ];
    let ids = panes.map(|(pane, name)| {
        let request = rig.ask(pane, &format!("this is the {name} one"));
        let id = request.conversation().expect("Claude Code says it");
        rig.wait_known(pane, id);
        wait_written(&rig, id, &format!("this is the {name} one"));
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

/// The power fails right behind `/clear`, before a message: nothing is there to lose, and what comes back
/// is a fresh conversation, not the one that was left.
#[test]
fn cut_right_behind_clear() {
    let Some(rig) = rig() else { return };
    let panes = [rig.launched(&[]), rig.typed()];
    let left = panes.map(|pane| {
        let request = rig.ask(pane, "the word is plum");
        let id = request
            .conversation()
            .expect("Claude Code says it")
            .to_owned();
        rig.wait_known(pane, &id);
        let _next = rig.renew_known(pane, &id);
        id
    });
    rig.cut_power();
    rig.start();
    rig.wait_restored();
    for (pane, left) in panes.into_iter().zip(&left) {
        rig.cli.wait_ready(&rig.home, pane);
        rig.assert_untouched(pane);
        let next = rig.ask(pane, "what was the word");
        assert_ne!(next.conversation(), Some(left.as_str()));
        assert!(!next.asked.holds("the word is plum"));
        rig.wait_known(pane, next.conversation().expect("Claude Code says it"));
    }
}

/// The published experiment: an agent that writes thirty small files is cut after the nineteenth.
#[test]
fn thirty_files() {
    let Some(rig) = rig() else { return };
    let pane = rig.launched(&[]);
    rig.model.gate(Some(19));
    let request = rig.ask(pane, "[files:30] write them");
    let file = |number: usize| rig.folder().join(format!("file-{number:02}.txt"));
    let _twentieth = rig
        .model
        .wait_request("for file 20", |r| r.asked.files() == 19);
    assert!(file(19).exists() && !file(20).exists());
    rig.cut_power();
    rig.model.gate(None);
    rig.start_watched();
    until_within(LONG, "file 30", || file(30).exists().then_some(()));
    let last = rig
        .model
        .wait_request("after file 30", |r| r.asked.files() >= 30);
    assert_eq!(last.conversation(), request.conversation());
    for number in 1..=30 {
        let text = fs::read_to_string(file(number)).expect("a file");
        let line = format!("file {number}\n");
        // A call just before the cut may have had its effect and not its result yet, since Claude Code writes its
        // transcript behind what it does: then it makes it again.
        let twice = (17..=19).contains(&number) && text == line.repeat(2);
        assert!(twice || text == line, "written once: {text:?}");
    }
    rig.assert_untouched(pane);
}

/// A shutdown in good order, with both signals: the agent ends with a status of its own and takes its
/// live file along, and comes back all the same.
#[test]
fn an_orderly_shutdown() {
    let Some(rig) = rig() else { return };
    let pane = rig.launched(&[]);
    let first = rig.ask(pane, "the word is plum");
    let id = first.conversation().expect("Claude Code says it");
    for signal in [Signal::TERM, Signal::HUP] {
        rig.wait_known(pane, id);
        rig.shut_down(signal);
        assert!(
            fs::read_dir(rig.home.path().join("user/.claude/sessions"))
                .expect("a folder")
                .all(|file| {
                    !file
                        .expect("a file")
                        .file_name()
                        .to_string_lossy()
                        .ends_with(".json")
                })
        );
        rig.start_watched();
        rig.wait_known(pane, id);
        rig.assert_untouched(pane);
        rig.cli.wait_ready(&rig.home, pane);
        let next = rig.ask(pane, &format!("after {signal:?}"));
        assert!(next.asked.holds("the word is plum"));
        assert_eq!(next.conversation(), Some(id));
    }
}

/// What the user ended stays ended: /exit, ctrl-d twice, `abide kill`.
#[test]
fn what_the_user_ended_does_not_come_back() {
    let Some(rig) = rig() else { return };
    let panes = [0; 4].map(|_| rig.launched(&[]));
    for (at, pane) in panes.iter().enumerate() {
        let request = rig.ask(*pane, &format!("hello {at}"));
        rig.wait_known(*pane, request.conversation().expect("Claude Code says it"));
    }
    let [exit, keys, killed, stays] = panes;
    let gone = |pane| rig.status(pane)["alive"] != true;
    rig.cli.submit(&rig.home, exit, "/exit", || gone(exit));
    let _said = rig
        .home
        .abide(["send", &keys.to_string(), "--keys", "C-d", "C-d"])
        .ok();
    until("its end", || gone(keys).then_some(()));
    let _said = rig.home.abide(["kill", &killed.to_string()]).ok();
    until("its end", || gone(killed).then_some(()));
    rig.cut_power();
    rig.start();
    rig.wait_restored();
    assert!(gone(killed), "{:#}", rig.status(killed));
    assert!(
        gone(exit) && gone(keys),
        "{:#} {:#}",
        rig.status(exit),
        rig.status(keys)
    );
    assert!(!gone(stays));
}
