//! A pane with this test as its host, a host of its own that can be killed, and a witness that
//! knows when the last of a family is gone.

use reaper::{Launcher, Report, ReportDecoder, Spec};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use sys::process::{Identity, Signal, stat};
use sys::pty::Master;

/// The limit against hanging; nothing is expected to come near it.
pub(crate) const HANG: Duration = Duration::from_secs(60);

/// The program with the hidden subcommands, which is the portable build.
pub(crate) const REAPER: &str = env!("CARGO_BIN_EXE_abide-reaper-std");
pub(crate) const HOST: &str = env!("CARGO_BIN_EXE_abide-reaper-test-host");

/// Starts reapers of the build that is tested; made once.
pub(crate) fn launcher() -> &'static Launcher {
    static MADE: std::sync::OnceLock<Launcher> = std::sync::OnceLock::new();
    MADE.get_or_init(|| match crate::BUILD {
        "small" => Launcher::small().expect("the small build is there and runs"),
        file => Launcher::at(file),
    })
}

/// That build as a file that other processes can execute while this one lives.
pub(crate) fn reaper_file() -> String {
    let me = format!("/proc/{}/", std::process::id());
    let file = launcher().program().to_str().unwrap();
    file.replace("/proc/self/", &me)
}

/// Looks again and again, without sleeping, for something that no descriptor tells of.
pub(crate) fn until(what: &str, mut there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < HANG, "never came: {what}");
        std::thread::yield_now();
    }
}

pub(crate) fn words(line: &[&str]) -> Vec<OsString> {
    line.iter().map(OsString::from).collect()
}

pub(crate) fn kill(pid: i32, signal: Signal) {
    Identity::of(pid).expect("it lives").signal(signal).unwrap();
}

/// Waits for a child of this test to end and takes it: its raw status.
pub(crate) fn take(pid: i32) -> i32 {
    let mut raw = None;
    let handle = sys::pidfd::PidFd::open(pid).unwrap();
    assert_eq!(
        sys::fd::wait_readable(&[handle.as_fd()], Some(HANG)).unwrap(),
        [true],
        "hangs"
    );
    until("its status", || {
        raw = sys::process::reap(pid);
        raw.is_some()
    });
    raw.unwrap()
}

/// A pane whose host is this test.
pub(crate) struct Pane {
    pub(crate) master: Master,
    pub(crate) reaper: i32,
    lifeline: Option<OwnedFd>,
    report: File,
    decoder: ReportDecoder,
    output: Vec<u8>,
    output_ended: bool,
    reports_ended: bool,
    taken: bool,
}

impl Pane {
    pub(crate) fn start(argv: &[&str]) -> Self {
        Self::start_in(argv, Path::new("/"), &[])
    }

    pub(crate) fn start_in(argv: &[&str], cwd: &Path, env: &[(&str, &str)]) -> Self {
        let (master, slave) = sys::pty::open(80, 24).unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut all = vec![("PATH".into(), path), ("TERM".into(), "xterm".into())];
        all.extend(env.iter().map(|(name, value)| (name.into(), value.into())));
        let spec = Spec {
            argv: words(argv),
            cwd: cwd.to_path_buf(),
            env: all,
            pane: "p1".to_owned(),
        };
        let reaped = launcher().spawn(&spec, slave).unwrap();
        Self {
            master,
            reaper: reaped.reaper,
            lifeline: Some(reaped.lifeline),
            report: File::from(reaped.report),
            decoder: ReportDecoder::default(),
            output: Vec::new(),
            output_ended: false,
            reports_ended: false,
            taken: false,
        }
    }

    /// Waits for output or reports and takes in what there is.
    fn work(&mut self) {
        let mut fds = Vec::new();
        fds.extend((!self.output_ended).then_some(self.master.as_fd()));
        fds.extend((!self.reports_ended).then_some(self.report.as_fd()));
        assert!(!fds.is_empty(), "all has ended; output: {}", self.text());
        let ready = sys::fd::wait_readable(&fds, Some(HANG)).unwrap();
        assert!(
            ready.contains(&true),
            "nothing came; so far: {}",
            self.text()
        );
        let mut ready = ready.into_iter();
        if !self.output_ended && ready.next() == Some(true) {
            self.read_output();
        }
        if !self.reports_ended && ready.next() == Some(true) {
            let mut bytes = [0; 256];
            let n = self.report.read(&mut bytes).unwrap();
            self.reports_ended = n == 0;
            self.decoder.feed(&bytes[..n]);
        }
    }

