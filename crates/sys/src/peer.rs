//! Which user is at the other end of a loopback connection, asked before a byte is read.

use std::net::SocketAddrV4;

#[cfg(target_os = "linux")]
#[path = "peer/linux.rs"]
mod platform;

/// Who holds the other end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PeerUid {
    /// This user, by number.
    Known(u32),
    /// Nobody that can be named: closed by now, or the system does not tell (see [`TELLS`]).
    Unknown,
}

/// Whether this system can tell at all. Where it cannot, every answer is `Unknown`, and the proof
/// of the token is all there is.
pub const TELLS: bool = cfg!(target_os = "linux");

/// The user at the far end of a connection on this machine, from this end's two addresses.
#[must_use]
pub fn uid_of_peer(local: SocketAddrV4, peer: SocketAddrV4) -> PeerUid {
    #[cfg(target_os = "linux")]
    return platform::uid_of_peer(local, peer);
    #[cfg(not(target_os = "linux"))]
    {
        let _unused = (local, peer);
        PeerUid::Unknown
    }
}

/// The user this process runs as; 0 where users have no numbers (Windows).
#[must_use]
pub fn my_uid() -> u32 {
    #[cfg(unix)]
    return rustix::process::getuid().as_raw();
    #[cfg(not(unix))]
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

    fn v4(address: SocketAddr) -> SocketAddrV4 {
        match address {
            SocketAddr::V4(it) => it,
            SocketAddr::V6(it) => SocketAddrV4::new(it.ip().to_ipv4_mapped().unwrap(), it.port()),
        }
    }

    fn connected() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (client, listener.accept().unwrap().0)
    }

    fn ask(server: &TcpStream) -> PeerUid {
        uid_of_peer(
            v4(server.local_addr().unwrap()),
            v4(server.peer_addr().unwrap()),
        )
    }

    #[test]
    fn a_connected_peer_is_known() {
        let (_client, server) = connected();
        assert_eq!(ask(&server), PeerUid::Known(my_uid()));
    }

    #[test]
    fn a_peer_that_closed_is_unknown() {
        let (client, mut server) = connected();
        drop(client);
        assert_eq!(server.read(&mut [0; 1]).unwrap(), 0);
        assert_eq!(ask(&server), PeerUid::Unknown);
    }

    /// The kernel falls back to a listening socket when it finds no connection: that one belongs
    /// to somebody else and must not be taken for the peer.
    #[test]
    fn a_listener_on_the_peers_port_is_not_the_peer() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let listening = v4(listener.local_addr().unwrap());
        let nobody = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1);
        assert_eq!(uid_of_peer(nobody, listening), PeerUid::Unknown);
    }

    #[test]
    fn a_peer_that_uses_a_mapped_address_is_known() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        // A machine without IPv6 has no such peers.
        let Ok(_client) = TcpStream::connect(format!("[::ffff:127.0.0.1]:{port}")) else {
            return;
        };
        assert_eq!(ask(&listener.accept().unwrap().0), PeerUid::Known(my_uid()));
    }
}
