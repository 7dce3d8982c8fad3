//! A program on pipes instead of a terminal, with the same reaper: agents that are driven, their hooks
//! and checks, whatever third-party program is started without a pane.
//!
//! In: a command, a folder, an environment, what its three standard descriptors are. Out: the ends of
//! its pipes, its reports, and the promise of a pane: nothing of its family is left once
//! [`Headless`] is dropped, its owner is dead, or the program has exited. What it starts is never kept
//! ([`crate::Keep`]).
//!
//! Five descriptors have to reach the reaper: the program's three stand at 0, 1 and 2, the report pipe
//! and the lifeline keep their numbers, which the command line names. So it is started by a fork, and
//! the owner should be a small process. The reaper lets go of the program's three once it runs, so
//! that the end of its output is seen.

use crate::describe_failure;
use crate::keep::KEEP;
use crate::launch::{Launcher, PIPES_COMMAND, SpawnError, Spec};
use crate::report::{Report, ReportDecoder};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use sys::process::{Identity, Status};

/// What one of the program's standard descriptors is.
#[derive(Debug)]
pub enum Use {
    /// A pipe; the other end is in [`Headless`].
    Pipe,
    /// Empty for its input, nowhere for its output.
    Null,
    /// This one.
    This(OwnedFd),
}

/// News of a program on pipes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// Its reaper says this.
    Report(Report),
    /// None now; wait for [`Headless::reports`] to be readable.
    Nothing,
    /// There will be none.
    Ended,
}

/// A started program. Dropping it ends the whole family, without waiting for that.
#[derive(Debug)]
pub struct Headless {
    /// Where the program's input is written to, if it is a pipe. Blocking.
    pub stdin: Option<OwnedFd>,
    /// Where its output is read from, if it is a pipe. Blocking.
    pub stdout: Option<OwnedFd>,
    /// The same for its errors.
    pub stderr: Option<OwnedFd>,
    spec: Spec,
    reaper: Option<Child>,
    report: File,
    lifeline: Option<OwnedFd>,
    decoder: ReportDecoder,
    status: Option<Status>,
}

impl Launcher {
    /// Starts a program on pipes below a reaper of its own; `using` are its descriptors 0, 1 and 2.
    /// Returns at once: whether it could be started comes as the first report.
    ///
    /// # Errors
    /// See [`SpawnError`]; nothing is left running then.
    pub fn spawn_piped(&self, spec: &Spec, using: [Use; 3]) -> Result<Headless, SpawnError> {
        if spec.argv.is_empty() {
            return Err(SpawnError::NoProgram);
        }
        let mut spec = spec.clone();
        spec.env.retain(|(name, _)| name != KEEP);
        let (report, report_end) = io::pipe().map_err(SpawnError::Pipe)?;
        let (lifeline_end, lifeline) = io::pipe().map_err(SpawnError::Pipe)?;
        let report = OwnedFd::from(report);
        sys::fd::set_nonblocking(&report).map_err(SpawnError::Pipe)?;
        let [input, output, errors] = using;
        let (input, stdin) = ends(input, true).map_err(SpawnError::Pipe)?;
        let (output, stdout) = ends(output, false).map_err(SpawnError::Pipe)?;
        let (errors, stderr) = ends(errors, false).map_err(SpawnError::Pipe)?;
        let high = |fd: OwnedFd| sys::fd::duplicate_high(fd).map_err(SpawnError::Pipe);
        let passed = [high(report_end.into())?, high(lifeline_end.into())?];
        let numbers = passed.each_ref().map(AsRawFd::as_raw_fd);
        let numbers = format!("{},{}", numbers[0], numbers[1]);
        let mut command = self.command(PIPES_COMMAND, &numbers, &spec);
        command.stdin(input).stdout(output).stderr(errors);
        sys::child::passing(&mut command, passed);
        let reaper = command.spawn().map_err(|source| SpawnError::Program {
            program: self.program().to_owned(),
            source,
        })?;
        Ok(Headless {
            stdin,
            stdout,
            stderr,
            spec,
            reaper: Some(reaper),
            report: report.into(),
            lifeline: Some(lifeline.into()),
            decoder: ReportDecoder::default(),
            status: None,
        })
    }
}

