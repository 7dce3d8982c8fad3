//! Who is left alone when the family is ended: those the host asked for, and tools that the user keeps.
//! `order.rs` and `keep.rs` of the library describe both.

use crate::call::{self, Open};
use crate::stat::Stat;
use crate::text::{self, Text};

/// Bytes in one record on the lifeline.
const RECORD: usize = 16;
/// Most processes that the host can ask for.
const SPARED: usize = 64;
/// The longest value of `ABIDE_KEEP`.
const KEEP_LONGEST: usize = 4096;

pub struct Spare {
    /// Takes no memory until the host asks for somebody.
    asked: &'static mut [(i32, u64); SPARED],
    count: usize,
    /// The host has said that it ends the family.
    ending: bool,
    /// Absolute paths with `:` between them.
    keep: &'static [u8],
    /// Where those who were kept are written down; `-`: nowhere. Ends in a zero.
    kept: *const u8,
    /// The pane's own program, which is never kept.
    pub main: i32,
}

impl Spare {
    pub fn new(keep: &'static [u8], kept: *const u8) -> Option<Self> {
        Some(Self {
            // SAFETY: numbers that are all zero are numbers.
            asked: unsafe { call::memory() }?,
            count: 0,
            ending: false,
            keep: if keep.len() > KEEP_LONGEST { &[] } else { keep },
            kept,
            main: 0,
        })
    }

    pub const fn nobody(&self) -> bool {
        self.count == 0 && self.keep.is_empty()
    }

    /// The stream has ended; without a word before, the host is dying.
    pub const fn stream_ended(&mut self) {
        if !self.ending {
            self.forget_asked();
        }
    }

    /// The host is dead: only the user's tools stay.
    pub const fn forget_asked(&mut self) {
        self.count = 0;
    }

    /// Takes in what was read from the lifeline; unknown kinds are skipped.
    pub fn feed(&mut self, bytes: &[u8]) {
        for record in bytes.as_chunks::<RECORD>().0 {
            self.ending |= record[0] == 2;
            if let [1, _, _, _, p0, p1, p2, p3, start @ ..] = *record {
                self.add((i32::from_le_bytes([p0, p1, p2, p3]), u64::from_le_bytes(start)));
            }
        }
    }

    fn asked(&self) -> &[(i32, u64)] {
        self.asked.get(..self.count).unwrap_or_default()
    }

    fn add(&mut self, whom: (i32, u64)) {
        if self.asked().contains(&whom) {
            return;
        }
        let lives = |it: &(i32, u64)| Stat::of(it.0).is_some_and(|s| s.start == it.1 && s.alive());
        let place = if self.count < SPARED {
            self.count += 1;
            Some(self.count - 1)
        } else {
            self.asked().iter().position(|it| !lives(it))
        };
        if let Some(free) = place.and_then(|it| self.asked.get_mut(it)) {
            *free = whom;
        }
    }

    /// One that has ended is nobody's helper any more.
    pub fn has(&self, whom: &Stat) -> bool {
        whom.alive()
            && whom.pid != self.main
            && (self.asked().contains(&(whom.pid, whom.start)) || self.keeps(whom.pid))
    }

    fn keeps(&self, pid: i32) -> bool {
        let pid = u64::try_from(pid).unwrap_or(0);
        if self.keep.is_empty() {
            return false;
        }
        let path: Text<32> = Text::new().add(b"/proc/").number(pid).add(b"/exe\0");
        let mut exe = [0; KEEP_LONGEST];
        let exe = path.get().and_then(|it| call::read_link(it, &mut exe));
        let exe = exe.unwrap_or_default();
        let exe = exe.strip_suffix(b" (deleted)").unwrap_or(exe);
        let mut paths = self.keep.split(|b| *b == b':');
        exe.starts_with(b"/") && paths.any(|it| it == exe)
    }

    /// Writes one down, if it is kept.
    pub fn write_down(&self, whom: &Stat) {
        let pid = u64::try_from(whom.pid).unwrap_or(0);
        // SAFETY: one of the kernel's arguments, never changed.
        let path = unsafe { text::bytes(self.kept) };
        if path.starts_with(b"/")
            && self.keeps(whom.pid)
            && let Ok(fd) = call::open_at(self.kept, Open::Append)
        {
            let line: Text<48> = Text::new().number(pid).add(b" ").number(whom.start).add(b"\n");
            // Without a line it is found by its environment.
            let _unwritten = call::write(fd, line.get().unwrap_or_default());
            call::close(fd);
        }
    }
}
