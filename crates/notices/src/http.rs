//! One POST over plain HTTP: connect, write, read the status line.
//!
//! Promises: everything together ends at the given moment; of the answer no more than a line is read; a
//! redirect is an answer like any other and is not followed.

use crate::Url;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// Longest status line.
const MAX_LINE: usize = 1024;

/// The status it was answered with.
pub(crate) fn post(url: &Url, body: &str, until: Instant) -> io::Result<u16> {
    let mut stream = connect(url, until)?;
    stream.set_write_timeout(Some(left(until)?))?;
    stream.write_all(request(url, body).as_bytes())?;
    let mut answer = Vec::new();
    loop {
        if let Some(status) = status(&answer) {
            return status.ok_or_else(|| io::Error::other("it does not answer as HTTP does"));
        }
        stream.set_read_timeout(Some(left(until)?))?;
        let mut bytes = [0; 256];
        match stream.read(&mut bytes) {
            Ok(0) => {
                return Err(io::Error::other(
                    "it closed the connection without an answer",
                ));
            }
            Ok(n) => answer.extend_from_slice(&bytes[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            // What a timeout is called differs.
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Err(late()),
            Err(e) => return Err(e),
        }
    }
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time")
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    match left.is_zero() {
        true => Err(late()),
        false => Ok(left),
    }
}

/// The first of the host's addresses that takes the connection.
fn connect(url: &Url, until: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::other("it has no address");
    for address in (url.host.as_str(), url.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, left(until)?) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn request(url: &Url, body: &str) -> String {
    let (path, host) = (&url.path, url.authority());
    let (version, length) = (env!("CARGO_PKG_VERSION"), body.len());
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: abide/{version}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// The status in what came so far: `None`, the line is not whole yet; `Some(None)`, it is no status line.
fn status(answer: &[u8]) -> Option<Option<u16>> {
    let end = answer.iter().position(|byte| *byte == b'\n');
    if end.is_none() && answer.len() < MAX_LINE {
        return None;
    }
    let line = std::str::from_utf8(&answer[..end.unwrap_or_default()]).unwrap_or("");
    let mut words = line.split_whitespace();
    let http = words.next().is_some_and(|it| it.starts_with("HTTP/1."));
    let code = words.next().and_then(|it| it.parse().ok());
    Some(code.filter(|code| http && (100..600).contains(code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines() {
        for (text, want) in [
            ("", None),
            ("HTTP/1.1 200", None),
            ("HTTP/1.1 200 OK\r\n", Some(Some(200))),
            ("HTTP/1.0 503\n", Some(Some(503))),
            ("HTTP/1.1 abc\r\n", Some(None)),
            ("HTTP/1.1 99999\r\n", Some(None)),
            ("SSH-2.0-x\r\n", Some(None)),
        ] {
            assert_eq!(status(text.as_bytes()), want, "{text:?}");
        }
        assert_eq!(status(&[b'x'; MAX_LINE]), Some(None));
    }

    #[test]
    fn a_request() {
        let url = Url::parse("http://localhost:8080/x?y").unwrap();
        let text = request(&url, "{\"a\":1}");
        assert!(text.starts_with("POST /x?y HTTP/1.1\r\nHost: localhost:8080\r\n"));
        assert!(text.contains("\r\nContent-Length: 7\r\n"));
        assert!(text.ends_with("\r\n\r\n{\"a\":1}"));
    }
}
