//! The two peers behind one trait: start a server, make a pane, attach a client, stop.

use crate::screen::Screen;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Something that keeps terminals.
pub(crate) trait Peer {
    /// Makes a detached 120x40 pane that runs `sh SCRIPT`; gives its name.
    fn pane(&mut self, script: &Path) -> String;
    /// The command that attaches a terminal to that pane.
    fn attach(&self, pane: &str) -> Vec<String>;
    /// The process that owns the terminals.
    fn server(&self) -> u32;
    /// A folder of its own.
    fn folder(&self) -> &Path;
    /// Ends everything.
    fn stop(&mut self);
    /// A client on a pty of its own, attached to that pane.
    fn client(&self, pane: &str) -> Screen {
        Screen::run(&self.attach(pane), &self.environment(), 120, 40)
    }
    /// What the peer's commands need in their environment.
    fn environment(&self) -> Vec<(String, String)>;
}

/// A folder nobody else uses.
pub(crate) fn fresh_folder(tag: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("abide-bench-{}-{tag}-{n}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

fn run(mut command: Command) -> String {
    let out = command
        .stdin(Stdio::null())
        .output()
        .expect("the peer's command starts");
    assert!(
        out.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8_lossy(&out.stdout).trim().to_owned()
}

/// abide with a sealed home.
pub(crate) struct Abide {
    folder: PathBuf,
}

impl Abide {
    pub(crate) fn start() -> Self {
        let folder = fresh_folder("abide");
        let peer = Self { folder };
        run(peer.command(&["host", "start"]));
        peer
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_abide"));
        command
            .args(args)
            .envs(self.environment())
            .env_remove("ABIDE_PANE");
        command
    }
}

impl Peer for Abide {
    fn pane(&mut self, script: &Path) -> String {
        let script = script.to_str().expect("a plain path");
        run(self.command(&["new", "--no-attach", "--size", "120x40", "--", "sh", script]))
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    }

    fn attach(&self, pane: &str) -> Vec<String> {
        vec![
            env!("CARGO_BIN_EXE_abide").to_owned(),
            "attach".to_owned(),
            pane.to_owned(),
        ]
    }

    fn server(&self) -> u32 {
        let status: serde_json::Value =
            serde_json::from_str(&run(self.command(&["status", "--json"])))
                .expect("status is JSON");
        u32::try_from(status["host_pid"].as_u64().expect("a host")).expect("a pid")
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    fn stop(&mut self) {
        let _stopped = self.command(&["host", "stop"]).output();
        let _gone = std::fs::remove_dir_all(&self.folder);
    }

    fn environment(&self) -> Vec<(String, String)> {
        vec![
            ("ABIDE_HOME".to_owned(), self.folder.display().to_string()),
            ("TERM".to_owned(), "xterm-256color".to_owned()),
        ]
    }
}

/// tmux with a socket and configuration of its own.
pub(crate) struct Tmux {
    folder: PathBuf,
    panes: u32,
}

impl Tmux {
    pub(crate) fn start() -> Self {
        let folder = fresh_folder("tmux");
        std::fs::write(
            folder.join("conf"),
            "set -g history-limit 10000\nset -g status off\nset -g exit-empty off\n",
        )
        .expect("a configuration");
        let peer = Self { folder, panes: 0 };
        run(peer.command(&["start-server"]));
        peer
    }

    fn words(&self, args: &[&str]) -> Vec<String> {
        let at = |name: &str| self.folder.join(name).display().to_string();
        let mut words = vec![
            "tmux".to_owned(),
            "-S".to_owned(),
            at("socket"),
            "-f".to_owned(),
            at("conf"),
        ];
        words.extend(args.iter().map(|a| (*a).to_owned()));
        words
    }

    fn command(&self, args: &[&str]) -> Command {
        let words = self.words(args);
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .env_remove("TMUX")
            .env("TERM", "xterm-256color");
        command
    }
}

impl Peer for Tmux {
    fn pane(&mut self, script: &Path) -> String {
        self.panes += 1;
        let name = format!("s{}", self.panes);
        let script = script.to_str().expect("a plain path");
        let line = format!("sh {script}");
        run(self.command(&[
            "new-session",
            "-d",
            "-s",
            &name,
            "-x",
            "120",
            "-y",
            "40",
            &line,
        ]));
        name
    }

    fn attach(&self, pane: &str) -> Vec<String> {
        self.words(&["attach", "-t", pane])
    }

    fn server(&self) -> u32 {
        run(self.command(&["display-message", "-p", "#{pid}"]))
            .parse()
            .expect("a pid")
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    fn stop(&mut self) {
        let _stopped = self.command(&["kill-server"]).output();
        let _gone = std::fs::remove_dir_all(&self.folder);
    }

    fn environment(&self) -> Vec<(String, String)> {
        vec![("TERM".to_owned(), "xterm-256color".to_owned())]
    }
}
