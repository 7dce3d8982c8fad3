//! Where there is no loop yet: Windows cannot wait for a console, a socket and the rest at once in
//! the way the loop does.

use crate::{ClientConfig, ClientError, Outcome, View};
use link::layout::Workspace;

/// See [`crate::run`].
pub(crate) fn run(
    _conn: link::Connection,
    _view: View,
    _config: ClientConfig,
    _save: Box<dyn FnMut(&Workspace) + Send>,
) -> Result<Outcome, ClientError> {
    Err(ClientError::Unsupported)
}
