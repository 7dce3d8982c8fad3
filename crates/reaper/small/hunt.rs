//! Ending a family that may be forking while it is ended. Why it converges is told in `hunt.rs` of
//! the library, which this follows step by step.

use crate::call::{self, CONT, EPERM, KILL, TERM, Waited};
use crate::spare::Spare;
use crate::report::{Kind, Stage, tell};
use crate::stat::{Stat, read_file};
use crate::table::Table;
use crate::text::{self, Text};

/// Pids after a taken zombie's that are tried.
const PROBES: i32 = 8;
/// Zombies taken and children hit in one go, before the whole family is looked at again.
const ROUND: usize = 512;
/// Rounds without a death before whoever is left is left.
const FRUITLESS: u64 = 60;
/// The same when all who are left belong to other users.
const FRUITLESS_REFUSED: u64 = 10;
/// The loop's last limit, in milliseconds.
const LONGEST: u64 = 60_000;
/// How long the family has to end by itself after TERM, in milliseconds.
const GRACE: u64 = 3_000;
/// Other users' processes that are told of.
const REFUSED: usize = 64;

pub struct Hunt {
    pub me: Stat,
    pub table: &'static mut Table,
    pub signals: i32,
    pub report: i32,
    /// The main program, and its raw status once it ended.
    pub main: i32,
    pub raw: Option<i32>,
    pub spare: Spare,
    refused: [i32; REFUSED],
    refused_count: usize,
}

impl Hunt {
    pub fn new(me: Stat, table: &'static mut Table, signals: i32, report: i32, spare: Spare) -> Self {
        Self {
            me,
            table,
            signals,
            report,
            main: 0,
            raw: None,
            spare,
            refused: [0; REFUSED],
            refused_count: 0,
        }
    }

    /// TERM, a grace, then force until nobody is left.
    pub fn end(&mut self) {
        self.ask();
        if !self.wait(GRACE) {
            self.finish();
        }
        self.write_down();
    }

    /// Says who was kept, for those who would end him once this process is gone.
    fn write_down(&mut self) {
        if self.spare.nobody() {
            return;
        }
        self.table.look(self.me.pid, &self.spare);
        let mut at = 0;
        while let Some(row) = self.table.row(at) {
            at += 1;
            if row.ppid == self.me.pid {
                self.spare.write_down(&row);
            }
        }
    }

    /// Whether anybody is left who is not spared.
    fn somebody(&mut self) -> bool {
        if self.spare.nobody() || call::look().is_none() {
            return call::look().is_some();
        }
        self.table.look(self.me.pid, &self.spare);
        let mut at = 0;
        while let Some(row) = self.table.row(at) {
            at += 1;
            if row.ppid == self.me.pid && self.table.is_family(&row) {
                return true;
            }
        }
        false
    }

    fn ask(&mut self) {
        if call::look().is_none() {
            return;
        }
        self.table.look(self.me.pid, &self.spare);
        let mut at = 0;
        while let Some(member) = self.table.row(at) {
            at += 1;
            if self.table.is_family(&member) {
                self.remember(&member);
                // CONT too, so that the stopped can hear it.
                let _gone = member.signal(TERM);
                let _gone = member.signal(CONT);
            }
        }
    }

    fn remember(&mut self, member: &Stat) {
        if member.session != self.me.session && member.session > 1 {
            self.table.sessions.add(member.session);
        }
    }

    /// Kills everybody in one picture; how many of them could be signalled.
    fn strike(&mut self) -> usize {
        self.refused_count = 0;
        self.table.look(self.me.pid, &self.spare);
        let mut at = 0;
        while let Some(row) = self.table.row(at) {
            at += 1;
            if self.table.is_family(&row) {
                self.remember(&row);
            }
        }
        at = 0;
        while let Some(row) = self.table.row(at) {
            at += 1;
            if self.table.sessions.has(row.session) && self.table.groups.add(row.pgrp) {
                self.kill_group(row.pgrp);
            }
        }
        let (mut at, mut signalled) = (0, 0);
        while let Some(row) = self.table.row(at) {
            at += 1;
            if self.table.is_family(&row) && row.alive() && self.kill(&row) {
                signalled += 1;
            }
        }
        signalled
    }

