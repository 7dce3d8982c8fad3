//! One message of every kind, with the pane and request id it is sent with.
//!
//! Out: the values that `golden/*.txt` pins byte by byte. Each field has a value of its own, so
//! that two fields that swap places are seen.

use protocol::msg::*;
use protocol::{FromHost, PaneId, ToHost};

/// A message as it is put on the wire.
pub(crate) struct Sample<M> {
    /// The frame's pane.
    pub(crate) pane: PaneId,
    /// The frame's request id.
    pub(crate) request: u32,
    /// What is said.
    pub(crate) message: M,
}

fn say<M>(pane: u32, request: u32, message: impl Into<M>) -> Sample<M> {
    Sample {
        pane: PaneId(pane),
        request,
        message: message.into(),
    }
}

fn bytes(text: &str) -> Bytes {
    text.as_bytes().to_vec()
}

/// What a client sends.
pub(crate) fn to_host() -> Vec<Sample<ToHost>> {
    vec![
        say(0, 1, create()),
        say(7, 2, Kill {}),
        say(7, 3, Continue {}),
        say(
            7,
            4,
            Resize {
                cols: 132,
                rows: 43,
            },
        ),
        say(7, 5, Remove {}),
        say(0, 6, List {}),
        say(0, 7, Status {}),
        say(0, 8, Stop {}),
        say(7, 22, LastSubmit {}),
        say(0, 23, CountPictures {}),
        say(0, 9, viewer()),
        say(
            0,
            10,
            Claim {
                panes: vec![claim(7, 80, 24, true), claim(9, 120, 40, false)],
            },
        ),
        say(0, 11, Release { panes: vec![7, 9] }),
        say(0, 12, Watch { panes: vec![7] }),
        say(
            7,
            0,
            Ack {
                offset: 0x0102_0304_0506_0708,
            },
        ),
        say(7, 13, GetSnapshot {}),
        say(
            7,
            14,
            GetPage {
                from: 5000,
                count: 100,
            },
        ),
        say(0, 15, Subscribe {}),
        say(
            7,
            16,
            NoteSet {
                key: "name".into(),
                revision: Some(3),
                value: Some(bytes("api")),
            },
        ),
        say(0, 17, NoteList {}),
        say(
            7,
            0,
            Report {
                body: bytes("{\"state\":\"done\"}"),
            },
        ),
        say(
            7,
            19,
            Share {
                pid: 4242,
                start: 0x1112_1314_1516_1718,
            },
        ),
        say(
            0,
            24,
            Look {
                panes: vec![7, 300],
            },
        ),
        say(7, 18, ToHost::Input(bytes("ls\r"))),
    ]
}

fn create() -> Create {
    Create {
        id: Some(12),
        argv: vec![bytes("sh"), bytes("-c"), bytes("echo \u{e9}")],
        cwd: bytes("/home/me"),
        env: Some(vec![(bytes("PATH"), bytes("/bin"))]),
        set_env: vec![(bytes("A"), bytes("1")), (bytes("B"), bytes(""))],
        cols: 100,
        rows: 30,
        notes: vec![("name".into(), bytes("api"))],
        seed: None,
    }
}

fn viewer() -> Viewer {
    Viewer {
        foreground: Some(0x00d0_d0d0),
        background: Some(0x0010_1010),
        cursor: None,
        palette: vec![(1, 0x00cc_0000), (15, 0x00ff_ffff)],
        cell: (9, 18),
        links: vec![(bytes("SSH_AUTH_SOCK"), bytes("/tmp/a"))],
        label: "pts/3".into(),
    }
}

fn claim(pane: u32, cols: u16, rows: u16, shown: bool) -> ClaimPane {
    ClaimPane {
        pane,
        cols,
        rows,
        shown,
    }
}

/// What the host sends.
pub(crate) fn from_host() -> Vec<Sample<FromHost>> {
    let mut all = answers();
    all.extend(events());
    all.extend(terminal_events());
    all.extend([
        say(
            0,
            20,
            FromHost::Snapshot([&42u64.to_le_bytes()[..], b"screen"].concat()),
        ),
        say(
            7,
            0,
            FromHost::Output([&42u64.to_le_bytes()[..], b"\x1b[mhi\r\n"].concat()),
        ),
        say(7, 21, FromHost::Page(bytes("page"))),
    ]);
    all
}

