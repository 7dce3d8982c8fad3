//! Events: pushed without a request id, the frame names the pane.

use super::Bytes;
use bincode::{Decode, Encode};

/// A pane began.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneCreated {
    /// The program's process id.
    pub pid: u32,
}

/// A pane's program ended; its last output has been sent.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneExited {
    /// Raw wait status.
    pub raw_status: i32,
    /// Milliseconds from the last input to the end.
    pub since_input_ms: Option<u64>,
    /// See [`super::PaneFacts::end_note`].
    pub end_note: String,
}

/// How a pane's program ended: what tells an end the user wanted from any other. Comes just before
/// [`PaneExited`], to subscribers only.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneEnded {
    /// Raw wait status.
    pub raw_status: i32,
    /// Milliseconds from the last Enter, Ctrl-C or Ctrl-D to the end.
    pub since_submit_ms: Option<u64>,
    /// Its end was asked for with [`super::Kill`].
    pub killed: bool,
}

/// A pane was stopped by job control, or goes on.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneStopped {
    /// It is stopped.
    pub stopped: bool,
}

/// A pane is gone from the list.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneRemoved {}

/// Another client took a pane of this one.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneTaken {
    /// The connection that has it now.
    pub by: u32,
    /// That client's label.
    pub label: String,
}

/// A pane's size changed.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneResized {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// Stream offset at which it changed.
    pub offset: u64,
}

/// A pane is shown by a client, or no longer.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneShown {
    /// It is.
    pub shown: bool,
}

/// Somebody looks at a pane (see [`super::Look`]), or nobody any longer. To subscribers only; one that
/// subscribes later is told of those that are looked at.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneLooked {
    /// Somebody does.
    pub looked: bool,
}

/// Input was typed into a pane; at most one event a second and pane.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneInput {}

/// The pane's foreground process group changed.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneForeground {
    /// The group; 0: none.
    pub group: u32,
}

/// Window title, cleaned of control characters.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Title {
    /// The title.
    pub title: String,
}

/// Current folder as the program told it.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Folder {
    /// The path.
    pub path: Bytes,
}

/// The bell rang.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Bell {}

/// A notification.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Notice {
    /// May be empty.
    pub title: String,
    /// Its text.
    pub body: String,
}

/// Progress.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Progress {
    /// 0 none, 1 normal, 2 error, 3 unknown amount, 4 paused.
    pub state: u8,
    /// 0..=100.
    pub percent: u8,
}

/// Prompt mark.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Mark {
    /// `A`, `B`, `C` or `D`.
    pub kind: u8,
    /// Exit status after `D`, if told.
    pub status: Option<i32>,
}

/// Program status.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct ProgramStatus {
    /// The sequence's payload.
    pub body: Bytes,
}

/// The program wrote the clipboard.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Clipboard {
    /// Decoded, at most 1 MiB.
    pub bytes: Bytes,
}

/// A hook's report.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Reported {
    /// As it came.
    pub body: Bytes,
}

/// Input without a request id was refused: the pane's queue is full.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct InputRefused {
    /// How much was not taken.
    pub bytes: u64,
}
