//! Where there is no host yet, there is nothing to keep.

use crate::{Config, KeeperError};

/// There is no keeper here.
///
/// # Errors
/// Always [`KeeperError::Unsupported`].
pub fn run(_config: Config) -> Result<(), KeeperError> {
    Err(KeeperError::Unsupported)
}
