//! What host and clients say to each other, without any I/O.
//!
//! In: byte slices from a transport, values from a caller. Out: bytes to send, values to act on.
//! Promises: no clock, no socket, no file; a length is checked before anything is allocated;
//! a released message is frozen (`tests/frozen.rs` pins it), a change is a new kind.
//! What a snapshot, a scrollback page or a hand-over contains is opaque here.

#![forbid(unsafe_code)]

pub mod auth;
pub mod frame;
pub mod hello;
mod macros;
pub mod msg;
mod role;

pub use frame::{Decoder, Frame, FrameError, Header};
pub use msg::{FromHost, ToHost};
pub use role::Role;

/// Lowest and highest protocol version this build speaks, both inclusive.
pub const VERSIONS: (u16, u16) = (1, 1);

/// A pane's number. Shown as `p12`; 0 means "no pane" (the host itself) and is never given out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneId(pub u32);

impl PaneId {
    /// The host itself, in frames that concern no pane.
    pub const NONE: Self = Self(0);
}

impl std::fmt::Display for PaneId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl std::str::FromStr for PaneId {
    type Err = NotAPaneId;

    /// Accepts `p12`; refuses `p0`, signs, spaces and anything past `u32`.
    fn from_str(text: &str) -> Result<Self, NotAPaneId> {
        let digits = text.strip_prefix('p').ok_or(NotAPaneId)?;
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        match digits.parse() {
            Ok(n) if plain && n > 0 => Ok(Self(n)),
            _ => Err(NotAPaneId),
        }
    }
}

/// The text is not of the form `p12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a pane id")]
pub struct NotAPaneId;
