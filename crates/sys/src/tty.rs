//! The terminal this program itself runs on: its settings, kept to be put back.

#[cfg_attr(unix, path = "tty/unix.rs")]
#[cfg_attr(windows, path = "tty/windows.rs")]
mod platform;

pub use platform::{Saved, forget_typed, is_tty, save, size};
