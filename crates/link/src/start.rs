//! Starting the host that is missing, once, whoever else tries at the same moment.
//!
//! In: places, a role, what to start. Out: a connection to the one host. Promises: only "no host"
//! leads to a start; the start lock is held from the second look to the first answer, so that ten
//! clients at once make one host (argus#641, elvish#1806); a command typed inside a pane starts
//! nothing; the wait is bounded and its end carries the host's last words.

use crate::connection::Connection;
use crate::error::LinkError;
use crate::hostfile::read_if_there;
use crate::places::Places;
use crate::probe::{attempt, connect_patiently, is_held, jitter};
use protocol::{Role, VERSIONS};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use sys::files::Lock;
use sys::process::Identity;

/// How long a start may take. A new host may spend 10 s of it waiting for an old root reaper.
pub const START_LIMIT: Duration = Duration::from_secs(15);

/// What to start and whom to tell.
pub struct Starter {
    /// The program; started as `EXE __root-reaper --kept FILE -- EXE host run --under-root-reaper`.
    pub exe: PathBuf,
    /// What the host is started with, after `host run`.
    pub host_args: Vec<OsString>,
    /// How long a silent or starting host is waited for.
    pub patience: Duration,
    /// Told what is waited for, in one line.
    pub say: Box<dyn Fn(&str)>,
}

impl std::fmt::Debug for Starter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Starter")
            .field("exe", &self.exe)
            .finish_non_exhaustive()
    }
}

impl Starter {
    /// Starts `exe`, waits [`START_LIMIT`], tells nobody.
    #[must_use]
    pub fn new(exe: PathBuf) -> Self {
        Self {
            exe,
            host_args: Vec::new(),
            patience: START_LIMIT,
            say: Box::new(|_| {}),
        }
    }

    fn argv(&self, places: &Places) -> Vec<OsString> {
        let mut argv = vec![self.exe.clone().into_os_string()];
        argv.extend(["__root-reaper", "--kept"].map(OsString::from));
        argv.push(places.kept().into_os_string());
        argv.push("--".into());
        argv.push(self.exe.clone().into_os_string());
        argv.extend(["host", "run", "--under-root-reaper"].map(OsString::from));
        argv.extend(self.host_args.iter().cloned());
        argv
    }
}

/// Connects to the host, starting it when there is none.
///
/// # Errors
/// [`LinkError`]: [`LinkError::InsidePane`] when `ABIDE_PANE` is set and there is no host,
/// [`LinkError::NotStarted`] when the start fails, else as [`connect_patiently`].
pub fn ensure(places: &Places, role: Role, starter: &Starter) -> Result<Connection, LinkError> {
    let mut say = |text: &str| (starter.say)(text);
    match connect_patiently(places, role, starter.patience, &mut say) {
        Err(LinkError::NoHost { .. }) => {}
        other => return other,
    }
    if let Some(pane) = std::env::var_os("ABIDE_PANE") {
        return Err(LinkError::InsidePane {
            pane: pane.to_string_lossy().into_owned(),
        });
    }
    let failed = |e: sys::files::FileError| LinkError::NotStarted { why: e.to_string() };
    let others = std::fs::metadata(&places.state).map_or(0, |meta| sys::files::mode(&meta) & 0o077);
    sys::files::private_dir(&places.state).map_err(failed)?;
    if others != 0 {
        let state = places.state.display();
        say(&format!("{state} was open to others; it is private now"));
    }
    let _lock = start_lock(places, starter.patience)?;
    match connect_patiently(places, role, starter.patience, &mut say) {
        Err(LinkError::NoHost { .. }) => start(places, role, starter),
        other => other,
    }
}

/// Waits for whoever else starts a host: they may take their whole time, and one more may be first.
fn start_lock(places: &Places, patience: Duration) -> Result<Lock, LinkError> {
    let limit = patience.max(START_LIMIT) * 2;
    Lock::exclusive(&places.start_lock(), limit).map_err(|error| match error.source.kind() {
        std::io::ErrorKind::TimedOut => LinkError::Starting { waited: limit },
        _ => LinkError::NotStarted {
            why: error.to_string(),
        },
    })
}

