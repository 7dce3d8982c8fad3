//! Unix: waiting for several descriptors, non-blocking mode, a second handle.

use rustix::event::{PollFd, PollFlags, Timespec};
use std::io;
pub use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// Waits until one of `fds` can be read, has ended or is broken, or until `timeout` passes
/// (`None`: without limit). Answers one flag for each, in order; all false after the timeout or
/// when a signal interrupted the wait.
///
/// # Errors
/// What `poll` reports.
pub fn wait_readable(fds: &[BorrowedFd<'_>], timeout: Option<Duration>) -> io::Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> = fds
        .iter()
        .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
        .collect();
    let limit = timeout.map(|d| Timespec {
        tv_sec: i64::try_from(d.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: d.subsec_nanos().into(),
    });
    match rustix::event::poll(&mut polled, limit.as_ref()) {
        Ok(_) => Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(rustix::io::Errno::INTR) => Ok(vec![false; fds.len()]),
        Err(error) => Err(error.into()),
    }
}

/// Sets `O_NONBLOCK`, for everybody who shares this open file.
///
/// # Errors
/// What `fcntl` reports.
pub fn set_nonblocking(fd: impl AsFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(&fd)?;
    rustix::fs::fcntl_setfl(&fd, flags | rustix::fs::OFlags::NONBLOCK)?;
    Ok(())
}

/// A second handle on the same open file, above the standard three and closed at exec.
///
/// # Errors
/// What `fcntl` reports, above all too many open files.
pub fn duplicate(fd: impl AsFd) -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(fd, 3)?)
}

/// The same with a number that no program uses by itself, above 63.
///
/// # Errors
/// What `fcntl` reports, above all too many open files.
pub fn duplicate_high(fd: impl AsFd) -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(fd, 64)?)
}

/// Takes two descriptors that were passed on under these numbers, both above 4, and closes every
/// other above the standard three. Only for the first lines of a `main`, as
/// [`crate::daemon::close_inherited`].
///
/// # Errors
/// What `dup2` reports: there is no such descriptor.
pub fn take_passed((one, two): (i32, i32)) -> io::Result<(OwnedFd, OwnedFd)> {
    let moved = |from: i32, to: i32| {
        // SAFETY: whatever `to` is was left open by somebody else; by the contract above nothing in
        // this process owns it.
        let fd = unsafe { libc::dup2(from, to) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was made by the call above, so it is open and nobody else's.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC)?;
        Ok(fd)
    };
    let taken = (moved(one, 3)?, moved(two, 4)?);
    crate::daemon::close_from(5);
    Ok(taken)
}

/// Takes the three standard descriptors of a process that was started with others in their place
/// and makes all three the first one. Gives back handles on what was at 1 and at 2.
///
/// # Errors
/// What `fcntl` and `dup2` report.
pub fn spread_stdin() -> io::Result<(OwnedFd, OwnedFd)> {
    let one = duplicate(rustix::stdio::stdout())?;
    let two = duplicate(rustix::stdio::stderr())?;
    rustix::stdio::dup2_stdout(rustix::stdio::stdin())?;
    rustix::stdio::dup2_stderr(rustix::stdio::stdin())?;
    Ok((one, two))
}

/// Puts `/dev/null` in place of the three standard descriptors.
///
/// # Errors
/// What opening it and `dup2` report.
pub fn null_stdio() -> io::Result<()> {
    let null = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn waiting_tells_which_one_is_ready() {
        let (a, _keep) = std::io::pipe().unwrap();
        let (b, mut to_b) = std::io::pipe().unwrap();
        let none = wait_readable(&[a.as_fd(), b.as_fd()], Some(Duration::ZERO)).unwrap();
        assert_eq!(none, [false, false]);
        to_b.write_all(b"x").unwrap();
        assert_eq!(
            wait_readable(&[a.as_fd(), b.as_fd()], None).unwrap(),
            [false, true]
        );
    }

    #[test]
    fn a_closed_writer_counts_as_ready() {
        let (a, writer) = std::io::pipe().unwrap();
        drop(writer);
        assert_eq!(wait_readable(&[a.as_fd()], None).unwrap(), [true]);
    }
}
