//! A family where orphans do not come back to its reaper (macOS): followed by ids that outlive the
//! parents.
//!
//! In: pictures of everybody, each process with its unique id and the unique id of the process that
//! started it, which the system keeps after that one is gone ([`Lineage`]). Out: who belongs to the
//! family. [`Kin`] is the rule, the same everywhere and tested on made-up pictures; [`Tracker`] takes
//! the pictures, on macOS alone: on Linux the reaper is a subreaper and the tree by parent is whole.
//! Promise: whoever was started by somebody that a picture has shown in the family is in it, whatever
//! session, group or parent it has by then. What a picture cannot show is one whose starter was started
//! and gone between two pictures; its mark is found by the sweep.

#[cfg_attr(target_os = "macos", path = "kin/macos.rs")]
#[cfg_attr(not(target_os = "macos"), path = "kin/none.rs")]
mod platform;

pub(crate) use platform::Tracker;

#[cfg(target_os = "macos")]
pub(crate) use rule::{Kin, Lineage};

#[cfg(any(target_os = "macos", test))]
mod rule;
