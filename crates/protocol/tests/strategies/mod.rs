//! Random messages of every kind, for property tests.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use protocol::msg::*;
use protocol::{FromHost, ToHost};

fn bytes() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..40)
}

fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("\\PC{0,12}").expect("a valid pattern")
}

fn pairs() -> impl Strategy<Value = Vec<(Bytes, Bytes)>> {
    vec((bytes(), bytes()), 0..4)
}

fn notes() -> impl Strategy<Value = Vec<(String, Bytes)>> {
    vec((text(), bytes()), 0..4)
}

/// `strategy => |pattern| value`: a boxed strategy of a direction's message.
macro_rules! message {
    ($strategy:expr => |$pattern:pat_param| $value:expr) => {
        $strategy.prop_map(|$pattern| $value.into()).boxed()
    };
}

fn create() -> BoxedStrategy<ToHost> {
    let program = (
        any::<Option<u32>>(),
        vec(bytes(), 0..4),
        bytes(),
        option::of(pairs()),
        pairs(),
    );
    let rest = (any::<u16>(), any::<u16>(), notes(), option::of(bytes()));
    message!((program, rest) => |((id, argv, cwd, env, set_env), (cols, rows, notes, seed))|
        Create { id, argv, cwd, env, set_env, cols, rows, notes, seed })
}

fn viewer() -> BoxedStrategy<ToHost> {
    let colours = any::<(Option<u32>, Option<u32>, Option<u32>)>();
    let palette = vec(any::<(u8, u32)>(), 0..5);
    message!((colours, palette, any::<(u16, u16)>(), pairs(), text()) =>
        |((foreground, background, cursor), palette, cell, links, label)|
        Viewer { foreground, background, cursor, palette, cell, links, label })
}

fn claim() -> BoxedStrategy<ToHost> {
    let pane = any::<(u32, u16, u16, bool)>().prop_map(|(pane, cols, rows, shown)| ClaimPane {
        pane,
        cols,
        rows,
        shown,
    });
    message!(vec(pane, 0..5) => |panes| Claim { panes })
}

/// Any message a client may send.
pub(crate) fn to_host() -> impl Strategy<Value = ToHost> {
    let note = (text(), any::<Option<u64>>(), option::of(bytes()));
    prop::strategy::Union::new(vec![
        create(),
        viewer(),
        claim(),
        message!(Just(()) => |()| Kill {}),
        message!(Just(()) => |()| Continue {}),
        message!(Just(()) => |()| Remove {}),
        message!(Just(()) => |()| List {}),
        message!(Just(()) => |()| Status {}),
        message!(Just(()) => |()| Stop {}),
        message!(any::<(u32, u64)>() => |(pid, start)| Share { pid, start }),
        message!(Just(()) => |()| LastSubmit {}),
        message!(Just(()) => |()| CountPictures {}),
        message!(Just(()) => |()| GetSnapshot {}),
        message!(Just(()) => |()| Subscribe {}),
        message!(vec(any::<u32>(), 0..5) => |panes| Look { panes }),
        message!(Just(()) => |()| NoteList {}),
        message!(any::<(u16, u16)>() => |(cols, rows)| Resize { cols, rows }),
        message!(vec(any::<u32>(), 0..5) => |panes| Release { panes }),
        message!(vec(any::<u32>(), 0..5) => |panes| Watch { panes }),
        message!(any::<u64>() => |offset| Ack { offset }),
        message!(any::<(u64, u32)>() => |(from, count)| GetPage { from, count }),
        message!(note => |(key, revision, value)| NoteSet { key, revision, value }),
        message!(bytes() => |body| Report { body }),
        message!(bytes() => |body| ToHost::Input(body)),
    ])
}

fn facts() -> BoxedStrategy<FromHost> {
    let program = (any::<(u32, u32, u64, u32)>(), vec(bytes(), 0..3), bytes());
    let screen = (any::<(u16, u16)>(), text(), any::<(u8, i32)>(), text());
    let times = any::<(u64, Option<u64>, Option<u64>)>();
    let view = (any::<(Option<u32>, bool, u32, u64)>(), notes());
    let pane = (program, screen, times, view).prop_map(|(program, screen, times, view)| {
        let ((pane, pid, pid_start, reaper), argv, cwd) = program;
        let ((cols, rows), title, (state, raw_status), end_note) = screen;
        let (age_ms, since_input_ms, since_output_ms) = times;
        let ((claimed_by, shown, foreground, offset), notes) = view;
        PaneFacts {
            pane,
            pid,
            pid_start,
            reaper,
            argv,
            cwd,
            cols,
            rows,
            title,
            state,
            raw_status,
            end_note,
            age_ms,
            since_input_ms,
            since_output_ms,
            claimed_by,
            shown,
            foreground,
            offset,
            notes,
        }
    });
    message!(vec(pane, 0..3) => |panes| Panes { panes })
}

