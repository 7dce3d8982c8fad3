//! Bytes from somebody who means harm: an error each, never an abort, never memory.
//!
//! bincode 2.0.1 without a limit allocates what a length claims and aborts the process; a host that
//! aborts takes every agent with it.

#![cfg(test)]

use protocol::frame::{HEADER, MAX_PAYLOAD, put};
use protocol::msg::{BadMessage, split_offset};
use protocol::{Decoder, Frame, FrameError, FromHost, Header, PaneId, ToHost};

/// Lengths no honest peer sends: one past the limit, 1 TiB, the highest there is.
const CLAIMS: [u64; 4] = [MAX_PAYLOAD as u64 + 1, 1 << 40, i64::MAX as u64, u64::MAX];

fn frame(kind: u16, payload: Vec<u8>) -> Frame {
    Frame {
        kind,
        pane: PaneId(1),
        request: 1,
        payload,
    }
}

/// Decodes in both directions; a kind of the other direction must be "unknown", not an error.
fn decode(kind: u16, payload: &[u8]) -> Result<(), BadMessage> {
    ToHost::decode(frame(kind, payload.to_vec()))?;
    FromHost::decode(frame(kind, payload.to_vec()))?;
    Ok(())
}

fn control_kinds() -> impl Iterator<Item = u16> {
    let data = [64, 224, 225, 226];
    let all = ToHost::KINDS
        .iter()
        .chain(FromHost::KINDS)
        .map(|(number, _)| *number);
    all.filter(move |number| !data.contains(number))
}

#[test]
fn a_claimed_length_is_an_error_at_every_place_of_every_message() {
    for kind in control_kinds() {
        for claim in CLAIMS {
            // Wherever the message's first length stands, one of these prefixes puts the claim on it.
            for before in 0..64 {
                for fill in [0u8, 1] {
                    let mut payload = vec![fill; before];
                    payload.extend_from_slice(&claim.to_le_bytes());
                    payload.extend_from_slice(&[fill; 16]);
                    // An answer at all is the promise; most are errors, none may abort.
                    let _answer = decode(kind, &payload);
                }
            }
        }
    }
}

#[test]
fn a_claimed_length_where_the_length_stands_is_refused() {
    // Messages whose payload begins with a length: list of argv after `None`, plain lists, text.
    let table: [(u16, usize); 9] = [
        (16, 1),
        (33, 0),
        (34, 0),
        (35, 0),
        (48, 0),
        (56, 0),
        (132, 0),
        (176, 0),
        (183, 0),
    ];
    for (kind, at) in table {
        for claim in CLAIMS {
            let mut payload = vec![0; at];
            payload.extend_from_slice(&claim.to_le_bytes());
            assert_eq!(
                decode(kind, &payload),
                Err(BadMessage { kind }),
                "claim {claim}"
            );
        }
    }
}

#[test]
fn bytes_after_a_message_are_refused() {
    for kind in control_kinds() {
        let mut payload = vec![0; 4096];
        payload[4095] = 1;
        assert_eq!(decode(kind, &payload), Err(BadMessage { kind }));
    }
    assert_eq!(
        decode(17, &[0]),
        Err(BadMessage { kind: 17 }),
        "Kill has no payload"
    );
}

#[test]
fn a_message_cut_short_is_refused() {
    for (kind, payload) in [(19u16, vec![0u8; 3]), (36, vec![0; 7]), (128, vec![0; 15])] {
        assert_eq!(decode(kind, &payload), Err(BadMessage { kind }));
    }
}

#[test]
fn values_outside_their_type_are_refused() {
    let not_a_bool = [7, 0, 0, 0, 80, 0, 24, 0, 2];
    let claim = [1u64.to_le_bytes().as_slice(), &not_a_bool].concat();
    assert_eq!(decode(33, &claim), Err(BadMessage { kind: 33 }));
    let not_utf8 = [2u64.to_le_bytes().as_slice(), &[0xff, 0xfe]].concat();
    assert_eq!(decode(176, &not_utf8), Err(BadMessage { kind: 176 }));
    let not_an_option = [2, 0, 0, 0, 0];
    assert_eq!(decode(16, &not_an_option), Err(BadMessage { kind: 16 }));
}

