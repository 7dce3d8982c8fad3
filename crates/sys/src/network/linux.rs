//! rtnetlink: the kernel's own words about links and addresses (rtnetlink(7)).
//!
//! The messages are read by hand, as [`crate::peer`] does: four fields of two of them are all that is
//! wanted, and a netlink crate would bring an executor along.

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::OwnedFd;

/// Groups of linux/rtnetlink.h: links, addresses of both versions.
const GROUPS: u32 = 0x1 | 0x10 | 0x100;
const NEW_LINK: u16 = 16;
const DELETE_LINK: u16 = 17;
const NEW_ADDRESS: u16 = 20;
const DELETE_ADDRESS: u16 = 21;
/// Bytes of a message's head, and of what follows it for a link and for an address.
const HEAD: usize = 16;
const LINK: usize = 16;
const ADDRESS: usize = 8;
/// `IFF_UP | IFF_RUNNING`.
const UP: u32 = 0x1 | 0x40;
/// `IFA_ADDRESS`.
const IS_ADDRESS: u16 = 1;
/// More links or addresses than this and the memory of them begins anew.
const MOST: usize = 4096;

/// A socket that hears of changes.
#[derive(Debug)]
pub struct Network {
    socket: OwnedFd,
    known: Known,
}

impl Network {
    /// Listens from now on.
    ///
    /// # Errors
    /// There is no such socket here.
    pub fn open() -> io::Result<Self> {
        let family = AddressFamily::NETLINK;
        // No protocol is number 0, and that is NETLINK_ROUTE.
        let socket = socket_with(family, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
        bind(&socket, &SocketAddrNetlink::new(0, GROUPS))?;
        let known = Known::default();
        Ok(Self { socket, known })
    }

    /// Returns at the next change.
    ///
    /// # Errors
    /// The socket cannot be read any more.
    pub fn wait(&mut self) -> io::Result<()> {
        let mut bytes = vec![0; 64 * 1024];
        loop {
            match recv(&self.socket, &mut bytes[..], RecvFlags::empty()) {
                Ok((length, _)) if self.known.change(&bytes[..length]) => return Ok(()),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                // There was more than was read.
                Err(rustix::io::Errno::NOBUFS) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// What was last said of each link and address.
#[derive(Debug, Default)]
struct Known {
    /// By index: up and running.
    links: BTreeMap<u32, u32>,
    /// By link and bytes.
    addresses: BTreeSet<(u32, Vec<u8>)>,
}

impl Known {
    /// Whether these messages say something new.
    fn change(&mut self, mut bytes: &[u8]) -> bool {
        let mut changed = false;
        while let Some(length) = number(bytes, 0) {
            let length = length as usize;
            let Some(message) = bytes.get(..length).filter(|it| it.len() >= HEAD) else {
                break;
            };
            changed |= self.message(message);
            let Some(rest) = bytes.get(length.next_multiple_of(4)..) else {
                break;
            };
            bytes = rest;
        }
        if self.links.len() > MOST || self.addresses.len() > MOST {
            *self = Self::default();
        }
        changed
    }

    fn message(&mut self, message: &[u8]) -> bool {
        let kind = message
            .get(4..6)
            .map(|it| u16::from_ne_bytes([it[0], it[1]]));
        let body = &message[HEAD..];
        // The index stands at the same place in both.
        let Some(index) = number(body, 4) else {
            return false;
        };
        match kind {
            Some(NEW_LINK) if body.len() >= LINK => {
                let up = number(body, 8).unwrap_or(0) & UP;
                self.links.insert(index, up) != Some(up)
            }
            Some(DELETE_LINK) => self.links.remove(&index).is_some(),
            Some(NEW_ADDRESS) => self.addresses.insert((index, address(body))),
            Some(DELETE_ADDRESS) => {
                self.addresses.remove(&(index, address(body)));
                true
            }
            _ => false,
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_ne_bytes(four))
}

/// The bytes of an address message's address; empty when it has none.
fn address(body: &[u8]) -> Vec<u8> {
    let mut rest = body.get(ADDRESS..).unwrap_or_default();
    while let [a, b, c, d, ..] = rest {
        let (length, kind) = (u16::from_ne_bytes([*a, *b]), u16::from_ne_bytes([*c, *d]));
        let length = usize::from(length);
        let Some(value) = rest.get(4..length) else {
            break;
        };
        if kind == IS_ADDRESS {
            return value.to_vec();
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    fn message(kind: u16, body: &[u8]) -> Vec<u8> {
        let length = (HEAD + body.len()) as u32;
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.resize(HEAD, 0);
        bytes.extend(body);
        bytes
    }

    fn link(kind: u16, index: u32, flags: u32) -> Vec<u8> {
        let mut body = vec![0; LINK];
        body[4..8].copy_from_slice(&index.to_ne_bytes());
        body[8..12].copy_from_slice(&flags.to_ne_bytes());
        message(kind, &body)
    }

    fn given(kind: u16, index: u32, address: [u8; 4]) -> Vec<u8> {
        let mut body = vec![0; ADDRESS];
        body[4..8].copy_from_slice(&index.to_ne_bytes());
        body.extend(8_u16.to_ne_bytes());
        body.extend(IS_ADDRESS.to_ne_bytes());
        body.extend(address);
        message(kind, &body)
    }

    #[test]
    fn what_is_repeated_is_no_change() {
        let mut known = Known::default();
        let mut check = |bytes: Vec<u8>, want: bool| assert_eq!(known.change(&bytes), want);
        check(link(NEW_LINK, 2, 0x1043), true);
        check(link(NEW_LINK, 2, 0x1143), false);
        check(link(NEW_LINK, 2, 0x1003), true);
        check(given(NEW_ADDRESS, 2, [10, 0, 0, 1]), true);
        check(given(NEW_ADDRESS, 2, [10, 0, 0, 1]), false);
        check(given(NEW_ADDRESS, 2, [10, 0, 0, 2]), true);
        check(given(DELETE_ADDRESS, 2, [10, 0, 0, 1]), true);
        check(given(NEW_ADDRESS, 2, [10, 0, 0, 1]), true);
        check(link(DELETE_LINK, 2, 0), true);
        check(message(99, &[0; 32]), false);
        let two = [link(NEW_LINK, 2, 0x43), link(NEW_LINK, 2, 0x43)].concat();
        check(two, true);
        for torn in [&b""[..], b"\x01\x02", &[255; 15], &[255; 64], &[0; 64]] {
            check(torn.to_vec(), false);
        }
    }

    /// Set in the process that has a network of its own.
    const WITHIN: &str = "ABIDE_TEST_OWN_NETWORK";

    /// In a network of its own, where links can be changed: this very test again, started there.
    #[test]
    fn a_link_and_an_address_are_heard_of() {
        if std::env::var_os(WITHIN).is_some() {
            return within();
        }
        let exe = std::env::current_exe().unwrap();
        let test = "network::linux::tests::a_link_and_an_address_are_heard_of";
        let run = Command::new("unshare")
            .args(["-rn".as_ref(), exe.as_os_str()])
            .args(["--exact", "--nocapture", test])
            .env(WITHIN, "1")
            .output();
        let run = match run {
            Ok(run) => run,
            Err(error) => return eprintln!("left out: unshare: {error}"),
        };
        let said = String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned();
        if said.contains("1 passed") {
            return;
        }
        let refused = ["unshare", "Operation not permitted", "left out"];
        if refused.iter().any(|it| said.contains(it)) {
            return eprintln!("left out: no network of its own here: {said}");
        }
        panic!("{said}");
    }

    fn within() {
        let (said, heard) = std::sync::mpsc::channel();
        let mut network = Network::open().unwrap();
        std::thread::spawn(
            move || {
                while network.wait().is_ok() && said.send(()).is_ok() {}
            },
        );
        let ip = |words: &[&str]| {
            let done = Command::new("ip").args(words).status();
            assert!(done.is_ok_and(|it| it.success()), "left out: ip {words:?}");
            let limit = Duration::from_secs(60);
            heard.recv_timeout(limit).expect("the kernel tells of it");
            while heard.recv_timeout(Duration::from_millis(200)).is_ok() {}
        };
        ip(&["link", "set", "lo", "up"]);
        ip(&["address", "add", "10.9.9.1/8", "dev", "lo"]);
        ip(&["address", "delete", "10.9.9.1/8", "dev", "lo"]);
        ip(&["link", "set", "lo", "down"]);
    }
}
