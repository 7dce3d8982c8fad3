//! How panes end: last words, stopped, killed, forgotten.

use super::{Rig, config, wish};
use crate::core::CoreConfig;
use crate::core::action::Action;
use protocol::msg::{self, Continue, Kill, Remove, Subscribe};
use protocol::{FromHost, PaneId, Role, ToHost};
use std::time::Duration;

#[test]
fn the_status_comes_after_the_last_output() {
    use super::Event::{Exited, Output, OutputEnded};
    let out = |pane| Output {
        pane,
        bytes: b"END".to_vec(),
    };
    // Order of what the driver sees; all of it must give the same story.
    for order in [[0, 1, 2], [1, 0, 2], [0, 2, 1]] {
        let mut rig = Rig::new();
        let c = rig.connect(Role::Control);
        let pane = rig.pane(c);
        rig.done(
            c,
            PaneId::NONE,
            msg::Watch {
                panes: vec![pane.0],
            },
        );
        rig.inbox.clear();
        for step in order {
            rig.on(match step {
                0 => out(pane),
                1 => Exited { pane, raw: 3 << 8 },
                _ => OutputEnded { pane },
            });
        }
        assert_eq!(
            rig.heard(c),
            ["p1 output@0+3", "p1 exited 768"],
            "{order:?}"
        );
        assert_eq!(rig.acts(), [Action::ClosePty { pane }]);
        let facts = rig.list(c).remove(0);
        assert_eq!(
            (facts.state, facts.raw_status, facts.offset),
            (msg::EXITED, 768, 3)
        );
        rig.on(super::Event::ReaperGone { pane, raw: 0 });
        rig.on(Exited { pane, raw: 9 });
        rig.output(pane, "later");
        assert_eq!(
            (rig.heard(c), rig.list(c)[0].offset),
            (vec![], 3),
            "told once"
        );
    }
}

#[test]
fn output_that_does_not_end_is_waited_for_one_second() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.done(c, PaneId::NONE, Subscribe {});
    rig.tell(c, pane, ToHost::Input(b"exit\r".to_vec()));
    rig.pass(Duration::from_millis(250));
    rig.take(c);
    rig.on(super::Event::Exited { pane, raw: 0 });
    assert_eq!(
        rig.core.next_deadline(),
        Some(rig.now + Duration::from_secs(1))
    );
    rig.pass(Duration::from_millis(999));
    assert_eq!((rig.heard(c), rig.list(c)[0].state), (vec![], msg::RUNNING));
    rig.output(pane, "background job");
    rig.pass(Duration::from_millis(1));
    let heard = rig.take(c);
    let [
        (_, FromHost::PaneEnded(ended)),
        (_, FromHost::PaneExited(exited)),
    ] = &heard[..]
    else {
        panic!("{heard:?}")
    };
    assert_eq!((exited.raw_status, exited.since_input_ms), (0, Some(250)));
    let want = msg::PaneEnded {
        raw_status: 0,
        since_submit_ms: Some(250),
        killed: false,
    };
    assert_eq!(ended, &want);
    rig.pass(Duration::from_secs(30));
    let asked = rig.ask(c, pane, msg::LastSubmit {});
    let want = msg::Submitted {
        since_ms: Some(250),
        killed: false,
    };
    assert_eq!(asked, FromHost::Submitted(want), "counted to the end");
    assert_eq!(rig.list(c)[0].offset, 14);
}

#[test]
fn a_reaper_that_dies_takes_its_pane_along_and_says_so() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.on(super::Event::ReaperGone { pane, raw: 9 });
    rig.on(super::Event::OutputEnded { pane });
    let facts = rig.list(c).remove(0);
    assert_eq!(
        (facts.state, facts.raw_status, &*facts.end_note),
        (msg::EXITED, 9, "its reaper ended")
    );
}

#[test]
fn a_program_that_memory_ran_out_for_says_so() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.on(super::Event::OutOfMemory { pane });
    rig.on(super::Event::Exited { pane, raw: 9 });
    rig.on(super::Event::OutputEnded { pane });
    let facts = rig.list(c).remove(0);
    assert_eq!(
        (facts.state, facts.raw_status, &*facts.end_note),
        (msg::EXITED, 9, "the system had run out of memory")
    );
}

