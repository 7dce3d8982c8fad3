//! Ending a family that may be forking while it is ended.
//!
//! A family is every descendant of this process, which orphans come back to (it is their
//! subreaper), so the tree by parent is complete. A picture of `/proc` is always late; what makes
//! the loop converge all the same:
//!
//! - every group of the family in a foreign session is killed as a group, which the kernel makes
//!   atomic against fork. That is safe: the family's first process started a session of its own,
//!   so every session below it was made by the family;
//! - a zombie that was handed to us is looked at *before* it is taken: it still names its group
//!   and session, and pins that number, so its relatives are hit through it;
//! - pids are given out in order, so the next few after a zombie's are tried: the child it forked
//!   with its last breath is likely there;
//! - our own children are read from the kernel's short list between two such pictures;
//! - sessions once seen are remembered from scan to scan.
//!
//! Another user's process (sudo) cannot be signalled. That is told and never tried for ever.
//!
//! Some of the family may have to be left alone: see [`Spare`]. They, whoever is below them, and the
//! groups that these are in are not signalled; whoever else is in such a group is met one by one.

use crate::kin::Tracker;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use sys::process::{self, Identity, Signal, Stat};
use sys::signals::Signals;

/// Pids after a taken zombie's that are tried.
const PROBES: i32 = 8;
/// Zombies taken and children hit in one go, before the whole family is looked at again.
const ROUND: usize = 512;
/// Rounds without a death before whoever is left is left: sleeping in the kernel, say.
const FRUITLESS: u32 = 60;
/// The same when all who are left belong to other users.
const FRUITLESS_REFUSED: u32 = 10;
/// The loop's last limit, for a family that forks faster than it dies.
const LONGEST: Duration = Duration::from_secs(60);

/// Time between two looks at those whose end wakes nobody.
const STRAYS: Duration = Duration::from_millis(50);

/// Who is left alone, with everybody below.
#[derive(Clone, Copy)]
pub(crate) struct Spare<'a> {
    /// Children whose families, and whose ends, are somebody else's work.
    pub(crate) children: &'a [i32],
    /// Others, wherever in the family; asked of the living only. `None`: nobody.
    pub(crate) others: Option<&'a dyn Fn(&Stat) -> bool>,
}

impl Spare<'_> {
    fn nobody(&self) -> bool {
        self.children.is_empty() && self.others.is_none()
    }

    /// One that has ended is nobody's helper any more, and is taken like any other.
    fn has(&self, whom: &Stat) -> bool {
        self.children.contains(&whom.pid)
            || (whom.alive() && self.others.is_some_and(|spares| spares(whom)))
    }
}

/// One hunt after the family of this process.
pub(crate) struct Hunt<'a> {
    me: i32,
    /// This process's own session, whose groups are never killed as groups.
    session: i32,
    group: i32,
    spare: Spare<'a>,
    /// Groups that the spared were seen in, in the last picture.
    safe: HashSet<i32>,
    /// Sessions the family was seen in.
    sessions: HashSet<i32>,
    refused: HashSet<Identity>,
    /// Finds members that the tree by parent does not show.
    kin: Tracker,
    /// Told of every child that was taken: pid and raw status.
    taken: &'a mut dyn FnMut(i32, i32),
}

/// How a round of [`Hunt::bury`] ended.
pub(crate) struct Buried {
    /// Zombies taken.
    pub(crate) count: usize,
    /// Whether children are left, apart from those to keep.
    pub(crate) children: bool,
}

impl<'a> Hunt<'a> {
    pub(crate) fn new(spare: Spare<'a>, taken: &'a mut dyn FnMut(i32, i32)) -> Self {
        let me = Identity::me().pid;
        let own = process::stat(me);
        let (session, group) = own.map_or((0, 0), |it| (it.session, it.pgrp));
        Self {
            me,
            session,
            group,
            spare,
            safe: HashSet::new(),
            sessions: HashSet::new(),
            refused: HashSet::new(),
            kin: Tracker::default(),
            taken,
        }
    }

