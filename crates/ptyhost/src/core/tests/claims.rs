//! Who has which pane, and at which size.

use super::{Rig, wish};
use crate::core::action::Action;
use protocol::msg::{self, Claim, Release, Resize, Subscribe, Watch};
use protocol::{PaneId, Role};

/// Window-size changes given out since the last look.
fn resizes(rig: &mut Rig) -> Vec<(u32, u16, u16)> {
    let acts = rig.acts().into_iter();
    acts.filter_map(|action| match action {
        Action::Resize { pane, size } => Some((pane.0, size.0, size.1)),
        _ => None,
    })
    .collect()
}

#[test]
fn the_newest_claim_wins_and_the_older_client_is_told() {
    let mut rig = Rig::new();
    let (a, b) = (rig.connect(Role::Attach), rig.connect(Role::Attach));
    let (one, two) = (rig.pane(a), rig.pane(a));
    rig.claim(a, &[wish(one, 120, 40, true), wish(two, 120, 40, true)]);
    assert_eq!(
        rig.heard(a),
        [
            "p1 snapshot@0",
            "p1 paneshown",
            "p2 snapshot@0",
            "p2 paneshown"
        ]
        .map(|word| word.replace("paneshown", "shown true"))
    );
    rig.claim(b, &[wish(one, 120, 40, true)]);
    assert_eq!(rig.heard(a), [format!("p1 taken by {}", b.0)]);
    assert_eq!(rig.heard(b), ["p1 snapshot@0"]);
    rig.output(one, "x");
    rig.output(two, "y");
    assert_eq!(rig.heard(a), ["p2 output@0+1"], "it keeps the rest");
    assert_eq!(rig.heard(b), ["p1 output@0+1"]);
    let holders: Vec<_> = rig.list(b).iter().map(|pane| pane.claimed_by).collect();
    assert_eq!(holders, [Some(b.0), Some(a.0)]);
    rig.claim(a, &[wish(one, 120, 40, true)]);
    assert_eq!(rig.heard(b), [format!("p1 taken by {}", a.0)]);
}

#[test]
fn watchers_neither_take_nor_lose() {
    let mut rig = Rig::new();
    let (a, b) = (rig.connect(Role::Attach), rig.connect(Role::Watch));
    let (one, two) = (rig.pane(a), rig.pane(a));
    rig.claim(a, &[wish(one, 120, 40, true)]);
    rig.done(
        b,
        PaneId::NONE,
        Watch {
            panes: vec![one.0, one.0],
        },
    );
    rig.inbox.clear();
    rig.output(one, "abc");
    assert_eq!(
        (rig.heard(a), rig.heard(b)),
        (
            vec!["p1 output@0+3".to_owned()],
            vec!["p1 output@0+3".to_owned()]
        )
    );
    rig.done(
        b,
        PaneId::NONE,
        Watch {
            panes: vec![two.0, one.0],
        },
    );
    assert_eq!(
        rig.heard(b),
        ["p2 snapshot@0"],
        "the one it has goes on as it is"
    );
    rig.done(b, PaneId::NONE, Watch { panes: vec![two.0] });
    rig.output(one, "abc");
    assert_eq!(rig.heard(b), [""; 0]);
    let code = rig.code(
        b,
        PaneId::NONE,
        Watch {
            panes: vec![two.0, 77],
        },
    );
    assert_eq!(code, msg::NO_PANE);
    rig.output(two, "abc");
    assert_eq!(
        rig.heard(b),
        ["p2 output@0+3"],
        "a refused list changes nothing"
    );
}

