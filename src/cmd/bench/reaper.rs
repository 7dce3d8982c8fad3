//! `abide bench reaper`: memory of a waiting reaper, and what it adds to the start of a program.
//!
//! Paired: in each round every supervisor starts `/bin/true` once, after it was started directly
//! once; the overhead is the median of the differences within the rounds, so that what the machine
//! did meanwhile counts little. A reaper starts its program on a terminal, as in a pane; the
//! terminal is opened before the clock runs. The others start theirs without one.

use crate::cmd::Ctx;
use crate::failure::Failure;
use crate::words;
use reaper::{Launcher, Reaped, Spec};
use serde_json::json;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use sys::pidfd::PidFd;
use sys::process::{Identity, Signal};

/// What others use for this.
const PEERS: [&str; 4] = ["tini-static", "tini", "dumb-init", "catatonit"];
/// The limit against a hang.
const HANG: Duration = Duration::from_secs(30);

/// One that stands above a program.
enum Supervisor {
    Direct,
    Reaper(&'static str, Launcher),
    Peer(&'static str, PathBuf),
}

/// What was measured of one.
struct Measured {
    name: &'static str,
    /// Bytes of its file.
    file: Option<u64>,
    /// kB while its program sleeps: resident, and what no other process shares.
    memory: Option<(u64, u64)>,
    /// Microseconds of each round.
    rounds: Vec<u64>,
}

pub(super) fn run(ctx: &Ctx, rounds: u32) -> Result<(), Failure> {
    let fail = |e: io::Error| Failure::new(format!("cannot measure: {}", sys::files::plain(&e)));
    let all = supervisors();
    let mut measured: Vec<Measured> = all.iter().map(Measured::new).collect();
    for _ in 0..rounds {
        for (who, measured) in all.iter().zip(&mut measured) {
            measured.rounds.push(who.start().map_err(fail)?);
        }
    }
    let direct = measured.first().map(|it| it.rounds.clone());
    let direct = direct.unwrap_or_default();
    if ctx.out.json {
        let list: Vec<_> = measured.iter().map(|it| it.json(&direct)).collect();
        return ctx.out.json(&json!({ "rounds": rounds, "reapers": list }));
    }
    let head = [
        "",
        "FILE kB",
        "RESIDENT kB",
        "OWN kB",
        "MEDIAN us",
        "OVERHEAD us",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(measured.iter().map(|it| it.row(&direct)));
    ctx.out.line(&words::table(&rows))
}

fn supervisors() -> Vec<Supervisor> {
    let mut all = vec![Supervisor::Direct];
    all.extend(Launcher::small().map(|it| Supervisor::Reaper("abide-reaper", it)));
    all.push(Supervisor::Reaper(
        "abide-reaper, portable",
        Launcher::portable(),
    ));
    let path = std::env::var_os("PATH").unwrap_or_default();
    for name in PEERS {
        let file = std::env::split_paths(&path).map(|dir| dir.join(name));
        let found = file.into_iter().find(|it| it.is_file());
        all.extend(found.map(|file| Supervisor::Peer(name, file)));
    }
    all
}

impl Supervisor {
    fn name(&self) -> &'static str {
        match self {
            Self::Direct => "/bin/true alone",
            Self::Reaper(name, _) | Self::Peer(name, _) => name,
        }
    }

    fn file(&self) -> Option<u64> {
        match self {
            Self::Direct => None,
            Self::Reaper(_, launcher) if launcher.is_small() => {
                reaper::small_size().and_then(|it| it.try_into().ok())
            }
            Self::Reaper(_, launcher) => size(launcher.program()),
            Self::Peer(_, file) => size(file),
        }
    }

    /// Microseconds from the start of `/bin/true` to the end of the one above it.
    fn start(&self) -> io::Result<u64> {
        let micros =
            |begun: Instant| u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        match self {
            Self::Direct => {
                let begun = Instant::now();
                quiet(&mut Command::new("/bin/true")).status()?;
                Ok(micros(begun))
            }
            Self::Peer(_, file) => {
                let begun = Instant::now();
                quiet(Command::new(file).args(["--", "/bin/true"])).status()?;
                Ok(micros(begun))
            }
            Self::Reaper(_, launcher) => {
                let (_master, slave) = sys::pty::open(80, 24)?;
                let begun = Instant::now();
                let reaped = reaper(launcher, &["/bin/true"], slave)?;
                ended(reaped.reaper)?;
                Ok(micros(begun))
            }
        }
    }

    /// Resident and private kB while a program sleeps below it.
    fn memory(&self) -> io::Result<(u64, u64)> {
        match self {
            Self::Direct => Err(io::ErrorKind::Unsupported.into()),
            Self::Reaper(_, launcher) => {
                let (_master, slave) = sys::pty::open(80, 24)?;
                let reaped = reaper(launcher, &["/bin/sleep", "30"], slave)?;
                let found = settled(reaped.reaper);
                drop(reaped.lifeline);
                ended(reaped.reaper)?;
                found
            }
            Self::Peer(_, file) => {
                let mut child =
                    quiet(Command::new(file).args(["--", "/bin/sleep", "30"])).spawn()?;
                let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
                let found = settled(pid);
                for below in sys::process::children_of(pid) {
                    // Gone already.
                    let _gone = below.identity().signal(Signal::KILL);
                }
                child.wait()?;
                found
            }
        }
    }
}

fn quiet(command: &mut Command) -> &mut Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

fn reaper(launcher: &Launcher, argv: &[&str], slave: std::os::fd::OwnedFd) -> io::Result<Reaped> {
    let spec = Spec {
        argv: argv.iter().map(Into::into).collect(),
        cwd: "/".into(),
        env: Vec::new(),
        pane: "bench".to_owned(),
    };
    launcher.spawn(&spec, slave).map_err(io::Error::other)
}

/// Waits for a child's end and takes it.
fn ended(pid: i32) -> io::Result<()> {
    let handle = PidFd::open(pid)?;
    let ready = sys::fd::wait_readable(&[handle.as_fd()], Some(HANG))?;
    let taken = ready.contains(&true) && sys::process::reap(pid).is_some();
    taken
        .then_some(())
        .ok_or_else(|| io::ErrorKind::TimedOut.into())
}

/// The memory of a supervisor once it waits and the program below it does.
fn settled(pid: i32) -> io::Result<(u64, u64)> {
    let begun = Instant::now();
    let sleeps = |it: &sys::process::Stat| it.comm == "sleep" && it.state == 'S';
    let waits = || sys::process::stat(pid).is_some_and(|it| it.state == 'S');
    while !(sys::process::children_of(pid).iter().any(sleeps) && waits()) {
        if begun.elapsed() > HANG || !Identity::of(pid).is_some_and(|it| it.alive()) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        std::thread::yield_now();
    }
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let sum = |field: &str| -> u64 {
        let lines = text.lines().filter_map(|it| it.strip_prefix(field));
        lines
            .filter_map(|it| it.split_whitespace().next()?.parse::<u64>().ok())
            .sum()
    };
    Ok((sum("Rss:"), sum("Private_Dirty:") + sum("Private_Clean:")))
}

fn size(file: &Path) -> Option<u64> {
    file.metadata().ok().map(|it| it.len())
}

fn median(mut all: Vec<i64>) -> i64 {
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or(0)
}

impl Measured {
    fn new(who: &Supervisor) -> Self {
        Self {
            name: who.name(),
            file: who.file(),
            memory: who.memory().ok(),
            rounds: Vec::new(),
        }
    }

    fn median(&self) -> i64 {
        median(self.rounds.iter().map(|it| it.cast_signed()).collect())
    }

    fn overhead(&self, direct: &[u64]) -> i64 {
        let pairs = self.rounds.iter().zip(direct);
        median(
            pairs
                .map(|(own, direct)| own.cast_signed() - direct.cast_signed())
                .collect(),
        )
    }

    fn row(&self, direct: &[u64]) -> Vec<String> {
        let number = |it: Option<u64>| it.map_or_else(|| "-".to_owned(), |it| it.to_string());
        vec![
            self.name.to_owned(),
            number(self.file.map(|it| it.div_ceil(1024))),
            number(self.memory.map(|it| it.0)),
            number(self.memory.map(|it| it.1)),
            self.median().to_string(),
            self.overhead(direct).to_string(),
        ]
    }

    fn json(&self, direct: &[u64]) -> serde_json::Value {
        json!({
            "name": self.name,
            "file_bytes": self.file,
            "resident_kb": self.memory.map(|it| it.0),
            "own_kb": self.memory.map(|it| it.1),
            "median_us": self.median(),
            "overhead_us": self.overhead(direct),
        })
    }
}
