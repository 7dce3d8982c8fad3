//! What a synchronized update (mode 2026) keeps from being drawn.
//!
//! In: whether the program is within one, and the time. Out: whether to draw. Promises: nothing is held
//! for longer than [`HOLD`]; once that ran out nothing is until another update begins.

use std::time::{Duration, Instant};

/// Longest time a synchronized update keeps the former screen.
pub(crate) const HOLD: Duration = Duration::from_secs(1);
/// Its beginning, the usual spelling.
const SYNC_BEGIN: &[u8] = b"\x1b[?2026h";

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nothing is held.
    No,
    /// What came since then is.
    Since(Instant),
    /// Nothing is any more: the program may have been killed in its update, and what comes after it
    /// would be late for ever.
    RanOut,
}

impl Hold {
    /// For a screen that was just shown, as much of an update as there is included.
    pub(super) const fn of_shown(synchronized: bool) -> Self {
        if synchronized { Self::RanOut } else { Self::No }
    }

    /// After `bytes`, the last of the stream so far.
    pub(super) fn after(self, bytes: &[u8], synchronized: bool, now: Instant) -> Self {
        // Nothing else tells an update that begins from one that was never ended.
        let begins = |bytes: &[u8]| bytes.windows(SYNC_BEGIN.len()).any(|it| it == SYNC_BEGIN);
        match self {
            _ if !synchronized => Self::No,
            Self::No => Self::Since(now),
            Self::RanOut if begins(bytes) => Self::Since(now),
            held => held,
        }
    }

    /// Whether the former screen is still to be seen.
    pub(super) const fn holds(self) -> bool {
        matches!(self, Self::Since(_))
    }

    /// When its time runs out.
    pub(super) fn deadline(self) -> Option<Instant> {
        match self {
            Self::Since(since) => Some(since + HOLD),
            Self::No | Self::RanOut => None,
        }
    }

    /// At this time.
    pub(super) fn at(self, now: Instant) -> Self {
        let over = self.deadline().is_some_and(|until| now >= until);
        if over { Self::RanOut } else { self }
    }
}