#[test]
fn a_claim_is_all_or_nothing() {
    let mut rig = Rig::new();
    let a = rig.connect(Role::Attach);
    let one = rig.pane(a);
    let claim = Claim {
        panes: vec![wish(one, 80, 24, true), wish(PaneId(8), 80, 24, true)],
    };
    match rig.ask(a, PaneId::NONE, claim) {
        protocol::FromHost::Failed(failed) => {
            assert_eq!(
                (failed.code, failed.text.as_str()),
                (msg::NO_PANE, "no pane p8")
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        (rig.list(a)[0].claimed_by, rig.list(a)[0].cols),
        (None, 120)
    );
    assert_eq!(resizes(&mut rig), []);
}

#[test]
fn sizes_follow_the_claim_once() {
    // Claimed size and visibility; the window-size changes it makes. The pane has 120x40.
    type Row = (u16, u16, bool, &'static [(u16, u16)]);
    let table: &[Row] = &[
        (120, 40, true, &[]),
        (120, 40, false, &[]),
        (100, 30, true, &[(100, 30)]),
        (100, 30, false, &[]),
        (2, 1, true, &[(20, 5)]),
        (67, 1, true, &[(67, 5)]),
        (0, 0, true, &[(20, 5)]),
        (65_535, 65_535, true, &[(1_000, 1_000)]),
    ];
    for (cols, rows, shown, want) in table {
        let mut rig = Rig::new();
        let a = rig.connect(Role::Attach);
        let pane = rig.pane(a);
        rig.claim(a, &[wish(pane, *cols, *rows, *shown)]);
        rig.claim(a, &[wish(pane, *cols, *rows, *shown)]);
        let got: Vec<_> = resizes(&mut rig).iter().map(|(_, c, r)| (*c, *r)).collect();
        assert_eq!(&got, want, "{cols}x{rows} shown {shown}");
    }
}

#[test]
fn two_clients_do_not_fight_over_size() {
    let mut rig = Rig::new();
    let (a, b) = (rig.connect(Role::Attach), rig.connect(Role::Attach));
    let pane = rig.pane(a);
    rig.claim(a, &[wish(pane, 39, 38, true)]);
    rig.claim(b, &[wish(pane, 47, 42, true)]);
    assert_eq!(
        resizes(&mut rig),
        [(1, 39, 38), (1, 47, 42)],
        "at most one an attach"
    );
    rig.on(super::Event::Disconnected { conn: b });
    rig.output(pane, "x");
    assert_eq!(resizes(&mut rig), [], "the last size is kept");
}

#[test]
fn every_viewer_sees_a_new_size_at_its_offset() {
    let mut rig = Rig::new();
    let (a, w) = (rig.connect(Role::Attach), rig.connect(Role::Watch));
    let (c, o) = (rig.connect(Role::Control), rig.connect(Role::Observe));
    let pane = rig.pane(c);
    rig.done(
        w,
        PaneId::NONE,
        Watch {
            panes: vec![pane.0],
        },
    );
    rig.done(o, PaneId::NONE, Subscribe {});
    rig.output(pane, "12345");
    rig.inbox.clear();
    rig.claim(a, &[wish(pane, 100, 30, true)]);
    assert_eq!(
        rig.heard(a),
        ["p1 100x30@5", "p1 snapshot@5", "p1 shown true"]
    );
    assert_eq!(
        rig.heard(w),
        ["p1 100x30@5", "p1 snapshot@5", "p1 shown true"]
    );
    assert_eq!(rig.heard(o), ["p1 100x30@5", "p1 shown true"]);
    rig.done(c, pane, Resize { cols: 90, rows: 20 });
    assert_eq!(rig.heard(a), ["p1 90x20@5", "p1 snapshot@5"]);
    rig.done(c, pane, Resize { cols: 90, rows: 20 });
    assert_eq!((rig.heard(a), rig.heard(o).len()), (vec![], 1));
    for (cols, rows) in [(0, 5), (5, 0), (1_001, 5), (5, 1_001)] {
        assert_eq!(rig.code(c, pane, Resize { cols, rows }), msg::LIMIT);
    }
    assert_eq!(
        rig.code(c, PaneId(9), Resize { cols: 5, rows: 5 }),
        msg::NO_PANE
    );
}

#[test]
fn hidden_panes_send_events_and_a_snapshot_when_shown() {
    let mut rig = Rig::new();
    let a = rig.connect(Role::Attach);
    let pane = rig.pane(a);
    rig.claim(a, &[wish(pane, 80, 24, false)]);
    rig.output(pane, "hidden");
    assert_eq!(rig.heard(a), [""; 0]);
    rig.on(super::Event::Stopped { pane });
    assert_eq!(rig.heard(a), ["p1 stopped true"]);
    rig.claim(a, &[wish(pane, 120, 40, true)]);
    rig.output(pane, "now");
    assert_eq!(
        rig.heard(a),
        ["p1 snapshot@6", "p1 shown true", "p1 output@6+3"]
    );
    rig.claim(a, &[wish(pane, 120, 40, false)]);
    rig.output(pane, "x");
    assert_eq!(rig.heard(a), ["p1 shown false"]);
    rig.claim(a, &[wish(pane, 120, 40, true)]);
    assert_eq!(rig.heard(a), ["p1 snapshot@10", "p1 shown true"]);
    rig.claim(a, &[wish(pane, 120, 40, true)]);
    assert_eq!(rig.heard(a), [""; 0], "nothing changed");
}

#[test]
fn what_a_gone_client_held_is_free() {
    let mut rig = Rig::new();
    let (a, o) = (rig.connect(Role::Attach), rig.connect(Role::Observe));
    let (one, two) = (rig.pane(a), rig.pane(a));
    rig.done(o, PaneId::NONE, Subscribe {});
    rig.claim(a, &[wish(one, 120, 40, true), wish(two, 120, 40, false)]);
    rig.inbox.clear();
    rig.done(
        a,
        PaneId::NONE,
        Release {
            panes: vec![one.0, 99],
        },
    );
    assert_eq!(rig.heard(o), ["p1 shown false", "p1 looked false"]);
    rig.claim(a, &[wish(one, 120, 40, true)]);
    rig.inbox.clear();
    rig.on(super::Event::Disconnected { conn: a });
    assert_eq!(
        rig.heard(o),
        ["p1 shown false", "p2 shown false", "p1 looked false"]
    );
    assert!(
        rig.list(o)
            .iter()
            .all(|pane| pane.claimed_by.is_none() && !pane.shown)
    );
    rig.output(one, "x");
    assert_eq!(rig.heard(a), [""; 0]);
}

#[test]
fn one_log_line_an_attach() {
    let mut rig = Rig::new();
    let maker = rig.connect(Role::Control);
    let panes: Vec<_> = (0..4).map(|_| rig.pane(maker)).collect();
    let wishes: Vec<_> = panes.iter().map(|pane| wish(*pane, 80, 24, true)).collect();
    for _ in 0..24 {
        let a = rig.connect(Role::Attach);
        rig.claim(a, &wishes);
        rig.claim(a, &wishes[..1]);
        rig.on(super::Event::Disconnected { conn: a });
    }
    let logs = rig.logs();
    assert_eq!(
        logs.iter()
            .filter(|line| *line == "client attached: 4 terminals")
            .count(),
        24
    );
    assert_eq!(
        logs.iter()
            .filter(|line| line.starts_with("client attached"))
            .count(),
        24
    );
}

#[test]
fn a_taken_pane_names_who_took_it() {
    let mut rig = Rig::new();
    let (a, b) = (rig.connect(Role::Attach), rig.connect(Role::Attach));
    let pane = rig.pane(a);
    rig.claim(a, &[wish(pane, 80, 24, true)]);
    rig.inbox.clear();
    let mut viewer = super::viewer::plain();
    viewer.label = format!("/dev/pts/3\n{}", "x".repeat(500));
    rig.done(b, PaneId::NONE, viewer);
    rig.claim(b, &[wish(pane, 80, 24, true)]);
    let taken = rig.take(a);
    let [(_, protocol::FromHost::PaneTaken(taken))] = &taken[..] else {
        panic!("{taken:?}")
    };
    assert_eq!((taken.by, taken.label.len()), (b.0, 128));
    assert!(taken.label.starts_with("/dev/pts/3x"));
}
