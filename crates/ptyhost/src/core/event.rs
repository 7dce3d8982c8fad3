//! What the driver tells the core.
//!
//! In: facts of sockets, ptys, reapers, signals and timers, each as one plain value. The core
//! believes their order and nothing else: no value holds a file descriptor or a clock. Bytes are
//! already bounded by the driver (a frame by the protocol, output by [`MAX_OUTPUT`]).

use protocol::msg::Bytes;
use protocol::{Frame, PaneId, Role};

/// Most bytes of one [`Event::Output`]. The driver takes less in one go.
pub const MAX_OUTPUT: usize = 64 * 1024;

/// A proven connection's number. Given by the driver, never reused in a host's life, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnId(pub u32);

/// One fact. Handled whole before the next.
#[derive(Debug)]
pub enum Event {
    /// A connection has proven that it knows its key. The core answers with `Welcome`.
    Connected {
        /// Its number.
        conn: ConnId,
        /// What its hello claimed, covered by the proof.
        role: Role,
        /// The pane whose key it used; `None`: the token. A pane's key admits [`Role::Report`]
        /// only, the core closes the rest.
        pane_key: Option<PaneId>,
    },
    /// A whole frame came.
    Frame {
        /// From whom.
        conn: ConnId,
        /// As it came.
        frame: Frame,
    },
    /// So many bytes of what the core sent have left for this connection's socket. Told as writes
    /// succeed; the core bounds the outbox by it.
    Sent {
        /// To whom.
        conn: ConnId,
        /// How many, frame headers included.
        bytes: usize,
    },
    /// The connection ended, from either side; also the echo of `Action::Close`.
    Disconnected {
        /// Which.
        conn: ConnId,
    },
    /// The pane's reaper runs; its report follows.
    Spawned {
        /// The pane of `Action::Spawn`.
        pane: PaneId,
        /// The reaper's process id.
        reaper: u32,
    },
    /// The reaper reports that the program was executed.
    Started {
        /// Which pane.
        pane: PaneId,
        /// The program's process id.
        pid: u32,
        /// Its start time in clock ticks since boot; 0 unknown.
        start: u64,
    },
    /// The pane did not come to be: no pty, no reaper, no folder, no such program. The driver has
    /// dropped (or is about to drop, at `Action::ClosePty`) what it had of it.
    SpawnFailed {
        /// Which pane.
        pane: PaneId,
        /// One line that names argv and path.
        text: String,
    },
    /// The program wrote, at most [`MAX_OUTPUT`] bytes.
    Output {
        /// Which pane.
        pane: PaneId,
        /// As read.
        bytes: Vec<u8>,
    },
    /// The pty has no writer left and every byte of it was handed over as [`Event::Output`].
    OutputEnded {
        /// Which pane.
        pane: PaneId,
    },
    /// So many further bytes of the `Action::Write` in flight were taken by the pty. The driver
    /// keeps the rest of that chunk and goes on with it.
    Wrote {
        /// Which pane.
        pane: PaneId,
        /// How many since the last such event.
        bytes: usize,
    },
    /// The chunk in flight cannot be written (the pty is broken); the driver dropped it, and the
    /// core sends no other for this pane.
    WriteFailed {
        /// Which pane.
        pane: PaneId,
    },
    /// The program was stopped for terminal I/O and stays stopped.
    Stopped {
        /// Which pane.
        pane: PaneId,
    },
    /// It goes on.
    Continued {
        /// Which pane.
        pane: PaneId,
    },
    /// The kernel killed the program because memory ran out; `Exited` follows.
    OutOfMemory {
        /// Which pane.
        pane: PaneId,
    },
    /// The program ended. Its last output may still be on its way.
    Exited {
        /// Which pane.
        pane: PaneId,
        /// Raw wait status.
        raw: i32,
    },
    /// The pane's reaper ended, so nothing of the family is left. Comes after everything that the
    /// reaper reported.
    ReaperGone {
        /// Which pane.
        pane: PaneId,
        /// The reaper's own raw wait status.
        raw: i32,
    },
    /// The foreground process group of the pane's terminal, told when it changed and as the answer
    /// to `Action::WatchGroup`.
    Foreground {
        /// Which pane.
        pane: PaneId,
        /// The group; 0: none.
        group: u32,
    },
    /// A group that `Action::WatchGroup` asked for has no process left. The driver looks before
    /// it hands over output, so that what the next program prints comes after this event.
    GroupGone {
        /// Which pane.
        pane: PaneId,
        /// The group.
        group: u32,
    },
    /// Answer to `Action::AskLoginEnv`.
    LoginEnv {
        /// The question's number.
        token: u32,
        /// The environment; the host's own where the user's shell gave none.
        env: Vec<(Bytes, Bytes)>,
        /// Why it is only the host's own, for the log.
        warning: Option<String>,
    },
    /// Answer to `Action::LookAtShared`.
    Shared(super::share::Looked),
    /// Answer to `Action::MeasureHost`.
    Measured {
        /// Resident memory in bytes; 0 unknown.
        memory: u64,
        /// The root reaper's process id while it lives; else 0.
        root_reaper: u32,
        /// Things to tell the user, one line each.
        warnings: Vec<String>,
    },
    /// The host was asked to end by a signal (SIGTERM, SIGINT, SIGHUP).
    Terminate {
        /// Its name, for the log and the goodbye.
        signal: &'static str,
    },
    /// The time of `Core::next_deadline` has come.
    Deadline,
}
