//! Scripted checks of the whole core: events in, actions and decoded frames out.

mod claims;
mod ends;
mod flow;
mod input;
mod life;
mod looks;
mod notes;
mod panes;
mod roles;
mod screens;
mod share;
mod storm;
mod titles;
mod viewer;

use super::action::{Action, SpawnSpec};
use super::event::{ConnId, Event};
use super::{Core, CoreConfig};
use protocol::auth::Key;
use protocol::msg::{self, Claim, ClaimPane, Create};
use protocol::{Decoder, FromHost, PaneId, Role, ToHost};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The idle limit of a [`Rig`].
const IDLE: Duration = Duration::from_secs(60);

/// A core with a clock of its own and an inbox a connection. Everything sent leaves at once
/// unless `slow` says otherwise.
struct Rig {
    core: Core,
    now: Instant,
    actions: Vec<Action>,
    inbox: BTreeMap<ConnId, Vec<(PaneId, u32, FromHost)>>,
    slow: Vec<ConnId>,
    next: u32,
}

fn config() -> CoreConfig {
    CoreConfig {
        instance: [7; 16],
        pid: 4242,
        pid_start: 99,
        build: "0.1.0 test".to_owned(),
        token: Key::from([9; 32]),
        highest: 0,
        idle_exit: IDLE,
        terminal: term::Options::default(),
        keep_exited: 50,
        sealed_home: None,
        links: b"/state/links".to_vec(),
    }
}

fn create(program: &str) -> Create {
    Create {
        id: None,
        argv: vec![program.as_bytes().to_vec()],
        cwd: b"/".to_vec(),
        env: Some(Vec::new()),
        set_env: Vec::new(),
        cols: 0,
        rows: 0,
        notes: Vec::new(),
        seed: None,
    }
}

/// A wish of a claim.
fn wish(pane: PaneId, cols: u16, rows: u16, shown: bool) -> ClaimPane {
    ClaimPane {
        pane: pane.0,
        cols,
        rows,
        shown,
    }
}

impl Rig {
    fn new() -> Self {
        Self::with(config())
    }

    fn with(config: CoreConfig) -> Self {
        let now = Instant::now();
        let core = Core::new(config, now);
        let inbox = BTreeMap::new();
        Self {
            core,
            now,
            actions: Vec::new(),
            inbox,
            slow: Vec::new(),
            next: 1,
        }
    }

    /// One event, now. Frames go to inboxes, everything else to `actions`.
    fn on(&mut self, event: Event) {
        let mut out = Vec::new();
        self.core.on(event, self.now, &mut out);
        for action in out {
            match action {
                Action::Send { conn, bytes } => self.deliver(conn, &bytes),
                other => self.actions.push(other),
            }
        }
    }

    fn deliver(&mut self, conn: ConnId, bytes: &[u8]) {
        let mut decoder = Decoder::new();
        decoder.feed(bytes);
        while let Some(frame) = decoder.next_frame().unwrap() {
            let (pane, request) = (frame.pane, frame.request);
            let message = FromHost::decode(frame).unwrap().expect("a known kind");
            self.inbox
                .entry(conn)
                .or_default()
                .push((pane, request, message));
        }
        assert_eq!(decoder.pending(), 0, "whole frames only");
        if !self.slow.contains(&conn) {
            self.on(Event::Sent {
                conn,
                bytes: bytes.len(),
            });
        }
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.on(Event::Deadline);
    }

    /// A proven connection of this role; its `Welcome` is taken.
    fn connect(&mut self, role: Role) -> ConnId {
        self.connect_with(role, None)
    }

    fn connect_with(&mut self, role: Role, pane_key: Option<PaneId>) -> ConnId {
        let conn = ConnId(self.next);
        self.next += 1;
        self.on(Event::Connected {
            conn,
            role,
            pane_key,
        });
        let first = self.take(conn);
        assert!(
            matches!(first.first(), Some((PaneId::NONE, FromHost::Welcome(_)))),
            "{first:?}"
        );
        conn
    }

    fn tell(&mut self, conn: ConnId, pane: PaneId, message: impl Into<ToHost>) {
        self.frame(conn, pane, 0, message);
    }

    fn frame(&mut self, conn: ConnId, pane: PaneId, request: u32, message: impl Into<ToHost>) {
        let mut bytes = Vec::new();
        message.into().put(pane, request, &mut bytes).unwrap();
        let mut decoder = Decoder::new();
        decoder.feed(&bytes);
        let frame = decoder.next_frame().unwrap().unwrap();
        self.on(Event::Frame { conn, frame });
    }

    /// Sends a request; gives its one answer. Events stay in the inbox.
    fn ask(&mut self, conn: ConnId, pane: PaneId, message: impl Into<ToHost>) -> FromHost {
        let request = self.begin(conn, pane, message);
        self.answer(conn, request).expect("an answer")
    }

    /// Sends a request that is answered later.
    fn begin(&mut self, conn: ConnId, pane: PaneId, message: impl Into<ToHost>) -> u32 {
        self.next += 1;
        let request = self.next;
        self.frame(conn, pane, request, message);
        request
    }

    /// The one answer to a request, if it has come.
    fn answer(&mut self, conn: ConnId, request: u32) -> Option<FromHost> {
        let inbox = self.inbox.entry(conn).or_default();
        let at = inbox.iter().position(|(_, id, _)| *id == request)?;
        let (_, _, answer) = inbox.remove(at);
        assert!(
            inbox.iter().all(|(_, id, _)| *id != request),
            "one answer a request"
        );
        Some(answer)
    }

