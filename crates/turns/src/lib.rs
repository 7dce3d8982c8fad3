//! Turns: requests handed to an agent through its structured protocol, written down as they happen
//! and continued after a restart instead of started over.
//!
//! In: a request, the lines an agent's process writes, the time. Out: the lines to write to it, one
//! vocabulary of [`event::Event`]s for every protocol, files that say what is under way. Layout:
//! [`driver`] holds a sans-I/O machine for each protocol, [`inflight`] the record of a turn that was
//! sent, [`record`] the conversation as it went, [`watchdog`] says when silence is death, [`again`]
//! what a restart does with a turn that was cut ([`transcript`] and [`replay`] are what the framework itself
//! knows of it), [`carry`] how a lost conversation goes on, [`offer`] what a keeper does with what it finds, and
//! [`runner`] puts them together. [`program`] is the thin driver around it: one process, two folders, a
//! person ([`screen`]) or a pipe ([`front`]). Promises: pure but for what owns files or processes and says so; no socket, no
//! host: a runner is a program in a pane like any other.

#![forbid(unsafe_code)]

pub mod again;
pub mod carry;
pub mod driver;
pub mod elsewhere;
pub mod event;
pub mod framework;
pub mod front;
pub mod inflight;
pub mod lines;
pub mod live;
pub mod offer;
pub mod process;
pub mod program;
pub mod record;
pub mod replay;
pub mod runner;
pub mod screen;
pub mod signals;
pub mod transcript;
pub mod wake;
pub mod watchdog;
