//! The reaper on real ptys, real processes and real signals. Every wait is for an event: a
//! descriptor, a process's end, a line; the one limit is against hanging for ever.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail the test that called them"
)]

/// The build that is tested here: the portable one.
const BUILD: &str = env!("CARGO_BIN_EXE_abide-reaper-std");

#[cfg(target_os = "linux")]
mod cost;
mod family;
mod peers;
mod piped;
mod root;
mod spare;
mod start;
mod support;
mod sweep;
mod table;
mod terminal;
#[cfg(target_os = "linux")]
mod users;
