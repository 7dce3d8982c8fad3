//! Where there is no loop yet: Windows cannot wait for a console, a socket and the rest at once in
//! the way the loop does.

use crate::{Backstage, ClientConfig, ClientError, Outcome, View};

/// See [`crate::run`].
pub(crate) fn run(
    _conn: link::Connection,
    _view: View,
    _config: ClientConfig,
    _backstage: Backstage,
) -> Result<Outcome, ClientError> {
    Err(ClientError::Unsupported)
}
