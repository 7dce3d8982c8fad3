//! The framework's process under a reaper of its own.
//!
//! In: a framework, a conversation to open. Out: its lines and its end as [`Input::Agent`]s, numbered. Three
//! threads a process: one writes what waits, one reads its output, one keeps the last of its errors.
//! Promises: when the [`Agent`] is dropped, or this process dies in whatever way, nothing of the family is
//! left; at most [`MAX_WAITING`] lines wait for a process that does not read, then it is taken as gone.

use crate::framework::Framework;
use crate::inflight::Params;
use crate::lines::{Line, Lines};
use crate::program::{Agent, Input, Said, Spawner};
use reaper::{Headless, Launcher, Use};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use sys::process::{Identity, Signal, Status};

/// Lines that wait for a process that does not read.
pub const MAX_WAITING: usize = 1_000;
/// Bytes of its errors that are kept: the last ones.
const MAX_WORDS: usize = 8 * 1024;
/// Its output has ended; its end is waited for so long.
const LAST: Duration = Duration::from_secs(3);

/// Starts one framework's processes.
#[derive(Debug)]
pub struct Processes {
    /// What is started.
    pub framework: Framework,
    /// The folder it works in.
    pub folder: PathBuf,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Starts reapers.
    pub launcher: Launcher,
    /// Where what it says goes.
    pub inputs: Sender<Input>,
    /// Named in the process list.
    pub name: String,
}

impl Spawner for Processes {
    fn spawn(
        &mut self,
        number: u64,
        session: Option<&str>,
        chosen: Option<&str>,
        params: &Params,
    ) -> Result<Box<dyn Agent>, String> {
        let argv = self.framework.argv(session, chosen, params);
        let spec = reaper::Spec {
            argv: argv.into_iter().map(OsString::from).collect(),
            cwd: self.folder.clone(),
            env: self.env.clone(),
            pane: self.name.clone(),
        };
        let piped = self
            .launcher
            .spawn_piped(&spec, [Use::Pipe, Use::Pipe, Use::Pipe]);
        let mut child = piped.map_err(|e| e.to_string())?;
        let who = child.started()?;
        let pipe = |fd: Option<sys::fd::OwnedFd>| fd.map(File::from).ok_or("it has no pipe");
        let (stdin, stdout) = (pipe(child.stdin.take())?, pipe(child.stdout.take())?);
        let stderr = pipe(child.stderr.take())?;
        let child = Arc::new(Mutex::new(child));
        let words: Words = Arc::default();
        let (lines, waiting) = sync_channel::<String>(MAX_WAITING);
        let kept = Arc::clone(&words);
        let errors = std::thread::spawn(move || keep_last(stderr, &kept));
        std::thread::spawn(move || write_all(stdin, waiting));
        let output = Output {
            inputs: self.inputs.clone(),
            number,
            child: Arc::downgrade(&child),
            words,
        };
        std::thread::spawn(move || output.read_all(stdout, errors));
        Ok(Box::new(Running {
            _child: child,
            who,
            lines: Some(lines),
            inputs: self.inputs.clone(),
            number,
        }))
    }
}

type Words = Arc<Mutex<VecDeque<u8>>>;

/// A process as the program holds it.
struct Running {
    /// Dropping it ends the family.
    _child: Arc<Mutex<Headless>>,
    who: Identity,
    /// `None`: its input was ended.
    lines: Option<SyncSender<String>>,
    inputs: Sender<Input>,
    number: u64,
}

impl Agent for Running {
    fn send(&mut self, line: String) {
        let sent = self.lines.as_ref().map(|it| it.try_send(line));
        if let Some(Err(TrySendError::Full(_))) = sent {
            let said = Said::Gone {
                how: "it does not read what it is sent".to_owned(),
                words: String::new(),
            };
            let _program_gone = self.inputs.send(Input::Agent(self.number, said));
        }
    }

    fn leave(&mut self) {
        self.lines = None;
    }

    /// Its process group: the program leads one.
    fn freeze(&mut self, on: bool) {
        let signal = if on { Signal::STOP } else { Signal::CONT };
        if self.who.alive() {
            let _gone = sys::process::signal_group(self.who.pid, signal);
        }
    }
}

fn write_all(mut stdin: File, waiting: std::sync::mpsc::Receiver<String>) {
    for mut line in waiting {
        line.push('\n');
        if stdin.write_all(line.as_bytes()).is_err() {
            return; // its output tells how it ended
        }
    }
}

fn keep_last(mut stderr: File, words: &Words) {
    let mut bytes = [0; 4096];
    while let Ok(n @ 1..) = stderr.read(&mut bytes) {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend(&bytes[..n]);
        let more = words.len().saturating_sub(MAX_WORDS);
        words.drain(..more);
    }
}

/// Reads what it prints.
struct Output {
    inputs: Sender<Input>,
    number: u64,
    /// Weak: the program's hold alone keeps the family.
    child: Weak<Mutex<Headless>>,
    words: Words,
}

impl Output {
    fn say(&self, said: Said) -> bool {
        self.inputs.send(Input::Agent(self.number, said)).is_ok()
    }

    fn read_all(self, mut stdout: File, errors: std::thread::JoinHandle<()>) {
        let mut lines = Lines::default();
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(n @ 1..) = stdout.read(&mut bytes) {
            for line in lines.push(&bytes[..n]) {
                if !self.say(told(line)) {
                    return;
                }
            }
        }
        if let Some(line) = lines.end() {
            self.say(told(line));
        }
        // With the program's hold gone there is nobody to tell.
        let Some(child) = self.child.upgrade() else {
            return;
        };
        let status = child
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .wait(Some(LAST));
        drop(child);
        if status.is_some() {
            // The family is being ended, so its errors end too.
            let _fault = errors.join();
        }
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let words: Vec<u8> = words.iter().copied().collect();
        self.say(Said::Gone {
            how: status.map_or("it closed its output".to_owned(), how),
            words: String::from_utf8_lossy(&words).into_owned(),
        });
    }
}

fn told(line: Line) -> Said {
    match line {
        Line::Whole(line) => Said::Line(line),
        // The driver tells it as a line that is no message.
        Line::TooLong { bytes } => Said::Line(format!("a line of {bytes} bytes")),
    }
}

fn how(status: Status) -> String {
    match status {
        Status::Exited(code) => format!("exit status {code}"),
        Status::Killed(signal) => format!("signal {signal}"),
        other => format!("{other:?}"),
    }
}
