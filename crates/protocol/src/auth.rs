//! Handshake arithmetic: both ends prove that they know a key, and the key never crosses.
//!
//! In: a key and the bytes both sides have seen. Out: proofs. Promises: comparisons take the same
//! time wherever the first difference is; `Debug` shows no secret.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

type HmacSha256 = Hmac<Sha256>;

const LABEL_HOST: &[u8] = b"abide host 1";
const LABEL_CLIENT: &[u8] = b"abide client 1";
const LABEL_PANE: &[u8] = b"pane";

/// A 32-byte secret: the token, or a pane's own key.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

impl From<[u8; 32]> for Key {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl Key {
    /// Bytes of a key.
    pub const LEN: usize = 32;

    /// The raw key, for the one file or environment variable that holds it.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Lower-case hexadecimal, 64 characters.
    #[must_use]
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Reads 64 hexadecimal characters, surrounding white space allowed.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let text = text.trim().as_bytes();
        if text.len() != 64 {
            return None;
        }
        let mut key = [0; 32];
        for (byte, pair) in key.iter_mut().zip(text.chunks_exact(2)) {
            let digit = |c: u8| char::from(c).to_digit(16);
            *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
        }
        Some(Self(key))
    }

    /// The key a pane's environment carries: it admits only role `report`, for that pane.
    #[must_use]
    pub fn for_pane(&self, instance: &[u8; 16], pane: crate::PaneId) -> Self {
        Self(self.mac(&[LABEL_PANE, instance, &pane.0.to_le_bytes()]))
    }

    /// The host's proof: HMAC-SHA256 over its label, the client's hello and its own answer so far.
    #[must_use]
    pub fn prove_host(&self, client_hello: &[u8], host_unproven: &[u8]) -> Proof {
        Proof(self.mac(&[LABEL_HOST, client_hello, host_unproven]))
    }

    /// The client's proof: over its label, its hello and the host's whole answer.
    #[must_use]
    pub fn prove_client(&self, client_hello: &[u8], host_answer: &[u8]) -> Proof {
        Proof(self.mac(&[LABEL_CLIENT, client_hello, host_answer]))
    }

    fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = HmacSha256::new_from_slice(&self.0).expect("any key length is valid");
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// 32 bytes that only somebody with the key can make.
#[derive(Clone, Copy, Debug)]
pub struct Proof([u8; 32]);

impl Proof {
    /// Bytes of a proof.
    pub const LEN: usize = 32;

    /// The proof as it stands on the wire.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Proof {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl PartialEq for Proof {
    /// Constant time: every byte is looked at whatever the first ones are.
    fn eq(&self, other: &Self) -> bool {
        let different = self
            .0
            .iter()
            .zip(&other.0)
            .fold(0, |acc, (a, b)| acc | (a ^ b));
        std::hint::black_box(different) == 0
    }
}

impl Eq for Proof {}
