//! A stranger in the host's place: a listener of ours behind a `host.json` of a living process.
//!
//! In: what the test answers. Out: what the client sent. Promises: the process that the file names
//! is a sleeping child of ours, never the test itself; dropping it removes the file and the child.

use crate::home::Home;
use crate::processes::Process;
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A listener that `host.json` names.
#[derive(Debug)]
pub struct FakeHost {
    listener: TcpListener,
    sleeper: Child,
    file: PathBuf,
}

impl FakeHost {
    /// Takes the place of the host of `home`, which must have none.
    ///
    /// # Panics
    /// When its files cannot be written.
    #[must_use]
    pub fn start(home: &Home, protocol: (u16, u16), token: [u8; 32]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("a port").port();
        let sleeper = sleeper();
        let process = Process::of(sleeper.id().cast_signed()).expect("our child is there");
        std::fs::create_dir_all(home.state()).expect("the state folder");
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(home.state(), private).expect("the state folder");
        let hex: String = token.iter().map(|b| format!("{b:02x}")).collect();
        write(&home.state_file("token"), &hex);
        let file = home.state_file("host.json");
        write(&file, &host_json(process, port, protocol).to_string());
        Self {
            listener,
            sleeper,
            file,
        }
    }

    /// The next client.
    ///
    /// # Panics
    /// When none comes.
    #[must_use]
    pub fn accept(&self) -> TcpStream {
        let (stream, _) = self.listener.accept().expect("a client connects");
        stream
            .set_read_timeout(Some(crate::LIMIT))
            .expect("a socket option");
        stream
    }

    /// The process that `host.json` names.
    ///
    /// # Panics
    /// When somebody ended it.
    #[must_use]
    pub fn named(&self) -> Process {
        Process::of(self.sleeper.id().cast_signed()).expect("nobody may end it")
    }
}

impl Drop for FakeHost {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.file));
        drop(self.sleeper.kill());
        drop(self.sleeper.wait());
    }
}

/// A process that has nothing to do with abide.
///
/// # Panics
/// When it cannot be started.
#[must_use]
pub fn sleeper() -> Child {
    let mut command = Command::new("sleep");
    command
        .arg("600")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().expect("`sleep` starts")
}

/// What `host.json` says of a host in this boot.
///
/// # Panics
/// When the boot's id cannot be read.
#[must_use]
pub fn host_json(process: Process, port: u16, protocol: (u16, u16)) -> serde_json::Value {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("the boot's id");
    serde_json::json!({
        "version": 1,
        "instance": "00112233445566778899aabbccddeeff",
        "pid": process.pid,
        "start": process.start,
        "boot": { "id": boot.trim(), "time": 0 },
        "root_reaper": null,
        "address": "127.0.0.1",
        "port": port,
        "protocol": [protocol.0, protocol.1],
        "build": "another build",
    })
}

fn write(path: &PathBuf, text: &str) {
    std::fs::write(path, text).expect("a file of the state folder");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(path, private).expect("a file of the state folder");
}

/// Reads until `done` says that enough came, or the client closes.
///
/// # Panics
/// When neither happens.
pub fn read_some(stream: &mut TcpStream, mut done: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut all = Vec::new();
    let mut piece = [0; 4096];
    while !done(&all) {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => all.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            Err(error) => panic!("the client neither speaks nor closes ({error})"),
        }
    }
    all
}
