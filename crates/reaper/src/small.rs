//! The small build of the pane's reaper: its bytes, and how they are run without a file.
//!
//! In: nothing but what the build script left. Out: a path to execute, for as long as the
//! descriptor behind it is kept. The bytes stand in a memory file that is sealed, so nobody, not
//! even this process, can change what the next reaper runs.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use sys::fd::OwnedFd;

#[cfg(small_reaper)]
const PROGRAM: Option<&[u8]> = Some(include_bytes!(concat!(env!("OUT_DIR"), "/abide-reaper")));
#[cfg(not(small_reaper))]
const PROGRAM: Option<&[u8]> = None;

/// The exit code of a reaper that was given no orders.
const NO_ORDERS: i32 = 2;

/// The memory file; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Small(Arc<OwnedFd>);

impl Small {
    /// Makes the memory file and runs it once without orders.
    ///
    /// # Errors
    /// `Unsupported`: this build has none, or the system does not execute memory files. Else what
    /// making it reports.
    pub(crate) fn new() -> io::Result<Self> {
        Self::of(PROGRAM)
    }

    fn of(program: Option<&[u8]>) -> io::Result<Self> {
        let bytes = program.ok_or(io::ErrorKind::Unsupported)?;
        let small = Self(Arc::new(sys::memory::sealed_program(
            "abide-reaper",
            bytes,
        )?));
        let mut tried = Command::new(small.path());
        tried
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if tried.status()?.code() != Some(NO_ORDERS) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(small)
    }

    /// To be executed by this process's children only, whose descriptors are this process's.
    pub(crate) fn path(&self) -> PathBuf {
        sys::memory::path(&self.0)
    }
}

/// How big the small build is, in bytes; `None`: this build has none.
#[must_use]
pub fn small_size() -> Option<usize> {
    PROGRAM.map(<[u8]>::len)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Each way in which it may not be there is told, so that the portable build is taken.
    #[test]
    fn what_does_not_run_is_no_small_build() {
        let ends_with_0 = std::fs::read("/bin/true").unwrap();
        for (name, program) in [
            ("not in this build", None),
            ("no program", Some(&b"no program"[..])),
            ("a piece of one", Some(&ends_with_0[..64])),
            ("it ends with another code", Some(&ends_with_0)),
        ] {
            assert!(Small::of(program).is_err(), "{name}");
        }
        assert_eq!(Small::new().is_ok(), PROGRAM.is_some());
    }
}
