//! A proven connection for a loop that polls: nothing in here waits.
//!
//! In: messages to send, and word that the socket is ready. Out: whole messages in the order the
//! host sent them. Promises: at most [`MAX_WAITING`] bytes wait for a host that does not read, and
//! a host that takes no byte for [`WRITE_LIMIT`] is given up; one call reads at most
//! [`CHUNK`] bytes, so what came can be used between two; after an error the connection is of no
//! more use.

use crate::connection::{CHUNK, Received, Receiver, WRITE_LIMIT, broken};
use crate::error::LinkError;
use protocol::{PaneId, ToHost};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Bytes that may wait for the host: some messages of the greatest length.
pub(crate) const MAX_WAITING: usize = 32 * 1024 * 1024;
/// A buffer greater than this is given back once it is empty.
const KEEP: usize = 256 * 1024;

/// See the module.
#[derive(Debug)]
pub struct Polled {
    receiver: Receiver,
    waiting: Vec<u8>,
    /// Bytes of `waiting` that the socket has taken.
    sent: usize,
    /// Bytes wait since then, or since the host last took some.
    since: Option<Instant>,
}

impl Polled {
    /// Takes over a connection's stream.
    pub(crate) fn new(receiver: Receiver) -> Result<Self, LinkError> {
        receiver
            .stream
            .set_nonblocking(true)
            .map_err(|e| broken(e, "setting up"))?;
        Ok(Self {
            receiver,
            waiting: Vec::new(),
            sent: 0,
            since: None,
        })
    }

    /// Sends as much as the socket takes and keeps the rest. Request 0 asks for no answer.
    ///
    /// # Errors
    /// [`LinkError`] when the stream fails, the message is too long or too much waits.
    pub fn put(&mut self, pane: PaneId, request: u32, message: &ToHost) -> Result<(), LinkError> {
        let first = !self.is_waiting();
        message.put(pane, request, &mut self.waiting)?;
        if first {
            return self.flush();
        }
        let waiting = self.waiting.len() - self.sent;
        if waiting > MAX_WAITING {
            return Err(LinkError::TakesNothing { waiting });
        }
        Ok(())
    }

    /// Something waits until the socket can be written to.
    #[must_use]
    pub const fn is_waiting(&self) -> bool {
        self.sent < self.waiting.len()
    }

    /// When a host that has taken nothing by then is given up by [`Polled::flush`].
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.since.map(|since| since + WRITE_LIMIT)
    }

    /// Sends what waits, as far as the socket takes it.
    ///
    /// # Errors
    /// [`LinkError::NoAnswer`] when the host has taken nothing for `WRITE_LIMIT`; others when the
    /// stream fails.
    pub fn flush(&mut self) -> Result<(), LinkError> {
        while let Some(rest @ [_, ..]) = self.waiting.get(self.sent..) {
            match (&self.receiver.stream).write(rest) {
                Ok(0) => return Err(LinkError::Closed),
                Ok(n) => {
                    self.sent += n;
                    self.since = None;
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return self.stuck(Instant::now()),
                Err(e) => return Err(broken(e, "sending")),
            }
        }
        self.sent = 0;
        self.waiting.clear();
        if self.waiting.capacity() > KEEP {
            self.waiting = Vec::new();
        }
        Ok(())
    }

    fn stuck(&mut self, now: Instant) -> Result<(), LinkError> {
        if now.duration_since(*self.since.get_or_insert(now)) >= WRITE_LIMIT {
            return Err(LinkError::NoAnswer { after: WRITE_LIMIT });
        }
        if self.sent >= CHUNK {
            self.waiting.drain(..self.sent);
            self.sent = 0;
        }
        Ok(())
    }

    /// Reads once, if there is something to read; whole messages come out of [`Polled::take`].
    ///
    /// # Errors
    /// [`LinkError::Closed`] at the end of the stream; others when it cannot be read.
    pub fn fill(&mut self) -> Result<(), LinkError> {
        let Receiver {
            stream,
            decoder,
            buffer,
            ..
        } = &mut self.receiver;
        match (&*stream).read(buffer) {
            Ok(0) => Err(LinkError::Closed),
            Ok(n) => {
                decoder.feed(&buffer[..n]);
                Ok(())
            }
            Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => Ok(()),
            Err(e) => Err(broken(e, "reading")),
        }
    }

    /// The next message that is here whole.
    ///
    /// # Errors
    /// [`LinkError::Malformed`].
    pub fn take(&mut self) -> Result<Option<Received>, LinkError> {
        match self.receiver.queued.pop_front() {
            Some(received) => Ok(Some(received)),
            None => self.receiver.take(),
        }
    }

    /// Sends what waits, for at most `limit`, and ends the connection.
    pub fn finish(self, limit: Duration) {
        let stream: &TcpStream = &self.receiver.stream;
        if self.is_waiting() {
            // A host that does not take it by then has been told as much as it wanted to know.
            let _sent = stream
                .set_nonblocking(false)
                .and_then(|()| stream.set_write_timeout(Some(limit)))
                .and_then(|()| (&mut &*stream).write_all(&self.waiting[self.sent..]));
        }
        // Already closed is what was wanted.
        drop(stream.shutdown(std::net::Shutdown::Both));
    }
}

