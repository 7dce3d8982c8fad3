//! Which panes are on the way back. In: the host's notes, the panes there are; out: ids. Pure.

use super::Pane;
use link::notes::{self, RestoreNote};
use protocol::PaneId;
use protocol::msg::Note;

/// Panes that come and are not there yet.
pub(super) fn coming(notes: &[Note], panes: &[Pane]) -> Vec<PaneId> {
    let restore = notes.iter().find(|note| note.key == notes::RESTORE);
    let restore: Option<RestoreNote> = restore.and_then(|note| notes::from_json(&note.value));
    let pending = restore.filter(|note| !note.done).map(|note| note.pending);
    let pending = pending.unwrap_or_default().into_iter().map(PaneId);
    pending
        .filter(|id| !panes.iter().any(|pane| pane.id() == *id))
        .collect()
}
