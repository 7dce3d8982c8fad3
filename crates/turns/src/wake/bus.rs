//! The system bus: logind says when the machine goes to sleep and wakes, UPower when its lid or its power
//! changes.
//!
//! A connection of our own rather than a D-Bus crate: three calls are made and two signals are heard, and
//! such a crate brings an executor and some forty others along.

use super::message::{self, Message};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

const BUS: &str = "org.freedesktop.DBus";
/// What is wanted, in the bus's own words; it vouches for the sender.
const RULES: [&str; 2] = [
    "type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',\
     interface='org.freedesktop.login1.Manager',member='PrepareForSleep'",
    "type='signal',sender='org.freedesktop.UPower',path='/org/freedesktop/UPower',\
     interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'",
];
/// Longest line of the greeting.
const MAX_LINE: usize = 1024;

/// Where the system bus listens.
pub(super) fn address() -> PathBuf {
    let named = std::env::var("DBUS_SYSTEM_BUS_ADDRESS").unwrap_or_default();
    path_of(&named).unwrap_or_else(|| PathBuf::from("/run/dbus/system_bus_socket"))
}

/// The path of the first socket in an address of the form `unix:path=/x,guid=..;..`.
fn path_of(address: &str) -> Option<PathBuf> {
    let sockets = address.split(';').filter_map(|it| it.strip_prefix("unix:"));
    let mut keys = sockets.flat_map(|it| it.split(','));
    keys.find_map(|it| it.strip_prefix("path="))
        .map(PathBuf::from)
}

/// Calls `woke` for each sleep, wake and change of the lid until that says false or the bus is gone.
///
/// # Errors
/// There is no bus, or it does not let us in.
pub(super) fn listen(path: &Path, woke: &mut dyn FnMut() -> bool) -> io::Result<()> {
    let mut bus = Bus::enter(path)?;
    for rule in RULES {
        bus.call("AddMatch", Some(rule))?;
    }
    loop {
        let message = bus.next()?;
        if is_ours(&message) && !woke() {
            return Ok(());
        }
    }
}

fn is_ours(message: &Message) -> bool {
    let named = (message.interface.as_str(), message.member.as_str());
    message.kind == message::SIGNAL
        && matches!(
            named,
            ("org.freedesktop.login1.Manager", "PrepareForSleep")
                | ("org.freedesktop.DBus.Properties", "PropertiesChanged")
        )
}

/// A connection.
struct Bus {
    stream: UnixStream,
    serial: u32,
}

impl Bus {
    fn enter(path: &Path) -> io::Result<Self> {
        let mut stream = UnixStream::connect(path)?;
        let uid = sys::peer::my_uid().to_string();
        let hex: String = uid.bytes().map(|it| format!("{it:02x}")).collect();
        stream.write_all(format!("\0AUTH EXTERNAL {hex}\r\n").as_bytes())?;
        if !line(&mut stream)?.starts_with("OK ") {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        stream.write_all(b"BEGIN\r\n")?;
        let mut bus = Self { stream, serial: 0 };
        bus.call("Hello", None)?;
        Ok(bus)
    }

    fn call(&mut self, member: &str, argument: Option<&str>) -> io::Result<()> {
        self.serial += 1;
        let call = message::call(self.serial, BUS, "/org/freedesktop/DBus", member, argument);
        self.stream.write_all(&call)
    }

    fn next(&mut self) -> io::Result<Message> {
        let mut head = [0; message::HEAD];
        self.stream.read_exact(&mut head)?;
        let rest = message::rest(&head).ok_or(io::ErrorKind::InvalidData)?;
        let mut bytes = head.to_vec();
        bytes.resize(message::HEAD + rest, 0);
        self.stream.read_exact(&mut bytes[message::HEAD..])?;
        message::read(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

fn line(stream: &mut UnixStream) -> io::Result<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n") {
        if line.len() > MAX_LINE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        stream.read_exact(&mut byte)?;
        line.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn an_address_names_a_socket() {
        let check = |address: &str, want: Option<&str>| {
            assert_eq!(path_of(address), want.map(PathBuf::from), "{address}");
        };
        check("unix:path=/run/x", Some("/run/x"));
        check("tcp:host=h;unix:guid=1,path=/run/y,z=1", Some("/run/y"));
        check("unix:abstract=/x", None);
        check("", None);
    }

    #[test]
    fn a_machine_without_a_bus_tells_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert!(listen(&dir.path().join("none"), &mut || true).is_err());
    }

    /// A bus of our own, where a stand-in for logind and UPower may own their names.
    #[test]
    fn sleep_and_lid_are_heard_of_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("bus");
        let config = dir.path().join("bus.conf");
        let policy = "<allow own=\"*\"/><allow send_destination=\"*\"/><allow eavesdrop=\"true\"/>";
        let text = format!(
            "<busconfig><listen>unix:path={}</listen><auth>EXTERNAL</auth>\
             <policy context=\"default\">{policy}</policy></busconfig>",
            socket.display()
        );
        std::fs::write(&config, text).unwrap();
        let started = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", config.display()))
            .args(["--nofork", "--nosyslog"])
            .stderr(Stdio::inherit())
            .spawn();
        let Ok(mut daemon) = started else {
            return eprintln!("left out: no dbus-daemon here");
        };
        let (said, heard) = channel();
        let path = socket.clone();
        std::thread::spawn(move || {
            while UnixStream::connect(&path).is_err() {
                std::thread::yield_now();
            }
            listen(&path, &mut || said.send(()).is_ok())
        });
        let mut sender = loop {
            match Bus::enter(&socket) {
                Ok(bus) => break bus,
                Err(_) => std::thread::yield_now(),
            }
        };
        sender.own("org.freedesktop.login1");
        sender.own("org.freedesktop.UPower");
        // Until the listener has its rules: what it is sent before that is nobody's.
        let login = ("/org/freedesktop/login1", "org.freedesktop.login1.Manager");
        while heard.recv_timeout(Duration::from_millis(50)).is_err() {
            sender.signal(login, "PrepareForSleep");
        }
        while heard.recv_timeout(Duration::from_millis(300)).is_ok() {}
        let power = ("/org/freedesktop/UPower", "org.freedesktop.DBus.Properties");
        // In the bus's order: had the first been heard of, there would be two.
        sender.signal(login, "SessionNew");
        sender.signal(power, "PropertiesChanged");
        let limit = Duration::from_secs(60);
        heard.recv_timeout(limit).expect("the lid");
        sender.signal(login, "PrepareForSleep");
        heard.recv_timeout(limit).expect("sleep");
        assert!(heard.try_recv().is_err());
        daemon.kill().unwrap();
        daemon.wait().unwrap();
    }

    impl Bus {
        fn own(&mut self, name: &str) {
            self.serial += 1;
            let call = message::request_name(self.serial, name);
            self.stream.write_all(&call).unwrap();
        }

        fn signal(&mut self, (path, interface): (&str, &str), member: &str) {
            self.serial += 1;
            let signal = message::signal(self.serial, interface, path, member);
            self.stream.write_all(&signal).unwrap();
        }
    }
}
