//! Real agent CLIs in a sealed home, against the scripted model.
//!
//! In: a [`Home`], a [`Model`]. Out: the CLI on that home's `PATH`, logged in with a key that is none,
//! its folder trusted, its updates and telemetry off. Promises: versions are pinned and come from npm
//! or PyPI into a cache folder outside of the sources (`ABIDE_TEST_CLIS`, else `real-clis` in cargo's target
//! folder); without npm or its registry the test is left out and says `skipped:` and why; nothing a
//! CLI writes leaves the home.
//!
//! What is set in the environment stands in the home's `.bashrc` and `.bash_profile` too, so that a
//! CLI that nobody's client starts finds it in the login shell, as a user's would.

mod drive;
mod homes;
mod install;
mod pypi;
mod rig;

pub use rig::{LONG, Rig};

use crate::home::Home;
use crate::model::Model;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A CLI at one version.
#[derive(Debug)]
pub struct Cli {
    /// abide's name for it.
    pub name: &'static str,
    /// Its program.
    pub program: &'static str,
    /// Its npm package, or its PyPI package behind `pypi:`.
    pub package: &'static str,
    /// The version the facts are about.
    pub version: &'static str,
    /// The oldest Node that runs it.
    pub node: u32,
    /// What its screen shows when it listens.
    pub ready: &'static str,
    /// What begins another conversation in the same process.
    pub renew: &'static str,
}

/// Claude Code.
pub const CLAUDE: Cli = Cli {
    name: "claude",
    program: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.332",
    node: 18,
    ready: "❯",
    renew: "/clear",
};

/// Codex.
pub const CODEX: Cli = Cli {
    name: "codex",
    program: "codex",
    package: "@openai/codex",
    version: "0.171.0",
    node: 16,
    ready: "›",
    renew: "/new",
};

/// Gemini CLI.
pub const GEMINI: Cli = Cli {
    name: "gemini",
    program: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    node: 20,
    ready: "Type your message",
    renew: "/clear",
};

/// OpenCode.
pub const OPENCODE: Cli = Cli {
    name: "opencode",
    program: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    node: 18,
    ready: r"ctrl\+p commands",
    renew: "/new",
};

/// Qwen Code.
pub const QWEN: Cli = Cli {
    name: "qwen",
    program: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    node: 22,
    ready: "Type your message",
    renew: "/clear",
};

/// Kimi Code.
pub const KIMI: Cli = Cli {
    name: "kimi",
    program: "kimi",
    package: "@moonshot-ai/kimi-code",
    version: "2.1.0",
    node: 22,
    ready: "Session:|context:",
    renew: "/new",
};

/// GitHub Copilot CLI.
pub const COPILOT: Cli = Cli {
    name: "copilot",
    program: "copilot",
    package: "@github/copilot",
    version: "1.0.102",
    node: 22,
    ready: "/ commands",
    renew: "/clear",
};

/// Hermes Agent; from PyPI, for a Python 3.13.
pub const HERMES: Cli = Cli {
    name: "hermes",
    program: "hermes",
    package: "pypi:hermes-agent[acp]",
    version: "0.19.0",
    node: 0,
    ready: "❯",
    renew: "/new",
};

/// A CLI set up in a home.
#[derive(Debug)]
pub struct Installed {
    /// Which.
    pub cli: &'static Cli,
    /// Its program on the home's `PATH`.
    pub program: PathBuf,
}

impl Cli {
    /// Installs it if it is not yet, and sets it up; `None`, and a line that says why, when it
    /// cannot be had.
    ///
    /// # Panics
    /// When the home cannot be written.
    #[must_use]
    pub fn set_up(&'static self, home: &mut Home, model: &Model) -> Option<Installed> {
        let installed = match self.package.strip_prefix("pypi:") {
            Some(package) => pypi::install(self, package),
            None => install::install(self),
        };
        match installed {
            Ok(from) => Some(self.link(&from, home, model)),
            Err(why) => {
                skipped(&format!("{} {}: {why}", self.name, self.version));
                None
            }
        }
    }

    fn link(&'static self, from: &install::Place, home: &mut Home, model: &Model) -> Installed {
        let bin = home.path().join("bin");
        fs::create_dir_all(&bin).expect("a folder");
        let program = bin.join(self.program);
        drop(fs::remove_file(&program));
        std::os::unix::fs::symlink(&from.program, &program).expect("a link");
        if let Some(node) = &from.node {
            let link = bin.join("node");
            drop(fs::remove_file(&link));
            std::os::unix::fs::symlink(node, link).expect("a link");
        }
        let path = home.env().iter().find(|(name, _)| name == "PATH");
        let path = path
            .map(|(_, value)| value.to_string_lossy().into_owned())
            .unwrap_or_default();
        let mut variables = homes::write(self.name, home, model);
        let first = bin.display().to_string();
        if !path.starts_with(&first) {
            variables.push(("PATH", format!("{first}:{path}")));
        }
        let rc: String = variables
            .iter()
            .map(|(name, value)| format!("export {name}='{value}'\n"))
            .collect();
        append(&home.path().join("user/.bashrc"), &rc);
        append(&home.path().join("user/.bash_profile"), &rc);
        for (name, value) in variables {
            home.set_env(name, value);
        }
        Installed { cli: self, program }
    }
}

fn append(path: &Path, text: &str) {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .expect("a file");
    file.write_all(text.as_bytes()).expect("written");
}

/// Says on the real standard error, past what the test runner keeps, that something was left out.
pub fn skipped(why: &str) {
    let _closed = writeln!(std::io::stderr(), "skipped: {why}");
}
