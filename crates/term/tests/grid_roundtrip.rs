//! The `grid` engine made from a snapshot does what the original does: for every later byte,
//! wherever the stream is cut, and through changes of the size, with all of the scrollback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod grid_soup;

use grid_soup::{sizes, soup};
use proptest::prelude::*;
use term::{EngineKind, Event, Options, Recorder, Silent, Size, Snapshot, Terminal, codec, render};

fn options() -> Options {
    Options {
        engine: EngineKind::Grid,
        ..Options::default()
    }
}

/// Recordings of real programs, by name.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "bin"))
        .collect();
    files.sort();
    assert!(files.len() >= 8);
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    };
    files.iter().map(read).collect()
}

fn state(terminal: &mut Terminal) -> Snapshot {
    terminal.snapshot_with_scrollback(usize::MAX)
}

#[track_caller]
fn same(name: &str, a: &mut Terminal, b: &mut Terminal) {
    let (a, b) = (state(a), state(b));
    let text = |s: &Snapshot| render::rows_to_text(&s.shown().rows);
    assert_eq!(text(&a), text(&b), "{name}");
    assert_eq!(a, b, "{name}");
    consistent(name, &a);
}

/// What holds for every screen.
fn consistent(name: &str, snapshot: &Snapshot) {
    let size = snapshot.size;
    let cursor = snapshot.cursor;
    assert!(
        cursor.x < size.cols && cursor.y < size.rows,
        "{name}: {cursor:?}"
    );
    let alternate = snapshot.alternate.iter().flat_map(|screen| &screen.rows);
    for row in snapshot.main.rows.iter().chain(alternate) {
        assert_eq!(row.cells.len(), usize::from(size.cols), "{name}");
        let mut wide = false;
        for cell in &row.cells {
            assert_eq!(cell.width == 0, wide, "{name}: {:?}", row.text());
            wide = cell.width == 2;
        }
        assert!(!wide, "{name}: half a wide cell at the end");
    }
}

fn check(name: &str, size: Size, head: &[u8], tail: &[u8], then: Size) {
    let mut original = Terminal::new(size, &options());
    original.advance(head, &mut Recorder::default());
    let shown: Vec<_> = (0..size.rows).map(|y| original.row(y)).collect();
    let snapshot = state(&mut original);
    for (row, shown) in snapshot.shown().rows.iter().zip(&shown) {
        assert_eq!(row.text(), shown.text(), "{name}: what is read");
    }
    let bytes = codec::encode_snapshot(&snapshot);
    // The same bytes, and behind them the section that names the engine.
    let encoded = original.encoded_snapshot(usize::MAX);
    let rest = encoded.strip_prefix(bytes.as_slice());
    assert_eq!(rest.map(<[u8]>::len), Some(7), "{name}: encoded in one go");
    let decoded = codec::decode_snapshot(&bytes).unwrap();
    assert_eq!(decoded, snapshot, "{name}: codec");
    let mut restored = Terminal::from_snapshot(&decoded, &options());
    same(name, &mut original, &mut restored);

    let (mut one, mut other) = (Recorder::default(), Recorder::default());
    original.advance(tail, &mut one);
    restored.advance(tail, &mut other);
    assert_eq!(one, other, "{name}: answers and events");
    same(name, &mut original, &mut restored);

    original.resize(then);
    restored.resize(then);
    same(&format!("{name}, resized"), &mut original, &mut restored);
    original.advance(tail, &mut one);
    restored.advance(tail, &mut other);
    same(&format!("{name}, after"), &mut original, &mut restored);
    assert_eq!(one, other, "{name}: answers and events after a resize");
    no_fault(name, &mut original, one);
    no_fault(name, &mut restored, other);
}

/// The vt100 engine never had to take over.
#[track_caller]
fn no_fault(name: &str, terminal: &mut Terminal, mut sink: Recorder) {
    terminal.advance(b"", &mut sink);
    let fault = |event: &&Event| matches!(event, Event::Fault(_));
    assert_eq!(sink.events.iter().find(fault), None, "{name}");
}

#[test]
fn recordings_cut_anywhere() {
    // A fixed walk: every run tests the same cuts.
    let mut step = 7919usize;
    for (name, bytes) in corpus() {
        for round in 0..24 {
            step = step.wrapping_mul(48271) % 0x7fff_ffff;
            let cut = step % bytes.len();
            let (head, tail) = bytes.split_at(cut);
            let sizes = [(80, 24), (80, 24), (80, 24), (40, 10), (120, 40)];
            let (cols, rows) = sizes[round % sizes.len()];
            let name = format!("{name} cut at {cut}");
            check(&name, Size::new(cols, rows), head, tail, Size::new(61, 17));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn soup_cut_anywhere(bytes in soup(), at in 0.0..1.0, size in sizes(), then in sizes()) {
        let cut = (bytes.len() as f64 * at) as usize;
        let (head, tail) = bytes.split_at(cut);
        check("soup", size, head, tail, then);
    }

    #[test]
    fn any_split_is_the_same(bytes in soup(), at in 0.0..1.0, size in sizes()) {
        let cut = (bytes.len() as f64 * at) as usize;
        let mut whole = Terminal::new(size, &options());
        let mut split = Terminal::new(size, &options());
        let (mut one, mut other) = (Recorder::default(), Recorder::default());
        whole.advance(&bytes, &mut one);
        split.advance(&bytes[..cut], &mut other);
        split.advance(&bytes[cut..], &mut other);
        same("split", &mut whole, &mut split);
        prop_assert_eq!(&one, &other);
        no_fault("whole", &mut whole, one);
    }

    /// Without all of the scrollback: with as many of its lines as the larger screen has rows, the
    /// next change of the size and every later byte give the same screens. (A program that erases
    /// what came back makes room for still older lines.)
    #[test]
    fn a_screenful_of_scrollback_is_enough_for_a_size(
        bytes in soup(), lines in 0usize..30, to in sizes(), then in soup(),
    ) {
        let mut original = Terminal::new(Size::new(20, 8), &options());
        original.advance(&bytes, &mut Silent);
        original.advance("x\r\n".repeat(lines).as_bytes(), &mut Silent);
        original.advance(&bytes, &mut Silent);
        let snapshot = original.snapshot_with_scrollback(usize::from(to.rows));
        let mut restored = Terminal::from_snapshot(&snapshot, &options());
        for terminal in [&mut original, &mut restored] {
            terminal.resize(to);
            terminal.advance(&then, &mut Silent);
        }
        let [mut a, mut b] = [original.snapshot(), restored.snapshot()];
        a.lines.first = 0;
        b.lines.first = 0;
        let text = |s: &Snapshot| render::rows_to_text(&s.main.rows);
        prop_assert_eq!(text(&a), text(&b));
        prop_assert_eq!(a, b);
    }

    /// Sizes that come and go lose no letter of the lines above the cursor.
    #[test]
    fn many_sizes(bytes in soup(), all in prop::collection::vec(sizes(), 1..8)) {
        let mut terminal = Terminal::new(all[0], &options());
        for size in all {
            terminal.resize(size);
            let mut sink = Recorder::default();
            terminal.advance(&bytes, &mut sink);
            no_fault("sizes", &mut terminal, sink);
            let snapshot = state(&mut terminal);
            consistent("sizes", &snapshot);
            prop_assert_eq!(snapshot.size, size);
        }
    }
}
