//! The clock that deadlines are measured with: monotonic, so that a wall clock set forward or
//! back ends nothing and delays nothing.

use std::time::{Duration, Instant};

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

/// A clock that runs on while the machine sleeps, unlike [`Instant`]; only the difference of two of its
/// times means something. Linux: since the boot, so that setting the wall clock is no sleep. Elsewhere,
/// or where that cannot be read: the wall clock.
#[must_use]
pub fn with_suspends() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
        Duration::new(seconds, nanoseconds)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let now = std::time::SystemTime::now();
        now.duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default()
    }
}
