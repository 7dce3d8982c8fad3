//! Tests of the events: an OSC and what becomes of it.

use proptest::prelude::*;

use super::*;
use crate::probe::Probe;

fn check(stream: &str, want: &[Event]) {
    assert_eq!(Probe::after(stream).told, want, "{stream:?}");
}

fn notice(title: &str, body: &str) -> Event {
    Event::Notice {
        title: title.into(),
        body: body.into(),
    }
}

#[test]
fn titles_are_clean() {
    for (text, want) in [
        ("plain", "plain"),
        ("\u{2733} caf\u{e9} \u{4f60}", "\u{2733} caf\u{e9} \u{4f60}"),
        ("a\u{9b}31mb", "a31mb"),
        ("a\u{7f}b", "ab"),
        ("evil\u{202e}gpj.exe\u{2066}", "evilgpj.exe"),
        ("a\u{200b}\u{feff}\u{200e}b", "ab"),
        ("\u{1f468}\u{200d}\u{1f469}", "\u{1f468}\u{200d}\u{1f469}"),
        ("hidden\u{e0041}\u{e007f}", "hidden"),
        ("trailing  ", "trailing"),
    ] {
        check(&format!("\x1b]2;{text}\x07"), &[Event::Title(want.into())]);
    }
    assert_eq!(clean(b"a\xffb", 10), "a\u{fffd}b");
    assert_eq!(clean("a\tb\nc".as_bytes(), 10), "a b c");
    let long = clean("\u{e9}".repeat(1000).as_bytes(), TITLE_LIMIT + 1);
    assert_eq!(long.len(), TITLE_LIMIT);
}

#[test]
fn folders() {
    for (osc, want) in [
        ("7;file://host/home/me", Some("/home/me")),
        ("7;file:///home/me", Some("/home/me")),
        ("7;file://host/a%20b%C3%A9", Some("/a b\u{e9}")),
        ("7;file://host/a%2", Some("/a%2")),
        ("7;file://host/a%zzb", Some("/a%zzb")),
        ("7;kitty-shell-cwd://host/a%20b", Some("/a%20b")),
        ("7;/plain", Some("/plain")),
        ("7;file://host", None),
        ("7;relative", None),
        ("7;file://host/a%0ab", None),
        ("7;file://host/a%1b[m", None),
        ("7;http://host/a", None),
        ("7;", None),
        ("7", None),
        ("9;9;/home/me", Some("/home/me")),
        ("9;9;\"/home/me\"", Some("/home/me")),
        ("9;9;C:\\x", None),
        ("1337;CurrentDir=/home/me", Some("/home/me")),
        ("1337;RemoteHost=me@host", None),
        ("1337;File=name=x:AAAA", None),
    ] {
        let want: Vec<Event> = want
            .iter()
            .map(|path| Event::Folder(path.as_bytes().to_vec()))
            .collect();
        check(&format!("\x1b]{osc}\x07"), &want);
    }
    check(&format!("\x1b]7;file:///{}\x07", "x".repeat(5000)), &[]);
}

#[test]
fn notices() {
    for (stream, want) in [
        (
            "\x1b]9;Approval requested: ls\x07",
            Some(notice("", "Approval requested: ls")),
        ),
        (
            "\x1b]9;done; all of it\x07",
            Some(notice("", "done; all of it")),
        ),
        ("\x1b]9;a\u{202e}b\u{9c}c\x07", Some(notice("", "abc"))),
        ("\x1b]9;42\x07", Some(notice("", "42"))),
        ("\x1b]9;5\x07", Some(notice("", "5"))),
        ("\x1b]9;\x07", None),
        ("\x1b]9;1;500\x07", None),
        ("\x1b]9;12;x\x07", None),
        (
            "\x1b]777;notify;Title;Body; more\x07",
            Some(notice("Title", "Body; more")),
        ),
        ("\x1b]777;notify;Title\x07", Some(notice("Title", ""))),
        ("\x1b]777;notify;;\x07", None),
        ("\x1b]777;precmd\x07", None),
        ("\x1b]99;;Hello\x1b\\", Some(notice("Hello", ""))),
        (
            "\x1b]99;i=1:d=0;Hello\x1b\\\x1b]99;i=1:p=body;World\x1b\\",
            { Some(notice("Hello", "World")) },
        ),
        (
            "\x1b]99;i=1:d=0;Hel\x1b\\\x1b]99;i=1:d=0;lo\x1b\\\x1b]99;i=1:d=1:p=body;!\x1b\\",
            { Some(notice("Hello", "!")) },
        ),
        ("\x1b]99;i=1:e=1;SGVsbG8=\x1b\\", Some(notice("Hello", ""))),
        ("\x1b]99;i=1:e=1;SGVsbG8\x1b\\", Some(notice("Hello", ""))),
        ("\x1b]99;i=1:e=1;GwdIaQ==\x1b\\", Some(notice("Hi", ""))),
        ("\x1b]99;i=1:e=1;%%%\x1b\\", None),
        (
            "\x1b]99;i=1:d=0;one\x1b\\\x1b]99;i=2;two\x1b\\",
            Some(notice("two", "")),
        ),
        (
            "\x1b]99;i=1:p=?;\x1b\\\x1b]99;i=1:p=close;\x1b\\\x1b]99;nothing\x1b\\",
            None,
        ),
    ] {
        check(stream, &Vec::from_iter(want));
    }
    let long = Probe::after(format!("\x1b]9;{}\x07", "x".repeat(9000))).told;
    assert_eq!(long, [notice("", &"x".repeat(NOTICE_LIMIT))]);
    let mut probe = Probe::default();
    for _ in 0..100 {
        probe.feed(format!("\x1b]99;i=1:d=0:p=body;{}\x1b\\", "x".repeat(900)));
    }
    probe.feed("\x1b]99;i=1;t\x1b\\");
    assert_eq!(probe.told, [notice("t", &"x".repeat(NOTICE_LIMIT))]);
}

