//! Processes that look like CLIs and do on command what those do by themselves.
//!
//! A command is a line on their standard input, answered by `done` once it was carried out. `claude`,
//! `qwen` and `abide` are shell scripts (`live ID [STATUS [WHY]]` writes the live file, anything else is shell),
//! `codex` is this test program under that name.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use sys::process::Identity;

const SCRIPT: &str = r#"#!/bin/sh
case $0 in *qwen) dir=$HOME/.qwen/sessions;; *) dir=$HOME/.claude/sessions;; esac
mkdir -p "$dir"
file=$dir/$$.json
start() { s=$(cat /proc/$$/stat); set -- ${s##*) }; shift 19; echo "$1"; }
boot() { case $0 in *qwen) echo "$(cat /proc/sys/kernel/random/boot_id):";; esac; }
live() {
  printf '{"pid":%d,"sessionId":"%s","procStart":"%s","status":"%s","waitingFor":"%s"}' \
    $$ "$1" "$(boot)$(start)" "${2:-idle}" "${3:-}" > "$file"
}
while read -r line; do eval "$line"; echo done; done
"#;

/// A home for stand-ins.
pub(crate) struct Place {
    dir: tempfile::TempDir,
    folder: PathBuf,
}

/// A stand-in that runs.
pub(crate) struct StandIn {
    place: PathBuf,
    child: Option<Child>,
    identity: Identity,
    input: Box<dyn Write>,
    output: BufReader<Box<dyn Read>>,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().canonicalize().expect("real");
        for name in ["claude", "qwen", "shell", "abide"] {
            let path = folder.join(name);
            fs::write(&path, SCRIPT).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
        }
        Self { dir, folder }
    }

    /// Four ids that no other test has: who holds one is asked of all processes.
    pub(crate) fn ids(&self) -> [String; 4] {
        let pid = std::process::id();
        [(); 4].map(|()| {
            let n = COUNT.fetch_add(1, Ordering::Relaxed);
            format!("{n:08x}-0000-4000-8000-{pid:012x}")
        })
    }

    /// The environment of the account here.
    pub(crate) fn env(&self) -> impl Fn(&str) -> Option<std::ffi::OsString> {
        let home = self.dir.path().as_os_str().to_owned();
        move |name| (name == "HOME").then(|| home.clone())
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts one as a terminal does: leading a group of its own.
    pub(crate) fn start(&self, name: &str, args: &[&str]) -> StandIn {
        self.spawn(name, args, &[])
    }

    pub(crate) fn start_in_pane(&self, name: &str, args: &[&str]) -> StandIn {
        self.spawn(name, args, &[("ABIDE_PANE", "p7"), ("ABIDE_REAPER", "1:2")])
    }

    fn spawn(&self, name: &str, args: &[&str], env: &[(&str, &str)]) -> StandIn {
        let mut command = match name {
            "codex" | "docker" => this_program(name, args),
            _ => {
                let mut command = Command::new(self.folder.join(name));
                command.args(args);
                command
            }
        };
        let home = self.dir.path();
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").expect("a PATH"));
        command
            .envs(env.iter().copied())
            .env("HOME", home)
            .env("STAND_IN", "codex");
        command.current_dir(&self.folder).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let input = Box::new(child.stdin.take().expect("piped"));
        let output: Box<dyn Read> = Box::new(child.stdout.take().expect("piped"));
        let pid = i32::try_from(child.id()).expect("a pid");
        let mut it = StandIn {
            place: self.folder.clone(),
            child: Some(child),
            identity: Identity::of(pid).expect("it runs"),
            input,
            output: BufReader::new(output),
        };
        it.tell(":");
        it
    }
}

/// This test program under another name. Its harness takes plain words for names of tests and what
/// stands behind `--` too.
fn this_program(name: &str, args: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let (flags, words): (Vec<&str>, Vec<&str>) = args.iter().partition(|it| it.starts_with('-'));
    command.arg0(name).args(words);
    command
        .args(["codex_stand_in", "--exact", "--nocapture", "--"])
        .args(flags);
    command
}

impl StandIn {
    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    /// Does it; gives what it printed meanwhile.
    pub(crate) fn tell(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").expect("it reads");
        self.input.flush().expect("it reads");
        let mut said = String::new();
        loop {
            let mut answer = String::new();
            let n = self.output.read_line(&mut answer).expect("it answers");
            assert!(n > 0, "it ended at: {line}\n{said}");
            if answer.trim_end().ends_with("done") {
                return said;
            }
            said.push_str(&answer);
        }
    }

    /// Starts one as a shell starts a job: in a group of its own, below this one.
    pub(crate) fn start_job(&mut self, name: &str, args: &[&str]) -> Self {
        self.start_below(name, args, "setsid")
    }

    /// Starts one below this one with `how` in front of it.
    pub(crate) fn start_below(&mut self, name: &str, args: &[&str], how: &str) -> Self {
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let (to, from) = (
            self.place.join(format!("to-{n}")),
            self.place.join(format!("from-{n}")),
        );
        let made = Command::new("mkfifo")
            .args([&to, &from])
            .status()
            .expect("mkfifo");
        assert!(made.success());
        let program = match name {
            "codex" => self.codex_line(),
            _ => self.place.join(name).display().to_string(),
        };
        let args: Vec<String> = args.iter().map(|word| format!("'{word}'")).collect();
        let (args, to_text, from_text) = (args.join(" "), to.display(), from.display());
        self.tell(&format!("{how} {program} {args} <{to_text} >{from_text} &"));
        let input = OpenOptions::new().write(true).open(&to).expect("it reads");
        let output: Box<dyn Read> = Box::new(File::open(&from).expect("it writes"));
        let mut it = Self {
            place: self.place.clone(),
            child: None,
            identity: Identity { pid: 0, start: 0 },
            input: Box::new(input),
            output: BufReader::new(output),
        };
        let said = it.tell(match name {
            "codex" => "pid",
            _ => "echo $$",
        });
        let pid = said
            .split_whitespace()
            .last()
            .and_then(|word| word.parse().ok());
        it.identity = pid
            .and_then(Identity::of)
            .unwrap_or_else(|| panic!("no pid in {said:?}"));
        it
    }

    fn codex_line(&self) -> String {
        // `exec -a` is not in every shell; a link has the name too.
        let link = self.place.join("codex");
        let program = std::env::current_exe().expect("this program");
        drop(std::os::unix::fs::symlink(program, &link));
        format!("{} codex_stand_in --exact --nocapture", link.display())
    }

    /// Ends it and waits for that.
    pub(crate) fn end(&mut self) {
        drop(self.identity.signal(sys::process::Signal::KILL));
        if let Some(child) = &mut self.child {
            child.wait().expect("waited");
        }
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.end();
    }
}

/// Codex's part: commands from standard input, until it closes.
pub(crate) fn serve_if_asked() {
    if std::env::var_os("STAND_IN").is_none() {
        return;
    }
    let home = PathBuf::from(std::env::var_os("HOME").expect("a home")).join(".codex");
    let mut open: Vec<(String, File)> = Vec::new();
    for line in std::io::stdin().lines() {
        let line = line.expect("text");
        tick(&home);
        let (word, id) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "lock" | "open-lock" => {
                let path = home.join(format!("thread-writer-locks/{id}.lock"));
                let file = create(&path);
                if word == "lock" {
                    file.lock().expect("locked");
                }
                open.push((format!("lock {id}"), file));
            }
            "transcript" | "inner-transcript" => {
                let source = match word {
                    "transcript" => "\"cli\"",
                    _ => r#"{"subagent":"review"}"#,
                };
                let path = format!("sessions/2026/10/02/rollout-2026-10-02T10-00-00-{id}.jsonl");
                let mut file = create(&home.join(path));
                writeln!(
                    file,
                    r#"{{"type":"session_meta","payload":{{"id":"{id}","source":{source}}}}}"#
                )
                .expect("written");
                open.push((format!("transcript {id}"), file));
            }
            "write" => {
                let name = format!("transcript {id}");
                let found = open.iter_mut().find(|(it, _)| *it == name);
                writeln!(found.expect("open").1, "{{}}").expect("written");
            }
            "daemon" => {
                let path = home.join("app-server-daemon/daemon.pid");
                write!(create(&path), "{}", std::process::id()).expect("written");
            }
            "pid" => say(&std::process::id().to_string()),
            _ => {}
        }
        say("done");
    }
}

/// Waits for the next moment that files can tell apart.
fn tick(home: &Path) {
    let now = || {
        let file = create(&home.join("tick"));
        file.metadata().expect("facts").modified().expect("a time")
    };
    let then = now();
    while now() == then {}
}

fn create(path: &Path) -> File {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    File::create(path).expect("created")
}

fn say(text: &str) {
    println!("{text}");
}
