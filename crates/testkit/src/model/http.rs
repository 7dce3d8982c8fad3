//! As much of HTTP/1.1 as CLIs use against a model: requests with a length or in chunks, JSON answers,
//! event streams. Bodies above 64 MiB are refused.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

const MAX_HEAD: u64 = 256 * 1024;
const MAX_BODY: usize = 64 * 1024 * 1024;

/// One request.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) method: String,
    /// Without what stands behind `?`.
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Incoming {
    /// A header's value, by its lower-case name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    }
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

/// Reads the next request of a connection; `None` at its end.
pub(crate) fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Incoming>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut line = stream.by_ref().take(MAX_HEAD);
        if line.read_until(b'\n', &mut head)? == 0 {
            return if head.is_empty() {
                Ok(None)
            } else {
                Err(bad("half a head"))
            };
        }
        if head.len() as u64 >= MAX_HEAD {
            return Err(bad("a head without end"));
        }
    }
    let mut incoming = parse(&head)?;
    if incoming.header("expect").is_some() {
        stream
            .get_mut()
            .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let chunked = incoming
        .header("transfer-encoding")
        .is_some_and(|v| v.contains("chunked"));
    incoming.body = if chunked {
        chunks(stream)?
    } else {
        let length = incoming
            .header("content-length")
            .and_then(|v| v.parse().ok());
        exactly(stream, length.unwrap_or(0))?
    };
    Ok(Some(incoming))
}

fn parse(head: &[u8]) -> io::Result<Incoming> {
    let mut headers = [httparse::EMPTY_HEADER; 128];
    let mut request = httparse::Request::new(&mut headers);
    request
        .parse(head)
        .map_err(|error| bad(&error.to_string()))?;
    let path = request.path.unwrap_or_default();
    let header = |h: &httparse::Header<'_>| {
        (
            h.name.to_lowercase(),
            String::from_utf8_lossy(h.value).into_owned(),
        )
    };
    Ok(Incoming {
        method: request.method.unwrap_or_default().to_owned(),
        path: path.split('?').next().unwrap_or_default().to_owned(),
        headers: request.headers.iter().map(header).collect(),
        body: Vec::new(),
    })
}

fn exactly(stream: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY {
        return Err(bad("a body that is too long"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(body)
}

fn chunks(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| bad("no chunk size"))?;
        if body.len() + size > MAX_BODY {
            return Err(bad("a body that is too long"));
        }
        body.extend(exactly(stream, size)?);
        let mut end = String::new();
        stream.read_line(&mut end)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Answers with JSON; the connection stays.
pub(crate) fn json(stream: &mut impl Write, status: u16, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    stream.flush()
}

/// Begins a stream of events; the connection ends with it.
pub(crate) fn begin_events(stream: &mut impl Write) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 Scripted\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\nconnection: close\r\n\r\n",
    )?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_chunks_are_read() {
        let incoming = parse(b"POST /v1/messages?beta=true HTTP/1.1\r\nX-A: b\r\n\r\n").unwrap();
        assert_eq!(
            (incoming.method.as_str(), incoming.path.as_str()),
            ("POST", "/v1/messages")
        );
        assert_eq!(incoming.header("x-a"), Some("b"));
        let mut body = &b"4\r\nabcd\r\n2;x=y\r\nef\r\n0\r\n\r\n"[..];
        assert_eq!(chunks(&mut body).unwrap(), b"abcdef");
        assert!(chunks(&mut &b"zz\r\n"[..]).is_err());
        assert!(chunks(&mut &b"fffffffff\r\n"[..]).is_err());
        assert!(exactly(&mut &b"abc"[..], 4).is_err());
    }
}
