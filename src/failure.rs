//! How a command ends badly: an exit code and one line for people.

use crate::config::ConfigError;
use crate::find::FindError;
use link::LinkError;
use protocol::msg::NO_PANE;
use std::process::ExitCode;

/// The exit codes scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Ok = 0,
    /// It failed.
    Failed = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// There is no such pane or workspace.
    NoPane = 3,
    /// The host cannot be reached.
    Unreachable = 4,
    /// The time given was not enough.
    TimedOut = 5,
    /// A person stopped it.
    Stopped = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command stops.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What happened, to what, and what to do next; empty: nothing to say.
    pub text: String,
}

impl Failure {
    /// What happened was said already.
    #[must_use]
    pub const fn said(exit: Exit) -> Self {
        let text = String::new();
        Self { exit, text }
    }

    /// It failed.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            text: text.into(),
        }
    }

    /// With this exit code.
    #[must_use]
    pub fn with(exit: Exit, text: impl Into<String>) -> Self {
        Self {
            exit,
            text: text.into(),
        }
    }

    /// The reader of stdout has gone: that is its right and no error.
    #[must_use]
    pub const fn reader_gone() -> Self {
        Self {
            exit: Exit::Ok,
            text: String::new(),
        }
    }
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Self {
        let exit = match &error {
            LinkError::Refused { code: NO_PANE, .. } => Exit::NoPane,
            other if other.is_unreachable() => Exit::Unreachable,
            _ => Exit::Failed,
        };
        Self {
            exit,
            text: error.to_string(),
        }
    }
}

impl From<FindError> for Failure {
    fn from(error: FindError) -> Self {
        Self {
            exit: Exit::NoPane,
            text: error.to_string(),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<restore::StoreError> for Failure {
    fn from(error: restore::StoreError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<sys::files::FileError> for Failure {
    fn from(error: sys::files::FileError) -> Self {
        Self::new(error.to_string())
    }
}
