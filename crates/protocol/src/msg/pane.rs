//! Panes: making, ending, listing.

use super::Bytes;
use bincode::{Decode, Encode};

/// Start a program in a new pane.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Create {
    /// The pane's id, for a restored pane; refused when it is in use. `None`: the host picks.
    pub id: Option<u32>,
    /// Program and arguments; at least one.
    pub argv: Vec<Bytes>,
    /// Absolute folder to start in.
    pub cwd: Bytes,
    /// The creator's environment; `None`: the user's login-interactive shell's.
    pub env: Option<Vec<(Bytes, Bytes)>>,
    /// Variables set after the host's filter.
    pub set_env: Vec<(Bytes, Bytes)>,
    /// Columns, 1..=1000; 0: the default of 120.
    pub cols: u16,
    /// Rows, 1..=1000; 0: the default of 40.
    pub rows: u16,
    /// Notes the pane begins with.
    pub notes: Vec<(String, Bytes)>,
    /// An encoded snapshot to begin the screen with.
    pub seed: Option<Bytes>,
}

/// The pane that was started.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Created {
    /// Its id.
    pub pane: u32,
    /// The program's process id.
    pub pid: u32,
}

/// End the pane's family.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Kill {}

/// Continue a stopped pane.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Continue {}

/// Give the pane a size; each 1..=1000.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Resize {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}

/// Forget an exited pane.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Remove {}

/// The frame's pane uses this process, which some pane's program started: from now on it is the
/// host's to end, together with the last pane that was named for it.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Share {
    /// Its process id.
    pub pid: u32,
    /// Its start time in clock ticks since boot (`/proc/PID/stat` field 22).
    pub start: u64,
}

/// When the user last sent the frame's pane something to act on.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct LastSubmit {}

/// When the user last sent the pane something to act on: Enter, Ctrl-C or Ctrl-D, in whatever way
/// they were encoded.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Submitted {
    /// Milliseconds from then to now, or to the end of a program that has ended; `None`: never.
    pub since_ms: Option<u64>,
    /// Its end was asked for with [`Kill`].
    pub killed: bool,
}

/// How many pictures each pane's program has drawn.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct CountPictures {}

/// How many pictures (sixel, kitty, iTerm2) came, of each pane that drew any.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PictureCounts {
    /// Pane and count; oldest pane first.
    pub counts: Vec<(u32, u64)>,
}

/// List every pane.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct List {}

/// The panes there are, oldest first.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Panes {
    /// One entry a pane.
    pub panes: Vec<PaneFacts>,
}

/// What the host knows of a pane.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct PaneFacts {
    /// Its id.
    pub pane: u32,
    /// The program's process id.
    pub pid: u32,
    /// The program's start time in clock ticks since boot (`/proc/PID/stat` field 22); 0 unknown.
    pub pid_start: u64,
    /// Its reaper's process id.
    pub reaper: u32,
    /// As it was started.
    pub argv: Vec<Bytes>,
    /// As it was started.
    pub cwd: Bytes,
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// Last title set, cleaned.
    pub title: String,
    /// [`RUNNING`], [`STOPPED`] or [`EXITED`].
    pub state: u8,
    /// Raw wait status, once exited.
    pub raw_status: i32,
    /// Why it ended beyond the status, for people ("killed by the host's end"); mostly empty.
    pub end_note: String,
    /// Milliseconds since it was created.
    pub age_ms: u64,
    /// Milliseconds since the last input.
    pub since_input_ms: Option<u64>,
    /// Milliseconds since the last output.
    pub since_output_ms: Option<u64>,
    /// The connection that has claimed it.
    pub claimed_by: Option<u32>,
    /// It is visible in that client.
    pub shown: bool,
    /// Foreground process group of its terminal; 0 unknown.
    pub foreground: u32,
    /// Bytes of output so far: the stream offset.
    pub offset: u64,
    /// Its notes.
    pub notes: Vec<(String, Bytes)>,
}

/// [`PaneFacts::state`]: the program runs.
pub const RUNNING: u8 = 0;
/// [`PaneFacts::state`]: the program is stopped by job control.
pub const STOPPED: u8 = 1;
/// [`PaneFacts::state`]: the program has ended.
pub const EXITED: u8 = 2;