#[test]
fn progress_marks_and_status() {
    let progress = |state, percent| Event::Progress { state, percent };
    let mark = |kind, status| Event::Mark { kind, status };
    let status = |text: &str| Event::ProgramStatus(text.into());
    for (osc, want) in [
        ("9;4;1;50", Some(progress(1, 50))),
        ("9;4;1;500", Some(progress(1, 100))),
        ("9;4;0;", Some(progress(0, 0))),
        ("9;4;0", Some(progress(0, 0))),
        ("9;4;3;70", Some(progress(3, 0))),
        ("9;4;2", Some(progress(2, 0))),
        ("9;4;5;1", None),
        ("9;4;x", None),
        ("9;4", None),
        ("133;A", Some(mark(b'A', None))),
        ("133;A;redraw=0", Some(mark(b'A', None))),
        ("133;B", Some(mark(b'B', None))),
        ("133;C;cmdline=x", Some(mark(b'C', None))),
        ("133;D", Some(mark(b'D', None))),
        ("133;D;0", Some(mark(b'D', Some(0)))),
        ("133;D;130;err=", Some(mark(b'D', Some(130)))),
        ("133;D;-1", Some(mark(b'D', Some(-1)))),
        ("133;P", None),
        ("1337;SetMark", Some(mark(b'M', None))),
        ("133", None),
        (
            "7501;state=idle:app=codex",
            Some(status("state=idle:app=codex")),
        ),
        (
            "7501;state=blocked:msg=SGk=",
            Some(status("state=blocked:msg=SGk=")),
        ),
        ("7501;?", None),
        ("7501;", None),
        ("7501;state=idle:msg=a b", None),
        ("7501;state=\u{e9}", None),
        ("8;;https://example.org", None),
        ("nonsense", None),
        ("", None),
    ] {
        check(&format!("\x1b]{osc}\x07"), &Vec::from_iter(want));
    }
    for (len, heard) in [(STATUS_LIMIT - 9, true), (STATUS_LIMIT - 8, false)] {
        let told = Probe::after(format!("\x1b]7501;{}\x07", "x".repeat(len))).told;
        assert_eq!(!told.is_empty(), heard);
    }
}

/// `herdr#1893`, `herdr#2846`: empty writes erased the clipboard.
#[test]
fn clipboard_writes() {
    for (osc, want) in [
        ("52;c;aGVsbG8=", Some("hello")),
        ("52;;aGVsbG8=", Some("hello")),
        ("52;p;aGVsbG8", Some("hello")),
        ("52;c;", None),
        ("52;c;====", None),
        ("52;c;?", None),
        ("52;c;a b", None),
        ("52;c", None),
        ("52", None),
    ] {
        let want: Vec<Event> = want
            .iter()
            .map(|text| Event::Clipboard((*text).into()))
            .collect();
        check(&format!("\x1b]52{}\x07", &osc[2..]), &want);
    }
    for (len, heard) in [(CLIPBOARD_LIMIT, true), (CLIPBOARD_LIMIT + 1, false)] {
        let text = BASE64.encode(vec![b'x'; len]);
        let told = Probe::after(format!("\x1b]52;c;{text}\x07")).told;
        assert_eq!(!told.is_empty(), heard, "{len}");
    }
}

proptest! {
    #[test]
    fn text_is_clean_and_bounded(
        number in prop::sample::select(vec!["0", "2", "9", "777;notify", "99;", "99;i=1:e=1"]),
        text in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let payload = [number.as_bytes(), b";", &text].concat();
        if let Some(event) = Events::default().osc(&payload, &mut Modes::default()) {
            let texts = match event {
                Event::Title(title) => [title, String::new()],
                Event::Notice { title, body } => [title, body],
                // OSC 9 has other uses.
                Event::Progress { .. } | Event::Folder(_) => return Ok(()),
                other => panic!("{other:?}"),
            };
            for text in texts {
                prop_assert!(!text.chars().any(is_hidden));
                prop_assert!(text.len() <= NOTICE_LIMIT);
            }
        }
    }
}
