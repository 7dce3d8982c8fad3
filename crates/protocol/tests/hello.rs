//! The handshake as it was released, and its arithmetic against another implementation's.
//!
//! ============================================================================================
//! CHANGING `golden/hello.txt` BREAKS EVERY RUNNING HOST AND EVERY OLD CLIENT: the hello and "no
//! common version" are what lets two builds of different ages explain themselves to each other.
//! ============================================================================================

#![cfg(test)]

mod golden;

use protocol::auth::Key;
use protocol::hello::{HelloError, HostHello, MAX_HELLO, NONCE, common_version};
use protocol::{PaneId, Role, hello::Hello};

const CLIENT_NONCE: [u8; NONCE] = [0x11; NONCE];
const HOST_NONCE: [u8; NONCE] = [0x22; NONCE];

fn golden(name: &str) -> Vec<u8> {
    let entries = golden::read(include_str!("golden/hello.txt"));
    entries
        .into_iter()
        .find(|e| e.heading == name)
        .expect("a golden entry of that name")
        .bytes
}

fn key() -> Key {
    Key::from(std::array::from_fn(|i| {
        u8::try_from(i).expect("32 is small")
    }))
}

fn hello() -> Hello {
    Hello {
        versions: (1, 3),
        role: Role::Control,
        key_id: 0,
        nonce: CLIENT_NONCE,
    }
}

#[test]
fn the_hello_is_frozen() {
    let bytes = golden("hello");
    assert_eq!(hello().encode(), bytes);
    assert_eq!(Hello::decode(&bytes), Ok(Some((hello(), bytes.len()))));
}

#[test]
fn a_newer_clients_longer_hello_is_read() {
    let bytes = golden("newer-hello");
    assert_eq!(Hello::decode(&bytes), Ok(Some((hello(), bytes.len()))));
}

#[test]
fn the_answer_and_both_proofs_are_frozen() {
    let (client, answer) = (golden("hello"), golden("answer"));
    assert_eq!(
        HostHello::answer(&client, Some(1), (1, 1), &HOST_NONCE, &key()),
        answer
    );
    let (parsed, used) = HostHello::decode(&answer)
        .expect("an answer")
        .expect("whole");
    assert_eq!(used, answer.len());
    assert_eq!(
        (parsed.version, parsed.versions, parsed.nonce),
        (Some(1), (1, 1), HOST_NONCE)
    );
    assert!(parsed.is_proven(&client, &answer, &key()));
    assert_eq!(
        key().prove_client(&client, &answer).as_bytes()[..],
        golden("client-proof")[..]
    );
}

#[test]
fn no_common_version_is_frozen_and_still_proven() {
    let (client, answer) = (golden("stranger-hello"), golden("no-common-version"));
    assert_eq!(
        HostHello::answer(&client, None, (1, 1), &HOST_NONCE, &key()),
        answer
    );
    let (parsed, _) = HostHello::decode(&answer)
        .expect("an answer")
        .expect("whole");
    assert_eq!((parsed.version, parsed.versions), (None, (1, 1)));
    assert!(parsed.is_proven(&client, &answer, &key()));
}

#[test]
fn a_panes_key_is_frozen() {
    let pane = key().for_pane(b"0123456789abcdef", PaneId(12));
    assert_eq!(pane.as_bytes()[..], golden("pane-key")[..]);
    let other = key().for_pane(b"0123456789abcdef", PaneId(13));
    assert_ne!(pane.as_bytes(), other.as_bytes());
}

#[test]
fn a_hello_may_be_cut_anywhere() {
    for name in ["hello", "newer-hello", "stranger-hello"] {
        let bytes = golden(name);
        for end in 0..bytes.len() {
            assert_eq!(
                Hello::decode(&bytes[..end]),
                Ok(None),
                "{name} cut at {end}"
            );
        }
    }
    for name in ["answer", "no-common-version"] {
        let bytes = golden(name);
        for end in 0..bytes.len() {
            assert_eq!(
                HostHello::decode(&bytes[..end]),
                Ok(None),
                "{name} cut at {end}"
            );
        }
    }
}

#[test]
fn bytes_after_the_hello_are_left_alone() {
    let mut bytes = golden("hello");
    let length = bytes.len();
    bytes.extend_from_slice(b"what follows");
    assert_eq!(Hello::decode(&bytes), Ok(Some((hello(), length))));
}

/// A stranger's first byte is enough: nothing waits for a whole HTTP request.
#[test]
fn another_protocol_is_refused_at_the_first_wrong_byte() {
    let strangers: [&[u8]; 6] = [
        b"G",
        b"GET / HTTP/1.1\r\n",
        b"\x16\x03\x01\x02\x00",
        b"SSH-2.0-x",
        b"abide\0h2",
        b"\0",
    ];
    for bytes in strangers {
        assert_eq!(Hello::decode(bytes), Err(HelloError::NotAbide), "{bytes:?}");
        assert_eq!(
            HostHello::decode(bytes),
            Err(HelloError::NotAbide),
            "{bytes:?}"
        );
    }
    // The two directions do not pass for each other, so a hello cannot be reflected.
    assert_eq!(
        HostHello::decode(&golden("hello")),
        Err(HelloError::NotAbide)
    );
    assert_eq!(Hello::decode(&golden("answer")), Err(HelloError::NotAbide));
}

