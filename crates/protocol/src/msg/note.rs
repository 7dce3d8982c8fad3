//! Notes: what others share through the host, which never reads it.

use super::Bytes;
use bincode::{Decode, Encode};

/// Write or remove a note of the frame's pane (no pane: a global one).
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct NoteSet {
    /// Its key, 1..=128 bytes.
    pub key: String,
    /// The revision it must have; 0: it must not exist; `None`: whatever it has.
    pub revision: Option<u64>,
    /// Its new value (a pane's <= 4 KiB, a global one <= 64 KiB); `None` removes it.
    pub value: Option<Bytes>,
}

/// All notes of the frame's pane (no pane: the global ones).
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct NoteList {}

/// Notes that were asked for; for [`NoteSet`] the one that was written.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Notes {
    /// One entry a note.
    pub notes: Vec<Note>,
}

/// One note.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Note {
    /// Its key.
    pub key: String,
    /// Grows with every change of any note.
    pub revision: u64,
    /// Its value.
    pub value: Bytes,
}

/// A note of the frame's pane (no pane: a global one) changed.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct NoteChanged {
    /// Its key.
    pub key: String,
    /// Its revision.
    pub revision: u64,
    /// Its value; `None`: removed.
    pub value: Option<Bytes>,
}