    /// Also hunts those that `kin` has followed.
    pub(crate) fn following(mut self, kin: Tracker) -> Self {
        self.kin = kin;
        self
    }

    /// Everybody in the family now, below those children that `below` accepts, but for the spared
    /// and those below them, whose groups are remembered.
    fn family(&mut self, everybody: &[Stat], below: impl Fn(&Stat) -> bool) -> Vec<Stat> {
        let mut children: HashMap<i32, Vec<&Stat>> = HashMap::new();
        for stat in everybody {
            children.entry(stat.ppid).or_default().push(stat);
        }
        let strays = self.kin.members();
        let mine = |it: &&Stat| {
            // Those whose parent is a member too are found below it.
            it.ppid == self.me || (strays.contains(&it.pid) && !strays.contains(&it.ppid))
        };
        let mut open: Vec<&Stat> = everybody
            .iter()
            .filter(mine)
            .filter(|it| below(it))
            .collect();
        let mut seen: HashSet<i32> = open.iter().map(|it| it.pid).collect();
        let (mut family, mut spared) = (Vec::new(), HashSet::new());
        self.safe.clear();
        while let Some(member) = open.pop() {
            if spared.contains(&member.ppid) || self.spare.has(member) {
                spared.insert(member.pid);
                self.safe.insert(member.pgrp);
            } else {
                family.push(member.clone());
            }
            let below = children.get(&member.pid).into_iter().flatten();
            // A picture taken while pids were recycled may have a ring in it.
            open.extend(below.filter(|it| seen.insert(it.pid)));
        }
        family
    }

    /// Asks politely: TERM, then CONT so that the stopped can hear it.
    pub(crate) fn ask(&mut self, below: impl Fn(&Stat) -> bool) {
        if !self.has_children() {
            return;
        }
        for member in self.family(&process::all(), below) {
            self.remember(&member);
            let whom = member.identity();
            // Gone or another user's: the loop after the grace will find out.
            let _gone = whom.signal(Signal::TERM);
            let _gone = whom.signal(Signal::CONT);
        }
    }

    /// Kills everybody in one picture; how many of them could be signalled.
    pub(crate) fn strike(&mut self) -> usize {
        let everybody = process::all();
        let family = self.family(&everybody, |_| true);
        for member in &family {
            self.remember(member);
        }
        let related = everybody
            .iter()
            .filter(|it| self.sessions.contains(&it.session));
        let groups: HashSet<i32> = related.map(|it| it.pgrp).collect();
        for group in groups {
            self.kill_group(group);
        }
        let whole: HashSet<Identity> = family.iter().map(Stat::identity).collect();
        self.refused.retain(|it| whole.contains(it));
        family
            .iter()
            .filter(|it| it.alive())
            .filter(|it| self.kill(it))
            .count()
    }

    fn remember(&mut self, member: &Stat) {
        if member.session != self.session && member.session > 1 {
            self.sessions.insert(member.session);
        }
    }

    fn kill_group(&self, group: i32) {
        if group != self.group && !self.safe.contains(&group) {
            // Empty by now, or partly another user's: those are met one by one.
            let _gone = process::signal_group(group, Signal::KILL);
        }
    }

    /// Whether it could be signalled. `EPERM` is remembered; "no such process" is a success.
    fn kill(&mut self, member: &Stat) -> bool {
        let refused = member.identity().signal(Signal::KILL);
        if refused.is_err_and(|it| it.kind() == std::io::ErrorKind::PermissionDenied) {
            self.refused.insert(member.identity());
            return false;
        }
        true
    }

    /// Takes every zombie there is. With `kill` its relatives are hit first, and when there is none
    /// the living children are, who are the next. A chain of forks makes new ones as fast as they
    /// are taken, so there is an end to it: [`ROUND`].
    pub(crate) fn bury(&mut self, kill: bool) -> Buried {
        let mut count = 0;
        for _ in 0..ROUND {
            if let Some(pid) = self.next_zombie() {
                count += usize::from(self.take(pid, kill));
            } else if !kill || !self.hurry() {
                break;
            }
        }
        Buried {
            count,
            children: self.has_children(),
        }
    }

