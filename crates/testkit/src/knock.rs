//! The first words with a host: where it listens, what opens it, hello and answer as bytes.

use crate::home::Home;
use crate::wait::LIMIT;
use protocol::Role;
use protocol::auth::Key;
use protocol::hello::{Hello, HostHello};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};

/// Who a raw peer says it is.
#[derive(Clone, Debug)]
pub struct Caller {
    /// What it wants to be.
    pub role: Role,
    /// The versions it claims to speak.
    pub versions: (u16, u16),
    /// 0: the token; else a pane.
    pub key_id: u32,
    /// What it proves with.
    pub key: Key,
}

/// Where the host listens.
///
/// # Panics
/// When `host.json` does not say.
#[must_use]
#[track_caller]
pub fn address(home: &Home) -> SocketAddrV4 {
    let file = home.host_file().expect("host.json is there");
    let port = file["port"].as_u64().expect("a port");
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, u16::try_from(port).expect("a port"))
}

/// The token in the state folder.
///
/// # Panics
/// When it is not there or not 64 hexadecimal digits.
#[must_use]
#[track_caller]
pub fn token(home: &Home) -> Key {
    let text = std::fs::read_to_string(home.state_file("token")).expect("the token is there");
    Key::from_hex(&text).expect("64 hexadecimal digits")
}

/// Connects without a word.
///
/// # Panics
/// When nothing listens.
#[must_use]
#[track_caller]
pub fn socket(home: &Home) -> TcpStream {
    let stream = TcpStream::connect(address(home)).expect("the host listens");
    stream.set_nodelay(true).expect("a socket option");
    stream
        .set_read_timeout(Some(LIMIT))
        .expect("a socket option");
    stream
}

/// Everything the host sends until it closes.
///
/// # Panics
/// When it keeps the connection open.
#[track_caller]
pub fn read_to_close(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the host keeps the connection open ({error})"),
    }
    bytes
}

/// Says a hello and reads the answer; both as bytes.
///
/// # Panics
/// When the host does not answer.
#[track_caller]
pub fn hello(stream: &mut TcpStream, caller: &Caller) -> (Vec<u8>, Vec<u8>) {
    let hello = Hello {
        versions: caller.versions,
        role: caller.role,
        key_id: caller.key_id,
        nonce: rand::random(),
    };
    let said = hello.encode();
    stream.write_all(&said).expect("the host reads");
    let mut answer = Vec::new();
    while HostHello::decode(&answer).expect("an abide host").is_none() {
        let mut piece = [0; 256];
        let count = stream.read(&mut piece).expect("the host answers");
        assert_ne!(count, 0, "the host closed instead of answering");
        answer.extend_from_slice(&piece[..count]);
    }
    (said, answer)
}
