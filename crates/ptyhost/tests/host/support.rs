//! A real host in a folder of its own, and a client that speaks the protocol over a std socket.

use protocol::auth::Key;
use protocol::hello::{Hello, HostHello};
use protocol::msg::{Create, Created, Panes, split_offset};
use protocol::{Decoder, FromHost, PaneId, Role, ToHost, msg};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Nothing takes that long; a test that waits longer hangs.
pub(crate) const HANG: Duration = Duration::from_secs(60);

/// Looks again until there is something.
pub(crate) fn eventually<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    testkit::until_within(HANG, what, look)
}

/// A host process and its folder; ended when dropped.
pub(crate) struct Host {
    pub(crate) child: Child,
    pub(crate) state: PathBuf,
    _temp: Option<tempfile::TempDir>,
}

impl Host {
    pub(crate) fn start(options: &[&str]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let state = temp.path().join("state");
        let mut host = Self::start_in(state, options);
        host._temp = Some(temp);
        host
    }

    pub(crate) fn start_in(state: PathBuf, options: &[&str]) -> Self {
        let mut host = Self {
            child: spawn(&state, options),
            state,
            _temp: None,
        };
        let mine = format!("\"pid\":{},", host.child.id());
        eventually("a host.json of this host", || {
            assert_eq!(host.child.try_wait().unwrap(), None, "{}", host.log());
            host.endpoint().filter(|text| text.contains(&mine))
        });
        host
    }

    pub(crate) fn endpoint(&self) -> Option<String> {
        std::fs::read_to_string(self.state.join("host.json")).ok()
    }

    pub(crate) fn port(&self) -> u16 {
        let text = self.endpoint().unwrap();
        let rest = text.split("\"port\":").nth(1).unwrap();
        rest.split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap()
            .parse()
            .unwrap()
    }

    pub(crate) fn token(&self) -> Key {
        Key::from_hex(&std::fs::read_to_string(self.state.join("token")).unwrap()).unwrap()
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.state.join("host.log")).unwrap_or_default()
    }

    /// A bare connection that gives up after [`HANG`].
    pub(crate) fn dial(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    pub(crate) fn connect(&self, role: Role) -> Conn {
        let token = self.token();
        Conn::prove(self.dial(), role, 0, protocol::VERSIONS, &token).expect("an honest client")
    }

    pub(crate) fn wait_exit(&mut self) -> ExitStatus {
        eventually("the host's end", || self.child.try_wait().unwrap())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(id) = sys::process::Identity::of(self.child.id().cast_signed())
            && self.child.try_wait().unwrap().is_none()
        {
            id.signal(sys::process::Signal::TERM).ok();
            if !id.wait_gone(Duration::from_secs(20)) {
                self.child.kill().ok();
            }
            self.child.wait().ok();
        }
        if std::thread::panicking() {
            eprintln!("--- host.log\n{}", self.log());
        }
    }
}

/// Starts the program; it may refuse.
pub(crate) fn spawn(state: &std::path::Path, options: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_abide-ptyhost"))
        .arg(state)
        .args(options)
        .stdin(Stdio::null())
        .spawn()
        .unwrap()
}

/// A connection after the handshake.
pub(crate) struct Conn {
    stream: TcpStream,
    decoder: Decoder,
    last_request: u32,
    /// What came while something else was waited for.
    pub(crate) seen: Vec<(PaneId, FromHost)>,
}

impl Conn {
    /// Plays the client's side; `None`: the host closed, or had no version in common.
    pub(crate) fn prove(
        mut stream: TcpStream,
        role: Role,
        key_id: u32,
        versions: (u16, u16),
        key: &Key,
    ) -> Option<Self> {
        let hello = Hello {
            versions,
            role,
            key_id,
            nonce: rand::random(),
        }
        .encode();
        stream.write_all(&hello).ok()?;
        let mut answer = Vec::new();
        let said = loop {
            if let Some((said, total)) = HostHello::decode(&answer).unwrap() {
                assert_eq!(
                    total,
                    answer.len(),
                    "nothing more before the client's proof"
                );
                break said;
            }
            let mut byte = [0];
            stream.read_exact(&mut byte).ok()?;
            answer.push(byte[0]);
        };
        said.version?;
        stream
            .write_all(key.prove_client(&hello, &answer).as_bytes())
            .ok()?;
        let mut conn = Self {
            stream,
            decoder: Decoder::new(),
            last_request: 0,
            seen: Vec::new(),
        };
        match conn.next()? {
            (PaneId::NONE, 0, FromHost::Welcome(_)) => Some(conn),
            other => panic!("the first frame is no welcome: {other:?}"),
        }
    }

