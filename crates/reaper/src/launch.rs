//! The host's side: starting a pane's reaper without forking, over three descriptors.
//!
//! The reaper gets the program's side of the pty as its stdin, the report pipe's write end as its
//! stdout and the lifeline's read end as its stderr. The host keeps the other two ends.

use crate::keep::{KEEP, Kept};
use crate::small::Small;
use crate::tag::{self, Place, Tag};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use sys::fd::OwnedFd;
use sys::process::Identity;

/// The hidden subcommand whose body is [`crate::pane_main`].
pub const PANE_COMMAND: &str = "__reaper";
/// The same for a program on pipes instead of a terminal.
pub const PIPES_COMMAND: &str = "__reaper-pipes";
/// The hidden subcommand whose body is [`crate::root_main`].
pub const ROOT_COMMAND: &str = "__root-reaper";

/// What to run in a pane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The program, looked up in the `PATH` of `env` when it has no slash, and its arguments.
    pub argv: Vec<OsString>,
    /// The folder to start in; a relative program is looked for from here.
    pub cwd: PathBuf,
    /// The whole environment; `PWD` is set to `cwd` on top. A tag in it that this process inherited
    /// itself is passed on below the new one.
    pub env: Vec<(OsString, OsString)>,
    /// The pane's name, shown in the process list only.
    pub pane: String,
}

/// A started reaper.
#[derive(Debug)]
pub struct Reaped {
    /// Its pid; a child of the caller, who waits for it.
    pub reaper: i32,
    /// Where its [`crate::Report`]s are read; ends when it does. Non-blocking, but on Windows.
    pub report: OwnedFd,
    /// Closing this ends the family.
    pub lifeline: OwnedFd,
}

/// Why there is no reaper.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// There was nothing to run.
    #[error("no program was given to run in the pane")]
    NoProgram,
    /// No pipe could be made.
    #[error("cannot make a pipe for the pane: {}", sys::files::plain(.0))]
    Pipe(#[source] io::Error),
    /// The reaper's program could not be executed.
    #[error("cannot start {} for the pane: {}", program.display(), sys::files::plain(source))]
    Program {
        /// What was to be executed.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The program that reapers are started from. Clones share it.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    /// Kept open: `program` leads there.
    small: Option<Small>,
    place: Option<Place>,
    kept: Option<Kept>,
    /// The process it was first used in.
    host: OnceLock<Identity>,
}

impl Default for Launcher {
    /// The small build; where there is none or it cannot be run, [`Launcher::portable`]. Costs a
    /// process that ends at once, so make one and keep it.
    fn default() -> Self {
        Self::small().unwrap_or_else(|_| Self::portable())
    }
}

impl Launcher {
    /// The small build: x86_64 Linux only.
    ///
    /// # Errors
    /// This build has none, or the system does not run it.
    pub fn small() -> io::Result<Self> {
        let small = Small::new()?;
        Ok(Self {
            program: small.path(),
            small: Some(small),
            place: None,
            kept: None,
            host: OnceLock::new(),
        })
    }

    /// What is executed. Paths below `/proc/self` mean this process's.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Whether reapers are the small build.
    #[must_use]
    pub const fn is_small(&self) -> bool {
        self.small.is_some()
    }

    /// The hidden subcommand of this very program, also after its file was replaced or removed.
    #[must_use]
    pub fn portable() -> Self {
        #[cfg(target_os = "linux")]
        let program = PathBuf::from("/proc/self/exe");
        #[cfg(not(target_os = "linux"))]
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("abide"));
        Self::at(program)
    }

    /// The hidden subcommand of another program.
    #[must_use]
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            small: None,
            place: None,
            kept: None,
            host: OnceLock::new(),
        }
    }

    /// Gives every family the tag by which [`crate::sweep`] finds what outlived its reaper. Call it
    /// once the state folder is there.
    #[must_use]
    pub fn tagging(mut self, state: &Path) -> Self {
        self.place = Some(Place::of(state));
        self.kept = Some(Kept::of(state));
        self
    }

    /// Starts the reaper of one pane, which starts the program. Returns at once: whether the
    /// program could be started comes as the first report.
    ///
    /// # Errors
    /// See [`SpawnError`]; nothing is left running then.
    pub fn spawn(&self, spec: &Spec, slave: OwnedFd) -> Result<Reaped, SpawnError> {
        if spec.argv.is_empty() {
            return Err(SpawnError::NoProgram);
        }
        let (report, report_end) = io::pipe().map_err(SpawnError::Pipe)?;
        let (lifeline_end, lifeline) = io::pipe().map_err(SpawnError::Pipe)?;
        let report = OwnedFd::from(report);
        #[cfg(unix)]
        sys::fd::set_nonblocking(&report).map_err(SpawnError::Pipe)?;
        let mut command = self.command(PANE_COMMAND, &spec.pane, spec);
        command.stdin(slave).stdout(report_end).stderr(lifeline_end);
        let failed = |source| SpawnError::Program {
            program: self.program.clone(),
            source,
        };
        let child = command.spawn().map_err(failed)?;
        let reaper = i32::try_from(child.id()).map_err(|e| failed(io::Error::other(e)))?;
        Ok(Reaped {
            reaper,
            report,
            lifeline: lifeline.into(),
        })
    }

    /// Without `pre_exec`, user or group std calls posix_spawn: a host of any size is not copied.
    /// A group of its own in the host's session: when the host dies, the kernel wakes the reaper
    /// even if somebody had stopped it.
    pub(crate) fn command(&self, what: &str, name: &str, spec: &Spec) -> Command {
        let mut host = *self.host.get_or_init(Identity::me);
        if host.pid.cast_unsigned() != std::process::id() {
            host = Identity::me();
        }
        let keeps = spec.env.iter().any(|(name, _)| name == KEEP);
        let kept = self.kept.as_ref().filter(|_| keeps);
        let mut command = Command::new(&self.program);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, "abide-reaper");
        sys::process::own_group(&mut command);
        command
            .arg(what)
            .arg(host.pid.to_string())
            .arg(host.start.to_string())
            .arg(name)
            .arg(&spec.cwd)
            .arg(kept.map_or_else(|| "-".as_ref(), Kept::path))
            .arg("--")
            .args(&spec.argv)
            .env_clear()
            .envs(spec.env.iter().map(|(name, value)| (name, value)));
        if spec.cwd.is_absolute() {
            command.env("PWD", &spec.cwd);
        }
        command.env_remove(tag::VARIABLE);
        if let Some(place) = self.place {
            let inherited = spec.env.iter().rfind(|(name, _)| name == tag::VARIABLE);
            let inherited = inherited.map(|(_, value)| value.as_os_str());
            command.env(tag::VARIABLE, Tag::head(place, inherited));
        }
        command
    }
}
