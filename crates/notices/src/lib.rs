//! Passes on that a pane waits for its user: to the desktop, to a command, to a webhook.
//!
//! In: a [`Notice`] and the [`Way`]s it is to go. Out: an [`Outcome`] for each way. Promises: whoever
//! gives a notice waits for nothing; each way has its own two places and a bounded queue, so a webhook that
//! hangs holds up no command; every attempt has a time limit; programs run below a reaper and are gone
//! after it; nothing is sent to another place than the one that was named. Who is told, and when, is
//! decided elsewhere: nothing here knows the host, a terminal or a record.

#![forbid(unsafe_code)]

#[cfg(unix)]
mod command;
#[cfg(unix)]
mod courier;
#[cfg(unix)]
mod curl;
#[cfg(unix)]
mod dbus;
#[cfg(unix)]
mod desktop;
mod failures;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod lane;
mod notice;
#[cfg(unix)]
mod setup;
mod url;
#[cfg(unix)]
mod webhook;

#[cfg(unix)]
pub use courier::{Courier, Outcome};
pub use failures::{FILE, Failed, Failures};
pub use notice::{Notice, Way, WayKind};
#[cfg(unix)]
pub use setup::Setup;
pub use url::Url;

/// Why a notice did not get through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Trouble {
    /// For people: one line, without what is secret in a webhook's address.
    pub why: String,
    /// It says only that there is nobody to tell there, which is no fault.
    pub nobody: bool,
}

impl Trouble {
    /// Something that the user may want to mend.
    #[must_use]
    pub fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            nobody: false,
        }
    }
}
