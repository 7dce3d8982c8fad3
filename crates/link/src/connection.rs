//! A proven connection: requests, messages, events; blocking, with time limits.
//!
//! In: messages to send. Out: answers and events in the order the host sent them. Promises: events
//! that come while an answer is waited for are kept (at most 65,536) and come out of
//! [`Connection::next`] afterwards; after an error of the stream the connection is of no more use.

use crate::error::LinkError;
use crate::polled::Polled;
use protocol::msg::{Failed, UNSUPPORTED, Welcome};
use protocol::{Decoder, FromHost, PaneId, ToHost};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Most messages kept while an answer is waited for; output among them is bounded by credit.
pub(crate) const MAX_QUEUED: usize = 65_536;
/// A host that takes no bytes for so long is silent; loopback buffers hold megabytes before.
pub(crate) const WRITE_LIMIT: Duration = Duration::from_secs(10);
/// Bytes read at once.
pub(crate) const CHUNK: usize = 64 * 1024;

/// One message as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The pane it concerns, or [`PaneId::NONE`].
    pub pane: PaneId,
    /// The request it answers; 0: an event.
    pub request: u32,
    /// The message.
    pub message: FromHost,
}

/// The writing half.
#[derive(Debug)]
pub struct Sender {
    stream: TcpStream,
    next_request: u32,
    buffer: Vec<u8>,
}

/// The reading half.
#[derive(Debug)]
pub struct Receiver {
    pub(crate) stream: TcpStream,
    pub(crate) decoder: Decoder,
    pub(crate) queued: VecDeque<Received>,
    pub(crate) buffer: Vec<u8>,
}

/// Both halves and what the host said first.
#[derive(Debug)]
pub struct Connection {
    sender: Sender,
    receiver: Receiver,
    welcome: Welcome,
}

impl Sender {
    /// Sends without asking for an answer.
    ///
    /// # Errors
    /// [`LinkError`] when the stream fails or the message is too long.
    pub fn send(&mut self, pane: PaneId, message: impl Into<ToHost>) -> Result<(), LinkError> {
        self.put(pane, 0, &message.into())
    }

    /// Sends and gives the request id the answer will carry.
    ///
    /// # Errors
    /// As [`Sender::send`].
    pub fn ask(&mut self, pane: PaneId, message: impl Into<ToHost>) -> Result<u32, LinkError> {
        self.next_request = self.next_request.checked_add(1).unwrap_or(1);
        self.put(pane, self.next_request, &message.into())?;
        Ok(self.next_request)
    }

    /// Sends with a request id of the caller's choice; 0 asks for no answer. Not to be mixed with
    /// [`Sender::ask`] on one connection.
    ///
    /// # Errors
    /// As [`Sender::send`].
    pub fn put(&mut self, pane: PaneId, request: u32, message: &ToHost) -> Result<(), LinkError> {
        self.buffer.clear();
        message.put(pane, request, &mut self.buffer)?;
        self.stream
            .write_all(&self.buffer)
            .map_err(|e| match e.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                    LinkError::NoAnswer { after: WRITE_LIMIT }
                }
                _ => broken(e, "sending"),
            })
    }

    /// Ends both halves; a [`Receiver`] blocked in another thread wakes with
    /// [`LinkError::Closed`].
    pub fn close(&self) {
        // Already closed is what was wanted.
        drop(self.stream.shutdown(std::net::Shutdown::Both));
    }
}

impl Receiver {
    /// The next message; `Ok(None)` when none came in time. `None` as limit waits for ever.
    ///
    /// # Errors
    /// [`LinkError::Closed`] at the end of the stream; others when it cannot be read.
    pub fn receive(&mut self, limit: Option<Duration>) -> Result<Option<Received>, LinkError> {
        match self.queued.pop_front() {
            Some(received) => Ok(Some(received)),
            None => self.receive_new(limit),
        }
    }

    /// As [`Receiver::receive`], past what is queued.
    fn receive_new(&mut self, limit: Option<Duration>) -> Result<Option<Received>, LinkError> {
        let until = limit.map(|limit| Instant::now() + limit);
        loop {
            if let Some(received) = self.take()? {
                return Ok(Some(received));
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) && limit != Some(Duration::ZERO) {
                return Ok(None);
            }
            if !self.fill(left)? {
                return Ok(None);
            }
        }
    }

