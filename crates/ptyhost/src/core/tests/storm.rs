//! Anything in any order: what must hold then.
//!
//! Events and frames come from a small generator with a fixed seed a run, most of them about panes
//! and connections that exist, some about ones that do not.

use super::{Rig, create, wish};
use crate::core::action::Action;
use crate::core::event::{ConnId, Event};
use protocol::msg::{self, *};
use protocol::{Frame, FromHost, PaneId, Role, ToHost};
use std::collections::BTreeMap;
use std::time::Duration;

/// xorshift64*: enough to stir a test, no dependency.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        u32::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % sides
    }

    fn pane(&mut self) -> PaneId {
        PaneId(self.roll(9))
    }

    /// One of the newest connections, or one that never was.
    fn conn(&mut self, rig: &Rig) -> ConnId {
        ConnId((rig.next + 1).saturating_sub(self.roll(9)))
    }

    fn bytes(&mut self) -> Vec<u8> {
        let parts: [&[u8]; 8] = [
            b"text\r\n",
            b"\x1b[6n",
            b"\x1b[?1003h\x1b[?2026h",
            b"\x1b]2;title\x07",
            b"\x1b[?1049h",
            b"\x1b[?2026",
            b"\xe2\x9c",
            b"\x07\x1bP",
        ];
        (0..self.roll(6))
            .flat_map(|_| parts[self.roll(8) as usize].to_vec())
            .collect()
    }

    fn message(&mut self) -> ToHost {
        let panes = vec![self.roll(9), self.roll(9)];
        let claim = (0..self.roll(3))
            .map(|_| {
                let (cols, rows) = (self.roll(60), self.roll(20));
                wish(self.pane(), cols as u16, rows as u16, self.roll(3) > 0)
            })
            .collect();
        match self.roll(20) {
            0 | 1 => {
                let id = (self.roll(4) == 0).then(|| self.roll(9));
                let env = (self.roll(4) > 0).then(Vec::new);
                Create {
                    id,
                    env,
                    cols: 30,
                    rows: 6,
                    ..create("sh")
                }
                .into()
            }
            2 => Kill {}.into(),
            3 => Continue {}.into(),
            4 => Resize {
                cols: self.roll(50) as u16,
                rows: 9,
            }
            .into(),
            5 => Remove {}.into(),
            6 => List {}.into(),
            7 => Status {}.into(),
            8 | 9 => Claim { panes: claim }.into(),
            10 => Release { panes }.into(),
            11 => Watch { panes }.into(),
            12 => Ack {
                offset: u64::from(self.roll(1 << 20)),
            }
            .into(),
            13 => GetSnapshot {}.into(),
            14 => GetPage {
                from: u64::from(self.roll(9)),
                count: self.roll(9),
            }
            .into(),
            15 => Subscribe {}.into(),
            16 => NoteSet {
                key: "k".to_owned(),
                revision: None,
                value: Some(self.bytes()),
            }
            .into(),
            17 => NoteList {}.into(),
            18 => Report { body: self.bytes() }.into(),
            _ => ToHost::Input(vec![b'i'; self.roll(200_000) as usize]),
        }
    }

    fn event(&mut self) -> Event {
        let (pane, group) = (self.pane(), self.roll(3));
        match self.roll(15) {
            0 => Event::Spawned { pane, reaper: 5 },
            1 | 2 => Event::Started {
                pane,
                pid: 6,
                start: 7,
            },
            3 => Event::SpawnFailed {
                pane,
                text: "no".to_owned(),
            },
            4..=6 => Event::Output {
                pane,
                bytes: self.bytes(),
            },
            7 => Event::OutputEnded { pane },
            8 => Event::Stopped { pane },
            9 => Event::Continued { pane },
            10 => Event::Exited { pane, raw: 1 },
            11 => Event::ReaperGone { pane, raw: 1 },
            12 => Event::Foreground { pane, group },
            13 => Event::GroupGone { pane, group },
            _ => Event::LoginEnv {
                token: self.roll(9),
                env: Vec::new(),
                warning: None,
            },
        }
    }
}

/// What is checked after every step.
#[derive(Default)]
struct Watchers {
    /// Requests that have no answer yet.
    open: BTreeMap<(ConnId, u32), u16>,
    /// Next offset a viewer of a pane must see.
    streams: BTreeMap<(ConnId, PaneId), u64>,
    /// Bytes of the chunk in flight.
    in_flight: BTreeMap<PaneId, usize>,
}

