//! Credit, lagging viewers, bounded outboxes.

use super::{Rig, wish};
use crate::core::action::Action;
use crate::core::event::{ConnId, MAX_OUTPUT};
use protocol::msg::{self, Ack, GetPage, GetSnapshot, NoteSet, Subscribe, Watch};
use protocol::{FromHost, PaneId, Role, ToHost};

/// A pane and a client it is shown in.
fn shown(rig: &mut Rig) -> (ConnId, PaneId) {
    let a = rig.connect(Role::Attach);
    let pane = rig.pane(a);
    rig.claim(a, &[wish(pane, 120, 40, true)]);
    rig.inbox.clear();
    rig.actions.clear();
    (a, pane)
}

#[test]
fn a_lagging_viewer_gets_a_snapshot_never_the_backlog() {
    let mut rig = Rig::new();
    let (a, pane) = shown(&mut rig);
    let quick = rig.connect(Role::Watch);
    rig.done(
        quick,
        PaneId::NONE,
        Watch {
            panes: vec![pane.0],
        },
    );
    rig.inbox.clear();
    for _ in 0..10 {
        rig.output(pane, vec![b'x'; MAX_OUTPUT]);
        let offset = rig.list(quick)[0].offset;
        rig.tell(quick, pane, Ack { offset });
    }
    let heard = rig.heard(a);
    assert_eq!(
        heard,
        [0, 1, 2, 3].map(|n| format!("p1 output@{}+{MAX_OUTPUT}", n * MAX_OUTPUT))
    );
    assert_eq!(rig.heard(quick).len(), 10, "another viewer does not notice");
    rig.tell(a, pane, Ack { offset: 100_000 });
    assert_eq!(
        rig.heard(a),
        [""; 0],
        "less than half of the credit is back"
    );
    rig.tell(
        a,
        pane,
        Ack {
            offset: 3 * MAX_OUTPUT as u64,
        },
    );
    assert_eq!(rig.heard(a), [format!("p1 snapshot@{}", 10 * MAX_OUTPUT)]);
    rig.output(pane, "live");
    assert_eq!(rig.heard(a), [format!("p1 output@{}+4", 10 * MAX_OUTPUT)]);
}

#[test]
fn the_stream_goes_on_at_the_snapshot_s_exact_byte() {
    let mut rig = Rig::new();
    let (a, pane) = shown(&mut rig);
    let mut at = 0;
    let mut snapshots = 0;
    for round in 0..60_usize {
        rig.output(pane, vec![b'y'; 1 + round * 13_701 % MAX_OUTPUT]);
        if round % 9 == 0 {
            rig.tell(a, pane, Ack { offset: at });
        }
        for (_, message) in rig.take(a) {
            match message {
                FromHost::Output(payload) => {
                    let (offset, bytes) = msg::split_offset(&payload).unwrap();
                    assert_eq!(offset, at, "no gap, no overlap");
                    at += bytes.len() as u64;
                }
                FromHost::Snapshot(payload) => {
                    let offset = msg::split_offset(&payload).unwrap().0;
                    assert!(offset > at, "it replaces what was skipped");
                    at = offset;
                    snapshots += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(snapshots > 1, "{snapshots}");
}

#[test]
fn a_stopped_client_costs_a_bounded_amount_and_nobody_else_waits() {
    let mut rig = Rig::new();
    let (a, pane) = shown(&mut rig);
    rig.slow.push(a);
    let other = rig.connect(Role::Control);
    for _ in 0..8 {
        rig.output(pane, vec![b'x'; MAX_OUTPUT]);
    }
    let sent: usize = rig
        .take(a)
        .iter()
        .map(|(_, m)| {
            if let FromHost::Output(b) = m {
                b.len()
            } else {
                0
            }
        })
        .sum();
    assert!(sent <= 256 * 1024 + 64, "{sent}");
    assert_eq!(
        rig.list(other)[0].offset,
        8 * MAX_OUTPUT as u64,
        "every byte was taken"
    );
}

#[test]
fn a_connection_that_asks_and_never_reads_is_closed() {
    let mut rig = Rig::new();
    let a = rig.connect(Role::Control);
    let value = Some(vec![b'v'; 60_000]);
    rig.ask(
        a,
        PaneId::NONE,
        NoteSet {
            key: "k".to_owned(),
            revision: None,
            value,
        },
    );
    rig.slow.push(a);
    for request in 1..2_000 {
        rig.frame(a, PaneId::NONE, request, msg::NoteList {});
    }
    let acts = rig.acts();
    assert!(
        matches!(acts[..], [Action::Close { conn, .. }] if conn == a),
        "once: {acts:?}"
    );
    let sent = rig.take(a).len();
    rig.frame(a, PaneId::NONE, 5, msg::List {});
    assert_eq!(rig.heard(a), [""; 0], "nothing is sent or read any more");
    assert!(sent < 1_500, "{sent}");
    rig.on(super::Event::Disconnected { conn: a });
}

#[test]
fn a_slow_observer_misses_colour_and_is_told_the_titles_again() {
    let mut rig = Rig::new();
    let o = rig.connect(Role::Observe);
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.done(o, PaneId::NONE, Subscribe {});
    let value = Some(vec![b'v'; 60_000]);
    rig.ask(
        c,
        PaneId::NONE,
        NoteSet {
            key: "k".to_owned(),
            revision: None,
            value,
        },
    );
    rig.inbox.clear();
    rig.slow.push(o);
    for request in 1..160 {
        rig.frame(o, PaneId::NONE, request, msg::NoteList {});
    }
    rig.inbox.clear();
    rig.on(super::Event::Foreground { pane, group: 7 });
    rig.on(super::Event::Stopped { pane });
    assert_eq!(
        rig.heard(o),
        ["p1 stopped true"],
        "what counts is never left out"
    );
    rig.on(super::Event::Sent {
        conn: o,
        bytes: 9_000_000,
    });
    assert_eq!(rig.heard(o), ["p1 title "]);
    rig.on(super::Event::Foreground { pane, group: 8 });
    assert_eq!(rig.heard(o), ["p1 foreground 8"]);
}

#[test]
fn screens_and_pages_are_answers() {
    let mut rig = Rig::new();
    let o = rig.connect(Role::Observe);
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.output(pane, "hello");
    rig.begin(o, pane, GetSnapshot {});
    assert_eq!(rig.heard(o), ["p1 snapshot@5"]);
    for (from, count) in [(0, 0), (0, 10), (u64::MAX, u32::MAX)] {
        rig.begin(o, pane, GetPage { from, count });
        assert_eq!(rig.heard(o), ["p1 page"]);
    }
    rig.tell(o, pane, GetSnapshot {});
    assert_eq!(rig.heard(o), [""; 0], "without an id nobody waits for it");
    assert_eq!(rig.code(o, PaneId(4), GetSnapshot {}), msg::NO_PANE);
    assert_eq!(
        rig.code(o, PaneId::NONE, GetPage { from: 0, count: 1 }),
        msg::NO_PANE
    );
    let ack = ToHost::from(Ack { offset: 9 });
    assert_eq!(
        rig.code(c, PaneId(4), ack),
        0,
        "an ack for what is gone is late, not wrong"
    );
}
