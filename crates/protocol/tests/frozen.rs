//! The wire as it was released.
//!
//! ============================================================================================
//! CHANGING A GOLDEN FILE BREAKS EVERY RUNNING HOST. bincode has no defaults: an old host reads a
//! changed message as garbage. If a test here fails, do not "fix" the file: give the change a new
//! kind beside the old one. Only a new entry may be added.
//! ============================================================================================

#![cfg(test)]

mod golden;
mod samples;

use protocol::{Decoder, Frame, FromHost, PaneId, ToHost};
use samples::Sample;
use std::fmt::Debug;

const TO_HOST: &str = include_str!("golden/to_host.txt");
const FROM_HOST: &str = include_str!("golden/from_host.txt");

/// What both directions' enums can do, so that one check serves both.
trait Message: Sized + PartialEq + Debug {
    const KINDS: &'static [(u16, &'static str)];
    fn kind(&self) -> u16;
    fn put(&self, pane: PaneId, request: u32, out: &mut Vec<u8>);
    fn decode(frame: Frame) -> Option<Self>;
}

macro_rules! message {
    ($name:ident) => {
        impl Message for $name {
            const KINDS: &'static [(u16, &'static str)] = Self::KINDS;
            fn kind(&self) -> u16 {
                self.kind()
            }
            fn put(&self, pane: PaneId, request: u32, out: &mut Vec<u8>) {
                self.put(pane, request, out).expect("samples are small");
            }
            fn decode(frame: Frame) -> Option<Self> {
                Self::decode(frame).expect("a golden payload is well formed")
            }
        }
    };
}
message!(ToHost);
message!(FromHost);

fn name_of<M: Message>(message: &M) -> &'static str {
    let found = M::KINDS
        .iter()
        .find(|(number, _)| *number == message.kind());
    found.expect("every message stands in KINDS").1
}

/// The samples are the golden bytes, and the golden bytes are the samples.
fn check_frozen<M: Message>(text: &str, samples: &[Sample<M>]) {
    let entries = golden::read(text);
    assert_eq!(entries.len(), samples.len(), "one golden entry a sample");
    for (entry, sample) in entries.iter().zip(samples) {
        let heading = format!(
            "{} {} #{}",
            name_of(&sample.message),
            sample.pane,
            sample.request
        );
        assert_eq!(entry.heading, heading);
        let mut bytes = Vec::new();
        sample.message.put(sample.pane, sample.request, &mut bytes);
        assert_eq!(bytes, entry.bytes, "{heading}: the released bytes changed");

        let mut decoder = Decoder::new();
        decoder.feed(&entry.bytes);
        let frame = decoder.next_frame().expect("a frame").expect("a whole one");
        assert_eq!(
            (frame.pane, frame.request),
            (sample.pane, sample.request),
            "{heading}"
        );
        assert_eq!(
            M::decode(frame).as_ref(),
            Some(&sample.message),
            "{heading}"
        );
    }
}

/// Every kind has a golden entry, numbers are unique, none stands in two directions.
fn check_complete<M: Message>(samples: &[Sample<M>]) {
    for (number, name) in M::KINDS {
        let count = samples
            .iter()
            .filter(|s| s.message.kind() == *number)
            .count();
        assert_eq!(
            count, 1,
            "kind {number} {name} needs exactly one golden entry"
        );
    }
    assert_eq!(samples.len(), M::KINDS.len());
}

/// One stream of all samples, cut in two at every byte and also fed byte by byte.
fn check_every_cut<M: Message>(text: &str, samples: &[Sample<M>]) {
    let entries = golden::read(text);
    let stream: Vec<u8> = entries
        .iter()
        .flat_map(|e| e.bytes.iter().copied())
        .collect();
    for cut in 0..=stream.len() {
        let (first, second) = stream.split_at(cut);
        assert_decodes(&[first, second], samples, cut);
    }
    let single: Vec<&[u8]> = stream.chunks(1).collect();
    assert_decodes(&single, samples, usize::MAX);
}

fn assert_decodes<M: Message>(pieces: &[&[u8]], samples: &[Sample<M>], cut: usize) {
    let mut decoder = Decoder::new();
    let mut found = Vec::new();
    for piece in pieces {
        decoder.feed(piece);
        while let Some(frame) = decoder.next_frame().expect("the stream is sound") {
            found.push(M::decode(frame).expect("every kind is known"));
        }
    }
    assert_eq!(decoder.pending(), 0, "cut at {cut}");
    assert!(
        found.iter().eq(samples.iter().map(|s| &s.message)),
        "cut at {cut}"
    );
}

#[test]
fn what_a_client_sends_is_frozen() {
    check_frozen(TO_HOST, &samples::to_host());
}

#[test]
fn what_the_host_sends_is_frozen() {
    check_frozen(FROM_HOST, &samples::from_host());
}

#[test]
fn every_kind_has_golden_bytes() {
    check_complete(&samples::to_host());
    check_complete(&samples::from_host());
}

#[test]
fn no_number_is_used_twice() {
    let all = || ToHost::KINDS.iter().chain(FromHost::KINDS);
    for (number, name) in all() {
        let same: Vec<_> = all().filter(|(n, _)| n == number).collect();
        assert_eq!(same.len(), 1, "{name}: {same:?}");
        assert_ne!(*number, 0, "{name}");
    }
}

#[test]
fn every_golden_stream_may_be_cut_anywhere() {
    check_every_cut(TO_HOST, &samples::to_host());
    check_every_cut(FROM_HOST, &samples::from_host());
}

#[test]
fn a_frame_that_is_not_whole_is_not_an_error() {
    for entry in golden::read(TO_HOST) {
        for end in 0..entry.bytes.len() {
            let mut decoder = Decoder::new();
            decoder.feed(&entry.bytes[..end]);
            assert_eq!(
                decoder.next_frame(),
                Ok(None),
                "{} cut at {end}",
                entry.heading
            );
            assert_eq!(decoder.pending(), end);
        }
    }
}
