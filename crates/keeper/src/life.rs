//! A keeper's life: one at a time, host after host.
//!
//! In: the settings. Out: records kept while there is a host, a new host when one vanished. Promises:
//! the lock is held from before anything is touched; a host that is silent is waited for, never
//! replaced; a host that vanished is replaced at most [`MOST`] times in [`WITHIN`]; after a goodbye
//! the keeper ends, unless a new host is there by then.

use crate::backoff::BackOff;
use crate::error::KeeperError;
use crate::session::{Left, Session};
use crate::{Config, log};
use link::{LinkError, Mode};
use protocol::Role;
use restore::Store;
use restore::record::Start;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use sys::files::{Lock, private_dir};
use sys::process::Identity;

/// A program that looks whether there is a keeper holds the lock for a moment.
const GLANCE: Duration = Duration::from_millis(300);
/// Hosts that may be started in place of vanished ones.
const MOST: usize = 3;
/// In this time.
const WITHIN: Duration = Duration::from_secs(3_600);
/// How long a host that said goodbye is waited for.
const GOODBYE: Duration = Duration::from_secs(30);
/// Pause between two looks for a host that is on its way out.
const PAUSE: Duration = Duration::from_millis(100);

/// What to do next.
enum Next {
    /// Look for a host again.
    Again,
    /// End.
    End(String),
}

struct Life {
    config: Config,
    store: Store,
    signals: UnixStream,
    /// When hosts were started in place of vanished ones.
    started: VecDeque<Instant>,
    /// A host was lost without a goodbye and is not replaced yet.
    lost: bool,
    /// What is waited for was said.
    said: bool,
    /// Waits for a host that does not answer.
    back_off: BackOff,
}

/// Keeps until there is nothing left to keep. Blocks; call it on a process's main thread, since it
/// makes the whole process a keeper (signals, log, name).
///
/// # Errors
/// [`KeeperError`]; [`KeeperError::AlreadyRunning`] is no fault.
pub fn run(config: Config) -> Result<(), KeeperError> {
    private_dir(&config.places.state)?;
    let mut lock = Some(take_lock(&config)?);
    log::start(&config.places.keeper_log());
    sys::process::set_name("abide-keeper");
    sys::process::no_core_dumps();
    let me = Identity::me();
    link::keeper::publish(&config.places, me)?;
    let signals = signals().map_err(|source| KeeperError::System {
        doing: "watch signals",
        source,
    })?;
    tracing::info!(pid = me.pid, build = config.build, "the keeper keeps");
    let store = Store::open(&config.places.state)?.telling(|words| tracing::warn!("{words}"));
    let mut life = Life {
        config,
        store,
        signals,
        started: VecDeque::new(),
        lost: false,
        said: false,
        back_off: BackOff::default(),
    };
    loop {
        match life.once() {
            Next::Again => {}
            Next::End(why) => {
                // Whoever starts a host now either finds the lock free or is found by the last look.
                drop(lock.take());
                if life.asked() || !life.host_is_there() {
                    tracing::info!("the keeper has ended: {why}");
                    return Ok(());
                }
                match take_lock(&life.config) {
                    Ok(taken) => lock = Some(taken),
                    // Another keeper was faster.
                    Err(_) => return Ok(()),
                }
            }
        }
    }
}

fn take_lock(config: &Config) -> Result<Lock, KeeperError> {
    match Lock::exclusive(&config.places.keeper_lock(), GLANCE) {
        Err(error) if error.source.kind() == std::io::ErrorKind::TimedOut => {
            Err(KeeperError::AlreadyRunning)
        }
        taken => Ok(taken?),
    }
}

/// A socket that can be read once the keeper is asked to end.
fn signals() -> std::io::Result<UnixStream> {
    let (hears, tells) = UnixStream::pair()?;
    for signal in [SIGTERM, SIGINT] {
        signal_hook::low_level::pipe::register(signal, tells.try_clone()?)?;
    }
    // The end of the terminal it was started from is nothing to it, as it is to the host.
    signal_hook::flag::register(SIGHUP, std::sync::Arc::default())?;
    Ok(hears)
}

