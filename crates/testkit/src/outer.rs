//! A terminal window: a real pty with a program in it, and a model of what the window shows.
//!
//! In: keys, sizes, the end of the window. Out: its screen as text, its modes, every raw byte, the
//! line settings of its tty. Promises: queries of the program are answered as a terminal would;
//! waits end with the first matching screen; a dropped window hangs up as a closed one does.

use crate::home::Home;
use crate::processes::Process;
use crate::pty::{open_pty, winsize, with_terminal, write_all};
use crate::wait::{LIMIT, poll};
use rustix::event::{PollFd, PollFlags};
use rustix::process::Signal;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use term::modes::Modes;
use term::{Size, Terminal};

/// A terminal window with a program in it.
pub struct Outer {
    master: Option<Arc<OwnedFd>>,
    /// Kept open so that the line settings can be read after the program's end.
    slave: Option<OwnedFd>,
    tty: PathBuf,
    child: Child,
    process: Process,
    shown: Arc<Shown>,
    /// Closed to end the reading thread.
    stop: Option<OwnedFd>,
}

/// What the reading thread and the test share.
struct Shown {
    window: Mutex<Window>,
    changed: Condvar,
}

struct Window {
    terminal: Terminal,
    raw: Vec<u8>,
    ended: bool,
}

/// Collects what the terminal answers to queries.
#[derive(Default)]
struct Answers(Vec<u8>);

impl term::Sink for Answers {
    fn answer(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
    fn event(&mut self, _event: term::Event) {}
}

impl Outer {
    /// Opens a window of `cols` x `rows` and runs the program under test in it.
    ///
    /// # Panics
    /// When there is no pty or the program cannot be started.
    #[must_use]
    #[track_caller]
    pub fn open<S: AsRef<OsStr>>(
        home: &Home,
        size: (u16, u16),
        args: impl IntoIterator<Item = S>,
    ) -> Self {
        Self::run(home.abide(args).command(), size)
    }

    /// Opens a window of `cols` x `rows` and runs `command` in it, as its session's leader.
    ///
    /// # Panics
    /// When there is no pty or the program cannot be started.
    #[must_use]
    #[track_caller]
    pub fn run(command: Command, size: (u16, u16)) -> Self {
        let (master, slave, tty) = open_pty(size);
        let child = with_terminal(&command, &slave)
            .spawn()
            .expect("`setsid` starts");
        let pid = child.id().cast_signed();
        let process = Process::of(pid).expect("our child is there");
        let shown = Arc::new(Shown {
            window: Mutex::new(Window {
                terminal: Terminal::new(Size::new(size.0, size.1), &term::Options::default()),
                raw: Vec::new(),
                ended: false,
            }),
            changed: Condvar::new(),
        });
        let (stopped, stop) = rustix::pipe::pipe().expect("a pipe");
        let (master, shared) = (Arc::new(master), Arc::clone(&shown));
        let reading = Arc::clone(&master);
        std::thread::spawn(move || read_all(reading, &stopped, &shared));
        Self {
            master: Some(master),
            slave: Some(slave),
            tty,
            child,
            process,
            shown,
            stop: Some(stop),
        }
    }

    /// The program in the window.
    #[must_use]
    pub fn process(&self) -> Process {
        self.process
    }

    /// The window's tty, e.g. `/dev/pts/3`.
    #[must_use]
    pub fn tty(&self) -> &PathBuf {
        &self.tty
    }

    /// Types bytes as they are.
    ///
    /// # Panics
    /// When the window is closed or nothing reads for a long time.
    #[track_caller]
    pub fn type_bytes(&self, bytes: impl AsRef<[u8]>) {
        let master = self.master.as_ref().expect("the window is open");
        write_all(master, bytes.as_ref());
    }

