//! Streams made to break a terminal: whatever comes, at whatever size, `grid` does not fail, its
//! memory stays under a cap, and what comes after is shown. (codemux#53, ezpn#73, vt100-rust#28,
//! #37, termlens#49: floods, nested updates, wide characters in tiny panes, sizes of nothing.)

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "a long run shows what it measured")]

mod grid_soup;

use grid_soup::{sizes, soup};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use term::{EngineKind, Event, Options, Recorder, Sink, Size, Terminal, codec};

/// Most bytes one pane of 80x24 may take, whatever is fed to it (scrollback of 10,000 lines).
const CAP: usize = 64 << 20;

/// Memory is the process's: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Counts faults and drops the rest.
#[derive(Default)]
struct Faults(Vec<String>);

impl Sink for Faults {
    fn answer(&mut self, _bytes: &[u8]) {}
    fn event(&mut self, event: Event) {
        if let Event::Fault(fault) = event {
            self.0.push(fault);
        }
    }
}

fn options() -> Options {
    Options {
        engine: EngineKind::Grid,
        ..Options::default()
    }
}

/// Resident bytes of this process (Linux).
fn resident() -> Option<usize> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Processor time this thread took so far (Linux), else the clock's.
fn ran() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = stat.and_then(|stat| stat.split_whitespace().next()?.parse().ok());
    ran.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// How many times the usual length floods have (`ABIDE_TEST_FLOOD`; 32 makes a line of 1 GB).
fn scale() -> usize {
    let scale = std::env::var("ABIDE_TEST_FLOOD").ok();
    scale.map_or(1, |scale| scale.parse().unwrap())
}

/// Feeds the same piece again and again, then something that must be seen. A long flood takes no
/// longer at its end than at its beginning.
#[track_caller]
fn flood(name: &str, start: &str, mut piece: impl FnMut(usize) -> String, times: usize, end: &str) {
    let mut terminal = Terminal::new(Size::default(), &options());
    let mut faults = Faults::default();
    let before = resident();
    terminal.advance(start.as_bytes(), &mut faults);
    let quarter = times.div_ceil(4);
    let mut took = Vec::new();
    let mut fed = 0;
    for from in (0..times).step_by(quarter) {
        let began = ran();
        for n in from..(from + quarter).min(times) {
            let piece = piece(n);
            fed += piece.len();
            terminal.advance(piece.as_bytes(), &mut faults);
        }
        took.push(ran().saturating_sub(began));
    }
    if let (true, [_, second, .., last]) = (scale() > 1, took.as_slice()) {
        let most = *second * 3 + Duration::from_millis(500);
        assert!(*last < most, "{name} takes ever longer: {took:?}");
    }
    if let (Some(before), Some(after)) = (before, resident()) {
        let grown = after.saturating_sub(before);
        assert!(grown < CAP, "{name}: {} MiB", grown >> 20);
        if scale() > 1 {
            let seconds = took.iter().sum::<Duration>().as_secs_f64();
            let (fed, grown) = (fed as f64 / 1e6, grown as f64 / f64::from(1 << 20));
            println!(
                "{name:<14} {fed:6.0} MB {:6.0} MB/s {grown:6.1} MiB",
                fed / seconds
            );
        }
    }
    terminal.advance(format!("{end}\x1b[mALIVE").as_bytes(), &mut faults);
    assert_eq!(faults.0, [""; 0], "{name}");
    assert!(
        terminal.text().contains("ALIVE"),
        "{name}: {}",
        terminal.text()
    );
    let bytes = codec::encode_snapshot(&terminal.snapshot());
    assert!(
        bytes.len() < 2 << 20,
        "{name}: a snapshot of {} bytes",
        bytes.len()
    );
    assert_eq!(codec::decode_snapshot(&bytes).unwrap(), terminal.snapshot());
}

#[test]
fn floods_stay_bounded() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let block = "x".repeat(64 * 1024);
    // Strings without an end, 32 MB each (1 GB in `.ci/long`).
    for (name, start) in [
        ("OSC", "\x1b]0;"),
        ("OSC 52", "\x1b]52;c;"),
        ("OSC 8", "\x1b]8;;"),
        ("a file", "\x1b]1337;File=inline=1:"),
        (
            "a part of a file",
            "\x1b]1337;MultipartFile=inline=1\x07\x1b]1337;FilePart=",
        ),
        ("DCS", "\x1bPq"),
        ("DECRQSS", "\x1bP$q"),
        ("tmux", "\x1bPtmux;"),
        ("APC", "\x1b_G"),
        ("PM", "\x1b^"),
        ("CSI", "\x1b[1;"),
    ] {
        flood(name, start, |_| block.clone(), 512 * scale(), "\x18\r\n");
    }
    // One line without an end.
    flood("a line", "", |_| block.clone(), 512 * scale(), "\r\n");
    flood("a wide line", "", |_| "漢".repeat(20_000), 200, "\r\n");
    flood("marks", "a", |_| "\u{301}".repeat(30_000), 100, "\r\n");
    flood("joined", "a", |_| "👩\u{200d}".repeat(5_000), 50, "\r\n");
}