    /// The next message that is already here whole.
    pub(crate) fn take(&mut self) -> Result<Option<Received>, LinkError> {
        while let Some(frame) = self.decoder.next_frame().map_err(malformed)? {
            let (pane, request) = (frame.pane, frame.request);
            match FromHost::decode(frame).map_err(malformed)? {
                Some(message) => {
                    return Ok(Some(Received {
                        pane,
                        request,
                        message,
                    }));
                }
                None if request != 0 => {
                    let text = "the host's answer is newer than this build".to_owned();
                    let message = Failed {
                        code: UNSUPPORTED,
                        text,
                    }
                    .into();
                    return Ok(Some(Received {
                        pane,
                        request,
                        message,
                    }));
                }
                None => {}
            }
        }
        Ok(None)
    }

    /// Reads once; `false` when nothing came in time.
    fn fill(&mut self, limit: Option<Duration>) -> Result<bool, LinkError> {
        // A zero limit means "look": the system takes no zero, so it becomes its shortest wait.
        let limit = limit.map(|limit| limit.max(Duration::from_millis(1)));
        self.stream
            .set_read_timeout(limit)
            .map_err(|e| broken(e, "waiting"))?;
        match self.stream.read(&mut self.buffer) {
            Ok(0) => Err(LinkError::Closed),
            Ok(n) => {
                self.decoder.feed(&self.buffer[..n]);
                Ok(true)
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => Ok(true),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(false),
            Err(e) => Err(broken(e, "reading")),
        }
    }
}

fn malformed(error: impl std::fmt::Display) -> LinkError {
    LinkError::Malformed(error.to_string())
}

pub(crate) fn broken(source: std::io::Error, doing: &'static str) -> LinkError {
    match source.kind() {
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted => {
            LinkError::Closed
        }
        _ => LinkError::Io { doing, source },
    }
}

impl Connection {
    /// Takes over a stream behind the handshake.
    pub(crate) fn new(
        stream: TcpStream,
        welcome: Welcome,
        decoder: Decoder,
    ) -> Result<Self, LinkError> {
        let doing = "setting up";
        stream.set_nodelay(true).map_err(|e| broken(e, doing))?;
        stream
            .set_write_timeout(Some(WRITE_LIMIT))
            .map_err(|e| broken(e, doing))?;
        let writer = stream.try_clone().map_err(|e| broken(e, doing))?;
        Ok(Self {
            sender: Sender {
                stream: writer,
                next_request: 0,
                buffer: Vec::new(),
            },
            receiver: Receiver {
                stream,
                decoder,
                queued: VecDeque::new(),
                buffer: vec![0; CHUNK],
            },
            welcome,
        })
    }

    /// What the host said first.
    #[must_use]
    pub const fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// Sends without asking for an answer.
    ///
    /// # Errors
    /// As [`Sender::send`].
    pub fn send(&mut self, pane: PaneId, message: impl Into<ToHost>) -> Result<(), LinkError> {
        self.sender.send(pane, message)
    }

    /// Sends and waits for the answer; events that come first are kept for [`Connection::next`].
    ///
    /// # Errors
    /// [`LinkError::Refused`] when the host answers `Failed`; [`LinkError::NoAnswer`] after
    /// `limit`; others when the stream fails.
    pub fn request(
        &mut self,
        pane: PaneId,
        message: impl Into<ToHost>,
        limit: Duration,
    ) -> Result<FromHost, LinkError> {
        let request = self.sender.ask(pane, message)?;
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Some(received) = self.receiver.receive_new(Some(left))? else {
                return Err(LinkError::NoAnswer { after: limit });
            };
            if received.request == request {
                return match received.message {
                    FromHost::Failed(Failed { code, text }) => {
                        Err(LinkError::Refused { code, text })
                    }
                    message => Ok(message),
                };
            }
            if self.receiver.queued.len() >= MAX_QUEUED {
                return Err(LinkError::Flooded(MAX_QUEUED));
            }
            self.receiver.queued.push_back(received);
        }
    }

    /// The next message that answers no request of [`Connection::request`]; `Ok(None)` when none
    /// came within `limit`.
    ///
    /// # Errors
    /// As [`Receiver::receive`].
    pub fn next(&mut self, limit: Duration) -> Result<Option<(PaneId, FromHost)>, LinkError> {
        let received = self.receiver.receive(Some(limit))?;
        Ok(received.map(|received| (received.pane, received.message)))
    }

    /// Both halves, for a thread of its own on each.
    #[must_use]
    pub fn split(self) -> (Sender, Receiver) {
        (self.sender, self.receiver)
    }

    /// The connection for a loop that polls it and must never wait.
    ///
    /// # Errors
    /// The system refuses to make the socket so.
    pub fn polled(self) -> Result<Polled, LinkError> {
        Polled::new(self.receiver)
    }
}
