//! Why a host did not start.

use std::path::PathBuf;

/// Why [`crate::run`] came back without having served.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Another host holds the lock of this state folder: nothing is wrong, use that one.
    #[error("another host holds {}", .lock.display())]
    AlreadyRunning {
        /// The lock file.
        lock: PathBuf,
    },
    /// There is no host for this system.
    #[error(
        "abide cannot own terminals on this system yet; it runs on Linux and macOS, and in WSL on Windows"
    )]
    Unsupported,
    /// A file of the state folder could not be used.
    #[error(transparent)]
    File(#[from] sys::files::FileError),
    /// The loopback address could not be listened on.
    #[error("cannot listen on 127.0.0.1: {0}; is the loopback interface up?")]
    Listen(#[source] std::io::Error),
    /// The runtime, the signal handlers or the endpoint file's text could not be made.
    #[error("cannot set up the host ({what}): {source}")]
    Setup {
        /// What could not be made.
        what: &'static str,
        /// Why.
        source: std::io::Error,
    },
}
