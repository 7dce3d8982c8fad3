//! The two hidden subcommands as a program of their own, `sweep STATE` (`find STATE`), which tells
//! the pids it ended (found), and `reuse`, which tries a pid that is given out twice. For this
//! crate's tests.

use reaper::Sweeper;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use sys::process::{Identity, Signal};

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        Some(word) if word == reaper::PANE_COMMAND || word == reaper::PIPES_COMMAND => {
            reaper::pane_main()
        }
        Some(word) if word == reaper::ROOT_COMMAND => reaper::root_main(words),
        Some(word) if word == "sweep" || word == "find" => sweep(word == "sweep", words),
        Some(word) if word == "reuse" => match reuse() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            // No right to choose the next pid, most likely.
            Err(_) => ExitCode::from(77),
        },
        _ => ExitCode::from(2),
    }
}

/// Lets a stranger have the pid of a process that has ended, then signals the one that had it
/// before. True: the stranger got nothing.
fn reuse() -> std::io::Result<bool> {
    let sleeper = || Command::new("sleep").arg("1000").spawn();
    let identity = |child: &Child| Identity::of(child.id().cast_signed());
    let mut first = sleeper()?;
    let gone = identity(&first).ok_or(ErrorKind::NotFound)?;
    first.kill()?;
    first.wait()?;
    for _ in 0..10_000 {
        std::fs::write("/proc/sys/kernel/ns_last_pid", (gone.pid - 1).to_string())?;
        let mut stranger = sleeper()?;
        let other = identity(&stranger).ok_or(ErrorKind::NotFound)?;
        // Another took it first, or it is still the same hundredth of a second.
        let usable = other.pid == gone.pid && other.start != gone.start;
        let refused = usable && gone.signal(Signal::KILL).is_err();
        let spared = refused && !gone.alive() && other.alive();
        stranger.kill()?;
        stranger.wait()?;
        if usable {
            return Ok(spared);
        }
    }
    Err(ErrorKind::TimedOut.into())
}

fn sweep(end: bool, mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let mut sweeper = Sweeper::new(Path::new(&words.next().unwrap_or_default()));
    let all = if end {
        sweeper.sweep().ended
    } else {
        sweeper.find()
    };
    for leftover in all {
        // A test that has gone away does not listen.
        let _lost = writeln!(std::io::stdout(), "{}", leftover.process.pid);
    }
    ExitCode::SUCCESS
}