    fn kill_group(&self, group: i32) {
        if group > 1 && group != self.me.pgrp && !self.table.is_safe(group) {
            // Empty by now, or partly another user's: those are met one by one.
            let _gone = call::kill(-group, KILL);
        }
    }

    /// Whether it could be signalled. "No such process" is a success.
    fn kill(&mut self, member: &Stat) -> bool {
        if member.signal(KILL) != Err(EPERM) {
            return true;
        }
        let known = self.refused.get(..self.refused_count).unwrap_or_default();
        if !known.contains(&member.pid)
            && let Some(free) = self.refused.get_mut(self.refused_count)
        {
            *free = member.pid;
            self.refused_count += 1;
        }
        false
    }

    /// Takes every zombie there is; with `kill` its relatives are hit first, and when there is
    /// none the living children are. How many were taken, and whether children are left.
    fn bury(&mut self, kill: bool) -> (usize, bool) {
        let mut count = 0;
        for _ in 0..ROUND {
            match call::look() {
                None => return (count, false),
                Some(0) if kill && self.hurry() => {}
                Some(0) => break,
                Some(zombie) => count += usize::from(self.take(zombie, kill)),
            }
        }
        (count, self.somebody())
    }

    fn take(&mut self, pid: i32, kill: bool) -> bool {
        if let Some(zombie) = Stat::of(pid) {
            self.remember(&zombie);
            if kill && zombie.session != self.me.session {
                self.kill_group(zombie.pgrp);
            }
        }
        let Waited::Changed(_, raw) = call::wait(pid, false) else {
            return false;
        };
        if pid == self.main && self.raw.is_none() {
            self.raw = Some(raw);
            tell(self.report, Kind::Exited, Stage::Exec, raw, 0);
        }
        if kill {
            for next in 1..=PROBES {
                self.hit_child(pid.saturating_add(next));
            }
        }
        true
    }

    /// Hits those of our own children that the kernel lists cheaply; whether there was one.
    fn hurry(&mut self) -> bool {
        let me = u64::try_from(self.me.pid).unwrap_or(0);
        let path: Text<64> = Text::new()
            .add(b"/proc/self/task/")
            .number(me)
            .add(b"/children\0");
        let mut list = [0; 2048];
        let list = path.get().and_then(|it| read_file(it, &mut list));
        let mut any = false;
        for pid in text::words(list.unwrap_or_default()) {
            // The last one may be cut; then it is no child of ours, or it is and is hit.
            any |= text::signed(pid).is_some_and(|it| self.hit_child(it));
        }
        any
    }

    /// Hits a child of ours, and its group, if it is one.
    fn hit_child(&mut self, pid: i32) -> bool {
        let found = Stat::of(pid).filter(|it| it.ppid == self.me.pid && it.alive());
        let Some(child) = found.filter(|it| !self.spare.has(it)) else {
            return false;
        };
        self.remember(&child);
        if child.session != self.me.session {
            self.kill_group(child.pgrp);
        }
        self.kill(&child)
    }

    /// Takes the dead until no child is left or the time is over; true: nobody is left.
    fn wait(&mut self, grace: u64) -> bool {
        let end = call::now() + grace;
        loop {
            if !self.bury(false).1 {
                return true;
            }
            let left = end.saturating_sub(call::now());
            if left == 0 {
                return false;
            }
            self.pause(left);
        }
    }

    /// Kills until nobody is left, and tells of those that belong to other users.
    fn finish(&mut self) {
        let end = call::now() + LONGEST;
        let mut fruitless = 0;
        loop {
            let signalled = self.strike();
            let (count, children) = self.bury(true);
            if !children {
                return;
            }
            fruitless = if count > 0 { 0 } else { fruitless + 1 };
            let limit = if signalled > 0 { FRUITLESS } else { FRUITLESS_REFUSED };
            if fruitless > limit || call::now() > end {
                let refused = self.refused.get(..self.refused_count).unwrap_or_default();
                for pid in refused {
                    tell(self.report, Kind::Refused, Stage::Exec, *pid, 0);
                }
                return;
            }
            self.pause(fruitless.clamp(1, 50) * 2);
        }
    }

    /// Sleeps until a signal comes, a child's death above all, or the limit is over.
    fn pause(&self, limit: u64) {
        let _failed = call::wait_readable([self.signals], Some(limit));
        while call::next_signal(self.signals).is_some() {}
    }
}