impl Life {
    fn once(&mut self) -> Next {
        let joined = Session::join(&self.config, &self.store, &self.signals);
        let left = match joined {
            Ok(mut session) => {
                self.said = false;
                self.back_off.reset();
                self.lost = false;
                let pid = session.whose.host.pid;
                tracing::info!(pid, "observing the host");
                session.run()
            }
            Err(error) => return self.without(&error),
        };
        match left {
            Left::Asked => Next::End("asked to end".to_owned()),
            Left::Goodbye(reason) => {
                self.wait_goodbye();
                Next::End(format!("the host ended: {reason}"))
            }
            Left::Vanished(why) => {
                tracing::warn!("lost the host: {why}");
                self.lost = true;
                Next::Again
            }
        }
    }

    /// There is no host to join, or none that answers.
    fn without(&mut self, error: &LinkError) -> Next {
        match Mode::of_error(error, &self.config.places) {
            Mode::None { .. } if self.lost => self.replace(),
            Mode::None { .. } if self.wants_host() => self.replace(),
            Mode::None { reason } => Next::End(reason),
            Mode::Host { .. } | Mode::Silent { .. } | Mode::Starting { .. } => {
                if !self.said {
                    tracing::info!("waiting for the host: {error}");
                    self.said = true;
                }
                let wait = self.back_off.wait();
                if self.pause(wait) {
                    return Next::End("asked to end".to_owned());
                }
                Next::Again
            }
        }
    }

    /// Panes are written down that are to come back by themselves.
    fn wants_host(&self) -> bool {
        if (self.config.live)().start != Start::Auto {
            return false;
        }
        let waiting = self.config.turns.waiting();
        let Ok(document) = self.store.document() else {
            return waiting;
        };
        let open = |pane: &restore::PaneRecord| pane.intent == restore::Intent::Open;
        !document.hold() && (waiting || document.panes().iter().any(open))
    }

    /// Starts a host in place of the one that is gone.
    fn replace(&mut self) -> Next {
        let now = Instant::now();
        while self.started.front().is_some_and(|at| *at + WITHIN <= now) {
            self.started.pop_front();
        }
        if self.started.len() >= MOST {
            let why = format!("{} hosts were lost within an hour", MOST + 1);
            tracing::error!("{why}; the next command starts one");
            let me = Identity::me();
            if let Err(error) = link::keeper::give_up(&self.config.places, me, &why) {
                tracing::warn!("clients are not told: {error}");
            }
            return Next::End(why);
        }
        self.started.push_back(now);
        match link::ensure(&self.config.places, Role::Observe, &self.config.starter) {
            Ok(connection) => {
                tracing::info!(pid = connection.welcome().pid, "started a new host");
                Next::Again
            }
            Err(error) => {
                tracing::error!("{error}");
                if self.pause(Duration::from_secs(1)) {
                    return Next::End("asked to end".to_owned());
                }
                Next::Again
            }
        }
    }

    fn host_is_there(&self) -> bool {
        !matches!(link::probe(&self.config.places), Mode::None { .. })
    }

    /// Waits until a host that said goodbye is gone.
    fn wait_goodbye(&self) {
        let begun = Instant::now();
        while begun.elapsed() < GOODBYE && self.host_is_there() && !self.pause(PAUSE) {}
    }

    /// True: the keeper was asked to end.
    fn asked(&self) -> bool {
        self.pause(Duration::ZERO)
    }

    /// Waits so long; true as soon as the keeper is asked to end.
    fn pause(&self, limit: Duration) -> bool {
        let ready = sys::fd::wait_readable(&[self.signals.as_fd()], Some(limit));
        ready.is_ok_and(|ready| ready[0])
    }
}
