//! How fast a terminal reads, in MB/s, against the bare crate vt100 with the
//! same scrollback. Best of some rounds, in processor time where the system
//! tells it: `cargo bench -p abide-term`. Only ratios within one run count.

#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use term::{Options, Silent, Size, Terminal};

const COLS: u16 = 120;
const ROWS: u16 = 40;
/// Bytes a pty gives at once at most.
const CHUNK: usize = 64 * 1024;
const BYTES: usize = 8 << 20;
const ROUNDS: usize = 5;

fn ascii() -> Vec<u8> {
    fill(|n| {
        format!(
            "{n:08} {}\r\n",
            "the quick brown fox jumps over it ".repeat(3)
        )
    })
}

fn coloured() -> Vec<u8> {
    fill(|n| {
        format!(
            "\x1b[90m12:{:02}\x1b[0m \x1b[3{}mINFO\x1b[0m request {n} \x1b[1mdone\x1b[0m in {} ms\r\n",
            n % 60,
            n % 7 + 1,
            n % 977
        )
    })
}

fn unicode() -> Vec<u8> {
    fill(|n| format!("{n} 漢字テキスト ünïcödé ✓ → 🎉 e\u{301} конец\r\n"))
}

fn screen() -> Vec<u8> {
    fill(|n| {
        let mut frame = String::from("\x1b[H");
        for y in 1..=ROWS {
            let n = n + usize::from(y);
            frame += &format!(
                "\x1b[{y};1H\x1b[3{}mrow {n:6}\x1b[0m \x1b[7m{n:4}\x1b[27m\x1b[K",
                n % 8
            );
        }
        frame
    })
}

fn fill(line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut out = Vec::with_capacity(BYTES + 4096);
    let mut n = 0;
    while out.len() < BYTES {
        out.extend_from_slice(line(n).as_bytes());
        n += 1;
    }
    out
}

/// Time this thread ran so far (Linux).
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = stat.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Best MB/s of some rounds.
fn best(bytes: &[u8], mut read: impl FnMut(&[u8])) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let (start, wall) = (processor_time(), Instant::now());
        read(bytes);
        let used = match (start, processor_time()) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => wall.elapsed(),
        };
        best = best.min(used.as_secs_f64());
    }
    bytes.len() as f64 / best / 1e6
}

fn ours(bytes: &[u8], chunk: usize) -> f64 {
    best(bytes, |bytes| {
        let mut terminal = Terminal::new(Size::new(COLS, ROWS), &Options::default());
        for chunk in bytes.chunks(chunk) {
            terminal.advance(chunk, &mut Silent);
        }
    })
}

fn raw(bytes: &[u8], scrollback: usize) -> f64 {
    let cells = |n| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
    best(bytes, |bytes| {
        let mut parser = vt100::Parser::new(cells(ROWS), cells(COLS), scrollback);
        for chunk in bytes.chunks(CHUNK) {
            parser.process(chunk);
        }
    })
}

fn main() {
    println!("MB/s                ours 64K  ours 4K  vt100 10k  vt100 0");
    for (name, bytes) in [
        ("dense ASCII", ascii()),
        ("coloured log", coloured()),
        ("unicode", unicode()),
        ("full screen", screen()),
    ] {
        let numbers = [
            ours(&bytes, CHUNK),
            ours(&bytes, 4096),
            raw(&bytes, 10_000),
            raw(&bytes, 0),
        ];
        let [large, small, scrollback, none] = numbers;
        println!("{name:<16} {large:11.0} {small:8.0} {scrollback:10.0} {none:8.0}");
    }
}
