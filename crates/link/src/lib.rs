//! The way to the host: find it, prove both ends, start what is missing, talk.
//!
//! In: places on disk, a role. Out: a [`Connection`] (blocking, or [`Polled`] by a loop), or one
//! typed, one-line reason. Promises: looking never starts anything; a host that is alive but silent
//! is waited for, never replaced; the host proves itself before this side says anything that
//! depends on the token; the token never leaves the process. Nothing here knows what a screen is.

#![forbid(unsafe_code)]

pub mod around;
mod connection;
mod error;
mod handshake;
mod hostfile;
mod inside;
pub mod keeper;
pub mod layout;
pub mod notes;
pub mod place;
mod places;
mod polled;
mod probe;
mod start;

pub use connection::{Connection, Received, Receiver, Sender};
pub use error::LinkError;
pub use hostfile::{BootFacts, HostFile, ProcessFacts};
pub use inside::is_pane_of;
pub use places::{Places, PlacesError};
pub use polled::Polled;
pub use probe::{Mode, connect, connect_patiently, probe, report};
pub use start::{START_LIMIT, Starter, ensure};
