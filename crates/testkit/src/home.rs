//! A sealed instance: its own folders, its own host, an environment of its own.
//!
//! Promises: commands started here see nothing of the environment the tests run in; dropping it
//! stops the host and the keeper and checks that no process of either is left. There is a keeper only
//! where a test asks for one ([`Home::with_keeper`]): the others look at a host alone, and one that
//! they kill stays dead.

mod keeper;

use crate::processes::{self, Process};
use crate::run::Abide;
use protocol::PaneId;
use rustix::process::Signal;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// How long an ending host and its families may take on a busy machine: 3 s of grace, then a kill loop.
const END: Duration = Duration::from_secs(60);

/// A sealed instance.
#[derive(Debug)]
pub struct Home {
    dir: tempfile::TempDir,
    exe: PathBuf,
    env: Vec<(OsString, OsString)>,
    /// Commands start a keeper beside the host.
    keeper: bool,
    /// Hosts and root reapers that were seen, so that one without our variable is found too.
    seen: Mutex<Vec<Process>>,
}

impl Home {
    /// An empty instance whose commands run `exe`.
    ///
    /// # Panics
    /// When its folders cannot be made.
    #[must_use]
    pub fn new(exe: impl Into<PathBuf>) -> Self {
        let dir = tempfile::Builder::new().prefix("abide-test-").tempdir();
        let dir = dir.expect("a folder");
        for name in ["abide", "user", "work", "tmp"] {
            std::fs::create_dir(dir.path().join(name)).expect("a folder");
        }
        let user = dir.path().join("user");
        // A prompt that tests can wait for, whatever the machine's own shell files say.
        std::fs::write(user.join(".bashrc"), "PS1='ready$ '\n").expect("a file");
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let env = [
            ("ABIDE_HOME", dir.path().join("abide").into_os_string()),
            ("HOME", user.into_os_string()),
            ("TMPDIR", dir.path().join("tmp").into_os_string()),
            ("PATH", path),
            ("SHELL", "/bin/bash".into()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "xterm-256color".into()),
            ("RUST_BACKTRACE", "1".into()),
        ];
        let env = env
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        let home = Self {
            dir,
            exe: exe.into(),
            env,
            keeper: false,
            seen: Mutex::new(Vec::new()),
        };
        home.write_config("");
        home
    }

    /// As [`Home::new`], and commands start a keeper beside the host, as they do for users.
    ///
    /// # Panics
    /// When its folders cannot be made.
    #[must_use]
    pub fn with_keeper(exe: impl Into<PathBuf>) -> Self {
        let mut home = Self::new(exe);
        home.keeper = true;
        home.write_config("");
        home
    }

    /// The program under test.
    #[must_use]
    pub fn exe(&self) -> &Path {
        &self.exe
    }

    /// Uses another file as the program, for tests that replace it.
    pub fn use_exe(&mut self, exe: impl Into<PathBuf>) {
        self.exe = exe.into();
    }

