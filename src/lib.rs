//! `abide`: terminals and coding agents that stay.
//!
//! In: a command line. Out: an exit code, data on stdout, talk on stderr. Layout: [`cli`] says
//! what can be typed, `cmd/` holds one file per command, [`desk`] is a command's view of the host
//! (panes, names, workspaces), [`find`] and [`open`] are the pure choices "which pane" and "which
//! workspace", [`bring`] brings panes back, [`config`] the settings, [`panes`] the environment of
//! new panes, [`service`] what starts the keeper at login. Promises: the hidden reaper commands are looked at before
//! anything else; a panic never reaches the user as one; nothing but these modules knows all the
//! crates at once.

#![forbid(unsafe_code)]

pub mod bring;
pub mod cli;
pub mod cmd;
pub mod config;
pub mod daemons;
pub mod desk;
pub mod failure;
pub mod find;
pub mod front;
pub mod guard;
pub mod join;
pub mod keep;
pub mod open;
pub mod out;
pub mod panes;
pub mod rejoin;
pub mod screen;
pub mod service;
pub mod under_way;
pub mod uuid;
pub mod words;

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command line and gives the exit code: 0 ok, 1 failed, 2 usage, 3 no such pane,
/// 4 host unreachable, 5 timed out.
#[must_use]
pub fn run(args: Vec<OsString>) -> ExitCode {
    match args.get(1).and_then(|word| word.to_str()) {
        Some("__reaper" | "__reaper-pipes") => return reaper::pane_main(),
        #[cfg(unix)]
        Some("__pane") => {
            return guard::against_panics(|| cmd::pane_run::main(args.into_iter().skip(2)));
        }
        Some("__root-reaper") => return reaper::root_main(args.into_iter().skip(2)),
        _ => {}
    }
    guard::against_panics(|| cmd::dispatch(args))
}
