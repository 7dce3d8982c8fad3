//! What it keeps on disk: conversations, the live file of this process, a log for tests.
//!
//! All below `FAKE_HOME`, else `~/.fake`: `projects/<folder with every other character a dash>/<id>.jsonl`,
//! `sessions/<pid>.json`, `locks/<id>.lock`, `log.jsonl`, `settings`, `gate`, `release`.

use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use sys::files::Lock;
use sys::process::Identity;

/// Its folder.
pub(crate) struct Store {
    home: PathBuf,
    cwd: PathBuf,
}

/// The first thing the log says of a process.
pub(crate) fn facts_of_start() -> Value {
    let env: serde_json::Map<String, Value> = std::env::vars_os()
        .map(|(n, v)| {
            (
                n.to_string_lossy().into_owned(),
                v.to_string_lossy().into_owned().into(),
            )
        })
        .collect();
    let argv: Vec<String> = std::env::args_os()
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    json!({ "argv": argv, "env": env, "parent": sys::process::parent() })
}

impl Store {
    /// Opens it, making what is missing.
    pub(crate) fn open() -> io::Result<Self> {
        let home = match std::env::var_os("FAKE_HOME") {
            Some(home) => PathBuf::from(home),
            None => {
                PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/".into())).join(".fake")
            }
        };
        let cwd = std::env::current_dir()?;
        for name in ["sessions", "locks"] {
            fs::create_dir_all(home.join(name))?;
        }
        fs::create_dir_all(project(&home, &cwd))?;
        Ok(Self { home, cwd })
    }

    /// The switches of every start; empty without the file.
    pub(crate) fn settings(&self) -> String {
        fs::read_to_string(self.home.join("settings")).unwrap_or_default()
    }

    /// The folder it was started in.
    pub(crate) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Writes a line for tests.
    pub(crate) fn log(&self, event: &str, more: &Value) -> io::Result<()> {
        let mut line = json!({ "event": event, "pid": std::process::id(), "cwd": self.cwd });
        if let (Some(line), Some(more)) = (line.as_object_mut(), more.as_object()) {
            line.extend(more.clone());
        }
        append(&self.home.join("log.jsonl"), &line)
    }

    /// Where a conversation lies: in this folder's project, else in any.
    pub(crate) fn find(&self, id: &str) -> Option<PathBuf> {
        let name = format!("{id}.jsonl");
        let here = project(&self.home, &self.cwd).join(&name);
        if here.exists() {
            return Some(here);
        }
        let projects = fs::read_dir(self.home.join("projects")).ok()?;
        projects
            .filter_map(Result::ok)
            .map(|p| p.path().join(&name))
            .find(|p| p.exists())
    }

    /// Adds a line to a conversation.
    pub(crate) fn write(&self, id: &str, line: &Value) -> io::Result<()> {
        let path = self
            .find(id)
            .unwrap_or_else(|| project(&self.home, &self.cwd).join(format!("{id}.jsonl")));
        append(&path, line)
    }

    /// The lines of a conversation; none when it is not there.
    pub(crate) fn read(&self, id: &str) -> Vec<Value> {
        let text = self
            .find(id)
            .and_then(|path| fs::read_to_string(path).ok())
            .unwrap_or_default();
        text.lines()
            .filter_map(|l| serde_json::from_str(l).ok())
            .collect()
    }

    /// Says what this process does.
    pub(crate) fn write_live(
        &self,
        id: &str,
        kind: &str,
        status: &str,
        version: &str,
    ) -> io::Result<()> {
        let me = Identity::me();
        let facts = json!({
            "pid": me.pid, "procStart": me.start.to_string(), "sessionId": id, "cwd": self.cwd,
            "version": version, "kind": kind, "status": status,
        });
        let text = facts.to_string();
        sys::files::write_atomic(&self.live(), text.as_bytes()).map_err(io::Error::other)
    }

    /// Takes the live file away.
    pub(crate) fn remove_live(&self) {
        let _was_not_there = fs::remove_file(self.live());
    }

    fn live(&self) -> PathBuf {
        let pid = Identity::me().pid;
        self.home.join(format!("sessions/{pid}.json"))
    }

    /// Holds a conversation's lock until it is dropped; `None`: somebody else does.
    pub(crate) fn lock(&self, id: &str) -> Option<Lock> {
        Lock::try_exclusive(&self.home.join(format!("locks/{id}.lock")))
            .ok()
            .flatten()
    }

    /// The last file a turn may write while the gate stands.
    pub(crate) fn gate(&self) -> Option<usize> {
        let text = fs::read_to_string(self.home.join("gate")).ok()?;
        text.trim().parse().ok()
    }

    /// Whether a test lets held turns end.
    pub(crate) fn released(&self) -> bool {
        self.home.join("release").exists()
    }

    /// Counts one more failed resume; gives how many there were before.
    pub(crate) fn count_crash(&self) -> io::Result<u32> {
        let path = self.home.join("crashes");
        let before = fs::read_to_string(&path)
            .ok()
            .and_then(|t| t.trim().parse().ok())
            .unwrap_or(0);
        fs::write(path, (before + 1_u32).to_string())?;
        Ok(before)
    }
}

fn project(home: &Path, cwd: &Path) -> PathBuf {
    let dashed: String = cwd
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    home.join("projects").join(dashed)
}

/// One write, so that lines of several processes never mix.
fn append(path: &Path, line: &Value) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

/// Runs the hooks that `FAKE_PLUGIN_DIRS` adds: `sh -c COMMAND` with the payload as its input.
pub(crate) fn run_hooks(event: &str, payload: &Value) -> io::Result<()> {
    let folders = std::env::var_os("FAKE_PLUGIN_DIRS").unwrap_or_default();
    for folder in std::env::split_paths(&folders).filter(|f| f.is_absolute()) {
        let Ok(text) = fs::read_to_string(folder.join("hooks/hooks.json")) else {
            continue;
        };
        let file: Value = serde_json::from_str(&text)?;
        let groups = file["hooks"][event].as_array().cloned().unwrap_or_default();
        let commands = groups
            .iter()
            .flat_map(|g| g["hooks"].as_array().cloned().unwrap_or_default());
        for command in commands.filter_map(|c| Some(c["command"].as_str()?.to_owned())) {
            let mut child = std::process::Command::new("sh")
                .args(["-c", &command])
                .stdin(std::process::Stdio::piped())
                .stdout(std::process::Stdio::null())
                .spawn()?;
            if let Some(mut input) = child.stdin.take() {
                let _ended_early = input.write_all(payload.to_string().as_bytes());
            }
            child.wait()?;
        }
    }
    Ok(())
}
