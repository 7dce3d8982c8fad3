//! What each sequence does, as tables: bytes, then rows and cursor. One file for each group, one
//! `check` for all. Every case runs on both engines; what the vt100 engine loses is marked as
//! lost, and the test fails as soon as that is no longer true.
//!
//! Sources: xterm's "Control Sequences" (ctlseqs), ECMA-48, the VT510 manual, kitty's and
//! contour's pages for what they introduced. Where terminals differ, the case says whom it follows.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod charsets;
mod conformance;
mod cursor;
mod edit;
mod kitty;
mod links;
mod margins;
mod pictures;
mod protection;
mod rectangles;
mod resize;
mod screens;
mod scroll;
mod styles;
mod tabs;
mod text;
mod unicode;

use term::{EngineKind, Event, Options, Recorder, Size, Style, Terminal};

/// A terminal that has read this.
#[track_caller]
pub(crate) fn fed(engine: EngineKind, size: (u16, u16), bytes: &str) -> (Terminal, Recorder) {
    let options = Options {
        engine,
        ..Options::default()
    };
    let mut terminal = Terminal::new(Size::new(size.0, size.1), &options);
    let mut sink = Recorder::default();
    terminal.advance(bytes.as_bytes(), &mut sink);
    let faults = sink.events.iter().filter(|e| matches!(e, Event::Fault(_)));
    assert_eq!(faults.count(), 0, "{bytes:?}");
    (terminal, sink)
}

/// Rows without blank ones at the end.
pub(crate) fn rows(terminal: &Terminal) -> Vec<String> {
    let rows = terminal.size().rows;
    let mut rows: Vec<String> = (0..rows).map(|y| terminal.row(y).text()).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

fn seen(engine: EngineKind, size: (u16, u16), bytes: &str) -> (Vec<String>, (u16, u16)) {
    let (terminal, _) = fed(engine, size, bytes);
    let at = terminal.cursor();
    (rows(&terminal), (at.x, at.y))
}

/// Rows and the cursor's column and row, on both engines.
#[track_caller]
pub(crate) fn check(size: (u16, u16), bytes: &str, want: &[&str], cursor: (u16, u16)) {
    let want: Vec<String> = want.iter().map(|row| (*row).to_owned()).collect();
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        assert_eq!(
            seen(engine, size, bytes),
            (want.clone(), cursor),
            "{engine:?} {bytes:?}"
        );
    }
}

/// The same, for what the vt100 engine does not do.
#[track_caller]
pub(crate) fn lost(size: (u16, u16), bytes: &str, want: &[&str], cursor: (u16, u16)) {
    let want: Vec<String> = want.iter().map(|row| (*row).to_owned()).collect();
    let want = (want, cursor);
    assert_eq!(seen(EngineKind::Grid, size, bytes), want, "{bytes:?}");
    assert_ne!(
        seen(EngineKind::Vt100, size, bytes),
        want,
        "no loss: {bytes:?}"
    );
}

/// The style of the cell at a column of the first row, on the grid engine.
#[track_caller]
pub(crate) fn style(bytes: &str, x: usize, want: impl FnOnce(&mut Style)) {
    let (terminal, _) = fed(EngineKind::Grid, (20, 3), bytes);
    let mut expected = Style::default();
    want(&mut expected);
    assert_eq!(terminal.row(0).cells[x].style, expected, "{bytes:?}");
}

/// All answers, on both engines.
#[track_caller]
pub(crate) fn answers(size: (u16, u16), bytes: &str, want: &str) {
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        let (_, sink) = fed(engine, size, bytes);
        let text = String::from_utf8(sink.answers).unwrap();
        assert_eq!(text, want, "{engine:?} {bytes:?}");
    }
}

/// The lines of the scrollback.
pub(crate) fn history(terminal: &Terminal) -> Vec<String> {
    let page = terminal.page(0, 1000);
    page.lines.iter().map(term::Line::text).collect()
}
