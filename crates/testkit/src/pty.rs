//! The pty of a terminal window: its two ends, a program as its session's leader, what is typed.

use rustix::event::{PollFd, PollFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The kernel's form of columns and rows.
pub(crate) fn winsize(size: (u16, u16)) -> Winsize {
    Winsize {
        ws_col: size.0,
        ws_row: size.1,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

/// A pty's two ends and the name of the second.
pub(crate) fn open_pty(size: (u16, u16)) -> (OwnedFd, OwnedFd, PathBuf) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    // Where it cannot be asked for in one step it is set right after.
    #[cfg(target_os = "linux")]
    let flags = flags | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags).expect("a pty");
    rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC).expect("a flag");
    rustix::pty::grantpt(&master).expect("a pty");
    rustix::pty::unlockpt(&master).expect("a pty");
    rustix::termios::tcsetwinsize(&master, winsize(size)).expect("a size");
    let name = rustix::pty::ptsname(&master, Vec::new()).expect("a pty");
    let tty = PathBuf::from(name.into_string().expect("a plain name"));
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let slave = rustix::fs::open(&tty, flags, rustix::fs::Mode::empty()).expect("a pty");
    (master, slave, tty)
}

/// The same command as leader of a new session whose terminal is `slave`. `setsid` replaces itself
/// by the program, since our child leads no group, so the pid stays.
pub(crate) fn with_terminal(command: &Command, slave: &OwnedFd) -> Command {
    let mut wrapped = Command::new("setsid");
    wrapped
        .arg("--ctty")
        .arg(command.get_program())
        .args(command.get_args());
    wrapped.env_clear();
    wrapped.envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    if let Some(folder) = command.get_current_dir() {
        wrapped.current_dir(folder);
    }
    let end = || Stdio::from(slave.try_clone().expect("a descriptor"));
    wrapped.stdin(end()).stdout(end()).stderr(end());
    // As a terminal's: under `nohup`, or behind a shell's `&`, the tests themselves ignore signals.
    sys::child::with_fresh_signals(&mut wrapped);
    wrapped
}

/// Writes everything; a program that never reads fails the test instead of hanging it.
pub(crate) fn write_all(master: &OwnedFd, mut bytes: &[u8]) {
    let limit = rustix::event::Timespec {
        tv_sec: crate::LIMIT.as_secs().cast_signed(),
        tv_nsec: 0,
    };
    while !bytes.is_empty() {
        let mut ready = [PollFd::new(master, PollFlags::OUT)];
        let count = rustix::event::poll(&mut ready, Some(&limit)).expect("poll");
        assert_eq!(count, 1, "nothing reads what is typed");
        // Small pieces, so that a blocking write never waits for more room than poll promised.
        let piece = &bytes[..bytes.len().min(256)];
        let Ok(written) = rustix::io::write(master, piece) else {
            return;
        };
        bytes = &bytes[written..];
    }
}
