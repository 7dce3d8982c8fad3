//! The terminal this client runs in: taken over here, given back here.
//!
//! In: bytes of frames. Out: the outer terminal, and afterwards that terminal as it was. Promises:
//! what was switched on is switched off on every way out (detach, host death, SIGTERM, SIGHUP
//! with the terminal still there, SIGINT, a panic of any thread), once; nothing of ours is written
//! after that; a terminal that takes no more bytes cannot keep the client waiting, nor from leaving.
//! For that the terminal is opened once more: "do not wait" is a property of an open file, which
//! standard output shares with the shell. Where it cannot be opened (another user's, after `su`) a
//! thread stands between, with a pipe.
//! The kitty keyboard entry is pushed on the alternate screen's stack, so it is popped there; the
//! main screen's stack is the shell's and is not touched.

use crate::sequences::{KITTY_PUSH, enter_bytes, leave_bytes};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::termios::QueueSelector;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// A terminal that takes no byte for so long is given up.
pub(crate) const STUCK: Duration = Duration::from_millis(500);

/// The outer terminal while the client has it. Dropping it gives it back.
pub(crate) struct Outer {
    shared: Arc<Shared>,
    hook: Arc<Hook>,
}

type Hook = Box<dyn Fn(&std::panic::PanicHookInfo<'_>) + Send + Sync>;

/// What the panic hook needs too.
pub(crate) struct Shared {
    saved: sys::tty::Saved,
    /// Held while bytes are written; `true` once the terminal was given back.
    left: Mutex<bool>,
    /// Standard output, or the same terminal opened once more.
    tty: File,
    /// Writing to `tty` may wait.
    waits: bool,
    mouse: bool,
    kitty: AtomicBool,
    gone: AtomicBool,
}

impl Outer {
    /// Takes over the terminal behind standard output.
    ///
    /// # Errors
    /// Standard input or output is no terminal, or the terminal is gone.
    pub(crate) fn enter(mouse: bool) -> io::Result<Self> {
        let saved = sys::tty::save(io::stdin())?;
        let (tty, waits) = match opened_again(io::stdout()) {
            Ok(tty) => (tty, false),
            Err(_) => (io::stdout().as_fd().try_clone_to_owned()?, true),
        };
        let shared = Arc::new(Shared {
            saved,
            left: Mutex::new(false),
            tty: File::from(tty),
            waits,
            mouse,
            kitty: AtomicBool::new(false),
            gone: AtomicBool::new(false),
        });
        crossterm::terminal::enable_raw_mode()?;
        let outer = Self {
            hook: watch_panics(&shared),
            shared,
        };
        outer.shared.write(enter_bytes(mouse).as_bytes())?;
        Ok(outer)
    }

    /// Where the loop writes.
    ///
    /// # Errors
    /// The system has no pipe or thread left.
    pub(crate) fn tap(&self) -> io::Result<Tap> {
        let shared = Arc::clone(&self.shared);
        if shared.waits {
            return Ok(Tap::Pipe(pump(move |bytes| shared.write(bytes))?));
        }
        Ok(Tap::Own(shared))
    }

    /// Where the keyboard is read: standard input, if possible without ever waiting for it.
    ///
    /// # Errors
    /// No descriptor is left.
    pub(crate) fn keys() -> io::Result<OwnedFd> {
        opened_again(io::stdin()).or_else(|_| io::stdin().as_fd().try_clone_to_owned())
    }

    /// The terminal said that it knows the kitty keyboard protocol: bytes that switch it on.
    pub(crate) fn kitty(&self) -> &'static str {
        if self.shared.kitty.swap(true, Ordering::SeqCst) {
            ""
        } else {
            KITTY_PUSH
        }
    }

    /// The terminal was given back, by a panic somewhere.
    pub(crate) fn is_left(&self) -> bool {
        self.shared.gone.load(Ordering::SeqCst)
    }
}

/// The terminal behind `fd` as an open file of its own, which does not wait.
fn opened_again(fd: impl AsFd) -> io::Result<OwnedFd> {
    let name = rustix::termios::ttyname(&fd, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let own = rustix::fs::open(&name, flags, Mode::empty())?;
    // The name may mean another terminal by now, or here.
    if rustix::fs::fstat(&own)?.st_rdev == rustix::fs::fstat(&fd)?.st_rdev {
        Ok(own)
    } else {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// A way to the terminal that never waits.
pub(crate) enum Tap {
    /// The terminal itself. After it was given back what is written goes nowhere.
    Own(Arc<Shared>),
    /// A pipe to a thread that may wait.
    Pipe(OwnedFd),
}

impl Tap {
    /// Writes some of the bytes.
    ///
    /// # Errors
    /// `WouldBlock` when none can be taken now; else the terminal is gone.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Own(shared) => shared.write_some(bytes),
            Self::Pipe(pipe) => Ok(rustix::io::write(pipe, bytes)?),
        }
    }
}

impl AsFd for Tap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Own(shared) => shared.tty.as_fd(),
            Self::Pipe(pipe) => pipe.as_fd(),
        }
    }
}

