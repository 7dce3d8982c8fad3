//! A raw peer of the host: the protocol crate over a plain socket, nothing of the client library.
//!
//! Promises: what the host sends is kept in order; every wait has a limit. It does what it is told,
//! also what no honest client would do.

pub use crate::knock::{Caller, address, hello, read_to_close, socket, token};

use crate::home::Home;
use crate::wait::LIMIT;
use protocol::hello::HostHello;
use protocol::msg::{Claim, ClaimPane, Create, Failed, GetPage, List, PaneFacts, Welcome};
use protocol::{Decoder, FromHost, PaneId, Role, ToHost, VERSIONS};
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

/// Something the host sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The frame's pane.
    pub pane: PaneId,
    /// The request it answers; 0: none.
    pub request: u32,
    /// What was said.
    pub message: FromHost,
}

/// A raw connection that has been welcomed.
pub struct Wire {
    stream: TcpStream,
    decoder: Decoder,
    kept: VecDeque<Said>,
    last_request: u32,
    /// What the host welcomed us with.
    pub welcome: Welcome,
}

impl Wire {
    /// Connects with the token.
    ///
    /// # Panics
    /// When the host refuses.
    #[must_use]
    #[track_caller]
    pub fn connect(home: &Home, role: Role) -> Self {
        Self::connect_as(
            home,
            &Caller {
                role,
                versions: VERSIONS,
                key_id: 0,
                key: token(home),
            },
        )
    }

    /// Connects with any key.
    ///
    /// # Panics
    /// When the host refuses.
    #[must_use]
    #[track_caller]
    pub fn connect_as(home: &Home, caller: &Caller) -> Self {
        let mut stream = socket(home);
        let (said, answer) = hello(&mut stream, caller);
        let (host, length) = HostHello::decode(&answer)
            .expect("an answer")
            .expect("whole");
        assert!(
            host.is_proven(&said, &answer, &caller.key),
            "the host proves itself first"
        );
        assert_eq!(length, answer.len(), "nothing may follow before our proof");
        let proof = caller.key.prove_client(&said, &answer);
        stream.write_all(proof.as_bytes()).expect("the host reads");
        let nobody = Welcome {
            instance: [0; 16],
            pid: 0,
            build: String::new(),
            connection: 0,
        };
        let (decoder, kept) = (Decoder::new(), VecDeque::new());
        let mut wire = Self {
            stream,
            decoder,
            kept,
            last_request: 0,
            welcome: nobody,
        };
        let Some(Said {
            message: FromHost::Welcome(welcome),
            ..
        }) = wire.next(LIMIT)
        else {
            panic!("the host did not welcome a {:?}", caller.role);
        };
        wire.welcome = welcome;
        wire
    }

    /// Sends without wanting an answer.
    ///
    /// # Panics
    /// When the host is gone.
    #[track_caller]
    pub fn send(&mut self, pane: PaneId, message: impl Into<ToHost>) {
        let mut bytes = Vec::new();
        message
            .into()
            .put(pane, 0, &mut bytes)
            .expect("within the limit");
        self.send_raw(&bytes);
    }

