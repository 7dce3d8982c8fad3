//! A bus's address: `unix:path=/run/user/1000/bus;unix:abstract=/tmp/dbus-x,guid=..`.

use super::BusError;
use std::io;
use std::os::unix::net::UnixStream;

/// One socket.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A file.
    Path(Vec<u8>),
    /// A name that no file has (Linux).
    Abstract(Vec<u8>),
}

/// Connects to the first that can be.
pub(super) fn open(address: &str) -> Result<UnixStream, BusError> {
    let mut last = BusError::Address;
    for place in places(address) {
        match connect(&place) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error.into(),
        }
    }
    Err(last)
}

fn connect(place: &Place) -> io::Result<UnixStream> {
    use std::os::unix::ffi::OsStrExt;
    match place {
        Place::Path(path) => UnixStream::connect(std::ffi::OsStr::from_bytes(path)),
        Place::Abstract(name) => by_name(name),
    }
}

#[cfg(target_os = "linux")]
fn by_name(name: &[u8]) -> io::Result<UnixStream> {
    use std::os::linux::net::SocketAddrExt;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    UnixStream::connect_addr(&address)
}

#[cfg(not(target_os = "linux"))]
fn by_name(_name: &[u8]) -> io::Result<UnixStream> {
    Err(io::ErrorKind::Unsupported.into())
}

fn places(address: &str) -> Vec<Place> {
    address.split(';').filter_map(place).collect()
}

fn place(address: &str) -> Option<Place> {
    let pairs = address.strip_prefix("unix:")?;
    pairs.split(',').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        match key {
            "path" => Some(Place::Path(unescaped(value)?)),
            "abstract" => Some(Place::Abstract(unescaped(value)?)),
            _ => None,
        }
    })
}

/// `%2f` and the like.
fn unescaped(value: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut bytes = value.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        out.push(u8::from_str_radix(digits, 16).ok()?);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let path = |text: &str| Place::Path(text.into());
        let name = |text: &str| Place::Abstract(text.into());
        for (text, want) in [
            ("unix:path=/run/user/0/bus", vec![path("/run/user/0/bus")]),
            ("unix:guid=1,path=/a%20b%2cc", vec![path("/a b,c")]),
            (
                "unix:abstract=/tmp/dbus-x,guid=1;unix:path=/y",
                vec![name("/tmp/dbus-x"), path("/y")],
            ),
            ("tcp:host=a,port=1;unix:path=/y", vec![path("/y")]),
            ("unix:runtime=yes", vec![]),
            ("unix:path=/a%2", vec![]),
            ("autolaunch:", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(places(text), want, "{text}");
        }
    }
}
