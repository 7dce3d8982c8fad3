//! The outer terminal's input: bytes become keys, mouse, pastes and replies.
//!
//! In: bytes as they were read, cut anywhere, and the driver's word that nothing followed for a
//! while (`flush`). Out: events. This is not crossterm's event reader, since that one loses what a
//! host must not lose: replies to colour queries end up as typed text, a paste has no bound, a key
//! in the form of modifyOtherKeys or with lock bits is not recognised. Promises: no clock; a reply
//! is never typed into a pane, however it is cut; a key release is no key; what is not understood
//! is dropped whole; memory is bounded by [`MAX_PASTE`].

mod csi;
mod decode;
mod keys;
#[cfg(test)]
mod tests;

#[cfg(unix)]
pub(crate) use decode::{Decoder, Pending};

use term::input::{KeyInput, Mods};

/// Longest paste, in bytes; a longer one is refused as a whole.
pub(crate) const MAX_PASTE: usize = 16 * 1024 * 1024;

/// Something the user or the outer terminal said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    /// A key went down, or repeats.
    Key(KeyInput),
    /// The mouse.
    Mouse(Mouse),
    /// Text that was pasted, as it came, without the brackets.
    Paste(Vec<u8>),
    /// A paste longer than [`MAX_PASTE`] was dropped.
    PasteTooLong,
    /// The outer window got or lost the focus.
    Focus(bool),
    /// An answer to one of our queries.
    Reply(Reply),
}

/// What the outer terminal told about itself. Colours are 0xRRGGBB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Default text colour.
    Foreground(u32),
    /// Default background.
    Background(u32),
    /// Cursor colour.
    Cursor(u32),
    /// It knows the kitty keyboard protocol.
    Kitty,
    /// Width and height of a cell in pixels.
    Cell(u16, u16),
    /// DA1: everything asked before it has been answered or never will be.
    Attributes {
        /// It draws sixel pictures.
        sixel: bool,
    },
    /// The user switched between light and dark.
    Theme,
}

/// A mouse event, in cells of the outer terminal from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mouse {
    /// What happened.
    pub(crate) kind: MouseKind,
    /// Column.
    pub(crate) x: u16,
    /// Row.
    pub(crate) y: u16,
    /// Shift, Alt, Ctrl.
    pub(crate) mods: Mods,
}

/// What the mouse did. Buttons: 0 left, 1 middle, 2 right, more for the extra ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MouseKind {
    /// A button went down.
    Press(u8),
    /// A button came up.
    Release(u8),
    /// Moved with a button held.
    Drag(u8),
    /// Moved without one.
    Move,
    /// The wheel, away from the user.
    WheelUp,
    /// The wheel, towards the user.
    WheelDown,
    /// The wheel, to the left.
    WheelLeft,
    /// The wheel, to the right.
    WheelRight,
}
