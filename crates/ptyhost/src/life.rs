//! A host's life: the state folder, the lock, the old host, then serving, then its own endpoint
//! removed.
//!
//! In: the settings. Out: a host that clients find, until it ends. Promises: the lock is held from
//! before anything is touched to the end of the process, on the lock file, on the state folder itself
//! and as a claim that needs no file, so that deleting any of them lets no second host in; nothing is listened on before the token
//! is there and `host.json` comes last; the process has a session of its own, adopts orphans and
//! leaves no core dump.

use crate::config::HostConfig;
use crate::core::{Core, CoreConfig};
use crate::driver::{Driver, Parts};
use crate::error::HostError;
use crate::handshake::Gate;
use crate::paneio::Channels;
use crate::state::{self, Boot, Endpoint, StateDir};
use crate::tend::{Locks, Tended};
use crate::wake::{self, Signal, Wake, Waker};
use crate::{listen, logfile, oldhost, sweep};
use protocol::auth::Key;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};
use sys::claim::{Claimed, claim};
use sys::files::{FileError, Lock};
use sys::process::Identity;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// A client that looks whether there is a host holds the lock for a moment; a host holds it longer.
const GLANCE: Duration = Duration::from_millis(300);

/// Knocks are heard no faster, so that nobody keeps the host busy with them.
const KNOCKS: Duration = Duration::from_millis(100);

/// Owns the terminals until the host's end. Blocks; call it on a process's main thread, since it
/// makes the whole process a host (session, signals, waits, log).
///
/// # Errors
/// [`HostError`]: it did not start. [`HostError::AlreadyRunning`] is no fault.
pub fn run(mut config: HostConfig) -> Result<(), HostError> {
    let open_before = state::is_open(&config.state);
    let dir = StateDir::open(&config.state)?;
    let already = || HostError::AlreadyRunning { lock: dir.lock() };
    let taken = |lock: Result<Lock, FileError>| match lock {
        Err(error) if error.source.kind() == std::io::ErrorKind::TimedOut => Err(already()),
        lock => Ok(lock?),
    };
    let claim = match claim(dir.path()) {
        Claimed::By(_) => return Err(already()),
        other => other,
    };
    let locks = Locks {
        file: taken(Lock::exclusive(&dir.lock(), GLANCE))?,
        folder: taken(Lock::folder(dir.path(), GLANCE))?,
    };
    logfile::start(&dir.log());
    if open_before {
        state::tell_closed(dir.path());
    }
    become_host();
    let boot = sys::boot::boot();
    let boot = Boot {
        id: boot.id,
        time: boot.time,
    };
    let old = Endpoint::read(&dir.endpoint());
    oldhost::wait_gone(old.as_ref(), &boot.id, config.root_reaper).map_err(|host| {
        tracing::warn!(
            pid = host.pid,
            "the old host lives on without its lock; not starting"
        );
        already()
    })?;
    if let Err(error) = sweep::start(&config.state) {
        tracing::warn!("what outlived its reaper is not looked for again: {error}");
    }
    config.reaper = config.reaper.tagging(&config.state);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| HostError::Setup {
            what: "runtime",
            source,
        })?;
    let reason = runtime.block_on(serve(config, dir, boot, (claim, locks)))?;
    tracing::info!("the host has ended: {reason}");
    Ok(())
}

/// What this process is from here on. None of it is worth not starting for.
fn become_host() {
    let steps = [
        ("start a session of its own", sys::process::setsid()),
        ("adopt orphans", sys::process::become_subreaper()),
        ("leave its folder", sys::process::leave_folder()),
    ];
    for (what, result) in steps {
        if let Err(error) = result {
            tracing::warn!("the host cannot {what}: {error}");
        }
    }
    sys::process::no_core_dumps();
    sys::process::set_name("abide-host");
}

