//! A terminal made from a snapshot does what the original does, for every
//! later byte, wherever the stream is cut. Recordings of real programs and
//! generated soup of escape sequences.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use proptest::prelude::*;
use term::{EngineKind, Options, Recorder, Size, Snapshot, Terminal, codec};

/// The vt100 engine; `grid_roundtrip.rs` is the same for the other.
fn options() -> Options {
    Options {
        engine: EngineKind::Vt100,
        ..Options::default()
    }
}

fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "bin"))
        .collect();
    files.sort();
    assert!(files.len() >= 8);
    files
        .iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

/// Everything that can be seen of a terminal.
fn state(terminal: &mut Terminal) -> Snapshot {
    let mut snapshot = terminal.snapshot();
    // A restored terminal does not hold the lines from before.
    snapshot.lines.first = 0;
    snapshot
}

fn rows(snapshot: &Snapshot) -> String {
    term::render::rows_to_text(&snapshot.shown().rows)
}

fn same(name: &str, a: &mut Terminal, b: &mut Terminal) {
    let (a, b) = (state(a), state(b));
    assert_eq!(rows(&a), rows(&b), "{name}");
    assert_eq!(a, b, "{name}");
}

/// Feeds `head`, goes on from a snapshot beside the original, feeds `tail` to
/// both, resizes both, and compares after each step.
fn check(name: &str, size: Size, head: &[u8], tail: &[u8], then: Size) {
    let options = options();
    let mut original = Terminal::new(size, &options);
    original.advance(head, &mut Recorder::default());
    let shown: Vec<_> = (0..size.rows).map(|y| original.row(y)).collect();
    let cursor = original.cursor();
    // With all of the scrollback, since a larger screen may take lines back.
    let snapshot = original.snapshot_with_scrollback(usize::MAX);
    assert_eq!(snapshot.shown().rows, shown, "{name}: what is read");
    for (y, row) in (0..).zip(&shown) {
        assert_eq!(original.row(y), *row, "{name}: row {y} after the repaint");
    }
    assert_eq!(
        original.cursor(),
        cursor,
        "{name}: the repaint keeps the cursor"
    );
    let bytes = codec::encode_snapshot(&snapshot);
    let decoded = codec::decode_snapshot(&bytes).unwrap();
    assert_eq!(decoded, snapshot, "{name}: codec");
    let mut restored = Terminal::from_snapshot(&decoded, &options);
    same(name, &mut original, &mut restored);

    let (mut one, mut other) = (Recorder::default(), Recorder::default());
    original.advance(tail, &mut one);
    restored.advance(tail, &mut other);
    assert_eq!(one, other, "{name}: answers and events");
    same(name, &mut original, &mut restored);

    original.resize(then);
    restored.resize(then);
    original.advance(tail, &mut one);
    restored.advance(tail, &mut other);
    same(name, &mut original, &mut restored);
    assert_eq!(one, other, "{name}: answers and events after a resize");
}

