//! Input for a pane that must arrive whole and in order: pastes, and keys typed behind them.
//!
//! In: bytes, the host's answers, the time. Out: messages to send, one at a time. Promises: at
//! most [`MAX_BYTES`] wait; a message the pane's queue has no room for is offered again, later and
//! later, and given up when the pane has read nothing for [`PATIENCE`]; nothing overtakes.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Most bytes that wait: one paste of the largest size with its brackets, and some typing.
pub(crate) const MAX_BYTES: usize = crate::input::MAX_PASTE + 64 * 1024;
/// Longest message; the host takes no longer one.
const MAX_MESSAGE: usize = 1024 * 1024;
/// First wait before a refused message is offered again; doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// Longest such wait.
const LAST_WAIT: Duration = Duration::from_secs(1);
/// A pane that takes nothing for so long does not read.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    queue: VecDeque<Vec<u8>>,
    bytes: usize,
    /// The first message was sent and its answer has not come.
    sent: bool,
    /// The first message was refused.
    refused: Option<Wait>,
}

#[derive(Clone, Copy, Debug)]
struct Wait {
    /// First refusal since the pane last took something.
    since: Instant,
    /// When to offer it again.
    until: Instant,
    /// How long this wait is.
    length: Duration,
}

/// What a refusal leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It will be offered again.
    Later,
    /// So many bytes were dropped.
    GivenUp(usize),
}

impl Outbox {
    /// Nothing waits: input may be sent past the outbox.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Puts bytes at the end. False, and nothing is taken, when there is no room.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        if self.bytes + bytes.len() > MAX_BYTES {
            return false;
        }
        self.bytes += bytes.len();
        self.queue
            .extend(bytes.chunks(MAX_MESSAGE).map(<[u8]>::to_vec));
        true
    }

    /// The message to send now, as a request.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Vec<u8>> {
        if self.sent || self.refused.is_some_and(|wait| now < wait.until) {
            return None;
        }
        let message = self.queue.front()?.clone();
        self.sent = true;
        Some(message)
    }

    /// The host took the message.
    pub(crate) fn taken(&mut self) {
        self.sent = false;
        self.refused = None;
        if let Some(message) = self.queue.pop_front() {
            self.bytes -= message.len();
        }
    }

    /// The pane's queue has no room for the message.
    pub(crate) fn refused(&mut self, now: Instant) -> Refused {
        self.sent = false;
        let (since, length) = match self.refused {
            Some(wait) => (wait.since, (wait.length * 2).min(LAST_WAIT)),
            None => (now, FIRST_WAIT),
        };
        if now.duration_since(since) >= PATIENCE {
            return Refused::GivenUp(self.clear());
        }
        self.refused = Some(Wait {
            since,
            until: now + length,
            length,
        });
        Refused::Later
    }

    /// Drops everything; the number of bytes.
    pub(crate) fn clear(&mut self) -> usize {
        let dropped = self.bytes;
        *self = Self::default();
        dropped
    }

    /// When to look again, if a message waits for room.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.refused.filter(|_| !self.sent).map(|wait| wait.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_one_at_a_time_and_in_order() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        assert!(outbox.push(&vec![b'a'; MAX_MESSAGE + 5]) && outbox.push(b"key"));
        assert_eq!(outbox.next(now).map(|m| m.len()), Some(MAX_MESSAGE));
        assert_eq!(outbox.next(now), None, "its answer has not come");
        outbox.taken();
        assert_eq!(outbox.next(now), Some(b"aaaaa".to_vec()));
        outbox.taken();
        assert_eq!(outbox.next(now), Some(b"key".to_vec()));
        outbox.taken();
        assert!(outbox.is_empty() && outbox.next(now).is_none());
    }

    #[test]
    fn a_refused_message_is_offered_again_later_and_later() {
        let mut now = Instant::now();
        let mut outbox = Outbox::default();
        outbox.push(b"x");
        let mut waits = Vec::new();
        for _ in 0..6 {
            assert!(outbox.next(now).is_some());
            assert_eq!(outbox.refused(now), Refused::Later);
            let until = outbox.deadline().unwrap();
            assert_eq!(outbox.next(now), None);
            waits.push((until - now).as_millis());
            now = until;
        }
        assert_eq!(waits, [50, 100, 200, 400, 800, 1000]);
        assert!(outbox.next(now).is_some());
        outbox.taken();
        assert_eq!(outbox.deadline(), None);
    }

    #[test]
    fn a_pane_that_never_reads_is_given_up() {
        let start = Instant::now();
        let mut outbox = Outbox::default();
        outbox.push(b"12345");
        assert!(outbox.next(start).is_some());
        assert_eq!(outbox.refused(start), Refused::Later);
        assert!(outbox.next(start + PATIENCE).is_some());
        assert_eq!(outbox.refused(start + PATIENCE), Refused::GivenUp(5));
        assert!(outbox.is_empty());
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut outbox = Outbox::default();
        assert!(outbox.push(&vec![0; MAX_BYTES]));
        assert!(!outbox.push(b"x"));
        assert_eq!(outbox.clear(), MAX_BYTES);
        assert!(outbox.push(b"x"));
    }
}
