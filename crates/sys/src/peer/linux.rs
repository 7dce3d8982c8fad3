//! Linux: one exact question to the kernel's socket diagnostics (about 12 microseconds, no
//! privilege needed), and the text tables in `/proc/net` where that is refused.

use super::PeerUid;
use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use std::io;
use std::net::SocketAddrV4;

/// Where the question's parts lie: a netlink header of 16 bytes, then `inet_diag_req_v2`.
const REQUEST: usize = 16 + 56;
/// `SOCK_DIAG_BY_FAMILY` from linux/sock_diag.h.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST` from linux/netlink.h; without `NLM_F_DUMP` exactly one socket is meant.
const NLM_F_REQUEST: u16 = 1;
/// The reply: header, `inet_diag_msg` of 72 bytes whose last two words are uid and inode.
const REPLY: usize = 16 + 72;

pub(super) fn uid_of_peer(local: SocketAddrV4, peer: SocketAddrV4) -> PeerUid {
    match ask_kernel(local, peer) {
        Ok(answer) => answer,
        Err(_) => read_tables(local, peer),
    }
}

/// `Ok`: the kernel answered, be it that there is no such socket. `Err`: it cannot be asked.
fn ask_kernel(local: SocketAddrV4, peer: SocketAddrV4) -> io::Result<PeerUid> {
    let family = AddressFamily::NETLINK;
    let socket = rustix::net::socket_with(
        family,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(SOCK_DIAG),
    )?;
    let question = question(local, peer);
    let kernel = SocketAddrNetlink::new(0, 0);
    rustix::net::sendto(&socket, &question, SendFlags::empty(), &kernel)?;
    // The kernel answers before `sendto` returns, so there is nothing to wait for.
    let mut reply = [0_u8; 512];
    let (n, _) = rustix::net::recv(&socket, &mut reply, RecvFlags::DONTWAIT)?;
    judge(&reply[..n], local, peer)
}

/// The peer's own socket: its local address is our peer's, its remote address is ours.
fn question(local: SocketAddrV4, peer: SocketAddrV4) -> [u8; REQUEST] {
    let mut bytes = [0_u8; REQUEST];
    let mut put = |at: usize, part: &[u8]| {
        for (to, from) in bytes.iter_mut().skip(at).zip(part) {
            *to = *from;
        }
    };
    put(0, &72_u32.to_ne_bytes());
    put(4, &BY_FAMILY.to_ne_bytes());
    put(6, &NLM_F_REQUEST.to_ne_bytes());
    put(16, &[libc::AF_INET as u8, libc::IPPROTO_TCP as u8]);
    put(20, &u32::MAX.to_ne_bytes()); // any state
    put(24, &peer.port().to_be_bytes());
    put(26, &local.port().to_be_bytes());
    put(28, &peer.ip().octets());
    put(44, &local.ip().octets());
    put(64, &[0xff; 8]); // no cookie
    bytes
}

/// Reads the kernel's answer to [`question`].
fn judge(reply: &[u8], local: SocketAddrV4, peer: SocketAddrV4) -> io::Result<PeerUid> {
    let word = |at: usize| -> Option<u32> {
        Some(u32::from_ne_bytes(reply.get(at..at + 4)?.try_into().ok()?))
    };
    let port = |at: usize| -> Option<u16> {
        Some(u16::from_be_bytes(reply.get(at..at + 2)?.try_into().ok()?))
    };
    let cannot = || io::Error::from(io::ErrorKind::InvalidData);
    let kind = reply.get(4..6).ok_or_else(cannot)?;
    if kind == BY_FAMILY.to_ne_bytes() && reply.len() >= REPLY {
        // A listening socket answers for a connection that is not there; it has no far port.
        let same = port(20) == Some(peer.port()) && port(22) == Some(local.port());
        let (uid, inode) = (word(80).ok_or_else(cannot)?, word(84).ok_or_else(cannot)?);
        return Ok(if same && inode != 0 {
            PeerUid::Known(uid)
        } else {
            PeerUid::Unknown
        });
    }
    // An error message: header, then minus the error number. ENOENT: no such connection.
    match word(16).map(|it| -(it as i32)) {
        Some(libc::ENOENT) => Ok(PeerUid::Unknown),
        _ => Err(cannot()),
    }
}

