//! Where things lie. In: the environment. Out: a state folder and a config folder.
//!
//! `ABIDE_HOME` seals an instance under one folder. Otherwise the XDG state folder, never the
//! runtime folder, which a logout wipes. Nothing is created here.

use std::path::{Path, PathBuf};

/// The folders of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// `ABIDE_HOME`, when the instance is sealed.
    pub home: Option<PathBuf>,
    /// Lock, token, endpoint, records, logs.
    pub state: PathBuf,
    /// `config.toml`.
    pub config: PathBuf,
}

/// Why there is no place to keep anything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacesError {
    /// No home folder is known.
    #[error("no home folder is known: set HOME, or ABIDE_HOME to a folder for abide")]
    NoHome,
    /// `ABIDE_HOME` is not absolute.
    #[error("ABIDE_HOME must be an absolute path, it is `{}`", .0.display())]
    Relative(PathBuf),
}

impl Places {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// [`PlacesError`].
    pub fn find() -> Result<Self, PlacesError> {
        match std::env::var_os("ABIDE_HOME") {
            Some(home) if !home.is_empty() => Self::sealed(Path::new(&home)),
            _ => Self::of_user(),
        }
    }

    /// An instance sealed under `home`.
    ///
    /// # Errors
    /// [`PlacesError::Relative`].
    pub fn sealed(home: &Path) -> Result<Self, PlacesError> {
        if !home.is_absolute() {
            return Err(PlacesError::Relative(home.to_owned()));
        }
        Ok(Self {
            home: Some(home.to_owned()),
            state: home.join("state"),
            config: home.join("config"),
        })
    }

    fn of_user() -> Result<Self, PlacesError> {
        let dirs = directories::ProjectDirs::from("", "", "abide").ok_or(PlacesError::NoHome)?;
        // Only Linux has a state folder of its own; elsewhere the local data folder is it.
        let state = dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir());
        Ok(Self {
            home: None,
            state: state.to_owned(),
            config: dirs.config_dir().to_owned(),
        })
    }

    /// The endpoint file.
    #[must_use]
    pub fn host_file(&self) -> PathBuf {
        self.state.join("host.json")
    }

    /// The lock a host holds for life.
    #[must_use]
    pub fn host_lock(&self) -> PathBuf {
        self.state.join("host.lock")
    }

    /// The lock of whoever starts a host.
    #[must_use]
    pub fn start_lock(&self) -> PathBuf {
        self.state.join("start.lock")
    }

    /// The secret both ends prove.
    #[must_use]
    pub fn token(&self) -> PathBuf {
        self.state.join("token")
    }

    /// The host's log.
    #[must_use]
    pub fn host_log(&self) -> PathBuf {
        self.state.join("host.log")
    }

    /// What the daemons print before they have a log; rewritten at every start.
    #[must_use]
    pub fn start_log(&self) -> PathBuf {
        self.state.join("start.log")
    }

    /// The lock a keeper holds for life.
    #[must_use]
    pub fn keeper_lock(&self) -> PathBuf {
        self.state.join("keeper.lock")
    }

    /// Which process the keeper is.
    #[must_use]
    pub fn keeper_file(&self) -> PathBuf {
        self.state.join("keeper.json")
    }

    /// The keeper's log.
    #[must_use]
    pub fn keeper_log(&self) -> PathBuf {
        self.state.join("keeper.log")
    }

    /// Tools that outlived their panes, as the user wanted: `reaper::Kept` of the host.
    #[must_use]
    pub fn kept(&self) -> PathBuf {
        self.state.join("kept")
    }

    /// The settings.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_instance_stays_under_its_folder() {
        let places = Places::sealed(Path::new("/tmp/x")).unwrap();
        assert_eq!(places.state, Path::new("/tmp/x/state"));
        assert_eq!(places.config_file(), Path::new("/tmp/x/config/config.toml"));
        assert!(matches!(
            Places::sealed(Path::new("x")),
            Err(PlacesError::Relative(_))
        ));
    }
}
