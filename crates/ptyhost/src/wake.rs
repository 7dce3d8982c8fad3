//! Everything that can wake the driver, besides time and pane output: one closed list, one channel.
//!
//! In: tasks of connections, panes, signals, the door. Out: the driver's `match`. Promise: the
//! channel is bounded and serves its senders in turn, so one flooding connection cannot keep a
//! signal or a report out.

use crate::handshake::Admitted;
use crate::login::Variables;
use protocol::{Frame, PaneId};
use reaper::Report;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// Wakes that may wait.
const WAITING: usize = 256;

/// One thing that happened.
#[derive(Debug)]
pub(crate) enum Wake {
    /// A connection proved itself.
    Proven(TcpStream, Admitted),
    /// A connection sent a whole frame; the permit is its room in the inbox.
    Frame(u32, Frame, OwnedSemaphorePermit),
    /// So many bytes have left for the connection's socket.
    Sent(u32, usize),
    /// The connection is over; nothing of it follows. The text is for the log.
    Closed(u32, String),
    /// The pty took that many bytes.
    Wrote(PaneId, usize),
    /// The pty takes nothing any more.
    WriteFailed(PaneId),
    /// The reaper's word.
    Report(PaneId, Report),
    /// The reaper will say nothing more.
    ReportsEnded(PaneId),
    /// The login shell's environment, or why there is none.
    Login(u32, Result<Variables, String>),
    /// Somebody misses the host's files.
    Knock,
    /// A signal to this process.
    Signal(Signal),
}

/// Signals that the host acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// A child ended.
    Child,
    /// End, in order; its name.
    End(&'static str),
    /// The terminal the host was started from is gone: nothing to a host.
    HangUp,
}

/// The sending side, cheap to clone.
pub(crate) type Waker = mpsc::Sender<Wake>;

/// The driver's channel.
pub(crate) fn channel() -> (Waker, mpsc::Receiver<Wake>) {
    mpsc::channel(WAITING)
}
