//! The keeper: the daemon that observes, records and resumes.
//!
//! In: the host's events, what `/proc` shows of the programs in its panes, `restore.json`. Out:
//! records in `restore.json`, notes on panes (state, agent, title), a new host when the old one
//! vanished, and its panes in it. `core` is the rules (state + event + now -> actions, pure),
//! `session` carries them out on one host, `life` finds, joins and replaces hosts. It is one
//! thread that waits in `poll`, since a handful of descriptors and one disk need no more. Promises: it
//! has one connection that observes and one that manages, so nothing here can type into a pane; it
//! may be killed at any moment and loses nothing that the host, the notes or `restore.json` say; it
//! signals nobody; it ends when its host said goodbye.

#![forbid(unsafe_code)]

#[cfg(unix)]
mod backoff;
#[cfg(unix)]
mod core;
mod error;
#[cfg(unix)]
mod life;
#[cfg(unix)]
mod log;
#[cfg(unix)]
mod look;
#[cfg(unix)]
pub mod opened;
#[cfg(unix)]
mod pen;
pub mod seed;
#[cfg(unix)]
mod session;
mod turns;
#[cfg(not(unix))]
mod unsupported;
#[cfg(not(unix))]
pub use unsupported::opened;

pub use error::KeeperError;
#[cfg(unix)]
pub use life::run;
pub use turns::{NoTurns, Turns, Wanted};
#[cfg(not(unix))]
pub use unsupported::run;

use agents::Catalogue;
use link::{Places, Starter};
use restore::record::{GoOn, Start};

/// What a keeper is told.
pub struct Config {
    /// Where the instance lies.
    pub places: Places,
    /// What starts a host.
    pub starter: Starter,
    /// The agents there are when it begins.
    pub catalogue: Catalogue,
    /// The shell of panes that have none of their own.
    pub shell: restore::Text,
    /// This build, for people.
    pub build: String,
    /// Gives the settings that may change while a keeper runs; asked before each decision.
    pub live: Box<dyn Fn() -> Live>,
    /// Knows of turns that were handed to agents.
    pub turns: Box<dyn Turns>,
}

/// Settings that may change while a keeper runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// Transcripts are copied.
    pub vault: bool,
    /// Screens are saved.
    pub screens: bool,
    /// When what was there is started again.
    pub start: Start,
    /// Whether turns that were cut go on.
    pub go_on: GoOn,
    /// Who is told that a pane waits.
    pub notify: Notify,
}

/// Who is told that a pane waits, and of what; clients' terminals apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notify {
    /// That a pane needs input is told.
    pub needs_input: bool,
    /// That a long turn is done is told.
    pub done: bool,
    /// With the last lines of the pane's screen.
    pub text: bool,
    /// The desktop is told, where there is one.
    pub desktop: bool,
    /// A command and its arguments; empty: none.
    pub command: Vec<String>,
    /// An address that is posted to; empty: none.
    pub webhook: String,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("places", &self.places)
            .finish_non_exhaustive()
    }
}
