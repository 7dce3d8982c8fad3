//! What every engine does. In: bytes, sizes, snapshots; out: rows, scrollback,
//! answers and events. Promises of each: no clock, no panic out of any call,
//! memory bounded by size and scrollback limits, and an engine made from a
//! snapshot goes on exactly as the one the snapshot was taken from.

pub mod grid;
pub mod guard;
pub mod vt100;

use std::ops::Range;

use crate::cell::Row;
use crate::codec;
use crate::colours::Colours;
use crate::modes::Modes;
use crate::picture::Picture;
use crate::scrollback::Page;
use crate::sink::Sink;
use crate::size::Size;
use crate::snapshot::{Cursor, Snapshot};
use crate::terminal::EngineKind;

/// A terminal engine. Made by its own `new` and `from_snapshot`.
pub trait Engine: std::fmt::Debug + Send {
    /// Which engine it is now.
    fn kind(&self) -> EngineKind;
    /// Reads output of the program, cut anywhere.
    fn advance(&mut self, bytes: &[u8], sink: &mut dyn Sink);
    /// Changes the size of both screens.
    fn resize(&mut self, size: Size);
    /// Columns and rows.
    fn size(&self) -> Size;
    /// Everything as data, with the newest `history` lines of the scrollback.
    fn snapshot(&mut self, history: usize) -> Snapshot;
    /// The same as the bytes `codec` makes of it.
    fn encoded(&mut self, history: usize) -> Vec<u8> {
        codec::encode_snapshot(&self.snapshot(history))
    }
    /// Takes over the viewer's colours.
    fn set_colours(&mut self, colours: &Colours);
    /// The mode table.
    fn modes(&self) -> &Modes;
    /// Resets modes a dead program left; returns bytes that do the same elsewhere.
    fn reset_left_modes(&mut self) -> Vec<u8>;
    /// The cursor of the screen that is shown.
    fn cursor(&self) -> Cursor;
    /// Row `y` of the screen that is shown; empty if there is none.
    fn row(&self, y: u16) -> Row;
    /// Grows whenever row `y` looks different.
    fn row_generation(&self, y: u16) -> u64;
    /// Ids of the lines that left the screen.
    fn scrollback(&self) -> Range<u64>;
    /// Up to `count` of them from id `from`, or from the oldest held.
    fn page(&self, from: u64, count: usize) -> Page;
    /// Pictures over the screen that is shown; an engine may keep none.
    fn pictures(&mut self) -> Vec<Picture> {
        Vec::new()
    }
    /// How many pictures came.
    fn pictures_seen(&self) -> u64;
    /// How many pictures were to be shown since this engine was made.
    fn pictures_asked(&self) -> u64 {
        self.pictures_seen()
    }
    /// What stands behind `OSC 8 ;` for the `link` of a row's style; an engine
    /// without links knows none.
    fn link(&self, id: u32) -> Option<String> {
        let _ = id;
        None
    }
}