    fn read_output(&mut self) {
        let mut bytes = [0; 65536];
        match self.master.read(&mut bytes) {
            Ok(0) => self.output_ended = true,
            Ok(n) => self.output.extend_from_slice(&bytes[..n]),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    pub(crate) fn report(&mut self) -> Report {
        loop {
            if let Some(report) = self.decoder.next_report() {
                return report;
            }
            assert!(
                !self.reports_ended,
                "no report came; output: {}",
                self.text()
            );
            self.work();
        }
    }

    /// The first report, which has to be that it runs: its pid.
    pub(crate) fn started(&mut self) -> i32 {
        match self.report() {
            Report::Started { pid, start } => {
                assert!(start > 0);
                pid
            }
            other => panic!("{other:?}"),
        }
    }

    /// Waits until the output holds `needle`, and forgets the output up to its end.
    pub(crate) fn expect(&mut self, needle: &str) {
        loop {
            if let Some(at) = self.text().find(needle) {
                self.output = self.text().split_off(at + needle.len()).into_bytes();
                return;
            }
            assert!(!self.output_ended, "no {needle:?} in {:?}", self.text());
            self.work();
        }
    }

    /// Everything it printed, to the end.
    pub(crate) fn all_output(&mut self) -> String {
        while !self.output_ended {
            self.work();
        }
        self.text()
    }

    pub(crate) fn write(&self, bytes: &str) {
        assert_eq!(self.master.write(bytes.as_bytes()).unwrap(), bytes.len());
    }

    /// Asks the reaper to leave this process to the host.
    pub(crate) fn spare(&self, whom: Identity) {
        reaper::spare(self.lifeline.as_ref().unwrap(), whom).unwrap();
    }

    /// Lets go of the lifeline.
    pub(crate) fn end(&mut self) {
        reaper::end(self.lifeline.take().unwrap());
    }

    /// Waits for the reaper's end: its raw status.
    pub(crate) fn gone(&mut self) -> i32 {
        self.taken = true;
        take(self.reaper)
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        self.lifeline = None;
        if !self.taken && !std::thread::panicking() {
            self.gone();
        }
    }
}

/// A host in a process of its own.
pub(crate) struct Host {
    pub(crate) process: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    read: Vec<u8>,
}

impl Host {
    pub(crate) fn start(options: &[&str], argv: &[&str], witness: &Witness) -> Self {
        Self::start_by(Command::new(HOST), options, argv, witness)
    }

    pub(crate) fn start_by(
        command: Command,
        options: &[&str],
        argv: &[&str],
        witness: &Witness,
    ) -> Self {
        Self::start_with(command, crate::BUILD, options, argv, witness)
    }

    /// With the host's own word for the build of the reaper.
    pub(crate) fn start_with(
        mut command: Command,
        build: &str,
        options: &[&str],
        argv: &[&str],
        witness: &Witness,
    ) -> Self {
        command.arg(build).args(options).arg("--").args(argv);
        command.envs(names(witness));
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take().unwrap());
        Self {
            process,
            stdin,
            stdout,
            read: Vec::new(),
        }
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.process.id()).unwrap()
    }

    /// The next line that begins with `start`: its rest.
    pub(crate) fn line(&mut self, start: &str) -> String {
        loop {
            if let Some(end) = self.read.iter().position(|b| *b == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                let line = String::from_utf8(line).unwrap();
                if let Some(rest) = line.strip_prefix(start) {
                    return rest.trim().to_owned();
                }
                continue;
            }
            let ready = sys::fd::wait_readable(&[self.stdout.as_fd()], Some(HANG)).unwrap();
            assert_eq!(ready, [true], "the host says nothing");
            let mut bytes = [0; 4096];
            let n = self.stdout.read(&mut bytes).unwrap();
            assert!(n > 0, "the host ended before {start}");
            self.read.extend_from_slice(&bytes[..n]);
        }
    }

    pub(crate) fn reaper(&mut self) -> i32 {
        self.line("reaper ").parse().unwrap()
    }

    /// Has its reaper leave this process to it.
    pub(crate) fn spare(&mut self, pid: i32) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "spare {pid}").unwrap();
        self.line("spared");
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Host {
    /// What it has said and nobody has read.
    fn unread(&mut self) -> String {
        let mut all = std::mem::take(&mut self.read);
        let mut bytes = [0; 4096];
        let ready = |out: &ChildStdout| {
            let now = sys::fd::wait_readable(&[out.as_fd()], Some(Duration::ZERO));
            now.is_ok_and(|it| it == [true])
        };
        while ready(&self.stdout) {
            match self.stdout.read(&mut bytes) {
                Ok(n @ 1..) => all.extend_from_slice(&bytes[..n]),
                _ => break,
            }
        }
        String::from_utf8_lossy(&all).into_owned()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let said = self.unread();
            // Whoever reads of the failure wants to know.
            let _lost = writeln!(std::io::stderr(), "the host said: {said:?}");
        }
        self.stdin = None;
        // Killed already, or ended by the end of its stdin.
        let _gone = self.process.wait();
    }
}

