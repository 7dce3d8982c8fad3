//! What is known of numbers, for as long as they are known to mean the same: process groups that
//! leftovers were seen in, and zombies.
//!
//! In: groups and pids, and the kernel's counter of pids again and again. Out: which groups may be
//! killed as a group, unseen, and which pids need no look. A group's number belongs to it while it has
//! a member; it is given to another only after the counter has come round. So as long as that has not
//! happened since a leftover was seen in it, the group is that family's, or empty: a chain of forks
//! that keeps its group ends for certain, also when each link is gone before it can be signalled.
//!
//! Zombies are remembered since there may be thousands: in a container whose first process takes
//! none, a chain of forks leaves one with each link.

use std::collections::HashSet;
use std::time::{Duration, Instant};
use sys::process::{self, Signal};

/// The counter may have come round unseen when it was not read for this long: faster than any
/// machine gives out the 32,768 pids that there are at least.
const BLIND: Duration = Duration::from_millis(250);
/// The same for zombies, where a mistake only means that somebody is met by the next sweep.
const BLIND_TO_ZOMBIES: Duration = Duration::from_secs(5);

/// The groups and zombies, and the counter.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    groups: HashSet<i32>,
    zombies: HashSet<i32>,
    turns: u64,
    last: Option<(i32, Instant)>,
}

impl Numbers {
    /// Reads the counter; call it often. Answers how often it was seen to come round.
    pub(super) fn read_counter(&mut self) -> u64 {
        self.counted(process::last_pid(), Instant::now())
    }

    fn counted(&mut self, newest: Option<i32>, now: Instant) -> u64 {
        let before = self.last.take();
        self.last = newest.map(|newest| (newest, now));
        let Some(((before, at), newest)) = before.zip(newest) else {
            self.groups.clear();
            self.zombies.clear();
            return self.turns;
        };
        let (turned, blind) = (newest < before, now.duration_since(at));
        if turned || blind > BLIND {
            self.groups.clear();
        }
        if turned || blind > BLIND_TO_ZOMBIES {
            self.zombies.clear();
        }
        self.turns += u64::from(turned);
        self.turns
    }

    /// This is a zombie.
    pub(super) fn saw_zombie(&mut self, pid: i32) {
        if self.last.is_some() {
            self.zombies.insert(pid);
        }
    }

    /// Whether it was a zombie when it was looked at last.
    pub(super) fn is_zombie(&self, pid: i32) -> bool {
        self.zombies.contains(&pid)
    }

    /// A leftover was seen in this group just now.
    pub(super) fn saw_group(&mut self, group: i32) {
        if self.last.is_some() && group > 1 {
            self.groups.insert(group);
        }
    }

    /// Kills the groups that are known, but for those in `mixed`; forgets those that are empty.
    pub(super) fn kill_groups(&mut self, mixed: &HashSet<i32>) {
        self.read_counter();
        self.groups.retain(|group| {
            mixed.contains(group) || process::signal_group(*group, Signal::KILL).is_ok()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_forgotten_when_it_may_be_anothers() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        for (name, newest, ms, group, zombie) in [
            ("nobody was started", Some(500), 1, true, true),
            ("some were", Some(900), 1, true, true),
            ("the counter came round", Some(400), 1, false, false),
            ("not looked at for a while", Some(500), 251, false, true),
            ("not looked at for long", Some(500), 5_001, false, false),
            ("there is no counter", None, 1, false, false),
        ] {
            let mut numbers = Numbers::default();
            numbers.counted(Some(500), begun);
            numbers.saw_group(77);
            numbers.saw_zombie(78);
            numbers.counted(newest, at(ms));
            assert_eq!(numbers.groups.contains(&77), group, "{name}");
            assert_eq!(numbers.is_zombie(78), zombie, "{name}");
        }
        let mut numbers = Numbers::default();
        numbers.saw_group(77);
        numbers.saw_zombie(78);
        assert!(!numbers.is_zombie(78), "before the counter was read");
        assert!(numbers.groups.is_empty(), "before the counter was read");
        numbers.counted(Some(500), begun);
        for nobodys in [-1, 0, 1] {
            numbers.saw_group(nobodys);
        }
        assert!(numbers.groups.is_empty(), "numbers that mean everybody");
    }
}
