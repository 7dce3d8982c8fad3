//! Pinned packages from PyPI, each in a virtual environment of its own beside those of npm.
//!
//! Promises: one process fetches it, the others wait; it counts only once it is whole; without a fitting
//! Python or the registry it says why.

use crate::cli::Cli;
use crate::cli::install::{Place, cache};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long one package may take.
const LIMIT: Duration = Duration::from_secs(240);
/// What runs the CLIs.
const PYTHON: &str = "python3.13";

/// Installs it if it is not yet.
pub(crate) fn install(cli: &Cli, package: &str) -> Result<Place, String> {
    let folder = cache().join(format!("{}-{}", cli.name, cli.version));
    let program = folder.join("venv/bin").join(cli.program);
    let whole = folder.join("whole");
    let failed = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
    fs::create_dir_all(&folder).map_err(failed("its folder"))?;
    let lock = File::create(folder.join("lock")).map_err(failed("its lock"))?;
    lock.lock().map_err(failed("its lock"))?;
    if !whole.exists() {
        let log = File::create(folder.join("pip.log")).map_err(failed("its log"))?;
        let venv = folder.join("venv");
        let mut make = Command::new(python()?);
        make.args(["-m", "venv", "--clear"]).arg(&venv);
        run(make, PYTHON, &log)?;
        let mut fetch = Command::new(venv.join("bin/pip"));
        fetch.args(["install", "--quiet", "--disable-pip-version-check"]);
        fetch.arg(format!("{package}=={}", cli.version));
        run(fetch, "pip", &log)?;
        File::create(whole).map_err(failed("its mark"))?;
    }
    if !program.exists() {
        return Err(format!("its package has no {}", program.display()));
    }
    let node = None;
    Ok(Place { program, node })
}

/// The first one that starts: a version manager may put a script of the name before none.
fn python() -> Result<PathBuf, String> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let managed = home.and_then(|it| fs::read_dir(it.join(".pyenv/versions")).ok());
    let managed = managed.into_iter().flatten().flatten();
    let managed = managed.map(|it| it.path().join("bin").join(PYTHON));
    let starts = |path: &PathBuf| {
        let mut command = Command::new(path);
        command.arg("--version").stdin(Stdio::null());
        command.output().is_ok_and(|it| it.status.success())
    };
    std::iter::once(PathBuf::from(PYTHON))
        .chain(managed)
        .find(starts)
        .ok_or_else(|| format!("there is no {PYTHON}"))
}

fn run(mut command: Command, name: &str, log: &File) -> Result<(), String> {
    let copy = || log.try_clone().map_err(|error| error.to_string());
    command.stdin(Stdio::null()).stdout(copy()?).stderr(copy()?);
    let mut child = command
        .spawn()
        .map_err(|error| format!("{name} does not start ({error})"))?;
    let status = crate::wait::poll(LIMIT, || child.try_wait().ok()?);
    let Some(status) = status else {
        let _gone = child.kill();
        let _reaped = child.wait();
        return Err(format!("{name} did not end within {LIMIT:?}"));
    };
    match status.success() {
        true => Ok(()),
        false => Err(format!("{name} ended with {status}")),
    }
}