#[test]
fn a_length_out_of_range_is_refused_before_the_body_comes() {
    for body in [0u16, 1, 40, 247, 4096, u16::MAX] {
        let bytes = [b"abide\0h1".as_slice(), &body.to_le_bytes()].concat();
        let total = bytes.len() + usize::from(body);
        assert_eq!(
            Hello::decode(&bytes),
            Err(HelloError::BadLength(total)),
            "{body}"
        );
    }
    let longest = [b"abide\0h1".as_slice(), &246u16.to_le_bytes()].concat();
    assert_eq!(
        Hello::decode(&longest),
        Ok(None),
        "{MAX_HELLO} bytes are allowed"
    );
}

#[test]
fn an_unknown_role_is_refused() {
    for role in [0u8, 7, 0xff] {
        let mut bytes = golden("hello");
        bytes[14] = role;
        assert_eq!(Hello::decode(&bytes), Err(HelloError::BadRole(role)));
    }
}

/// Each bit of either side's words is inside the proofs: version, role, key id and both nonces.
#[test]
fn a_changed_bit_anywhere_breaks_the_proof() {
    let (client, answer) = (golden("hello"), golden("answer"));
    let (parsed, _) = HostHello::decode(&answer)
        .expect("an answer")
        .expect("whole");
    let proof = key().prove_client(&client, &answer);
    for bit in 0..client.len() * 8 {
        let mut changed = client.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(
            !parsed.is_proven(&changed, &answer, &key()),
            "client bit {bit}"
        );
        assert_ne!(
            key().prove_client(&changed, &answer),
            proof,
            "client bit {bit}"
        );
    }
    for bit in 0..answer.len() * 8 {
        let mut changed = answer.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let honest = HostHello::decode(&changed)
            .is_ok_and(|h| h.is_some_and(|(h, _)| h.is_proven(&client, &changed, &key())));
        assert!(!honest, "host bit {bit}");
        assert_ne!(
            key().prove_client(&client, &changed),
            proof,
            "host bit {bit}"
        );
    }
}

/// Reflection: the host's proof is no client proof, whatever the transcript.
#[test]
fn the_directions_have_labels_of_their_own() {
    let (client, answer) = (golden("hello"), golden("answer"));
    assert_ne!(
        key().prove_host(&client, &answer),
        key().prove_client(&client, &answer)
    );
}

#[test]
fn another_key_proves_nothing() {
    let (client, answer) = (golden("hello"), golden("answer"));
    let (parsed, _) = HostHello::decode(&answer)
        .expect("an answer")
        .expect("whole");
    let mut almost = *key().as_bytes();
    almost[31] ^= 1;
    for wrong in [[0; 32], almost, [0xff; 32]] {
        assert!(!parsed.is_proven(&client, &answer, &Key::from(wrong)));
    }
    assert!(
        !parsed.is_proven(&client, &answer[..20], &key()),
        "too short to hold a proof"
    );
}

#[test]
fn the_highest_common_version_is_chosen() {
    let table = [
        ((1, 1), (1, 1), Some(1)),
        ((1, 3), (2, 5), Some(3)),
        ((2, 5), (1, 3), Some(3)),
        ((1, 9), (4, 4), Some(4)),
        ((1, 2), (3, 4), None),
        ((3, 4), (1, 2), None),
        ((5, 2), (1, 9), None),
    ];
    for (ours, theirs, expected) in table {
        assert_eq!(
            common_version(ours, theirs),
            expected,
            "{ours:?} {theirs:?}"
        );
    }
}

#[test]
fn a_key_is_read_only_from_64_hexadecimal_digits() {
    let hex = key().to_hex();
    assert_eq!(hex.len(), 64);
    let read = |text: &str| Key::from_hex(text).map(|k| *k.as_bytes());
    assert_eq!(read(&hex), Some(*key().as_bytes()));
    assert_eq!(
        read(&format!(" {}\n", hex.to_uppercase())),
        Some(*key().as_bytes())
    );
    let long = format!("{hex}0");
    let spaced = hex.replacen("01", " 1", 1);
    let not_ascii = format!("\u{e9}{}", &hex[2..]);
    for bad in [
        "",
        "00",
        &hex[..63],
        &long,
        &spaced,
        &not_ascii,
        &hex.replacen('0', "g", 1),
    ] {
        assert_eq!(read(bad), None, "{bad:?}");
    }
}

#[test]
fn a_key_does_not_show_itself() {
    assert_eq!(format!("{:?}", key()), "Key(..)");
}
