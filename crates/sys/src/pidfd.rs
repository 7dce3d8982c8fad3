//! A descriptor that stands for one process and becomes readable when it dies. It keeps meaning
//! that process after its pid has been given to another.

#[cfg_attr(unix, path = "pidfd/unix.rs")]
#[cfg_attr(windows, path = "pidfd/windows.rs")]
mod platform;

pub use platform::PidFd;
