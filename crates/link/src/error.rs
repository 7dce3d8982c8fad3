//! Everything that can go wrong between a command and the host, each worded in one line: what
//! happened, where, and what to do next.

use std::path::PathBuf;
use std::time::Duration;

/// Why there is no connection, or why a request got no answer.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// No host runs for this state folder.
    #[error("no host is running ({}); `abide host start` starts one", state.display())]
    NoHost {
        /// The state folder.
        state: PathBuf,
    },
    /// A host is on its way up but not ready yet.
    #[error("a host is starting but was not ready after {} s; try again, or see `abide logs`", waited.as_secs())]
    Starting {
        /// How long it was waited for.
        waited: Duration,
    },
    /// The host lives but does not answer.
    #[error("the host (pid {pid}) is alive but silent after {} s; it keeps your terminals: try again, or see `abide doctor`", waited.as_secs())]
    Silent {
        /// Its process id; 0 when only its lock is known.
        pid: i32,
        /// How long it was waited for.
        waited: Duration,
    },
    /// What answers does not know the token.
    #[error("the host (pid {pid}) on port {port} does not know the token in {}; the file was changed, or is another host's: `abide host stop` ends that host and its panes, then start again", token.display())]
    WrongToken {
        /// The process that the endpoint file names.
        pid: i32,
        /// The port.
        port: u16,
        /// The token file.
        token: PathBuf,
    },
    /// What answers does not speak our protocol.
    #[error("another program answers on the host's port {port}; if no abide host runs, remove {} and try again", file.display())]
    AnotherProgram {
        /// The port.
        port: u16,
        /// The endpoint file that names it.
        file: PathBuf,
    },
    /// The two builds share no protocol version.
    #[error("this abide ({}) speaks protocol {}-{}, the running host ({build}, pid {pid}) speaks {}-{}: finish what runs in it or `abide host stop` with the old program, then start again", env!("CARGO_PKG_VERSION"), ours.0, ours.1, host.0, host.1)]
    NoCommonVersion {
        /// Lowest and highest version of this build.
        ours: (u16, u16),
        /// Lowest and highest version of the host.
        host: (u16, u16),
        /// The host's build.
        build: String,
        /// The host's process id.
        pid: i32,
    },
    /// The host closed the connection.
    #[error("the host closed the connection; `abide` starts another, `abide logs` says more")]
    Closed,
    /// The host ended on purpose.
    #[error("the host ended: {reason}")]
    Goodbye {
        /// For people.
        reason: String,
    },
    /// The host refused or could not do what was asked.
    #[error("{text}")]
    Refused {
        /// One of the codes in `protocol::msg`.
        code: u16,
        /// The host's words.
        text: String,
    },
    /// No answer in time.
    #[error("the host did not answer within {} s; try again, or see `abide doctor`", after.as_secs())]
    NoAnswer {
        /// How long it was waited for.
        after: Duration,
    },
    /// The host does not read what it is sent.
    #[error("the host takes no more messages: {waiting} bytes wait for it; see `abide doctor`")]
    TakesNothing {
        /// How much waits.
        waiting: usize,
    },
    /// The host said something this build cannot read.
    #[error("the host sent what this build cannot read ({0}); the connection was closed")]
    Malformed(String),
    /// Too many events came while an answer was waited for.
    #[error("more than {0} messages came before an answer; the connection was closed")]
    Flooded(usize),
    /// A message is larger than a frame may be.
    #[error(transparent)]
    TooLong(#[from] protocol::FrameError),
    /// `host.json` says nothing usable.
    #[error("{} {why}{}", path.display(), if *damaged { "; the host writes it again within seconds: try again, or see `abide logs`" } else { "" })]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
        /// A living host writes it again.
        damaged: bool,
    },
    /// The token cannot be used.
    #[error("the token file {} {why}; the host re-creates it within seconds: try again", path.display())]
    BadToken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Everybody on the machine could use the host.
    #[error("others may read the token file {} (mode {mode:o}) and so type into your terminals: `chmod 600` it, or `abide host stop`, remove it and start again for a new one", path.display())]
    OpenToken {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The state folder is not this user's to look into.
    #[error("permission denied on {}: {why}; run abide as its owner, or set ABIDE_HOME to a folder of your own", path.display())]
    NotYours {
        /// The folder.
        path: PathBuf,
        /// Whose it is, or what the system said.
        why: String,
    },
    /// Commands typed inside a pane never start daemons.
    #[error(
        "no host is running, and a command typed inside a pane ({pane}) does not start one; run it from a terminal outside abide"
    )]
    InsidePane {
        /// What `ABIDE_PANE` says.
        pane: String,
    },
    /// The host could not be started.
    #[error("the host did not start: {why}")]
    NotStarted {
        /// Its last words, or what failed here.
        why: String,
    },
    /// A system call on the connection failed.
    #[error(
        "the connection to the host failed while {doing}: {}",
        sys::files::plain(source)
    )]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

impl LinkError {
    /// The host cannot be reached, as opposed to "the host said no".
    #[must_use]
    pub const fn is_unreachable(&self) -> bool {
        !matches!(self, Self::Refused { .. } | Self::TooLong(_))
    }
}
