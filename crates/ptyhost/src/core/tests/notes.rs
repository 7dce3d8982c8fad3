//! Notes over the wire: who is told, what is refused.

use super::{Rig, create};
use protocol::msg::{self, NoteList, NoteSet, Subscribe};
use protocol::{FromHost, PaneId, Role};

fn set(key: &str, revision: Option<u64>, value: Option<&[u8]>) -> NoteSet {
    NoteSet {
        key: key.to_owned(),
        revision,
        value: value.map(<[u8]>::to_vec),
    }
}

fn notes(answer: FromHost) -> Vec<(String, u64, Vec<u8>)> {
    match answer {
        FromHost::Notes(notes) => notes
            .notes
            .into_iter()
            .map(|n| (n.key, n.revision, n.value))
            .collect(),
        other => panic!("no notes: {other:?}"),
    }
}

#[test]
fn a_change_is_pushed_to_attachments_and_subscribers() {
    let mut rig = Rig::new();
    let (a, o) = (rig.connect(Role::Attach), rig.connect(Role::Observe));
    let (w, c) = (rig.connect(Role::Watch), rig.connect(Role::Control));
    let pane = rig.pane(c);
    rig.done(o, PaneId::NONE, Subscribe {});
    let written = rig.ask(c, PaneId::NONE, set("workspace/1", Some(0), Some(b"{}")));
    assert_eq!(
        notes(written),
        [("workspace/1".to_owned(), 1, b"{}".to_vec())]
    );
    assert_eq!(
        notes(rig.ask(c, pane, set("name", None, Some(b"n")))).len(),
        1
    );
    assert_eq!(rig.code(c, pane, set("name", Some(1), None)), msg::CONFLICT);
    assert_eq!(
        notes(rig.ask(c, pane, set("name", None, Some(b"n")))).len(),
        1,
        "the same again"
    );
    assert_eq!(notes(rig.ask(c, pane, set("name", Some(2), None))), []);
    let told = ["note workspace/1@1", "p1 note name@2", "p1 note name@3"];
    assert_eq!(rig.heard(a), told);
    assert_eq!(rig.heard(o), told);
    assert_eq!(rig.heard(w), [""; 0]);
    rig.tell(c, PaneId::NONE, set("workspace/1", None, Some(b"new")));
    assert_eq!(
        (rig.heard(a), rig.heard(c)),
        (vec!["note workspace/1@4".to_owned()], vec![])
    );
    assert_eq!(
        notes(rig.ask(o, PaneId::NONE, NoteList {})),
        [("workspace/1".to_owned(), 4, b"new".to_vec())]
    );
}

#[test]
fn two_writers_of_one_revision_do_not_overwrite_each_other() {
    let mut rig = Rig::new();
    let (a, b) = (rig.connect(Role::Attach), rig.connect(Role::Manage));
    assert_eq!(
        notes(rig.ask(a, PaneId::NONE, set("w", Some(0), Some(b"a")))).len(),
        1
    );
    assert_eq!(
        rig.code(b, PaneId::NONE, set("w", Some(0), Some(b"b"))),
        msg::CONFLICT
    );
    assert_eq!(
        notes(rig.ask(b, PaneId::NONE, set("w", Some(1), Some(b"b"))))[0].1,
        2
    );
}

#[test]
fn bounds_and_unknown_panes_are_refused() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    let big = vec![0; 64 * 1024 + 1];
    for (at, len, code) in [
        (pane, 4_097, msg::LIMIT),
        (PaneId::NONE, 64 * 1024 + 1, msg::LIMIT),
        (PaneId(9), 1, msg::NO_PANE),
    ] {
        assert_eq!(
            rig.code(c, at, set("k", None, Some(&big[..len]))),
            code,
            "{at} {len}"
        );
    }
    assert_eq!(
        notes(rig.ask(c, pane, set("k", None, Some(&big[..4_096])))).len(),
        1
    );
    assert_eq!(
        notes(rig.ask(c, PaneId::NONE, set("k", None, Some(&big[..65_536])))).len(),
        1
    );
    assert_eq!(rig.code(c, PaneId(9), NoteList {}), msg::NO_PANE);
}

#[test]
fn a_pane_begins_with_its_notes_and_takes_them_along() {
    let mut rig = Rig::new();
    let (a, c) = (rig.connect(Role::Attach), rig.connect(Role::Control));
    let mut wanted = create("sh");
    wanted.notes = vec![("name".to_owned(), b"api".to_vec())];
    let (_, pane, _) = rig.begin_pane(c, wanted.clone());
    assert_eq!(
        rig.heard(a),
        [""; 0],
        "nobody sees a pane that has not started"
    );
    rig.on(super::Event::Started {
        pane,
        pid: 5,
        start: 0,
    });
    assert_eq!(rig.heard(a), ["p1 note name@1"]);
    assert_eq!(rig.list(c)[0].notes, [("name".to_owned(), b"api".to_vec())]);
    wanted.notes = vec![("name".to_owned(), vec![0; 5_000])];
    assert_eq!(rig.code(c, PaneId::NONE, wanted), msg::LIMIT);
    rig.end(pane, 0);
    rig.done(c, pane, msg::Remove {});
    assert_eq!(rig.code(c, pane, NoteList {}), msg::NO_PANE);
}
