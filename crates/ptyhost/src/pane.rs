//! What the driver holds of one pane: its pty, its reaper, and where they are in their lives.
//!
//! In: a program to start, news of its reaper. Out: facts in the order the core may believe.
//! Promises: the reaper's end is told after everything it reported; groups are signalled only
//! while the reaper is not waited for, so that no id can have become a stranger's.

use crate::core::action::SpawnSpec;
use crate::paneio::{Channels, PaneIo};
use protocol::PaneId;
use reaper::{KEEP, Keep, Spec};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use sys::process::{Signal, Stat};

/// Foreground groups that are watched for their end, a pane.
const WATCHED: usize = 8;

/// Looks at the foreground group after something happened.
const LOOKS: u8 = 15;

/// One pane.
pub(crate) struct Pane {
    /// Its bytes.
    pub(crate) io: PaneIo,
    /// Its reaper's process id.
    pub(crate) reaper: i32,
    /// The program, until it was executed: an error names it.
    pub(crate) starting: Option<Spec>,
    /// The reaper's raw status, once waited for.
    pub(crate) reaped: Option<i32>,
    /// The reaper will report nothing more.
    pub(crate) silent: bool,
    /// The reaper has reported the program's end.
    pub(crate) exited: bool,
    /// The program could not be started, which has been told.
    pub(crate) failed: bool,
    /// The reaper's end has been told.
    pub(crate) over: bool,
    /// The pty is closed.
    pub(crate) closed: bool,
    /// The program's process id, once it started.
    pub(crate) main: i32,
    /// Tools that outlive it.
    keep: Keep,
    /// How often the foreground group is still to be looked at; see [`Pane::touch`].
    looks: u8,
    /// The foreground group that was last told; 0 none.
    foreground: i32,
    watched: VecDeque<i32>,
}

/// Starts `spec` in a pane, or says in one line why it cannot be.
pub(crate) fn start(
    pane: PaneId,
    spec: SpawnSpec,
    launcher: &reaper::Launcher,
    to: &Channels,
) -> Result<Pane, String> {
    let (cols, rows) = spec.size;
    let pty = |e: std::io::Error| {
        format!(
            "no pty could be opened for {pane}: {}; close some panes",
            sys::files::plain(&e)
        )
    };
    let (master, slave) = sys::pty::open(cols, rows).map_err(pty)?;
    let spec = program(pane, spec);
    let keep = spec.env.iter().rfind(|(name, _)| name == KEEP);
    let keep = keep.map_or_else(Keep::default, |(_, value)| Keep::read(value.as_bytes()));
    let started = launcher.spawn(&spec, slave).map_err(|e| e.to_string())?;
    let io = PaneIo::start(pane, master, started.report, started.lifeline, to).map_err(pty)?;
    Ok(Pane {
        io,
        reaper: started.reaper,
        starting: Some(spec),
        reaped: None,
        silent: false,
        exited: false,
        failed: false,
        over: false,
        closed: false,
        main: 0,
        keep,
        looks: 0,
        foreground: 0,
        watched: VecDeque::new(),
    })
}

fn program(pane: PaneId, spec: SpawnSpec) -> Spec {
    let text = OsString::from_vec;
    Spec {
        argv: spec.argv.into_iter().map(text).collect(),
        cwd: text(spec.cwd).into(),
        env: spec
            .env
            .into_iter()
            .map(|(name, value)| (text(name), text(value)))
            .collect(),
        pane: pane.to_string(),
    }
}

impl Pane {
    /// Something happened: the foreground group is worth some looks, the last ones later, since a
    /// shell on a busy machine takes its time to start what was typed.
    pub(crate) const fn touch(&mut self) {
        self.looks = LOOKS;
    }

    /// Whether it is worth a look now, and whether another one will be worth it later.
    pub(crate) const fn take_look(&mut self) -> (bool, bool) {
        let now = self.looks > 0 && !self.closed;
        self.looks = self.looks.saturating_sub(1);
        (now, self.looks > 0 && !self.closed)
    }

    /// The foreground group, if it is another than the one last told; 0: none.
    pub(crate) fn foreground_change(&mut self) -> Option<u32> {
        let group = self.io.master()?.foreground().unwrap_or(0);
        let changed = std::mem::replace(&mut self.foreground, group) != group;
        changed.then(|| u32::try_from(group).unwrap_or(0))
    }

    /// The foreground group as it is now, and watches it for its end.
    pub(crate) fn watch_foreground(&mut self) -> u32 {
        let group = self
            .io
            .master()
            .and_then(sys::pty::Master::foreground)
            .unwrap_or(0);
        self.foreground = group;
        if group > 0 && !self.watched.contains(&group) {
            if self.watched.len() == WATCHED {
                self.watched.pop_front();
            }
            self.watched.push_back(group);
        }
        u32::try_from(group).unwrap_or(0)
    }

    /// Watched groups that have no process left; they are watched no longer.
    pub(crate) fn gone_groups(&mut self) -> Vec<u32> {
        let mut gone = Vec::new();
        self.watched.retain(|&group| {
            let lives = sys::process::group_exists(group);
            if !lives {
                gone.extend(u32::try_from(group));
            }
            lives
        });
        gone
    }

    /// Signals every process group of the pane's family outside the reaper's own, but for groups of
    /// tools that the user keeps, of those `spares` says true for, and of whoever is below them.
    pub(crate) fn signal_groups(&self, signals: &[Signal], spares: impl Fn(&Stat) -> bool) {
        if self.reaped.is_some() {
            return;
        }
        let all = sys::process::all();
        let family = crate::oldhost::below(&all, self.reaper);
        let stays = |it: &Stat| it.pid != self.main && (self.keep.has(it.pid) || spares(it));
        let mut safe = BTreeSet::from([self.reaper]);
        for spared in family.iter().filter(|it| stays(it)) {
            safe.insert(spared.pgrp);
            safe.extend(
                crate::oldhost::below(&all, spared.pid)
                    .iter()
                    .map(|it| it.pgrp),
            );
        }
        let groups: BTreeSet<i32> = family
            .iter()
            .filter(|stat| !safe.contains(&stat.pgrp) && stat.session != 0)
            .map(|stat| stat.pgrp)
            .collect();
        for group in groups {
            for signal in signals {
                // A group that emptied meanwhile, or is another user's (sudo), is the reaper's task.
                sys::process::signal_group(group, *signal).ok();
            }
        }
    }
}
