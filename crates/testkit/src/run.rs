//! One command of the program under test, run to its end.
//!
//! Promises: it ends within [`crate::LIMIT`] or the test fails with what it said until then; so a
//! command that leaves its output open for a daemon is found.

use crate::home::Home;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A command that is being put together.
#[derive(Debug)]
#[must_use]
pub struct Abide<'a> {
    home: &'a Home,
    args: Vec<OsString>,
    env: Vec<(OsString, Option<OsString>)>,
    cwd: PathBuf,
    stdin: Vec<u8>,
    limit: Duration,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Output {
    /// Exit code; 128 + n for signal n.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl<'a> Abide<'a> {
    pub(crate) fn new<S: AsRef<OsStr>>(home: &'a Home, args: impl IntoIterator<Item = S>) -> Self {
        Self {
            home,
            args: args.into_iter().map(|a| a.as_ref().to_owned()).collect(),
            env: Vec::new(),
            cwd: home.work(),
            stdin: Vec::new(),
            limit: crate::LIMIT,
        }
    }

    /// Sets a variable for this command only.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env
            .push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Removes a variable for this command only.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), None));
        self
    }

    /// Starts in this folder.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = folder.into();
        self
    }

    /// Gives it this input, then the end of input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Calls it a hang after this time instead of [`crate::LIMIT`].
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// The bare command: arguments, folder, sealed environment; no pipes yet.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.home.exe());
        command.args(&self.args).current_dir(&self.cwd).env_clear();
        command.envs(self.home.env().iter().map(|(n, v)| (n, v)));
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        // Under `nohup`, or behind a shell's `&`, the tests themselves ignore signals.
        sys::child::with_fresh_signals(&mut command);
        command
    }

    /// Starts it with pipes and gives the running child.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    pub fn spawn(self) -> Running {
        let mut command = self.command();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program under test starts");
        let mut input = child.stdin.take().expect("piped");
        let bytes = self.stdin.clone();
        std::thread::spawn(move || {
            let _closed_early = input.write_all(&bytes);
        });
        Running {
            stdout: drain(child.stdout.take().expect("piped")),
            stderr: drain(child.stderr.take().expect("piped")),
            what: format!("{:?}", self.args),
            limit: self.limit,
            child,
        }
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it does not end in time.
    #[track_caller]
    pub fn run(self) -> Output {
        self.spawn().finish()
    }

    /// Runs it, wants exit code 0, gives its standard output without the last line end.
    ///
    /// # Panics
    /// When it fails.
    #[track_caller]
    pub fn ok(self) -> String {
        let what = format!("{:?}", self.args);
        let output = self.run();
        assert_eq!(output.code, 0, "{what} failed: {output:#?}");
        output.stdout.trim_end_matches('\n').to_owned()
    }

    /// Runs it and reads its standard output as JSON.
    ///
    /// # Panics
    /// When it fails or says something else.
    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        let text = self.ok();
        let parsed = serde_json::from_str(&text);
        parsed.unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
    }

    /// Runs it, wants this exit code, gives what it said on standard error.
    ///
    /// # Panics
    /// When it ends otherwise.
    #[track_caller]
    pub fn fails(self, code: i32) -> String {
        let what = format!("{:?}", self.args);
        let output = self.run();
        assert_eq!(output.code, code, "{what} ended otherwise: {output:#?}");
        output.stderr
    }
}

/// A command that runs.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
    what: String,
    limit: Duration,
}

impl Running {
    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Waits for its end and for the end of both outputs.
    ///
    /// # Panics
    /// When they do not end in time.
    #[track_caller]
    pub fn finish(mut self) -> Output {
        let ended = crate::wait::poll(self.limit, || self.child.try_wait().expect("our child"));
        let Some(status) = ended else {
            let _killed = self.child.kill();
            let _reaped = self.child.wait();
            let said = [&self.stdout, &self.stderr].map(|pipe| {
                let bytes = pipe
                    .recv_timeout(Duration::from_secs(1))
                    .unwrap_or_default();
                String::from_utf8_lossy(&bytes).into_owned()
            });
            panic!("{} does not end; it said {said:#?}", self.what);
        };
        let take = |pipe: &Receiver<Vec<u8>>, name: &str| {
            let bytes = pipe.recv_timeout(self.limit);
            let bytes = bytes.unwrap_or_else(|_| panic!("{}: {name} stays open", self.what));
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let stdout = take(&self.stdout, "standard output");
        Output {
            code: code_of(status),
            stdout,
            stderr: take(&self.stderr, "standard error"),
        }
    }
}

fn code_of(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status
        .code()
        .or_else(|| Some(128 + status.signal()?))
        .unwrap_or(-1)
}

/// Reads to the end on a thread of its own.
fn drain(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _error = pipe.read_to_end(&mut bytes);
        let _gone = send.send(bytes);
    });
    receive
}
