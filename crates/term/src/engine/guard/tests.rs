//! Faults put in on purpose: `ESC # 9` panics in `grid` once the trap is set.

use super::*;
use crate::cell::Colour;
use crate::sink::Recorder;

const START: &str = "\x1b[?2004h\x1b[?1049h\x1b[2;5r\x1b[3;1H\x1b[31mkept\x1b[4;1H";

fn trapped() -> Guarded {
    let snapshot = Snapshot::blank(Size::new(20, 6));
    let mut guarded = Guarded::from_snapshot(&snapshot, &Options::default());
    if let Active::Grid(grid) = &mut guarded.engine {
        grid.set_trap();
    }
    guarded
}

fn text(engine: &Guarded) -> Vec<String> {
    let rows = 0..engine.size().rows;
    rows.map(|y| engine.row(y).text()).collect()
}

/// Feeds the stream in pieces; gives the terminal and the faults told.
fn feed(pieces: &[&[u8]]) -> (Guarded, Vec<Event>) {
    let mut guarded = trapped();
    let mut sink = Recorder::default();
    for piece in pieces {
        guarded.advance(piece, &mut sink);
    }
    let fault = |event: &Event| matches!(event, Event::Fault(_));
    sink.events.retain(fault);
    (guarded, sink.events)
}

#[test]
fn the_fallback_goes_on_where_grid_failed() {
    let stream = format!("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7{START}before\x1b#9\x1b[32mafter");
    let bytes = stream.as_bytes();
    // Cut anywhere: nothing but the failed sequence is lost.
    for cut in 0..bytes.len() {
        let (guarded, faults) = feed(&[&bytes[..cut], &bytes[cut..]]);
        assert!(matches!(guarded.engine, Active::Fallback(_)));
        assert_eq!(faults.len(), 1, "told once: {faults:?}");
        let text = text(&guarded);
        assert_eq!(
            (text[2].as_str(), text[3].as_str()),
            ("kept", "beforeafter"),
            "{cut}"
        );
        assert_eq!(guarded.row(2).cells[0].style.fg, Colour::Indexed(1));
        assert_eq!(guarded.row(3).cells[6].style.fg, Colour::Indexed(2));
        assert!(guarded.modes().bracketed_paste && guarded.modes().alternate);
        assert_eq!(guarded.page(0, 9).lines.len(), 1, "the scrollback stays");
    }
}

#[test]
fn rows_are_new_to_a_viewer() {
    let mut guarded = trapped();
    let mut sink = Recorder::default();
    (0..9).for_each(|_| guarded.advance(START.as_bytes(), &mut sink));
    let all = |engine: &Guarded| (0..6).map(|y| engine.row_generation(y)).collect::<Vec<_>>();
    let before = all(&guarded);
    guarded.advance(b"\x1b#9", &mut sink);
    let after = all(&guarded);
    assert!(
        before.iter().zip(&after).all(|(a, b)| a < b),
        "{before:?} {after:?}"
    );
}

#[test]
fn it_stays_whole_afterwards() {
    let (mut guarded, _) = feed(&[START.as_bytes(), b"\x1b#9\x1b[?1049l"]);
    guarded.resize(Size::new(10, 3));
    let mut sink = Recorder::default();
    guarded.advance(b"\x1b[Hmain\x1b#9\x1b[6n", &mut sink);
    assert_eq!(text(&guarded)[0], "main");
    assert_eq!(sink.answers, b"\x1b[1;5R");
    assert!(sink.events.is_empty());
    let snapshot = guarded.snapshot(10);
    let again = Guarded::from_snapshot(&snapshot, &Options::default());
    assert!(
        matches!(again.engine, Active::Grid(_)),
        "a new start is on grid"
    );
    assert_eq!(text(&again), text(&guarded));
}

#[test]
fn pieces_end_where_the_stream_goes_on() {
    let at = |bytes: &[u8], at: usize| behind(Parser::new(), bytes, at);
    assert_eq!(at(b"text\x1b#9rest", 0), 4);
    assert_eq!(at(b"text\x1b[1mrest", 4), 8);
    assert_eq!(at(b"text\x1b#9rest", 5), 7);
    assert_eq!(at(b"\x1b[1;2Hrest", 2), 6);
    assert_eq!(at(b"\x1b]0;title\x07rest", 2), 10);
    assert_eq!(at(b"text", 0), 4);
    assert_eq!(at(b"", 0), 0);
}
