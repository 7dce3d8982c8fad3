//! A desktop that shows notices: a real session bus (`dbus-daemon`) with a small service of ours on it.
//!
//! In: a [`Home`]. Out: what was shown. It writes and reads D-Bus messages with code of its own, so that it
//! is no mirror of the client it judges; the bus between them refuses what is malformed. Promises: both are
//! gone with the value; without `dbus-daemon` there is none, and that is said.

use crate::home::Home;
use crate::wait::LIMIT;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// One notice as it was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The program that shows it.
    pub app: String,
    /// Its heading.
    pub summary: String,
    /// Its text.
    pub body: String,
    /// Of the hints: how urgent it is.
    pub urgency: Option<u8>,
}

/// See the module.
#[derive(Debug)]
pub struct Desktop {
    bus: Child,
    address: String,
    shown: Arc<Mutex<Vec<Shown>>>,
}

impl Desktop {
    /// A bus inside the home; `service`: somebody there shows notices. `None`: there is no `dbus-daemon`.
    ///
    /// # Panics
    /// When the bus does not come up.
    #[must_use]
    pub fn start(home: &Home, service: bool) -> Option<Self> {
        let socket = home.path().join("bus");
        let config = home.path().join("bus.conf");
        let text = format!(
            "<busconfig><type>session</type><listen>unix:path={}</listen><policy context=\"default\">\
             <allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
            socket.display()
        );
        fs::write(&config, text).expect("the bus's settings");
        let mut command = Command::new("dbus-daemon");
        command
            .arg(format!("--config-file={}", config.display()))
            .args(["--nofork", "--nopidfile", "--print-address=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let Ok(mut bus) = command.spawn() else {
            let _closed = writeln!(std::io::stderr(), "skipped: dbus-daemon is not installed");
            return None;
        };
        let mut address = String::new();
        let out = bus.stdout.take().expect("a pipe");
        let _size = BufReader::new(out)
            .read_line(&mut address)
            .expect("its address");
        assert!(
            address.contains("path="),
            "the bus did not start: {address}"
        );
        let shown: Arc<Mutex<Vec<Shown>>> = Arc::default();
        if service {
            let mut service = Service::on(UnixStream::connect(&socket).expect("the bus"));
            let list = Arc::clone(&shown);
            std::thread::spawn(move || service.serve(&list));
        }
        Some(Self {
            bus,
            address: format!("unix:path={}", socket.display()),
            shown,
        })
    }

    /// Its address, for `DBUS_SESSION_BUS_ADDRESS`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Everything shown so far.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown> {
        self.shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        drop(self.bus.kill());
        drop(self.bus.wait());
    }
}

/// A connection to the bus.
struct Service {
    stream: UnixStream,
    serial: u32,
}

/// A message: its kind, serial number, sender, member, and content.
struct Message {
    kind: u8,
    serial: u32,
    sender: String,
    member: String,
    body: Vec<u8>,
}

fn pad(out: &mut Vec<u8>, to: usize) {
    out.resize(out.len().next_multiple_of(to), 0);
}

fn number(out: &mut Vec<u8>, n: usize) {
    pad(out, 4);
    out.extend(u32::try_from(n).expect("a small number").to_le_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    number(out, text.len());
    out.extend(text.as_bytes());
    out.push(0);
}

fn field(out: &mut Vec<u8>, code: u8, kind: char, value: &str) {
    pad(out, 8);
    let kind = u8::try_from(kind).expect("ASCII");
    out.extend([code, 1, kind, 0]);
    match kind {
        b'g' => {
            out.push(u8::try_from(value.len()).expect("short"));
            out.extend(value.as_bytes());
            out.push(0);
        }
        _ => text(out, value),
    }
}

/// Reads values at their alignments.
struct Values<'a>(&'a [u8], usize);

impl Values<'_> {
    fn number(&mut self) -> usize {
        self.1 = self.1.next_multiple_of(4);
        let bytes = self.0[self.1..self.1 + 4].try_into().expect("four bytes");
        self.1 += 4;
        u32::from_le_bytes(bytes) as usize
    }

    fn text(&mut self) -> String {
        let length = self.number();
        let text = String::from_utf8(self.0[self.1..self.1 + length].to_vec()).expect("UTF-8");
        self.1 += length + 1;
        text
    }
}

