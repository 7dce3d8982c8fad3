//! A picture of everybody, and the family in it.
//!
//! One mapping that takes no memory until the first picture is taken, which is when the family is
//! ended. Bounds: 65,536 processes a picture (those beyond are met in the next, when others are
//! gone) and pids below 4,194,304, the kernel's own limit.

use crate::call::{self, Open};
use crate::spare::Spare;
use crate::stat::Stat;
use crate::text;

const ROWS: usize = 65_536;
const PIDS: usize = 4_194_304;

/// A set of pids.
pub struct Pids([u64; PIDS / 64]);

impl Pids {
    pub fn has(&self, pid: i32) -> bool {
        let word = self.0.get(pid as usize / 64);
        word.is_some_and(|it| it >> (pid as usize % 64) & 1 == 1)
    }

    /// Whether it was not there.
    pub fn add(&mut self, pid: i32) -> bool {
        let new = !self.has(pid);
        if let Some(word) = self.0.get_mut(pid as usize / 64) {
            *word |= 1 << (pid as usize % 64);
        }
        new
    }

    pub fn remove(&mut self, pid: i32) {
        if let Some(word) = self.0.get_mut(pid as usize / 64) {
            *word &= !(1 << (pid as usize % 64));
        }
    }
}

/// All zero is an empty one.
pub struct Table {
    /// The family's pids in this picture.
    family: Pids,
    /// Those in it who are left alone, and everybody below them.
    spared: Pids,
    /// Groups that the spared are in: not to be hit as groups.
    safe: Pids,
    /// Groups that were hit in this picture.
    pub groups: Pids,
    /// Sessions the family was seen in, from the first picture on.
    pub sessions: Pids,
    count: usize,
    rows: [Stat; ROWS],
}

impl Table {
    pub fn row(&self, at: usize) -> Option<Stat> {
        self.rows.get(at).filter(|_| at < self.count).copied()
    }

    pub fn is_family(&self, row: &Stat) -> bool {
        self.family.has(row.pid) && !self.spared.has(row.pid)
    }

    /// Whether the spared have a member in this group.
    pub fn is_safe(&self, group: i32) -> bool {
        self.safe.has(group)
    }

    /// Takes a new picture and finds everybody below `me` in it, and who of them is spared.
    pub fn look(&mut self, me: i32, spare: &Spare) {
        for at in 0..self.count {
            let Some(row) = self.row(at) else { break };
            self.family.remove(row.pid);
            self.groups.remove(row.pgrp);
            self.spared.remove(row.pid);
            self.safe.remove(row.pgrp);
        }
        self.count = 0;
        self.fill();
        // Children mostly follow their parents, so a few rounds do.
        let mut grew = true;
        while grew {
            grew = false;
            for at in 0..self.count {
                let Some(row) = self.row(at) else { break };
                if (row.ppid == me || self.family.has(row.ppid)) && row.pid != me {
                    grew |= self.family.add(row.pid);
                }
            }
        }
        if !spare.nobody() {
            self.spare(spare);
        }
    }

    fn spare(&mut self, spare: &Spare) {
        let mut grew = true;
        while grew {
            grew = false;
            for at in 0..self.count {
                let Some(row) = self.row(at) else { break };
                let stays = self.family.has(row.pid)
                    && !self.spared.has(row.pid)
                    && (self.spared.has(row.ppid) || spare.has(&row));
                if stays {
                    grew |= self.spared.add(row.pid);
                    self.safe.add(row.pgrp);
                }
            }
        }
    }

    /// Entries are read through a small buffer, each as late as can be.
    fn fill(&mut self) {
        let Ok(folder) = call::open(b"/proc\0", Open::Folder) else {
            return;
        };
        let mut buffer = [0_u8; 1024];
        while let Ok(length @ 1..) = call::entries(folder, &mut buffer) {
            let mut rest = buffer.get(..length).unwrap_or_default();
            // Each: 8 bytes inode, 8 offset, 2 length, 1 type, then the name and a zero.
            while let Some(&[low, high]) = rest.get(16..18) {
                let size = usize::from(u16::from_le_bytes([low, high]));
                let name = rest.get(19..size).unwrap_or_default();
                self.add(name.split(|b| *b == 0).next().unwrap_or_default());
                rest = rest.get(size.max(1)..).unwrap_or_default();
            }
        }
        call::close(folder);
    }

    fn add(&mut self, name: &[u8]) {
        let stat = text::signed(name).and_then(Stat::of);
        if let (Some(stat), Some(row)) = (stat, self.rows.get_mut(self.count)) {
            *row = stat;
            self.count += 1;
        }
    }
}
