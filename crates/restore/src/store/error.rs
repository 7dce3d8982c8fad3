//! Why nothing was read or written.

use super::{MAX_PANES, MAX_WORKSPACES, VERSION};
use link::layout::LayoutError;
use std::path::PathBuf;
use sys::files::FileError;

/// Why nothing was read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The document is of a newer form.
    #[error(
        "{} was written by a newer abide (form {found}, this one reads {VERSION}); it is left as it is and layouts are not saved: use the newer abide",
        path.display()
    )]
    Newer {
        /// The document.
        path: PathBuf,
        /// The form it states.
        found: u64,
    },
    /// An entry of the document is of a newer form.
    #[error(
        "{what} was written down by a newer abide (form {found}); it is left as it is: use the newer abide"
    )]
    NewerEntry {
        /// Which entry.
        what: String,
        /// The form it states.
        found: u64,
    },
    /// The document cannot be read as what it should be.
    #[error("{} is damaged ({why})", path.display())]
    Damaged {
        /// The document.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The workspace to write is not a usable layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A value has no form in JSON.
    #[error("{what} cannot be written down ({why})")]
    Form {
        /// Of what.
        what: String,
        /// Why.
        why: String,
    },
    /// No room for another workspace.
    #[error("restore.json holds {MAX_WORKSPACES} workspaces already; `abide fresh` forgets one")]
    FullOfWorkspaces,
    /// No room for another pane.
    #[error("restore.json holds {MAX_PANES} panes already; `abide fresh` forgets some")]
    FullOfPanes,
    /// The vault has no whole copy of a conversation.
    #[error("the vault has no whole copy of conversation {conversation}")]
    NoCopy {
        /// The CLI's id of it.
        conversation: String,
    },
    /// It would not be read again.
    #[error("{what} would take {bytes} bytes; {most} are the most")]
    TooLarge {
        /// What.
        what: String,
        /// Its size.
        bytes: usize,
        /// The bound.
        most: usize,
    },
}