    /// Types a key by its name, as a terminal without any keyboard mode sends it: `C-b`, `Enter`,
    /// `Up`, or one character.
    ///
    /// # Panics
    /// When there is no such key.
    #[track_caller]
    pub fn key(&self, name: &str) {
        let bytes: Vec<u8> = match name {
            "Enter" => b"\r".to_vec(),
            "Escape" => b"\x1b".to_vec(),
            "Tab" => b"\t".to_vec(),
            "Up" => b"\x1b[A".to_vec(),
            "Down" => b"\x1b[B".to_vec(),
            "Right" => b"\x1b[C".to_vec(),
            "Left" => b"\x1b[D".to_vec(),
            "PageUp" => b"\x1b[5~".to_vec(),
            "PageDown" => b"\x1b[6~".to_vec(),
            _ => match name.strip_prefix("C-").map(str::as_bytes) {
                Some([letter]) => vec![letter & 0x1f],
                _ if name.chars().count() == 1 => name.as_bytes().to_vec(),
                _ => panic!("no key named {name}"),
            },
        };
        self.type_bytes(bytes);
    }

    /// Types the prefix and then a key, as a person does: two writes.
    #[track_caller]
    pub fn command(&self, key: &str) {
        self.key("C-b");
        self.key(key);
    }

    /// What the window shows, one line a row, trailing blanks cut.
    #[must_use]
    pub fn text(&self) -> String {
        self.with(|window| window.terminal.text())
    }

    /// The modes the window is in.
    #[must_use]
    pub fn modes(&self) -> Modes {
        self.with(|window| window.terminal.modes().clone())
    }

    /// Every byte the window got so far.
    #[must_use]
    pub fn raw(&self) -> Vec<u8> {
        self.with(|window| window.raw.clone())
    }

    /// Asks the terminal model.
    pub fn with_terminal<T>(&self, ask: impl FnOnce(&Terminal) -> T) -> T {
        self.with(|window| ask(&window.terminal))
    }

    fn with<T>(&self, ask: impl FnOnce(&Window) -> T) -> T {
        ask(&self
            .shown
            .window
            .lock()
            .expect("the reading thread does not panic"))
    }

    /// Waits until the screen matches, gives the screen.
    ///
    /// # Panics
    /// When it does not in time, showing the screen; or when `pattern` is no regular expression.
    #[track_caller]
    pub fn wait_for(&self, pattern: &str) -> String {
        let regex = crate::wait::pattern(pattern);
        self.wait_until(&format!("a screen with {pattern:?}"), |terminal| {
            let text = terminal.text();
            regex.is_match(&text).then_some(text)
        })
    }

    /// Waits until the screen no longer matches.
    ///
    /// # Panics
    /// When it still does at the limit.
    #[track_caller]
    pub fn wait_without(&self, pattern: &str) {
        let regex = crate::wait::pattern(pattern);
        let what = format!("a screen without {pattern:?}");
        self.wait_until(&what, |terminal| {
            (!regex.is_match(&terminal.text())).then_some(())
        });
    }

    /// Waits until the terminal model answers with `Some`; asked again whenever bytes came.
    ///
    /// # Panics
    /// When it does not in time, showing the screen.
    #[track_caller]
    pub fn wait_until<T>(&self, what: &str, mut ask: impl FnMut(&Terminal) -> Option<T>) -> T {
        let end = Instant::now() + LIMIT;
        let mut window = self
            .shown
            .window
            .lock()
            .expect("the reading thread does not panic");
        loop {
            if let Some(answer) = ask(&window.terminal) {
                return answer;
            }
            let left = end.saturating_duration_since(Instant::now());
            let screen = || window.terminal.text();
            assert!(
                !left.is_zero(),
                "waited in vain for {what}; the window shows:\n{}",
                screen()
            );
            assert!(
                !window.ended,
                "the window ended without {what}; it shows:\n{}",
                screen()
            );
            let step = left.min(Duration::from_secs(1));
            let waited = self.shown.changed.wait_timeout(window, step);
            window = waited.expect("the reading thread does not panic").0;
        }
    }