impl Service {
    fn on(stream: UnixStream) -> Self {
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        let mut it = Self { stream, serial: 0 };
        let uid = fs::metadata("/proc/self").expect("proc");
        let uid = std::os::unix::fs::MetadataExt::uid(&uid).to_string();
        let uid: String = uid.bytes().map(|b| format!("{b:02x}")).collect();
        it.write(format!("\0AUTH EXTERNAL {uid}\r\n").as_bytes());
        let mut line = Vec::new();
        while !line.ends_with(b"\n") {
            let mut byte = [0];
            it.stream.read_exact(&mut byte).expect("an answer");
            line.push(byte[0]);
        }
        assert!(line.starts_with(b"OK"), "the bus lets nobody in");
        it.write(b"BEGIN\r\n");
        it.ask("Hello", "", &[]);
        let mut body = Vec::new();
        text(&mut body, "org.freedesktop.Notifications");
        number(&mut body, 0);
        it.ask("RequestName", "su", &body);
        it.stream.set_read_timeout(None).expect("no limit");
        it
    }

    fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the bus reads");
    }

    /// Sends a message of this kind and these fields.
    fn send(&mut self, kind: u8, fields: &[u8], body: &[u8]) {
        self.serial += 1;
        let mut out = vec![b'l', kind, 0, 1];
        number(&mut out, body.len());
        number(&mut out, self.serial as usize);
        number(&mut out, fields.len());
        out.extend(fields);
        pad(&mut out, 8);
        out.extend(body);
        self.write(&out);
    }

    /// Calls the bus itself and waits for its answer.
    fn ask(&mut self, member: &str, signature: &str, body: &[u8]) {
        let mut fields = Vec::new();
        field(&mut fields, 1, 'o', "/org/freedesktop/DBus");
        field(&mut fields, 2, 's', "org.freedesktop.DBus");
        field(&mut fields, 3, 's', member);
        field(&mut fields, 6, 's', "org.freedesktop.DBus");
        if !signature.is_empty() {
            field(&mut fields, 8, 'g', signature);
        }
        self.send(1, &fields, body);
        while self.read().expect("the bus answers").kind != 2 {}
    }

    fn read(&mut self) -> Option<Message> {
        let mut head = [0; 16];
        self.stream.read_exact(&mut head).ok()?;
        let word = |at: usize| {
            let bytes = head[at..at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes)
        };
        let fields = word(12) as usize;
        let mut rest = vec![0; fields.next_multiple_of(8) + word(4) as usize];
        self.stream.read_exact(&mut rest).ok()?;
        let (mut sender, mut member) = (String::new(), String::new());
        let mut values = Values(&rest[..fields], 0);
        while values.1 < fields {
            values.1 = values.1.next_multiple_of(8);
            let (code, kind) = (rest[values.1], rest[values.1 + 2]);
            values.1 += 4;
            match (code, kind) {
                (7, b's') => sender = values.text(),
                (3, b's') => member = values.text(),
                (_, b's' | b'o') => drop(values.text()),
                (_, b'g') => values.1 += usize::from(rest[values.1]) + 2,
                _ => drop(values.number()),
            }
        }
        Some(Message {
            kind: head[1],
            serial: word(8),
            sender,
            member,
            body: rest.split_off(fields.next_multiple_of(8)),
        })
    }

    /// Shows what it is asked to, until the bus is gone.
    fn serve(&mut self, shown: &Mutex<Vec<Shown>>) {
        while let Some(message) = self.read() {
            if message.kind != 1 || message.member != "Notify" {
                continue;
            }
            let notice = notify(&message.body);
            shown
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(notice);
            let mut fields = Vec::new();
            pad(&mut fields, 8);
            fields.extend([5, 1, b'u', 0]);
            fields.extend(message.serial.to_le_bytes());
            field(&mut fields, 6, 's', &message.sender);
            field(&mut fields, 8, 'g', "u");
            self.send(2, &fields, &1_u32.to_le_bytes());
        }
    }
}

/// `susssasa{sv}i`.
fn notify(body: &[u8]) -> Shown {
    let mut values = Values(body, 0);
    let app = values.text();
    let _replaces = values.number();
    let _icon = values.text();
    let (summary, text) = (values.text(), values.text());
    let actions = values.number();
    values.1 += actions;
    let hints = values.number();
    let end = values.1.next_multiple_of(8) + hints;
    let mut urgency = None;
    while values.1.next_multiple_of(8) < end {
        values.1 = values.1.next_multiple_of(8);
        let name = values.text();
        assert_eq!(&body[values.1..values.1 + 3], b"\x01y\0", "hint {name}");
        if name == "urgency" {
            urgency = Some(body[values.1 + 3]);
        }
        values.1 += 4;
    }
    Shown {
        app,
        summary,
        body: text,
        urgency,
    }
}
