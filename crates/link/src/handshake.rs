//! The client's half of the handshake, on a blocking stream with a deadline.
//!
//! In: a connected stream, a role, the key. Out: the host's welcome and a decoder that holds what
//! came behind it. Promises: the host's proof is checked before anything else of its answer is
//! believed and before this side proves anything; no step waits past the deadline.

use crate::error::LinkError;
use protocol::auth::Key;
use protocol::hello::{Hello, HostHello, MAX_HELLO};
use protocol::msg::Welcome;
use protocol::{Decoder, FromHost, Role};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How the handshake failed; the caller knows the port and the files and words it.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Nothing came in time.
    Silent,
    /// The peer hung up.
    Closed,
    /// Not our protocol.
    NotAbide,
    /// The proof is wrong.
    WrongToken,
    /// No version in common; the host's range.
    Versions((u16, u16)),
    /// Anything else.
    Other(LinkError),
}

/// Who says hello.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who<'a> {
    /// The role asked for.
    pub(crate) role: Role,
    /// Which key: 0 the token, else a pane's.
    pub(crate) key_id: u32,
    /// That key.
    pub(crate) key: &'a Key,
}

/// A stream whose reads and writes end at one moment.
struct Timed<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl Timed<'_> {
    fn left(&self) -> Result<Duration, Refusal> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(Refusal::Silent)
        } else {
            Ok(left)
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let left = self.left()?;
        self.stream
            .set_write_timeout(Some(left))
            .and_then(|()| self.stream.write_all(bytes))
            .map_err(|e| refusal(e, "saying hello"))
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Refusal> {
        let left = self.left()?;
        self.stream
            .set_read_timeout(Some(left))
            .map_err(|e| refusal(e, "saying hello"))?;
        match self.stream.read(buffer) {
            Ok(0) => Err(Refusal::Closed),
            Ok(n) => Ok(n),
            Err(e) if e.kind() == ErrorKind::Interrupted => Ok(0),
            Err(e) => Err(refusal(e, "reading its hello")),
        }
    }
}

fn refusal(error: std::io::Error, doing: &'static str) -> Refusal {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Refusal::Silent,
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted => {
            Refusal::Closed
        }
        _ => Refusal::Other(LinkError::Io {
            doing,
            source: error,
        }),
    }
}

/// Says hello, checks the host's proof, proves, and reads the welcome.
pub(crate) fn shake_hands(
    stream: &TcpStream,
    who: Who<'_>,
    versions: (u16, u16),
    until: Instant,
) -> Result<(Welcome, Decoder), Refusal> {
    let mut timed = Timed { stream, until };
    let hello = Hello {
        versions,
        role: who.role,
        key_id: who.key_id,
        nonce: rand::random(),
    }
    .encode();
    timed.write(&hello)?;
    let (answer, rest) = read_answer(&mut timed)?;
    let (host, _) = HostHello::decode(&answer)
        .map_err(|_| Refusal::NotAbide)?
        .ok_or(Refusal::Closed)?;
    if !host.is_proven(&hello, &answer, who.key) {
        return Err(Refusal::WrongToken);
    }
    if host.version.is_none() {
        return Err(Refusal::Versions(host.versions));
    }
    timed.write(who.key.prove_client(&hello, &answer).as_bytes())?;
    read_welcome(&mut timed, &rest)
}

/// The host's whole answer, and what came behind it.
fn read_answer(timed: &mut Timed<'_>) -> Result<(Vec<u8>, Vec<u8>), Refusal> {
    let mut seen = Vec::new();
    let mut buffer = [0; MAX_HELLO];
    loop {
        let n = timed.read(&mut buffer)?;
        seen.extend_from_slice(&buffer[..n]);
        if let Some((_, total)) = HostHello::decode(&seen).map_err(|_| Refusal::NotAbide)? {
            let rest = seen.split_off(total);
            return Ok((seen, rest));
        }
    }
}

fn read_welcome(timed: &mut Timed<'_>, rest: &[u8]) -> Result<(Welcome, Decoder), Refusal> {
    let mut decoder = Decoder::new();
    decoder.feed(rest);
    let mut buffer = [0; 4096];
    let malformed = |text: String| Refusal::Other(LinkError::Malformed(text));
    loop {
        if let Some(frame) = decoder.next_frame().map_err(|e| malformed(e.to_string()))? {
            return match FromHost::decode(frame).map_err(|e| malformed(e.to_string()))? {
                Some(FromHost::Welcome(welcome)) => Ok((welcome, decoder)),
                _ => Err(malformed("no welcome".to_owned())),
            };
        }
        let n = timed.read(&mut buffer)?;
        decoder.feed(&buffer[..n]);
    }
}
