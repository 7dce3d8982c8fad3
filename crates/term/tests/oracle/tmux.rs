//! A tmux server of our own that shows what it makes of bytes.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use term::{EngineKind, Size};

use crate::{Screen, ours};

/// Ended when dropped.
pub(crate) struct Tmux {
    folder: PathBuf,
}

/// What a pane holds.
pub(crate) struct Everything {
    /// Scrollback and screen as `capture-pane -e` writes them.
    pub(crate) rows: Vec<u8>,
    /// Their text, wrapped rows joined.
    pub(crate) lines: Vec<u8>,
    /// The main screen while the alternate one is shown.
    pub(crate) other: Option<Vec<u8>>,
    /// Column and row; behind the last column stands the cursor of a pending wrap.
    pub(crate) cursor: (u16, u16),
}

static SERVERS: AtomicU32 = AtomicU32::new(0);

impl Tmux {
    /// `None`, and a line saying so, where there is no tmux.
    pub(crate) fn start() -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("skipped: no tmux here");
            return None;
        }
        let number = SERVERS.fetch_add(1, Ordering::Relaxed);
        // Runs in pid namespaces of their own have the same pids and the same /tmp.
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos();
        let name = format!("term-oracle-{}-{number}-{now:x}", std::process::id());
        // A socket's name has 108 bytes at most.
        let mut folder = std::env::temp_dir();
        if folder.as_os_str().len() > 40 {
            folder = PathBuf::from("/tmp");
        }
        folder.push(name);
        std::fs::create_dir(&folder).unwrap();
        let tmux = Self { folder };
        // A server without a session ends.
        let started = tmux.run(&["new-session", "-d", "-s", "keep", "exec cat"]);
        assert!(started.status.success(), "{started:?}");
        Some(tmux)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new("tmux")
            .arg("-S")
            .arg(self.folder.join("socket"))
            .args(["-u", "-f", "/dev/null"])
            .args(args)
            .env_remove("TMUX")
            .env("LC_ALL", "C.UTF-8")
            // Its panes' scripts are for this one, whatever the user's own is.
            .env("SHELL", "/bin/sh")
            .output()
            .unwrap()
    }

    /// Looks at a pane that got these bytes.
    fn fed<T>(&self, size: Size, bytes: &[u8], look: impl FnOnce() -> T) -> T {
        std::fs::write(self.folder.join("bytes"), bytes).unwrap();
        let script = format!(
            "stty raw -echo; cat {0}/bytes; tmux -S {0}/socket wait-for -S read; exec cat",
            self.folder.display()
        );
        let (cols, rows) = (size.cols.to_string(), size.rows.to_string());
        let place = ["-x", cols.as_str(), "-y", rows.as_str()];
        let started =
            self.run(&[&["new-session", "-d", "-s", "s"], &place[..], &[&script]].concat());
        assert!(started.status.success(), "{started:?}");
        self.run(&["wait-for", "read"]);
        let seen = look();
        self.run(&["kill-session", "-t", "s"]);
        seen
    }

    /// What capture-pane writes of a pane that got these bytes, and the cursor.
    pub(crate) fn capture(&self, size: Size, bytes: &[u8]) -> (Vec<u8>, (u16, u16)) {
        let format = "#{cursor_x} #{cursor_y}";
        let cursor = [";", "display-message", "-p", "-t", "s:", format];
        let args = [&["capture-pane", "-e", "-p", "-t", "s:"], &cursor[..]].concat();
        let out = self.fed(size, bytes, || self.run(&args));
        let text = out.stdout.strip_suffix(b"\n").unwrap();
        let at = text.iter().rposition(|b| *b == b'\n').unwrap();
        let numbers = std::str::from_utf8(&text[at + 1..]).unwrap();
        let mut numbers = numbers.split_whitespace().map(|n| n.parse().unwrap());
        // Behind the last column stands the cursor of a pending wrap.
        let x: u16 = numbers.next().unwrap();
        let cursor = (x.min(size.cols - 1), numbers.next().unwrap());
        (text[..at].to_vec(), cursor)
    }

    /// A pane that got these bytes: screen and scrollback with styles, the same with wrapped rows
    /// joined, and the screen that is not shown, if there is one.
    pub(crate) fn everything(&self, size: Size, bytes: &[u8]) -> Everything {
        let capture = |args: &[&str]| -> Vec<u8> {
            let all = [&["capture-pane", "-p", "-t", "s:"], args].concat();
            self.run(&all).stdout
        };
        let facts = || -> Vec<u16> {
            let format = "#{cursor_x} #{cursor_y} #{alternate_on}";
            let out = self
                .run(&["display-message", "-p", "-t", "s:", format])
                .stdout;
            let text = String::from_utf8(out).unwrap();
            text.split_whitespace()
                .map(|n| n.parse().unwrap())
                .collect()
        };
        self.fed(size, bytes, || {
            let facts = facts();
            Everything {
                rows: capture(&["-e", "-S", "-"]),
                lines: capture(&["-J", "-S", "-"]),
                cursor: (facts[0], facts[1]),
                other: (facts[2] == 1).then(|| capture(&["-e", "-a"])),
            }
        })
    }

    /// The same as cells.
    pub(crate) fn screen(&self, size: Size, bytes: &[u8]) -> Screen {
        let (text, cursor) = self.capture(size, bytes);
        (cells(size, &text), cursor)
    }
}

/// What capture-pane wrote, as cells. It writes line drawing as SO, the letters sent, SI.
pub(crate) fn cells(size: Size, captured: &[u8]) -> Vec<Vec<term::Cell>> {
    let mut bytes = b"\x1b)0\x1b[?7l".to_vec();
    for (y, line) in captured.split(|b| *b == b'\n').enumerate() {
        bytes.extend_from_slice(format!("\x1b[{};1H", y + 1).as_bytes());
        bytes.extend_from_slice(line);
    }
    ours(EngineKind::Grid, size, &bytes).0
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
        let _gone = std::fs::remove_dir_all(&self.folder);
    }
}