#[test]
fn many_names_stay_bounded() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let many = |make: fn(usize) -> String| {
        move |n: usize| (n * 500..(n + 1) * 500).map(make).collect::<String>()
    };
    flood(
        "titles",
        "",
        many(|n| format!("\x1b]0;title {n}\x07\x1b[22t")),
        400 * scale().min(5),
        "",
    );
    flood(
        "links",
        "",
        many(|n| format!("\x1b]8;;http://x/{n}\x07x")),
        400 * scale().min(5),
        "\x1b]8;;\x07\r\n",
    );
    flood(
        "lines of links",
        "",
        many(|n| format!("\x1b]8;;http://{n}/{n:0900}\x07x\r\n")),
        60,
        "",
    );
    flood(
        "colours",
        "",
        many(|n| format!("\x1b[38;2;{};{};{}mx", n >> 16, n >> 8 & 255, n & 255)),
        400,
        "\r\n",
    );
    flood(
        "clusters",
        "",
        many(|n| {
            let mark = |n: usize| char::from_u32(0x300 + (n % 0x40) as u32).unwrap();
            format!("x{}{}{}", mark(n), mark(n / 64), mark(n / 4096))
        }),
        300,
        "\r\n",
    );
    flood(
        "palette",
        "",
        many(|n| format!("\x1b]4;{};#123456\x07", n % 256)),
        100,
        "",
    );
    flood(
        "keyboards",
        "",
        many(|n| format!("\x1b[>{}u", n % 32)),
        200,
        "",
    );
    flood("repeats", "x", many(|_| "\x1b[65535b".into()), 2, "\r\n");
    flood(
        "tabs",
        "",
        many(|n| format!("\x1b[{}G\x1bH\x1b[65535I", n % 80 + 1)),
        20,
        "\r\n",
    );
    flood(
        "scrolls",
        "x",
        many(|_| "\x1b[65535S\x1b[65535T\x1b[65535L".into()),
        40,
        "\r\n",
    );
    flood(
        "updates",
        "",
        many(|_| "\x1b[?2026h".into()),
        100,
        "\x1b[?2026l",
    );
    flood(
        "screens",
        "x",
        many(|_| "\x1b[?1049h\x1b[?1049l\x1b[?47hx\x1b[?47l".into()),
        40,
        "\r\n",
    );
}

/// A size nobody has, with both screens and the scrollback full of it, and back: the memory too.
#[test]
fn an_absurd_size_is_given_back() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut terminal = Terminal::new(Size::default(), &options());
    let mut faults = Faults::default();
    let full = format!("{}\r\n", "wide 漢 ".repeat(140)).repeat(1500);
    let mut after = Vec::new();
    for _ in 0..6 {
        terminal.resize(Size::new(1000, 1000));
        for screen in ["\x1b[?47l", "\x1b[?47h"] {
            terminal.advance(format!("{screen}{full}").as_bytes(), &mut faults);
        }
        terminal.resize(Size::default());
        terminal.advance(b"\x1b[?47l\x1b[3J\x1b[H\x1b[2J", &mut faults);
        after.extend(resident());
    }
    assert_eq!(faults.0, [""; 0]);
    // The screens alone take 16 MB there, anew in each turn; the allocator may keep one turn's.
    if let (Some(first), Some(most)) = (after.first(), after.iter().max()) {
        let grown = most.saturating_sub(*first) >> 20;
        assert!(grown < 32, "{after:?}");
    }
}

#[test]
fn wide_characters_in_sizes_of_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = "👩\u{200d}👩\u{200d}👧你x⚠\u{fe0f}1\u{fe0f}\u{20e3}abc你你\x1b[K\x1b[X\x1b[P\x1b[1K\x1b[J\x1b[@";
    let all = [0, 1, 2, 3, 4, 24, 80, 1000, 65535];
    for cols in all {
        for rows in all {
            let mut terminal = Terminal::new(Size::new(cols, rows), &options());
            let mut faults = Faults::default();
            terminal.advance(text.as_bytes(), &mut faults);
            for to in [
                (2, 2),
                (2, 1),
                (1, 1),
                (4, 1),
                (0, 24),
                (80, 0),
                (1000, 2),
                (cols, rows),
            ] {
                terminal.resize(Size::new(to.0, to.1));
                terminal.advance(text.as_bytes(), &mut faults);
            }
            assert_eq!(faults.0, [""; 0], "{cols}x{rows}");
        }
    }
    let mut terminal = Terminal::new(Size::new(1000, 1000), &options());
    let mut faults = Faults::default();
    terminal.advance(
        "\x1b[41m\x1b[2J\x1b[65535;65535Hx\x1b#8\x1b[65535b".as_bytes(),
        &mut faults,
    );
    terminal.resize(Size::new(1, 1));
    assert_eq!(faults.0, [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// The stable twin of a fuzz target: any bytes, any sizes, any order.
    #[test]
    fn anything_at_any_size(
        steps in prop::collection::vec(
            prop_oneof![
                (sizes(), soup()).prop_map(|(size, bytes)| (Some(size), bytes)),
                prop::collection::vec(any::<u8>(), 0..300).prop_map(|bytes| (None, bytes)),
                (0u16..1200, 0u16..40, soup()).prop_map(|(cols, rows, bytes)| (Some(Size::new(cols, rows)), bytes)),
            ],
            1..8,
        ),
    ) {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut terminal = Terminal::new(Size::default(), &options());
        let mut sink = Recorder::default();
        for (size, bytes) in steps {
            if let Some(size) = size {
                terminal.resize(size);
            }
            terminal.advance(&bytes, &mut sink);
            let all = 0..terminal.size().rows;
            all.for_each(|y| drop(terminal.row(y)));
            let bytes = term::render::snapshot_to_ansi(&terminal.snapshot(), &term::render::AnsiOptions { title: true, modes: true });
            prop_assert!(!bytes.is_empty());
        }
        terminal.advance(b"", &mut sink);
        prop_assert!(!sink.events.iter().any(|event| matches!(event, Event::Fault(_))));
    }
}