#[test]
fn recordings_cut_anywhere() {
    // A fixed walk: every run tests the same cuts.
    let mut step = 7919usize;
    for (name, bytes) in corpus() {
        for round in 0..12 {
            step = step.wrapping_mul(48271) % 0x7fff_ffff;
            let cut = step % bytes.len();
            let (head, tail) = bytes.split_at(cut);
            let sizes = [(80, 24), (80, 24), (80, 24), (40, 10), (120, 40)];
            let (cols, rows) = sizes[round % sizes.len()];
            let size = Size::new(cols, rows);
            check(
                &format!("{name} cut at {cut}"),
                size,
                head,
                tail,
                Size::new(61, 17),
            );
        }
    }
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let n = prop_oneof![3 => 0u16..12, 1 => Just(65535u16), 1 => 0u16..400];
    let csi_final = prop::sample::select(b"@ABCDEFGHIJKLMPSTXZ`abdefghlmnrsu".to_vec());
    let private = prop::sample::select(vec![
        1u16, 5, 6, 7, 25, 47, 1000, 1004, 1006, 1047, 1048, 1049, 2004, 2026,
    ]);
    let text = prop::sample::select(vec![
        "a",
        "word ",
        "漢",
        "é",
        "e\u{301}",
        "⚠\u{fe0f}",
        "👩\u{200d}🔧",
        "\u{fffd}",
        "\u{301}",
        "0123456789",
        "ｱ",
        "🇩🇪",
        " ",
        "\u{10fffd}",
        "क्षि",
    ]);
    let fixed = prop::sample::select(vec![
        "\r",
        "\n",
        "\r\n",
        "\x08",
        "\t",
        "\x0e",
        "\x0f",
        "\x1b7",
        "\x1b8",
        "\x1bD",
        "\x1bE",
        "\x1bH",
        "\x1bM",
        "\x1b(0",
        "\x1b(B",
        "\x1b)0",
        "\x1b#8",
        "\x1bc",
        "\x1b[!p",
        "\x1b[4h",
        "\x1b[4l",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[?6h",
        "\x1b[?6l",
        "\x1b[38:2::1:2:3m",
        "\x1b[4:3m",
        "\x1b[41m",
        "\x1b[1;2;9m",
        "\x1b]0;title\x07",
        "\x1b]8;;http://x\x07",
        "\x1bP$qm\x1b\\",
        "\x1b[22t",
        "\x1b[23t",
        "\x1b[>1u",
        "\x1b[<u",
        "\x1b_Ga=q,i=1;\x1b\\",
        "\x1b[6n",
        "\x07",
        "\x1b]99;i=1:d=0;part\x1b\\",
        "\x1b]99;i=1:p=body;text\x1b\\",
        "\x1bPq\"1;1;25;45#0~-~\x1b\\",
        "\x1b_Ga=T,f=24,s=25,v=45;AAAA\x1b\\",
        "\x1b_Ga=T,c=2,r=2,m=1;AA\x1b\\",
        "\x1b_Gm=0;AA\x1b\\",
        "\x1b]1337;File=inline=1;width=2;height=1:AAAA\x07",
        "\x1b[#{",
        "\x1b[1;10#{",
        "\x1b[#}",
        "\x1b(K[",
        "\x1b[?42h",
        "\x1b[?42l",
        "\x1b[?40h\x1b[?3h",
        "\x1b]1337;SetMark\x07",
    ]);
    prop_oneof![
        5 => text.prop_map(|text| text.as_bytes().to_vec()),
        3 => (prop::collection::vec(n, 0..3), csi_final).prop_map(|(numbers, last)| {
            let numbers: Vec<String> = numbers.iter().map(u16::to_string).collect();
            let mut out = format!("\x1b[{}", numbers.join(";")).into_bytes();
            out.push(last);
            out
        }),
        1 => (private, any::<bool>()).prop_map(|(number, on)| {
            format!("\x1b[?{number}{}", if on { 'h' } else { 'l' }).into_bytes()
        }),
        3 => fixed.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ]
}

fn soup() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

/// Mostly lines that scroll, with things in between that end the fast way.
fn log() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        8 => "[a-z0-9 ]{0,30}".prop_map(String::from),
        3 => (30u8..50, "[ -~]{0,12}").prop_map(|(n, text)| format!("\x1b[{n}m{text}\x1b[m")),
        2 => "[漢é→b\u{fffd}]{0,9}".prop_map(String::from),
        1 => Just("\x1b[1;2;41mx\x1b[K".to_owned()),
        1 => Just("\x1b[K\rx\x1b[K".to_owned()),
        1 => "[x漢]\u{301}{0,12}y".prop_map(String::from),
        1 => Just("\tx\x08y".to_owned()),
        1 => Just("\x1b[6n\x1b[5b".to_owned()),
    ];
    let end = prop::sample::select(vec![
        "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "", "\r\n\r\n",
    ]);
    let odd = prop_oneof![30 => Just(Vec::new()), 1 => piece()];
    prop::collection::vec((line, end, odd), 0..40).prop_map(|lines| {
        let mut out = Vec::new();
        for (line, end, odd) in lines {
            out.extend_from_slice(line.as_bytes());
            out.extend_from_slice(end.as_bytes());
            out.extend(odd);
        }
        out
    })
}

fn sizes() -> impl Strategy<Value = Size> {
    prop_oneof![
        3 => (2u16..20, 2u16..8),
        1 => (1u16..4, 1u16..4),
        1 => Just((80, 24)),
    ]
    .prop_map(|(cols, rows)| Size::new(cols, rows))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn soup_cut_anywhere(bytes in soup(), at in 0.0..1.0, size in sizes(), then in sizes()) {
        let cut = (bytes.len() as f64 * at) as usize;
        let (head, tail) = bytes.split_at(cut);
        check("soup", size, head, tail, then);
    }

    #[test]
    fn logs_cut_anywhere(bytes in log(), at in 0.0..1.0, size in sizes(), then in sizes()) {
        let cut = (bytes.len() as f64 * at) as usize;
        let (head, tail) = bytes.split_at(cut);
        check("log", size, head, tail, then);
    }

    #[test]
    fn looking_changes_nothing(bytes in prop_oneof![4 => log(), 1 => soup()], size in sizes()) {
        let options = options();
        let mut whole = Terminal::new(size, &options);
        let mut watched = Terminal::new(size, &options);
        let (mut one, mut other) = (Recorder::default(), Recorder::default());
        whole.advance(&bytes, &mut one);
        for byte in &bytes {
            watched.advance(&[*byte], &mut other);
            let _at = watched.cursor();
        }
        prop_assert_eq!(whole.scrollback(), watched.scrollback());
        prop_assert_eq!(whole.page(0, 1000), watched.page(0, 1000));
        same("watched", &mut whole, &mut watched);
        prop_assert_eq!(one, other);
    }

    #[test]
    fn any_split_is_the_same(bytes in soup(), at in 0.0..1.0, size in sizes()) {
        let cut = (bytes.len() as f64 * at) as usize;
        let options = options();
        let mut whole = Terminal::new(size, &options);
        let mut split = Terminal::new(size, &options);
        let (mut one, mut other) = (Recorder::default(), Recorder::default());
        whole.advance(&bytes, &mut one);
        split.advance(&bytes[..cut], &mut other);
        split.advance(&bytes[cut..], &mut other);
        same("split", &mut whole, &mut split);
        prop_assert_eq!(one, other);
    }
}