    /// Sends bytes as they are.
    ///
    /// # Panics
    /// When the host is gone.
    #[track_caller]
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the host reads");
    }

    /// Sends and waits for the answer; what else comes meanwhile is kept for [`Wire::next`].
    ///
    /// # Panics
    /// When there is no answer.
    #[track_caller]
    pub fn ask(&mut self, pane: PaneId, message: impl Into<ToHost>) -> FromHost {
        let request = self.send_request(pane, message);
        self.answer_to(request)
    }

    /// Sends a request and gives its id.
    ///
    /// # Panics
    /// When the host is gone.
    #[track_caller]
    pub fn send_request(&mut self, pane: PaneId, message: impl Into<ToHost>) -> u32 {
        self.last_request += 1;
        let mut bytes = Vec::new();
        message
            .into()
            .put(pane, self.last_request, &mut bytes)
            .expect("within the limit");
        self.send_raw(&bytes);
        self.last_request
    }

    /// Waits for the answer to a request.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn answer_to(&mut self, request: u32) -> FromHost {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(at) = self.kept.iter().position(|s| s.request == request) {
                return self.kept.remove(at).expect("just found").message;
            }
            let left = end.saturating_duration_since(Instant::now());
            let said = self.receive(left);
            self.kept
                .push_back(said.expect("the host answers every request"));
        }
    }

    /// Asks for something that must be done.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn must(&mut self, pane: PaneId, message: impl Into<ToHost>) {
        let answer = self.ask(pane, message);
        assert!(matches!(answer, FromHost::Done(_)), "{answer:?}");
    }

    /// Asks for something that must be refused; gives the refusal.
    ///
    /// # Panics
    /// When it is done all the same.
    #[track_caller]
    pub fn refused(&mut self, pane: PaneId, message: impl Into<ToHost>) -> Failed {
        match self.ask(pane, message) {
            FromHost::Failed(failed) => failed,
            answer => panic!("not refused: {answer:?}"),
        }
    }

    /// What comes next; `None` when nothing does in time or the host has closed.
    pub fn next(&mut self, limit: Duration) -> Option<Said> {
        self.kept.pop_front().or_else(|| self.receive(limit))
    }

    /// The next message that `pick` takes; others before it are dropped.
    ///
    /// # Panics
    /// When none comes.
    #[track_caller]
    pub fn expect<T>(&mut self, what: &str, mut pick: impl FnMut(&Said) -> Option<T>) -> T {
        let end = Instant::now() + LIMIT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Some(said) = self.next(left) else {
                panic!("the host never sent {what}")
            };
            if let Some(found) = pick(&said) {
                return found;
            }
        }
    }

    /// Whether the host has closed the connection, waiting for it for a while.
    pub fn closed(&mut self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut piece = [0; 4096];
        while Instant::now() < end {
            let left = end
                .saturating_duration_since(Instant::now())
                .max(Duration::from_millis(1));
            self.stream
                .set_read_timeout(Some(left))
                .expect("a socket option");
            match self.stream.read(&mut piece) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() == ErrorKind::ConnectionReset,
            }
        }
        false
    }

    fn receive(&mut self, limit: Duration) -> Option<Said> {
        let end = Instant::now() + limit;
        loop {
            if let Some(frame) = self.decoder.next_frame().expect("the host sends frames") {
                let (pane, request) = (frame.pane, frame.request);
                let message = FromHost::decode(frame).expect("a sound message");
                let Some(message) = message else { continue };
                return Some(Said {
                    pane,
                    request,
                    message,
                });
            }
            let left = end
                .saturating_duration_since(Instant::now())
                .max(Duration::from_millis(1));
            self.stream
                .set_read_timeout(Some(left))
                .expect("a socket option");
            let mut piece = [0; 64 * 1024];
            match self.stream.read(&mut piece) {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.decoder.feed(&piece[..count]),
            }
        }
    }

    /// Creates a pane that runs `argv`.
    ///
    /// # Panics
    /// When the host does not.
    #[track_caller]
    pub fn create<S: AsRef<OsStr>>(
        &mut self,
        home: &Home,
        argv: impl IntoIterator<Item = S>,
    ) -> PaneId {
        let message = create(home, argv);
        match self.ask(PaneId::NONE, message) {
            FromHost::Created(created) => PaneId(created.pane),
            answer => panic!("no pane: {answer:?}"),
        }
    }

    /// Creates a pane that runs a shell script.
    ///
    /// # Panics
    /// When the host does not.
    #[track_caller]
    pub fn script(&mut self, home: &Home, script: &str) -> PaneId {
        self.create(home, ["bash", "--norc", "-c", script])
    }

    /// What the host knows of every pane.
    ///
    /// # Panics
    /// When it does not say.
    #[track_caller]
    pub fn list(&mut self) -> Vec<PaneFacts> {
        match self.ask(PaneId::NONE, List {}) {
            FromHost::Panes(panes) => panes.panes,
            answer => panic!("no list: {answer:?}"),
        }
    }

    /// What the host knows of one pane.
    ///
    /// # Panics
    /// When there is no such pane.
    #[track_caller]
    pub fn facts(&mut self, pane: PaneId) -> PaneFacts {
        let found = self.list().into_iter().find(|p| p.pane == pane.0);
        found.unwrap_or_else(|| panic!("the host does not list {pane}"))
    }

    /// Claims one pane at a size, shown.
    ///
    /// # Panics
    /// When the host refuses.
    #[track_caller]
    pub fn claim(&mut self, pane: PaneId, (cols, rows): (u16, u16)) {
        let entry = ClaimPane {
            pane: pane.0,
            cols,
            rows,
            shown: true,
        };
        self.must(PaneId::NONE, Claim { panes: vec![entry] });
    }

    /// Types into a pane and waits until the host has taken it.
    ///
    /// # Panics
    /// When it does not.
    #[track_caller]
    pub fn input(&mut self, pane: PaneId, bytes: impl Into<Vec<u8>>) {
        self.must(pane, ToHost::Input(bytes.into()));
    }

    /// A page of scrollback.
    ///
    /// # Panics
    /// When the host sends none.
    #[track_caller]
    pub fn page(&mut self, pane: PaneId, from: u64, count: u32) -> term::Page {
        match self.ask(pane, GetPage { from, count }) {
            FromHost::Page(bytes) => term::codec::decode_page(&bytes).expect("a sound page"),
            answer => panic!("no page: {answer:?}"),
        }
    }
}

/// The request that [`Wire::create`] sends, for tests that change a part of it.
#[must_use]
pub fn create<S: AsRef<OsStr>>(home: &Home, argv: impl IntoIterator<Item = S>) -> Create {
    let bytes = |text: &OsStr| text.as_bytes().to_vec();
    Create {
        id: None,
        argv: argv.into_iter().map(|a| bytes(a.as_ref())).collect(),
        cwd: bytes(home.work().as_os_str()),
        env: Some(
            home.env()
                .iter()
                .map(|(n, v)| (bytes(n), bytes(v)))
                .collect(),
        ),
        set_env: Vec::new(),
        cols: 0,
        rows: 0,
        notes: Vec::new(),
        seed: None,
    }
}
