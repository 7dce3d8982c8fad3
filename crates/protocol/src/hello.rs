//! The first bytes of a connection, both ways. Frozen for ever, like "no common version".
//!
//! Client: magic `abide\0h1`, `u16` body length, body = lowest and highest version (`u16` each),
//! role `u8`, key id `u32` (0 = the token, else a pane's key), nonce (32 bytes); a newer client may
//! append to the body. Host: magic `abide\0r1`, `u16` body length, body = chosen version (`u16`, 0 =
//! none in common), the host's own lowest and highest version, nonce (32 bytes), proof (32 bytes).
//! Client: its proof (32 bytes). All numbers little endian. Whole hello <= 256 bytes.

use crate::auth::{Key, Proof};
use crate::role::Role;

/// Bytes of a nonce.
pub const NONCE: usize = 32;
/// Longest hello, magic and length included.
pub const MAX_HELLO: usize = 256;
const MAGIC_CLIENT: &[u8; 8] = b"abide\0h1";
const MAGIC_HOST: &[u8; 8] = b"abide\0r1";
const PREFIX: usize = 10;
const CLIENT_BODY: usize = 2 + 2 + 1 + 4 + NONCE;
const HOST_BODY: usize = 2 + 2 + 2 + NONCE + Proof::LEN;

/// What a client says first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Lowest and highest version the client speaks, inclusive.
    pub versions: (u16, u16),
    /// What the connection wants to be.
    pub role: Role,
    /// 0 = the token; else the pane whose key is used.
    pub key_id: u32,
    /// Fresh random bytes.
    pub nonce: [u8; NONCE],
}

/// What the host answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostHello {
    /// The version to speak, or `None` when there is none in common.
    pub version: Option<u16>,
    /// Lowest and highest version the host speaks, inclusive.
    pub versions: (u16, u16),
    /// Fresh random bytes.
    pub nonce: [u8; NONCE],
    /// The host's proof over everything said before it.
    pub proof: Proof,
}

/// Why bytes are not a hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HelloError {
    /// The first bytes are another protocol's.
    #[error("the peer does not speak abide's protocol")]
    NotAbide,
    /// The length is out of range for a hello.
    #[error("a hello of {0} bytes is out of range")]
    BadLength(usize),
    /// The role's number is unknown.
    #[error("unknown role {0}")]
    BadRole(u8),
}

/// The highest version both ranges hold.
#[must_use]
pub fn common_version(a: (u16, u16), b: (u16, u16)) -> Option<u16> {
    let (low, high) = (a.0.max(b.0), a.1.min(b.1));
    (low <= high).then_some(high)
}

/// Length of the whole hello that `bytes` begin, once enough of it is there.
///
/// # Errors
/// [`HelloError::NotAbide`] at the first byte that differs from the magic, so that a stranger's
/// protocol is refused without waiting for more; [`HelloError::BadLength`].
fn measure(bytes: &[u8], magic: &[u8; 8], least: usize) -> Result<Option<usize>, HelloError> {
    let seen = bytes.len().min(magic.len());
    if bytes[..seen] != magic[..seen] {
        return Err(HelloError::NotAbide);
    }
    let Some(prefix) = bytes.get(..PREFIX) else {
        return Ok(None);
    };
    let total = PREFIX + usize::from(u16::from_le_bytes([prefix[8], prefix[9]]));
    if total > MAX_HELLO || total < PREFIX + least {
        return Err(HelloError::BadLength(total));
    }
    Ok((bytes.len() >= total).then_some(total))
}

fn prefix(magic: &[u8; 8], body: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(PREFIX + body);
    out.extend_from_slice(magic);
    out.extend_from_slice(&u16::try_from(body).unwrap_or(u16::MAX).to_le_bytes());
    out
}

impl Hello {
    /// The hello's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = prefix(MAGIC_CLIENT, CLIENT_BODY);
        out.extend_from_slice(&self.versions.0.to_le_bytes());
        out.extend_from_slice(&self.versions.1.to_le_bytes());
        out.push(self.role as u8);
        out.extend_from_slice(&self.key_id.to_le_bytes());
        out.extend_from_slice(&self.nonce);
        out
    }

    /// Reads a hello; gives it and its length in bytes, or `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`HelloError`]; the host then closes without a word.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Self, usize)>, HelloError> {
        let Some(total) = measure(bytes, MAGIC_CLIENT, CLIENT_BODY)? else {
            return Ok(None);
        };
        let body = &bytes[PREFIX..total];
        let hello = Self {
            versions: (
                u16::from_le_bytes([body[0], body[1]]),
                u16::from_le_bytes([body[2], body[3]]),
            ),
            role: Role::from_wire(body[4]).ok_or(HelloError::BadRole(body[4]))?,
            key_id: u32::from_le_bytes([body[5], body[6], body[7], body[8]]),
            nonce: nonce_at(body, 9),
        };
        Ok(Some((hello, total)))
    }
}

fn nonce_at(body: &[u8], at: usize) -> [u8; NONCE] {
    let mut nonce = [0; NONCE];
    nonce.copy_from_slice(&body[at..at + NONCE]);
    nonce
}

impl HostHello {
    fn unproven(version: Option<u16>, versions: (u16, u16), nonce: &[u8; NONCE]) -> Vec<u8> {
        let mut out = prefix(MAGIC_HOST, HOST_BODY);
        out.extend_from_slice(&version.unwrap_or(0).to_le_bytes());
        out.extend_from_slice(&versions.0.to_le_bytes());
        out.extend_from_slice(&versions.1.to_le_bytes());
        out.extend_from_slice(nonce);
        out
    }

    /// The host's whole answer to `client` (the client's hello as it came), proof included.
    #[must_use]
    pub fn answer(
        client: &[u8],
        version: Option<u16>,
        versions: (u16, u16),
        nonce: &[u8; NONCE],
        key: &Key,
    ) -> Vec<u8> {
        let mut out = Self::unproven(version, versions, nonce);
        let proof = key.prove_host(client, &out);
        out.extend_from_slice(proof.as_bytes());
        out
    }

    /// Reads the answer; gives it and its length in bytes, or `None` when more bytes are needed.
    /// The proof is not checked here; see [`HostHello::is_proven`].
    ///
    /// # Errors
    /// [`HelloError`] when this is no abide host.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Self, usize)>, HelloError> {
        let Some(total) = measure(bytes, MAGIC_HOST, HOST_BODY)? else {
            return Ok(None);
        };
        let body = &bytes[PREFIX..total];
        let u16_at = |i: usize| u16::from_le_bytes([body[i], body[i + 1]]);
        let mut proof = [0; Proof::LEN];
        proof.copy_from_slice(&body[6 + NONCE..6 + NONCE + Proof::LEN]);
        let version = (u16_at(0) != 0).then(|| u16_at(0));
        let hello = Self {
            version,
            versions: (u16_at(2), u16_at(4)),
            nonce: nonce_at(body, 6),
            proof: Proof::from(proof),
        };
        Ok(Some((hello, total)))
    }

    /// Whether the host knows the key, given the client's hello as it was sent and the host's
    /// answer as it came (`total` bytes of it).
    #[must_use]
    pub fn is_proven(&self, client: &[u8], answer: &[u8], key: &Key) -> bool {
        let said = PREFIX + 6 + NONCE;
        answer.len() >= said && key.prove_host(client, &answer[..said]) == self.proof
    }
}
