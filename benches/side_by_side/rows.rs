//! What is measured. Each row takes a started peer and gives one value (or none when it failed).

use crate::peers::Peer;
use crate::screen::Screen;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Seed of the generated input.
pub(crate) const SEED: u64 = 0x00ab_1de0;

/// What a row compares abide with besides tmux: a measure that needs no peer, or one of abide.
pub(crate) enum Beside {
    /// Nothing.
    Nobody,
    /// The pty alone, drained and thrown away.
    Drain,
    /// Another measure of abide; what it is.
    Abide(&'static str, fn(&mut dyn Peer) -> Option<f64>),
}

/// What is wanted of a row; informs, nothing fails.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// No figure.
    Open,
    /// The ratio to the other one is this or more.
    AtLeast(f64),
    /// The ratio to the other one is this or less.
    AtMost(f64),
    /// abide's value is this or less.
    ValueAtMost(f64),
}

/// One thing to measure.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) measure: fn(&mut dyn Peer) -> Option<f64>,
    /// What is wanted beside tmux.
    pub(crate) goal: Goal,
    pub(crate) beside: Beside,
    /// What is wanted beside that.
    pub(crate) beside_goal: Goal,
}

const fn row(
    name: &'static str,
    unit: &'static str,
    measure: fn(&mut dyn Peer) -> Option<f64>,
    goal: Goal,
) -> Kind {
    Kind {
        name,
        unit,
        measure,
        goal,
        beside: Beside::Nobody,
        beside_goal: Goal::Open,
    }
}

/// Every row.
pub(crate) const ALL: &[Kind] = &[
    Kind {
        beside: Beside::Drain,
        beside_goal: Goal::AtLeast(0.85),
        ..row(
            "flood 200 MB, detached",
            "MB/s",
            flood_detached,
            Goal::AtLeast(1.3),
        )
    },
    row("flood 200 MB, attached", "MB/s", flood_attached, Goal::Open),
    row(
        "CPU of the server, flood 200 MB, detached",
        "ms",
        flood_cost,
        Goal::Open,
    ),
    row("key echo p50", "ms", echo_p50, Goal::Open),
    row("key echo p99", "ms", echo_p99, Goal::Open),
    Kind {
        beside: Beside::Abide("no history", attach_bare),
        beside_goal: Goal::AtMost(1.1),
        ..row("attach to first full screen", "ms", attach, Goal::Open)
    },
    row(
        "memory a pane, 10,000 full lines",
        "MiB",
        memory,
        Goal::ValueAtMost(3.0),
    ),
    row(
        "CPU of the server, 20 idle panes, 10 s",
        "ms",
        idle,
        Goal::Open,
    ),
];

const LIMIT: Duration = Duration::from_secs(120);
const FLOOD: usize = 200_000_000;

/// Text lines of 20 to 110 characters, the same for a given seed.
fn generate(path: &Path, bytes: usize) {
    let mut state = SEED;
    let mut text = Vec::with_capacity(bytes + 128);
    while text.len() < bytes {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let length = 20 + usize::try_from(state >> 40).unwrap_or(0) % 90;
        let letter = b' ' + u8::try_from((state >> 33) % 90).unwrap_or(0);
        text.extend((0..length).map(|i| b' ' + (letter + u8::try_from(i % 90).unwrap_or(0)) % 90));
        text.push(b'\n');
    }
    std::fs::write(path, text).expect("the input file");
}

fn script(peer: &dyn Peer, name: &str, body: &str) -> PathBuf {
    let path = peer.folder().join(name);
    std::fs::write(&path, body).expect("a script");
    path
}

fn wait_for_file(path: &Path) -> Option<String> {
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if let Ok(text) = std::fs::read_to_string(path)
            && text.ends_with('\n')
        {
            return Some(text);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

/// The flood's input, made once, and removed by [`clean`].
fn input() -> PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let path = std::env::temp_dir().join(format!("abide-bench-{}-input", std::process::id()));
        generate(&path, FLOOD);
        path
    };
    MADE.get_or_init(make).clone()
}

/// Removes what the rows share.
pub(crate) fn clean() {
    let path = std::env::temp_dir().join(format!("abide-bench-{}-input", std::process::id()));
    let _absent = std::fs::remove_file(path);
}

/// A script that waits for `go`, floods, and writes when it began and ended to `out`.
fn flood_body(folder: &Path) -> (String, PathBuf, PathBuf) {
    let (go, out) = (folder.join("go"), folder.join("out"));
    let body = format!(
        "while [ ! -e {go} ]; do sleep 0.05; done\ns=$(date +%s%N); cat {input}; e=$(date +%s%N)\necho $s $e > {out}\nsleep 60\n",
        go = go.display(),
        input = input().display(),
        out = out.display(),
    );
    (body, go, out)
}

/// MB a second from what a flood's script wrote.
fn speed(text: &str) -> Option<f64> {
    let mut times = text
        .split_whitespace()
        .filter_map(|t| t.parse::<f64>().ok());
    let seconds = -(times.next()? - times.next()?) / 1e9;
    Some(FLOOD as f64 / 1e6 / seconds)
}

/// The same flood into a pty whose other side is read and thrown away.
pub(crate) fn drain() -> Option<f64> {
    let folder = crate::peers::fresh_folder("drain");
    let (body, go, out) = flood_body(&folder);
    let path = folder.join("flood.sh");
    std::fs::write(&path, body).ok()?;
    let argv = ["sh".to_owned(), path.display().to_string()];
    let sink = Screen::discarding(&argv, 120, 40);
    std::fs::write(&go, "").ok()?;
    let text = wait_for_file(&out);
    drop(sink);
    let _gone = std::fs::remove_dir_all(&folder);
    speed(&text?)
}

