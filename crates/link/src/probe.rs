//! Looking for the host. Nothing here starts, signals or changes anything.
//!
//! In: places, a role, how long to wait. Out: a connection, or a reason that says whether a host
//! lives. Promises: alive means "holds its lock or its claim on the folder, or its recorded
//! process lives"; only all of them free and dead mean "no host" (slow is not dead: happy#1654, kata#22); one attempt ends
//! within [`ATTEMPT`].

use crate::connection::Connection;
use crate::error::LinkError;
use crate::handshake::{Refusal, Who, shake_hands};
use crate::hostfile::{HostFile, read_token};
use crate::places::Places;
use protocol::auth::Key;
use protocol::msg::Report;
use protocol::{PaneId, Role, VERSIONS};
use std::fs::TryLockError;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Longest single attempt. A peer that accepts and says nothing is an error within 2 s (zmx#211).
const ATTEMPT: Duration = Duration::from_millis(1500);
/// After so long of silence the user is told what is waited for.
const SAY_AFTER: Duration = Duration::from_millis(500);

/// What a look at the state folder found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A host answers and has proven itself.
    Host {
        /// Its process id.
        pid: i32,
    },
    /// A host lives but cannot be talked to.
    Silent {
        /// Its process id; 0 when only its lock is known.
        pid: i32,
        /// Why, in one line.
        reason: String,
    },
    /// A host holds its lock but has not published where it listens.
    Starting {
        /// In one line.
        reason: String,
    },
    /// There is none.
    None {
        /// In one line.
        reason: String,
    },
}

impl Mode {
    /// What a failed attempt says about the host of `places`.
    #[must_use]
    pub fn of_error(error: &LinkError, places: &Places) -> Self {
        let reason = error.to_string();
        match error {
            LinkError::NoHost { .. } => Self::None { reason },
            LinkError::Starting { .. } => Self::Starting { reason },
            LinkError::Silent { pid, .. } | LinkError::NoCommonVersion { pid, .. } => {
                Self::Silent { pid: *pid, reason }
            }
            _ => match alive(places) {
                Some(pid) => Self::Silent { pid, reason },
                None => Self::None { reason },
            },
        }
    }

    /// The word `abide status` prints.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Host { .. } => "host",
            Self::Silent { .. } => "silent",
            Self::Starting { .. } => "starting",
            Self::None { .. } => "none",
        }
    }
}

/// Looks once.
#[must_use]
pub fn probe(places: &Places) -> Mode {
    match connect(places, Role::Observe) {
        Ok(connection) => Mode::Host {
            pid: i32::try_from(connection.welcome().pid).unwrap_or_default(),
        },
        Err(error) => Mode::of_error(&error, places),
    }
}

/// Connects to the host there is, with one attempt.
///
/// # Errors
/// [`LinkError`], within 2 s.
pub fn connect(places: &Places, role: Role) -> Result<Connection, LinkError> {
    attempt(places, role, VERSIONS, ATTEMPT)
}

/// Connects to the host there is; waits up to `patience` for one that is silent, starting, or too
/// busy with strangers to let this client in. `say` is told once what is waited for.
///
/// # Errors
/// [`LinkError`]; the last attempt's reason.
pub fn connect_patiently(
    places: &Places,
    role: Role,
    patience: Duration,
    say: &mut dyn FnMut(&str),
) -> Result<Connection, LinkError> {
    let begun = Instant::now();
    let mut said = false;
    loop {
        let left = patience.saturating_sub(begun.elapsed());
        let error = match attempt(places, role, VERSIONS, left.min(ATTEMPT)) {
            Err(error) if is_passing(&error) => error,
            other => return other,
        };
        if begun.elapsed() >= patience {
            return Err(with_waited(error, begun.elapsed()));
        }
        if !said && begun.elapsed() >= SAY_AFTER {
            said = true;
            say(&waiting_words(&error, patience));
        }
        std::thread::sleep(jitter());
    }
}

fn waiting_words(error: &LinkError, patience: Duration) -> String {
    let up_to = patience.as_secs();
    match error {
        LinkError::Silent { pid, .. } => {
            format!("the host (pid {pid}) is alive but silent; waiting up to {up_to} s")
        }
        _ => format!("the host is not ready; waiting up to {up_to} s"),
    }
}

/// Reasons that may be over a moment later.
fn is_passing(error: &LinkError) -> bool {
    match error {
        LinkError::Silent { .. } | LinkError::Starting { .. } | LinkError::Closed => true,
        // A living host writes a deleted token again.
        LinkError::BadToken { path, .. } => !path.exists(),
        LinkError::BadFile { damaged, .. } => *damaged,
        _ => false,
    }
}

fn with_waited(error: LinkError, waited: Duration) -> LinkError {
    match error {
        LinkError::Silent { pid, .. } => LinkError::Silent { pid, waited },
        LinkError::Starting { .. } => LinkError::Starting { waited },
        other => other,
    }
}

/// 10 to 50 ms: many clients that wait for one host do not come back in step.
pub(crate) fn jitter() -> Duration {
    Duration::from_millis(10 + u64::from(rand::random::<u8>()) % 40)
}