    /// The code of a refusal.
    fn code(&mut self, conn: ConnId, pane: PaneId, message: impl Into<ToHost>) -> u16 {
        match self.ask(conn, pane, message) {
            FromHost::Failed(failed) => failed.code,
            FromHost::Done(_) => 0,
            other => panic!("neither done nor failed: {other:?}"),
        }
    }

    fn done(&mut self, conn: ConnId, pane: PaneId, message: impl Into<ToHost>) {
        let answer = self.ask(conn, pane, message);
        assert!(matches!(answer, FromHost::Done(_)), "{answer:?}");
    }

    /// Takes a connection's inbox.
    fn take(&mut self, conn: ConnId) -> Vec<(PaneId, FromHost)> {
        let inbox = self.inbox.remove(&conn).unwrap_or_default();
        inbox
            .into_iter()
            .map(|(pane, _, message)| (pane, message))
            .collect()
    }

    /// Takes a connection's inbox in short words, for tables.
    fn heard(&mut self, conn: ConnId) -> Vec<String> {
        self.take(conn)
            .into_iter()
            .map(|(pane, message)| word(pane, &message))
            .collect()
    }

    /// Takes the actions but log lines.
    fn acts(&mut self) -> Vec<Action> {
        let acts = std::mem::take(&mut self.actions);
        acts.into_iter()
            .filter(|action| !matches!(action, Action::Log(_)))
            .collect()
    }

    /// Takes the log lines, dropping the other actions.
    fn logs(&mut self) -> Vec<String> {
        let acts = std::mem::take(&mut self.actions);
        acts.into_iter()
            .filter_map(|a| {
                if let Action::Log(l) = a {
                    Some(l)
                } else {
                    None
                }
            })
            .collect()
    }

    /// Begins a pane; gives the request, the pane and what is to be started.
    fn begin_pane(&mut self, conn: ConnId, create: Create) -> (u32, PaneId, SpawnSpec) {
        let request = self.begin(conn, PaneId::NONE, create);
        let spawn = self.acts().into_iter().find_map(|action| match action {
            Action::Spawn { pane, spec } => Some((pane, spec)),
            _ => None,
        });
        let (pane, spec) = spawn.expect("a spawn");
        (request, pane, spec)
    }

    /// A live pane made by this connection; events of its making are dropped.
    fn pane(&mut self, conn: ConnId) -> PaneId {
        self.pane_of(conn, create("sh"))
    }

    fn pane_of(&mut self, conn: ConnId, create: Create) -> PaneId {
        let (request, pane, _) = self.begin_pane(conn, create);
        self.on(Event::Spawned {
            pane,
            reaper: 1_000 + pane.0,
        });
        self.on(Event::Started {
            pane,
            pid: 2_000 + pane.0,
            start: 5,
        });
        let answer = self.answer(conn, request).expect("an answer");
        assert_eq!(
            answer,
            msg::Created {
                pane: pane.0,
                pid: 2_000 + pane.0
            }
            .into()
        );
        self.inbox.clear();
        self.actions.clear();
        pane
    }

    fn output(&mut self, pane: PaneId, bytes: impl AsRef<[u8]>) {
        self.on(Event::Output {
            pane,
            bytes: bytes.as_ref().to_vec(),
        });
    }

    /// The whole end of a pane, in order.
    fn end(&mut self, pane: PaneId, raw: i32) {
        self.on(Event::Exited { pane, raw });
        self.on(Event::OutputEnded { pane });
        self.on(Event::ReaperGone { pane, raw: 0 });
    }

    fn claim(&mut self, conn: ConnId, panes: &[ClaimPane]) {
        self.done(
            conn,
            PaneId::NONE,
            Claim {
                panes: panes.to_vec(),
            },
        );
    }

    fn list(&mut self, conn: ConnId) -> Vec<msg::PaneFacts> {
        match self.ask(conn, PaneId::NONE, msg::List {}) {
            FromHost::Panes(panes) => panes.panes,
            other => panic!("no list: {other:?}"),
        }
    }
}

/// A frame as a short word.
fn word(pane: PaneId, message: &FromHost) -> String {
    let text = match message {
        FromHost::Snapshot(payload) => {
            format!("snapshot@{}", msg::split_offset(payload).unwrap().0)
        }
        FromHost::Output(payload) => {
            let (offset, bytes) = msg::split_offset(payload).unwrap();
            format!("output@{offset}+{}", bytes.len())
        }
        FromHost::PaneTaken(m) => format!("taken by {}", m.by),
        FromHost::PaneResized(m) => format!("{}x{}@{}", m.cols, m.rows, m.offset),
        FromHost::PaneShown(m) => format!("shown {}", m.shown),
        FromHost::PaneLooked(m) => format!("looked {}", m.looked),
        FromHost::PaneExited(m) => format!("exited {}", m.raw_status),
        FromHost::PaneStopped(m) => format!("stopped {}", m.stopped),
        FromHost::PaneForeground(m) => format!("foreground {}", m.group),
        FromHost::PaneCreated(m) => format!("created {}", m.pid),
        FromHost::Title(m) => format!("title {}", m.title),
        FromHost::NoteChanged(m) => format!("note {}@{}", m.key, m.revision),
        FromHost::InputRefused(m) => format!("refused {}", m.bytes),
        FromHost::Failed(m) => format!("failed {}", m.code),
        other => {
            let kind = other.kind();
            let name = FromHost::KINDS
                .iter()
                .find(|(number, _)| *number == kind)
                .unwrap()
                .1;
            name.to_lowercase()
        }
    };
    if pane == PaneId::NONE {
        text
    } else {
        format!("{pane} {text}")
    }
}