/// The caller holds the start lock and has seen that there is no host.
fn start(places: &Places, role: Role, starter: &Starter) -> Result<Connection, LinkError> {
    set_aside_unreadable(places)?;
    let plain = starter.argv(places);
    // A scope of its own, so that a logout which ends the session's processes leaves the host.
    let scoped = sys::daemon::scoped(&plain, |name| std::env::var_os(name));
    if scoped != plain {
        match launch(places, role, starter, &scoped) {
            // No user manager after all: the plain start below is the answer.
            Err(LinkError::NotStarted { .. }) => {}
            other => return other,
        }
    }
    launch(places, role, starter, &plain)
}

/// A damaged or newer endpoint file of a host that is gone is kept, under another name.
fn set_aside_unreadable(places: &Places) -> Result<(), LinkError> {
    if crate::HostFile::read(places).is_err() {
        sys::files::set_aside(&places.host_file(), "unreadable")
            .map_err(|e| LinkError::NotStarted { why: e.to_string() })?;
    }
    Ok(())
}

fn launch(
    places: &Places,
    role: Role,
    starter: &Starter,
    argv: &[OsString],
) -> Result<Connection, LinkError> {
    let log = places.start_log();
    drop(std::fs::remove_file(&log)); // it says what the last start said; a missing one is as good
    let not_started = |e: std::io::Error| LinkError::NotStarted {
        why: cannot_spawn(&e, &starter.exe, &log),
    };
    let pid =
        sys::daemon::spawn_detached(argv, &daemon_environment(), &log).map_err(not_started)?;
    let launched = Identity::of(pid);
    let begun = Instant::now();
    loop {
        match attempt(places, role, VERSIONS, Duration::from_secs(1)) {
            Ok(connection) => return Ok(connection),
            Err(LinkError::NoHost { .. }) if !launched.is_some_and(|it| it.alive()) => {
                if !is_held(places) {
                    return Err(LinkError::NotStarted {
                        why: last_words(&log, &places.state),
                    });
                }
            }
            Err(LinkError::NoHost { .. } | LinkError::Starting { .. } | LinkError::Closed) => {}
            Err(LinkError::Silent { .. } | LinkError::BadToken { .. }) => {}
            Err(LinkError::BadFile { damaged: true, .. }) => {}
            Err(other) => return Err(other),
        }
        if begun.elapsed() > starter.patience.max(START_LIMIT) {
            return Err(LinkError::Starting {
                waited: begun.elapsed(),
            });
        }
        std::thread::sleep(jitter());
    }
}

/// The environment of the daemons: this process's, without what names a pane.
pub(crate) fn daemon_environment() -> Vec<(OsString, OsString)> {
    // The tag of a reaper around us would have the daemons ended with it.
    let ours = ["ABIDE_PANE", "ABIDE_PANE_KEY", "ABIDE_REAPER"];
    std::env::vars_os()
        .filter(|(name, _)| !ours.iter().any(|it| name == it))
        .collect()
}

/// Its log is made first, so a full disk is the log's trouble and any other the program's.
fn cannot_spawn(error: &std::io::Error, exe: &Path, log: &Path) -> String {
    let path = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => log,
        _ => exe,
    };
    format!("{}: {}", path.display(), sys::files::plain(error))
}

/// The last line the daemons printed before they had a log. A full disk takes their words, too, so
/// silence has this side try what they could not do.
fn last_words(log: &Path, state: &Path) -> String {
    let bytes = read_if_there(log, 64 * 1024)
        .ok()
        .flatten()
        .unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    match text.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => line.trim().chars().take(300).collect(),
        None => match write_some(state) {
            Err(error) => error.to_string(),
            Ok(()) => format!("it ended without a word; see {}", log.display()),
        },
    }
}

/// As much as a host's own files take.
const SOME: usize = 64 * 1024;

fn write_some(state: &Path) -> Result<(), sys::files::FileError> {
    let probe = state.join("start.probe");
    sys::files::write_atomic(&probe, &[0; SOME])?;
    drop(std::fs::remove_file(&probe)); // the next probe replaces what is left
    Ok(())
}
