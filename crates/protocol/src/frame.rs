//! Framing: a 14-byte header, then the payload.
//!
//! In: slices of any length. Out: whole frames, or "not enough yet" as a value.
//! Promises: a payload over the limit is refused when its header is complete, before a byte of it
//! is kept; the decoder holds at most one frame plus what the caller fed it.

use crate::PaneId;

/// Bytes of the header: length `u32`, kind `u16`, pane `u32`, request id `u32`; little endian.
pub const HEADER: usize = 14;

/// Longest payload, in bytes. The same limit holds for what bincode may claim inside.
pub const MAX_PAYLOAD: usize = 8 * 1024 * 1024;

/// One frame as it stands on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What the payload is; see [`crate::msg`].
    pub kind: u16,
    /// The pane it concerns, or [`PaneId::NONE`].
    pub pane: PaneId,
    /// Names a request and its answer; 0 = none.
    pub request: u32,
    /// bincode for control kinds, raw bytes for data kinds.
    pub payload: Vec<u8>,
}

/// A frame's first 14 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Payload length in bytes, <= [`MAX_PAYLOAD`].
    pub len: u32,
    /// See [`Frame::kind`].
    pub kind: u16,
    /// See [`Frame::pane`].
    pub pane: PaneId,
    /// See [`Frame::request`].
    pub request: u32,
}

/// Why bytes are not a frame. The connection cannot go on after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The header claims more than [`MAX_PAYLOAD`].
    #[error("a frame of {len} bytes is over the limit of {MAX_PAYLOAD}")]
    TooLong {
        /// What the header claims.
        len: u32,
    },
}

impl Header {
    /// The header's bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; HEADER] {
        let mut out = [0; HEADER];
        out[0..4].copy_from_slice(&self.len.to_le_bytes());
        out[4..6].copy_from_slice(&self.kind.to_le_bytes());
        out[6..10].copy_from_slice(&self.pane.0.to_le_bytes());
        out[10..14].copy_from_slice(&self.request.to_le_bytes());
        out
    }

    /// Reads a header and checks its length.
    ///
    /// # Errors
    /// [`FrameError::TooLong`] when the payload would pass [`MAX_PAYLOAD`].
    pub fn decode(bytes: &[u8; HEADER]) -> Result<Self, FrameError> {
        let u32_at =
            |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
        let header = Self {
            len: u32_at(0),
            kind: u16::from_le_bytes([bytes[4], bytes[5]]),
            pane: PaneId(u32_at(6)),
            request: u32_at(10),
        };
        if header.len as usize > MAX_PAYLOAD {
            return Err(FrameError::TooLong { len: header.len });
        }
        Ok(header)
    }
}

impl Frame {
    /// Appends the frame's bytes to `out`.
    ///
    /// # Errors
    /// [`FrameError::TooLong`] when the payload passes [`MAX_PAYLOAD`]; `out` is untouched then.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), FrameError> {
        put(out, self.kind, self.pane, self.request, &[&self.payload])
    }
}

/// Appends one frame whose payload is the concatenation of `parts`, without an extra copy.
///
/// # Errors
/// [`FrameError::TooLong`] when the payload passes [`MAX_PAYLOAD`]; `out` is untouched then.
pub fn put(
    out: &mut Vec<u8>,
    kind: u16,
    pane: PaneId,
    request: u32,
    parts: &[&[u8]],
) -> Result<(), FrameError> {
    let total: usize = parts.iter().map(|p| p.len()).sum();
    let len = u32::try_from(total).unwrap_or(u32::MAX);
    if total > MAX_PAYLOAD {
        return Err(FrameError::TooLong { len });
    }
    out.reserve(HEADER + total);
    out.extend_from_slice(
        &Header {
            len,
            kind,
            pane,
            request,
        }
        .encode(),
    );
    for part in parts {
        out.extend_from_slice(part);
    }
    Ok(())
}

/// Turns a byte stream, cut anywhere, into frames.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    start: usize,
}

impl Decoder {
    /// An empty decoder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes as they came from the transport.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start >= self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame; `Ok(None)` means more bytes are needed.
    ///
    /// # Errors
    /// [`FrameError`] when the stream cannot be a frame; the caller closes the connection.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, FrameError> {
        let pending = &self.buffer[self.start..];
        let Some(head) = pending.first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let header = Header::decode(head)?;
        let end = HEADER + header.len as usize;
        let Some(payload) = pending.get(HEADER..end) else {
            return Ok(None);
        };
        let payload = payload.to_vec();
        self.start += end;
        Ok(Some(Frame {
            kind: header.kind,
            pane: header.pane,
            request: header.request,
            payload,
        }))
    }

    /// Bytes fed but not yet part of a frame that was taken.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.start
    }
}
