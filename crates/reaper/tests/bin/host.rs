//! The smallest host there can be, for this crate's tests: one pane, its output thrown away, its
//! reports told as lines. It lives until its stdin ends (`--stay`: for ever) or TERM comes, and
//! with `--subreaper` it ends what lands on it when a reaper is killed. A line `spare PID` on its
//! stdin has the reaper leave that process to it.
//!
//! With `--pipes` it owns a program on pipes instead.
//!
//! `host REAPER-PROGRAM|small|default [--subreaper] [--stay] [--pipes] [--tag STATE] -- ARGV..`
//!
//! On Windows: `host REAPER-PROGRAM|bare -- ARGV..`, without a terminal; `bare` starts the program
//! itself, without a job, to see what is left then.

#[cfg_attr(unix, path = "host/unix.rs")]
#[cfg_attr(windows, path = "host/windows.rs")]
mod platform;

fn main() -> std::process::ExitCode {
    platform::main()
}