/// The program's side of a descriptor, and ours.
fn ends(using: Use, input: bool) -> io::Result<(Stdio, Option<OwnedFd>)> {
    Ok(match using {
        Use::Null => (Stdio::null(), None),
        Use::This(fd) => (fd.into(), None),
        Use::Pipe => {
            let (reader, writer) = io::pipe()?;
            if input {
                (reader.into(), Some(writer.into()))
            } else {
                (writer.into(), Some(reader.into()))
            }
        }
    })
}

impl Headless {
    /// Its reaper's pid.
    #[must_use]
    pub fn reaper(&self) -> Option<i32> {
        i32::try_from(self.reaper.as_ref()?.id()).ok()
    }

    /// Readable when there is news; non-blocking.
    #[must_use]
    pub fn reports(&self) -> BorrowedFd<'_> {
        self.report.as_fd()
    }

    /// The next news, without waiting.
    pub fn news(&mut self) -> News {
        loop {
            if let Some(report) = self.decoder.next_report() {
                if let Report::Exited { raw } = report {
                    self.status = Some(Status::from_raw(raw));
                }
                return News::Report(report);
            }
            let mut bytes = [0; 256];
            match self.report.read(&mut bytes) {
                Ok(0) => return News::Ended,
                Ok(n) => self.decoder.feed(&bytes[..n]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return News::Nothing,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return News::Ended,
            }
        }
    }

    /// Waits for the next news, `limit` at most.
    fn wait_news(&mut self, limit: Option<Duration>) -> News {
        let begun = Instant::now();
        loop {
            let news = self.news();
            let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
            if news != News::Nothing || left.is_some_and(|it| it.is_zero()) {
                return news;
            }
            if sys::fd::wait_readable(&[self.report.as_fd()], left).is_err() {
                return News::Ended;
            }
        }
    }

    /// Waits until the program was executed: who it is. Call it before any other wait.
    ///
    /// # Errors
    /// It could not be, in one line that names the command and the place.
    pub fn started(&mut self) -> Result<Identity, String> {
        match self.wait_news(None) {
            News::Report(Report::Started { pid, start }) => Ok(Identity { pid, start }),
            News::Report(Report::Failed { stage, errno }) => Err(describe_failure(
                &self.spec.argv,
                &self.spec.cwd,
                stage,
                errno,
            )),
            _ => {
                let program = self.spec.argv.first().map(|it| it.display().to_string());
                let program = program.unwrap_or_default();
                Err(format!(
                    "the reaper of {program} ended before it had started it"
                ))
            }
        }
    }

    /// Waits for the program's end, `limit` at most (`None`: without). Its output may still be on its
    /// way. `None`: it has not ended; after a reaper that was killed, by SIGKILL as well.
    pub fn wait(&mut self, limit: Option<Duration>) -> Option<Status> {
        let begun = Instant::now();
        while self.status.is_none() {
            let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
            match self.wait_news(left) {
                News::Report(_) => {}
                News::Nothing => return None,
                News::Ended => self.status = Some(Status::Killed(9)),
            }
        }
        self.status
    }

    /// Ends the family: TERM, 3 s later KILL. Returns at once; [`Headless::wait`] still tells how the
    /// program ended.
    pub fn end(&mut self) {
        self.lifeline = None;
    }

    /// Ends the family and waits until nothing of it is left: as long as a stubborn one takes.
    pub fn end_and_wait(mut self) {
        self.end();
        if let Some(mut reaper) = self.reaper.take() {
            // Not our child any more: somebody else has waited for it.
            let _taken = reaper.wait();
        }
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        self.lifeline = None;
        let Some(mut reaper) = self.reaper.take() else {
            return;
        };
        if reaper.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        // Without the thread it is a zombie until this process ends.
        let thread = std::thread::Builder::new().name("abide-wait".to_owned());
        let _none = thread.spawn(move || reaper.wait());
    }
}
