//! Pinned packages from npm, each once, into a folder that outlives the tests.
//!
//! Promises: a package is there whole or not at all, whoever was killed while it was fetched; one
//! process fetches it, the others wait; a registry's hiccup is asked again; one that cannot be reached
//! costs a few minutes in all, not a few for every test: the failure is written down and believed.

use crate::cli::Cli;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long npm may take for one package, all tries together: several hundred megabytes.
const LIMIT: Duration = Duration::from_secs(240);
/// How often npm is asked for one package.
const TRIES: u32 = 3;
/// Before it is asked again.
const PAUSE: Duration = Duration::from_secs(3);
/// How long nobody asks again after a failure.
const BELIEVED: Duration = Duration::from_secs(900);
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

pub(crate) fn cache() -> PathBuf {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    named("ABIDE_TEST_CLIS").unwrap_or_else(|| {
        let target = named("CARGO_TARGET_DIR");
        let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
        target.unwrap_or_else(own).join("real-clis")
    })
}

/// The folder of a package; npm is asked by one process, others wait for it.
fn package(name: &str, package: &str, version: &str) -> Result<PathBuf, String> {
    let (cache, place) = (cache(), format!("{name}-{version}"));
    let folder = cache.join(&place);
    if folder.join("whole").exists() {
        return Ok(folder);
    }
    let failed = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
    fs::create_dir_all(&cache).map_err(failed("its folder"))?;
    let lock = File::create(cache.join(format!("{place}.lock"))).map_err(failed("its lock"))?;
    lock.lock().map_err(failed("its lock"))?;
    if folder.join("whole").exists() {
        return Ok(folder);
    }
    let (one, all) = (
        cache.join(format!("{place}.failed")),
        cache.join("npm.failed"),
    );
    if let Some(why) = believed(&one).or_else(|| believed(&all)) {
        return Err(why);
    }
    let new = cache.join(format!("{place}.new"));
    let fetched = fetch(&new, &format!("{package}@{version}"));
    if let Err(why) = fetched {
        // What npm does not have says nothing of other packages.
        let place = if is_final(&why) { one } else { all };
        fs::write(place, &why).map_err(failed("its failure"))?;
        return Err(why);
    }
    // Half of it may lie there, from before it was put in place as a whole.
    drop(fs::remove_dir_all(&folder));
    fs::rename(&new, &folder).map_err(failed("its place"))?;
    Ok(folder)
}

/// What a failure that is not old says.
fn believed(file: &Path) -> Option<String> {
    let age = fs::metadata(file).ok()?.modified().ok()?.elapsed().ok()?;
    let why = fs::read_to_string(file).ok()?;
    (age < BELIEVED).then(|| format!("{why} ({} s ago)", age.as_secs()))
}

/// npm was answered: there is no such package, or none for this machine.
fn is_final(why: &str) -> bool {
    ["E404", "ETARGET", "EBADPLATFORM", "does not start"]
        .iter()
        .any(|word| why.contains(word))
}

/// Installs into an empty folder and marks it as whole; asks npm a few times.
fn fetch(folder: &Path, what: &str) -> Result<(), String> {
    let until = Instant::now() + LIMIT;
    let mut tries = 0;
    loop {
        tries += 1;
        let failed = |error: std::io::Error| format!("its folder: {error}");
        drop(fs::remove_dir_all(folder));
        fs::create_dir_all(folder).map_err(failed)?;
        let left = until.saturating_duration_since(Instant::now());
        let why = match npm(folder, what, left) {
            Ok(()) => return File::create(folder.join("whole")).map(drop).map_err(failed),
            Err(why) => why,
        };
        if is_final(&why) || tries >= TRIES || Instant::now() + PAUSE >= until {
            return Err(why);
        }
        crate::wait::holds_for(PAUSE, "time passes", || true);
    }
}

fn npm(folder: &Path, what: &str, limit: Duration) -> Result<(), String> {
    let log = folder.join("npm.log");
    let out = File::create(&log).map_err(|error| error.to_string())?;
    let copy = out.try_clone().map_err(|error| error.to_string())?;
    let mut command = Command::new("npm");
    command.args(["install", "--prefix"]).arg(folder);
    command.args(["--no-save", "--no-audit", "--no-fund", "--no-progress"]);
    command.args(["--loglevel", "warn", what]);
    // It is asked again from here; by itself it would wait for a minute between two tries.
    command
        .env("npm_config_update_notifier", "false")
        .env("npm_config_fetch_retries", "1")
        .env("npm_config_fetch_retry_mintimeout", "1000")
        .current_dir(folder);
    command.stdin(Stdio::null()).stdout(out).stderr(copy);
    let mut child = command
        .process_group(0)
        .spawn()
        .map_err(|error| format!("npm does not start ({error})"))?;
    let status = crate::wait::poll(limit, || child.try_wait().ok()?);
    let Some(status) = status else {
        end(&mut child);
        return Err(format!("npm did not install {what} within {LIMIT:?}"));
    };
    if status.success() {
        return Ok(());
    }
    let said = fs::read_to_string(log).unwrap_or_default();
    let told = said
        .lines()
        .filter(|l| l.contains("error") || l.contains("ERR"));
    let told: Vec<_> = told.take(3).map(str::trim).collect();
    Err(format!(
        "npm cannot install {what} ({status}): {}",
        told.join("; ")
    ))
}

/// Ends npm with what it started, which would go on writing into the folder.
fn end(child: &mut Child) {
    if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
        let _gone = kill_process_group(group, Signal::KILL);
    }
    let _gone = child.kill();
    let _reaped = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_npm_does_not_have_is_final_and_a_lost_connection_is_not() {
        for (why, want) in [
            (
                "npm cannot install x (exit status: 1): npm error code E404",
                true,
            ),
            ("npm error code ETARGET", true),
            ("npm does not start (No such file or directory)", true),
            ("npm error code ECONNREFUSED", false),
            ("npm did not install x within 240s", false),
        ] {
            assert_eq!(is_final(why), want, "{why}");
        }
    }

    #[test]
    fn a_failure_is_believed_for_a_while() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("npm.failed");
        assert_eq!(believed(&file), None);
        fs::write(&file, "no network").expect("written");
        let told = believed(&file).expect("it is new");
        assert!(told.starts_with("no network ("), "{told}");
        let old = std::time::SystemTime::now() - BELIEVED * 2;
        let times = fs::FileTimes::new().set_modified(old);
        File::options()
            .write(true)
            .open(&file)
            .and_then(|file| file.set_times(times))
            .expect("set back");
        assert_eq!(believed(&file), None);
    }
}