    /// Changes the window's size.
    ///
    /// # Panics
    /// When the window is closed.
    pub fn resize(&self, cols: u16, rows: u16) {
        let master = self.master.as_ref().expect("the window is open");
        let mut window = self
            .shown
            .window
            .lock()
            .expect("the reading thread does not panic");
        window.terminal.resize(Size::new(cols, rows));
        rustix::termios::tcsetwinsize(master, winsize((cols, rows))).expect("a size");
    }

    /// Signals the program in the window.
    pub fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    /// Closes the window as its close button does: the program gets SIGHUP.
    pub fn close_window(&mut self) {
        self.slave = None;
        self.stop = None;
        self.master = None;
    }

    /// Waits for the program's end; gives its exit code, 128 + n for signal n. Everything it
    /// wrote is in the model then.
    ///
    /// # Panics
    /// When it does not end in time.
    #[track_caller]
    pub fn wait_end(&mut self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        let ended = poll(LIMIT, || self.child.try_wait().expect("our child"));
        let Some(status) = ended else {
            panic!(
                "the program in the window does not end; it shows:\n{}",
                self.text()
            );
        };
        self.wait_drained();
        status
            .code()
            .or_else(|| Some(128 + status.signal()?))
            .unwrap_or(-1)
    }

    /// Waits until everything the program wrote before its end was read: a mark written through the
    /// same tty comes behind it. No terminal shows it.
    fn wait_drained(&self) {
        const MARK: &[u8] = b"\x1b]7779;the program has ended\x07";
        let Some(slave) = &self.slave else { return };
        let Ok(written) = rustix::io::write(slave, MARK) else {
            return;
        };
        assert_eq!(written, MARK.len(), "the tty takes a few bytes");
        // Behind it may stand what is none of the program's: the echo of an answer that came late.
        let marked = |raw: &[u8]| raw.windows(MARK.len()).any(|part| part == MARK);
        let read = || self.with(|window| marked(&window.raw).then_some(()));
        assert!(
            poll(LIMIT, read).is_some(),
            "the window was not read to its end"
        );
    }

    /// The tty's line settings, as `stty -a` tells them; the window's size is not among them.
    ///
    /// # Panics
    /// When they cannot be read.
    #[must_use]
    #[track_caller]
    pub fn stty(&self) -> String {
        let output = Command::new("stty")
            .arg("-a")
            .arg("-F")
            .arg(&self.tty)
            .output();
        let output = output.expect("`stty` runs");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (size, rest) = text
            .split_once(';')
            .expect("`speed 38400 baud; rows 24; ...`");
        let without_size = rest
            .split(';')
            .filter(|f| !f.contains("rows") && !f.contains("columns"));
        format!("{size};{}", without_size.collect::<Vec<_>>().join(";"))
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        self.close_window();
        if poll(Duration::from_secs(10), || self.child.try_wait().ok()?).is_none() {
            let _killed = self.child.kill();
            let _reaped = self.child.wait();
        }
    }
}

/// Feeds the model with what the program writes and answers its queries.
fn read_all(master: Arc<OwnedFd>, stopped: &OwnedFd, shown: &Shown) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let mut ready = [
            PollFd::new(master.as_ref(), PollFlags::IN),
            PollFd::new(stopped, PollFlags::empty()),
        ];
        if rustix::event::poll(&mut ready, None).is_err() {
            continue;
        }
        if !ready[1].revents().is_empty() {
            break;
        }
        let Ok(count @ 1..) = rustix::io::read(master.as_ref(), &mut buffer) else {
            break;
        };
        let mut answers = Answers::default();
        if let Ok(mut window) = shown.window.lock() {
            window.raw.extend_from_slice(&buffer[..count]);
            window.terminal.advance(&buffer[..count], &mut answers);
        }
        shown.changed.notify_all();
        if !answers.0.is_empty() {
            write_all(&master, &answers.0);
        }
    }
    if let Ok(mut window) = shown.window.lock() {
        window.ended = true;
    }
    shown.changed.notify_all();
}
