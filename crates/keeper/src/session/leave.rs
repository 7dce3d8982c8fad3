//! The last of a session: what the host said at its end, and what is still to be written.
//!
//! Promises: a host that ended with a goodbye is not taken for a lost one, whichever of its connections
//! broke first; the wait for that word is bounded.

use super::{Left, Session, now};
use crate::core::{Action, Event};
use protocol::FromHost;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// How long the goodbye of a host that is gone is waited for.
const LAST_WORD: Duration = Duration::from_secs(1);
/// The reason of a host's goodbye when a command had it stop.
const ASKED_TO_STOP: &str = "asked to stop";

impl Session<'_> {
    /// What is still unwritten is written, if that is possible.
    pub(super) fn leave(&mut self, left: Left) -> Left {
        let left = match left {
            Left::Vanished(why) => match self.goodbye() {
                Some(reason) => {
                    // It can only be a write that fails now, and that is tried once more below.
                    drop(self.step(Event::Shutdown));
                    Left::Goodbye(reason)
                }
                None => Left::Vanished(why),
            },
            left => left,
        };
        for action in self.core.last_words(now()) {
            if let Action::Write(edits) = action {
                drop(self.write(&edits));
            }
        }
        if matches!(&left, Left::Goodbye(reason) if reason == ASKED_TO_STOP) {
            // The next start says so; where it cannot be written, it says that the host ended.
            self.whose.host.stopped = true;
            drop(self.write(&[]));
        }
        left
    }

    /// The goodbye that has not been read yet: another connection of the same host was closed first.
    fn goodbye(&mut self) -> Option<String> {
        let until = Instant::now() + LAST_WORD;
        loop {
            while let Ok(Some(received)) = self.observe.take() {
                if let FromHost::Goodbye(goodbye) = received.message {
                    return Some(goodbye.reason);
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            let ready = sys::fd::wait_readable(&[self.observe.as_fd()], Some(left));
            if !ready.is_ok_and(|ready| ready[0]) || self.observe.fill().is_err() {
                return None;
            }
        }
    }
}
