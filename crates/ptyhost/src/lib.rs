//! The daemon that owns the terminals.
//!
//! In: connections on 127.0.0.1 that prove the token, output of ptys, reports of reapers, signals.
//! Out: frames to connections, bytes to ptys, files in the state folder. Promises: one host per
//! state folder, held by a lock for life; the rules are [`core`]'s pure state machine,
//! everything else here is a thin driver around it; a fault ends at its scope (a request, a
//! connection, a pane). It knows terminal ids and bytes: notes are opaque, and nothing of
//! workspaces, layouts or agents is known here.

#![forbid(unsafe_code)]

#[cfg(unix)]
mod children;
mod config;
#[cfg(unix)]
mod conn;
pub mod core;
#[cfg(unix)]
mod driver;
mod error;
#[cfg(unix)]
mod family;
#[cfg(unix)]
mod handshake;
#[cfg(unix)]
mod life;
#[cfg(unix)]
mod links;
#[cfg(unix)]
mod listen;
#[cfg(unix)]
mod logfile;
#[cfg(unix)]
mod login;
#[cfg(unix)]
mod oldhost;
#[cfg(unix)]
mod pane;
#[cfg(unix)]
mod paneio;
#[cfg(unix)]
mod perform;
#[cfg(unix)]
mod shared;
#[cfg(unix)]
mod state;
#[cfg(unix)]
mod sweep;
#[cfg(unix)]
mod tend;
#[cfg(not(unix))]
mod unsupported;
#[cfg(unix)]
mod wake;

pub use config::HostConfig;
pub use error::HostError;
#[cfg(unix)]
pub use life::run;
#[cfg(not(unix))]
pub use unsupported::run;
