//! When to draw.
//!
//! In: what happened, and when. Out: whether a frame is due, or when it will be. Promises: frames
//! nobody waits for are [`FRAME`] apart; what answers a key is drawn at once; a key that was only
//! passed on to a pane is no reason to draw before its echo had a frame's time to come, so that
//! one key costs one frame; nothing that changed stays undrawn.

use std::time::{Duration, Instant};

/// Shortest time between two frames nobody waits for: some 60 a second.
const FRAME: Duration = Duration::from_millis(16);
/// Output this soon after a key is its echo.
const ECHO: Duration = Duration::from_millis(100);

/// See the module.
#[derive(Debug)]
pub(super) struct Pace {
    /// Something changed since the last frame, at the latest then.
    changed: Option<Instant>,
    last_key: Option<Instant>,
    last_frame: Option<Instant>,
}

impl Pace {
    /// The first frame is due.
    pub(super) const fn new(now: Instant) -> Self {
        Self {
            changed: Some(now),
            last_key: None,
            last_frame: None,
        }
    }

    /// Something may look different now.
    pub(super) const fn changed(&mut self, now: Instant) {
        self.changed = Some(now);
    }

    /// The user did something.
    pub(super) const fn key(&mut self, now: Instant) {
        self.last_key = Some(now);
    }

    /// What the user did went to a pane, which will mostly answer.
    pub(super) fn passed_on(&mut self, now: Instant) {
        self.changed.get_or_insert(now + FRAME);
    }

    /// The next frame is not kept waiting for its turn.
    pub(super) const fn hurry(&mut self) {
        self.last_frame = None;
    }

    /// A frame was drawn.
    pub(super) const fn drawn(&mut self, now: Instant) {
        self.changed = None;
        self.last_frame = Some(now);
    }

    /// When the next frame is due, if something changed.
    pub(super) fn next(&self) -> Option<Instant> {
        let changed = self.changed?;
        let echo = self.last_key.is_some_and(|at| changed < at + ECHO);
        let turn = self.last_frame.filter(|_| !echo).map(|at| at + FRAME);
        Some(turn.map_or(changed, |turn| turn.max(changed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn frames_nobody_waits_for_take_turns() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        assert_eq!(pace.next(), Some(start));
        pace.drawn(start);
        assert_eq!(pace.next(), None);
        pace.changed(start + ms(3));
        pace.changed(start + ms(5));
        assert_eq!(pace.next(), Some(start + FRAME));
        pace.hurry();
        assert_eq!(pace.next(), Some(start + ms(5)));
        pace.drawn(start + ms(5));
        pace.changed(start + ms(500));
        assert_eq!(pace.next(), Some(start + ms(500)));
    }

    #[test]
    fn an_echo_is_drawn_at_once_and_its_key_is_not_drawn_before() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        pace.drawn(start);
        pace.key(start + ms(1));
        pace.passed_on(start + ms(1));
        assert_eq!(pace.next(), Some(start + ms(1) + FRAME), "no echo came");
        pace.changed(start + ms(2));
        assert_eq!(pace.next(), Some(start + ms(2)));
        pace.drawn(start + ms(2));
        // The next key of a fast typist, whose echo comes late.
        pace.key(start + ms(4));
        pace.passed_on(start + ms(4));
        pace.drawn(start + ms(4) + FRAME);
        pace.changed(start + ms(30));
        assert_eq!(pace.next(), Some(start + ms(30)));
        pace.drawn(start + ms(30));
        pace.changed(start + ms(31) + ECHO);
        assert_eq!(pace.next(), Some(start + ms(31) + ECHO));
        pace.drawn(start + ms(31) + ECHO);
        pace.changed(start + ms(33) + ECHO);
        assert_eq!(pace.next(), Some(start + ms(31) + ECHO + FRAME), "no echo");
    }

    /// What changed before a key was passed on is not put off by it.
    #[test]
    fn a_change_is_not_put_off_by_typing() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        pace.drawn(start);
        pace.changed(start + ms(20));
        pace.key(start + ms(21));
        pace.passed_on(start + ms(21));
        assert_eq!(pace.next(), Some(start + ms(20)));
    }
}
