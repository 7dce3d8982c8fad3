//! The fake agent: a CLI of ours that behaves like a coding agent's, and misbehaves on demand.
//!
//! In: a [`Home`], switches. Out: what the fake agents of that home did, from their own log.
//! Promises: the program is on the `PATH` as `fake-agent` and described to abide by a data file
//! (`fake`), both only inside the home; nothing it says is guessed from a screen.
//!
//! # The program
//! `fake-agent [--session-id ID | --resume ID] [--permission-mode MODE | --yolo] [-p] [PROMPT]`, and
//! `--version`. It is built with the root package's tests (`test-fakes` in its manifest).
//!
//! It reads its terminal in raw mode, key by key; Enter ends a line. A line is a turn or a command:
//!
//! | line | does |
//! | --- | --- |
//! | `hold` | works and never answers, until [`FakeAgent::release`] |
//! | `slow N` | N words, one every 20 ms |
//! | `files N` | writes `file-01.txt` .. one every 20 ms, no further than the [`FakeAgent::gate`]; a file that is there stays as it is |
//! | `ask` | needs input until a line comes; `y..` is yes |
//! | anything | `you said: ..` |
//! | `/exit`, `/quit`, ctrl-d | ends with status 0; ctrl-c twice too |
//! | `/fail N`, `/abort` | ends with status N; dies by SIGABRT |
//! | `/clear`, `/new`; `/branch`; `/resume ID` | another conversation, in the same process |
//! | `/mode MODE` | a permission mode, written to the conversation |
//! | `/env NAME` | prints `NAME=value` |
//! | `/title T`, `/bell`, `/notify T` | OSC 0, BEL, OSC 9 |
//! | `/child` | starts a `sleep` in a session of its own |
//! | `/nested TEXT` | runs itself headless, as agents run agents |
//!
//! ctrl-c or escape ends a turn and writes that down; ctrl-z stops it. Lines typed during a turn wait.
//!
//! Its folder is `FAKE_HOME`, else `~/.fake`. `projects/<folder, dashes>/<id>.jsonl` appears with the
//! first turn (`type` user, assistant, interrupted, mode; `text`, `permissionMode`);
//! `sessions/<pid>.json` has `pid`, `procStart`, `sessionId`, `status` (idle, busy, waiting) and
//! follows `/clear` at once. States go out as OSC 7501 (`app=fake`) too. Opened again with
//! `FAKE_RESUME_INTERRUPTED_TURN=1` it goes on with a turn that was cut.
//!
//! Hooks: `FAKE_PLUGIN_DIRS` names folders with `hooks/hooks.json` in Claude Code's form (SessionStart,
//! UserPromptSubmit, PermissionRequest, Stop, SessionEnd).
//!
//! # Switches
//! On the command line with two dashes, or one a line in `settings` ([`FakeAgent::settings`]), where
//! they hold for every start from then on, so also for a resumed one:
//!
//! | switch | means |
//! | --- | --- |
//! | `on-resume notice` | stops at a notice that wants Enter before it opens the conversation |
//! | `on-resume other` | opens a new conversation in place of the one it is asked for |
//! | `on-resume lost` | says that the conversation is not there, though it is |
//! | `on-resume crash[:TIMES[:WORDS]]` | ends with status 3 and these words, the first TIMES times (0: always) |
//! | `on-term exit` / `status` / `die` / `ignore` | at TERM and HUP: status 0 and its live file removed (the default); 143 or 129; death by the signal; nothing |
//! | `answer TEXT` | every turn is answered so, e.g. `API Error: 429 ..` |
//! | `slow-start MS` | so long after its start it reads nothing and shows nothing |
//! | `no-live` | no live file |
//! | `lock` | holds `locks/<id>.lock`, refuses a conversation that is held |
//! | `silent` | no OSC 7501 |
//! | `launcher` | a second process in front of it that ignores signals, as npm's |
//! | `version-number V` | what `--version` and the live file say |

use crate::home::Home;
use crate::processes::Process;
use protocol::PaneId;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// What abide is told about it: `agents/fake.toml`.
pub const DATA: &str = include_str!("fake_agent/fake.toml");

