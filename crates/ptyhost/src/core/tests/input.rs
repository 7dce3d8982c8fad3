//! Input: whole messages, one chunk in flight, bounds told.

use super::{Rig, wish};
use crate::core::action::{Action, MAX_WRITE};
use protocol::msg::{self, Subscribe};
use protocol::{PaneId, Role, ToHost};
use std::time::Duration;

fn writes(rig: &mut Rig) -> Vec<Vec<u8>> {
    let acts = rig.acts().into_iter();
    acts.filter_map(|a| {
        if let Action::Write { bytes, .. } = a {
            Some(bytes)
        } else {
            None
        }
    })
    .collect()
}

fn input(bytes: &[u8]) -> ToHost {
    ToHost::Input(bytes.to_vec())
}

/// Lets the pty take everything, `step` bytes a write.
fn drain(rig: &mut Rig, pane: PaneId, step: usize) -> Vec<u8> {
    let mut all = Vec::new();
    let mut queue = writes(rig);
    while let Some(chunk) = queue.pop() {
        assert!(queue.is_empty() && chunk.len() <= MAX_WRITE);
        for part in chunk.chunks(step) {
            all.extend_from_slice(part);
            rig.on(super::Event::Wrote {
                pane,
                bytes: part.len(),
            });
            queue.extend(writes(rig));
        }
    }
    all
}

#[test]
fn a_paste_arrives_whole_and_in_order_whatever_the_pty_takes() {
    let paste: Vec<u8> = (0..262_144_u32).map(|n| n.to_le_bytes()[1]).collect();
    for step in [1_023, 4_095, MAX_WRITE] {
        let mut rig = Rig::new();
        let c = rig.connect(Role::Control);
        let pane = rig.pane(c);
        for message in paste.chunks(100_000) {
            rig.done(c, pane, input(message));
        }
        rig.done(c, pane, input(b"\r"));
        assert!(
            drain(&mut rig, pane, step) == [paste.as_slice(), b"\r"].concat(),
            "{step}"
        );
    }
}

#[test]
fn a_program_that_never_reads_blocks_nobody_and_the_sender_is_told() {
    let mut rig = Rig::new();
    let (a, c) = (rig.connect(Role::Attach), rig.connect(Role::Control));
    let (deaf, other) = (rig.pane(c), rig.pane(c));
    rig.claim(a, &[wish(deaf, 120, 40, true)]);
    rig.inbox.clear();
    let mib = vec![b'x'; 1024 * 1024];
    for _ in 0..4 {
        rig.done(c, deaf, input(&mib));
    }
    assert_eq!(rig.code(c, deaf, input(b"y")), msg::INPUT_FULL);
    rig.tell(a, deaf, input(b"yy"));
    assert_eq!(rig.heard(a), ["p1 paneinput", "p1 refused 2"]);
    assert_eq!(writes(&mut rig).len(), 1, "one chunk in flight, no retries");
    rig.done(c, other, input(b"z"));
    assert_eq!(writes(&mut rig), [b"z"]);
    rig.output(deaf, "still consumed");
    assert_eq!(rig.heard(a), ["p1 output@0+14"]);
    rig.on(super::Event::Wrote {
        pane: deaf,
        bytes: 1,
    });
    rig.done(c, deaf, input(b"y"));
}

#[test]
fn one_message_is_at_most_a_mebibyte() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    let long = vec![b'x'; 1024 * 1024 + 1];
    assert_eq!(rig.code(c, pane, input(&long)), msg::LIMIT);
    rig.tell(c, pane, input(&long));
    assert_eq!(rig.heard(c), ["p1 refused 1048577"]);
    assert_eq!(writes(&mut rig), [b""; 0]);
    rig.done(c, pane, input(&long[1..]));
    rig.done(c, pane, input(b""));
    assert_eq!(writes(&mut rig).len(), 1);
}

#[test]
fn a_broken_pty_takes_nothing_and_breaks_nothing() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.done(c, pane, input(b"abc"));
    rig.done(c, pane, input(b"def"));
    assert_eq!(writes(&mut rig), [b"abc"]);
    rig.on(super::Event::WriteFailed { pane });
    rig.on(super::Event::Wrote { pane, bytes: 3 });
    assert_eq!(writes(&mut rig), [b""; 0], "what waited is dropped");
    assert_eq!(rig.code(c, pane, input(b"x")), msg::NOT_ALIVE);
    rig.output(pane, "\x1b[6n");
    assert_eq!(writes(&mut rig), [b""; 0], "nor answers");
    rig.end(pane, 0);
    assert_eq!(rig.code(c, pane, input(b"x")), msg::NOT_ALIVE);
    assert_eq!(writes(&mut rig), [b""; 0]);
}

#[test]
fn input_is_told_at_most_once_a_second() {
    let mut rig = Rig::new();
    let (o, c) = (rig.connect(Role::Observe), rig.connect(Role::Control));
    let pane = rig.pane(c);
    rig.done(o, PaneId::NONE, Subscribe {});
    for _ in 0..35 {
        rig.tell(c, pane, input(b"k"));
        rig.pass(Duration::from_millis(100));
    }
    assert_eq!(rig.heard(o), ["p1 paneinput"; 4]);
    assert_eq!(rig.list(o)[0].since_input_ms, Some(100));
}
