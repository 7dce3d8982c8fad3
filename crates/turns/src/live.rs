//! The file a runner keeps about its process, as agents' CLIs do: which conversation it has open and what
//! it does. That is how a pane's keeper knows what to open again.
//!
//! Written by temp file and rename, 0600, when something changed; removed at an orderly end. What a
//! killed process leaves names a pid and a start that are nobody's any more.

use crate::runner::Core;
use serde_json::json;
use std::path::{Path, PathBuf};
use sys::files::{FileError, private_dir, write_atomic};
use sys::process::Identity;

/// The file.
#[derive(Debug)]
pub struct Live {
    path: PathBuf,
    conversation: String,
    status: Option<&'static str>,
}

impl Live {
    /// Below `folder`, for this process.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(folder: &Path, conversation: &str) -> Result<Self, FileError> {
        private_dir(folder)?;
        let me = Identity::me();
        let mut live = Self {
            path: folder.join(format!("{}.json", me.pid)),
            conversation: conversation.to_owned(),
            status: None,
        };
        live.write("idle")?;
        Ok(live)
    }

    /// What the conversation does now. A file that cannot be written is as good as none.
    pub fn tell(&mut self, core: &Core) {
        let status = match core.busy() {
            _ if !core.cards().is_empty() => "waiting",
            true => "busy",
            false => "idle",
        };
        if self.status != Some(status) {
            let _unwritten = self.write(status);
        }
    }

    fn write(&mut self, status: &'static str) -> Result<(), FileError> {
        let me = Identity::me();
        let text = json!({
            "pid": me.pid,
            "procStart": me.start.to_string(),
            "sessionId": self.conversation,
            "status": status,
        });
        write_atomic(&self.path, text.to_string().as_bytes())?;
        self.status = Some(status);
        Ok(())
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.path);
    }
}
