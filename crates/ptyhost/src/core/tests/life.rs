//! The host's own end: idle, asked for, by signal.

use super::{IDLE, Rig, config, create, wish};
use crate::core::CoreConfig;
use crate::core::action::Action;
use protocol::msg::{self, Status, Stop, Subscribe, Watch};
use protocol::{FromHost, PaneId, Role};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn exits(rig: &mut Rig) -> bool {
    rig.acts()
        .iter()
        .any(|action| matches!(action, Action::Exit { .. }))
}

#[test]
fn an_unused_host_ends_after_the_limit() {
    let mut rig = Rig::new();
    assert_eq!(rig.core.next_deadline(), Some(rig.now + IDLE));
    rig.pass(IDLE - SECOND);
    assert!(!exits(&mut rig));
    rig.pass(SECOND);
    assert!(exits(&mut rig));
    assert_eq!(rig.core.next_deadline(), None);
    rig.on(super::Event::Deadline);
    assert_eq!(rig.acts(), [], "the last action ever");
}

#[test]
fn live_programs_and_attachments_hold_it_nothing_else_does() {
    // What is there for an hour; whether the host is still there then.
    type Setup = fn(&mut Rig);
    let table: &[(&str, Setup, bool)] = &[
        (
            "a live pane",
            |rig| {
                drop_conn(rig, |rig, c| {
                    rig.pane(c);
                });
            },
            true,
        ),
        (
            "a stopped pane",
            |rig| {
                drop_conn(rig, |rig, c| {
                    let pane = rig.pane(c);
                    rig.on(super::Event::Stopped { pane });
                });
            },
            true,
        ),
        (
            "a pane on its way",
            |rig| {
                drop_conn(rig, |rig, c| {
                    rig.begin_pane(c, create("sh"));
                });
            },
            true,
        ),
        (
            "an attachment without panes",
            |rig| {
                rig.connect(Role::Attach);
            },
            true,
        ),
        (
            "a watcher",
            |rig| {
                rig.connect(Role::Watch);
            },
            true,
        ),
        (
            "a command",
            |rig| {
                rig.connect(Role::Control);
            },
            false,
        ),
        (
            "a watching command",
            |rig| {
                let c = rig.connect(Role::Control);
                rig.done(c, PaneId::NONE, Watch { panes: Vec::new() });
            },
            false,
        ),
        (
            "observer and keeper",
            |rig| {
                for role in [Role::Observe, Role::Manage] {
                    let conn = rig.connect(role);
                    rig.done(conn, PaneId::NONE, Subscribe {});
                }
            },
            false,
        ),
        (
            "an exited pane that is watched by a keeper",
            |rig| {
                let m = rig.connect(Role::Manage);
                let pane = rig.pane(m);
                rig.end(pane, 0);
            },
            false,
        ),
        (
            "a failed start",
            |rig| {
                let c = rig.connect(Role::Control);
                let (_, pane, _) = rig.begin_pane(c, create("sh"));
                rig.on(super::Event::SpawnFailed {
                    pane,
                    text: String::new(),
                });
            },
            false,
        ),
    ];
    for (what, setup, stays) in table {
        let mut rig = Rig::new();
        setup(&mut rig);
        rig.actions.clear();
        rig.pass(IDLE);
        rig.pass(Duration::from_secs(3_600));
        assert_eq!(exits(&mut rig), !stays, "{what}");
    }
}

/// Does something on a command's connection, which ends then.
fn drop_conn(rig: &mut Rig, work: fn(&mut Rig, super::ConnId)) {
    let c = rig.connect(Role::Control);
    work(rig, c);
    rig.on(super::Event::Disconnected { conn: c });
}

#[test]
fn the_limit_begins_anew_with_each_last_user() {
    let mut rig = Rig::new();
    let keeper = rig.connect(Role::Manage);
    rig.pass(IDLE - SECOND);
    let a = rig.connect(Role::Attach);
    assert_eq!(rig.core.next_deadline(), None);
    let pane = rig.pane(a);
    rig.claim(a, &[wish(pane, 80, 24, true)]);
    rig.on(super::Event::Disconnected { conn: a });
    assert_eq!(rig.core.next_deadline(), None, "the pane lives");
    rig.pass(Duration::from_secs(86_400));
    rig.end(pane, 0);
    assert_eq!(rig.core.next_deadline(), Some(rig.now + IDLE));
    rig.pass(IDLE - SECOND);
    assert!(!exits(&mut rig));
    rig.pass(SECOND);
    assert!(exits(&mut rig));
    assert_eq!(rig.heard(keeper), ["goodbye"]);
}

/// A command that came in just before the end starts its pane; one that stays puts nothing off again.
#[test]
fn a_command_that_has_just_come_puts_the_end_off() {
    let mut rig = Rig::new();
    let waits = rig.connect(Role::Control);
    rig.pass(IDLE - SECOND);
    let command = rig.connect(Role::Control);
    rig.pass(SECOND * 5);
    assert!(!exits(&mut rig), "it is about to ask");
    rig.on(super::Event::Disconnected { conn: command });
    assert!(exits(&mut rig), "it has asked for nothing");
    assert_eq!(rig.heard(waits), ["goodbye"]);

    let mut rig = Rig::new();
    rig.pass(IDLE - SECOND);
    rig.connect(Role::Control);
    rig.pass(SECOND * 9);
    assert!(!exits(&mut rig));
    rig.pass(SECOND);
    assert!(exits(&mut rig), "10 s after it came");
}