/// The fake agent of one home.
#[derive(Clone, Debug)]
pub struct FakeAgent {
    home: PathBuf,
    bin: PathBuf,
}

/// One start of the program.
#[derive(Clone, Debug)]
pub struct Start {
    /// The process.
    pub pid: i32,
    /// Its command line.
    pub argv: Vec<String>,
    /// Its folder.
    pub cwd: PathBuf,
    /// Its environment, name and value.
    pub env: Value,
}

impl FakeAgent {
    /// Puts the program on the home's `PATH` and its data file into the config folder.
    ///
    /// # Panics
    /// When the program was not built or a file cannot be written.
    #[must_use]
    pub fn install(home: &mut Home) -> Self {
        Self::install_data(home, DATA)
    }

    /// The same with another data file, e.g. [`DATA`] with parts replaced.
    ///
    /// # Panics
    /// As above.
    #[must_use]
    pub fn install_data(home: &mut Home, data: &str) -> Self {
        let built = home.exe().with_file_name("fake-agent");
        assert!(built.exists(), "{} was not built", built.display());
        let bin = home.path().join("bin");
        let agents = home.abide_home().join("config/agents");
        for folder in [&bin, &agents] {
            fs::create_dir_all(folder).expect("a folder");
        }
        fs::write(agents.join("fake.toml"), data).expect("the data file");
        let agent = Self {
            home: home.path().join("user/.fake"),
            bin,
        };
        agent.link(&built, "fake-agent");
        fs::create_dir_all(&agent.home).expect("its folder");
        let path = home.env().iter().find(|(name, _)| name == "PATH");
        let rest = path.map(|(_, value)| value.clone()).unwrap_or_default();
        let mut path = agent.bin.clone().into_os_string();
        path.push(":");
        path.push(rest);
        home.set_env("PATH", path);
        agent
    }

    /// Puts it on the `PATH` under another name too, e.g. `claude`, to be taken for that CLI.
    ///
    /// # Panics
    /// When it cannot be linked or copied.
    pub fn also_as(&self, name: &str) {
        self.link(&self.program(), name);
    }

    fn link(&self, from: &Path, name: &str) {
        let to = self.bin.join(name);
        // A link keeps the name that `/proc/PID/exe` shows; another file system wants a copy.
        if fs::hard_link(from, &to).is_err() {
            let _size = fs::copy(from, &to).expect("a copy of the fake agent");
        }
    }

