//! Small work on descriptors, which Windows calls handles: the same names for both, so that code
//! which only hands them on is the same on every platform.
//!
//! Unix alone can wait for several kinds of them at once, so that part is there only.

#[cfg_attr(unix, path = "fd/unix.rs")]
#[cfg_attr(windows, path = "fd/windows.rs")]
mod platform;

pub use platform::*;
