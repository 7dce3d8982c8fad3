//! An agent was asked for conversation `id-a`: what it turns out to have opened.

use super::*;
use restore::record::Conversation;

const LINE: &[&str] = &["claude", "--resume", "id-a"];

/// A pane whose agent was just started on `id-a`.
fn asked() -> Rig {
    let known = PaneRecord {
        id: 1,
        agent: Some(restore::AgentRecord {
            cli: "claude".into(),
            typed: true,
            ..restore::AgentRecord::default()
        }),
        conversation: Some(Conversation {
            id: "id-a".into(),
            how: How::Live,
            at: 1,
            transcript: Some("/t".into()),
            permission: None,
            asked: Some(5),
            rest: Default::default(),
        }),
        ..PaneRecord::default()
    };
    let mut rig = Rig::new(vec![known]);
    rig.list(facts(1, LINE));
    rig
}

fn has(rig: &mut Rig, id: &str) -> Vec<Action> {
    rig.look(Some(agent(200, LINE, Some(id))))
}

/// Looks again and again, as the driver does, for so long.
fn watch(rig: &mut Rig, id: &str, seconds: u64) -> Vec<String> {
    let mut told = Vec::new();
    for _ in 0..seconds {
        rig.pass(1_000);
        told.extend(has(rig, id).into_iter().filter_map(|it| match it {
            Action::Other { pane: 1, opened } => Some(opened),
            _ => None,
        }));
    }
    told
}

/// As the driver does, when it was told.
fn wrote(rig: &mut Rig, opened: &str) {
    let mut record = rig.record().clone();
    restore::execute::Change::Other(opened.into()).apply(&mut record, "", 1);
    rig.on(Event::Reread(Box::new(record)));
}

fn conversation(rig: &Rig) -> Option<&str> {
    rig.record().conversation.as_ref().map(|it| it.id.as_str())
}

fn note(rig: &Rig) -> String {
    let note = rig.core.pane(1).expect("the pane").notes.get("agent");
    String::from_utf8(note.expect("a note").clone()).expect("text")
}

#[test]
fn what_was_asked_for_is_followed_as_ever_once_it_is_open() {
    let mut rig = asked();
    assert_eq!(watch(&mut rig, "id-a", 10), [""; 0]);
    assert_eq!(rig.record().conversation.as_ref().unwrap().asked, None);
    assert_eq!(watch(&mut rig, "c", 10), [""; 0], "the user took it there");
    assert_eq!(conversation(&rig), Some("c"));
}

