//! Programs on pipes where there is no way yet to hand a reaper five handles: none is ever started, so
//! nothing here is ever called but the refusal.

use crate::launch::{Launcher, SpawnError, Spec};
use crate::report::Report;
use std::convert::Infallible;
use std::io;
use std::time::Duration;
use sys::fd::{BorrowedFd, OwnedFd};
use sys::process::{Identity, Status};

/// What one of the program's standard handles is.
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
    /// None now.
    Nothing,
    /// There will be none.
    Ended,
}

/// A started program; there is none here.
#[derive(Debug)]
pub struct Headless {
    /// Where the program's input is written to, if it is a pipe.
    pub stdin: Option<OwnedFd>,
    /// Where its output is read from, if it is a pipe.
    pub stdout: Option<OwnedFd>,
    /// The same for its errors.
    pub stderr: Option<OwnedFd>,
    never: Infallible,
}

impl Launcher {
    /// Starts nothing.
    ///
    /// # Errors
    /// Always [`SpawnError::Program`] with `Unsupported`.
    pub fn spawn_piped(&self, _spec: &Spec, _using: [Use; 3]) -> Result<Headless, SpawnError> {
        let why = "programs on pipes are not supported on this system yet";
        Err(SpawnError::Program {
            program: self.program().to_owned(),
            source: io::Error::new(io::ErrorKind::Unsupported, why),
        })
    }
}

impl Headless {
    /// Its reaper's pid.
    #[must_use]
    pub const fn reaper(&self) -> Option<i32> {
        match self.never {}
    }

    /// Readable when there is news.
    #[must_use]
    pub const fn reports(&self) -> BorrowedFd<'_> {
        match self.never {}
    }

    /// The next news, without waiting.
    pub const fn news(&mut self) -> News {
        match self.never {}
    }

    /// Waits until the program was executed.
    ///
    /// # Errors
    /// It could not be.
    pub const fn started(&mut self) -> Result<Identity, String> {
        match self.never {}
    }

    /// Waits for the program's end.
    pub const fn wait(&mut self, _limit: Option<Duration>) -> Option<Status> {
        match self.never {}
    }

    /// Ends the family.
    pub const fn end(&mut self) {
        match self.never {}
    }

    /// Ends the family and waits until nothing of it is left.
    pub const fn end_and_wait(self) {
        match self.never {}
    }
}
