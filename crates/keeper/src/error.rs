//! Why a keeper does not run.

use sys::files::FileError;

/// See the module.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError {
    /// Another keeper holds the lock. No fault.
    #[error("a keeper runs for this state folder already; see `abide status`")]
    AlreadyRunning,
    /// There is no host for this system.
    #[error("abide cannot own terminals on this system yet, so there is nothing to keep")]
    Unsupported,
    /// A file of the state folder cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The records cannot be used; they are left as they are.
    #[error(transparent)]
    Records(#[from] restore::StoreError),
    /// The system refuses what a keeper cannot do without.
    #[error("the keeper cannot {doing}: {}", sys::files::plain(source))]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}
