//! Every role times every kind.

use super::{Rig, create, wish};
use crate::core::action::Action;
use crate::core::event::ConnId;
use protocol::msg::{self, *};
use protocol::{Frame, FromHost, PaneId, Role, ToHost};

const ROLES: [Role; 6] = [
    Role::Attach,
    Role::Watch,
    Role::Control,
    Role::Observe,
    Role::Manage,
    Role::Report,
];

/// One of every kind, with the roles that may send it.
fn table(pane: PaneId) -> Vec<(ToHost, &'static str)> {
    let viewer = Viewer {
        foreground: None,
        background: None,
        cursor: None,
        palette: Vec::new(),
        cell: (0, 0),
        links: Vec::new(),
        label: String::new(),
    };
    let note = NoteSet {
        key: "k".to_owned(),
        revision: None,
        value: Some(vec![1]),
    };
    let claim = Claim {
        panes: vec![wish(pane, 80, 24, true)],
    };
    vec![
        (create("sh").into(), "attach control manage"),
        (Kill {}.into(), "attach control manage"),
        (Continue {}.into(), "attach control manage"),
        (
            Resize { cols: 90, rows: 30 }.into(),
            "attach control manage",
        ),
        (Remove {}.into(), "attach control manage"),
        (List {}.into(), "attach watch control observe manage"),
        (Status {}.into(), "attach watch control observe manage"),
        (Stop {}.into(), "attach control manage"),
        (Share { pid: 9, start: 9 }.into(), "manage"),
        (
            msg::LastSubmit {}.into(),
            "attach watch control observe manage",
        ),
        (
            msg::CountPictures {}.into(),
            "attach watch control observe manage",
        ),
        (viewer.into(), "attach"),
        (claim.into(), "attach"),
        (
            Release {
                panes: vec![pane.0],
            }
            .into(),
            "attach",
        ),
        (
            Watch {
                panes: vec![pane.0],
            }
            .into(),
            "watch control",
        ),
        (Ack { offset: 0 }.into(), "attach watch control"),
        (GetSnapshot {}.into(), "attach watch control observe manage"),
        (
            GetPage { from: 0, count: 1 }.into(),
            "attach watch control observe manage",
        ),
        (Subscribe {}.into(), "attach watch control observe manage"),
        (
            Look {
                panes: vec![pane.0],
            }
            .into(),
            "attach watch",
        ),
        (note.into(), "attach control manage"),
        (NoteList {}.into(), "attach watch control observe manage"),
        (Report { body: vec![1] }.into(), "report"),
        (ToHost::Input(b"x".to_vec()), "attach control"),
    ]
}

/// The answer, made to come where it needs the driver.
fn answer(rig: &mut Rig, conn: ConnId, pane: PaneId, message: ToHost) -> FromHost {
    let request = rig.begin(conn, pane, message);
    for action in rig.acts() {
        match action {
            Action::Spawn { pane, .. } => {
                rig.on(super::Event::Started {
                    pane,
                    pid: 1,
                    start: 1,
                });
            }
            Action::LookAtShared {
                asker,
                pane,
                process,
            } => rig.on(super::Event::Shared(crate::core::share::Looked {
                asker,
                pane,
                process,
                refused: None,
                gone: Vec::new(),
            })),
            Action::MeasureHost => rig.on(super::Event::Measured {
                memory: 0,
                root_reaper: 0,
                warnings: Vec::new(),
            }),
            _ => {}
        }
    }
    rig.answer(conn, request).expect("an answer")
}

#[test]
fn every_role_times_every_kind() {
    let kinds: Vec<u16> = table(PaneId(1))
        .iter()
        .map(|(message, _)| message.kind())
        .collect();
    let all: Vec<u16> = ToHost::KINDS.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, all, "the table holds every kind");
    for role in ROLES {
        let name = crate::core::permit::role_name(role);
        for (message, roles) in table(PaneId(1)) {
            let may = roles.split(' ').any(|one| one == name);
            let mut rig = Rig::new();
            let maker = rig.connect(Role::Control);
            let pane = rig.pane(maker);
            let conn = rig.connect_with(role, (role == Role::Report).then_some(pane));
            if role == Role::Attach {
                rig.claim(conn, &[wish(pane, 80, 24, true)]);
            }
            let kind = message.kind();
            let got = answer(&mut rig, conn, pane, message);
            let refused = matches!(&got, FromHost::Failed(f) if f.code == msg::FORBIDDEN);
            assert_eq!(refused, !may, "role {name}, kind {kind}: {got:?}");
        }
    }
}

