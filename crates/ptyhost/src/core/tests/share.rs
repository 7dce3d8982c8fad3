//! Shared helpers: who uses them, and when they end.

use super::super::share::{Looked, MAX_SHARED};
use super::Rig;
use crate::core::action::Action;
use crate::core::event::{ConnId, Event};
use protocol::msg::{self, Share};
use protocol::{FromHost, PaneId, Role};

const HELPER: (u32, u64) = (77, 5);

fn share((pid, start): (u32, u64)) -> Share {
    Share { pid, start }
}

/// Asks, and lets the driver answer with `refused`.
fn ask(rig: &mut Rig, conn: ConnId, pane: PaneId, of: (u32, u64), gone: &[(u32, u64)]) -> FromHost {
    let request = rig.begin(conn, pane, share(of));
    for action in rig.acts() {
        if let Action::LookAtShared {
            asker,
            pane,
            process,
        } = action
        {
            let (refused, gone) = (None, gone.to_vec());
            rig.on(Event::Shared(Looked {
                asker,
                pane,
                process,
                refused,
                gone,
            }));
        }
    }
    rig.answer(conn, request).expect("an answer")
}

fn done(rig: &mut Rig, conn: ConnId, pane: PaneId, of: (u32, u64)) {
    let answer = ask(rig, conn, pane, of, &[]);
    assert!(matches!(answer, FromHost::Done(_)), "{answer:?}");
    assert_eq!(rig.acts(), [Action::Spare { process: of }]);
}

fn ends(rig: &mut Rig) -> Vec<(u32, u64)> {
    let acts = rig.acts().into_iter();
    acts.filter_map(|it| match it {
        Action::EndShared { process } => Some(process),
        _ => None,
    })
    .collect()
}

#[test]
fn a_helper_ends_with_the_last_pane_that_uses_it() {
    let mut rig = Rig::new();
    let keeper = rig.connect(Role::Manage);
    let [a, b] = [rig.pane(keeper), rig.pane(keeper)];
    done(&mut rig, keeper, a, HELPER);
    done(&mut rig, keeper, b, HELPER);
    done(&mut rig, keeper, b, HELPER);
    rig.end(a, 0);
    assert_eq!(ends(&mut rig), []);
    rig.on(Event::ReaperGone { pane: a, raw: 0 });
    assert_eq!(ends(&mut rig), [], "one end counts once");
    rig.on(Event::Exited { pane: b, raw: 0 });
    rig.on(Event::OutputEnded { pane: b });
    assert_eq!(ends(&mut rig), [], "its family may still end");
    rig.on(Event::ReaperGone { pane: b, raw: 0 });
    assert_eq!(ends(&mut rig), [HELPER]);
    let c = rig.pane(keeper);
    done(&mut rig, keeper, c, HELPER);
    rig.end(c, 0);
    assert_eq!(ends(&mut rig), [HELPER], "it may be shared anew");
}

/// The same pid with another start time is another process.
#[test]
fn helpers_are_told_apart_by_their_start() {
    let mut rig = Rig::new();
    let keeper = rig.connect(Role::Manage);
    let [a, b] = [rig.pane(keeper), rig.pane(keeper)];
    let later = (HELPER.0, HELPER.1 + 1);
    done(&mut rig, keeper, a, HELPER);
    done(&mut rig, keeper, b, later);
    rig.end(a, 0);
    assert_eq!(ends(&mut rig), [HELPER]);
    rig.end(b, 0);
    assert_eq!(ends(&mut rig), [later]);
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let mut rig = Rig::new();
    let keeper = rig.connect(Role::Manage);
    let pane = rig.pane(keeper);
    let code = |answer| match answer {
        FromHost::Failed(failed) => failed.code,
        other => panic!("{other:?}"),
    };
    let facts = rig.list(keeper).remove(0);
    for own in [facts.pid, facts.reaper] {
        let answer = ask(&mut rig, keeper, pane, (own, 5), &[]);
        assert_eq!(code(answer), msg::FORBIDDEN);
    }
    let answer = ask(&mut rig, keeper, PaneId(99), HELPER, &[]);
    assert_eq!(code(answer), msg::NO_PANE);
    let request = rig.begin(keeper, pane, share(HELPER));
    let Some(Action::LookAtShared {
        asker,
        pane,
        process,
    }) = rig.acts().pop()
    else {
        panic!("no look");
    };
    let refused = Some((msg::NOT_ALIVE, "it has ended".to_owned()));
    rig.on(Event::Shared(Looked {
        asker,
        pane,
        process,
        refused,
        gone: vec![],
    }));
    assert_eq!(code(rig.answer(keeper, request).unwrap()), msg::NOT_ALIVE);
    rig.end(pane, 0);
    assert_eq!(ends(&mut rig), [], "it was never shared");
    let answer = ask(&mut rig, keeper, pane, HELPER, &[]);
    assert_eq!(code(answer), msg::NOT_ALIVE, "the pane has ended");
}

#[test]
fn there_is_a_bound_and_those_who_ended_make_room() {
    let mut rig = Rig::new();
    let keeper = rig.connect(Role::Manage);
    let pane = rig.pane(keeper);
    for n in 0..MAX_SHARED {
        done(
            &mut rig,
            keeper,
            pane,
            (3_000 + u32::try_from(n).unwrap(), 1),
        );
    }
    let answer = ask(&mut rig, keeper, pane, HELPER, &[]);
    assert!(matches!(answer, FromHost::Failed(it) if it.code == msg::LIMIT));
    let answer = ask(&mut rig, keeper, pane, HELPER, &[(3_000, 1)]);
    assert!(matches!(answer, FromHost::Done(_)), "{answer:?}");
    rig.acts();
    rig.end(pane, 0);
    assert_eq!(ends(&mut rig).len(), MAX_SHARED);
}
