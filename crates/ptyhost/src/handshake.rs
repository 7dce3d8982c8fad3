//! The first bytes of a connection: who is there, and does he know the key.
//!
//! In: a stream of which nothing has been read, the keys. Out: a role, or the reason for closing.
//! Promises: the host proves itself first and says nothing to whoever does not speak the protocol;
//! at most [`MAX_HELLO`] bytes are read before the proof; no deadline here, the listener has it.

use protocol::auth::{Key, Proof};
use protocol::hello::{Hello, HelloError, HostHello, MAX_HELLO, NONCE, common_version};
use protocol::{PaneId, Role};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// What every handshake of this host needs.
pub(crate) struct Gate {
    /// The token.
    pub(crate) key: Key,
    /// Names this host's life; part of every pane's key.
    pub(crate) instance: [u8; 16],
    /// Versions spoken.
    pub(crate) versions: (u16, u16),
}

/// A connection that proved itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// What it may do.
    pub(crate) role: Role,
    /// The pane whose key it has; only with role `report`.
    pub(crate) pane: Option<PaneId>,
}

/// Why a connection is closed without becoming one. Nothing of it is told to the peer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error("it closed before it had proved itself")]
    Closed,
    #[error("{0}")]
    NotAbide(#[from] HelloError),
    #[error("it sent bytes before its turn")]
    TooEager,
    #[error("its key and its role do not belong together")]
    WrongRole,
    #[error("it speaks versions {}..={}, this host {}..={}", .0.0, .0.1, .1.0, .1.1)]
    Version((u16, u16), (u16, u16)),
    #[error("its proof is wrong: another token")]
    WrongProof,
}

impl From<std::io::Error> for Refused {
    fn from(_: std::io::Error) -> Self {
        Self::Closed
    }
}

/// Carries the handshake out.
pub(crate) async fn admit<S>(stream: &mut S, gate: &Gate) -> Result<Admitted, Refused>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (hello, said) = read_hello(stream).await?;
    let (key, pane) = key_for(&hello, gate)?;
    let version = common_version(hello.versions, gate.versions);
    let nonce: [u8; NONCE] = rand::random();
    let answer = HostHello::answer(&said, version, gate.versions, &nonce, &key);
    stream.write_all(&answer).await?;
    if version.is_none() {
        stream.shutdown().await?;
        return Err(Refused::Version(hello.versions, gate.versions));
    }
    let mut proof = [0; Proof::LEN];
    stream.read_exact(&mut proof).await?;
    if Proof::from(proof) != key.prove_client(&said, &answer) {
        return Err(Refused::WrongProof);
    }
    Ok(Admitted {
        role: hello.role,
        pane,
    })
}

/// Reads exactly one hello. A client that says more before the host has answered cannot be one:
/// its proof depends on the answer.
async fn read_hello<S: AsyncRead + Unpin>(stream: &mut S) -> Result<(Hello, Vec<u8>), Refused> {
    let mut said = Vec::with_capacity(MAX_HELLO);
    loop {
        let mut chunk = [0; MAX_HELLO];
        let room = MAX_HELLO - said.len();
        match stream.read(&mut chunk[..room]).await? {
            0 => return Err(Refused::Closed),
            n => said.extend_from_slice(&chunk[..n]),
        }
        if let Some((hello, total)) = Hello::decode(&said)? {
            if said.len() > total {
                return Err(Refused::TooEager);
            }
            return Ok((hello, said));
        }
    }
}

/// A pane's key admits role `report` only, and role `report` needs a pane's key. Whether there is
/// such a pane is for the core to say.
fn key_for(hello: &Hello, gate: &Gate) -> Result<(Key, Option<PaneId>), Refused> {
    match (hello.key_id, hello.role) {
        (0, Role::Report) => Err(Refused::WrongRole),
        (0, _) => Ok((gate.key.clone(), None)),
        (id, Role::Report) => {
            let pane = PaneId(id);
            Ok((gate.key.for_pane(&gate.instance, pane), Some(pane)))
        }
        _ => Err(Refused::WrongRole),
    }
}

#[cfg(test)]
mod tests;