fn answers() -> Vec<Sample<FromHost>> {
    let notes = vec![Note {
        key: "name".into(),
        revision: 4,
        value: bytes("api"),
    }];
    vec![
        say(
            0,
            0,
            Welcome {
                instance: *b"0123456789abcdef",
                pid: 4242,
                build: "0.1.0".into(),
                connection: 5,
            },
        ),
        say(7, 2, Done {}),
        say(
            7,
            3,
            Failed {
                code: NO_PANE,
                text: "no pane p7".into(),
            },
        ),
        say(
            0,
            1,
            Created {
                pane: 12,
                pid: 4300,
            },
        ),
        say(
            0,
            6,
            Panes {
                panes: vec![facts()],
            },
        ),
        say(0, 7, host_facts()),
        say(7, 17, Notes { notes }),
        say(
            7,
            22,
            Submitted {
                since_ms: Some(15),
                killed: false,
            },
        ),
        say(
            0,
            23,
            PictureCounts {
                counts: vec![(7, 3)],
            },
        ),
    ]
}

fn facts() -> PaneFacts {
    PaneFacts {
        pane: 7,
        pid: 4300,
        pid_start: 123_456,
        reaper: 4299,
        argv: vec![bytes("claude")],
        cwd: bytes("/src"),
        cols: 120,
        rows: 40,
        title: "api".into(),
        state: EXITED,
        raw_status: -2,
        end_note: "killed".into(),
        age_ms: 1000,
        since_input_ms: Some(20),
        since_output_ms: None,
        claimed_by: Some(5),
        shown: true,
        foreground: 4301,
        offset: 65_536,
        notes: vec![("name".into(), bytes("api"))],
    }
}

fn host_facts() -> HostFacts {
    HostFacts {
        pid: 4242,
        pid_start: 99,
        root_reaper: 4241,
        instance: *b"0123456789abcdef",
        build: "0.1.0".into(),
        age_ms: 60_000,
        terminals: 3,
        live: 2,
        attachments: 1,
        observers: 4,
        memory: 9_000_000,
        warnings: vec!["state is not saved".into()],
    }
}

fn events() -> Vec<Sample<FromHost>> {
    let exited = PaneExited {
        raw_status: 0x0300,
        since_input_ms: Some(15),
        end_note: String::new(),
    };
    vec![
        say(12, 0, PaneCreated { pid: 4300 }),
        say(12, 0, exited),
        say(12, 0, PaneStopped { stopped: true }),
        say(12, 0, PaneRemoved {}),
        say(
            12,
            0,
            PaneTaken {
                by: 6,
                label: "pts/4".into(),
            },
        ),
        say(
            12,
            0,
            PaneResized {
                cols: 80,
                rows: 24,
                offset: 77,
            },
        ),
        say(12, 0, PaneShown { shown: false }),
        say(12, 0, PaneInput {}),
        say(12, 0, PaneForeground { group: 4301 }),
        say(
            12,
            0,
            PaneEnded {
                raw_status: 0x0300,
                since_submit_ms: Some(15),
                killed: true,
            },
        ),
        say(12, 0, PaneLooked { looked: true }),
        say(
            12,
            0,
            NoteChanged {
                key: "workspace/a".into(),
                revision: 9,
                value: None,
            },
        ),
        say(12, 0, InputRefused { bytes: 70_000 }),
        say(
            0,
            0,
            Goodbye {
                reason: "stopped by the user".into(),
            },
        ),
    ]
}

fn terminal_events() -> Vec<Sample<FromHost>> {
    vec![
        say(
            12,
            0,
            Title {
                title: "vim \u{2713}".into(),
            },
        ),
        say(
            12,
            0,
            Folder {
                path: bytes("/src"),
            },
        ),
        say(12, 0, Bell {}),
        say(
            12,
            0,
            Notice {
                title: "t".into(),
                body: "needs you".into(),
            },
        ),
        say(
            12,
            0,
            Progress {
                state: 1,
                percent: 60,
            },
        ),
        say(
            12,
            0,
            Mark {
                kind: b'D',
                status: Some(-1),
            },
        ),
        say(
            12,
            0,
            ProgramStatus {
                body: bytes("idle"),
            },
        ),
        say(
            12,
            0,
            Clipboard {
                bytes: bytes("copied"),
            },
        ),
        say(12, 0, Reported { body: bytes("{}") }),
    ]
}
