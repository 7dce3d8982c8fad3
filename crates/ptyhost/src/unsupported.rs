//! Where there is no driver yet: the rules are the same, but nobody opens terminals.

use crate::{HostConfig, HostError};

/// There is no host here.
///
/// # Errors
/// Always [`HostError::Unsupported`].
pub fn run(_config: HostConfig) -> Result<(), HostError> {
    Err(HostError::Unsupported)
}