async fn serve(
    config: HostConfig,
    dir: StateDir,
    boot: Boot,
    (claim, locks): (Claimed, Locks),
) -> Result<String, HostError> {
    let (key, notes) = state::token(&dir)?;
    let (highest, more) = state::highest(&dir)?;
    for note in notes.iter().chain(&more) {
        tracing::warn!("{note}");
    }
    let (waker, wakes) = wake::channel();
    let (output, outputs) = mpsc::unbounded_channel();
    forward_signals(&waker).map_err(|source| HostError::Setup {
        what: "signals",
        source,
    })?;
    let (listener, port) = listen::listen().map_err(HostError::Listen)?;
    let instance: [u8; 16] = rand::random();
    let gate = Gate {
        key: key.clone(),
        instance,
        versions: config.versions,
    };
    let endpoint = endpoint(&config, &instance, boot, port);
    let core = Core::new(
        core_config(&config, &dir, instance, key.clone(), highest),
        Instant::now(),
    );
    let links = dir.links();
    let tended = Tended::new(dir, key, highest, endpoint, locks)?;
    tracing::info!(
        pid = std::process::id(),
        port,
        build = config.build,
        "the host serves"
    );
    tokio::spawn(listen::accept_all(listener, gate, waker.clone()));
    if let Err(error) = hear_knocks(claim, &waker) {
        tracing::warn!("only locks keep a second host out: {error}");
    }
    let channels = Channels {
        output,
        driver: waker,
    };
    let driver = Driver::new(Parts {
        config,
        core,
        tended,
        links,
        channels,
    });
    // As a task: waking the future that the runtime blocks on takes a system call each time.
    match tokio::spawn(driver.run(wakes, outputs)).await {
        Ok(reason) => Ok(reason),
        Err(fault) => std::panic::resume_unwind(fault.into_panic()),
    }
}

fn endpoint(config: &HostConfig, instance: &[u8; 16], boot: Boot, port: u16) -> Endpoint {
    let me = Identity::me();
    Endpoint {
        version: 1,
        instance: state::hex(instance),
        pid: me.pid,
        start: me.start,
        boot,
        root_reaper: config.root_reaper.map(Into::into),
        address: "127.0.0.1".to_owned(),
        port,
        protocol: config.versions.into(),
        build: config.build.clone(),
    }
}

fn core_config(
    config: &HostConfig,
    dir: &StateDir,
    instance: [u8; 16],
    token: Key,
    highest: u32,
) -> CoreConfig {
    let me = Identity::me();
    CoreConfig {
        instance,
        pid: u32::try_from(me.pid).unwrap_or(0),
        pid_start: me.start,
        build: config.build.clone(),
        token,
        highest,
        idle_exit: config.idle_exit,
        terminal: config.terminal.clone(),
        keep_exited: config.keep_exited,
        sealed_home: config
            .sealed_home
            .as_ref()
            .map(|home| home.as_os_str().as_bytes().to_vec()),
        links: dir.links().as_os_str().as_bytes().to_vec(),
    }
}

/// Whoever misses the host's files knocks; this holds the claim for life.
fn hear_knocks(claim: Claimed, driver: &Waker) -> std::io::Result<()> {
    let listener = match claim {
        Claimed::Ours(listener) => tokio::net::UnixListener::from_std(listener)?,
        Claimed::Not(error) => return Err(error),
        Claimed::By(_) => return Ok(()),
    };
    let driver = driver.clone();
    tokio::spawn(async move {
        loop {
            // What cannot be accepted is a knock all the same.
            drop(listener.accept().await);
            if driver.send(Wake::Knock).await.is_err() {
                return;
            }
            tokio::time::sleep(KNOCKS).await;
        }
    });
    Ok(())
}

/// Turns this process's signals into wakes. SIGPIPE is ignored by the language's runtime.
fn forward_signals(driver: &Waker) -> std::io::Result<()> {
    let kinds = [
        (SignalKind::child(), Signal::Child),
        (SignalKind::terminate(), Signal::End("SIGTERM")),
        (SignalKind::interrupt(), Signal::End("SIGINT")),
        (SignalKind::hangup(), Signal::HangUp),
    ];
    for (kind, meaning) in kinds {
        let (mut stream, driver) = (signal(kind)?, driver.clone());
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                if driver.send(Wake::Signal(meaning)).await.is_err() {
                    return;
                }
            }
        });
    }
    Ok(())
}