fn host_facts() -> BoxedStrategy<FromHost> {
    let identity = (any::<(u32, u64, u32, [u8; 16])>(), text());
    let counts = any::<(u64, u32, u32, u32, u32, u64)>();
    message!((identity, counts, vec(text(), 0..3)) =>
    |(((pid, pid_start, root_reaper, instance), build), counts, warnings)| HostFacts {
        pid, pid_start, root_reaper, instance, build,
        age_ms: counts.0, terminals: counts.1, live: counts.2,
        attachments: counts.3, observers: counts.4, memory: counts.5,
        warnings,
    })
}

fn answers() -> Vec<BoxedStrategy<FromHost>> {
    let note = (text(), any::<u64>(), bytes()).prop_map(|(key, revision, value)| Note {
        key,
        revision,
        value,
    });
    vec![
        facts(),
        host_facts(),
        message!((any::<([u8; 16], u32, u32)>(), text()) => |((instance, pid, connection), build)|
            Welcome { instance, pid, build, connection }),
        message!(Just(()) => |()| Done {}),
        message!((any::<u16>(), text()) => |(code, text)| Failed { code, text }),
        message!(any::<(u32, u32)>() => |(pane, pid)| Created { pane, pid }),
        message!(vec(note, 0..3) => |notes| Notes { notes }),
        message!(any::<(Option<u64>, bool)>() => |(since_ms, killed)|
            Submitted { since_ms, killed }),
        message!(vec(any::<(u32, u64)>(), 0..5) => |counts| PictureCounts { counts }),
        message!(bytes() => |body| FromHost::Snapshot(body)),
        message!(bytes() => |body| FromHost::Output(body)),
        message!(bytes() => |body| FromHost::Page(body)),
    ]
}

fn pane_events() -> Vec<BoxedStrategy<FromHost>> {
    let exited = (any::<(i32, Option<u64>)>(), text());
    let changed = (text(), any::<u64>(), option::of(bytes()));
    vec![
        message!(any::<u32>() => |pid| PaneCreated { pid }),
        message!(exited => |((raw_status, since_input_ms), end_note)|
            PaneExited { raw_status, since_input_ms, end_note }),
        message!(any::<bool>() => |stopped| PaneStopped { stopped }),
        message!(Just(()) => |()| PaneRemoved {}),
        message!((any::<u32>(), text()) => |(by, label)| PaneTaken { by, label }),
        message!(any::<(u16, u16, u64)>() => |(cols, rows, offset)|
            PaneResized { cols, rows, offset }),
        message!(any::<bool>() => |shown| PaneShown { shown }),
        message!(Just(()) => |()| PaneInput {}),
        message!(any::<u32>() => |group| PaneForeground { group }),
        message!(any::<bool>() => |looked| PaneLooked { looked }),
        message!(any::<(i32, Option<u64>, bool)>() => |(raw_status, since_submit_ms, killed)|
            PaneEnded { raw_status, since_submit_ms, killed }),
        message!(changed => |(key, revision, value)| NoteChanged { key, revision, value }),
        message!(any::<u64>() => |bytes| InputRefused { bytes }),
        message!(text() => |reason| Goodbye { reason }),
    ]
}

fn terminal_events() -> Vec<BoxedStrategy<FromHost>> {
    vec![
        message!(text() => |title| Title { title }),
        message!(bytes() => |path| Folder { path }),
        message!(Just(()) => |()| Bell {}),
        message!((text(), text()) => |(title, body)| Notice { title, body }),
        message!(any::<(u8, u8)>() => |(state, percent)| Progress { state, percent }),
        message!(any::<(u8, Option<i32>)>() => |(kind, status)| Mark { kind, status }),
        message!(bytes() => |body| ProgramStatus { body }),
        message!(bytes() => |bytes| Clipboard { bytes }),
        message!(bytes() => |body| Reported { body }),
    ]
}

/// Any message a host may send.
pub(crate) fn from_host() -> impl Strategy<Value = FromHost> {
    let all = [answers(), pane_events(), terminal_events()];
    prop::strategy::Union::new(all.into_iter().flatten())
}
