//! `host.json`: where the host listens and how to tell whether it lives.
//!
//! In: the file's bytes. Out: [`HostFile`], or why it says nothing. Reading is tolerant: unknown
//! fields are skipped, so a newer host of the same file version is still found.

use crate::error::LinkError;
use crate::places::Places;
use protocol::auth::Key;
use serde::Deserialize;
use std::io::Read;
use std::net::SocketAddrV4;
use std::path::Path;
use sys::files::plain;

/// Version of the file this build reads.
const VERSION: u32 = 1;
/// A larger file is not ours.
const MAX_BYTES: u64 = 64 * 1024;

/// A process by number and start time, as the file names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct ProcessFacts {
    /// Process id.
    pub pid: i32,
    /// Start time in clock ticks since boot.
    pub start: u64,
}

/// The boot the host was started in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BootFacts {
    /// The kernel's id of it.
    pub id: String,
    /// When, in Unix seconds.
    pub time: u64,
}

/// The endpoint as the host published it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HostFile {
    /// Version of the file's form.
    pub version: u32,
    /// Names the host's life.
    pub instance: String,
    /// The host's process id.
    pub pid: i32,
    /// Its start time in clock ticks since boot.
    pub start: u64,
    /// The boot it runs in.
    pub boot: BootFacts,
    /// The process above it, if there is one.
    #[serde(default)]
    pub root_reaper: Option<ProcessFacts>,
    /// Always a loopback address.
    pub address: String,
    /// TCP port.
    pub port: u16,
    /// Lowest and highest protocol version.
    pub protocol: (u16, u16),
    /// Its build, for people.
    #[serde(default)]
    pub build: String,
}

impl HostFile {
    /// Reads the file; `Ok(None)` when there is none.
    ///
    /// # Errors
    /// [`LinkError::BadFile`] when it is unreadable, not ours, or of a newer form.
    pub fn read(places: &Places) -> Result<Option<Self>, LinkError> {
        let path = places.host_file();
        let bad = |(why, damaged): (String, bool)| LinkError::BadFile {
            path: path.clone(),
            why,
            damaged,
        };
        let bytes = match read_if_there(&path, MAX_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(why) => return Err(bad((why, false))),
        };
        Self::parse(&bytes).map(Some).map_err(bad)
    }

    /// `Err`: what is wrong, and whether it is damage, which a living host mends.
    fn parse(bytes: &[u8]) -> Result<Self, (String, bool)> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let damage = |e: serde_json::Error| (format!("is damaged ({e})"), true);
        let head: Head = serde_json::from_slice(bytes).map_err(damage)?;
        if head.version > VERSION {
            let form = head.version;
            let why = format!("is of form {form}, this build reads {VERSION}: use the newer abide");
            return Err((why, false));
        }
        serde_json::from_slice(bytes).map_err(damage)
    }

    /// Where to connect; `None` when the file names anything but loopback.
    #[must_use]
    pub fn socket(&self) -> Option<SocketAddrV4> {
        let ip: std::net::Ipv4Addr = self.address.parse().ok()?;
        (ip.is_loopback() && self.port != 0).then(|| SocketAddrV4::new(ip, self.port))
    }

    /// Whether the recorded process lives: same boot, same pid, same start time.
    #[must_use]
    pub fn process_lives(&self) -> bool {
        self.boot.id == sys::boot::boot().id
            && sys::process::Identity {
                pid: self.pid,
                start: self.start,
            }
            .alive()
    }
}

/// A small file's bytes; `Ok(None)` when there is no such file. The error is for people.
pub(crate) fn read_if_there(path: &Path, max: u64) -> Result<Option<Vec<u8>>, String> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(format!("cannot be read: {}", plain(&e))),
    };
    let mut bytes = Vec::new();
    let read = file.take(max + 1).read_to_end(&mut bytes);
    read.map_err(|e| format!("cannot be read: {}", plain(&e)))?;
    if bytes.len() as u64 > max {
        return Err(format!("is larger than {max} bytes"));
    }
    Ok(Some(bytes))
}

/// The token of this state folder.
pub(crate) fn read_token(places: &Places) -> Result<Key, LinkError> {
    let path = places.token();
    let mode = std::fs::metadata(&path).map_or(0, |meta| sys::files::mode(&meta));
    if mode & 0o077 != 0 {
        return Err(LinkError::OpenToken { path, mode });
    }
    let bad = |why: &str| LinkError::BadToken {
        path: path.clone(),
        why: why.to_owned(),
    };
    match read_if_there(&path, 4096) {
        Ok(Some(bytes)) if bytes.iter().all(u8::is_ascii_whitespace) => Err(bad("is empty")),
        Ok(Some(bytes)) => std::str::from_utf8(&bytes)
            .ok()
            .and_then(Key::from_hex)
            .ok_or_else(|| bad("is not 64 hexadecimal characters")),
        Ok(None) => Err(bad("is missing")),
        Err(why) => Err(bad(&why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"version":1,"instance":"ab","pid":7,"start":9,
        "boot":{"id":"b","time":5},"root_reaper":null,"address":"127.0.0.1","port":4000,
        "protocol":[1,1],"build":"abide 0.1.0","later":{"x":1}}"#;

    #[test]
    fn reading_is_tolerant_and_versioned() {
        let file = HostFile::parse(GOOD.as_bytes()).unwrap();
        assert_eq!((file.pid, file.protocol), (7, (1, 1)));
        assert_eq!(file.socket().unwrap().port(), 4000);
        let newer = GOOD.replace("\"version\":1", "\"version\":2");
        assert!(
            HostFile::parse(newer.as_bytes())
                .is_err_and(|(why, damaged)| why.contains("form 2") && !damaged)
        );
        for damaged in ["", "{", "[]", "{\"version\":1}", "null"] {
            assert!(
                HostFile::parse(damaged.as_bytes())
                    .is_err_and(|(why, damaged)| why.contains("damaged") && damaged)
            );
        }
    }

    #[test]
    fn only_loopback_is_an_endpoint() {
        for (address, port) in [
            ("10.0.0.1", "4000"),
            ("nonsense", "4000"),
            ("127.0.0.1", "0"),
        ] {
            let text = GOOD.replace("127.0.0.1", address).replace("4000", port);
            assert_eq!(
                HostFile::parse(text.as_bytes()).unwrap().socket(),
                None,
                "{address}"
            );
        }
    }
}