#[test]
fn stopped_is_shown_and_never_taken_for_exited() {
    let mut rig = Rig::new();
    let (c, o) = (rig.connect(Role::Control), rig.connect(Role::Observe));
    let pane = rig.pane(c);
    rig.done(o, PaneId::NONE, Subscribe {});
    rig.on(super::Event::Stopped { pane });
    rig.on(super::Event::Stopped { pane });
    assert_eq!(rig.list(c)[0].state, msg::STOPPED);
    rig.pass(Duration::from_secs(3_600));
    assert_eq!(rig.list(c)[0].state, msg::STOPPED);
    rig.done(c, pane, Continue {});
    assert_eq!(rig.acts(), [Action::ContinuePane { pane }]);
    assert_eq!(
        rig.list(c)[0].state,
        msg::STOPPED,
        "until the reaper says so"
    );
    rig.on(super::Event::Continued { pane });
    rig.on(super::Event::Stopped { pane });
    assert_eq!(
        rig.heard(o),
        ["p1 stopped true", "p1 stopped false", "p1 stopped true"]
    );
    rig.end(pane, 19);
    assert_eq!(rig.list(c)[0].state, msg::EXITED);
    assert_eq!(rig.code(c, pane, Continue {}), msg::NOT_ALIVE);
}

#[test]
fn kill_is_answered_at_once_and_the_end_follows() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.done(c, PaneId::NONE, Subscribe {});
    rig.done(c, pane, Kill {});
    assert_eq!(rig.acts(), [Action::HangUp { pane }]);
    assert_eq!(rig.code(c, pane, Remove {}), msg::BUSY, "it still runs");
    rig.end(pane, 15);
    let heard = rig.take(c);
    assert!(
        matches!(&heard[..], [(_, FromHost::PaneEnded(ended)), (_, FromHost::PaneExited(_))]
            if ended.killed && ended.since_submit_ms.is_none()),
        "{heard:?}"
    );
    assert_eq!(rig.code(c, pane, Kill {}), msg::NOT_ALIVE);
    assert_eq!(rig.code(c, PaneId(9), Kill {}), msg::NO_PANE);
    rig.done(c, pane, Remove {});
    assert_eq!(
        (rig.heard(c), rig.list(c)),
        (vec!["p1 paneremoved".to_owned()], vec![])
    );
    assert_eq!(rig.code(c, pane, Remove {}), msg::NO_PANE);
}

#[test]
fn the_newest_exited_panes_stay_readable() {
    let mut rig = Rig::with(CoreConfig {
        keep_exited: 3,
        ..config()
    });
    let c = rig.connect(Role::Control);
    let panes: Vec<PaneId> = (0..5).map(|_| rig.pane(c)).collect();
    rig.done(c, PaneId::NONE, Subscribe {});
    for pane in [4, 0, 3, 1, 2].map(|i: usize| panes[i]) {
        rig.output(pane, "bye");
        rig.end(pane, 0);
    }
    let words = rig.heard(c);
    assert!(
        words.ends_with(&["p3 exited 0".to_owned(), "p1 paneremoved".to_owned()]),
        "{words:?}"
    );
    let left: Vec<u32> = rig.list(c).iter().map(|pane| pane.pane).collect();
    assert_eq!(left, [2, 3, 4]);
    rig.begin(c, panes[2], msg::GetSnapshot {});
    assert_eq!(rig.heard(c), ["p3 snapshot@3"]);
}

#[test]
fn foreground_changes_are_told_once() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.done(c, PaneId::NONE, Subscribe {});
    for group in [5, 5, 6, 0] {
        rig.on(super::Event::Foreground { pane, group });
    }
    assert_eq!(
        rig.heard(c),
        ["p1 foreground 5", "p1 foreground 6", "p1 foreground 0"]
    );
}

#[test]
fn an_exited_pane_fits_whoever_looks_at_it() {
    let mut rig = Rig::new();
    let a = rig.connect(Role::Attach);
    let pane = rig.pane(a);
    rig.output(pane, "bye");
    rig.end(pane, 0);
    rig.acts();
    rig.claim(a, &[wish(pane, 60, 20, true)]);
    assert_eq!(
        rig.heard(a),
        ["p1 60x20@3", "p1 snapshot@3", "p1 shown true"]
    );
    assert_eq!(rig.acts(), [], "there is no terminal to tell");
    let facts = rig.list(a).remove(0);
    assert_eq!((facts.cols, facts.rows, facts.state), (60, 20, msg::EXITED));
    assert_eq!(
        rig.code(a, pane, msg::Resize { cols: 9, rows: 9 }),
        msg::NOT_ALIVE
    );
}
