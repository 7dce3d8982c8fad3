//! One look at all processes, shared by every question about them.
//!
//! A look costs a read for each process of the machine, so one serves all panes.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::PathBuf;
use sys::process::{self, Identity, Stat};

/// Everybody, by pid and by parent.
#[derive(Debug, Default)]
pub struct Table {
    all: Vec<Stat>,
    by_pid: HashMap<i32, usize>,
    children: HashMap<i32, Vec<usize>>,
}

impl Table {
    /// Looks.
    #[must_use]
    pub fn read() -> Self {
        let mut table = Self::default();
        for stat in process::all() {
            let at = table.all.len();
            table.by_pid.insert(stat.pid, at);
            table.children.entry(stat.ppid).or_default().push(at);
            table.all.push(stat);
        }
        table
    }

    /// Everybody.
    pub fn all(&self) -> impl Iterator<Item = &Stat> {
        self.all.iter()
    }

    /// Who has this pid.
    #[must_use]
    pub fn get(&self, pid: i32) -> Option<&Stat> {
        self.all.get(*self.by_pid.get(&pid)?)
    }

    /// This very process and all below it, nearest first; nothing when it is gone.
    #[must_use]
    pub fn family(&self, root: Identity) -> Vec<&Stat> {
        let root = self.get(root.pid).filter(|it| it.identity() == root);
        let mut found: Vec<&Stat> = root.into_iter().collect();
        // A picture taken while pids were given out again may have a ring in it.
        let mut seen: HashSet<i32> = found.iter().map(|it| it.pid).collect();
        let mut next = 0;
        while let Some(parent) = found.get(next).map(|it| it.pid) {
            found.extend(self.children(parent).filter(|it| seen.insert(it.pid)));
            next += 1;
        }
        found
    }

    /// The children of `pid`. One that is older than it was another's who had that pid.
    pub(super) fn children(&self, pid: i32) -> impl Iterator<Item = &Stat> {
        let begun = self.get(pid).map_or(0, |it| it.start);
        let below = self.children.get(&pid).into_iter().flatten();
        below
            .filter_map(|at| self.all.get(*at))
            .filter(move |it| it.pid != pid && it.start >= begun)
    }
}

/// A process's environment as it was started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Env(Vec<u8>);

impl Env {
    /// That of `pid`; empty when it may not be looked at.
    #[must_use]
    pub fn of(pid: i32) -> Self {
        Self(process::environment(pid).unwrap_or_default())
    }

    /// A made-up one.
    #[must_use]
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut bytes = Vec::new();
        for (name, value) in pairs {
            bytes.extend_from_slice(format!("{name}={value}").as_bytes());
            bytes.push(0);
        }
        Self(bytes)
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<OsString> {
        process::variable(&self.0, name).map(|value| sys::text::word(value.to_vec()))
    }

    /// Every variable.
    pub fn all(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let entries = self.0.split(|b| *b == 0);
        let word = |bytes: &[u8]| sys::text::word(bytes.to_vec());
        entries.filter_map(move |entry| {
            let at = entry.iter().position(|b| *b == b'=')?;
            Some((word(entry.get(..at)?), word(entry.get(at + 1..)?)))
        })
    }
}

/// What is asked of one process beside its [`Stat`].
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) argv: Vec<OsString>,
    pub(super) exe: Option<PathBuf>,
    pub(super) env: Env,
}

/// How often a process is asked anew that becomes another program while it is asked.
const AGAIN: usize = 3;

impl Facts {
    /// What is told belongs together: a process that took another program's place meanwhile is asked
    /// anew.
    pub(super) fn of(pid: i32) -> Self {
        let mut facts = Self::read(pid);
        for _ in 0..AGAIN {
            if process::executable(pid) == facts.exe {
                break;
            }
            facts = Self::read(pid);
        }
        facts
    }

    fn read(pid: i32) -> Self {
        Self {
            exe: process::executable(pid),
            argv: process::command_line(pid).unwrap_or_default(),
            env: Env::of(pid),
        }
    }
}