impl Watchers {
    fn frames(&mut self, rig: &mut Rig) {
        for (conn, frames) in std::mem::take(&mut rig.inbox) {
            for (pane, request, message) in frames {
                if request != 0 {
                    assert!(
                        self.open.remove(&(conn, request)).is_some(),
                        "one answer: {message:?}"
                    );
                    continue;
                }
                let stream = self.streams.entry((conn, pane)).or_default();
                match &message {
                    FromHost::Snapshot(payload) => *stream = msg::split_offset(payload).unwrap().0,
                    FromHost::Output(payload) => {
                        let (offset, bytes) = msg::split_offset(payload).unwrap();
                        assert_eq!(offset, *stream, "{conn:?} {pane}: no gap, no overlap");
                        *stream += bytes.len() as u64;
                    }
                    _ => {}
                }
            }
        }
    }

    fn actions(&mut self, rig: &mut Rig, dice: &mut Dice) {
        for action in rig.acts() {
            match action {
                Action::Write { pane, bytes } => {
                    assert!(!bytes.is_empty() && bytes.len() <= 64 * 1024);
                    let before = self.in_flight.insert(pane, bytes.len());
                    assert_eq!(before.unwrap_or(0), 0, "{pane}: one chunk in flight");
                }
                Action::ClosePty { pane } => {
                    self.in_flight.remove(&pane);
                }
                Action::MeasureHost if dice.roll(2) == 0 => {
                    rig.on(Event::Measured {
                        memory: 1,
                        root_reaper: 2,
                        warnings: Vec::new(),
                    });
                }
                _ => {}
            }
        }
    }
}

fn step(rig: &mut Rig, dice: &mut Dice, watchers: &mut Watchers, n: u32) {
    match dice.roll(10) {
        0..=4 => {
            let (conn, pane) = (dice.conn(rig), dice.pane());
            let (request, message) = (if dice.roll(4) > 0 { n } else { 0 }, dice.message());
            let known = rig.core.state.conns.contains_key(&conn);
            if request != 0 && known {
                watchers.open.insert((conn, request), message.kind());
            }
            rig.frame(conn, pane, request, message);
        }
        5 => {
            let (conn, kind) = (dice.conn(rig), dice.roll(300) as u16);
            let frame = Frame {
                kind,
                pane: dice.pane(),
                request: 0,
                payload: dice.bytes(),
            };
            rig.on(Event::Frame { conn, frame });
        }
        6 => {
            let pane = dice.pane();
            let left = watchers.in_flight.get(&pane).copied().unwrap_or(0);
            let bytes = left.min(dice.roll(70_000) as usize);
            watchers.in_flight.insert(pane, left - bytes);
            rig.on(Event::Wrote { pane, bytes });
        }
        7 if dice.roll(4) == 0 => reconnect(rig, dice, watchers),
        _ => rig.on(dice.event()),
    }
    rig.pass(Duration::from_millis(u64::from(dice.roll(30))));
}

/// A new connection; the oldest ends when there are eight.
fn reconnect(rig: &mut Rig, dice: &mut Dice, watchers: &mut Watchers) {
    if rig.core.state.conns.len() >= 8 {
        let conn = *rig.core.state.conns.keys().next().unwrap();
        rig.on(Event::Disconnected { conn });
        watchers.open.retain(|(id, _), _| *id != conn);
    }
    let roles = [
        Role::Attach,
        Role::Attach,
        Role::Control,
        Role::Watch,
        Role::Observe,
        Role::Manage,
    ];
    rig.connect(roles[dice.roll(6) as usize]);
}

#[test]
fn whatever_comes_the_promises_hold() {
    for seed in 1..=12 {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
        let mut rig = Rig::new();
        let mut watchers = Watchers::default();
        for n in 1..1_500 {
            step(&mut rig, &mut dice, &mut watchers, n);
            watchers.frames(&mut rig);
            watchers.actions(&mut rig, &mut dice);
        }
        rig.on(Event::Measured {
            memory: 1,
            root_reaper: 2,
            warnings: Vec::new(),
        });
        rig.on(Event::Terminate { signal: "SIGTERM" });
        rig.pass(Duration::from_secs(11));
        watchers.frames(&mut rig);
        assert!(
            rig.acts()
                .iter()
                .any(|action| matches!(action, Action::Exit { .. }))
        );
        let creates = ToHost::from(create("sh")).kind();
        let open: Vec<_> = watchers
            .open
            .values()
            .filter(|kind| **kind != creates)
            .collect();
        assert!(open.is_empty(), "seed {seed}: unanswered {open:?}");
    }
}
