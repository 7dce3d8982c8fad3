//! Claims as abstract socket names, and who listens behind one.

use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};

pub(super) fn listen(folder: &Path) -> io::Result<UnixListener> {
    let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(name(folder))?)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

pub(super) fn knock(folder: &Path) -> Option<i32> {
    let address = SocketAddrUnix::new_abstract_name(name(folder).as_bytes()).ok()?;
    // Without waiting: a holder that is stopped does not keep whoever asks.
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket =
        rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
    rustix::net::connect(&socket, &address).ok()?;
    let holder = socket_peercred(&socket).ok()?;
    (holder.uid == rustix::process::geteuid()).then(|| holder.pid.as_raw_nonzero().get())
}

fn name(folder: &Path) -> String {
    let mut sum = Fnv::new();
    sum.add(real(folder).as_os_str().as_bytes());
    for place in ["/proc/self/ns/mnt", "/"] {
        let id = std::fs::metadata(place).map(|meta| (meta.dev(), meta.ino()));
        let (device, inode) = id.unwrap_or_default();
        sum.add(&device.to_le_bytes());
        sum.add(&inode.to_le_bytes());
    }
    let user = rustix::process::geteuid().as_raw();
    format!("abide-host-{user}-{:016x}", sum.0)
}

/// The path without links as far as it is there.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(folder), Some(name)) => real(folder).join(name),
        _ => path.to_owned(),
    }
}

/// FNV-1a of 64 bits: every build must come to the same name, which std's hashes do not promise.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
