//! One way's queue. Pure.
//!
//! Promises: at most [`PLACES`] are under way and [`WAITING`] wait; one more pushes the oldest out.

use std::collections::VecDeque;

/// Notices of one way that are under way at once.
pub(crate) const PLACES: usize = 2;
/// Notices of one way that wait.
pub(crate) const WAITING: usize = 32;

/// See the module.
#[derive(Debug)]
pub(crate) struct Lane<T> {
    under_way: usize,
    waiting: VecDeque<T>,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self {
            under_way: 0,
            waiting: VecDeque::new(),
        }
    }
}

impl<T> Lane<T> {
    /// One more; gives the one that had to go for it.
    pub(crate) fn push(&mut self, job: T) -> Option<T> {
        self.waiting.push_back(job);
        let full = self.waiting.len() > WAITING;
        full.then(|| self.waiting.pop_front()).flatten()
    }

    /// The next to begin, if there is a place.
    pub(crate) fn begin(&mut self) -> Option<T> {
        if self.under_way >= PLACES {
            return None;
        }
        let next = self.waiting.pop_front()?;
        self.under_way += 1;
        Some(next)
    }

    /// One has ended.
    pub(crate) fn ended(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_when_nothing_moves() {
        let mut lane = Lane::default();
        for job in 0..PLACES {
            assert_eq!((lane.push(job), lane.begin()), (None, Some(job)));
        }
        let last = PLACES + WAITING;
        for job in PLACES..last {
            assert_eq!((lane.push(job), lane.begin()), (None, None));
        }
        assert_eq!(lane.push(last), Some(PLACES), "the oldest that waits");
        lane.ended();
        assert_eq!(lane.begin(), Some(PLACES + 1));
        assert_eq!(lane.begin(), None);
    }
}
