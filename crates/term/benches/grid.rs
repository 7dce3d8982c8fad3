//! The `grid` engine beside alacritty_terminal and vt100, each with 10,000 lines of scrollback.
//! Engines take turns on the same bytes; the numbers are medians over the rounds, so a busy
//! machine hurts all alike. Also what a full scrollback takes and what a snapshot costs.
//! `cargo bench -p abide-term --bench grid`. Only ratios within one run count.

#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::term::Config;
use alacritty_terminal::vte::ansi::Processor;
use term::{EngineKind, Options, Silent, Size, Terminal};

const COLS: u16 = 120;
const ROWS: u16 = 40;
const CHUNK: usize = 64 * 1024;
const BYTES: usize = 8 << 20;
const ROUNDS: usize = 9;
const SCROLLBACK: usize = 10_000;

/// Numbers from a seed (xorshift).
struct Seed(u64);

impl Seed {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

fn fill(mut line: impl FnMut(&mut Seed, usize) -> String) -> Vec<u8> {
    let mut seed = Seed(0x9e37_79b9_7f4a_7c15);
    let mut out = Vec::with_capacity(BYTES + 64 * 1024);
    let mut n = 0;
    while out.len() < BYTES {
        out.extend_from_slice(line(&mut seed, n).as_bytes());
        n += 1;
    }
    out
}

fn ascii() -> Vec<u8> {
    fill(|seed, n| {
        let words = "the quick brown fox jumps over it ".repeat(3);
        format!("{n:08} {}\r\n", &words[..60 + seed.next(42) as usize])
    })
}

fn coloured() -> Vec<u8> {
    fill(|seed, n| {
        format!(
            "\x1b[90m12:{:02}\x1b[0m \x1b[3{}mINFO\x1b[0m request {n} \x1b[1mdone\x1b[0m in \x1b[38;5;{}m{}\x1b[0m ms\r\n",
            n % 60,
            seed.next(7) + 1,
            seed.next(256),
            seed.next(977)
        )
    })
}

fn unicode() -> Vec<u8> {
    fill(|seed, n| {
        format!(
            "{n} 漢字テキスト ünïcödé ✓ → 🎉 e\u{301} конец {}\r\n",
            seed.next(1000)
        )
    })
}

fn screen() -> Vec<u8> {
    fill(|seed, n| {
        let mut frame = String::from("\x1b[H");
        for y in 1..=ROWS {
            let value = n + usize::from(y);
            frame += &format!(
                "\x1b[{y};1H\x1b[3{}mrow {value:6}\x1b[0m \x1b[48;2;{};20;30m{:4}\x1b[49m\x1b[K",
                value % 8,
                seed.next(256),
                seed.next(9999)
            );
        }
        frame
    })
}

/// Time this thread ran so far (Linux), else wall time.
fn processor_time(start: Instant) -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = stat.and_then(|stat| stat.split_whitespace().next()?.parse().ok());
    ran.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

struct Alacritty;

impl Dimensions for Alacritty {
    fn total_lines(&self) -> usize {
        usize::from(ROWS)
    }
    fn screen_lines(&self) -> usize {
        usize::from(ROWS)
    }
    fn columns(&self) -> usize {
        usize::from(COLS)
    }
}

fn ours(engine: EngineKind) -> Terminal {
    let options = Options {
        engine,
        ..Options::default()
    };
    Terminal::new(Size::new(COLS, ROWS), &options)
}

fn feed_ours(engine: EngineKind, bytes: &[u8]) {
    let mut terminal = ours(engine);
    for chunk in bytes.chunks(CHUNK) {
        terminal.advance(chunk, &mut Silent);
    }
}

fn feed_alacritty(bytes: &[u8]) {
    let config = Config {
        scrolling_history: SCROLLBACK,
        ..Config::default()
    };
    let mut term = Term::new(config, &Alacritty, VoidListener);
    let mut parser: Processor = Processor::new();
    for chunk in bytes.chunks(CHUNK) {
        parser.advance(&mut term, chunk);
    }
}

fn feed_vt100(bytes: &[u8]) {
    let cells = |n| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
    let mut parser = vt100::Parser::new(cells(ROWS), cells(COLS), SCROLLBACK);
    for chunk in bytes.chunks(CHUNK) {
        parser.process(chunk);
    }
}

/// Medians of the seconds each of these took, taking turns.
fn turns<const N: usize>(
    rounds: usize,
    now: impl Fn(Instant) -> Duration,
    mut run: [&mut dyn FnMut(); N],
) -> [f64; N] {
    let start = Instant::now();
    let mut times = [(); N].map(|()| Vec::new());
    for _ in 0..rounds {
        for (run, times) in run.iter_mut().zip(&mut times) {
            let before = now(start);
            run();
            times.push((now(start).saturating_sub(before)).as_secs_f64());
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

fn parsing() {
    println!("MB/s (median)      grid  alacritty   vt100  wrapped   grid/alacritty  wanted >=");
    for (name, bytes, wanted) in [
        ("dense ASCII", ascii(), 2),
        ("coloured log", coloured(), 2),
        ("unicode", unicode(), 1),
        ("full screen", screen(), 1),
    ] {
        let times = turns(
            ROUNDS,
            processor_time,
            [
                &mut || feed_ours(EngineKind::Grid, &bytes),
                &mut || feed_alacritty(&bytes),
                &mut || feed_vt100(&bytes),
                &mut || feed_ours(EngineKind::Vt100, &bytes),
            ],
        );
        let [grid, alacritty, vt100, wrapped] = times.map(|s| bytes.len() as f64 / s / 1e6);
        println!(
            "{name:<14} {grid:8.0} {alacritty:10.0} {vt100:7.0} {wrapped:8.0} {:14.2} {wanted:10}",
            grid / alacritty
        );
    }
}

/// Resident bytes of this process (Linux).
fn resident() -> Option<f64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096.0)
}

fn memory() {
    println!("MiB of one pane with a full scrollback (mean of 8; wanted: 3 at most)");
    // Kept, so that none is made from what another gave back.
    let mut panes = Vec::new();
    for (name, bytes) in [("dense ASCII", ascii()), ("coloured log", coloured())] {
        let Some(before) = resident() else { return };
        for _ in 0..8 {
            let mut terminal = ours(EngineKind::Grid);
            bytes
                .chunks(CHUNK)
                .for_each(|c| terminal.advance(c, &mut Silent));
            panes.push(terminal);
        }
        let after = resident().unwrap_or(before);
        println!(
            "{name:<14} {:8.2}",
            (after - before) / 8.0 / (1024.0 * 1024.0)
        );
    }
}

fn snapshots() {
    println!(
        "microseconds      snapshot+encode  vt100 state_formatted  ratio (wanted: 1.2 at most)"
    );
    for (name, bytes) in [("full screen", screen()), ("dense ASCII", ascii())] {
        let mut terminal = ours(EngineKind::Grid);
        let cells = |n| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
        let mut parser = vt100::Parser::new(cells(ROWS), cells(COLS), SCROLLBACK);
        let some = &bytes[..BYTES / 8];
        terminal.advance(some, &mut Silent);
        parser.process(some);
        let mut sink = 0;
        let mut other = 0;
        let times = turns(
            201,
            |start| start.elapsed(),
            [
                &mut || sink += terminal.encoded_snapshot(0).len(),
                &mut || other += parser.screen().state_formatted().len(),
            ],
        );
        let [ours, theirs] = times.map(|s| s * 1e6);
        println!("{name:<14} {ours:18.0} {theirs:22.0} {:6.2}", ours / theirs);
    }
}

fn main() {
    // `-- profile <input> [turns]`: the engine alone, for a profiler.
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "profile") {
        if args.get(at + 1).is_some_and(|arg| arg == "snapshot") {
            let mut terminal = ours(EngineKind::Grid);
            terminal.advance(&screen()[..BYTES / 8], &mut Silent);
            for _ in 0..20_000 {
                std::hint::black_box(terminal.encoded_snapshot(0));
            }
            return;
        }
        let bytes = match args.get(at + 1).map(String::as_str) {
            Some("ascii") => ascii(),
            Some("coloured") => coloured(),
            Some("unicode") => unicode(),
            _ => screen(),
        };
        let turns = args.get(at + 2).and_then(|n| n.parse().ok()).unwrap_or(20);
        (0..turns).for_each(|_| feed_ours(EngineKind::Grid, &bytes));
        return;
    }
    // First, while the allocator has nothing to give again.
    memory();
    snapshots();
    parsing();
}