    /// The bare connection; what was decoded is lost.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.stream
    }

    /// Bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, pane: PaneId, request: u32, message: impl Into<ToHost>) {
        let mut bytes = Vec::new();
        message.into().put(pane, request, &mut bytes).unwrap();
        self.raw(&bytes);
    }

    /// The next frame; `None`: closed.
    pub(crate) fn next(&mut self) -> Option<(PaneId, u32, FromHost)> {
        loop {
            if let Some(frame) = self.decoder.next_frame().unwrap() {
                let (pane, request) = (frame.pane, frame.request);
                return Some((pane, request, FromHost::decode(frame).unwrap().unwrap()));
            }
            let mut chunk = [0; 16 * 1024];
            match self.stream.read(&mut chunk) {
                Ok(0) => return None,
                Ok(n) => self.decoder.feed(&chunk[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(e) => panic!("nothing came: {e}"),
            }
        }
    }

    /// The answer to `message`; events meanwhile go to [`Conn::seen`].
    pub(crate) fn ask(&mut self, pane: PaneId, message: impl Into<ToHost>) -> FromHost {
        self.last_request += 1;
        let mine = self.last_request;
        self.send(pane, mine, message);
        loop {
            let (pane, request, message) = self.next().expect("an answer, not the end");
            if request == mine {
                return message;
            }
            self.seen.push((pane, message));
        }
    }

    /// The first event that `pick` takes, of those seen and those to come.
    pub(crate) fn event<T>(&mut self, mut pick: impl FnMut(PaneId, &FromHost) -> Option<T>) -> T {
        while !self.seen.is_empty() {
            let (pane, message) = self.seen.remove(0);
            if let Some(found) = pick(pane, &message) {
                return found;
            }
        }
        loop {
            let (pane, _, message) = self.next().expect("an event, not the end");
            if let Some(found) = pick(pane, &message) {
                return found;
            }
        }
    }

    pub(crate) fn done(&mut self, pane: PaneId, message: impl Into<ToHost>) {
        let answer = self.ask(pane, message);
        assert!(matches!(answer, FromHost::Done(_)), "{answer:?}");
    }

    /// Starts `argv` in a new pane.
    pub(crate) fn create(&mut self, argv: &[&str]) -> PaneId {
        match self.ask(PaneId::NONE, create(argv)) {
            FromHost::Created(Created { pane, .. }) => PaneId(pane),
            other => panic!("not created: {other:?}"),
        }
    }

    /// Waits for the pane's end and gives the raw status. The connection must get events.
    pub(crate) fn exit_of(&mut self, pane: PaneId) -> i32 {
        self.event(|id, message| match message {
            FromHost::PaneExited(exited) if id == pane => Some(exited.raw_status),
            _ => None,
        })
    }

    pub(crate) fn list(&mut self) -> Panes {
        match self.ask(PaneId::NONE, msg::List {}) {
            FromHost::Panes(panes) => panes,
            other => panic!("no list: {other:?}"),
        }
    }

    /// The pane's whole text, scrollback first.
    pub(crate) fn text(&mut self, pane: PaneId) -> String {
        let snapshot = match self.ask(pane, msg::GetSnapshot {}) {
            FromHost::Snapshot(payload) => payload,
            other => panic!("no snapshot: {other:?}"),
        };
        let (_, body) = split_offset(&snapshot).unwrap();
        let snapshot = term::codec::decode_snapshot(body).unwrap();
        term::Terminal::from_snapshot(&snapshot, &term::Options::default()).text()
    }

    /// Looks at the pane's screen until it holds `text`.
    pub(crate) fn until_text(&mut self, pane: PaneId, text: &str) -> String {
        eventually(text, || {
            Some(self.text(pane)).filter(|screen| screen.contains(text))
        })
    }

    /// Whether the host has closed without another byte.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.next().is_none()
    }
}

/// A request to start `argv` in `/` with a plain environment.
pub(crate) fn create(argv: &[&str]) -> Create {
    let bytes = |text: &str| text.as_bytes().to_vec();
    Create {
        id: None,
        argv: argv.iter().map(|arg| bytes(arg)).collect(),
        cwd: bytes("/"),
        env: Some(vec![
            (bytes("PATH"), bytes("/usr/local/bin:/usr/bin:/bin")),
            (bytes("HOME"), bytes("/")),
        ]),
        set_env: Vec::new(),
        cols: 80,
        rows: 24,
        notes: Vec::new(),
        seed: None,
    }
}
