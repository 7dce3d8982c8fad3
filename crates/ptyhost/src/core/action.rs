//! What the core asks of the driver.
//!
//! Out: one list an event, to be carried out in order. Promises: every frame is complete and within
//! the protocol's limit; at most one [`Action::Write`] a pane is unfinished; nothing here waits.

use super::event::ConnId;
use super::share::Process;
use protocol::PaneId;
use protocol::msg::Bytes;

/// Most bytes of one [`Action::Write`].
pub const MAX_WRITE: usize = 64 * 1024;

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpawnSpec {
    /// Program and arguments; at least one.
    pub argv: Vec<Bytes>,
    /// Absolute folder to start in.
    pub cwd: Bytes,
    /// The whole environment, names unique.
    pub env: Vec<(Bytes, Bytes)>,
    /// The pty's size.
    pub size: (u16, u16),
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Append these bytes (whole frames) to the connection's outbox.
    Send {
        /// To whom.
        conn: ConnId,
        /// Header and payload of one or more frames.
        bytes: Vec<u8>,
    },
    /// Close the connection after what its outbox holds was tried once; nothing more is sent to
    /// it. The driver confirms with `Event::Disconnected`.
    Close {
        /// Whom.
        conn: ConnId,
        /// For the log.
        why: String,
    },
    /// Open a pty and start a reaper with this program. Answered by `Event::Spawned` and then
    /// `Event::Started`, or by `Event::SpawnFailed`.
    Spawn {
        /// The pane it is for.
        pane: PaneId,
        /// What to start.
        spec: SpawnSpec,
    },
    /// Write this to the pty, whole, as the pty takes it; at most [`MAX_WRITE`] bytes. Answered by
    /// `Event::Wrote` until nothing is left, or by `Event::WriteFailed`.
    Write {
        /// Which pane.
        pane: PaneId,
        /// What.
        bytes: Vec<u8>,
    },
    /// Give the pty this size (one TIOCSWINSZ). The terminal model has it already.
    Resize {
        /// Which pane.
        pane: PaneId,
        /// Columns and rows.
        size: (u16, u16),
    },
    /// End the pane's family: SIGHUP and SIGCONT to its groups, then close the lifeline.
    HangUp {
        /// Which pane.
        pane: PaneId,
    },
    /// SIGCONT to the pane's groups.
    ContinuePane {
        /// Which pane.
        pane: PaneId,
    },
    /// Drop the pty and whatever else but the reaper the driver holds of this pane. No more
    /// `Output`, `Wrote` or `Foreground` of it is listened to.
    ClosePty {
        /// Which pane.
        pane: PaneId,
    },
    /// Read the foreground group now (answered by `Event::Foreground`) and tell by
    /// `Event::GroupGone` when that group has no process left. Asked again for the same group, it
    /// is one watch; the driver keeps the newest 8 a pane.
    WatchGroup {
        /// Which pane.
        pane: PaneId,
    },
    /// Keep this as the highest pane id ever given. Stands before the `Spawn` that uses it.
    PersistHighest(u32),
    /// Make or replace stable links: name of the variable and path it leads to. Absolute paths,
    /// none inside the links folder itself.
    RefreshLinks(Vec<(String, Bytes)>),
    /// Ask the user's login-interactive shell for its environment, 10 s at most. Answered by
    /// `Event::LoginEnv`.
    AskLoginEnv {
        /// Names the question.
        token: u32,
    },
    /// Take the host's own measures. Answered by `Event::Measured`.
    MeasureHost,
    /// Look whether this process lives and is of a pane's family, or shared already. Answered by
    /// `Event::Shared`.
    LookAtShared {
        /// Whose question it is.
        asker: (ConnId, u32),
        /// The pane that uses it.
        pane: PaneId,
        /// The process.
        process: Process,
    },
    /// From now on this process, with everybody below it, is left alone by its pane's reaper and
    /// by whoever ends what is left, as long as this host lives.
    Spare {
        /// The process.
        process: Process,
    },
    /// Nobody uses a spared process any more: TERM, 3 s, KILL, unless it is still below the reaper
    /// of a pane, which will end it.
    EndShared {
        /// The process.
        process: Process,
    },
    /// One line for the log. Holds no pane bytes and no secret.
    Log(String),
    /// Flush outboxes briefly, remove the endpoint, end the process. The last action ever.
    Exit {
        /// For the log.
        reason: String,
    },
}