fn read_tables(local: SocketAddrV4, peer: SocketAddrV4) -> PeerUid {
    // A socket of the IPv6 family that speaks to a mapped address is in the second table only.
    for (table, prefix) in [("tcp", ""), ("tcp6", "0000000000000000FFFF0000")] {
        let text = std::fs::read_to_string(format!("/proc/net/{table}")).unwrap_or_default();
        let known = in_table(&text, prefix, local, peer);
        if known != PeerUid::Unknown {
            return known;
        }
    }
    PeerUid::Unknown
}

/// One table: `sl local remote state queues timer retransmits uid timeout inode ...`.
fn in_table(text: &str, prefix: &str, local: SocketAddrV4, peer: SocketAddrV4) -> PeerUid {
    let written = |it: SocketAddrV4| {
        format!(
            "{prefix}{:08X}:{:04X}",
            u32::from_ne_bytes(it.ip().octets()),
            it.port()
        )
    };
    let (theirs, ours) = (written(peer), written(local));
    for line in text.lines().skip(1) {
        let mut fields = line.split_ascii_whitespace().skip(1);
        if fields.next() != Some(&theirs) || fields.next() != Some(&ours) {
            continue;
        }
        let uid = fields.nth(4).and_then(|it| it.parse().ok());
        let inode = fields.nth(1).and_then(|it| it.parse::<u64>().ok());
        return match (uid, inode) {
            // What nobody holds any more is shown as root's, with inode 0.
            (Some(uid), Some(inode)) if inode != 0 => PeerUid::Known(uid),
            _ => PeerUid::Unknown,
        };
    }
    PeerUid::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    fn at(port: u16) -> SocketAddrV4 {
        SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
    }

    #[test]
    fn the_tables_say_the_same() {
        let row = |uid: u32, inode: u32, prefix: &str| {
            format!(
                "{HEAD}   1: {prefix}0100007F:1F90 {prefix}0100007F:0050 01 00000000:00000000 00:00000000 00000000  {uid}        0 {inode} 1 0 20 4 30 10 -1\n"
            )
        };
        let mapped = "0000000000000000FFFF0000";
        for (text, prefix, expected) in [
            (row(1000, 77, ""), "", PeerUid::Known(1000)),
            (row(1000, 77, mapped), mapped, PeerUid::Known(1000)),
            (row(1000, 77, mapped), "", PeerUid::Unknown),
            (row(0, 0, ""), "", PeerUid::Unknown),
            (HEAD.to_owned(), "", PeerUid::Unknown),
            (String::new(), "", PeerUid::Unknown),
            (
                "x\n1: 0100007F:1F90 0100007F:0050".to_owned(),
                "",
                PeerUid::Unknown,
            ),
        ] {
            assert_eq!(
                in_table(&text, prefix, at(80), at(8080)),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn the_real_table_knows_a_real_peer() {
        let listener = TcpListener::bind(at(0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let port = |it: io::Result<std::net::SocketAddr>| it.unwrap().port();
        let (ours, theirs) = (at(port(client.peer_addr())), at(port(client.local_addr())));
        assert_eq!(
            read_tables(ours, theirs),
            PeerUid::Known(crate::peer::my_uid())
        );
        assert_eq!(
            ask_kernel(ours, theirs).unwrap(),
            PeerUid::Known(crate::peer::my_uid())
        );
    }

    #[test]
    fn a_broken_answer_is_an_error_not_a_user() {
        let (local, peer) = (at(1), at(2));
        for length in 0..REPLY {
            let mut reply = vec![0_u8; length];
            if length > 6 {
                reply[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
            }
            assert!(judge(&reply, local, peer).is_err(), "{length} bytes");
        }
    }
}
