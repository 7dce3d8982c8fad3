//! What a host is started with: plain data, decided by whoever starts it.

use std::path::PathBuf;
use std::time::Duration;
use sys::process::Identity;

/// Everything a host must be told.
#[derive(Clone, Debug)]
pub struct HostConfig {
    /// The state folder; made 0700 when it is not there. Holds lock, token, endpoint, log.
    pub state: PathBuf,
    /// How long the host stays after its last live program and its last attachment.
    pub idle_exit: Duration,
    /// How terminals are modelled.
    pub terminal: term::Options,
    /// The build, for people.
    pub build: String,
    /// The process above this host that ends what is left when the host dies.
    pub root_reaper: Option<Identity>,
    /// The folder that seals this instance; panes get it as `ABIDE_HOME`.
    pub sealed_home: Option<PathBuf>,
    /// Lowest and highest protocol version spoken, inclusive: [`protocol::VERSIONS`] but for tests.
    pub versions: (u16, u16),
    /// How many exited panes stay readable, newest first.
    pub keep_exited: usize,
    /// The program that pane reapers are started from.
    pub reaper: reaper::Launcher,
}

impl HostConfig {
    /// The defaults for a host in `state`: idle exit after 60 s, 50 exited panes kept, the reaper
    /// from this very program, nothing sealed, no root reaper.
    #[must_use]
    pub fn new(state: PathBuf) -> Self {
        Self {
            state,
            idle_exit: Duration::from_secs(60),
            terminal: term::Options::default(),
            build: env!("CARGO_PKG_VERSION").to_owned(),
            root_reaper: None,
            sealed_home: None,
            versions: protocol::VERSIONS,
            keep_exited: 50,
            reaper: reaper::Launcher::default(),
        }
    }
}
