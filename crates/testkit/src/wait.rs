//! The one place that waits.
//!
//! In: a question about the world. Out: its answer as soon as there is one. Promises: a question
//! that stays unanswered fails the test with its own words, never a hang. The limits are generous
//! on purpose: they tell a hang from slowness, they measure nothing.

use regex::{Regex, RegexBuilder};
use std::time::{Duration, Instant};

/// How long anything may take before a test calls it a hang. A start of host, keeper, shell and agent
/// that takes one second takes half a minute where twenty others want the same core.
pub const LIMIT: Duration = Duration::from_secs(90);

/// First pause between two questions; it doubles up to [`SLOWEST`].
const FASTEST: Duration = Duration::from_millis(2);
const SLOWEST: Duration = Duration::from_millis(50);

/// Asks until the answer is `Some`, for [`LIMIT`] at most.
///
/// # Panics
/// When there is no answer in time, naming `what`.
#[track_caller]
pub fn until<T>(what: &str, question: impl FnMut() -> Option<T>) -> T {
    until_within(LIMIT, what, question)
}

/// Asks until the answer is `Some`, for `limit` at most.
///
/// # Panics
/// When there is no answer in time, naming `what`.
#[track_caller]
pub fn until_within<T>(limit: Duration, what: &str, question: impl FnMut() -> Option<T>) -> T {
    let Some(answer) = poll(limit, question) else {
        panic!("waited {limit:?} in vain for {what}");
    };
    answer
}

/// Asks until the answer is `Some`, for `limit` at most; `None` when there is none in time.
pub fn poll<T>(limit: Duration, mut question: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    let mut pause = FASTEST;
    loop {
        if let Some(answer) = question() {
            return Some(answer);
        }
        if Instant::now() >= end {
            return None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(SLOWEST);
    }
}

/// Watches that something stays as it is for a while; for "nothing happens" tests, where there is
/// no event to wait for. Any time is long enough to be fair and too short to be proof.
///
/// # Panics
/// As soon as `still` is false, naming `what`.
#[track_caller]
pub fn holds_for(time: Duration, what: &str, mut still: impl FnMut() -> bool) {
    let end = Instant::now() + time;
    loop {
        assert!(still(), "{what} did not hold");
        if Instant::now() >= end {
            return;
        }
        std::thread::sleep(FASTEST * 5);
    }
}

/// A pattern for screens: `^` and `$` match at every line.
///
/// # Panics
/// When it is no regular expression.
#[must_use]
#[track_caller]
pub fn pattern(text: &str) -> Regex {
    RegexBuilder::new(text)
        .multi_line(true)
        .build()
        .expect("a regular expression")
}
