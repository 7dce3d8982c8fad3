//! What the host tells a pane's reaper while it lives, on the lifeline.
//!
//! A record has 16 bytes, all numbers little endian: kind (1: spare, 2: the host closes the stream now),
//! 3 zeroes, pid, start time of the process. Records are written whole, so a reader sees whole ones;
//! unknown kinds are skipped. The end of the stream is the order to end the family.
//!
//! A process that is to be spared, with everybody below it, is left alone when the family is ended for
//! any reason but the host's death, and falls to the host. When the host is dead nobody is spared: a
//! dying host's descriptors are closed a moment before it is dead, so a stream that ends without a word
//! means that it is dying.

use std::io::{self, Write};
use sys::fd::{AsFd, OwnedFd};
use sys::process::Identity;

/// Bytes in one record.
const RECORD: usize = 16;
/// Most processes that a reaper is told to spare; a further one takes the place of one that has
/// ended, or is not spared.
pub const SPARED: usize = 64;

/// Tells the reaper behind `lifeline` to leave `whom` to the host.
///
/// # Errors
/// `WouldBlock`: it has not read 4,096 earlier ones. Else what writing reports: it is gone.
pub fn spare(lifeline: &OwnedFd, whom: Identity) -> io::Result<()> {
    let mut file = std::fs::File::from(lifeline.as_fd().try_clone_to_owned()?);
    file.write_all(&encode(whom))
}

/// Has the reaper behind `lifeline` end the family, but for those it was told to spare.
pub fn end(lifeline: OwnedFd) {
    let mut record = [0; RECORD];
    record[0] = 2;
    // Gone already, or it is not listening: then its family is ended, the spared too.
    let _unheard = std::fs::File::from(lifeline).write_all(&record);
}

fn encode(whom: Identity) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[0] = 1;
    record[4..8].copy_from_slice(&whom.pid.to_le_bytes());
    record[8..].copy_from_slice(&whom.start.to_le_bytes());
    record
}

/// Those whom the host asked to spare.
#[cfg(any(unix, test))]
#[derive(Debug, Default)]
pub(crate) struct Spared {
    all: Vec<Identity>,
    /// The host has said that it ends the family.
    ending: bool,
}

#[cfg(any(unix, test))]
impl Spared {
    /// Takes in what was read from the lifeline.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for record in bytes.as_chunks::<RECORD>().0 {
            self.ending |= record[0] == 2;
            let [1, _, _, _, p0, p1, p2, p3, start @ ..] = *record else {
                continue;
            };
            self.add(Identity {
                pid: i32::from_le_bytes([p0, p1, p2, p3]),
                start: u64::from_le_bytes(start),
            });
        }
    }

    fn add(&mut self, whom: Identity) {
        if self.all.len() >= SPARED {
            self.all.retain(Identity::alive);
        }
        if self.all.len() < SPARED && !self.all.contains(&whom) {
            self.all.push(whom);
        }
    }

    pub(crate) fn has(&self, whom: Identity) -> bool {
        self.all.contains(&whom)
    }

    /// The stream has ended.
    pub(crate) fn stream_ended(&mut self) {
        if !self.ending {
            self.clear();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.all.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOM: Identity = Identity {
        pid: 0x0102_0304,
        start: 0x1112_1314_1516_1718,
    };

    /// Host and reaper may be of different builds: these bytes do not change.
    #[test]
    fn the_record_is_these_bytes() {
        let bytes = [
            1, 0, 0, 0, 4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
        ];
        assert_eq!(encode(WHOM), bytes);
    }

    #[test]
    fn records_are_read_once_each_and_unknown_kinds_skipped() {
        let mut spared = Spared::default();
        let mut unknown = encode(WHOM);
        unknown[0] = 9;
        let other = Identity { pid: 5, ..WHOM };
        spared.feed(&[unknown, encode(WHOM), encode(WHOM), encode(other)].concat());
        assert_eq!(spared.all, [WHOM, other]);
        assert!(!spared.has(Identity { start: 1, ..WHOM }));
    }

    #[test]
    fn the_list_is_bounded_and_those_who_ended_make_room() {
        let mut spared = Spared::default();
        for pid in 0..1_000 {
            spared.feed(&encode(Identity {
                pid: i32::MAX - pid,
                start: 1,
            }));
        }
        assert!(spared.all.len() <= SPARED);
        let me = Identity::me();
        spared.feed(&encode(me));
        assert!(spared.has(me));
    }

    #[test]
    fn a_stream_that_ends_without_a_word_spares_nobody() {
        for (said, want) in [
            (&[0_u8; 0][..], false),
            (&[[2; 1].as_slice(), &[0; 15]].concat(), true),
        ] {
            let mut spared = Spared::default();
            spared.feed(&encode(WHOM));
            spared.feed(said);
            spared.stream_ended();
            assert_eq!(spared.has(WHOM), want);
        }
    }
}
