//! One pane's input: whole messages in the order they came, one chunk in flight.
//!
//! In: input messages, answers to queries, "so many bytes were written". Out: chunks to write.
//! Promises: a message is taken whole or not at all; messages and answers stand one behind the
//! other, so nothing is interleaved; at most [`MAX_INPUT`] bytes of input and [`MAX_ANSWERS`] bytes
//! of answers wait. A program that asks but never reads loses its later answers, nobody else's.

use super::action::MAX_WRITE;
use std::collections::VecDeque;

/// Most bytes of input that wait for a pane, the chunk in flight included.
pub(crate) const MAX_INPUT: usize = 4 * 1024 * 1024;
/// Most bytes of one input message.
pub(crate) const MAX_MESSAGE: usize = 1024 * 1024;
/// Most bytes of answers to queries that wait for a pane.
pub(crate) const MAX_ANSWERS: usize = 64 * 1024;

/// Who made the bytes; only their bounds differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Input,
    Answer,
}

/// See the module. Plain data: bytes and lengths.
#[derive(Debug, Default)]
pub(crate) struct InputQueue {
    bytes: VecDeque<u8>,
    /// Runs of one source, in order; their sum is `bytes.len()` plus what is in flight.
    runs: VecDeque<(Source, usize)>,
    input: usize,
    answers: usize,
    in_flight: usize,
}

impl InputQueue {
    /// Takes one whole input message; `false`: there is no room, nothing was taken.
    pub(crate) fn push_input(&mut self, message: &[u8]) -> bool {
        if self.input + message.len() > MAX_INPUT {
            return false;
        }
        self.input += message.len();
        self.push(Source::Input, message);
        true
    }

    /// Takes one whole answer; `false`: there is no room, it is dropped.
    pub(crate) fn push_answer(&mut self, answer: &[u8]) -> bool {
        if self.answers + answer.len() > MAX_ANSWERS {
            return false;
        }
        self.answers += answer.len();
        self.push(Source::Answer, answer);
        true
    }

    fn push(&mut self, source: Source, message: &[u8]) {
        self.bytes.extend(message);
        match self.runs.back_mut() {
            Some((last, len)) if *last == source => *len += message.len(),
            _ => self.runs.push_back((source, message.len())),
        }
    }

    /// The next chunk to write, unless one is in flight or nothing waits.
    pub(crate) fn next_chunk(&mut self) -> Option<Vec<u8>> {
        if self.in_flight > 0 || self.bytes.is_empty() {
            return None;
        }
        let len = self.bytes.len().min(MAX_WRITE);
        self.in_flight = len;
        let chunk = self.bytes.drain(..len).collect();
        if self.bytes.is_empty() {
            self.bytes = VecDeque::new(); // a paste of megabytes does not stay allocated
        }
        Some(chunk)
    }

    /// So many bytes of the chunk in flight were taken by the pty.
    pub(crate) fn wrote(&mut self, bytes: usize) {
        let mut left = bytes.min(self.in_flight);
        self.in_flight -= left;
        while left > 0 {
            let Some((source, len)) = self.runs.front_mut() else {
                break;
            };
            let part = left.min(*len);
            match source {
                Source::Input => self.input -= part,
                Source::Answer => self.answers -= part,
            }
            *len -= part;
            left -= part;
            if *len == 0 {
                self.runs.pop_front();
            }
        }
    }

    /// Forgets everything, the chunk in flight included.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes everything out, `step` bytes a write.
    fn drain(queue: &mut InputQueue, step: usize) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some(chunk) = queue.next_chunk() {
            assert!(chunk.len() <= MAX_WRITE);
            for part in chunk.chunks(step) {
                assert_eq!(queue.next_chunk(), None, "one chunk in flight");
                queue.wrote(part.len());
                all.extend_from_slice(part);
            }
        }
        assert_eq!(
            (
                queue.input,
                queue.answers,
                queue.in_flight,
                queue.runs.len()
            ),
            (0, 0, 0, 0)
        );
        all
    }

    #[test]
    fn order_holds_whatever_the_pty_takes() {
        let paste: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        for step in [1_000, 1_023, 4_095, 65_536] {
            let mut queue = InputQueue::default();
            assert!(
                queue.push_input(&paste)
                    && queue.push_answer(b"\x1b[1;1R")
                    && queue.push_input(b"x")
            );
            let expected = [paste.as_slice(), b"\x1b[1;1R", b"x"].concat();
            assert!(drain(&mut queue, step) == expected, "step {step}");
        }
    }

    #[test]
    fn bounds_take_messages_whole_or_not_at_all() {
        let mut queue = InputQueue::default();
        for _ in 0..4 {
            assert!(queue.push_input(&vec![b'a'; MAX_MESSAGE]));
        }
        assert!(!queue.push_input(b"b"), "full");
        assert!(
            queue.push_answer(&[b'c'; MAX_ANSWERS]),
            "answers have their own room"
        );
        assert!(!queue.push_answer(b"d"));
        let chunk = queue.next_chunk().unwrap();
        assert!(!queue.push_input(b"b"), "what is in flight still counts");
        queue.wrote(1);
        assert!(queue.push_input(b"b") && !queue.push_input(b"b"));
        queue.wrote(chunk.len() - 1);
        assert_eq!(
            drain(&mut queue, MAX_WRITE).len(),
            4 * MAX_MESSAGE - MAX_WRITE + MAX_ANSWERS + 1
        );
    }

    #[test]
    fn more_written_than_sent_is_not_believed() {
        let mut queue = InputQueue::default();
        assert!(queue.push_input(b"abc"));
        queue.wrote(99);
        assert_eq!(queue.next_chunk().as_deref(), Some(&b"abc"[..]));
        assert!(queue.push_input(b"de"));
        queue.wrote(usize::MAX);
        assert_eq!(drain(&mut queue, 1), b"de");
    }
}
