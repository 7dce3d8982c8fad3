//! Starting and being the host: which program, with which settings, under which reaper.

use crate::config::Config;
use crate::failure::Failure;
use crate::out::say;
use crate::under_way::UnderWay;
use link::{Places, Starter};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;
use sys::process::Identity;
use term::EngineKind;

/// How long a command waits for a host that is silent or on its way up.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// What starts a host, telling the user on stderr what is waited for.
#[must_use]
pub fn starter() -> Starter {
    let mut starter = Starter::new(own_program());
    starter.say = Box::new(say);
    starter
}

/// This very program, also when the file it was started from has been replaced since: the kernel
/// then names it "... (deleted)" and only the process itself still leads to it.
#[must_use]
pub fn own_program() -> PathBuf {
    let named = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("abide"));
    program_behind(&named, std::process::id())
}

fn program_behind(named: &Path, pid: u32) -> PathBuf {
    if named
        .as_os_str()
        .as_encoded_bytes()
        .ends_with(b" (deleted)")
    {
        // By number, not `self`: it is another process that follows the link.
        return PathBuf::from(format!("/proc/{pid}/exe"));
    }
    named.to_owned()
}

/// Starts the keeper beside the host, where the settings want one and none lives. That it cannot be
/// started is told and hinders nothing.
pub fn keep(config: &Config, places: &Places) {
    if config.keeper_enabled()
        && let Err(failure) = start_keeper(places)
    {
        say(&failure.text);
    }
}

/// Waits until a keeper that was started holds its lock, so that whoever looks next finds it.
fn wait_keeper(places: &Places) {
    let begun = std::time::Instant::now();
    while begun.elapsed() < Duration::from_secs(2) && !link::keeper::lives(places) {
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Starts a keeper, unless one lives or this is typed inside a pane.
///
/// # Errors
/// It cannot be executed.
pub fn start_keeper(places: &Places) -> Result<(), Failure> {
    let program = own_program();
    let mut argv = vec![program.clone().into_os_string()];
    argv.extend(["keeper", "run", "--detached"].map(OsString::from));
    match link::keeper::ensure(places, &argv) {
        Ok(started) => {
            if started {
                wait_keeper(places);
            }
            Ok(())
        }
        Err(error) => Err(Failure::new(format!(
            "the keeper did not start, so nothing is recorded: {}: {}",
            program.display(),
            sys::files::plain(&error)
        ))),
    }
}

/// What the keeper is told, from the settings.
#[must_use]
pub fn keeper_config(config: &Config, places: &Places) -> keeper::Config {
    let agents = agents::Catalogue::load(&places.config.join("agents"));
    agents.left_out.iter().for_each(|line| say(line));
    keeper::Config {
        places: places.clone(),
        starter: Starter::new(own_program()),
        catalogue: agents.catalogue,
        shell: shell(config).into(),
        build: build(),
        live: live(places.config_file(), config.clone()),
        turns: Box::new(UnderWay::new(
            &places.state,
            &own_program(),
            places.home.as_deref(),
        )),
    }
}

/// Reads the settings that may change while the keeper runs; a file that cannot be used leaves them as
/// they were when it started.
fn live(file: PathBuf, at_start: Config) -> Box<dyn Fn() -> keeper::Live> {
    Box::new(move || {
        let now = Config::load(&file).unwrap_or_else(|_| at_start.clone());
        keeper::Live {
            vault: now.vault(),
            screens: now.screens(),
            notify: now.notify(),
            start: now.restore_start(),
            go_on: now.restore_continue(),
        }
    })
}

/// What the host is told, from the settings.
#[must_use]
pub fn host_config(
    config: &Config,
    places: &link::Places,
    root_reaper: Option<Identity>,
) -> ptyhost::HostConfig {
    let mut host = ptyhost::HostConfig::new(places.state.clone());
    host.idle_exit = config.idle_exit();
    host.terminal.scrollback_lines = config.scrollback_lines();
    host.terminal.engine = engine(config);
    host.build = build();
    host.root_reaper = root_reaper;
    host.sealed_home.clone_from(&places.home);
    host
}

/// The settings allow no other word than those of the engines there are.
fn engine(config: &Config) -> EngineKind {
    match config.engine() {
        "vt100" => EngineKind::Vt100,
        _ => EngineKind::default(),
    }
}

/// This build's name, for people.
#[must_use]
pub fn build() -> String {
    format!("abide {}", env!("CARGO_PKG_VERSION"))
}

/// The shell a new pane runs when no command is named: the setting, else the user's, else `sh`.
#[must_use]
pub fn shell(config: &Config) -> OsString {
    if !config.shell().is_empty() {
        return config.shell().into();
    }
    match std::env::var_os("SHELL") {
        Some(shell) if Path::new(&shell).is_absolute() => shell,
        _ => OsString::from("/bin/sh"),
    }
}

/// This process's environment, as bytes.
#[must_use]
pub fn environment() -> Vec<(Vec<u8>, Vec<u8>)> {
    let bytes = |text: &OsStr| text.as_encoded_bytes().to_vec();
    std::env::vars_os()
        .map(|(name, value)| (bytes(&name), bytes(&value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A build replaced by rename under a running program (herdr#516).
    #[test]
    fn a_replaced_program_is_reached_through_the_process() {
        let check = |named: &str, want: &str| {
            assert_eq!(program_behind(Path::new(named), 7), Path::new(want));
        };
        check("/usr/bin/abide", "/usr/bin/abide");
        check("/usr/bin/abide (deleted)", "/proc/7/exe");
    }
}
