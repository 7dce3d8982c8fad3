//! The program of an agent: is it still there. Pure.

use super::agent::Case;
use super::shell::shown;
use crate::world::Folder;
use agents::{CommandLine, First};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

impl Case<'_> {
    pub(super) fn program(&self, line: &CommandLine) -> Result<PathBuf, String> {
        let first = line.wrapper.first().or(line.argv.first());
        let first = first.cloned().unwrap_or_default();
        let found = self.find(&first).ok_or_else(|| missing_program(&first))?;
        // What an interpreter reads is the program as the user knows it.
        let script = line.argv.first().filter(|_| line.first == First::Script);
        let folder = self.agent.cwd.as_path();
        match script.filter(|it| self.world.folder(&folder.join(it)) == Folder::Gone) {
            Some(gone) => Err(missing_program(gone)),
            None => Ok(found),
        }
    }

    /// The CLI's own program, whatever stands in front of it (`node`): what its version is asked of.
    pub(super) fn own_program(&self, line: &CommandLine) -> Option<PathBuf> {
        self.find(line.argv.first()?)
    }

    fn find(&self, program: &OsStr) -> Option<PathBuf> {
        let mut env = self.agent.env.iter();
        let path = env.find(|(name, _)| name.as_os() == "PATH");
        let path: Option<&OsStr> = path.map(|(_, value)| value.as_os());
        let folder = self.agent.cwd.as_path();
        self.world.program(program, path, folder)
    }
}

fn missing_program(program: &OsStr) -> String {
    format!("its program `{}` is missing", shown(Path::new(program)))
}
