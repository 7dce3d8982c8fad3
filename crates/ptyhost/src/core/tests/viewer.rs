//! Stable links and what new panes get of them.

use super::{Rig, create};
use crate::core::action::Action;
use protocol::msg::{Bytes, Viewer};
use protocol::{PaneId, Role};

/// A client that tells nothing.
pub(super) fn plain() -> Viewer {
    Viewer {
        foreground: None,
        background: None,
        cursor: None,
        palette: Vec::new(),
        cell: (0, 0),
        links: Vec::new(),
        label: String::new(),
    }
}

fn with_link(name: &[u8], path: &[u8]) -> Viewer {
    Viewer {
        links: vec![(name.to_vec(), path.to_vec())],
        ..plain()
    }
}

fn links(rig: &mut Rig) -> Vec<(String, Bytes)> {
    let acts = rig.acts().into_iter();
    acts.filter_map(|a| {
        if let Action::RefreshLinks(l) = a {
            Some(l)
        } else {
            None
        }
    })
    .flatten()
    .collect()
}

#[test]
fn links_follow_the_client_that_attached_last() {
    let mut rig = Rig::new();
    let a = rig.connect(Role::Attach);
    let sock = "SSH_AUTH_SOCK".to_owned();
    rig.done(a, PaneId::NONE, with_link(b"SSH_AUTH_SOCK", b"/a"));
    assert_eq!(links(&mut rig), [(sock.clone(), b"/a".to_vec())]);
    rig.done(a, PaneId::NONE, with_link(b"SSH_AUTH_SOCK", b"/a"));
    assert_eq!(links(&mut rig), []);
    let b = rig.connect(Role::Attach);
    rig.done(b, PaneId::NONE, with_link(b"SSH_AUTH_SOCK", b"/b"));
    assert_eq!(links(&mut rig), [(sock, b"/b".to_vec())]);
}

#[test]
fn links_that_would_harm_are_not_made() {
    for (name, path) in [
        (b"SSH_AUTH_SOCK".as_slice(), b"relative".as_slice()),
        (b"SSH_AUTH_SOCK", b""),
        (b"SSH_AUTH_SOCK", b"/state/links/SSH_AUTH_SOCK"),
        (b"SSH_AUTH_SOCK", b"/a\0b"),
        (b"../escape", b"/a"),
        (b"", b"/a"),
        (b"a/b", b"/a"),
        (b"..", b"/a"),
        (&[b'A'; 65], b"/a"),
        (b"A", &[b'/'; 4_097]),
    ] {
        let mut rig = Rig::new();
        let a = rig.connect(Role::Attach);
        rig.done(a, PaneId::NONE, with_link(name, path));
        assert_eq!(links(&mut rig), [], "{}", String::from_utf8_lossy(name));
    }
    let mut rig = Rig::new();
    let a = rig.connect(Role::Attach);
    let links_of = |n: u32| (format!("V{n}").into_bytes(), b"/x".to_vec());
    rig.done(
        a,
        PaneId::NONE,
        Viewer {
            links: (0..99).map(links_of).collect(),
            ..plain()
        },
    );
    assert_eq!(links(&mut rig).len(), 16);
}

#[test]
fn a_new_pane_reaches_its_creator_s_agent_through_the_link() {
    // Who creates the pane with /a, and where the variable leads then.
    for (role, value) in [
        (Role::Attach, b"/state/links/SSH_AUTH_SOCK".as_slice()),
        (Role::Control, b"/state/links/SSH_AUTH_SOCK"),
        (Role::Manage, b"/a"),
    ] {
        let mut rig = Rig::new();
        let conn = rig.connect(role);
        let mut wanted = create("sh");
        wanted.env = Some(vec![(b"SSH_AUTH_SOCK".to_vec(), b"/a".to_vec())]);
        rig.begin(conn, PaneId::NONE, wanted);
        let acts = rig.acts();
        let env = acts.iter().find_map(|a| {
            if let Action::Spawn { spec, .. } = a {
                Some(&spec.env)
            } else {
                None
            }
        });
        let got = env
            .unwrap()
            .iter()
            .find(|(name, _)| name == b"SSH_AUTH_SOCK")
            .unwrap();
        assert_eq!(got.1, value, "{role:?}");
        let refreshed = acts.iter().any(|a| matches!(a, Action::RefreshLinks(_)));
        assert_eq!(refreshed, role != Role::Manage);
    }
}

#[test]
fn a_program_that_asked_is_told_when_light_becomes_dark() {
    // What the client's background was, what it becomes, and what the program reads.
    for (asked, before, after, told) in [
        (true, 0xff_ffff, 0x00_0000, "\x1b[?997;1n"),
        (true, 0x00_0000, 0xff_ffff, "\x1b[?997;2n"),
        (true, 0x00_0000, 0x10_1010, ""),
        (false, 0xff_ffff, 0x00_0000, ""),
    ] {
        let mut rig = Rig::new();
        let a = rig.connect(Role::Attach);
        let background = |colour| Viewer {
            background: Some(colour),
            ..plain()
        };
        rig.done(a, PaneId::NONE, background(before));
        let pane = rig.pane(a);
        if asked {
            rig.output(pane, b"\x1b[?2031h");
        }
        rig.acts();
        rig.done(a, PaneId::NONE, background(after));
        let written = rig.acts().into_iter().filter_map(|act| match act {
            Action::Write { bytes, .. } => String::from_utf8(bytes).ok(),
            _ => None,
        });
        assert_eq!(written.collect::<String>(), told, "{before:x} to {after:x}");
    }
}
