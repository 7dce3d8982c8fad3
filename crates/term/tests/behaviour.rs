//! What programs and people were bitten by, as a table: bytes, then what the
//! screen, the cursor, the scrollback and the answers must be.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use term::{Cursor, EngineKind, Event, Options, Recorder, Size, Terminal};

const ENGINES: [EngineKind; 2] = [EngineKind::Grid, EngineKind::Vt100];

fn fed(size: (u16, u16), bytes: &[u8]) -> (Terminal, Recorder) {
    on(EngineKind::default(), size, bytes)
}

fn on(engine: EngineKind, size: (u16, u16), bytes: &[u8]) -> (Terminal, Recorder) {
    let options = Options {
        engine,
        ..Options::default()
    };
    let mut terminal = Terminal::new(Size::new(size.0, size.1), &options);
    let mut sink = Recorder::default();
    terminal.advance(bytes, &mut sink);
    (terminal, sink)
}

fn rows(terminal: &Terminal) -> Vec<String> {
    let rows = terminal.size().rows;
    let mut rows: Vec<String> = (0..rows).map(|y| terminal.row(y).text()).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

/// Rows (without blank ones at the end) and the cursor's column and row.
#[track_caller]
fn check(size: (u16, u16), bytes: &str, want: &[&str], cursor: (u16, u16)) {
    for engine in ENGINES {
        let (terminal, sink) = on(engine, size, bytes.as_bytes());
        assert_eq!(rows(&terminal), want, "{engine:?} {bytes:?}");
        let Cursor { x, y, .. } = terminal.cursor();
        assert_eq!((x, y), cursor, "{engine:?} {bytes:?}");
        assert!(!sink.events.iter().any(|e| matches!(e, Event::Fault(_))));
    }
}

#[track_caller]
fn answers(size: (u16, u16), bytes: &str, want: &str) {
    for engine in ENGINES {
        let (_, sink) = on(engine, size, bytes.as_bytes());
        let answers = String::from_utf8(sink.answers).unwrap();
        assert_eq!(answers, want, "{engine:?} {bytes:?}");
    }
}

fn history(terminal: &Terminal) -> Vec<String> {
    let page = terminal.page(0, 1000);
    page.lines.iter().map(term::Line::text).collect()
}

#[test]
fn sequences_vt100_does_not_know() {
    let size = (12, 4);
    check(size, "ab\x1bDc", &["ab", "  c"], (3, 1));
    check(size, "ab\x1bEc", &["ab", "c"], (1, 1));
    check(size, "\x1b(0lqk\x1b(Bq", &["┌─┐q"], (4, 0));
    check(size, "\x1b)0\x0ex\x0fx", &["│x"], (2, 0));
    check(size, "\x1b[5G\x1bH\r\tx", &["    x"], (5, 0));
    check(size, "\x1b[3g\tx", &["           x"], (11, 0));
    check(size, "abc\x1b[2Zx", &["xbc"], (1, 0));
    check(size, "\x1b[2Ix", &["           x"], (11, 0));
    check(
        size,
        "ab\x1b[s\x1b[3;3Hx\x1b[uy",
        &["aby", "", "  x"],
        (3, 0),
    );
    check(size, "a\x1b[3ab\x1b[2ec", &["a   b", "", "     c"], (6, 2));
    check((4, 2), "\x1b#8", &["EEEE", "EEEE"], (0, 0));
    check(size, "abc\r\x1b[4hxy\x1b[4lz", &["xyzbc"], (3, 0));
    check((5, 2), "\x1b[?7labcdefgh", &["abcdh"], (4, 0));
    check((5, 2), "\x1b[?7labcdefg漢", &["abc漢"], (4, 0));
    check(size, "\x1b[2;3r\x1b[?6h\x1b[!p\x1b[1;1Hx", &["x"], (1, 0));
    check(size, "a\u{fffd}b", &["a\u{fffd}b"], (3, 0));
    check(size, "a\x1b[3b漢\x1b[2b", &["aaaa漢漢漢"], (10, 0));
    check(size, "\x1b[20hab\ncd", &["ab", "cd"], (2, 1));
}

#[test]
fn sequences_vt100_gets_wrong() {
    // A full-width progress bar, one up, then text: the text belongs there.
    check((5, 3), "\r\n12345\x1b[AX", &["    X", "12345"], (4, 0));
    check((5, 3), "12345\x1b[BX", &["12345", "    X"], (4, 1));
    // VPA counts from the region in origin mode.
    check(
        (5, 4),
        "\x1b[2;3r\x1b[?6h\x1b[1dX\x1b[9dY",
        &["", "X", " Y"],
        (2, 2),
    );
    // RI above the region does not scroll it.
    check(
        (5, 4),
        "\x1b[2;4Hx\x1b[2;3r\x1b[1;1H\x1bM",
        &["", "   x"],
        (0, 0),
    );
    // An impossible region changes nothing, not even the cursor.
    check((5, 4), "ab\x1b[3;3rc", &["abc"], (3, 0));
    check(
        (5, 4),
        "\x1b[3;2Hab\x1b[?1049h\x1b[1;1Hc\x1b[?1049ld",
        &["", "", " abd"],
        (4, 2),
    );
    // 1047 and 1048 are 1049's halves.
    check(
        (5, 2),
        "ab\x1b[?1048h\x1b[?1047hX\x1b[?1047l\x1b[?1048lc",
        &["abc"],
        (3, 0),
    );
    check((5, 2), "\x1b[?1047hX\x1b[?1047l\x1b[?1047h", &[], (1, 0));
    // Colours in sub-parameters, and the underline colour that is none of ours.
    for (sgr, fg) in [
        ("38:2::1:2:3", term::Colour::Rgb(1, 2, 3)),
        ("38;2;1;2;3", term::Colour::Rgb(1, 2, 3)),
        ("38:5:9;58;5;1", term::Colour::Indexed(9)),
    ] {
        let (terminal, _) = fed((5, 2), format!("\x1b[{sgr}mx").as_bytes());
        let style = terminal.row(0).cells[0].style;
        assert_eq!((style.fg, style.flags.0), (fg, 0), "{sgr}");
    }
    let (terminal, _) = on(EngineKind::Vt100, (5, 2), b"\x1b[4:3ma\x1b[4:0mb");
    let cells = terminal.row(0).cells;
    assert_eq!(cells[0].style.underline, term::Underline::Single);
    assert_eq!(cells[1].style.underline, term::Underline::None);
    // Erased cells are coloured, not underlined.
    let (terminal, _) = fed((5, 2), b"\x1b[4;7;41m\x1b[K");
    let style = terminal.row(0).cells[3].style;
    assert_eq!(style.bg, term::Colour::Indexed(1));
    assert_eq!((style.flags.0, style.underline), (0, term::Underline::None));
}

/// doy/vt100-rust#28: a wide character at the right margin of a narrow screen.
/// doy/vt100-rust#37: sizes of 0. And VS16 in the last column, which widened
/// a cell over the margin and panicked a later redraw, in release builds too.
#[test]
fn nothing_panics_at_the_margins() {
    let redraw = format!("\x1b[23;80H{}\x1b[23;1H{}", "b", "x".repeat(80));
    let vs16 = format!("\x1b[24;80H⚠\u{fe0f}{redraw}");
    let keycap = "1\u{fe0f}\u{20e3}⚠\u{fe0f}漢a\u{301}\r\n".repeat(4);
    for (size, bytes) in [
        ((80, 24), vs16.as_str()),
        ((80, 24), "\x1b[24;80H❤\u{fe0f}\x1b[23;80H b"),
        ((1, 1), keycap.as_str()),
        ((1, 3), keycap.as_str()),
        ((2, 1), keycap.as_str()),
        ((0, 0), "漢\u{301}x\x1b[65535;65535Hy\x1b[65535b"),
        ((u16::MAX, u16::MAX), "x\x1b[65535;65535Hy"),
    ] {
        for engine in ENGINES {
            let (mut terminal, mut sink) = on(engine, size, bytes.as_bytes());
            for (cols, rows) in [(0, 0), (1, 1), (3, 2), (2, 40), (80, 24)] {
                terminal.resize(Size::new(cols, rows));
                terminal.advance(bytes.as_bytes(), &mut sink);
            }
            let faults = sink.events.iter().filter(|e| matches!(e, Event::Fault(_)));
            assert_eq!(faults.count(), 0, "{engine:?}");
        }
    }
}

/// doy/vt100-rust#28, #37, aannoo/hcom#75, construct-worlds/construct#1267, cys-terminal#82,
/// dot-agent-deck#206: a screen that shrank across a wide character panicked at the next erase, a
/// pane of one row or column at the next wide character, a size of nothing at the next letter. One
/// of them took an agent's session with it.
#[test]
fn shrinking_across_wide_characters_harms_nobody() {
    let acts = [
        "\x1b[K",
        "\x1b[X",
        "\x1b[P",
        "\x1b[1K",
        "\x1b[J",
        "x",
        "你",
        "\x1b[@",
        "👩\u{200d}👩\u{200d}👧",
    ];
    for (size, text) in [
        ((4, 2), "a你"),
        ((4, 2), "你你"),
        ((1, 2), "你x"),
        ((4, 1), "abc你你"),
        ((1, 1), "你你"),
        ((80, 1), "👩\u{200d}👩\u{200d}👧"),
    ] {
        for to in [(2, 2), (1, 2), (3, 1), (0, 0), (0, 24), (80, 0), (1, 1)] {
            for act in acts {
                for engine in ENGINES {
                    let (mut terminal, mut sink) = on(engine, size, text.as_bytes());
                    terminal.resize(Size::new(to.0, to.1));
                    terminal.advance(act.as_bytes(), &mut sink);
                    terminal.advance(b"\x1b[HZ", &mut sink);
                    let case = format!("{engine:?} {size:?} {text} {to:?} {act:?}");
                    assert!(terminal.text().contains('Z'), "{case}");
                    let fault = |e: &&Event| matches!(e, Event::Fault(_));
                    assert_eq!(sink.events.iter().find(fault), None, "{case}");
                }
            }
        }
    }
}

/// lucascaro/hive#142: a column sent by a program that counts a wide character
/// as two must land behind it.
#[test]
fn columns_behind_wide_characters() {
    check((20, 2), "日本\x1b[5Gx", &["日本x"], (5, 0));
    check((20, 2), "日本\x1b[3Gx", &["日x"], (3, 0));
    check((20, 2), "ｱ日e\u{301}x", &["ｱ日e\u{301}x"], (5, 0));
    check((4, 3), "abc日x", &["abc", "日x"], (3, 1));
    let (terminal, _) = fed((20, 2), "日".as_bytes());
    let cells = terminal.row(0).cells;
    assert_eq!((cells[0].width, cells[1].width, cells[2].width), (2, 0, 1));
}

/// Mode 2026 is a flag: two begins and one end leave drawing on
/// (a counter would freeze the screen for ever).
#[test]
fn synchronized_output_is_a_flag() {
    let (mut terminal, mut sink) = fed((5, 2), b"\x1b[?2026h\x1b[?2026hx");
    assert!(terminal.synchronized());
    terminal.advance(b"\x1b[?2026l", &mut sink);
    assert!(!terminal.synchronized());
    assert_eq!(rows(&terminal), ["x"]);
}

#[test]
fn scrollback_takes_the_main_screen_only() {
    let (mut terminal, mut sink) = fed((10, 3), b"1\r\n2\r\n3\r\n4\r\n");
    assert_eq!(history(&terminal), ["1", "2"]);
    terminal.advance(b"\x1b[?1049ha\r\nb\r\nc\r\nd\r\ne\x1b[?1049l", &mut sink);
    assert_eq!(history(&terminal), ["1", "2"]);
    assert_eq!(rows(&terminal), ["3", "4"]);
    // A region that begins below the first row does not feed it.
    terminal.advance(b"\x1b[2;3r\x1b[3;1H\n\n\n\x1b[r", &mut sink);
    assert_eq!(history(&terminal), ["1", "2"]);
    // Wrapped rows are one line, and ED 3 forgets lines but no ids.
    terminal.advance(b"\x1b[2J\x1b[H0123456789abc\r\n\r\n\r\n", &mut sink);
    assert_eq!(history(&terminal), ["1", "2", "0123456789abc"]);
    terminal.advance(b"\x1b[3J", &mut sink);
    assert_eq!(terminal.scrollback(), 3..3);
}

#[test]
fn scrollback_keeps_styles_and_odd_characters() {
    let (terminal, _) = fed(
        (10, 1),
        "a\x1b[1;38;5;200mb漢\x1b[0me\u{301}\u{fffd}\r\n".as_bytes(),
    );
    let page = terminal.page(0, 1);
    let spans = &page.lines[0].spans;
    assert_eq!(page.lines[0].text(), "ab漢e\u{301}\u{fffd}");
    assert_eq!(spans[1].style.fg, term::Colour::Indexed(200));
    assert_eq!(spans[1].style.flags, term::StyleFlags::BOLD);
    assert_eq!(spans[2].style, term::Style::default());
}

/// Nine bytes that ask for 65,535 characters print a screenful at most.
#[test]
fn repeat_is_clamped() {
    let (terminal, _) = fed((10, 3), b"x\x1b[65535b");
    assert_eq!(rows(&terminal), ["xxxxxxxxxx", "xxxxxxxxxx", "x"]);
    let text: usize = history(&terminal).iter().map(String::len).sum();
    assert!(text <= 30, "{text}");
}

#[test]
fn queries_are_answered_in_place() {
    answers((20, 5), "ab\x1b[6n\r\nc\x1b[6n", "\x1b[1;3R\x1b[2;2R");
    answers((20, 5), "\x1b[2;4r\x1b[?6h\x1b[2;3H\x1b[6n", "\x1b[2;3R");
    answers((3, 5), "abc\x1b[6n", "\x1b[1;3R");
    answers((20, 5), "\x1b[18t", "\x1b[8;5;20t");
    answers((20, 5), "\x1b[1;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;31m\x1b\\");
    answers((20, 5), "\x1b[2;4r\x1bP$qr\x1b\\", "\x1bP1$r2;4r\x1b\\");
    answers(
        (20, 5),
        "\x1b[?2026$p\x1b[?2026h\x1b[?2026$p",
        "\x1b[?2026;2$y\x1b[?2026;1$y",
    );
    answers((20, 5), "\x1bPtmux;\x1b\x1b[6n\x1b\\", "\x1b[1;1R");
    // Titles and clipboards are never read back.
    answers(
        (20, 5),
        "\x1b]0;rm -rf /\x07\x1b[21t\x1b]52;c;?\x07",
        "\x1b]l\x1b\\",
    );
}

#[test]
fn events_come_in_order() {
    let (terminal, sink) = fed((20, 5), b"\x07\x1b]0;t\x07\x1b[?1000h\x1b]7;file:///x\x07");
    let want = [
        Event::Bell,
        Event::Title("t".into()),
        Event::RiskyMode,
        Event::Folder(b"file:///x".to_vec()),
    ];
    assert_eq!(sink.events.len(), 4);
    assert_eq!(sink.events[..3], want[..3]);
    assert!(matches!(sink.events[3], Event::Folder(_)));
    assert_eq!(terminal.title(), "t");
}

#[test]
fn modes_a_dead_program_left_are_reset() {
    let (mut terminal, _) = fed(
        (20, 5),
        b"\x1b[?1002h\x1b[?1006h\x1b[?2004h\x1b[?25l\x1b[>1u",
    );
    let bytes = terminal.reset_left_modes();
    assert!(!bytes.is_empty());
    assert!(!terminal.modes().risky());
    assert!(terminal.cursor().visible);
    let (mut viewer, _) = fed(
        (20, 5),
        b"\x1b[?1002h\x1b[?1006h\x1b[?2004h\x1b[?25l\x1b[>1u",
    );
    viewer.advance(&bytes, &mut Recorder::default());
    assert_eq!(viewer.modes(), terminal.modes());
}

#[test]
fn rows_tell_when_they_change() {
    let (mut terminal, mut sink) = fed((10, 3), b"a\r\nb\r\nc");
    let before: Vec<u64> = (0..3).map(|y| terminal.row_generation(y)).collect();
    terminal.advance(b"\x1b[2;1Hx\x1b[3;1Hc", &mut sink);
    let after: Vec<u64> = (0..3).map(|y| terminal.row_generation(y)).collect();
    assert_eq!((after[0], after[2]), (before[0], before[2]));
    assert!(after[1] > before[1]);
}

#[test]
fn sizes_change_without_loss_above() {
    let (mut terminal, _) = on(EngineKind::Vt100, (10, 4), b"1\r\n2\r\n3\r\n4");
    terminal.resize(Size::new(10, 2));
    assert_eq!(rows(&terminal), ["3", "4"]);
    assert_eq!(history(&terminal), ["1", "2"]);
    terminal.resize(Size::new(10, 4));
    assert_eq!(rows(&terminal), ["3", "4"]);
    assert_eq!(terminal.cursor().y, 1);
    // Blank rows below the cursor go first.
    let (mut terminal, _) = on(EngineKind::Vt100, (10, 4), b"1\r\n2");
    terminal.resize(Size::new(10, 2));
    assert_eq!(rows(&terminal), ["1", "2"]);
    assert!(history(&terminal).is_empty());
}
