//! One program on a terminal, or on pipes.

use reaper::{Launcher, ReportDecoder, Spec, Use};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use sys::process::{self, Signal};
use sys::signals::Signals;

struct Host {
    signals: Signals,
    stay: bool,
    adopt: bool,
    reaper: i32,
    report: File,
    lifeline: std::os::fd::OwnedFd,
    decoder: ReportDecoder,
    /// Bytes of output that were told.
    shown: usize,
}

pub(crate) fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|it| it == reaper::PANE_COMMAND)
    {
        // The portable build of `default` is this very program.
        return reaper::pane_main();
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<()> {
    let mut words = std::env::args_os().skip(1);
    let program = words.next().unwrap_or_default();
    let mut launcher = match program.to_str() {
        Some("small") => Launcher::small()?,
        Some("default") => Launcher::default(),
        _ => Launcher::at(program),
    };
    say(&format!("small {}", launcher.is_small()));
    let options: Vec<OsString> = words.by_ref().take_while(|word| word != "--").collect();
    let has = |name: &str| options.iter().any(|word| word == name);
    if let Some(at) = options.iter().position(|word| word == "--tag") {
        launcher = launcher.tagging(Path::new(&options[at + 1]));
    }
    if has("--pipes") {
        return own_piped(&launcher, words.collect());
    }
    // A leader of its session already, when the root reaper's child.
    let _leader = process::setsid();
    if has("--subreaper") {
        process::become_subreaper()?;
    }
    let signals = Signals::take(&[Signal::CHILD, Signal::TERM])?;
    let (master, slave) = sys::pty::open(80, 24)?;
    let spec = Spec {
        argv: words.collect(),
        cwd: std::env::current_dir()?,
        env: std::env::vars_os().collect(),
        pane: "p1".to_owned(),
    };
    let reaped = launcher.spawn(&spec, slave).map_err(io::Error::other)?;
    say(&format!("reaper {}", reaped.reaper));
    let host = Host {
        signals,
        stay: has("--stay"),
        adopt: has("--subreaper"),
        reaper: reaped.reaper,
        report: File::from(reaped.report),
        lifeline: reaped.lifeline,
        decoder: ReportDecoder::default(),
        shown: 0,
    };
    host.run(master)
}

/// The owner of a program on pipes, until it is killed.
fn own_piped(launcher: &Launcher, argv: Vec<OsString>) -> io::Result<()> {
    let spec = Spec {
        argv,
        cwd: std::env::current_dir()?,
        env: std::env::vars_os().collect(),
        pane: String::new(),
    };
    let using = [Use::Pipe, Use::Null, Use::Null];
    let headless = launcher
        .spawn_piped(&spec, using)
        .map_err(io::Error::other)?;
    say(&format!("reaper {}", headless.reaper().unwrap_or(0)));
    loop {
        std::thread::park();
    }
}

impl Host {
    fn run(mut self, master: sys::pty::Master) -> io::Result<()> {
        let stdin = io::stdin();
        let (mut output, mut reports, mut again) = (true, true, false);
        loop {
            let fds = [
                Some(self.signals.as_fd()),
                (!self.stay).then_some(stdin.as_fd()),
                output.then_some(master.as_fd()),
                reports.then_some(self.report.as_fd()),
            ];
            let limit = again.then_some(Duration::from_millis(5));
            let ready = wait(&fds, limit)?;
            if ready[1] && !self.obey()? {
                return Ok(());
            }
            if ready[2] {
                output = self.show(&master);
            }
            if ready[3] {
                reports = self.read_reports();
            }
            while let Some(signal) = self.signals.next()? {
                if signal == Signal::TERM {
                    return Ok(());
                }
            }
            // Only the known one: a chain of forks would keep "any child" busy for ever.
            if let Some(raw) = process::reap(self.reaper) {
                say(&format!("reaper-ended {raw}"));
                self.reaper = 0;
            }
            again = self.adopt && reaper::end_adopted(&[self.reaper], &|_| false) > 0;
        }
    }

    /// Reads one line of orders; false: there are no more.
    fn obey(&self) -> io::Result<bool> {
        let mut line = String::new();
        let more = io::stdin().read_line(&mut line)? > 0;
        let asked = line
            .trim()
            .strip_prefix("spare ")
            .and_then(|it| it.parse().ok());
        if let Some(whom) = asked.and_then(process::Identity::of) {
            reaper::spare(&self.lifeline, whom)?;
            say("spared");
        }
        Ok(more)
    }

    /// Tells the first of what the program prints, for a test that fails; false: there is no more.
    fn show(&mut self, master: &sys::pty::Master) -> bool {
        let mut bytes = [0; 4096];
        let read = master.read(&mut bytes);
        if let Ok(n @ 1..) = read
            && self.shown < bytes.len()
        {
            self.shown += n;
            let text = String::from_utf8_lossy(&bytes[..n]);
            say(&format!("printed {text:?}"));
        }
        !matches!(read, Ok(0))
    }

    fn read_reports(&mut self) -> bool {
        let mut bytes = [0; 256];
        let n = self.report.read(&mut bytes).unwrap_or(0);
        self.decoder.feed(&bytes[..n]);
        while let Some(report) = self.decoder.next_report() {
            say(&format!("{report:?}"));
        }
        n > 0
    }
}

/// One flag for each, false for those that are left out.
fn wait(
    fds: &[Option<std::os::fd::BorrowedFd<'_>>],
    limit: Option<Duration>,
) -> io::Result<Vec<bool>> {
    let there: Vec<_> = fds.iter().flatten().copied().collect();
    let mut ready = sys::fd::wait_readable(&there, limit)?.into_iter();
    Ok(fds
        .iter()
        .map(|fd| fd.is_some() && ready.next().unwrap_or(false))
        .collect())
}

fn say(line: &str) {
    // A test that has gone away does not listen.
    let _lost = writeln!(io::stdout(), "{line}").and_then(|()| io::stdout().flush());
}
