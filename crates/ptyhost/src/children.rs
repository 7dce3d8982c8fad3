//! The one owner of all waits: which child is whose, and who was adopted.
//!
//! In: children as they are started. Out: who ended. Promises: every child is reaped here and
//! nowhere else; what a dead reaper leaves to this process (a subreaper) is ended, again and again
//! until none is left, and nothing is looked for while there is no reason to.

use crate::shared::Helpers;
use protocol::PaneId;
use reaper::Kept;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;
use sys::oom::OomWatch;
use sys::process::{Stat, children_of, next_zombie};

/// Whose child a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Child {
    /// A pane's reaper.
    Reaper(PaneId),
    /// The login shell that answers the question of this number.
    Login(u32),
}

/// The children there are.
#[derive(Debug, Default)]
pub(crate) struct Children {
    known: BTreeMap<i32, Child>,
    /// Daemons that the user's login starts (an SSH agent): the environment leads to them.
    spared: BTreeSet<i32>,
    /// Helpers that panes share.
    pub(crate) helpers: Helpers,
    /// Tools that the user keeps.
    kept: Option<Kept>,
    /// Adopted processes may be there.
    adopted: bool,
    /// Whom the kernel kills when memory runs out.
    pub(crate) oom: OomWatch,
}

impl Children {
    /// For a host with this state folder.
    pub(crate) fn new(state: &Path) -> Self {
        Self {
            kept: Some(Kept::of(state)),
            ..Self::default()
        }
    }

    /// A child was started.
    pub(crate) fn add(&mut self, pid: i32, child: Child) {
        self.known.insert(pid, child);
    }

    /// Whether the login shell of question `token` has not been waited for, and its process id.
    pub(crate) fn login_shell(&self, token: u32) -> Option<i32> {
        self.known
            .iter()
            .find(|(_, child)| **child == Child::Login(token))
            .map(|(pid, _)| *pid)
    }

    /// Takes every known child that ended, with its raw status. Adopted ones are left for
    /// [`Children::end_adopted`], which has to see them as zombies: taking "any child" in a loop
    /// would have no end while a chain of forks hands over one zombie after another.
    pub(crate) fn reap(&mut self) -> Vec<(Child, i32)> {
        let taken = |pid: &i32| sys::process::reap(*pid).map(|raw| (*pid, raw));
        let ended: Vec<(i32, i32)> = self.known.keys().filter_map(taken).collect();
        self.spared.retain(|pid| taken(pid).is_none());
        self.adopted |= next_zombie().is_some();
        let whose = |(pid, raw)| self.known.remove(&pid).map(|child| (child, raw));
        ended.into_iter().filter_map(whose).collect()
    }

    /// A reaper ended before its family: look for what it left.
    pub(crate) fn expect_adopted(&mut self) {
        self.adopted = true;
    }

    /// Ends what is left of a dead reaper's family. True: some are left, come again soon.
    pub(crate) fn end_adopted(&mut self) -> bool {
        let awaited = self.helpers.tick(Instant::now());
        if self.adopted {
            let mine: Vec<i32> = self.known.keys().chain(&self.spared).copied().collect();
            let kept = OnceCell::new();
            let keeps = |it: &Stat| {
                let kept = || kept.get_or_init(|| self.kept.as_ref().map(Kept::look));
                kept()
                    .as_ref()
                    .is_some_and(|it_keeps| it_keeps.has(it.identity()))
            };
            let spares = |it: &Stat| self.helpers.spare(it) || keeps(it);
            self.adopted = reaper::end_adopted(&mine, &spares) > 0;
        }
        // One that is waited for is looked at again when its time is over.
        self.adopted |= awaited;
        self.adopted
    }

    /// The login shell has answered: daemons it started (each in a session of its own) stay, the
    /// environment leads to them.
    pub(crate) fn spare_daemons(&mut self) {
        let me = i32::try_from(std::process::id()).unwrap_or(0);
        let daemon =
            |pid: i32| sys::process::stat(pid).is_some_and(|s| s.session != my_session(me));
        let left = children_of(me).into_iter().map(|stat| stat.pid);
        let left: Vec<i32> = left.filter(|pid| !self.known.contains_key(pid)).collect();
        self.spared
            .extend(left.iter().copied().filter(|pid| daemon(*pid)));
        self.adopted |= left.iter().any(|pid| !self.spared.contains(pid));
    }
}

fn my_session(me: i32) -> i32 {
    sys::process::stat(me).map_or(0, |stat| stat.session)
}
