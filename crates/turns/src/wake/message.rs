//! D-Bus messages, as little of them as is wanted (D-Bus specification, "Message Protocol"). Pure.

/// Bytes that say how long a message is.
pub(super) const HEAD: usize = 16;
/// A signal's type.
pub(super) const SIGNAL: u8 = 4;
const CALL: u8 = 1;
/// A longer message is not read.
const MOST: usize = 1024 * 1024;

/// What is read of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// See [`SIGNAL`].
    pub(super) kind: u8,
    /// Empty: it has none.
    pub(super) interface: String,
    /// Empty: it has none.
    pub(super) member: String,
}

/// A call without or with one text, to the bus itself.
pub(super) fn call(
    serial: u32,
    to: &str,
    path: &str,
    member: &str,
    argument: Option<&str>,
) -> Vec<u8> {
    let mut body = Vec::new();
    if let Some(text) = argument {
        put_text(&mut body, text);
    }
    let signature = if argument.is_some() { "s" } else { "" };
    let fields = [(1, 'o', path), (2, 's', to), (3, 's', member), (6, 's', to)];
    build(CALL, serial, &fields, signature, &body)
}

fn build(
    kind: u8,
    serial: u32,
    fields: &[(u8, char, &str)],
    signature: &str,
    body: &[u8],
) -> Vec<u8> {
    let mut all = Vec::new();
    for (code, form, text) in fields {
        pad(&mut all, 8);
        all.extend([*code, 1, *form as u8, 0]);
        put_text(&mut all, text);
    }
    if !signature.is_empty() {
        pad(&mut all, 8);
        all.extend([8, 1, b'g', 0, signature.len() as u8]);
        all.extend(signature.as_bytes());
        all.push(0);
    }
    let mut bytes = vec![b'l', kind, 0, 1];
    bytes.extend((body.len() as u32).to_le_bytes());
    bytes.extend(serial.to_le_bytes());
    bytes.extend((all.len() as u32).to_le_bytes());
    bytes.extend(&all);
    pad(&mut bytes, 8);
    bytes.extend(body);
    bytes
}

fn pad(bytes: &mut Vec<u8>, to: usize) {
    bytes.resize(bytes.len().next_multiple_of(to), 0);
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    pad(bytes, 4);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.push(0);
}

/// How many bytes follow the head; `None`: it is no message, or too long a one.
pub(super) fn rest(head: &[u8; HEAD]) -> Option<usize> {
    let (body, fields) = (number(head, 4)?, number(head, 12)?);
    let length = (HEAD + fields).next_multiple_of(8) - HEAD + body;
    (length <= MOST).then_some(length)
}

/// Reads a whole message; `None`: it is none.
pub(super) fn read(bytes: &[u8]) -> Option<Message> {
    let end = HEAD + number(bytes, 12)?;
    let mut message = Message {
        kind: *bytes.get(1)?,
        ..Message::default()
    };
    let mut at = HEAD;
    while at < end {
        at = at.next_multiple_of(8);
        let code = *bytes.get(at)?;
        // A variant: the length of its signature, that, a nought, the value.
        let form = *bytes.get(at + 2)?;
        at += 4;
        let text = match form {
            b's' | b'o' => {
                at = at.next_multiple_of(4);
                let length = number_as(bytes, at, bytes)?;
                let text = bytes.get(at + 4..at + 4 + length)?;
                at += 4 + length + 1;
                text
            }
            b'g' => {
                at += 2 + usize::from(*bytes.get(at)?);
                &[]
            }
            b'u' => {
                at = at.next_multiple_of(4) + 4;
                &[]
            }
            _ => return None,
        };
        let text = || String::from_utf8_lossy(text).into_owned();
        match code {
            2 => message.interface = text(),
            3 => message.member = text(),
            _ => {}
        }
    }
    Some(message)
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    number_as(bytes, at, bytes)
}

/// In the byte order that the message names first. Not above [`MOST`].
fn number_as(bytes: &[u8], at: usize, message: &[u8]) -> Option<usize> {
    let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    let number = match message.first()? {
        b'l' => u32::from_le_bytes(four),
        b'B' => u32::from_be_bytes(four),
        _ => return None,
    };
    usize::try_from(number).ok().filter(|it| *it <= MOST)
}

#[cfg(test)]
pub(super) use testing::{request_name, signal};

#[cfg(test)]
mod testing {
    use super::*;

    /// Asks the bus for a name.
    pub(in super::super) fn request_name(serial: u32, name: &str) -> Vec<u8> {
        let mut body = Vec::new();
        put_text(&mut body, name);
        pad(&mut body, 4);
        body.extend(0_u32.to_le_bytes());
        let bus = "org.freedesktop.DBus";
        let path = "/org/freedesktop/DBus";
        let fields = [
            (1, 'o', path),
            (2, 's', bus),
            (3, 's', "RequestName"),
            (6, 's', bus),
        ];
        build(CALL, serial, &fields, "su", &body)
    }

    /// A signal without arguments.
    pub(in super::super) fn signal(
        serial: u32,
        interface: &str,
        path: &str,
        member: &str,
    ) -> Vec<u8> {
        let fields = [(1, 'o', path), (2, 's', interface), (3, 's', member)];
        build(SIGNAL, serial, &fields, "", &[])
    }

    #[test]
    fn what_is_written_is_read_and_what_is_torn_is_not() {
        let bytes = signal(7, "a.b.C", "/x", "Member");
        let head: &[u8; HEAD] = bytes[..HEAD].try_into().unwrap();
        assert_eq!(rest(head), Some(bytes.len() - HEAD));
        let want = Message {
            kind: SIGNAL,
            interface: "a.b.C".to_owned(),
            member: "Member".to_owned(),
        };
        assert_eq!(read(&bytes), Some(want));
        for cut in 0..bytes.len() - 8 {
            assert_eq!(read(&bytes[..cut]), None, "{cut}");
        }
        let call = call(1, "o.f.D", "/o", "AddMatch", Some("type='signal'"));
        assert_eq!(read(&call).map(|it| it.member).as_deref(), Some("AddMatch"));
    }

    /// As a big-endian machine writes it, and as nobody does.
    #[test]
    fn another_byte_order_and_no_message() {
        let mut head = [0; HEAD];
        head[0] = b'B';
        head[7] = 8;
        head[15] = 16;
        assert_eq!(rest(&head), Some(24));
        head[0] = b'x';
        assert_eq!(rest(&head), None);
        head[0] = b'l';
        head[4..8].fill(0xff);
        assert_eq!(rest(&head), None, "longer than is read");
    }
}
