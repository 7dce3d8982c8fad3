//! The operating system behind safe, boring functions: ptys, processes, signals, locks, files.
//!
//! In: plain values and owned descriptors. Out: the same, with errors as [`std::io::Error`] or
//! typed where a path matters. All `unsafe` of the project but the small reaper's is in this
//! crate, each use with its reason. Where platforms differ there is one file for each of them.
//! The crate holds no policy: it never decides whom to signal, what to keep or how long to wait.
#![allow(unsafe_code)]

pub mod boot;
#[cfg(unix)]
pub mod child;
pub mod claim;
pub mod daemon;
pub mod facts;
pub mod fd;
pub mod files;
#[cfg(windows)]
pub mod job;
#[cfg(target_os = "macos")]
pub mod lineage;
pub mod memory;
pub mod network;
pub mod oom;
pub mod peer;
pub mod pidfd;
pub mod process;
#[cfg(unix)]
pub mod pty;
#[cfg(unix)]
pub mod signals;
pub mod text;
pub mod time;
pub mod tty;
