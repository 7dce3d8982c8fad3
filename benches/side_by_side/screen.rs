//! A client in a pty of its own, drained all the time by a thread, as a fast terminal would.

use std::io::Read;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// A running client and what it draws.
pub(crate) struct Screen {
    child: Child,
    input: std::fs::File,
    output: Receiver<(Instant, Vec<u8>)>,
    started: Instant,
}

impl Screen {
    /// Runs `argv` on a new pty as its controlling terminal.
    pub(crate) fn run(argv: &[String], env: &[(String, String)], cols: u16, rows: u16) -> Self {
        Self::start(argv, env, (cols, rows), false)
    }

    /// Runs `argv` the same way and throws away what it draws.
    pub(crate) fn discarding(argv: &[String], cols: u16, rows: u16) -> Self {
        Self::start(argv, &[], (cols, rows), true)
    }

    fn start(
        argv: &[String],
        env: &[(String, String)],
        (cols, rows): (u16, u16),
        discard: bool,
    ) -> Self {
        let (master, slave) = sys::pty::open(cols, rows).expect("a pty");
        let end = || Stdio::from(slave.try_clone().expect("a descriptor"));
        let mut command = Command::new("setsid");
        command.arg("--ctty").args(argv).envs(env.iter().cloned());
        command.env_remove("TMUX").env_remove("ABIDE_PANE");
        command.stdin(end()).stdout(end()).stderr(end());
        let started = Instant::now();
        let child = command.spawn().expect("the client starts");
        drop(command);
        drop(slave);
        let fd = std::os::fd::AsFd::as_fd(&master)
            .try_clone_to_owned()
            .expect("a descriptor");
        let input = std::fs::File::from(fd);
        let (sender, output) = channel();
        std::thread::spawn(move || drain(&master, (!discard).then_some(&sender)));
        Self {
            child,
            input,
            output,
            started,
        }
    }

    /// Types bytes.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).expect("the client takes input");
    }

    /// Waits until `needle` has been drawn after now; gives the moment its chunk came.
    pub(crate) fn wait_for(&self, needle: &[u8], limit: Duration) -> Option<Instant> {
        let deadline = Instant::now() + limit;
        let mut tail: Vec<u8> = Vec::new();
        loop {
            let left = deadline.checked_duration_since(Instant::now())?;
            let (at, chunk) = self.output.recv_timeout(left).ok()?;
            tail.extend_from_slice(&chunk);
            if tail.windows(needle.len()).any(|w| w == needle) {
                return Some(at);
            }
            let keep = tail.len().saturating_sub(needle.len());
            tail.drain(..keep);
        }
    }

    /// Drops what has been drawn so far.
    pub(crate) fn forget(&self) {
        while self.output.recv_timeout(Duration::from_millis(20)).is_ok() {}
    }

    /// When the client was started.
    pub(crate) const fn started(&self) -> Instant {
        self.started
    }
}

fn drain(master: &sys::pty::Master, sender: Option<&Sender<(Instant, Vec<u8>)>>) {
    let fd = std::os::fd::AsFd::as_fd(master)
        .try_clone_to_owned()
        .expect("a descriptor");
    let flags = rustix::fs::fcntl_getfl(&fd).expect("flags");
    rustix::fs::fcntl_setfl(&fd, flags - rustix::fs::OFlags::NONBLOCK).expect("flags");
    let mut file = std::fs::File::from(fd);
    let mut buffer = vec![0; 65536];
    while let Ok(n @ 1..) = file.read(&mut buffer) {
        let Some(sender) = sender else { continue };
        if sender.send((Instant::now(), buffer[..n].to_vec())).is_err() {
            return;
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _killed = self.child.kill();
        let _reaped = self.child.wait();
    }
}