#[test]
fn an_unknown_kind_is_no_error() {
    for kind in [0, 1, 15, 27, 63, 65, 127, 209, 4096, u16::MAX] {
        assert_eq!(
            ToHost::decode(frame(kind, vec![1, 2, 3])),
            Ok(None),
            "{kind}"
        );
        assert_eq!(
            FromHost::decode(frame(kind, vec![1, 2, 3])),
            Ok(None),
            "{kind}"
        );
    }
}

#[test]
fn one_directions_kinds_are_unknown_in_the_other() {
    for (number, name) in ToHost::KINDS {
        assert_eq!(
            FromHost::decode(frame(*number, Vec::new())),
            Ok(None),
            "{name}"
        );
    }
    for (number, name) in FromHost::KINDS {
        assert_eq!(
            ToHost::decode(frame(*number, Vec::new())),
            Ok(None),
            "{name}"
        );
    }
}

#[test]
fn an_oversized_frame_is_refused_when_its_header_is_there() {
    for len in [MAX_PAYLOAD as u32 + 1, 1 << 30, u32::MAX] {
        let header = Header {
            len,
            kind: 64,
            pane: PaneId(1),
            request: 0,
        }
        .encode();
        let mut decoder = Decoder::new();
        decoder.feed(&header[..HEADER - 1]);
        assert_eq!(
            decoder.next_frame(),
            Ok(None),
            "the header is not whole yet"
        );
        decoder.feed(&header[HEADER - 1..]);
        assert_eq!(decoder.next_frame(), Err(FrameError::TooLong { len }));
        assert_eq!(decoder.pending(), HEADER, "nothing of the payload was kept");
    }
}

#[test]
fn the_longest_payload_passes_and_one_byte_more_does_not() {
    let mut out = vec![9];
    let payload = vec![7; MAX_PAYLOAD];
    put(&mut out, 64, PaneId(1), 0, &[&payload]).expect("the limit itself is allowed");
    let mut decoder = Decoder::new();
    decoder.feed(&out[1..]);
    let whole = decoder.next_frame().expect("sound").expect("whole");
    assert_eq!(whole.payload.len(), MAX_PAYLOAD);

    let mut out = vec![9];
    let len = MAX_PAYLOAD as u32 + 1;
    let refused = put(&mut out, 64, PaneId(1), 0, &[&payload, &[0]]);
    assert_eq!(refused, Err(FrameError::TooLong { len }));
    assert_eq!(out, [9], "nothing was appended");
}

#[test]
fn a_message_over_the_limit_is_refused_by_its_sender() {
    let report = protocol::msg::Report {
        body: vec![0; MAX_PAYLOAD],
    };
    let mut out = Vec::new();
    assert!(ToHost::from(report).put(PaneId(1), 0, &mut out).is_err());
    assert_eq!(out, []);
}

/// However many frames went through a decoder, none is left in it.
#[test]
fn a_frame_that_was_taken_leaves_nothing_pending() {
    let mut one = Vec::new();
    put(&mut one, 64, PaneId(1), 0, &[&[1; 1000]]).expect("small");
    let mut decoder = Decoder::new();
    for _ in 0..1000 {
        decoder.feed(&one);
        assert!(decoder.next_frame().expect("sound").is_some());
        assert_eq!(decoder.pending(), 0);
    }
}

#[test]
fn an_offset_is_split_only_from_a_whole_one() {
    assert_eq!(split_offset(&[1; 7]), None);
    assert_eq!(split_offset(&[0; 8]), Some((0, &[][..])));
    let payload = [&0x0102u64.to_le_bytes()[..], b"rest"].concat();
    assert_eq!(split_offset(&payload), Some((0x0102, &b"rest"[..])));
}
