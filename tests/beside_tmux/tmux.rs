//! A tmux server of the test's own. In: a program, keys; out: what its pane shows. Ended when dropped.

use crate::cells::{Shown, captured};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use term::Size;

/// The server.
pub(crate) struct Tmux {
    folder: PathBuf,
}

/// One session with one pane; killed when dropped.
pub(crate) struct Session<'a> {
    tmux: &'a Tmux,
    size: Size,
}

impl Tmux {
    /// `None`, and a line saying so, where there is no tmux.
    pub(crate) fn start() -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("skipped: no tmux here");
            return None;
        }
        // A socket's name has 108 bytes at most.
        let folder = tempfile::Builder::new().prefix("beside").tempdir_in("/tmp");
        let folder = folder.expect("a folder").keep();
        let tmux = Self { folder };
        // A server without a session ends.
        tmux.run(&["new-session", "-d", "-s", "keep", "exec cat"]);
        Some(tmux)
    }

    fn run(&self, args: &[&str]) -> Output {
        let output = Command::new("tmux")
            .arg("-S")
            .arg(self.folder.join("socket"))
            .args(["-u", "-f", "/dev/null"])
            .args(args)
            .env_remove("TMUX")
            .env("LC_ALL", "C.UTF-8")
            .env("SHELL", "/bin/sh")
            .output();
        output.expect("tmux runs")
    }

    /// Starts what this file runs.
    pub(crate) fn start_program(&self, size: Size, command: &str) {
        let (cols, rows) = (size.cols.to_string(), size.rows.to_string());
        let started = self.run(&[
            "new-session",
            "-d",
            "-s",
            "s",
            "-x",
            &cols,
            "-y",
            &rows,
            command,
        ]);
        assert!(started.status.success(), "{started:?}");
    }

    /// A session in which the file runs.
    pub(crate) fn start_file(&self, size: Size, run: &Path) -> Session<'_> {
        self.start_program(size, &format!("exec sh {}", run.display()));
        Session { tmux: self, size }
    }

    /// What a pane shows that got these bytes.
    pub(crate) fn replay(&self, size: Size, bytes: &[u8]) -> Shown {
        let file = self.folder.join("bytes");
        std::fs::write(&file, bytes).expect("bytes");
        let socket = self.folder.join("socket");
        self.start_program(
            size,
            &format!(
                "stty raw -echo; cat {}; tmux -S {} wait-for -S read; exec cat",
                file.display(),
                socket.display()
            ),
        );
        let session = Session { tmux: self, size };
        self.run(&["wait-for", "read"]);
        session.shown()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
        let _gone = std::fs::remove_dir_all(&self.folder);
    }
}

impl Session<'_> {
    /// Types these bytes.
    pub(crate) fn send(&self, keys: &str) {
        let bytes: Vec<String> = keys.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut args = vec!["send-keys", "-t", "s:", "-H"];
        args.extend(bytes.iter().map(String::as_str));
        self.tmux.run(&args);
    }

    /// What it shows.
    pub(crate) fn shown(&self) -> Shown {
        let format = "#{cursor_x} #{cursor_y} #{cursor_flag}";
        let capture = ["capture-pane", "-e", "-N", "-p", "-t", "s:"];
        let facts = [";", "display-message", "-p", "-t", "s:", format];
        let out = self.tmux.run(&[&capture[..], &facts[..]].concat()).stdout;
        let text = out.strip_suffix(b"\n").unwrap_or(&out);
        let at = text.iter().rposition(|b| *b == b'\n').unwrap_or(0);
        let facts = String::from_utf8_lossy(&text[at..]).into_owned();
        let numbers: Vec<u16> = facts
            .split_whitespace()
            .filter_map(|n| n.parse().ok())
            .collect();
        let cursor = match numbers[..] {
            // Behind the last column stands the cursor of a pending wrap.
            [x, y, 1] => Some((x.min(self.size.cols - 1), y)),
            _ => None,
        };
        captured(self.size, &text[..at], cursor)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.tmux.run(&["kill-session", "-t", "s"]);
    }
}
