//! What the core is told once, at its start.

use protocol::auth::Key;
use protocol::msg::Bytes;
use std::time::Duration;

/// Settings and identity of this host. Plain values; the driver fills them in.
#[derive(Clone, Debug)]
pub struct CoreConfig {
    /// Names this host's life.
    pub instance: [u8; 16],
    /// The host's process id.
    pub pid: u32,
    /// The host's start time in clock ticks since boot; 0 unknown.
    pub pid_start: u64,
    /// The host's build, for people.
    pub build: String,
    /// The token. Only pane keys derived from it ever leave the core.
    pub token: Key,
    /// Highest pane id ever given, as the state folder had it.
    pub highest: u32,
    /// How long an unused host stays.
    pub idle_exit: Duration,
    /// Scrollback bounds and engine of new panes.
    pub terminal: term::Options,
    /// How many exited panes stay readable.
    pub keep_exited: usize,
    /// `ABIDE_HOME` for panes, when this instance is sealed.
    pub sealed_home: Option<Bytes>,
    /// Folder of the stable links, absolute.
    pub links: Bytes,
}
