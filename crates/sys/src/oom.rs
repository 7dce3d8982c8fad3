//! Whether the kernel killed somebody because memory ran out.
//!
//! The kernel tells nobody whom it chose but its own log, which users may not read. It counts,
//! though: a SIGKILL that nobody here sent, just when the count grew, was one of those.

use std::time::{Duration, Instant};

/// How long after the count grew a death is put down to it.
const FRESH: Duration = Duration::from_secs(5);

/// Watches the kernel's count.
#[derive(Debug)]
pub struct OomWatch {
    count: u64,
    /// When it last grew, and by how many that nobody was found for.
    grown: Option<(Instant, u64)>,
}

impl OomWatch {
    /// From now on.
    #[must_use]
    pub fn new() -> Self {
        Self {
            count: kills().unwrap_or(0),
            grown: None,
        }
    }

    /// Looks at the count; do it now and then, so that an old growth is not taken for a new one.
    pub fn look(&mut self, now: Instant) {
        if let Some(count) = kills() {
            self.counted(count, now);
        }
    }

    /// Whether a process that was just ended by SIGKILL was the kernel's choice.
    pub fn was_it(&mut self, now: Instant) -> bool {
        self.look(now);
        self.take(now)
    }

    fn counted(&mut self, count: u64, now: Instant) {
        let more = count.saturating_sub(self.count);
        if more > 0 {
            let before = self.fresh(now).unwrap_or(0);
            self.grown = Some((now, before + more));
        }
        self.count = count;
    }

    fn fresh(&self, now: Instant) -> Option<u64> {
        let (at, left) = self.grown?;
        (now.saturating_duration_since(at) <= FRESH && left > 0).then_some(left)
    }

    fn take(&mut self, now: Instant) -> bool {
        let left = self.fresh(now);
        if let (Some(left), Some((_, more))) = (left, &mut self.grown) {
            *more = left - 1;
        }
        left.is_some()
    }
}

impl Default for OomWatch {
    fn default() -> Self {
        Self::new()
    }
}

/// How many processes the kernel has killed for want of memory since the machine's start, in
/// whatever control group. `None`: it does not count (before Linux 4.13, and elsewhere).
#[must_use]
pub fn kills() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/vmstat").ok()?;
    counted(&text)
}

fn counted(vmstat: &str) -> Option<u64> {
    let line = vmstat.lines().find_map(|it| it.strip_prefix("oom_kill "))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read() {
        let text = "nr_free_pages 9\noom_kill_disable 7\noom_kill 3\nnr 1\n";
        assert_eq!(counted(text), Some(3));
        assert_eq!(counted("nr_free_pages 9\n"), None);
    }

    #[test]
    fn each_kill_is_put_down_to_one_death_and_not_for_long() {
        let begun = Instant::now();
        let at = |s: u64| begun + Duration::from_secs(s);
        let mut watch = OomWatch {
            count: 7,
            grown: None,
        };
        watch.counted(7, at(0));
        assert!(!watch.take(at(0)), "nothing grew");
        watch.counted(9, at(10));
        assert!(watch.take(at(11)) && watch.take(at(12)));
        assert!(!watch.take(at(12)), "two were killed, not three");
        watch.counted(10, at(20));
        assert!(!watch.take(at(26)), "too old");
        watch.counted(11, at(30));
        assert!(watch.take(at(30)));
        assert!(!watch.take(at(30)), "the old one does not come back");
    }
}
