//! UTF-8 one character at a time: what a slice begins with, and the few bytes kept when it ends
//! inside a character. Ranges after Unicode table 3-7, so that an invalid stretch is one maximal
//! subpart.

/// What the bytes begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decoded {
    /// A character of this many bytes.
    Char(char, usize),
    /// A maximal subpart of this many bytes that is no character.
    Invalid(usize),
    /// The beginning of a character; all bytes belong to it.
    Incomplete,
}

/// Decodes the first character of `bytes`, which is not empty.
#[inline]
pub(super) fn decode(bytes: &[u8]) -> Decoded {
    // The two lengths of nearly all text, whole.
    match *bytes {
        [a @ 0xc2..=0xdf, b @ 0x80..=0xbf, ..] => {
            found(u32::from(a & 0x1f) << 6 | u32::from(b & 0x3f), 2)
        }
        [a @ 0xe1..=0xec, b @ 0x80..=0xbf, c @ 0x80..=0xbf, ..] => {
            let high = u32::from(a & 0x0f) << 12 | u32::from(b & 0x3f) << 6;
            found(high | u32::from(c & 0x3f), 3)
        }
        _ => any(bytes),
    }
}

fn found(code: u32, len: usize) -> Decoded {
    char::from_u32(code).map_or(Decoded::Invalid(len), |c| Decoded::Char(c, len))
}

/// Any first character, also a broken one.
fn any(bytes: &[u8]) -> Decoded {
    let first = bytes[0];
    let (len, second) = match first {
        0..=0x7f => return Decoded::Char(char::from(first), 1),
        0xc2..=0xdf => (2, 0x80..=0xbf),
        0xe0 => (3, 0xa0..=0xbf),
        0xed => (3, 0x80..=0x9f),
        0xe1..=0xef => (3, 0x80..=0xbf),
        0xf0 => (4, 0x90..=0xbf),
        0xf1..=0xf3 => (4, 0x80..=0xbf),
        0xf4 => (4, 0x80..=0x8f),
        _ => return Decoded::Invalid(1),
    };
    let mut code = u32::from(first) & (0x7f >> len);
    for at in 1..len {
        let Some(&byte) = bytes.get(at) else {
            return Decoded::Incomplete;
        };
        let fits = if at == 1 {
            second.contains(&byte)
        } else {
            byte & 0xc0 == 0x80
        };
        if !fits {
            return Decoded::Invalid(at);
        }
        code = code << 6 | u32::from(byte & 0x3f);
    }
    found(code, len)
}

/// The beginning of a character, at most three bytes (four while it is being finished).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Partial {
    bytes: [u8; 4],
    len: u8,
}

impl Partial {
    /// Keeps an incomplete character.
    pub(super) fn keep(bytes: &[u8]) -> Self {
        let mut partial = Self::default();
        for &byte in bytes {
            partial.push(byte);
        }
        partial
    }

    /// Adds a byte; a fifth would be ignored (a character never needs it).
    pub(super) fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(usize::from(self.len)) {
            *slot = byte;
            self.len += 1;
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }
}
