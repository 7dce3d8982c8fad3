//! A real host process, spoken to byte by byte: the door, panes, and the host's own life.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "helpers of tests fail as tests do"
)]

mod door;
mod life;
mod panes;
mod support;
