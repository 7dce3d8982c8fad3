//! How long to wait before a host that does not answer is looked for again. Pure.
//!
//! Promises: the first waits are short, since a host is on its way up for a moment as a rule; each is
//! twice the one before, up to [`MOST`]; whatever was answered begins it anew.

use std::time::Duration;

/// The first wait.
const FIRST: Duration = Duration::from_millis(100);
/// The longest wait.
const MOST: Duration = Duration::from_secs(5);

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BackOff {
    /// Waits since there was an answer.
    waits: u32,
}

impl BackOff {
    /// The next wait.
    pub(crate) fn wait(&mut self) -> Duration {
        let times = 2_u32.checked_pow(self.waits).unwrap_or(u32::MAX);
        self.waits = self.waits.saturating_add(1);
        FIRST.saturating_mul(times).min(MOST)
    }

    /// There was an answer.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_begin_anew() {
        let mut back_off = BackOff::default();
        let waits: Vec<u128> = (0..9).map(|_| back_off.wait().as_millis()).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
        // A host that is silent for ever.
        back_off.waits = u32::MAX - 1;
        let long: Vec<u128> = (0..3).map(|_| back_off.wait().as_millis()).collect();
        assert_eq!(long, [5000, 5000, 5000]);
        back_off.reset();
        assert_eq!(back_off.wait(), FIRST);
    }
}