    fn next_zombie(&self) -> Option<i32> {
        let first = process::next_zombie()?;
        if !self.spare.children.contains(&first) {
            return Some(first);
        }
        // A known child waits for its owner, and the kernel would show it again and again.
        let unknown = process::own_children()
            .into_iter()
            .filter(|it| !self.spare.children.contains(it));
        unknown
            .filter_map(process::stat)
            .find(|it| !it.alive())
            .map(|it| it.pid)
    }

    /// Looks at a zombie, hits its relatives, then lets the system forget it.
    fn take(&mut self, pid: i32, kill: bool) -> bool {
        if let Some(zombie) = process::stat(pid) {
            self.remember(&zombie);
            if kill && zombie.session != self.session {
                self.kill_group(zombie.pgrp);
            }
        }
        let Some(raw) = process::reap(pid) else {
            return false;
        };
        (self.taken)(pid, raw);
        if kill {
            self.probe(pid);
        }
        true
    }

    /// Hits those of our own children that the kernel lists cheaply; whether there was one.
    fn hurry(&mut self) -> bool {
        let mut any = false;
        for pid in process::own_children() {
            any |= self.hit_child(pid);
        }
        any
    }

    /// Hits a child of ours, and its group, if it is one and is not spared.
    fn hit_child(&mut self, pid: i32) -> bool {
        let found = process::stat(pid).filter(|it| it.ppid == self.me && it.alive());
        let Some(child) = found.filter(|it| !self.spare.has(it)) else {
            return false;
        };
        self.remember(&child);
        if child.session != self.session {
            self.kill_group(child.pgrp);
        }
        self.kill(&child)
    }

    fn has_children(&mut self) -> bool {
        let any = process::has_children();
        if !any && self.has_strays() {
            return !self.family(&process::all(), |_| true).is_empty();
        }
        if !any || self.spare.nobody() {
            return any;
        }
        let children = process::children_of(self.me);
        children.iter().any(|it| !self.spare.has(it))
    }

    /// Whether there are members who are no children: their end wakes nobody.
    fn has_strays(&mut self) -> bool {
        !self.kin.members().is_empty()
    }

    fn probe(&mut self, pid: i32) {
        for next in (1..=PROBES).filter_map(|n| pid.checked_add(n)) {
            self.hit_child(next);
        }
    }

    /// Takes the dead until no child is left or `grace` is over; true: nobody is left.
    pub(crate) fn wait(&mut self, signals: &Signals, grace: Duration) -> bool {
        let begun = Instant::now();
        loop {
            if !self.bury(false).children {
                return true;
            }
            let left = grace.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return false;
            }
            let strays = self.has_strays();
            pause(signals, if strays { left.min(STRAYS) } else { left });
        }
    }

    /// Kills until nobody is left. Gives the pids of those that belong to other users.
    pub(crate) fn finish(&mut self, signals: &Signals) -> Vec<i32> {
        let begun = Instant::now();
        let mut fruitless = 0;
        loop {
            let signalled = self.strike();
            let buried = self.bury(true);
            if !buried.children {
                return Vec::new();
            }
            fruitless = if buried.count > 0 { 0 } else { fruitless + 1 };
            let limit = if signalled > 0 {
                FRUITLESS
            } else {
                FRUITLESS_REFUSED
            };
            if fruitless > limit || begun.elapsed() > LONGEST {
                return self.refused.iter().map(|it| it.pid).collect();
            }
            pause(
                signals,
                Duration::from_millis(u64::from(fruitless.clamp(1, 50)) * 2),
            );
        }
    }
}

/// Sleeps until a signal comes, a child's death above all, or the limit is over.
fn pause(signals: &Signals, limit: Duration) {
    use std::os::fd::AsFd;
    // Without the wait the loop is only busier; its limits hold.
    let _failed = sys::fd::wait_readable(&[signals.as_fd()], Some(limit));
    while let Ok(Some(_)) = signals.next() {}
}
