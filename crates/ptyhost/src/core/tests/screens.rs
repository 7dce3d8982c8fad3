//! What passes through the terminal model: answers, left modes, replay.

use super::{Rig, create, wish};
use crate::core::action::Action;
use protocol::msg::{self, Subscribe, Watch};
use protocol::{FromHost, PaneId, Role, ToHost};
use term::{Options, Silent, Size, Terminal};

/// Everything written into panes, taken by the pty at once.
fn typed(rig: &mut Rig) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some((pane, bytes)) = rig.acts().into_iter().find_map(|action| match action {
        Action::Write { pane, bytes } => Some((pane, bytes)),
        _ => None,
    }) {
        rig.on(super::Event::Wrote {
            pane,
            bytes: bytes.len(),
        });
        all.extend(bytes);
    }
    all
}

/// The terminal a viewer ends with, from the frames it got.
fn replay(frames: Vec<(PaneId, FromHost)>) -> Terminal {
    let mut terminal = Terminal::new(Size::new(1, 1), &Options::default());
    for (_, message) in frames {
        match message {
            FromHost::Snapshot(payload) => {
                let (_, bytes) = msg::split_offset(&payload).unwrap();
                let snapshot = term::codec::decode_snapshot(bytes).unwrap();
                terminal = Terminal::from_snapshot(&snapshot, &Options::default());
            }
            FromHost::Output(payload) => {
                terminal.advance(msg::split_offset(&payload).unwrap().1, &mut Silent);
            }
            _ => {}
        }
    }
    terminal
}

#[test]
fn a_query_has_one_answer_whoever_is_attached() {
    for attached in 0..3 {
        let mut rig = Rig::new();
        let c = rig.connect(Role::Control);
        let pane = rig.pane(c);
        for _ in 0..attached {
            let a = rig.connect(Role::Attach);
            rig.claim(a, &[wish(pane, 120, 40, true)]);
        }
        rig.acts();
        rig.output(pane, "ab\x1b[6n");
        assert_eq!(typed(&mut rig), b"\x1b[1;3R", "{attached} clients");
    }
}

#[test]
fn an_attach_types_nothing_however_many_queries_were_asked() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.output(pane, "\x1b[6n".repeat(50) + "\x1b[c\x1b[>q\x1b]11;?\x07");
    assert!(typed(&mut rig).starts_with(&b"\x1b[1;1R".repeat(50)));
    for _ in 0..3 {
        let a = rig.connect(Role::Attach);
        rig.claim(a, &[wish(pane, 120, 40, true)]);
        for (_, message) in rig.take(a) {
            if let FromHost::Snapshot(payload) = message {
                let has = |query: &[u8]| payload.windows(query.len()).any(|w| w == query);
                assert!(!has(b"\x1b[6n") && !has(b"\x1b[c") && !has(b"]11;?"));
            }
        }
        rig.on(super::Event::Disconnected { conn: a });
    }
    assert_eq!(typed(&mut rig), b"");
}

#[test]
fn an_answer_never_lands_inside_a_message() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    let paste = vec![b'p'; 200_000];
    rig.done(c, pane, ToHost::Input(paste.clone()));
    rig.output(pane, "\x1b[6n");
    rig.done(c, pane, ToHost::Input(b"q".to_vec()));
    assert!(typed(&mut rig) == [paste.as_slice(), b"\x1b[1;1R", b"q"].concat());
}

#[test]
fn a_program_that_asks_and_never_reads_costs_a_bounded_amount() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    for _ in 0..3 {
        rig.output(pane, "\x1b[6n".repeat(16_000));
    }
    let answers = typed(&mut rig);
    assert!(
        answers.len() <= 64 * 1024 && answers.len() > 60_000,
        "{}",
        answers.len()
    );
    assert_eq!(answers.len() % b"\x1b[1;1R".len(), 0, "whole answers only");
}

#[test]
fn a_viewer_ends_with_the_program_s_screen_and_modes() {
    let drawn = "\x1b[?1049h\x1b[?1h\x1b=\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[>1u\x1b[5 qhello\x1b]2;ti\x07";
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.output(pane, drawn);
    let a = rig.connect(Role::Attach);
    rig.claim(a, &[wish(pane, 100, 30, true)]);
    rig.output(pane, " world\x1b[?2004");
    rig.output(pane, "l");
    let mut direct = Terminal::new(Size::new(120, 40), &Options::default());
    direct.advance(drawn.as_bytes(), &mut Silent);
    direct.resize(Size::new(100, 30));
    direct.advance(b" world\x1b[?2004l", &mut Silent);
    let viewer = replay(rig.take(a));
    assert_eq!(viewer.text(), direct.text());
    assert!(viewer.text().contains("hello world"));
    assert_eq!((viewer.modes(), viewer.title()), (direct.modes(), "ti"));
    assert_eq!(rig.list(c)[0].title, "ti");
}

