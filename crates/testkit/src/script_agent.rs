//! An agent that is a script: `#!/bin/bash`, described to abide by a user's data file.
//!
//! In: a [`Home`]. Out: the program `tuck` on its `PATH`, its data file, what it wrote. Promises: everything lies
//! inside the home; the kernel shows it as `/bin/bash .../tuck`, as it does each CLI with a `#!` line.

use crate::home::Home;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// What abide is told about it: `agents/tuck.toml`.
pub const DATA: &str = include_str!("script_agent/tuck.toml");
const PROGRAM: &str = include_str!("script_agent/tuck.sh");

/// The script agent of one home.
#[derive(Clone, Debug)]
pub struct ScriptAgent {
    home: PathBuf,
    bin: PathBuf,
    data: PathBuf,
}

impl ScriptAgent {
    /// Puts the program on the home's `PATH`, and describes it.
    ///
    /// # Panics
    /// When a file cannot be written.
    #[must_use]
    pub fn install(home: &mut Home) -> Self {
        let agent = Self::undescribed(home);
        agent.describe(DATA);
        agent
    }

    /// Puts the program on the home's `PATH` alone.
    ///
    /// # Panics
    /// When a file cannot be written.
    #[must_use]
    pub fn undescribed(home: &mut Home) -> Self {
        let agent = Self {
            home: home.path().join("user/.tuck"),
            bin: home.path().join("script-bin"),
            data: home.abide_home().join("config/agents"),
        };
        fs::create_dir_all(&agent.bin).expect("a folder");
        fs::create_dir_all(&agent.home).expect("a folder");
        fs::write(agent.program(), PROGRAM).expect("the program");
        fs::set_permissions(agent.program(), PermissionsExt::from_mode(0o755)).expect("a mode");
        let path = home.env().iter().find(|(name, _)| name == "PATH");
        let rest = path.map(|(_, value)| value.clone()).unwrap_or_default();
        let mut path = agent.bin.clone().into_os_string();
        path.push(":");
        path.push(rest);
        home.set_env("PATH", path);
        agent
    }

    /// Writes its data file.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn describe(&self, data: &str) {
        fs::create_dir_all(&self.data).expect("a folder");
        fs::write(self.data.join("tuck.toml"), data).expect("the data file");
    }

    /// Its path.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.bin.join("tuck")
    }

    /// Where a conversation lies.
    #[must_use]
    pub fn transcript(&self, id: &str) -> PathBuf {
        self.home.join("talks").join(format!("{id}.jsonl"))
    }

    /// Whoever is resumed opens this conversation in place of the one it is asked for; `None`: that one.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn opens_instead(&self, id: Option<&str>) {
        fs::write(self.home.join("instead"), id.unwrap_or_default()).expect("a file");
    }
}
