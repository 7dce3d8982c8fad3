//! The host's part: it is a subreaper too, so the family of a reaper that was killed lands on it.

use crate::hunt::{Hunt, Spare};
use std::time::{Duration, Instant};
use sys::process::Stat;

/// Longest that one call works; the host has terminals to read.
const BUDGET: Duration = Duration::from_millis(30);

/// Kills and takes every child of this process that is not in `known_children`, with all that is
/// below it. Call it when `wait` told of a child that nobody knows, or a reaper died by a signal,
/// and again a little later while it does not answer 0. Every process the caller started itself
/// has to be in the list, and is taken by the caller with [`sys::process::reap`]: taking "any
/// child" in a loop would have no end while a chain of forks hands over one zombie after another,
/// and would take away what this needs to see of them.
///
/// Answers how many of them could still be signalled: 0 means gone, or not ours to end.
///
/// `spares` is asked about everybody else: true leaves a process alone, with all that is below it.
pub fn end_adopted(known_children: &[i32], spares: &dyn Fn(&Stat) -> bool) -> usize {
    let begun = Instant::now();
    let mut taken = |_pid: i32, _raw: i32| {};
    let mut hunt = Hunt::new(
        Spare {
            children: known_children,
            others: Some(spares),
        },
        &mut taken,
    );
    loop {
        let left = hunt.strike();
        let buried = hunt.bury(true);
        if !buried.children {
            return 0;
        }
        if left == 0 && buried.count == 0 {
            return 0;
        }
        if begun.elapsed() > BUDGET {
            return left.max(1);
        }
        std::thread::yield_now();
    }
}
