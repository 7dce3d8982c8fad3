//! Messages as bytes, and a bus that answers in every way there is.

use super::*;
use std::os::unix::net::UnixListener;

/// An answer as the bus would send it: kind, the call it answers, an error's name.
fn reply(big: bool, kind: u8, to: Option<u32>, name: Option<&str>) -> Vec<u8> {
    let number = |n: u32| match big {
        true => n.to_be_bytes(),
        false => n.to_le_bytes(),
    };
    let mut fields: Vec<u8> = Vec::new();
    let pad = |fields: &mut Vec<u8>| fields.resize(fields.len().next_multiple_of(8), 0);
    if let Some(name) = name {
        fields.extend([4, 1, b's', 0]);
        fields.extend(number(u32::try_from(name.len()).unwrap()));
        fields.extend(name.as_bytes());
        fields.push(0);
    }
    if let Some(to) = to {
        pad(&mut fields);
        fields.extend([5, 1, b'u', 0]);
        fields.extend(number(to));
    }
    let mut out = vec![if big { b'B' } else { b'l' }, kind, 1, 1];
    for n in [4, 9, fields.len()] {
        out.extend(number(u32::try_from(n).unwrap()));
    }
    out.extend(&fields);
    out.resize(out.len().next_multiple_of(8), 0);
    out.extend(number(77));
    out
}

#[test]
fn answers_are_read_in_either_order_of_bytes() {
    let refused = Some("a.B");
    for big in [false, true] {
        for (kind, to, name, want) in [
            (2, Some(3), None, (Some(3), None)),
            (3, Some(3), refused, (Some(3), refused)),
            (3, Some(3), None, (Some(3), Some(""))),
            (4, None, None, (None, None)),
        ] {
            let bytes = reply(big, kind, to, name);
            let got = wire::answer(&bytes).unwrap();
            assert_eq!((got.to, got.error.as_deref()), want);
            let fixed = bytes.first_chunk().unwrap();
            assert_eq!(wire::rest(fixed), Some(bytes.len() - wire::FIXED));
        }
    }
}

/// Cut anywhere, filled with anything: told, never a panic.
#[test]
fn what_is_no_message_is_told() {
    let whole = reply(false, 3, Some(3), Some("a.B"));
    for end in 0..whole.len() - 4 {
        let _none_or_less = wire::answer(&whole[..end]);
    }
    for at in 0..whole.len() {
        for byte in [0, 1, 0x7f, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            let _whatever = wire::answer(&bytes);
            let _length = wire::rest(bytes.first_chunk().unwrap());
        }
    }
    let mut long = whole;
    long[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(wire::rest(long.first_chunk().unwrap()), None);
    assert_eq!(wire::rest(b"HTTP/1.1 400 Bad"), None);
}

/// What the bus says when it is called.
enum Says {
    Reject,
    Answers(Vec<Vec<u8>>),
    Nothing,
}

/// What comes of a call to a bus that says this.
fn call(says: Says, limit: Duration) -> Result<(), BusError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bus");
    let listener = UnixListener::bind(&path).unwrap();
    let bus = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        assert_eq!(
            line(&mut stream, until).unwrap(),
            b"\0AUTH EXTERNAL 3432\r\n"
        );
        let answers = match says {
            Says::Reject => {
                stream.write_all(b"REJECTED EXTERNAL\r\n").unwrap();
                return;
            }
            Says::Nothing => Vec::new(),
            Says::Answers(answers) => answers,
        };
        stream.write_all(b"OK 1234\r\n").unwrap();
        assert_eq!(line(&mut stream, until).unwrap(), b"BEGIN\r\n");
        for answer in answers {
            stream.write_all(&answer).unwrap();
        }
        // Until the caller has gone.
        let mut rest = Vec::new();
        let _reset = stream.read_to_end(&mut rest);
    });
    let until = Instant::now() + limit;
    let address = format!("unix:path={}", path.display());
    let result = Bus::connect(&address, 42, until).and_then(|mut bus| {
        let call = Call {
            signature: "s",
            ..HELLO
        };
        let mut body = Body::default();
        body.string("x");
        bus.call(&call, body, until)
    });
    bus.join().unwrap();
    result
}

#[test]
fn a_call_is_answered_or_why_not() {
    let long = Duration::from_secs(60);
    let hello = || reply(false, 2, Some(1), None);
    let signal = || reply(false, 4, None, None);
    let taken = vec![hello(), signal(), reply(true, 2, Some(2), None)];
    assert!(call(Says::Answers(taken), long).is_ok());
    let refused = vec![signal(), hello(), reply(false, 3, Some(2), Some("no.Such"))];
    let error = call(Says::Answers(refused), long).unwrap_err();
    assert_eq!(error.to_string(), "it answers no.Such");
    let error = call(Says::Reject, long).unwrap_err();
    assert!(matches!(error, BusError::Rejected), "{error}");
    let error = call(Says::Answers(vec![vec![b'x'; 64]]), long).unwrap_err();
    assert!(matches!(error, BusError::Malformed), "{error}");
    let error = call(Says::Nothing, Duration::from_millis(50)).unwrap_err();
    assert_eq!(error.to_string(), "it did not answer in time");
}
