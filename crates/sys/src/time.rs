//! The clock that deadlines are measured with: monotonic, so that a wall clock set forward or
//! back ends nothing and delays nothing.

use std::time::Instant;

/// Where "now" comes from, so that a test can bring its own.
pub trait Clock {
    /// The present moment; never goes back.
    fn now(&self) -> Instant;
}

/// The system's monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Monotonic;

impl Clock for Monotonic {
    fn now(&self) -> Instant {
        Instant::now()
    }
}
