//! Who started whom, for ever: where orphans are not given to whoever asks for them, a family is
//! found by ids that outlive the parents.
//!
//! macOS gives every process a unique id that is never given out again, and keeps beside it the
//! unique id of the process that started it, also after that one is gone and the parent is launchd.
//! In: this process. Out: everybody's [`Lineage`], and a [`Watch`] that wakes when a watched process
//! forks or ends. There is no such thing elsewhere (Linux needs none, it has subreapers).

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// One process and where it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lineage {
    /// Its pid.
    pub pid: i32,
    /// Its unique id.
    pub unique: u64,
    /// The unique id of the process that started it, whoever its parent is by now.
    pub starter: u64,
}

/// `proc_uniqidentifierinfo` of `<sys/proc_info.h>`: kind 17, 56 bytes.
#[repr(C)]
struct UniqueInfo {
    _program: [u8; 16],
    unique: u64,
    starter: u64,
    _versions: [i32; 2],
    _reserved: [u64; 2],
}

const PROC_PIDUNIQIDENTIFIERINFO: i32 = 17;
const _: () = assert!(size_of::<UniqueInfo>() == 56);

/// Where `pid` comes from; `None`: there is no such process.
#[must_use]
pub fn of(pid: i32) -> Option<Lineage> {
    let found: UniqueInfo = crate::process::info(pid, PROC_PIDUNIQIDENTIFIERINFO)?;
    Some(Lineage {
        pid,
        unique: found.unique,
        starter: found.starter,
    })
}

/// Everybody the system shows, in no order; zombies are not among them.
#[must_use]
pub fn all() -> Vec<Lineage> {
    crate::process::pids().into_iter().filter_map(of).collect()
}

/// Wakes when one of the watched processes forks or ends. The system does not say whom it started,
/// so a look at everybody follows.
#[derive(Debug)]
pub struct Watch(OwnedFd);

impl Watch {
    /// Watches nobody yet.
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn new() -> io::Result<Self> {
        Ok(Self(rustix::event::kqueue::kqueue()?))
    }

    /// Watches `pid` too, until it ends. Asking twice is asking once.
    ///
    /// # Errors
    /// `ESRCH`: it is gone.
    pub fn add(&self, pid: i32) -> io::Result<()> {
        use rustix::event::kqueue::{Event, EventFilter, EventFlags, ProcessEvents, kevent};
        let what = EventFilter::Proc {
            pid: crate::process::named(pid)?,
            flags: ProcessEvents::FORK | ProcessEvents::EXIT,
        };
        let flags = EventFlags::ADD | EventFlags::CLEAR;
        let wanted = Event::new(what, flags, std::ptr::null_mut());
        let mut none: [std::mem::MaybeUninit<Event>; 0] = [];
        // SAFETY: the one change names a pid, not a descriptor that could be closed under it.
        unsafe { kevent(&self.0, &[wanted], &mut none, None) }?;
        Ok(())
    }

    /// Takes all news without waiting. True: there was some.
    ///
    /// # Errors
    /// What `kevent` reports.
    pub fn drain(&self) -> io::Result<bool> {
        use rustix::event::kqueue::{Event, kevent};
        let mut any = false;
        loop {
            let mut news = [const { std::mem::MaybeUninit::<Event>::uninit() }; 64];
            // SAFETY: nothing is changed, and the place for the news is ours.
            let (came, rest) =
                unsafe { kevent(&self.0, &[], &mut news, Some(std::time::Duration::ZERO)) }?;
            any |= !came.is_empty();
            if !rest.is_empty() {
                return Ok(any);
            }
        }
    }
}

impl AsFd for Watch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