/// A FIFO that every member of a family holds open. Its end is the end of the last of them.
pub(crate) struct Witness {
    _folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
    reader: File,
    read: Vec<u8>,
}

impl Witness {
    pub(crate) fn new() -> Self {
        use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("witness");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        // Without blocking, or the open would wait for the first writer.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let reader = File::from(open(&path, flags, Mode::empty()).unwrap());
        Self {
            _folder: folder,
            path,
            reader,
            read: Vec::new(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// Reads once; false: nobody holds it any more.
    fn read(&mut self, doing: &str) -> bool {
        let ready = sys::fd::wait_readable(&[self.reader.as_fd()], Some(HANG)).unwrap();
        assert_eq!(
            ready,
            [true],
            "{doing}: hangs, read {:?}, held by {:?}",
            String::from_utf8_lossy(&self.read),
            self.holders()
                .iter()
                .map(|it| stat(it.pid))
                .collect::<Vec<_>>()
        );
        let mut bytes = [0; 4096];
        match self.reader.read(&mut bytes) {
            Ok(n) => {
                self.read.extend_from_slice(&bytes[..n]);
                n > 0
            }
            // The one writer left, and another came before the read.
            Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
        }
    }

    /// Waits for `count` lines in all, and gives them. Writers may come and go meanwhile.
    pub(crate) fn lines(&mut self, count: usize) -> Vec<String> {
        self.lines_of("lines", count)
    }

    /// The same, of a family with this name.
    pub(crate) fn lines_of(&mut self, family: &str, count: usize) -> Vec<String> {
        let begun = Instant::now();
        while self.read.iter().filter(|b| **b == b'\n').count() < count {
            if !self.read(family) {
                let so_far = String::from_utf8_lossy(&self.read);
                assert!(
                    begun.elapsed() < HANG,
                    "{family}: nobody writes; read {so_far:?}"
                );
                std::thread::yield_now();
            }
        }
        String::from_utf8_lossy(&self.read)
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// Who holds it for writing now, as far as `/proc` shows: the family, as long as it does not fork.
    /// Not those who only read it: a child of this test has the test's own end until it is executed.
    pub(crate) fn holders(&self) -> Vec<Identity> {
        let me = Identity::me();
        let holds = |it: &Identity| {
            let fds = std::fs::read_dir(format!("/proc/{}/fd", it.pid));
            let mut files = fds.into_iter().flatten().flatten();
            *it != me
                && files.any(|fd| {
                    let writes = fd.metadata().is_ok_and(|it| it.mode() & 0o200 != 0);
                    writes && std::fs::read_link(fd.path()).is_ok_and(|to| to == self.path)
                })
        };
        let all = sys::process::all();
        all.iter().map(|it| it.identity()).filter(holds).collect()
    }

    /// Kills whoever holds it, group by group, until nobody does.
    pub(crate) fn clear(&mut self) {
        let begun = Instant::now();
        loop {
            let holders = self.holders();
            for whom in &holders {
                let now = stat(whom.pid).filter(|it| it.start == whom.start);
                let group = now.map_or(0, |it| it.pgrp);
                // Gone meanwhile.
                let _gone = sys::process::signal_group(group, Signal::KILL);
            }
            let ready = sys::fd::wait_readable(&[self.reader.as_fd()], Some(Duration::ZERO));
            if ready.unwrap() == [true] && !self.read("clearing") {
                return;
            }
            assert!(begun.elapsed() < HANG, "{holders:?} stay");
        }
    }

    /// Waits until the whole family is gone.
    pub(crate) fn ended(&mut self, family: &str) {
        while self.read(family) {}
    }
}

/// How often quick things are repeated; `.ci/long` asks for more.
pub(crate) fn rounds() -> usize {
    let asked = std::env::var("ABIDE_TEST_ROUNDS").ok();
    asked.and_then(|it| it.parse().ok()).unwrap_or(1)
}

/// What a family's script knows of the test.
pub(crate) fn names(witness: &Witness) -> [(OsString, OsString); 3] {
    [
        ("W".into(), witness.path.clone().into()),
        ("REAPER".into(), crate::BUILD.into()),
        ("HOST".into(), HOST.into()),
    ]
}

/// Writes an executable script.
pub(crate) fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    use std::os::unix::fs::OpenOptionsExt;
    let path = folder.join(name);
    let mut options = File::options();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o755)
        .open(&path)
        .unwrap();
    file.write_all(text.as_bytes()).unwrap();
    path
}