#[test]
fn only_attach_and_control_reach_a_pane_s_input() {
    for role in ROLES {
        for request in [0, 5] {
            let mut rig = Rig::new();
            let maker = rig.connect(Role::Control);
            let pane = rig.pane(maker);
            let conn = rig.connect_with(role, (role == Role::Report).then_some(pane));
            if role == Role::Attach {
                rig.claim(conn, &[wish(pane, 120, 40, false)]);
            }
            // Everything a connection can send, then input.
            for (message, _) in table(pane) {
                let safe = !matches!(
                    message,
                    ToHost::Stop(_) | ToHost::Input(_) | ToHost::Release(_)
                );
                if safe {
                    rig.frame(conn, pane, request, message);
                }
            }
            let before = rig.acts();
            assert!(
                !before.iter().any(|a| matches!(a, Action::Write { .. })),
                "{role:?}: {before:?}"
            );
            rig.frame(conn, pane, request, ToHost::Input(b"x".to_vec()));
            let typed = rig.acts().iter().any(|a| matches!(a, Action::Write { .. }));
            assert_eq!(typed, role.may_type(), "{role:?}");
        }
    }
}

#[test]
fn an_attachment_types_into_its_own_panes_only() {
    let mut rig = Rig::new();
    let (mine, other) = (rig.connect(Role::Attach), rig.connect(Role::Attach));
    let pane = rig.pane(mine);
    let input = || ToHost::Input(b"x".to_vec());
    assert_eq!(
        rig.code(mine, pane, input()),
        msg::FORBIDDEN,
        "not claimed yet"
    );
    rig.claim(mine, &[wish(pane, 80, 24, true)]);
    assert_eq!(rig.code(mine, pane, input()), 0);
    rig.claim(other, &[wish(pane, 80, 24, true)]);
    assert_eq!(rig.code(mine, pane, input()), msg::FORBIDDEN, "taken");
    assert_eq!(rig.code(other, pane, input()), 0);
    rig.done(
        other,
        PaneId::NONE,
        Release {
            panes: vec![pane.0],
        },
    );
    assert_eq!(rig.code(other, pane, input()), msg::FORBIDDEN, "given back");
}

#[test]
fn a_pane_s_key_reports_for_its_pane_and_nothing_else() {
    let mut rig = Rig::new();
    let control = rig.connect(Role::Control);
    let (pane, other) = (rig.pane(control), rig.pane(control));
    rig.done(control, PaneId::NONE, Subscribe {});
    let hook = rig.connect_with(Role::Report, Some(pane));
    let report = |n| Report {
        body: vec![b'r'; n],
    };
    assert_eq!(rig.code(hook, other, report(1)), msg::FORBIDDEN);
    assert_eq!(rig.code(hook, pane, report(65_537)), msg::LIMIT);
    assert_eq!(rig.heard(control), [""; 0]);
    rig.done(hook, pane, report(65_536));
    rig.done(hook, PaneId::NONE, report(1));
    assert_eq!(rig.heard(control), ["p1 reported", "p1 reported"]);
    let token = rig.connect(Role::Report);
    assert_eq!(
        rig.code(token, pane, report(1)),
        msg::FORBIDDEN,
        "the token is no pane's key"
    );
    for role in ROLES.into_iter().filter(|role| *role != Role::Report) {
        let conn = ConnId(500 + role as u32);
        rig.actions.clear();
        rig.on(super::Event::Connected {
            conn,
            role,
            pane_key: Some(pane),
        });
        assert!(matches!(rig.acts()[..], [Action::Close { .. }]), "{role:?}");
        assert_eq!(rig.heard(conn), [""; 0]);
    }
}

#[test]
fn strange_frames_are_answered_and_the_connection_goes_on() {
    let mut rig = Rig::new();
    let conn = rig.connect(Role::Control);
    let mut odd = |kind, request, payload: &[u8]| {
        let frame = Frame {
            kind,
            pane: PaneId(3),
            request,
            payload: payload.to_vec(),
        };
        rig.on(super::Event::Frame { conn, frame });
        rig.heard(conn)
    };
    assert_eq!(odd(9_999, 4, b"?"), ["p3 failed 1"]);
    assert_eq!(odd(9_999, 0, b"?"), [""; 0]);
    assert_eq!(odd(16, 4, b"not a create"), ["p3 failed 8"]);
    assert_eq!(odd(16, 0, b"not a create"), [""; 0]);
    assert_eq!(odd(21, 4, b"trailing"), ["p3 failed 8"]);
    assert_eq!(
        odd(128, 4, b""),
        ["p3 failed 1"],
        "the host's own kinds are no requests"
    );
    assert_eq!(odd(17, 4, b""), ["p3 failed 3"], "no such pane");
    assert_eq!(odd(17, 0, b""), [""; 0]);
    assert_eq!(odd(64, 4, b"x"), ["p3 failed 3"]);
    assert_eq!(
        odd(21, 4, b""),
        ["p3 panes"].map(|w| w.trim_start_matches("p3 ").to_owned())
    );
}
