//! What every delivery needs: where programs start, with which environment, below which reaper.

use reaper::{Headless, Launcher, SpawnError, Spec, Use};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Variables of a pane, which a command is not in.
const OURS: [&str; 3] = ["ABIDE_PANE", "ABIDE_PANE_KEY", "ABIDE_REAPER"];

/// See the module.
#[derive(Debug)]
pub struct Setup {
    state: PathBuf,
    env: Vec<(OsString, OsString)>,
    /// Made when it is first needed: making one costs a process.
    launcher: OnceLock<Launcher>,
}

impl Setup {
    /// For an instance with this state folder, with the environment of its keeper.
    #[must_use]
    pub fn new(state: &Path, env: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let ours = |name: &OsStr| OURS.iter().any(|it| name == *it);
        Self {
            state: state.to_owned(),
            env: env.into_iter().filter(|(name, _)| !ours(name)).collect(),
            launcher: OnceLock::new(),
        }
    }

    /// The same with this launcher.
    #[must_use]
    pub fn with_launcher(self, launcher: Launcher) -> Self {
        Self {
            launcher: OnceLock::from(launcher),
            ..self
        }
    }

    /// A variable of the environment.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.env.iter().rfind(|(key, _)| key == name);
        found.map(|(_, value)| value.as_os_str())
    }

    /// Starts a program in the user's home, with `more` variables.
    pub(crate) fn start(
        &self,
        argv: Vec<OsString>,
        more: Vec<(OsString, OsString)>,
        using: [Use; 3],
    ) -> Result<Headless, SpawnError> {
        let launcher = self
            .launcher
            .get_or_init(|| Launcher::default().tagging(&self.state));
        let home = self.variable("HOME").map(PathBuf::from);
        let home = home.filter(|home| home.is_dir());
        let spec = Spec {
            argv,
            cwd: home.unwrap_or_else(|| PathBuf::from("/")),
            env: self.env.iter().cloned().chain(more).collect(),
            pane: "notice".to_owned(),
        };
        launcher.spawn_piped(&spec, using)
    }
}
