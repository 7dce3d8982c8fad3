//! Which agents' programs are on the PATH, and which version each says it is.
//!
//! Promises: a program is only ever run with its version arguments, without a terminal and without
//! input; a few at once, each for at most 5 seconds, then it is ended with all it started; at most
//! 64 KiB of what it prints are read.

use agents::{Catalogue, Spec, Version};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;
use sys::files::plain;

/// How long a program may take to say its version: a first start from a cold disk included.
const LIMIT: Duration = Duration::from_secs(5);
/// More is no version.
const MAX_BYTES: u64 = 64 * 1024;

/// A program that was found.
#[derive(Debug)]
pub(super) struct Installed {
    /// Where it is, as the PATH has it.
    pub(super) program: PathBuf,
    /// What it says it is, or why that is not known.
    pub(super) version: Result<Version, String>,
}

impl Installed {
    /// For people.
    pub(super) fn shown_version(&self) -> String {
        match &self.version {
            Ok(version) => version.to_string(),
            Err(why) => format!("unknown ({why})"),
        }
    }
}

/// Looks for every CLI of `catalogue` on `path`.
pub(super) fn find<'a>(
    catalogue: &'a Catalogue,
    path: &OsStr,
) -> Vec<(&'a Spec, Option<Installed>)> {
    let specs: Vec<&Spec> = catalogue.others().collect();
    let next = AtomicUsize::new(0);
    let (found, mut all) = (Mutex::new(Vec::new()), Vec::new());
    // No more at once than there are cores: starting together they would make each other late.
    let workers = std::thread::available_parallelism()
        .map_or(2, usize::from)
        .clamp(2, 8);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(spec) = specs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let installed = program(spec, path).map(|at| ask(spec, at));
                    if let Ok(mut found) = found.lock() {
                        found.push((spec.name.as_str(), installed));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_default();
    for spec in specs {
        let at = found.iter().position(|(name, _)| *name == spec.name);
        all.push((spec, at.and_then(|at| found.swap_remove(at).1)));
    }
    all
}

/// The program of a CLI on the PATH. A name that others have too counts only where its real path
/// proves it.
pub(crate) fn program(spec: &Spec, path: &OsStr) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(path)
        .filter(|f| f.is_absolute())
        .collect();
    let look = |name: &String| {
        folders
            .iter()
            .map(|f| f.join(name))
            .find(|file| is_program(file))
    };
    let proved = |(name, proof): (&String, &String)| {
        let file = look(name)?;
        let real = file.canonicalize().ok()?;
        real.to_string_lossy()
            .contains(proof.as_str())
            .then_some(file)
    };
    spec.names
        .programs
        .iter()
        .find_map(look)
        .or_else(|| spec.names.weak.iter().find_map(proved))
}

fn is_program(file: &Path) -> bool {
    sys::files::is_program(file)
}

/// Runs the program for its version.
fn ask(spec: &Spec, program: PathBuf) -> Installed {
    let told = answer(spec, &program).and_then(|bytes| {
        let text = String::from_utf8_lossy(&bytes);
        Version::find(&text).ok_or_else(|| "it prints none".to_owned())
    });
    // A busy machine makes it late; what it was installed as is as true.
    let version = told.or_else(|why| agents::packaged_version(spec, &program).ok_or(why));
    Installed { program, version }
}

fn answer(spec: &Spec, program: &Path) -> Result<Vec<u8>, String> {
    let mut command = Command::new(program);
    match spec.launch.version.as_slice() {
        [] => command.arg("--version"),
        words => command.args(words),
    };
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // A group of its own, so that it can be ended with what it started.
    let mut child = sys::process::own_group(&mut command)
        .spawn()
        .map_err(|e| plain(&e))?;
    let pid = i32::try_from(child.id()).map_err(|e| e.to_string())?;
    let (answer, answered) = mpsc::channel();
    // It may hold its output open for longer than anyone waits, so the reading is its own.
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            drop(stdout.take(MAX_BYTES).read_to_end(&mut bytes));
        }
        drop(child.wait());
        drop(answer.send(bytes));
    });
    answered.recv_timeout(LIMIT).map_err(|_| {
        // Gone already is as good.
        drop(sys::process::signal_group(pid, sys::process::Signal::KILL));
        format!("no answer within {} s", LIMIT.as_secs())
    })
}
