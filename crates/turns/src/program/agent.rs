//! The framework's process as the program sees it. The process itself is the caller's: it stands under
//! a reaper, which this crate's core knows nothing of.

use crate::inflight::Params;
use std::ffi::OsString;
use std::path::PathBuf;

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Program and arguments.
    pub argv: Vec<OsString>,
    /// Folder.
    pub folder: PathBuf,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
}

/// What a process said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A line of its output.
    Line(String),
    /// It has ended, and its output too.
    Gone {
        /// In words: "exit status 1".
        how: String,
        /// Its last words on stderr, at most some kilobytes.
        words: String,
    },
}

/// A running process; dropping it ends its family.
pub trait Agent {
    /// Writes a line. Never waits: it is queued.
    fn send(&mut self, line: String);
    /// Ends its input: the conversation is left and there is nothing to answer any more.
    fn leave(&mut self);
    /// Stops (`true`) or continues its family.
    fn freeze(&mut self, on: bool);
}

/// Starts processes.
pub trait Spawner {
    /// Starts one that is to open `session` (`chosen`: a new one with this id) on `params`, which may have been changed since the last one;
    /// what it says comes as [`super::Input::Agent`] with `number`.
    ///
    /// # Errors
    /// Why not, in words for people.
    fn spawn(
        &mut self,
        number: u64,
        session: Option<&str>,
        chosen: Option<&str>,
        params: &Params,
    ) -> Result<Box<dyn Agent>, String>;
}
