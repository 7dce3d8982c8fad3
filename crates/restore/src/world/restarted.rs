//! The machine as it will be after a restart: everything as it is now, and nobody has a conversation open.

use super::{Folder, Kept, Transcript, Whose, World};
use crate::text::Text;
use agents::{Spec, Version};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// See the module.
#[derive(Debug)]
pub struct Restarted<W>(pub W);

impl<W: World> World for Restarted<W> {
    fn program(&self, name: &OsStr, path: Option<&OsStr>, folder: &Path) -> Option<PathBuf> {
        self.0.program(name, path, folder)
    }

    fn folder(&self, path: &Path) -> Folder {
        self.0.folder(path)
    }

    fn transcript(&self, whose: Whose<'_>) -> Transcript {
        self.0.transcript(whose)
    }

    fn holder(&self, _: Whose<'_>) -> Option<i32> {
        None
    }

    fn variable(&self, name: &str) -> Option<bool> {
        self.0.variable(name)
    }

    fn version(&self, spec: &Spec, program: &Path) -> Option<Version> {
        self.0.version(spec, program)
    }

    fn kept(&self, whose: Whose<'_>) -> Kept {
        self.0.kept(whose)
    }

    fn shell(&self) -> Text {
        self.0.shell()
    }
}
