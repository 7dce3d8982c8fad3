//! What abide knows of each agent's command line: one data file per CLI, and pure functions on it.
//!
//! In: a command line as it ran, a conversation's id, the permission the CLI last had. Out: which
//! CLI that was ([`recognise`]), the command line that opens the same conversation again
//! ([`resume_argv`]), the arguments that fix an id at launch ([`choose_id`]), where the conversation
//! lies on disk ([`conversation_paths`]). [`Catalogue`] holds the built-in files (`data/*.toml`) and
//! lays the user's own over them; [`keys::KEYS`] is the only list of keys there is. Pure but for three
//! that read files and say so: [`Catalogue::load`], [`look_up`], [`packaged_version`]. Promises: no
//! process, no socket, no screen; what a file does not state is not guessed, so a CLI without
//! [`spec::Resume`] cannot be resumed and says why; an id never becomes a flag; a first prompt is
//! never sent twice; permission never rises.

#![forbid(unsafe_code)]

mod catalogue;
pub mod helpers;
pub mod hook;
pub mod keys;
pub mod live;
mod paths;
mod permission;
mod read;
mod recognise;
mod resume;
pub mod spec;
pub mod state;
pub mod transcript;
mod version;
mod words;

pub use catalogue::{Catalogue, Loaded, Stamp, built_in, check_file};
pub use live::{How, Learnt, Unproven};
pub use paths::{Pattern, conversation_paths, home, look_up};
pub use permission::{granted, last_level};
pub use read::{Fault, ReadError, check};
pub use recognise::{CommandLine, First, Recognised, Use, recognise};
pub use resume::{CannotResume, Resumption, bad_id, choose_id, resume_argv};
pub use spec::{Level, Origin, Proof, Spec};
pub use state::State;
pub use version::{Version, packaged_version};
pub use words::{names_conversation, use_of};
