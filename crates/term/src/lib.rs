//! The terminal model. In: the bytes a program writes; out: a screen, its
//! scrollback, snapshots, answers to the program's queries and events.
//! Promises: no clocks, no threads, no I/O; every buffer bounded; no byte
//! stream makes it panic. Who sends the bytes and where cells are drawn is
//! not its business.

#![forbid(unsafe_code)]

pub mod answer;
pub mod cell;
pub mod charset;
pub mod codec;
pub mod colours;
pub mod engine;
pub mod events;
pub mod input;
pub mod modes;
mod paint;
pub mod parser;
pub mod picture;
#[cfg(test)]
mod probe;
mod quick;
pub mod render;
pub mod scrollback;
pub mod sgr;
pub mod sink;
pub mod size;
pub mod snapshot;
pub mod strings;
pub mod terminal;
pub mod width;

pub use cell::{Cell, CellText, Colour, Row, Style, StyleFlags, Underline};
pub use colours::Colours;
pub use modes::Modes;
pub use picture::{Picture, PictureKind};
pub use scrollback::{Jump, Line, Page, Span};
pub use sink::{Event, Recorder, Silent, Sink};
pub use size::Size;
pub use snapshot::{Cursor, Snapshot};
pub use terminal::{EngineKind, Options, Terminal};
