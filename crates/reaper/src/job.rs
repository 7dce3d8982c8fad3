//! Windows: the pane's reaper is a helper that makes a job, joins it, and only then starts the
//! program, so nothing ever runs outside of the job. The kernel keeps the family: whatever is started
//! in a job is in it, and when the helper's end closes the job's one handle, however that comes,
//! every member ends.
//!
//! In: the same command line and the same three handles as on Unix (the program's own, the report
//! pipe, the lifeline). Out: the same reports. Promises: the family ends when the program does, when
//! the lifeline closes, when the host is gone, and when the helper is killed. What is not as on Unix:
//! nobody is asked first (there is no TERM), and there is no stop.

use crate::report::{Report, Stage};
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;
use sys::fd::{OwnedFd, duplicate, keep_stdio};
use sys::job::Job;
use sys::pidfd::PidFd;
use sys::process::{Identity, Signal, Stat};

/// The exit code when the orders on the command line cannot be read.
const USAGE: u8 = 2;
/// The exit code when the program could not be started.
const NOT_STARTED: u8 = 127;
/// The exit code of everybody who is ended before the program ended by itself.
const ENDED: u32 = 1;
/// `ERROR_PATH_NOT_FOUND`.
const NO_FOLDER: i32 = 3;
/// Time between two looks at a handle that is waited for without limit.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// The command line that [`crate::Launcher`] makes.
struct Orders {
    host: Identity,
    folder: PathBuf,
    argv: Vec<OsString>,
}

impl Orders {
    /// After the subcommand: host pid, host start, pane, folder, a file that only Unix uses, `--`, argv.
    fn read(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut number = || words.next()?.to_str()?.parse::<u64>().ok();
        let pid = i32::try_from(number()?).ok()?;
        let host = Identity {
            pid,
            start: number()?,
        };
        let _pane = words.next()?;
        let folder = words.next()?.into();
        let _kept = words.next()?;
        if words.next()? != "--" {
            return None;
        }
        let argv: Vec<OsString> = words.collect();
        (!argv.is_empty()).then_some(Self { host, folder, argv })
    }
}

/// The body of the hidden subcommand [`crate::PANE_COMMAND`]. Does not return once the program
/// runs: the end of its job is its own.
#[must_use]
pub fn pane_main() -> ExitCode {
    let Some(orders) = Orders::read(std::env::args_os().skip(2)) else {
        say("this is started by the host, not by hand");
        return ExitCode::from(USAGE);
    };
    match run(&orders) {
        Ok(never) => match never {},
        Err(_) => ExitCode::from(NOT_STARTED),
    }
}

/// There is no host to stand above: see docs/platforms.md.
#[must_use]
pub fn root_main(_args: impl IntoIterator<Item = OsString>) -> ExitCode {
    say("root reaper: there is no host on Windows yet");
    ExitCode::from(NOT_STARTED)
}

/// Nobody is ever handed to another process here: a job ends with its reaper. 0: nobody is left.
pub fn end_adopted(_known_children: &[i32], _spares: &dyn Fn(&Stat) -> bool) -> usize {
    0
}

fn run(orders: &Orders) -> io::Result<Infallible> {
    let (stdio, report, lifeline) = keep_stdio()?;
    let report = File::from(report);
    let host = PidFd::open(orders.host.pid)?;
    // Looked at after the handle was opened, so the handle means the host or the host is gone.
    if Identity::of(orders.host.pid) != Some(orders.host) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let job = Arc::new(Job::new()?.join()?);
    let child = match start(orders, stdio) {
        Ok(child) => child,
        Err((stage, errno)) => {
            tell(&report, Report::Failed { stage, errno });
            return Err(io::ErrorKind::NotFound.into());
        }
    };
    let pid = child.id().cast_signed();
    let start = Identity::of(pid).map_or(0, |it| it.start);
    tell(&report, Report::Started { pid, start });
    end_with(&job, move || until_closed(lifeline))?;
    end_with(&job, move || while !host.wait(LONG).unwrap_or(true) {})?;
    let code = wait(child);
    let raw = code.unwrap_or(ENDED).cast_signed();
    tell(&report, Report::Exited { raw });
    end(&job, code.unwrap_or(ENDED))
}

/// The program, as the first member of the job besides this process.
fn start(orders: &Orders, stdio: OwnedFd) -> Result<Child, (Stage, i32)> {
    let number = |error: &io::Error| error.raw_os_error().unwrap_or(0);
    if !orders.folder.is_dir() {
        return Err((Stage::Folder, NO_FOLDER));
    }
    let copy = || duplicate(&stdio).map_err(|e| (Stage::Pty, number(&e)));
    let (program, arguments) = orders.argv.split_first().ok_or((Stage::Exec, 0))?;
    Command::new(program)
        .args(arguments)
        .current_dir(&orders.folder)
        .stdin(copy()?)
        .stdout(copy()?)
        .stderr(copy()?)
        .spawn()
        .map_err(|e| (Stage::Exec, number(&e)))
}

/// Bytes on the lifeline mean nothing yet; its end does.
fn until_closed(lifeline: OwnedFd) {
    let mut lifeline = File::from(lifeline);
    while matches!(lifeline.read(&mut [0; 256]), Ok(n) if n > 0) {}
}

/// A thread that ends the job when `wait` returns.
fn end_with(job: &Arc<Job>, wait: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let job = Arc::clone(job);
    let thread = std::thread::Builder::new();
    let thread = thread.spawn(move || {
        wait();
        end(&job, ENDED)
    })?;
    drop(thread); // it ends with the process
    Ok(())
}

fn wait(mut child: Child) -> Option<u32> {
    child.wait().ok()?.code().map(i32::cast_unsigned)
}

/// Ends everybody in the job, this process among them.
fn end(job: &Job, code: u32) -> ! {
    // Refused: then the handle, closed by the end of this process, does the same.
    let _refused = job.end(code);
    let _refused = Identity::me().signal(Signal::KILL);
    std::process::exit(code.cast_signed())
}

/// A closed pipe has no reader: that does not stop the reaper.
fn tell(mut pipe: &File, report: Report) {
    let _dropped = pipe.write_all(&report.encode());
}

fn say(text: &str) {
    // Nobody to tell where even this cannot be written.
    let _lost = writeln!(io::stderr(), "{text}");
}