#[test]
fn an_endless_limit_never_ends_it() {
    let mut rig = Rig::with(CoreConfig {
        idle_exit: Duration::MAX,
        ..config()
    });
    rig.pass(Duration::from_secs(86_400 * 365));
    assert!(!exits(&mut rig));
}

#[test]
fn an_ordered_stop_says_goodbye_ends_families_then_itself() {
    for by_signal in [false, true] {
        let mut rig = Rig::new();
        let (c, o) = (rig.connect(Role::Control), rig.connect(Role::Observe));
        let (one, two, dead) = (rig.pane(c), rig.pane(c), rig.pane(c));
        rig.end(dead, 0);
        rig.acts();
        if by_signal {
            rig.on(super::Event::Terminate { signal: "SIGTERM" });
        } else {
            rig.done(c, PaneId::NONE, Stop {});
        }
        assert_eq!(rig.heard(o), ["goodbye"]);
        assert_eq!(rig.heard(c), ["goodbye"]);
        assert_eq!(
            rig.acts(),
            [Action::HangUp { pane: one }, Action::HangUp { pane: two }]
        );
        assert_eq!(rig.code(c, PaneId::NONE, create("sh")), msg::BUSY);
        rig.done(c, PaneId::NONE, Stop {});
        assert_eq!(rig.heard(c), [""; 0], "one goodbye");
        rig.end(one, 15);
        rig.on(super::Event::Exited { pane: two, raw: 15 });
        rig.on(super::Event::OutputEnded { pane: two });
        assert!(!exits(&mut rig), "a family may still live below its reaper");
        let notes: Vec<_> = rig.list(o).into_iter().map(|pane| pane.end_note).collect();
        assert_eq!(notes, ["ended with the host", "ended with the host", ""]);
        rig.on(super::Event::ReaperGone { pane: two, raw: 0 });
        assert!(exits(&mut rig));
    }
}

#[test]
fn a_stop_waits_ten_seconds_at_most() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    rig.pane(c);
    rig.done(c, PaneId::NONE, Stop {});
    rig.pass(Duration::from_millis(9_999));
    assert!(!exits(&mut rig));
    rig.pass(Duration::from_millis(1));
    let logs: Vec<_> = rig
        .actions
        .iter()
        .filter(|a| matches!(a, Action::Log(l) if l.contains("p1")))
        .collect();
    assert!(!logs.is_empty(), "what is left is named");
    assert!(exits(&mut rig));
}

#[test]
fn a_stop_without_panes_is_immediate_and_late_starts_are_ended() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    rig.done(c, PaneId::NONE, Stop {});
    assert!(exits(&mut rig));

    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let (_, pane, _) = rig.begin_pane(c, create("sh"));
    let waiting = rig.begin(
        c,
        PaneId::NONE,
        msg::Create {
            env: None,
            ..create("sh")
        },
    );
    rig.on(super::Event::Terminate { signal: "SIGINT" });
    assert!(matches!(rig.answer(c, waiting), Some(FromHost::Failed(f)) if f.code == msg::BUSY));
    rig.acts();
    rig.on(super::Event::Spawned { pane, reaper: 5 });
    assert_eq!(rig.acts(), [Action::HangUp { pane }]);
    let late = rig.next;
    rig.next += 1;
    rig.on(super::Event::Connected {
        conn: super::ConnId(late),
        role: Role::Attach,
        pane_key: None,
    });
    assert_eq!(rig.heard(super::ConnId(late)), ["welcome", "goodbye"]);
    rig.on(super::Event::Started {
        pane,
        pid: 6,
        start: 0,
    });
    rig.end(pane, 1);
    assert!(exits(&mut rig));
}

#[test]
fn status_is_one_measurement_for_all_who_ask() {
    let mut rig = Rig::new();
    let (c, o) = (rig.connect(Role::Control), rig.connect(Role::Observe));
    rig.connect(Role::Attach);
    let (live, dead) = (rig.pane(c), rig.pane(c));
    rig.end(dead, 0);
    rig.acts();
    let (first, second) = (
        rig.begin(c, PaneId::NONE, Status {}),
        rig.begin(o, PaneId::NONE, Status {}),
    );
    assert_eq!(rig.acts(), [Action::MeasureHost]);
    assert_eq!(rig.answer(c, first), None);
    let warnings = vec!["the root reaper is gone".to_owned()];
    rig.on(super::Event::Measured {
        memory: 5,
        root_reaper: 0,
        warnings: warnings.clone(),
    });
    let Some(FromHost::HostFacts(facts)) = rig.answer(c, first) else {
        panic!("no facts")
    };
    assert_eq!((facts.pid, facts.pid_start, facts.memory), (4_242, 99, 5));
    assert_eq!(
        (
            facts.terminals,
            facts.live,
            facts.attachments,
            facts.observers
        ),
        (2, 1, 1, 1)
    );
    assert_eq!(
        (facts.warnings, facts.instance, &*facts.build),
        (warnings, [7; 16], "0.1.0 test")
    );
    assert!(rig.answer(o, second).is_some());
    assert!(rig.list(c).iter().any(|pane| pane.pane == live.0));
    rig.begin(c, PaneId::NONE, Status {});
    assert_eq!(rig.acts(), [Action::MeasureHost]);
}
