//! What `/proc` says of a process, and signals that cannot hit a stranger.

use crate::call::{self, Errno, Open};
use crate::text::{self, Text};

#[derive(Clone, Copy)]
pub struct Stat {
    pub pid: i32,
    pub ppid: i32,
    pub pgrp: i32,
    pub session: i32,
    pub state: u8,
    pub threads: u32,
    pub start: u64,
}

/// One `stat` line. The name in it may hold anything, so the fields are counted from its last
/// bracket.
fn parse(line: &[u8]) -> Option<Stat> {
    let open = line.iter().position(|b| *b == b'(')?;
    let close = line.iter().rposition(|b| *b == b')')?;
    let mut first = text::words(line.get(..open)?);
    let mut fields = text::words(line.get(close + 1..)?);
    let id = |field: Option<&[u8]>| text::signed(field?);
    Some(Stat {
        pid: id(first.next())?,
        state: *fields.next()?.first()?,
        ppid: id(fields.next())?,
        pgrp: id(fields.next())?,
        session: id(fields.next())?,
        threads: u32::try_from(text::number(fields.nth(13)?)?).ok()?,
        start: text::number(fields.nth(1)?)?,
    })
}

impl Stat {
    /// `None`: there is no such process.
    pub fn of(pid: i32) -> Option<Self> {
        let pid = u64::try_from(pid).ok().filter(|it| *it > 0)?;
        let path: Text<32> = Text::new().add(b"/proc/").number(pid).add(b"/stat\0");
        let mut line = [0; 1024];
        parse(read_file(path.get()?, &mut line)?)
    }

    /// Whether it can still run code. A zombie cannot, unless only its first thread has ended.
    pub const fn alive(&self) -> bool {
        !matches!(self.state, b'Z' | b'X') || self.threads > 1
    }

    /// Signals this very process: a handle first, the start time second, the signal last.
    pub fn signal(&self, signal: i32) -> Result<(), Errno> {
        let same = || Self::of(self.pid).is_some_and(|it| it.start == self.start);
        let handle = match call::pidfd(self.pid) {
            Ok(handle) => handle,
            // A sandbox without handles: the small window stays open.
            Err(call::ENOSYS | call::EPERM) if same() => return call::kill(self.pid, signal),
            Err(error) => return Err(error),
        };
        let sent = if same() {
            call::pidfd_signal(handle, signal)
        } else {
            Err(call::ESRCH)
        };
        call::close(handle);
        sent
    }
}

/// The beginning of a file, in one read.
pub fn read_file<'a>(path: &[u8], into: &'a mut [u8]) -> Option<&'a [u8]> {
    let fd = call::open(path, Open::Read).ok()?;
    let length = call::read(fd, into);
    call::close(fd);
    into.get(..length.ok()?)
}