#[test]
fn another_one_is_told_once_and_not_written_over_it() {
    let mut rig = asked();
    assert_eq!(watch(&mut rig, "c", 4), [""; 0], "it may be on its way");
    assert_eq!(conversation(&rig), Some("id-a"));
    assert_eq!(watch(&mut rig, "c", 1), ["c"]);
    wrote(&mut rig, "c");
    assert_eq!(watch(&mut rig, "c", 20), [""; 0]);
    assert_eq!(
        note(&rig),
        r#"{"cli":"claude","conversation":null,"how":"asked for id-a, it opened c","opened":"c"}"#
    );
    // What it goes on to is told, too, and what the user types changes nothing any more.
    rig.submit();
    assert_eq!(watch(&mut rig, "d", 5), ["d"]);
    wrote(&mut rig, "d");
    assert_eq!(conversation(&rig), Some("id-a"));
    // The next keeper finds it as it is.
    let known = rig.record().clone();
    let mut next = Rig::new(vec![known]);
    next.list(facts(1, LINE));
    assert_eq!(watch(&mut next, "d", 20), [""; 0]);
    assert_eq!(conversation(&next), Some("id-a"));
    // Opened after all.
    assert_eq!(watch(&mut rig, "id-a", 1), [""; 0]);
    assert_eq!(rig.record().opened, None);
    assert!(note(&rig).contains(r#""conversation":"id-a""#));
}

#[test]
fn one_on_the_way_to_what_was_asked_for_says_nothing() {
    let mut rig = asked();
    assert_eq!(watch(&mut rig, "c", 3), [""; 0]);
    assert_eq!(watch(&mut rig, "id-a", 3), [""; 0]);
    assert_eq!(conversation(&rig), Some("id-a"));
}

#[test]
fn where_the_user_took_it_is_followed() {
    let mut rig = asked();
    rig.submit();
    assert_eq!(watch(&mut rig, "c", 10), [""; 0]);
    assert_eq!(conversation(&rig), Some("c"));
}

#[test]
fn one_that_is_typed_after_it_was_not_asked() {
    let mut rig = asked();
    has(&mut rig, "id-a");
    let mut rig = asked();
    let _gone = has(&mut rig, "c");
    let gone = Event::AgentGone {
        pane: 1,
        process: Identity { pid: 200, start: 9 },
        since_submit: None,
    };
    rig.on(gone);
    rig.look(Some(agent(300, &["claude"], Some("n"))));
    assert_eq!(conversation(&rig), Some("n"));
}

/// The same conversation in another process, which was asked for nothing: there is no other it is in the place of.
#[test]
fn what_was_opened_instead_is_its_own_once_nothing_else_is_asked_for() {
    let mut rig = asked();
    watch(&mut rig, "c", 5);
    wrote(&mut rig, "c");
    assert!(note(&rig).contains("it opened c"));
    rig.on(Event::AgentGone {
        pane: 1,
        process: Identity { pid: 200, start: 9 },
        since_submit: None,
    });
    rig.look(Some(agent(300, &["claude"], Some("c"))));
    assert_eq!(
        (conversation(&rig), &rig.record().opened),
        (Some("c"), &None)
    );
    let want = r#"{"cli":"claude","conversation":"c","how":"live"}"#;
    assert_eq!(note(&rig), want);
}

#[test]
fn what_the_user_lets_go_of_makes_room() {
    let mut rig = asked();
    watch(&mut rig, "c", 5);
    wrote(&mut rig, "c");
    let mut record = rig.record().clone();
    (record.agent, record.conversation) = (None, None);
    (record.failure, record.opened) = (None, None);
    rig.on(Event::Reread(Box::new(record)));
    assert_eq!(watch(&mut rig, "c", 3), [""; 0]);
    assert_eq!(conversation(&rig), Some("c"));
}

/// Our own count of turns that were cut in a row ends with a turn that came to its end.
#[test]
fn a_turn_that_ends_ends_the_count() {
    for (status, over) in [
        ("state=idle:app=x", true),
        ("state=done:app=x", true),
        ("state=blocked:app=x:kind=permission", false),
    ] {
        let mut rig = asked();
        let mut record = rig.record().clone();
        record.continues = 2;
        rig.on(Event::Reread(Box::new(record)));
        has(&mut rig, "id-a");
        rig.status("state=idle:app=x");
        assert_eq!(rig.record().continues, 2, "it had not begun");
        rig.status("state=working:app=x");
        let actions = rig.status(status);
        let told = actions.contains(&Action::TurnOver(1));
        assert_eq!(
            (told, rig.record().continues == 0),
            (over, over),
            "{status}"
        );
    }
}

/// A shell stands where an agent did not come back. An agent that is typed there without a proof takes nothing
/// away from what is offered; one whose conversation is proved is what the pane has from then on.
#[test]
fn an_offer_gives_way_to_a_proof_alone() {
    let known = PaneRecord {
        id: 1,
        agent: Some(restore::AgentRecord {
            cli: "codex".into(),
            argv: vec!["codex".into()],
            ..restore::AgentRecord::default()
        }),
        conversation: Some(Conversation {
            id: "id-a".into(),
            how: How::Lock,
            at: 1,
            transcript: None,
            permission: None,
            asked: None,
            rest: Default::default(),
        }),
        failure: Some("its folder /work is gone".into()),
        ..PaneRecord::default()
    };
    let mut rig = Rig::new(vec![known]);
    let line = ["abide", "__pane", "--say", "x", "--then", "/bin/bash", "--"];
    rig.list(facts(1, &line));
    let look = |rig: &mut Rig, id: Option<&str>| drop(rig.look(Some(agent(200, &["claude"], id))));
    for _ in 0..2 {
        look(&mut rig, None);
        rig.pass(5_000);
        let cli = rig.record().agent.as_ref().map(|it| it.cli.as_str());
        assert_eq!((conversation(&rig), cli), (Some("id-a"), Some("codex")));
    }
    // Nor does its end, whoever ended it.
    rig.on(Event::AgentGone {
        pane: 1,
        process: Identity { pid: 200, start: 9 },
        since_submit: Some(Duration::ZERO),
    });
    rig.pass(40_000);
    let intent = rig.record().agent.as_ref().map(|it| it.intent.clone());
    assert_eq!(intent, Some(restore::Intent::Open));
    // Its place is taken, and what was offered there is kept, once.
    let asides = |rig: &mut Rig, id| {
        let actions = rig.look(Some(agent(200, &["claude"], Some(id))));
        let edits = actions.into_iter().filter_map(|it| match it {
            Action::Write(edits) => Some(edits),
            _ => None,
        });
        let edits: Vec<Edit> = edits.flatten().collect();
        assert!(
            !matches!(edits.last(), Some(Edit::Aside { .. })),
            "it is read before it is written over"
        );
        let aside = edits.into_iter().filter_map(|it| match it {
            Edit::Aside { conversation, .. } => Some(conversation),
            _ => None,
        });
        aside.collect::<Vec<_>>()
    };
    assert_eq!(asides(&mut rig, "id-b"), ["id-a"]);
    let cli = rig.record().agent.as_ref().map(|it| it.cli.as_str());
    assert_eq!((conversation(&rig), cli), (Some("id-b"), Some("claude")));
    assert_eq!(asides(&mut rig, "id-c"), [""; 0]);
    assert_eq!(conversation(&rig), Some("id-c"));
}

/// An agent that says itself that it shows none: what it had is let go of, but not what it was asked for.
#[test]
fn what_an_agent_says_it_does_not_show_is_let_go_of() {
    let none = || {
        let mut agent = agent(200, LINE, None);
        agent.none_yet = true;
        Some(agent)
    };
    let begun = |rig: &Rig| !rig.record().agent.as_ref().expect("an agent").none_yet;
    let mut rig = asked();
    rig.look(none());
    assert!(begun(&rig));
    assert_eq!(conversation(&rig), Some("id-a"), "it is on its way there");
    assert_eq!(watch(&mut rig, "id-a", 2), [""; 0]);
    rig.look(none());
    assert!(!begun(&rig));
    assert_eq!(conversation(&rig), None);
    assert_eq!(watch(&mut rig, "c", 1), [""; 0]);
    assert!(begun(&rig));
    assert_eq!(conversation(&rig), Some("c"));
    // A look that finds nothing says nothing.
    rig.look(Some(agent(200, LINE, None)));
    assert_eq!(conversation(&rig), Some("c"));
}
