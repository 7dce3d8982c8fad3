//! The tests of `tests/reaper` again, with the small build.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail the test that called them"
)]

/// What the helpers call the build that is tested here.
const BUILD: &str = "small";

#[path = "../reaper/cost.rs"]
mod cost;
#[path = "../reaper/family.rs"]
mod family;
#[path = "../reaper/piped.rs"]
mod piped;
#[path = "../reaper/root.rs"]
mod root;
#[path = "../reaper/spare.rs"]
mod spare;
#[path = "../reaper/start.rs"]
mod start;
#[path = "../reaper/support.rs"]
mod support;
#[path = "../reaper/sweep.rs"]
mod sweep;
#[path = "../reaper/table.rs"]
mod table;
#[path = "../reaper/terminal.rs"]
mod terminal;
#[path = "../reaper/users.rs"]
mod users;
