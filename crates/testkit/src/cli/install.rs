//! Pinned packages from npm, each once, into a folder that outlives the tests.

use crate::cli::Cli;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long one package may take: several hundred megabytes.
const LIMIT: Duration = Duration::from_secs(400);
/// The Node that newer CLIs get where the machine's own is too old.
const NODE: &str = "24.21.0";

/// Where a CLI lies.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) program: PathBuf,
    /// A Node that runs it, where the machine's own does not.
    pub(crate) node: Option<PathBuf>,
}

/// Installs it if it is not yet.
pub(crate) fn install(cli: &Cli) -> Result<Place, String> {
    let own = node_version()?;
    let folder = package(cli.name, cli.package, cli.version)?;
    let program = folder.join("node_modules/.bin").join(cli.program);
    if !program.exists() {
        return Err(format!("its package has no {}", program.display()));
    }
    let node = if own < cli.node {
        Some(newer_node()?)
    } else {
        None
    };
    Ok(Place { program, node })
}

fn newer_node() -> Result<PathBuf, String> {
    let arch = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    let name = format!("node-linux-{arch}");
    let folder = package("node", &name, NODE)?;
    Ok(folder.join("node_modules").join(name).join("bin/node"))
}

/// The major version of the machine's Node.
fn node_version() -> Result<u32, String> {
    let output = Command::new("node")
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    let output = output.map_err(|error| format!("node does not start ({error})"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let major = said.trim().trim_start_matches('v').split('.').next();
    major
        .and_then(|m| m.parse().ok())
        .ok_or_else(|| format!("node says {said:?}"))
}

fn cache() -> PathBuf {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    named("ABIDE_TEST_CLIS").unwrap_or_else(|| {
        let target = named("CARGO_TARGET_DIR");
        let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
        target.unwrap_or_else(own).join("real-clis")
    })
}

/// The folder of a package; npm is asked once, others wait for it.
fn package(name: &str, package: &str, version: &str) -> Result<PathBuf, String> {
    let folder = cache().join(format!("{name}-{version}"));
    let whole = folder.join("whole");
    let failed = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
    fs::create_dir_all(&folder).map_err(failed("its folder"))?;
    let lock = File::create(folder.join("lock")).map_err(failed("its lock"))?;
    lock.lock().map_err(failed("its lock"))?;
    if whole.exists() {
        return Ok(folder);
    }
    let log = File::create(folder.join("npm.log")).map_err(failed("its log"))?;
    npm(&folder, &format!("{package}@{version}"), log)?;
    File::create(whole).map_err(failed("its mark"))?;
    Ok(folder)
}

fn npm(folder: &Path, what: &str, log: File) -> Result<(), String> {
    let mut command = Command::new("npm");
    command.args(["install", "--prefix"]).arg(folder);
    command.args([
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--no-progress",
        "--loglevel",
        "warn",
        what,
    ]);
    command
        .env("npm_config_update_notifier", "false")
        .current_dir(folder);
    let copy = log.try_clone().map_err(|error| error.to_string())?;
    command.stdin(Stdio::null()).stdout(log).stderr(copy);
    let mut child = command
        .spawn()
        .map_err(|error| format!("npm does not start ({error})"))?;
    let status = crate::wait::poll(LIMIT, || child.try_wait().ok()?);
    let Some(status) = status else {
        let _gone = child.kill();
        let _reaped = child.wait();
        return Err(format!("npm did not install {what} within {LIMIT:?}"));
    };
    if status.success() {
        return Ok(());
    }
    let said = fs::read_to_string(folder.join("npm.log")).unwrap_or_default();
    let line = said
        .lines()
        .find(|l| l.contains("error") || l.contains("ERR"))
        .unwrap_or_default();
    Err(format!("npm cannot install {what} ({status}): {line}"))
}
