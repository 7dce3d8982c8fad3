//! As much of D-Bus as one method call takes: find the socket, prove who we are, call, read the answer.
//!
//! In: a bus's address, a call with its arguments. Out: that it was taken, or why not. Promises: everything
//! ends at the given moment; what the bus sends is bounded and never trusted to be well formed. Only
//! sockets of this machine are understood, as session buses are. After the D-Bus specification 0.43.

mod address;
mod wire;

pub(crate) use wire::Body;

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use wire::Answer;

/// Longest line while proving who we are.
const MAX_LINE: usize = 512;

/// Why a call was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BusError {
    /// Its address names no socket that is understood.
    #[error("its address is not that of a socket on this machine")]
    Address,
    /// The bus does not let us in.
    #[error("it refuses this user")]
    Rejected,
    /// The call was answered with an error.
    #[error("it answers {name}")]
    Refused {
        /// The error's name.
        name: String,
    },
    /// What came is no D-Bus.
    #[error("it does not answer as a bus does")]
    Malformed,
    /// The system says this.
    #[error("{}", sys::files::plain(.0))]
    System(#[from] io::Error),
}

/// What to call.
pub(crate) struct Call {
    /// Name of the service.
    pub(crate) to: &'static str,
    /// Its object.
    pub(crate) path: &'static str,
    /// Interface of the method.
    pub(crate) interface: &'static str,
    /// The method.
    pub(crate) member: &'static str,
    /// Types of its arguments; empty without any.
    pub(crate) signature: &'static str,
}

const HELLO: Call = Call {
    to: "org.freedesktop.DBus",
    path: "/org/freedesktop/DBus",
    interface: "org.freedesktop.DBus",
    member: "Hello",
    signature: "",
};

/// A connection to a bus.
pub(crate) struct Bus {
    stream: UnixStream,
    serial: u32,
}

impl Bus {
    /// Connects to the first of the address's sockets that can be, as user `uid`.
    pub(crate) fn connect(address: &str, uid: u32, until: Instant) -> Result<Self, BusError> {
        let mut stream = address::open(address)?;
        stream.set_write_timeout(Some(left(until)?))?;
        let who: String = uid
            .to_string()
            .bytes()
            .map(|b| format!("{b:02x}"))
            .collect();
        stream.write_all(format!("\0AUTH EXTERNAL {who}\r\n").as_bytes())?;
        if !line(&mut stream, until)?.starts_with(b"OK ") {
            return Err(BusError::Rejected);
        }
        stream.write_all(b"BEGIN\r\n")?;
        let mut bus = Self { stream, serial: 0 };
        bus.call(&HELLO, Body::default(), until)?;
        Ok(bus)
    }

    /// Calls and waits for the answer, whose content is of no interest.
    pub(crate) fn call(&mut self, call: &Call, body: Body, until: Instant) -> Result<(), BusError> {
        self.serial += 1;
        self.stream
            .write_all(&wire::message(call, self.serial, body))?;
        loop {
            match self.answer(until)? {
                Answer { to, error } if to == Some(self.serial) => {
                    return error.map_or(Ok(()), |name| Err(BusError::Refused { name }));
                }
                // Signals, answers to what nobody asked.
                _ => {}
            }
        }
    }

    fn answer(&mut self, until: Instant) -> Result<Answer, BusError> {
        let mut fixed = [0; wire::FIXED];
        fill(&mut self.stream, &mut fixed, until)?;
        let rest = wire::rest(&fixed).ok_or(BusError::Malformed)?;
        let mut bytes = fixed.to_vec();
        bytes.resize(wire::FIXED + rest, 0);
        fill(&mut self.stream, &mut bytes[wire::FIXED..], until)?;
        wire::answer(&bytes).ok_or(BusError::Malformed)
    }
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    let late = || io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time");
    (!left.is_zero()).then_some(left).ok_or_else(late)
}

/// Reads so many bytes, whatever pieces they come in.
fn fill(stream: &mut UnixStream, bytes: &mut [u8], until: Instant) -> io::Result<()> {
    let mut have = 0;
    while have < bytes.len() {
        stream.set_read_timeout(Some(left(until)?))?;
        match stream.read(&mut bytes[have..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => have += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {} // `left` says it
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// One line, byte by byte: what follows it is another's to read.
fn line(stream: &mut UnixStream, until: Instant) -> Result<Vec<u8>, BusError> {
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        if line.len() >= MAX_LINE {
            return Err(BusError::Malformed);
        }
        let mut byte = [0];
        fill(stream, &mut byte, until)?;
        line.push(byte[0]);
    }
    Ok(line)
}

#[cfg(test)]
mod tests;