    /// Its path.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.bin.join("fake-agent")
    }

    /// Its folder, `~/.fake`.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.home
    }

    /// Switches of every start from now on, one a line; replaces those before.
    ///
    /// # Panics
    /// When they cannot be written.
    pub fn settings(&self, lines: &[&str]) {
        fs::write(self.home.join("settings"), lines.join("\n")).expect("settings");
    }

    /// Lets `files N` go no further than this file; `None`: to its end.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn gate(&self, last: Option<usize>) {
        let path = self.home.join("gate");
        match last {
            Some(last) => fs::write(path, last.to_string()).expect("the gate"),
            None => drop(fs::remove_file(path)),
        }
    }

    /// Lets every held turn end with `released`.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn release(&self) {
        fs::write(self.home.join("release"), "").expect("the release");
    }

    /// Everything that happened, in order: objects with `event` (start, read, typed, turn, continued,
    /// changed, interrupt, signal, end), `pid`, `cwd`, and more by event.
    #[must_use]
    pub fn log(&self) -> Vec<Value> {
        lines(&self.home.join("log.jsonl"))
    }

    /// The events of one name.
    #[must_use]
    pub fn events(&self, name: &str) -> Vec<Value> {
        let mut log = self.log();
        log.retain(|line| line["event"] == name);
        log
    }

    /// Every start so far.
    #[must_use]
    pub fn starts(&self) -> Vec<Start> {
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let start = |line: &Value| Start {
            pid: pid_of(line),
            argv: line["argv"]
                .as_array()
                .map(|a| a.iter().map(text).collect())
                .unwrap_or_default(),
            cwd: text(&line["cwd"]).into(),
            env: line["env"].clone(),
        };
        self.events("start").iter().map(start).collect()
    }

    /// Waits for this many starts, gives them.
    ///
    /// # Panics
    /// When there are not that many in time.
    #[must_use]
    #[track_caller]
    pub fn wait_starts(&self, count: usize) -> Vec<Start> {
        crate::until(&format!("{count} starts of the fake agent"), || {
            Some(self.starts()).filter(|starts| starts.len() >= count)
        })
    }

    /// Lines that a process was sent through its terminal.
    #[must_use]
    pub fn typed(&self, pid: i32) -> Vec<String> {
        let mut typed = self.events("typed");
        typed.retain(|line| pid_of(line) == pid);
        typed
            .iter()
            .map(|line| line["text"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Every byte that a process read from its terminal, which is in raw mode: what reached the pane's
    /// input, by the word of who is at its other end.
    #[must_use]
    pub fn read(&self, pid: i32) -> Vec<u8> {
        let mut read = self.events("read");
        read.retain(|line| pid_of(line) == pid);
        let bytes = read.iter().filter_map(|line| line["bytes"].as_array());
        let byte = |byte: &Value| byte.as_u64().and_then(|byte| u8::try_from(byte).ok());
        bytes.flatten().filter_map(byte).collect()
    }

    /// Not one byte reached a process through its terminal. It asks the terminal nothing, so there is no
    /// answer either; it lives and reads, so nothing waits unread.
    ///
    /// # Panics
    /// When one did, or nobody reads.
    #[track_caller]
    pub fn assert_untouched(&self, pid: i32) {
        assert!(Process::of(pid).is_some(), "process {pid} does not live");
        let read = self.read(pid);
        assert!(
            read.is_empty(),
            "typed: {:?}",
            String::from_utf8_lossy(&read)
        );
    }

    /// The live files of processes that live, by pid.
    #[must_use]
    pub fn live(&self) -> Vec<Value> {
        let Ok(files) = fs::read_dir(self.home.join("sessions")) else {
            return Vec::new();
        };
        let read = |file: fs::DirEntry| -> Option<Value> {
            let facts: Value = serde_json::from_slice(&fs::read(file.path()).ok()?).ok()?;
            let start = facts["procStart"].as_str()?.parse().ok()?;
            let process = Process {
                pid: pid_of(&facts),
                start,
            };
            process.alive().then_some(facts)
        };
        let mut live: Vec<_> = files.filter_map(|file| read(file.ok()?)).collect();
        live.sort_by_key(pid_of);
        live
    }

    /// Waits until a living process says that it has this conversation, gives its pid.
    ///
    /// # Panics
    /// When none does in time.
    #[track_caller]
    pub fn wait_live(&self, id: &str) -> i32 {
        crate::until(&format!("a fake agent with {id}"), || {
            let found = self
                .live()
                .into_iter()
                .find(|facts| facts["sessionId"] == id)?;
            Some(pid_of(&found))
        })
    }

    /// The lines of a conversation.
    #[must_use]
    pub fn transcript(&self, id: &str) -> Vec<Value> {
        let path = self.transcript_path(id);
        path.map(|path| lines(&path)).unwrap_or_default()
    }

    /// Where a conversation lies, if it is there.
    #[must_use]
    pub fn transcript_path(&self, id: &str) -> Option<PathBuf> {
        let projects = fs::read_dir(self.home.join("projects")).ok()?;
        projects
            .filter_map(Result::ok)
            .map(|p| p.path().join(format!("{id}.jsonl")))
            .find(|path| path.exists())
    }

    /// Starts one in a new pane with these arguments, waits until it is ready, gives pane and pid.
    ///
    /// # Panics
    /// When it does not start.
    #[track_caller]
    pub fn pane(&self, home: &Home, args: &[&str]) -> (PaneId, i32) {
        let before = self.starts().len();
        let mut argv = vec!["fake-agent"];
        argv.extend(args);
        let pane = home.pane(argv);
        home.wait_capture(pane, "^fake>");
        let starts = self.wait_starts(before + 1);
        (pane, starts[before].pid)
    }
}

fn pid_of(line: &Value) -> i32 {
    line["pid"]
        .as_i64()
        .and_then(|pid| i32::try_from(pid).ok())
        .unwrap_or_default()
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