/// A pipe whose bytes a thread hands to `write`; it is closed when that fails.
fn pump(write: impl Fn(&[u8]) -> io::Result<()> + Send + 'static) -> io::Result<OwnedFd> {
    let (mut reader, writer) = io::pipe()?;
    rustix::io::ioctl_fionbio(&writer, true)?;
    // As little as possible, so that a frame that is old is not shown for long. Elsewhere it is
    // what the system thinks best.
    #[cfg(target_os = "linux")]
    rustix::pipe::fcntl_setpipe_size(&writer, 4096)?;
    std::thread::Builder::new()
        .name("the screen".to_owned())
        .spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if write(&buffer[..n]).is_err() {
                    return;
                }
            }
        })?;
    Ok(writer.into())
}

impl Drop for Outer {
    fn drop(&mut self) {
        self.shared.leave();
        if !std::thread::panicking() {
            let hook = Arc::clone(&self.hook);
            std::panic::set_hook(Box::new(move |info| hook(info)));
        }
    }
}

/// A panic gives the terminal back before its message is printed.
fn watch_panics(shared: &Arc<Shared>) -> Arc<Hook> {
    let hook: Arc<Hook> = Arc::new(std::panic::take_hook());
    let (shared, before) = (Arc::clone(shared), Arc::clone(&hook));
    std::panic::set_hook(Box::new(move |info| {
        shared.leave();
        before(info);
    }));
    hook
}

impl Shared {
    /// Nothing is written any more, and until the guard goes nobody gives the terminal back.
    fn left(&self) -> MutexGuard<'_, bool> {
        self.left
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Writes all of it, however long that takes.
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let left = self.left();
        if *left {
            return Ok(());
        }
        self.write_within(bytes, None)
    }

    /// Writes what the terminal takes at once.
    fn write_some(&self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left();
        if *left {
            return Ok(bytes.len());
        }
        (&self.tty).write(bytes)
    }

    /// Writes all of it; the terminal has `limit` for each piece that it takes.
    fn write_within(&self, mut bytes: &[u8], limit: Option<Duration>) -> io::Result<()> {
        while !bytes.is_empty() {
            match (&self.tty).write(bytes) {
                Ok(n) => bytes = &bytes[n..],
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    if !self.takes_bytes(limit) {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn leave(&self) {
        let until = std::time::Instant::now() + STUCK;
        let mut guard = loop {
            match self.left.try_lock() {
                Ok(guard) => break Some(guard),
                Err(TryLockError::Poisoned(poisoned)) => break Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if std::time::Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                // The writer is stuck in the terminal, or is the one that panicked.
                Err(TryLockError::WouldBlock) => break None,
            }
        };
        if self.gone.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(left) = guard.as_deref_mut() {
            *left = true;
        }
        if !self.takes_bytes(Some(STUCK)) {
            // What it has not taken by now is frames nobody needs any more; without them there is
            // room for what gives it back, and for last words on standard error.
            let _flushed = rustix::termios::tcflush(&self.tty, QueueSelector::OFlush);
        }
        if self.takes_bytes(Some(Duration::ZERO)) {
            let bytes = leave_bytes(self.mouse, self.kitty.load(Ordering::SeqCst));
            // A terminal that is gone needs nothing back.
            drop(self.write_within(bytes.as_bytes(), Some(STUCK)));
        }
        // crossterm keeps a copy of its own and must not think it is still in raw mode.
        drop(crossterm::terminal::disable_raw_mode());
        drop(self.saved.restore());
    }

    fn takes_bytes(&self, limit: Option<Duration>) -> bool {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let mut fds = [PollFd::new(&self.tty, PollFlags::OUT)];
        poll(&mut fds, limit.as_ref()).is_ok_and(|n| n > 0)
            && fds[0].revents().contains(PollFlags::OUT)
    }
}

#[cfg(test)]
use crate::sequences::{KITTY_POP, clipboard_bytes, title_bytes};

#[cfg(test)]
mod tests;
