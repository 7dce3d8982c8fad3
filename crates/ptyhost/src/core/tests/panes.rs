//! How panes begin, and how they do not.

use super::{Rig, config, create};
use crate::core::CoreConfig;
use crate::core::action::Action;
use protocol::auth::Key;
use protocol::msg::{self, Kill, Subscribe};
use protocol::{FromHost, PaneId, Role};
use std::time::Duration;

#[test]
fn ids_are_kept_before_they_are_used_and_never_reused() {
    let mut rig = Rig::with(CoreConfig {
        highest: 11,
        ..config()
    });
    let c = rig.connect(Role::Control);
    rig.begin(c, PaneId::NONE, create("sh"));
    let acts = rig.acts();
    assert_eq!(acts[0], Action::PersistHighest(12));
    assert!(
        matches!(
            acts[1],
            Action::Spawn {
                pane: PaneId(12),
                ..
            }
        ),
        "{acts:?}"
    );
    rig.on(super::Event::SpawnFailed {
        pane: PaneId(12),
        text: String::new(),
    });
    rig.acts();
    let (_, pane, _) = rig.begin_pane(c, create("sh"));
    assert_eq!(pane, PaneId(13), "not even after a failure");
    // A restored pane keeps its id.
    let restored = |id| msg::Create {
        id: Some(id),
        ..create("sh")
    };
    assert_eq!(rig.code(c, PaneId::NONE, restored(13)), msg::CONFLICT);
    for id in [0, 1_000_000_001, u32::MAX] {
        assert_eq!(rig.code(c, PaneId::NONE, restored(id)), msg::LIMIT, "{id}");
    }
    assert_eq!(rig.begin_pane(c, restored(3)).1, PaneId(3));
    assert_eq!(rig.begin_pane(c, restored(40)).1, PaneId(40));
    assert_eq!(rig.begin_pane(c, create("sh")).1, PaneId(41));
}

#[test]
fn a_program_that_cannot_start_is_an_answer_and_leaves_nothing() {
    let mut rig = Rig::new();
    let (c, o) = (rig.connect(Role::Control), rig.connect(Role::Observe));
    rig.done(o, PaneId::NONE, Subscribe {});
    for late in [false, true] {
        let (request, pane, _) = rig.begin_pane(c, create("claude"));
        if late {
            rig.on(super::Event::Spawned { pane, reaper: 7 });
        }
        assert_eq!(
            rig.code(c, pane, Kill {}),
            msg::NO_PANE,
            "nobody sees it before it runs"
        );
        assert_eq!(rig.list(c), []);
        let text = "cannot start `claude`: no such program in PATH (folder /)".to_owned();
        rig.on(super::Event::SpawnFailed {
            pane,
            text: text.clone(),
        });
        let failed = FromHost::from(msg::Failed {
            code: msg::SPAWN,
            text,
        });
        assert_eq!(rig.answer(c, request), Some(failed));
        assert_eq!(rig.acts(), [Action::ClosePty { pane }]);
        rig.on(super::Event::ReaperGone { pane, raw: 0 });
        rig.output(pane, "late");
        assert_eq!(
            (rig.list(c), rig.acts(), rig.heard(o)),
            (vec![], vec![], vec![])
        );
    }
    let (request, pane, _) = rig.begin_pane(c, create("sh"));
    rig.on(super::Event::Spawned { pane, reaper: 7 });
    rig.on(super::Event::ReaperGone { pane, raw: 9 });
    assert!(matches!(rig.answer(c, request), Some(FromHost::Failed(f)) if f.code == msg::SPAWN));
}

#[test]
fn requests_that_cannot_be_a_pane_are_refused_at_once() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let plain = create("sh");
    for (what, code) in [
        (
            msg::Create {
                argv: Vec::new(),
                ..plain.clone()
            },
            msg::MALFORMED,
        ),
        (
            msg::Create {
                argv: vec![Vec::new()],
                ..plain.clone()
            },
            msg::MALFORMED,
        ),
        (
            msg::Create {
                cwd: b"relative".to_vec(),
                ..plain.clone()
            },
            msg::SPAWN,
        ),
        (
            msg::Create {
                cols: 1_001,
                ..plain.clone()
            },
            msg::LIMIT,
        ),
        (
            msg::Create {
                rows: u16::MAX,
                ..plain.clone()
            },
            msg::LIMIT,
        ),
        (
            msg::Create {
                seed: Some(b"no snapshot".to_vec()),
                ..plain.clone()
            },
            msg::MALFORMED,
        ),
    ] {
        assert_eq!(rig.code(c, PaneId::NONE, what.clone()), code, "{what:?}");
        assert!(
            !rig.acts()
                .iter()
                .any(|action| matches!(action, Action::Spawn { .. }))
        );
    }
    assert_eq!(rig.list(c), []);
}

#[test]
fn there_is_a_bound_on_panes() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let tiny = msg::Create {
        cols: 1,
        rows: 1,
        ..create("sh")
    };
    for id in 1..=1_000 {
        rig.frame(c, PaneId::NONE, 0, tiny.clone());
        rig.on(super::Event::Started {
            pane: PaneId(id),
            pid: id,
            start: 0,
        });
    }
    assert_eq!(rig.code(c, PaneId::NONE, create("sh")), msg::LIMIT);
    rig.end(PaneId(5), 0);
    rig.acts();
    assert_eq!(rig.begin_pane(c, create("sh")).1, PaneId(1_001));
}

