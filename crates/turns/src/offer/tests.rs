//! Turns that a keeper finds, and what becomes of each.

use super::*;
use crate::again::ATTEMPTS;
use crate::inflight::{Params, VERSION};
use crate::record::{Asked, Body, Tail, tail};

fn turn(conversation: &str, started_at: u64) -> InFlight {
    InFlight {
        version: VERSION,
        conversation: conversation.to_owned(),
        session_id: None,
        engine: "x".to_owned(),
        started_at,
        attempts: 1,
        uuid: "u".to_owned(),
        pane: None,
        left: false,
        params: Params {
            message: "do it".to_owned(),
            ..Params::default()
        },
    }
}

fn known(asked: &[&str], ended: Option<&str>) -> Known {
    Known {
        tail: Tail {
            asked: asked.last().map(|it| (*it).to_owned()),
            all: asked.iter().map(|it| (*it).to_owned()).collect(),
            ended: ended.map(str::to_owned),
        },
        ..Known::default()
    }
}

#[test]
fn every_turn_is_left_closed_or_given_a_pane() {
    let cut = || Seen {
        turn: turn("c", 1),
        open: false,
        pane: None,
        known: known(&["u"], None),
    };
    let close = |why, unended| Offer::Close { why, unended };
    let check = |name: &str, seen: Seen, want: Offer| assert_eq!(offer(&seen), want, "{name}");
    let with = |change: &dyn Fn(&mut Seen)| {
        let mut seen = cut();
        change(&mut seen);
        seen
    };
    check("cut, without a pane", cut(), Offer::Pane);
    check(
        "cut before it was sent",
        with(&|it| it.turn.attempts = 0),
        Offer::Pane,
    );
    check(
        "sent often enough: the runner says so",
        with(&|it| it.turn.attempts = ATTEMPTS),
        Offer::Pane,
    );
    check(
        "a runner has it, in a pane or not",
        with(&|it| it.open = true),
        Offer::Leave,
    );
    check(
        "its pane comes back",
        with(&|it| it.pane = Some(Pane::Comes(3))),
        Offer::Comes(3),
    );
    check(
        "its person left it",
        with(&|it| it.turn.left = true),
        Offer::Leave,
    );
    // cmux#4149, claude-code#79789: what was ended on purpose comes back.
    check(
        "its pane was ended",
        with(&|it| it.pane = Some(Pane::Ended(3))),
        close("its pane was ended", true),
    );
    check(
        "answered, not marked",
        with(&|it| it.known = known(&["u"], Some("u"))),
        close("it was answered", false),
    );
    check(
        "carried on since",
        with(&|it| it.known = known(&["u", "v"], None)),
        close("the conversation went on without it", true),
    );
    check(
        "stopped",
        with(&|it| it.known.stopped = true),
        close("it was stopped", false),
    );
    check(
        "open, whatever else",
        with(&|it| {
            it.open = true;
            it.pane = Some(Pane::Ended(3));
        }),
        Offer::Leave,
    );
}

/// A record that has one request under way.
fn request(state: &Path, conversation: &str) {
    let mut writer = Writer::open(state, conversation, 1).unwrap();
    let asked = Asked {
        text: "do it".to_owned(),
        uuid: "u".to_owned(),
        ..Asked::default()
    };
    writer.asked(asked, 1).unwrap();
}

#[test]
fn they_are_taken_oldest_first_and_marked_once_before_a_runner_starts() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path();
    let folder = Folder::open(state).unwrap();
    for (name, at) in [("young", 30), ("old", 10), ("open", 20)] {
        folder.write(&turn(name, at)).unwrap();
        request(state, name);
    }
    let _runner = Writer::open(state, "open", 1).unwrap();
    let looked = look(state, &|name| (name == "young").then_some(Pane::Comes(4))).unwrap();
    let order: Vec<(&str, &Offer)> = looked
        .offers
        .iter()
        .map(|(turn, offer)| (turn.conversation.as_str(), offer))
        .collect();
    let want = [
        ("old", &Offer::Pane),
        ("open", &Offer::Leave),
        ("young", &Offer::Comes(4)),
    ];
    assert_eq!(order, want);
    for _ in 0..2 {
        for (turn, offer) in &looked.offers {
            write_down(state, turn, offer, 50).unwrap();
        }
    }
    let cut = |name: &str| {
        let rows = Reader::new(state).rows(name);
        let mut marks = rows.iter().map(|it| &it.body);
        marks
            .by_ref()
            .filter(|it| matches!(it, Body::Interrupted { .. }))
            .count()
    };
    assert_eq!((cut("old"), cut("young"), cut("open")), (1, 1, 0));
    assert_eq!(folder.all().turns.len(), 3, "the marks stay");
}

#[test]
fn the_turn_of_a_pane_that_was_ended_is_over() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path();
    Folder::open(state).unwrap().write(&turn("c", 1)).unwrap();
    request(state, "c");
    let runner = Writer::open(state, "c", 1).unwrap();
    assert_eq!(ended(state, "c", 9).unwrap(), None, "it runs");
    drop(runner);
    assert_eq!(ended(state, "c", 9).unwrap(), Some(turn("c", 1)));
    assert_eq!(ended(state, "c", 9).unwrap(), None);
    let rows = Reader::new(state).rows("c");
    assert_eq!(tail(&rows).ended.as_deref(), Some("u"));
}

#[test]
fn when_it_was_asked_is_told_in_words() {
    let check = |ago: u64, want: &str| assert_eq!(asked(&turn("c", 100), 100 + ago), want);
    check(5, "just now");
    check(300, "5 min ago");
    check(3 * 3600, "3 h ago");
    check(3 * 86_400, "3 days ago");
    assert_eq!(
        asked(&turn("c", 100), 50),
        "just now",
        "a clock that was set back"
    );
}
