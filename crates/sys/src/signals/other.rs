//! Unix without signalfd: a pipe that a handler writes the signal's number into.

use crate::process::Signal;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};

/// Where the handler writes. A handler takes no argument of ours, so this one place has to be
/// global; it is set once and the descriptor stays open for the process's life.
static WRITE_END: AtomicI32 = AtomicI32::new(-1);

/// The signals this process waits for.
#[derive(Debug)]
pub struct Signals(OwnedFd);

extern "C" fn note(signal: libc::c_int) {
    let byte = [u8::try_from(signal).unwrap_or(0)];
    // SAFETY: `write` may be called in a handler; the byte lives until it returns. A full pipe
    // loses the byte, but then the reader is awake already.
    unsafe { libc::write(WRITE_END.load(Ordering::Relaxed), byte.as_ptr().cast(), 1) };
}

impl Signals {
    /// From now on `wanted` come only through this.
    ///
    /// # Errors
    /// What `pipe` reports.
    pub fn take(wanted: &[Signal]) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let reader = OwnedFd::from(reader);
        crate::fd::set_nonblocking(&reader)?;
        let writer = OwnedFd::from(writer);
        crate::fd::set_nonblocking(&writer)?;
        WRITE_END.store(writer.into_raw_fd(), Ordering::Relaxed);
        for signal in wanted {
            let handler = note as extern "C" fn(libc::c_int);
            // SAFETY: the handler makes one call that is allowed in a handler.
            unsafe { libc::signal(signal.as_raw(), handler as libc::sighandler_t) };
        }
        Ok(Self(reader))
    }

    /// The next one that has come; `None`: none is waiting. Several of one kind may be told once.
    ///
    /// # Errors
    /// What `read` reports.
    pub fn next(&self) -> io::Result<Option<Signal>> {
        let mut byte = [0_u8; 1];
        match rustix::io::read(&self.0, &mut byte) {
            Ok(1) => Ok(Signal::from_named_raw(i32::from(byte[0]))),
            Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
