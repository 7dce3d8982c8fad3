//! What the end-to-end tests stand on: a sealed instance, its commands, a terminal, a raw peer.
//!
//! In: the path of the built program (`env!("CARGO_BIN_EXE_abide")`, known to tests only). Out:
//! values to assert on. Promises: nothing of a test reaches the user's own instance; every wait has
//! a limit; when a [`Home`] is dropped its host is stopped and none of its processes is left, or
//! the test fails. Waiting lives in [`wait`] alone, tests never sleep.
//!
//! Needs Linux: `/proc` for process facts, `setsid --ctty` to give a client its terminal.

#![cfg(unix)]
#![forbid(unsafe_code)]
#![expect(clippy::expect_used, reason = "a test kit fails the test by panicking")]

pub mod cli;
pub mod desktop;
pub mod fake;
pub mod fake_agent;
pub mod home;
pub mod knock;
pub mod model;
pub mod outer;
pub mod processes;
mod pty;
pub mod run;
pub mod script_agent;
pub mod view;
pub mod wait;
pub mod watch;
pub mod wire;

pub use desktop::Desktop;
pub use fake::FakeHost;
pub use fake_agent::FakeAgent;
pub use home::Home;
pub use model::Model;
pub use outer::Outer;
pub use processes::Process;
pub use run::{Abide, Output};
pub use rustix::process::Signal;
pub use script_agent::ScriptAgent;
pub use view::View;
pub use wait::{LIMIT, until, until_within};
pub use watch::Watch;
pub use wire::Wire;