#[cfg(unix)]
impl AsFd for Polled {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.receiver.stream.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Connection;
    use protocol::msg::{Bell, Welcome};
    use protocol::{Decoder, FromHost};
    use std::net::TcpListener;

    /// Both ends of a connection behind its handshake.
    fn pair() -> (Polled, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (host, _) = listener.accept().unwrap();
        let welcome = Welcome {
            instance: [0; 16],
            pid: 1,
            build: String::new(),
            connection: 1,
        };
        let connection = Connection::new(stream, welcome, Decoder::new()).unwrap();
        (connection.polled().unwrap(), host)
    }

    fn input(bytes: usize) -> ToHost {
        ToHost::Input(vec![b'x'; bytes])
    }

    /// Reads frames until `count` have come; their payloads' lengths.
    fn read(host: &mut TcpStream, count: usize) -> Vec<usize> {
        let (mut decoder, mut buffer) = (Decoder::new(), vec![0; CHUNK]);
        let mut lengths = Vec::new();
        while lengths.len() < count {
            let n = host.read(&mut buffer).unwrap();
            assert!(n > 0, "the end came early");
            decoder.feed(&buffer[..n]);
            while let Some(frame) = decoder.next_frame().unwrap() {
                lengths.push(frame.payload.len());
            }
        }
        lengths
    }

    #[test]
    fn a_host_that_does_not_read_is_not_waited_for_and_loses_nothing() {
        let (mut polled, mut host) = pair();
        let mut sent = Vec::new();
        while !polled.is_waiting() {
            polled.put(PaneId(1), 0, &input(1_000_000)).unwrap();
            sent.push(1_000_000);
        }
        assert!(polled.deadline().is_some());
        polled.put(PaneId(1), 0, &input(7)).unwrap();
        sent.push(7);
        let count = sent.len();
        let reader = std::thread::spawn(move || read(&mut host, count));
        while polled.is_waiting() {
            polled.flush().unwrap();
            std::thread::yield_now();
        }
        assert_eq!(polled.deadline(), None);
        assert_eq!(reader.join().unwrap(), sent);
    }

    #[test]
    fn what_waits_is_bounded_in_bytes_and_in_time() {
        let (mut polled, _host) = pair();
        let error = loop {
            if let Err(error) = polled.put(PaneId(1), 0, &input(1_000_000)) {
                break error;
            }
            assert!(polled.waiting.len() <= MAX_WAITING + 2_000_000);
        };
        assert!(matches!(error, LinkError::TakesNothing { waiting } if waiting > MAX_WAITING));
        let since = polled.since.unwrap();
        assert!(polled.stuck(since + WRITE_LIMIT / 2).is_ok());
        let error = polled.stuck(since + WRITE_LIMIT).unwrap_err();
        assert!(matches!(error, LinkError::NoAnswer { .. }));
    }

    #[test]
    fn what_waits_at_the_end_is_still_sent() {
        let (mut polled, mut host) = pair();
        let mut count = 0;
        while !polled.is_waiting() {
            polled.put(PaneId(1), 0, &input(1_000_000)).unwrap();
            count += 1;
        }
        let reader = std::thread::spawn(move || read(&mut host, count).len());
        polled.finish(Duration::from_secs(60));
        assert_eq!(reader.join().unwrap(), count);
    }

    #[test]
    fn messages_come_whole_and_the_end_is_told() {
        let (mut polled, mut host) = pair();
        polled.fill().unwrap();
        assert_eq!(polled.take().unwrap(), None, "nothing came");
        let mut bytes = Vec::new();
        FromHost::from(Bell {})
            .put(PaneId(3), 0, &mut bytes)
            .unwrap();
        host.write_all(&bytes[..5]).unwrap();
        let mut first = [0; 5];
        while polled.receiver.stream.peek(&mut first).is_err() {}
        polled.fill().unwrap();
        assert_eq!(polled.take().unwrap(), None, "half a message");
        host.write_all(&bytes[5..]).unwrap();
        drop(host);
        let end = loop {
            if let Err(error) = polled.fill() {
                break error;
            }
        };
        assert!(matches!(end, LinkError::Closed));
        assert_eq!(polled.take().unwrap().map(|got| got.pane), Some(PaneId(3)));
    }
}
