//! What you see: the host's panes on the terminal this program runs in.
//!
//! In: a proven connection, a layout, what the user types. Out: frames for the outer terminal,
//! messages for the host, layouts to save. It is an event loop in four parts: `input` and the host
//! give events, `update` (pure) changes the `model` and names effects, `run` carries them out,
//! `draw` and `paint` show the model. Promises: the outer terminal is given back as it was on
//! every way out; nothing waits on a slow host, pane or terminal; it knows nothing of processes
//! or records.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(unix),
    expect(dead_code, reason = "the loop that uses it is missing there")
)]

mod ability;
mod canvas;
mod draw;
mod geometry;
mod input;
mod keys;
mod links;
mod model;
mod notice;
mod outbox;
#[cfg(unix)]
mod outer;
mod paint;
mod pane;
#[cfg(unix)]
mod run;
mod scroll;
mod sequences;
#[cfg(test)]
mod testing;
#[cfg(not(unix))]
mod unsupported;
mod update;

pub use notice::Tell;

use link::layout::Workspace;
use protocol::PaneId;
use protocol::msg::Bytes;
#[cfg(not(unix))]
use unsupported as run;

/// Settings of one run.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The letter that, with Ctrl, begins a command; lower case. `b` unless set otherwise.
    pub prefix: char,
    /// Take the mouse: click to focus, drag borders, wheel to scroll.
    pub mouse: bool,
    /// Rows a step of the wheel scrolls, >= 1.
    pub wheel_rows: u16,
    /// How the outer terminal is told that a pane waits and nobody looks.
    pub tell: Tell,
    /// Program and arguments of a new pane; at least one.
    pub argv: Vec<Bytes>,
    /// The user's environment, for new panes; the host filters it.
    pub env: Vec<(Bytes, Bytes)>,
    /// Tools that outlive new panes: the value of `ABIDE_KEEP`, if there are any.
    pub keep: Option<Bytes>,
    /// Variables whose paths old panes reach through a stable link (SSH_AUTH_SOCK).
    pub links: Vec<(Bytes, Bytes)>,
    /// Names this client in logs and to a client that loses its panes, e.g. its tty.
    pub label: String,
    /// Panes of the layout that the host does not have and that are written down.
    pub comeback: Comeback,
}

/// Panes that are to come back, or could: in their places no others are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comeback {
    /// Those that others bring back at this moment: they are waited for.
    pub pending: Vec<u32>,
    /// Those that stay away, and what stands in their places: what would come, how, and why it does not.
    pub away: Vec<(u32, String)>,
    /// What is told of restores before this one (`link::notes::RestoreNote::count`) is none of theirs.
    pub since: u64,
}

/// What the user asks for that is not the host's to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Stop what has not come back yet.
    Hold,
    /// Let go of what would come back in the workspace of this id.
    Fresh(String),
}

/// What the caller does for the client, on one thread of its own, so that the loop never waits for a
/// disk.
pub struct Backstage {
    /// Called with each changed layout, at most a few times a second.
    pub save: Box<dyn FnMut(&Workspace) + Send>,
    /// Carries out an act; gives what to tell the user.
    pub act: Box<dyn FnMut(Act) -> String + Send>,
}

impl std::fmt::Debug for Backstage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backstage").finish_non_exhaustive()
    }
}

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// A folder's tabs and splits. Leaves whose pane the host does not have, and that are not in
    /// [`ClientConfig::comeback`], get a new shell.
    Workspace(Workspace),
    /// As [`View::Workspace`], which another client is opening at this moment: what that one makes
    /// is waited for, two seconds at most, before anything is made.
    Joining(Workspace),
    /// One pane, with the whole terminal and nothing beside it.
    Pane(PaneId),
    /// As [`View::Pane`], but only to look: it is taken from nobody and nothing is typed. For a
    /// connection with the role `Watch`.
    Watch(PaneId),
}

/// Why the client left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The user detached, or the window was closed; everything goes on.
    Detached,
    /// Another client took every pane.
    Taken {
        /// Which one, for people.
        by: String,
    },
    /// The host ended or cannot be reached any more.
    HostGone {
        /// Why, for people.
        reason: String,
        /// It said so itself. A host that is lost without a word is replaced by the keeper.
        announced: bool,
    },
    /// The last pane of the workspace was closed.
    Closed,
    /// The program of the one pane that was shown ended.
    Ended {
        /// Which one; another than the [`View`]'s when it was started again.
        pane: PaneId,
        /// As `wait` gave it.
        raw: i32,
    },
    /// A signal asked for it; panes go on.
    Signal(i32),
}

/// Why the client could not go on.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Standard input or output is no terminal.
    #[error(
        "this needs a terminal on standard input and output; `abide ls` and `abide capture` work without one"
    )]
    NoTerminal(#[source] std::io::Error),
    /// The system refused something the client cannot do without.
    #[error("the client cannot {doing}: {source}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no loop for this system's terminals.
    #[error(
        "abide cannot show panes on this system yet; it does on Linux and macOS, and in WSL on Windows"
    )]
    Unsupported,
    /// A part of the client failed; panes go on.
    #[error("the client failed inside ({part}); your panes go on, open it again")]
    Fault {
        /// Which part.
        part: &'static str,
    },
}

/// Shows `view` until the user leaves.
///
/// # Errors
/// [`ClientError`]; the outer terminal has been given back then too.
pub fn run(
    conn: link::Connection,
    view: View,
    config: ClientConfig,
    backstage: Backstage,
) -> Result<Outcome, ClientError> {
    run::run(conn, view, config, backstage)
}