    /// Sets a variable for every command of this instance from now on.
    pub fn set_env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) {
        self.unset_env(&name);
        self.env
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
    }

    /// Removes a variable from the environment of every command from now on.
    pub fn unset_env(&mut self, name: impl AsRef<OsStr>) {
        self.env.retain(|(n, _)| n != name.as_ref());
    }

    /// The whole environment a command gets.
    #[must_use]
    pub fn env(&self) -> &[(OsString, OsString)] {
        &self.env
    }

    /// `ABIDE_HOME`.
    #[must_use]
    pub fn abide_home(&self) -> PathBuf {
        self.dir.path().join("abide")
    }

    /// Where the instance keeps its state.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.abide_home().join("state")
    }

    /// A file in the state folder.
    #[must_use]
    pub fn state_file(&self, name: &str) -> PathBuf {
        self.state().join(name)
    }

    /// The folder commands start in.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    /// The folder that holds everything of this instance.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes `config.toml`; without a keeper, what keeps commands from starting one is added.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write_config(&self, text: &str) {
        let folder = self.abide_home().join("config");
        std::fs::create_dir_all(&folder).expect("the config folder");
        let file = folder.join("config.toml");
        let text = match self.keeper {
            true if text.is_empty() => {
                drop(std::fs::remove_file(&file));
                return;
            }
            true => text.to_owned(),
            // Dotted, and first, so that it belongs to no table of the text.
            false => format!("keeper.enabled = false\n{text}"),
        };
        std::fs::write(file, text).expect("config.toml");
    }

    /// A command of the program under test.
    pub fn abide<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Abide<'_> {
        Abide::new(self, args)
    }

    /// Starts a program in a new pane without looking at it; gives the pane's id.
    ///
    /// # Panics
    /// When `abide new` fails.
    #[track_caller]
    pub fn pane<S: AsRef<OsStr>>(&self, argv: impl IntoIterator<Item = S>) -> PaneId {
        let words = ["new", "--no-attach", "--"].map(OsString::from);
        let argv = argv.into_iter().map(|a| a.as_ref().to_owned());
        let said = self.abide(words.into_iter().chain(argv)).ok();
        said.lines()
            .last()
            .unwrap_or_default()
            .parse()
            .expect("the last line is the pane's id")
    }

    /// Starts a shell script in a new pane; gives the pane's id.
    ///
    /// # Panics
    /// When `abide new` fails.
    #[track_caller]
    pub fn script(&self, script: &str) -> PaneId {
        self.pane(["bash", "--norc", "-c", script])
    }

    /// What `abide capture` prints.
    ///
    /// # Panics
    /// When it fails.
    #[track_caller]
    pub fn capture(&self, pane: PaneId) -> String {
        self.abide(["capture", &pane.to_string()]).ok()
    }

    /// Waits until `abide capture` prints something that matches.
    ///
    /// # Panics
    /// When it does not in time.
    #[track_caller]
    pub fn wait_capture(&self, pane: PaneId, pattern: &str) -> String {
        let regex = crate::wait::pattern(pattern);
        crate::until(&format!("{pattern:?} in {pane}"), || {
            Some(self.capture(pane)).filter(|text| regex.is_match(text))
        })
    }

    /// `host.json`, if it is there and whole.
    #[must_use]
    pub fn host_file(&self) -> Option<Value> {
        let value =
            serde_json::from_slice(&std::fs::read(self.state_file("host.json")).ok()?).ok()?;
        self.remember(&value);
        Some(value)
    }

    fn remember(&self, file: &Value) {
        let mut seen = self
            .seen
            .lock()
            .expect("no test panics while it holds this");
        for facts in [file, &file["root_reaper"]] {
            if let Some(found) = process_of(facts).filter(Process::alive)
                && !seen.contains(&found)
            {
                seen.push(found);
            }
        }
    }

    /// Starts the host if there is none.
    ///
    /// # Panics
    /// When `abide host start` fails.
    #[track_caller]
    pub fn start(&self) -> &Self {
        let _said = self.abide(["host", "start"]).ok();
        let _seen = self.host();
        self
    }

    /// The host that `host.json` names.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    #[track_caller]
    pub fn host(&self) -> Process {
        let file = self.host_file().expect("host.json is there");
        let host = process_of(&file).expect("host.json names a process");
        assert!(host.alive(), "the host that host.json names is dead");
        host
    }

    /// The root reaper that `host.json` names, if any.
    #[must_use]
    pub fn root_reaper(&self) -> Option<Process> {
        process_of(&self.host_file()?["root_reaper"])
    }

    /// Hosts and root reapers alive now that were named by `host.json` at some time, or carry this
    /// home in their environment.
    #[must_use]
    pub fn processes(&self) -> Vec<Process> {
        let _remembered = self.host_file();
        let mut found = processes::of_home(&self.abide_home());
        let seen = self
            .seen
            .lock()
            .expect("no test panics while it holds this");
        found.extend(seen.iter().filter(|p| p.alive()));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Live processes whose command line says that they are a host of this home.
    #[must_use]
    pub fn hosts(&self) -> Vec<Process> {
        let runs = |p: &Process| {
            let command = p.command();
            command.contains("host run") && !command.contains("__root-reaper")
        };
        self.processes().into_iter().filter(runs).collect()
    }

    /// The host's log so far.
    #[must_use]
    pub fn host_log(&self) -> String {
        let raw = std::fs::read(self.state_file("host.log")).unwrap_or_default();
        String::from_utf8_lossy(&raw).into_owned()
    }

    /// Asks the host to stop and waits until no process of this home is left.
    ///
    /// # Panics
    /// When one stays.
    #[track_caller]
    pub fn stop(&self) {
        self.end_new(&mut Vec::new());
        self.wait_empty();
    }

    /// Ends keeper and hosts, each once: one that was just being started takes the place of one that
    /// has ended.
    fn end_new(&self, ended: &mut Vec<Process>) {
        // First the keeper, which would bring back a host that is only killed.
        let keeper = self.keeper();
        for process in keeper.into_iter().chain(self.hosts()) {
            if !ended.contains(&process) {
                process.signal(Signal::CONT);
                process.signal(Signal::TERM);
                ended.push(process);
            }
        }
    }

    /// Waits until no process of this home is left.
    ///
    /// # Panics
    /// When one stays, naming all that do.
    #[track_caller]
    pub fn wait_empty(&self) {
        if let Some(left) = self.left_over(false) {
            panic!(
                "processes of {} are left: {left:#?}",
                self.dir.path().display()
            );
        }
    }

    /// What is left after the time that an end may take; `None` when nothing is.
    /// `ending`: whoever is new meanwhile is ended too.
    fn left_over(&self, ending: bool) -> Option<Vec<String>> {
        let mut ended = Vec::new();
        let empty = || {
            if ending {
                self.end_new(&mut ended);
            }
            self.processes().is_empty().then_some(())
        };
        if crate::wait::poll(END, empty).is_some() {
            return None;
        }
        let named = |p: &Process| format!("{} {}", p.pid, p.command());
        Some(self.processes().iter().map(named).collect())
    }
}

/// The process that an object with `pid` and `start` names.
fn process_of(facts: &Value) -> Option<Process> {
    let pid = i32::try_from(facts["pid"].as_i64()?).ok()?;
    Some(Process {
        pid,
        start: facts["start"].as_u64()?,
    })
}

impl Drop for Home {
    fn drop(&mut self) {
        let failing = std::thread::panicking();
        self.end_keeper(END);
        self.end_new(&mut Vec::new());
        let left = self.left_over(true);
        if failing || left.is_some() {
            print_log("host", &self.host_log());
            print_log("keeper", &self.keeper_log());
        }
        for process in self.processes() {
            process.signal(Signal::KILL);
        }
        // A second panic while the first unwinds would end the whole test run.
        assert!(left.is_none() || failing, "processes were left: {left:#?}");
    }
}

/// The end of a daemon's log, beside the failure it may explain.
#[expect(clippy::print_stderr, reason = "what a failed test shows")]
fn print_log(whose: &str, log: &str) {
    if log.is_empty() {
        return;
    }
    let lines: Vec<_> = log.lines().collect();
    let last = lines.len().saturating_sub(40);
    eprintln!(
        "--- end of the {whose}'s log ---\n{}\n---",
        lines[last..].join("\n")
    );
}
