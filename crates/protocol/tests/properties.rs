//! What holds for every message and for every byte string: round trips, and no panic.
//!
//! The second half is the bounded, repeatable side of the fuzz targets in `fuzz/`: the same bodies,
//! on bytes from a fixed seed.

#![cfg(test)]

mod checks;
mod strategies;

use checks::{check_frame_decoder, check_messages, decode_all};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use protocol::{FromHost, PaneId, ToHost};

proptest! {
    #[test]
    fn what_a_client_says_arrives(message in strategies::to_host(), pane: u32, request: u32) {
        let mut bytes = Vec::new();
        message.put(PaneId(pane), request, &mut bytes).expect("far below the limit");
        let frames = decode_all(&[&bytes]).expect("sound");
        prop_assert_eq!(frames.len(), 1);
        prop_assert_eq!((frames[0].pane, frames[0].request), (PaneId(pane), request));
        prop_assert_eq!(ToHost::decode(frames[0].clone()), Ok(Some(message)));
    }

    #[test]
    fn what_the_host_says_arrives(message in strategies::from_host(), pane: u32, request: u32) {
        let mut bytes = Vec::new();
        message.put(PaneId(pane), request, &mut bytes).expect("far below the limit");
        let frames = decode_all(&[&bytes]).expect("sound");
        prop_assert_eq!(frames.len(), 1);
        prop_assert_eq!(FromHost::decode(frames[0].clone()), Ok(Some(message)));
    }

    #[test]
    fn where_a_stream_is_cut_makes_no_difference(
        messages in vec(strategies::to_host(), 1..6),
        cuts in vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut stream = Vec::new();
        for message in &messages {
            message.put(PaneId(1), 2, &mut stream).expect("far below the limit");
        }
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        at.extend([0, stream.len()]);
        at.sort_unstable();
        let pieces: Vec<&[u8]> = at.windows(2).map(|w| &stream[w[0]..w[1]]).collect();
        let decode = |frame| ToHost::decode(frame).ok().flatten();
        let arrived = decode_all(&pieces).expect("sound").into_iter().map(decode);
        prop_assert!(arrived.eq(messages.into_iter().map(Some)));
    }
}

/// 20,000 byte strings of a fixed seed, random ones and sound frames with a few bytes changed.
fn seeded(check: fn(&[u8]), base: BoxedStrategy<Vec<u8>>) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config {
        cases: 20_000,
        failure_persistence: None,
        ..Config::default()
    };
    let random = vec(any::<u8>(), 0..300);
    let changes = vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    let changed = (base, changes).prop_map(|(mut bytes, changes)| {
        for (index, byte) in changes
            .iter()
            .filter(|_| !bytes.is_empty())
            .collect::<Vec<_>>()
        {
            let at = index.index(bytes.len());
            bytes[at] = *byte;
        }
        bytes
    });
    let outcome =
        TestRunner::new_with_rng(config, rng).run(&prop_oneof![random, changed], |bytes| {
            check(&bytes);
            Ok(())
        });
    outcome.expect("no byte string breaks the decoders");
}

fn stream_of(messages: Vec<ToHost>) -> Vec<u8> {
    let mut stream = Vec::new();
    for message in messages {
        message
            .put(PaneId(3), 4, &mut stream)
            .expect("far below the limit");
    }
    stream
}

#[test]
fn no_byte_string_breaks_the_frame_decoder() {
    seeded(
        check_frame_decoder,
        vec(strategies::to_host(), 0..4).prop_map(stream_of).boxed(),
    );
}

#[test]
fn no_byte_string_breaks_the_messages() {
    let kind_and_payload = |bytes: Vec<u8>| [&bytes[4..6], &bytes[14..]].concat();
    let from_client = strategies::to_host().prop_map(move |m| kind_and_payload(stream_of(vec![m])));
    let from_host = strategies::from_host().prop_map(move |m| {
        let mut bytes = Vec::new();
        m.put(PaneId(1), 1, &mut bytes)
            .expect("far below the limit");
        kind_and_payload(bytes)
    });
    seeded(check_messages, prop_oneof![from_client, from_host].boxed());
}