/// MB a second as the program in the pane sees it: from the first byte until the pty took the last.
fn flood(peer: &mut dyn Peer, attached: bool) -> Option<f64> {
    let (body, go, out) = flood_body(peer.folder());
    let pane = peer.pane(&script(peer, "flood.sh", &body));
    let client = attached.then(|| peer.client(&pane));
    if let Some(client) = &client {
        client.forget();
    }
    std::fs::write(&go, "").expect("the start signal");
    let drained = client
        .map(|c| std::thread::spawn(move || while c.wait_for(b"\0never", LIMIT).is_some() {}));
    let text = wait_for_file(&out)?;
    drop(drained);
    speed(&text)
}

/// Milliseconds of processor time the server spends on it.
fn flood_cost(peer: &mut dyn Peer) -> Option<f64> {
    let server = peer.server();
    let before = processor_ms(server)?;
    flood(peer, false)?;
    Some(processor_ms(server)? - before)
}

fn flood_detached(peer: &mut dyn Peer) -> Option<f64> {
    flood(peer, false)
}

fn flood_attached(peer: &mut dyn Peer) -> Option<f64> {
    flood(peer, true)
}

/// Milliseconds from a key typed at the client's terminal to its echo drawn there; 100 keys.
fn echoes(peer: &mut dyn Peer) -> Option<Vec<f64>> {
    let pane = peer.pane(&script(peer, "echo.sh", "echo READY\nexec cat\n"));
    let mut client = peer.client(&pane);
    client.wait_for(b"READY", LIMIT)?;
    client.forget();
    let mut times = Vec::new();
    for i in 0..100_u8 {
        let key = [b'a' + i % 26];
        let start = Instant::now();
        client.send(&key);
        let seen = client.wait_for(&key, Duration::from_secs(5))?;
        times.push(seen.duration_since(start).as_secs_f64() * 1e3);
        client.forget();
    }
    times.sort_by(f64::total_cmp);
    Some(times)
}

fn echo_p50(peer: &mut dyn Peer) -> Option<f64> {
    echoes(peer).map(|t| t[t.len() / 2])
}

fn echo_p99(peer: &mut dyn Peer) -> Option<f64> {
    echoes(peer).map(|t| t[t.len() * 99 / 100])
}

/// Fills so many lines of 120 columns, then says so and sleeps.
fn fill(peer: &dyn Peer, name: &str, lines: usize) -> (PathBuf, PathBuf) {
    let done = peer.folder().join(format!("{name}.done"));
    let mut body = String::new();
    let _written = writeln!(
        body,
        "i=0; while [ $i -lt {lines} ]; do printf '%0119d\\n' $i; i=$((i+1)); done; printf LASTMARK; echo done > {}; exec sleep 600",
        done.display()
    );
    (script(peer, name, &body), done)
}

/// Milliseconds from starting the client to the last line of the screen drawn.
fn attach(peer: &mut dyn Peer) -> Option<f64> {
    let (script, done) = fill(peer, "fill.sh", 10_100);
    attach_to(peer, &script, &done)
}

/// The same where nothing has left the screen yet.
fn attach_bare(peer: &mut dyn Peer) -> Option<f64> {
    let (script, done) = fill(peer, "bare.sh", 39);
    attach_to(peer, &script, &done)
}

fn attach_to(peer: &mut dyn Peer, script: &Path, done: &Path) -> Option<f64> {
    let pane = peer.pane(script);
    wait_for_file(done)?;
    let client = peer.client(&pane);
    let seen = client.wait_for(b"LASTMARK", LIMIT)?;
    Some(seen.duration_since(client.started()).as_secs_f64() * 1e3)
}

/// Proportional memory of the server that one full pane adds, over 5 panes.
fn memory(peer: &mut dyn Peer) -> Option<f64> {
    let (script, done) = fill(peer, "fill.sh", 10_100);
    peer.pane(&script_for_idle(peer));
    let before = proportional(peer.server())?;
    for _ in 0..5 {
        let _old = std::fs::remove_file(&done);
        peer.pane(&script);
        wait_for_file(&done)?;
    }
    let after = proportional(peer.server())?;
    Some((after - before) / 5.0)
}

fn script_for_idle(peer: &dyn Peer) -> PathBuf {
    script(peer, "idle.sh", "exec sleep 600\n")
}

fn proportional(pid: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find(|l| l.starts_with("Pss:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// Processor time the server uses in 10 s with 20 panes that do nothing.
fn idle(peer: &mut dyn Peer) -> Option<f64> {
    let script = script_for_idle(peer);
    for _ in 0..20 {
        peer.pane(&script);
    }
    let server = peer.server();
    std::thread::sleep(Duration::from_secs(1));
    let before = processor_ms(server)?;
    std::thread::sleep(Duration::from_secs(10));
    Some(processor_ms(server)? - before)
}

/// Time on a processor so far in milliseconds (`/proc/PID/schedstat`, first field, nanoseconds).
fn processor_ms(pid: u32) -> Option<f64> {
    let mut total = 0.0;
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))
        .ok()?
        .flatten()
    {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        total += text.split_whitespace().next()?.parse::<f64>().ok()? / 1e6;
    }
    Some(total)
}
