//! The program that has a pane's terminal: what runs there now, and in which folder.
//!
//! In: what the host says of a pane, this machine's processes. Out: a process with its command line and
//! folder, or nothing where there is none to be seen. Promises: nothing but reading; a group of
//! another pane's, or one that is gone, is nobody.

use crate::words;
use protocol::msg::{EXITED, PaneFacts};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use sys::process::{self, Identity, Stat};

/// Longest folder in a table, in columns.
const FOLDER: usize = 40;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Front {
    /// Its process.
    pub pid: i32,
    /// Its command line.
    pub argv: Vec<Vec<u8>>,
    /// The folder it is in now.
    pub cwd: Option<PathBuf>,
}

/// Who has the terminal of the pane.
#[must_use]
pub fn of(facts: &PaneFacts) -> Option<Front> {
    let own = Identity {
        pid: i32::try_from(facts.pid).ok()?,
        start: facts.pid_start,
    };
    if facts.state == EXITED || !own.alive() {
        return None;
    }
    let group = i32::try_from(facts.foreground).unwrap_or(0);
    let pid = leader(group, own.pid).unwrap_or(own.pid);
    let argv = process::command_line(pid).ok()?;
    Some(Front {
        pid,
        argv: argv.into_iter().map(OsString::into_encoded_bytes).collect(),
        cwd: process::folder(pid),
    })
}

/// The process that stands for a group of the session: its leader, else the oldest.
fn leader(group: i32, session: i32) -> Option<i32> {
    let counts = |it: &Stat| it.alive() && it.pgrp == group && it.session == session;
    let leads = process::stat(group).filter(|it| group > 0 && counts(it));
    // What brings a program back has it as a child in its own group.
    let leads = leads.filter(|it| !process::command_line(it.pid).is_ok_and(|it| is_wrapper(&it)));
    if let Some(leads) = leads {
        return Some(leads.pid);
    }
    let mut all: Vec<Stat> = process::all();
    all.retain(|it| group > 0 && it.pid != group && counts(it));
    all.iter()
        .min_by_key(|it| (it.start, it.pid))
        .map(|it| it.pid)
}

fn is_wrapper(argv: &[OsString]) -> bool {
    argv.get(1).is_some_and(|word| word == "__pane")
}

impl Front {
    /// As `--json` has it.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "pid": self.pid,
            "argv": self.argv.iter().map(|word| words::text(word)).collect::<Vec<_>>(),
            "cwd": self.cwd.as_ref().map(|it| words::text(it.as_os_str().as_encoded_bytes())),
        })
    }
}

/// The folder for a table: the home folder as `~`, a long one by its end.
#[must_use]
pub fn folder(path: &Path, home: Option<&Path>) -> String {
    let below = home.filter(|home| home.parent().is_some());
    let text = match below.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", words::text(rest.as_os_str().as_encoded_bytes())),
        None => words::text(path.as_os_str().as_encoded_bytes()),
    };
    words::end_of(&text, FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_in_a_table() {
        let long = format!("/srv/{}/shop", "x".repeat(60));
        for (path, home, want) in [
            ("/home/me", Some("/home/me"), "~"),
            ("/home/me/shop", Some("/home/me"), "~/shop"),
            ("/home/meow", Some("/home/me"), "/home/meow"),
            ("/srv", Some("/"), "/srv"),
            ("/srv\n", None, "/srv?"),
        ] {
            let home = home.map(Path::new);
            assert_eq!(folder(Path::new(path), home), want, "{path}");
        }
        let short = folder(Path::new(&long), None);
        assert!(
            short.starts_with('…') && short.ends_with("x/shop"),
            "{short}"
        );
        assert_eq!(short.chars().count(), FOLDER);
    }

    #[test]
    fn a_wrapper_is_not_what_runs() {
        let argv = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert!(is_wrapper(&argv("abide __pane --then sh -- claude")));
        assert!(!is_wrapper(&argv("abide ls")));
        assert_eq!(leader(0, 1), None);
    }
}
