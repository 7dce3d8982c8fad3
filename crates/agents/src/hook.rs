//! Hooks: what CLIs report of themselves, and how they are asked to without touching the user's
//! settings.
//!
//! In: a folder of abide's own, the user's environment. Out: files there ([`install`]) and variables
//! for a pane ([`pane_environment`]) that *add* to the user's settings. Back comes a [`Report`], which
//! counts only when it was made by the pane's own agent ([`accepted`]). Promises: a value the user
//! set is joined or left alone, never replaced; an administrator's file is never displaced; a report
//! carries ids and words of the CLI's, nothing the user or the agent wrote.

mod environment;
mod files;
mod opencode;
mod report;

pub use environment::{is_pane_variable, pane_environment};
pub use files::{files, install};
pub use report::{Parent, Report, accepted, is_of_screen, learnt};

#[cfg(test)]
mod tests;