#[test]
fn modes_of_a_dead_program_are_undone_for_everyone() {
    let mut rig = Rig::new();
    let (c, a) = (rig.connect(Role::Control), rig.connect(Role::Attach));
    let pane = rig.pane(c);
    rig.claim(a, &[wish(pane, 120, 40, true)]);
    rig.acts();
    rig.output(pane, "\x1b[?1003h\x1b[?1006h\x1b[?25l\x1b[?2026hX");
    assert_eq!(rig.acts(), [Action::WatchGroup { pane }]);
    rig.on(super::Event::Foreground { pane, group: 77 });
    rig.on(super::Event::GroupGone { pane, group: 77 });
    rig.output(pane, "Y");
    let frames = rig.take(a);
    let words: Vec<_> = frames.iter().map(|(p, m)| super::word(*p, m)).collect();
    assert!(words.contains(&"p1 snapshot@31".to_owned()), "{words:?}");
    let viewer = replay(frames);
    assert!(viewer.cursor().visible && !viewer.synchronized());
    assert!(viewer.text().contains("XY"));
    rig.inbox.clear();
    rig.on(super::Event::GroupGone { pane, group: 77 });
    assert_eq!(rig.heard(a), [""; 0], "nothing was left");
}

#[test]
fn a_frame_held_by_a_killed_program_is_shown() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Control);
    let pane = rig.pane(c);
    rig.done(
        c,
        PaneId::NONE,
        Watch {
            panes: vec![pane.0],
        },
    );
    rig.output(pane, "\x1b[?2026hlast words");
    rig.end(pane, 9);
    let frames = rig.take(c);
    assert!(
        matches!(frames.last(), Some((_, FromHost::PaneExited(_)))),
        "{frames:?}"
    );
    let viewer = replay(frames);
    assert!(!viewer.synchronized());
    assert!(viewer.text().contains("last words"), "{}", viewer.text());
}

#[test]
fn what_a_program_tells_reaches_observers_and_the_clipboard_its_holder_only() {
    let mut rig = Rig::new();
    let (c, o, a) = (
        rig.connect(Role::Control),
        rig.connect(Role::Observe),
        rig.connect(Role::Attach),
    );
    let pane = rig.pane(c);
    rig.done(o, PaneId::NONE, Subscribe {});
    rig.claim(a, &[wish(pane, 120, 40, false)]);
    rig.inbox.clear();
    rig.output(
        pane,
        "\x07\x1b]2;t\x07\x1b]9;done\x07\x1b]52;c;aGk=\x07\x1b]52;c;\x07",
    );
    let mut seen = rig.heard(o);
    seen.sort();
    assert_eq!(seen, ["p1 bell", "p1 notice", "p1 title t"]);
    let clipboard: Vec<_> = rig
        .take(a)
        .into_iter()
        .filter_map(|(_, m)| match m {
            FromHost::Clipboard(clipboard) => Some(clipboard.bytes),
            _ => None,
        })
        .collect();
    assert_eq!(clipboard, [b"hi"], "an empty write erases nothing");
}

#[test]
fn pictures_are_counted_for_each_pane() {
    let mut rig = Rig::new();
    let (c, o) = (rig.connect(Role::Control), rig.connect(Role::Observe));
    let (drawer, other) = (rig.pane(c), rig.pane(c));
    rig.output(other, "text");
    let counts = |rig: &mut Rig| match rig.ask(o, PaneId::NONE, msg::CountPictures {}) {
        FromHost::PictureCounts(told) => told.counts,
        other => panic!("no counts: {other:?}"),
    };
    assert_eq!(counts(&mut rig), []);
    rig.output(
        drawer,
        "\x1bPq#0~\x1b\\\x1b_Ga=T,f=24,s=1,v=1;AAAA\x1b\\\x1bPq#0",
    );
    assert_eq!(counts(&mut rig), [(drawer.0, 2)]);
    rig.output(drawer, "~\x1b\\");
    assert_eq!(counts(&mut rig), [(drawer.0, 3)]);
}

#[test]
fn a_seed_is_the_first_screen() {
    let mut rig = Rig::new();
    let c = rig.connect(Role::Manage);
    let mut before = Terminal::new(Size::new(80, 24), &Options::default());
    before.advance(b"yesterday\r\n\x1b[?1003h\x1b]2;half", &mut Silent);
    let seed = Some(term::codec::encode_snapshot(&before.snapshot()));
    let pane = rig.pane_of(
        c,
        msg::Create {
            seed,
            ..create("sh")
        },
    );
    rig.output(pane, "today");
    rig.begin(c, pane, msg::GetSnapshot {});
    let text = replay(rig.take(c)).text();
    assert!(
        text.contains("yesterday") && text.contains("today"),
        "{text}"
    );
    assert_eq!(typed(&mut rig), b"");
}

#[test]
fn colours_of_the_client_that_told_last_answer_queries() {
    let mut rig = Rig::new();
    let (a, b) = (rig.connect(Role::Attach), rig.connect(Role::Attach));
    let pane = rig.pane(a);
    for (conn, colour, want) in [
        (a, 0x10_20_30, "1010/2020/3030"),
        (b, 0xff_ff_ff, "ffff/ffff/ffff"),
    ] {
        let viewer = msg::Viewer {
            background: Some(colour),
            ..super::viewer::plain()
        };
        rig.done(conn, PaneId::NONE, viewer);
        rig.acts();
        rig.output(pane, "\x1b]11;?\x07");
        let answer = String::from_utf8(typed(&mut rig)).unwrap();
        assert!(answer.contains(want), "{answer:?}");
    }
    rig.on(super::Event::Disconnected { conn: b });
    let later = rig.pane(a);
    rig.output(later, "\x1b]11;?\x07");
    let answer = String::from_utf8(typed(&mut rig)).unwrap();
    assert!(
        answer.contains("ffff/ffff/ffff"),
        "new panes too: {answer:?}"
    );
}
