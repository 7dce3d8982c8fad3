//! A checksum that goes on where it stopped: a chain over whole blocks, and the bytes behind them.
//!
//! Pure. A copy that grew is checked by its last block alone; the whole one by reading it once.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Bytes of a block.
pub(super) const BLOCK: usize = 64 * 1024;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chain {
    blocks: [u8; 32],
    /// Bytes behind the last whole block.
    tail: Vec<u8>,
    length: u64,
}

impl Chain {
    /// Goes on behind `length` bytes whose whole blocks came to `blocks`; `None` when that is no
    /// checksum.
    pub(super) fn resumed(blocks: &str, length: u64, tail: &[u8]) -> Option<Self> {
        Some(Self {
            blocks: from_hex(blocks)?,
            tail: tail.to_vec(),
            length,
        })
    }

    /// Bytes that lie behind the last whole block of `length`.
    pub(super) const fn behind(length: u64) -> u64 {
        length % BLOCK as u64
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        while !bytes.is_empty() {
            let room = BLOCK - self.tail.len();
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            self.tail.extend_from_slice(now);
            bytes = rest;
            if self.tail.len() == BLOCK {
                self.blocks = hash(&self.blocks, &self.tail);
                self.tail.clear();
            }
        }
    }

    /// Of the whole blocks.
    pub(super) fn blocks(&self) -> String {
        hex(&self.blocks)
    }

    /// Of everything.
    pub(super) fn sum(&self) -> String {
        hex(&hash(&self.blocks, &self.tail))
    }

    pub(super) const fn length(&self) -> u64 {
        self.length
    }
}

/// A name for words, without anything a file system could mistake.
pub(super) fn name(words: &[&[u8]]) -> String {
    let mut sum = Sha256::new();
    for word in words {
        sum.update((word.len() as u64).to_le_bytes());
        sum.update(word);
    }
    let mut name = hex(&sum.finalize().into());
    name.truncate(32);
    name
}

fn hash(before: &[u8; 32], bytes: &[u8]) -> [u8; 32] {
    let mut sum = Sha256::new();
    sum.update(before);
    sum.update(bytes);
    sum.finalize().into()
}

fn hex(bytes: &[u8; 32]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_cut_anywhere_comes_to_the_same() {
        let bytes: Vec<u8> = (0..BLOCK * 2 + 77).map(|n| (n % 251) as u8).collect();
        let mut whole = Chain::default();
        whole.push(&bytes);
        for cut in [
            0,
            1,
            77,
            BLOCK - 1,
            BLOCK,
            BLOCK + 1,
            BLOCK * 2,
            bytes.len(),
        ] {
            let mut first = Chain::default();
            first.push(&bytes[..cut]);
            let tail = Chain::behind(first.length()) as usize;
            let tail = &bytes[cut - tail..cut];
            let mut next = Chain::resumed(&first.blocks(), first.length(), tail).unwrap();
            assert_eq!(next.sum(), first.sum(), "{cut}");
            next.push(&bytes[cut..]);
            assert_eq!(next, whole, "{cut}");
        }
        assert_eq!(Chain::resumed("zz", 0, b""), None);
    }

    #[test]
    fn names_of_different_words_differ() {
        assert_ne!(name(&[b"a", b"bc"]), name(&[b"ab", b"c"]));
        assert_eq!(name(&[b"a"]).len(), 32);
    }
}