#[test]
fn a_pane_is_what_its_creator_asked_for() {
    let mut rig = Rig::new();
    let (c, o) = (rig.connect(Role::Control), rig.connect(Role::Observe));
    rig.done(o, PaneId::NONE, Subscribe {});
    let wanted = msg::Create {
        argv: vec![b"sh".to_vec(), b"-c".to_vec(), b"\xff".to_vec()],
        cwd: b"/w\xfe".to_vec(),
        cols: 33,
        rows: 11,
        set_env: vec![(b"A".to_vec(), b"1".to_vec())],
        ..create("sh")
    };
    let (request, pane, spec) = rig.begin_pane(c, wanted.clone());
    assert_eq!(
        (&spec.argv, &spec.cwd, spec.size),
        (&wanted.argv, &wanted.cwd, (33, 11))
    );
    assert!(spec.env.contains(&(b"A".to_vec(), b"1".to_vec())));
    rig.on(super::Event::Spawned { pane, reaper: 70 });
    rig.on(super::Event::Started {
        pane,
        pid: 71,
        start: 72,
    });
    assert_eq!(
        rig.answer(c, request),
        Some(msg::Created { pane: 1, pid: 71 }.into())
    );
    assert_eq!(rig.heard(o), ["p1 created 71"]);
    rig.pass(Duration::from_millis(1_500));
    let facts = rig.list(c).remove(0);
    assert_eq!((facts.pid, facts.pid_start, facts.reaper), (71, 72, 70));
    assert_eq!(
        (facts.cols, facts.rows, facts.state),
        (33, 11, msg::RUNNING)
    );
    assert_eq!(
        (facts.age_ms, facts.since_output_ms, facts.since_input_ms),
        (1_500, None, None)
    );
    let (_, _, spec) = rig.begin_pane(c, create("sh"));
    assert_eq!(spec.size, (120, 40), "the default without a client");
}

#[test]
fn the_token_never_reaches_a_pane_and_its_own_key_does() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let (_, pane, spec) = rig.begin_pane(c, create("sh"));
    let token = Key::from([9; 32]);
    let own = token.for_pane(&[7; 16], pane).to_hex().into_bytes();
    assert!(spec.env.contains(&(b"ABIDE_PANE_KEY".to_vec(), own)));
    assert!(spec.env.contains(&(b"ABIDE_PANE".to_vec(), b"p1".to_vec())));
    let (hex, raw) = (token.to_hex().into_bytes(), token.as_bytes().to_vec());
    for (name, value) in &spec.env {
        let holds = |secret: &[u8]| value.windows(secret.len()).any(|w| w == secret);
        assert!(
            !holds(&hex) && !holds(&raw),
            "{}",
            String::from_utf8_lossy(name)
        );
    }
    let logs = rig.logs().concat();
    assert!(!logs.contains(&token.to_hex()));
}

#[test]
fn without_a_client_the_login_shell_is_asked_once() {
    let mut rig = Rig::new();
    let m = rig.connect(Role::Manage);
    let wanted = msg::Create {
        env: None,
        ..create("sh")
    };
    let first = rig.begin(m, PaneId::NONE, wanted.clone());
    let second = rig.begin(m, PaneId::NONE, wanted.clone());
    let acts = rig.acts();
    let asked = |a: &&Action| matches!(a, Action::AskLoginEnv { token: 1 });
    assert_eq!(acts.iter().filter(asked).count(), 1, "{acts:?}");
    let taken = msg::Create {
        id: Some(2),
        ..create("sh")
    };
    assert_eq!(
        rig.code(m, PaneId::NONE, taken),
        msg::CONFLICT,
        "its id is given already"
    );
    let env = vec![
        (b"FROM".to_vec(), b"login".to_vec()),
        (b"TMUX".to_vec(), b"1".to_vec()),
    ];
    rig.on(super::Event::LoginEnv {
        token: 9,
        env: Vec::new(),
        warning: None,
    });
    assert_eq!(rig.acts(), [], "an answer to another question");
    rig.on(super::Event::LoginEnv {
        token: 1,
        env,
        warning: Some("slow shell".to_owned()),
    });
    let acts = rig.acts();
    for (action, id) in acts.iter().zip([1, 2]) {
        let Action::Spawn { pane, spec } = action else {
            panic!("{action:?}")
        };
        assert_eq!(pane.0, id);
        assert!(spec.env.contains(&(b"FROM".to_vec(), b"login".to_vec())));
        assert!(!spec.env.iter().any(|(name, _)| name == b"TMUX"));
        rig.on(super::Event::Started {
            pane: *pane,
            pid: 1,
            start: 1,
        });
    }
    assert!(rig.answer(m, first).is_some() && rig.answer(m, second).is_some());
    rig.begin(m, PaneId::NONE, wanted);
    assert!(
        rig.acts().contains(&Action::AskLoginEnv { token: 2 }),
        "asked anew"
    );
}