/// One attempt with a limit, speaking `versions`.
pub(crate) fn attempt(
    places: &Places,
    role: Role,
    versions: (u16, u16),
    limit: Duration,
) -> Result<Connection, LinkError> {
    let begun = Instant::now();
    let limit = limit.max(Duration::from_millis(50));
    let no_host = || LinkError::NoHost {
        state: places.state.clone(),
    };
    check_owner(places)?;
    let file = match HostFile::read(places) {
        Ok(Some(file)) => file,
        Ok(None) => return Err(unpublished(places, begun.elapsed())),
        Err(_) if !is_held(places) => return Err(no_host()),
        Err(error) => return Err(error),
    };
    open(places, &file, role, versions, begun + limit).map_err(|refusal| {
        if !file.process_lives() && !is_held(places) {
            // Whoever has the port now, the host that wrote the file is gone.
            return no_host();
        }
        word(refusal, places, &file, versions, begun.elapsed())
    })
}

/// Without an endpoint file: a host on its way up, one whose folder was removed, or none.
fn unpublished(places: &Places, waited: Duration) -> LinkError {
    match sys::claim::holder(&places.state) {
        _ if lock_is_held(places) => LinkError::Starting { waited },
        Some(pid) => LinkError::Silent { pid, waited },
        None => LinkError::NoHost {
            state: places.state.clone(),
        },
    }
}

/// Another user's folder is told at once: its host would only hang up.
fn check_owner(places: &Places) -> Result<(), LinkError> {
    let why = match std::fs::metadata(&places.state) {
        Ok(meta) if sys::files::owner(&meta) != sys::peer::my_uid() => {
            format!(
                "it belongs to another user (uid {})",
                sys::files::owner(&meta)
            )
        }
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {
            "this user may not enter it or a folder above it".to_owned()
        }
        _ => return Ok(()),
    };
    let path = places.state.clone();
    Err(LinkError::NotYours { path, why })
}

fn open(
    places: &Places,
    file: &HostFile,
    role: Role,
    versions: (u16, u16),
    until: Instant,
) -> Result<Connection, Refusal> {
    let key = read_token(places).map_err(Refusal::Other);
    let stream = dial(places, file, until)?;
    let who = Who {
        role,
        key_id: 0,
        key: &key?,
    };
    let (welcome, decoder) = shake_hands(&stream, who, versions, until)?;
    Connection::new(stream, welcome, decoder).map_err(Refusal::Other)
}

fn dial(places: &Places, file: &HostFile, until: Instant) -> Result<TcpStream, Refusal> {
    let Some(address) = file.socket() else {
        let why = "names no loopback address".to_owned();
        return Err(Refusal::Other(LinkError::BadFile {
            path: places.host_file(),
            why,
            damaged: false,
        }));
    };
    let left = until
        .saturating_duration_since(Instant::now())
        .max(Duration::from_millis(1));
    TcpStream::connect_timeout(&SocketAddr::V4(address), left).map_err(|_| Refusal::Silent)
}

/// Tells the host what a pane's own hook has to say: one attempt, which ends within `limit`. `key` is
/// the pane's own (`ABIDE_PANE_KEY`); the token is neither needed nor read.
///
/// # Errors
/// [`LinkError`].
pub fn report(
    places: &Places,
    (pane, key): (PaneId, &str),
    body: Vec<u8>,
    limit: Duration,
) -> Result<(), LinkError> {
    let begun = Instant::now();
    let file = HostFile::read(places)?.ok_or_else(|| LinkError::NoHost {
        state: places.state.clone(),
    })?;
    let key =
        Key::from_hex(key).ok_or_else(|| LinkError::Malformed("the pane's key".to_owned()))?;
    let who = Who {
        role: Role::Report,
        key_id: pane.0,
        key: &key,
    };
    let until = begun + limit;
    let said = dial(places, &file, until).and_then(|stream| {
        let (welcome, decoder) = shake_hands(&stream, who, VERSIONS, until)?;
        Connection::new(stream, welcome, decoder).map_err(Refusal::Other)
    });
    let mut connection =
        said.map_err(|refusal| word(refusal, places, &file, VERSIONS, begun.elapsed()))?;
    let left = limit.saturating_sub(begun.elapsed());
    connection.request(pane, Report { body }, left).map(drop)
}

fn word(
    refusal: Refusal,
    places: &Places,
    file: &HostFile,
    ours: (u16, u16),
    waited: Duration,
) -> LinkError {
    let (port, pid) = (file.port, file.pid);
    match refusal {
        Refusal::Silent => LinkError::Silent { pid, waited },
        Refusal::Closed => LinkError::Closed,
        Refusal::NotAbide => LinkError::AnotherProgram {
            port,
            file: places.host_file(),
        },
        Refusal::WrongToken => LinkError::WrongToken {
            pid,
            port,
            token: places.token(),
        },
        Refusal::Versions(host) => LinkError::NoCommonVersion {
            ours,
            host,
            build: file.build.clone(),
            pid,
        },
        Refusal::Other(error) => error,
    }
}

/// Whether a host lives. Asking has it look after its files at once.
pub(crate) fn is_held(places: &Places) -> bool {
    sys::claim::holder(&places.state).is_some() || lock_is_held(places)
}

/// Whether some process holds the host's lock. A missing lock file is not created.
fn lock_is_held(places: &Places) -> bool {
    // Shared, so that two who look at once do not take each other for a host.
    let file = std::fs::File::open(places.host_lock());
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The pid of a living host (0: only its lock is known).
fn alive(places: &Places) -> Option<i32> {
    let recorded = HostFile::read(places).ok().flatten();
    match recorded {
        Some(file) if file.process_lives() => Some(file.pid),
        _ => sys::claim::holder(&places.state).or_else(|| lock_is_held(places).then_some(0)),
    }
}
