//! Viewing panes: claims, credit, snapshots, pages.

use super::Bytes;
use bincode::{Decode, Encode};

/// What the client's terminal is. Sent before the first claim and again when it changes.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Viewer {
    /// Default foreground as 0xRRGGBB, if the terminal told.
    pub foreground: Option<u32>,
    /// Default background as 0xRRGGBB, if the terminal told.
    pub background: Option<u32>,
    /// Cursor colour as 0xRRGGBB, if the terminal told.
    pub cursor: Option<u32>,
    /// Palette entries 0..=255 that the terminal told.
    pub palette: Vec<(u8, u32)>,
    /// Cell width and height in pixels; 0 unknown.
    pub cell: (u16, u16),
    /// Variables whose paths old panes reach through a stable link (SSH_AUTH_SOCK).
    pub links: Vec<(Bytes, Bytes)>,
    /// For logs and for the client that loses its panes: where this one runs, e.g. its tty.
    pub label: String,
}

/// Take panes, or change size and visibility of panes this attachment has.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Claim {
    /// One entry a pane.
    pub panes: Vec<ClaimPane>,
}

/// One pane of a claim.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct ClaimPane {
    /// The pane.
    pub pane: u32,
    /// Columns there are for it; hidden panes keep their size whatever stands here.
    pub cols: u16,
    /// Rows there are for it.
    pub rows: u16,
    /// It is visible: its output is streamed.
    pub shown: bool,
}

/// Give panes back.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Release {
    /// Which.
    pub panes: Vec<u32>,
}

/// View panes without taking them; replaces the former list.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Watch {
    /// Which.
    pub panes: Vec<u32>,
}

/// The frame's pane has been used up to this stream offset.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Ack {
    /// Offset after the last byte used.
    pub offset: u64,
}

/// The panes that the user of this connection looks at. What is not told is taken from what it shows:
/// a connection that never sends this looks at every pane it shows.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Look {
    /// All of them; those that are not there are passed over.
    pub panes: Vec<u32>,
}

/// A pane's screen once.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct GetSnapshot {}

/// Scrollback lines `from..from + count` that still exist.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct GetPage {
    /// First line id.
    pub from: u64,
    /// How many at most; the host gives at most 1,000 and at most 1 MiB.
    pub count: u32,
}

/// Send events from now on.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Subscribe {}
