//! A hash for small keys that programs choose (styles, clusters): one multiplication for sixteen
//! bytes, and a seed nobody knows, so that no stream can make all keys collide.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// A map with this hash.
pub(crate) type QuickMap<K, V> = HashMap<K, V, Seed>;

/// Two secret numbers, drawn for each map.
#[derive(Clone, Debug)]
pub(crate) struct Seed(u64, u64);

impl Default for Seed {
    fn default() -> Self {
        let random = RandomState::new();
        Self(random.hash_one(1u8), random.hash_one(2u8))
    }
}

impl BuildHasher for Seed {
    type Hasher = Quick;

    fn build_hasher(&self) -> Quick {
        Quick {
            state: self.0,
            seed: self.1,
        }
    }
}

/// The running hash.
#[derive(Clone, Debug)]
pub(crate) struct Quick {
    state: u64,
    seed: u64,
}

impl Quick {
    #[inline]
    fn mix(&mut self, low: u64, high: u64) {
        let product = u128::from(low ^ self.state) * u128::from(high ^ self.seed);
        self.state = (product >> 64) as u64 ^ product as u64;
    }
}

impl Hasher for Quick {
    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }

    fn write(&mut self, bytes: &[u8]) {
        for block in bytes.chunks(16) {
            let mut padded = [0; 16];
            padded[..block.len()].copy_from_slice(block);
            self.write_u128(u128::from_le_bytes(padded));
        }
        self.mix(bytes.len() as u64, 0);
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.mix(value.into(), 0);
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.mix(value.into(), 0);
    }

    #[inline]
    fn write_u128(&mut self, value: u128) {
        self.mix(value as u64, (value >> 64) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_keys_differ() {
        let seed = Seed::default();
        let mut seen = std::collections::HashSet::new();
        for n in 0..10_000u128 {
            assert!(seen.insert(seed.hash_one(n)), "{n}");
            assert!(seen.insert(seed.hash_one(n << 64 | 1 << 63)), "{n}");
            assert!(seen.insert(seed.hash_one(format!("{n}"))), "{n}");
        }
        assert_ne!(seed.hash_one("ab"), seed.hash_one("ab\0"));
        assert_ne!(Seed::default().hash_one(5u128), seed.hash_one(5u128));
    }
}
