//! The machine's network changed: a link came up or went down, an address came or went.
//!
//! In: nothing. Out: one wait that returns at the next change. Promises: what the kernel merely repeats
//! (a scan, an address whose lifetime is renewed) is no change; when it had more to say than was read,
//! that is one. Only Linux tells; elsewhere [`Network::open`] fails and says so.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub use linux::Network;

/// There is none here.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct Network;

#[cfg(not(target_os = "linux"))]
impl Network {
    /// Always fails here.
    ///
    /// # Errors
    /// Always: this system does not tell.
    pub fn open() -> std::io::Result<Self> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// Never called: there is none.
    ///
    /// # Errors
    /// Always.
    pub fn wait(&mut self) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}
