//! The one place where the client waits.
//!
//! In: descriptors, a time. Out: which of them are ready. Promises: what is not waited for is not
//! looked at, so nothing that stays ready makes the loop spin.

use super::screen::Screen;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// What the loop waits for.
pub(super) struct Sources<'a, K, S, T> {
    /// The keyboard.
    pub(super) keys: &'a K,
    /// Hears of signals.
    pub(super) signals: &'a S,
    /// Tells what the thread that saves has done, and hangs up when it has ended.
    pub(super) saver: &'a T,
    /// The host.
    pub(super) host: &'a link::Polled,
    /// The outer terminal's output.
    pub(super) screen: &'a Screen,
}

/// What is ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ready {
    pub(super) keys: bool,
    pub(super) signals: bool,
    pub(super) saver: bool,
    /// There is something to read.
    pub(super) host: bool,
    /// The host takes bytes.
    pub(super) host_takes: bool,
    /// The terminal takes bytes.
    pub(super) screen: bool,
}

impl<K: AsFd, S: AsFd, T: AsFd> Sources<'_, K, S, T> {
    /// Waits until something is ready or that time has come.
    ///
    /// # Errors
    /// The system cannot wait.
    pub(super) fn wait(&self, until: Option<Instant>) -> io::Result<Ready> {
        let mut host = PollFlags::IN;
        host.set(PollFlags::OUT, self.host.is_waiting());
        let mut fds = vec![
            PollFd::new(self.keys, PollFlags::IN),
            PollFd::new(self.signals, PollFlags::IN),
            PollFd::new(self.saver, PollFlags::IN),
            PollFd::new(self.host, host),
        ];
        if self.screen.is_waiting() {
            fds.push(PollFd::new(self.screen, PollFlags::OUT));
        }
        match poll(&mut fds, timespec(until, Instant::now()).as_ref()) {
            Ok(_) => {}
            // A signal: its own descriptor tells, at the next look.
            Err(rustix::io::Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error.into()),
        }
        let told = |at: usize| fds.get(at).map_or(PollFlags::empty(), PollFd::revents);
        Ok(Ready {
            keys: !told(0).is_empty(),
            signals: !told(1).is_empty(),
            saver: !told(2).is_empty(),
            // An error or the end is read like everything else.
            host: !(told(3) - PollFlags::OUT).is_empty(),
            host_takes: told(3).contains(PollFlags::OUT),
            screen: !told(4).is_empty(),
        })
    }
}

/// How long to wait; `None` is for ever.
fn timespec(until: Option<Instant>, now: Instant) -> Option<Timespec> {
    let left: Duration = until?.saturating_duration_since(now);
    Timespec::try_from(left).ok()
}
