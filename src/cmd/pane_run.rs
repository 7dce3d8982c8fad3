//! `abide __pane`, hidden: what stands around a program that comes back in a pane.
//!
//! In: words to say, a program, a shell. Out: the words, then the program, then the shell in this
//! very process. The program runs in this process's own group, so it is the terminal's foreground
//! as it would be alone; keys that make signals reach it and are ignored here. Promises: asked to end
//! (SIGTERM, SIGHUP) it starts no shell; a program that fails at once is told by the same status, so
//! that whoever started it can try again; a stopped one is continued, since no shell waits above it;
//! the terminal is given on as it was.

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use sys::process::{Identity, Signal, Status, Waited};

/// Undoes what a program that was killed left on: mouse, focus, paste, keyboard, hidden cursor.
const MODES_OFF: &str = "\x1b[?1000;1002;1003;1004;1006;2004;2031l\x1b[<9u\x1b[?25h\x1b[m";

/// What the command line says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Words {
    say: Option<String>,
    then: Option<OsString>,
    watch: Duration,
    argv: Vec<OsString>,
}

/// Runs it; `args` are the words behind `__pane`.
#[must_use]
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let words = parse(args);
    if let Some(say) = &words.say {
        tell(&format!(
            "\x1b[2mabide: {}\x1b[m\n",
            crate::words::text(say.as_bytes())
        ));
    }
    let Some(program) = words.argv.first() else {
        return start_shell(words.then.as_deref());
    };
    let saved = sys::tty::save(std::io::stdin()).ok();
    let begun = Instant::now();
    let ended = match run(&words.argv) {
        Ok(ended) => ended,
        Err(error) => {
            let name = program.to_string_lossy();
            let why = sys::files::plain(&error);
            tell(&format!("abide: cannot start {name}: {why}\n"));
            return ExitCode::from(127);
        }
    };
    if let Some(saved) = saved {
        drop(saved.restore()); // a terminal that is gone needs nothing
    }
    let code = ended.status.code().unwrap_or(1);
    if matches!(ended.status, Status::Killed(_)) {
        tell(MODES_OFF);
    }
    if ended.asked || (code != 0 && begun.elapsed() < words.watch) {
        return ExitCode::from(code);
    }
    match words.then {
        Some(shell) => start_shell(Some(&shell)),
        None => ExitCode::from(code),
    }
}

fn parse(args: impl Iterator<Item = OsString>) -> Words {
    let mut words = Words::default();
    let mut args = args;
    while let Some(word) = args.next() {
        match word.to_str() {
            Some("--say") => words.say = args.next().map(|it| it.to_string_lossy().into_owned()),
            Some("--then") => words.then = args.next(),
            Some("--watch") => words.watch = args.next().map(seconds).unwrap_or_default(),
            Some("--") => words.argv = args.by_ref().collect(),
            // Nobody but abide writes this line.
            _ => {}
        }
    }
    words
}

fn seconds(word: OsString) -> Duration {
    let seconds = word.to_str().and_then(|it| it.parse().ok());
    Duration::from_secs(seconds.unwrap_or_default())
}

/// A program's end.
struct Ended {
    status: Status,
    /// This process was asked to end meanwhile.
    asked: bool,
}

/// Starts the program in this process's group and waits for its end.
fn run(argv: &[OsString]) -> std::io::Result<Ended> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&asked))?;
    }
    // A handler, not "ignored": the program must not inherit that.
    let key = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGQUIT, SIGTSTP] {
        signal_hook::flag::register(signal, Arc::clone(&key))?;
    }
    let (mut hears, tells) = UnixStream::pair()?;
    for signal in [SIGCHLD, SIGTERM, SIGHUP] {
        signal_hook::low_level::pipe::register(signal, tells.try_clone()?)?;
    }
    let (program, args) = argv.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    let child = Command::new(program).args(args).spawn()?;
    let pid = child.id().cast_signed();
    let mut passed = false;
    loop {
        if let Some(status) = news(pid)? {
            let asked = asked.load(Ordering::Relaxed);
            return Ok(Ended { status, asked });
        }
        // Sent to this process alone, it is meant for what runs here.
        if asked.load(Ordering::Relaxed) && !std::mem::replace(&mut passed, true) {
            pass_on(pid);
        }
        let mut byte = [0; 64];
        match hears.read(&mut byte) {
            Err(error) if error.kind() != std::io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
    }
}

/// The program's end, if it has come; a stop of it is undone.
fn news(child: i32) -> std::io::Result<Option<Status>> {
    loop {
        let (pid, raw) = match sys::process::wait_change()? {
            Waited::Changed { pid, raw } => (pid, raw),
            Waited::Nothing | Waited::NoChildren => return Ok(None),
        };
        if pid != child {
            continue;
        }
        match Status::from_raw(raw) {
            Status::Stopped(_) => signal(child, Signal::CONT),
            Status::Continued => {}
            ended => return Ok(Some(ended)),
        }
    }
}

fn pass_on(child: i32) {
    signal(child, Signal::TERM);
    signal(child, Signal::CONT);
}

fn signal(child: i32, signal: Signal) {
    if let Some(identity) = Identity::of(child) {
        drop(identity.signal(signal)); // it is gone: that was wanted, or is told by its status
    }
}

/// Becomes the shell.
fn start_shell(shell: Option<&OsStr>) -> ExitCode {
    let shell = shell.unwrap_or(OsStr::new("/bin/sh"));
    let error = Command::new(shell).exec();
    let why = sys::files::plain(&error);
    tell(&format!(
        "abide: cannot start {}: {why}\n",
        shell.to_string_lossy()
    ));
    ExitCode::from(127)
}

/// Into the pane; when it is gone there is nobody to tell.
fn tell(text: &str) {
    let mut out = std::io::stdout().lock();
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_read() {
        let line = [
            "--say",
            "hello",
            "--watch",
            "20",
            "--then",
            "/bin/bash",
            "--",
            "claude",
            "--say",
            "x",
        ];
        let words = parse(line.iter().map(OsString::from));
        assert_eq!(words.say.as_deref(), Some("hello"));
        assert_eq!(words.then, Some("/bin/bash".into()));
        assert_eq!(words.watch, Duration::from_secs(20));
        assert_eq!(words.argv, ["claude", "--say", "x"]);
        assert_eq!(parse(std::iter::empty()), Words::default());
    }
}
