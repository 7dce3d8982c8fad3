//! The size of an image file from its first bytes: PNG, GIF, JPEG. In: base64; out: pixels.

use base64::Engine as _;

use crate::events::BASE64;

/// Bytes of base64 that are looked at; a JPEG tells its size behind its other tables.
const LOOKED_AT: usize = 64 * 1024;

/// Width and height, if the format is known and the bytes reach that far.
pub(super) fn size(base64: &[u8]) -> Option<(u32, u32)> {
    let whole = base64.len().min(LOOKED_AT) / 4 * 4;
    let bytes = BASE64.decode(base64.get(..whole)?).ok()?;
    let size = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => {
            let number = |at: usize| {
                let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
                Some(u32::from_be_bytes(bytes))
            };
            (number(16)?, number(20)?)
        }
        [b'G', b'I', b'F', _, _, _, w0, w1, h0, h1, ..] => {
            let number = |low: u8, high: u8| u32::from(u16::from_le_bytes([low, high]));
            (number(*w0, *w1), number(*h0, *h1))
        }
        [0xff, 0xd8, rest @ ..] => jpeg(rest)?,
        _ => return None,
    };
    (size.0 > 0 && size.1 > 0).then_some(size)
}

/// Walks over a JPEG's segments to its frame header.
fn jpeg(mut rest: &[u8]) -> Option<(u32, u32)> {
    loop {
        let [0xff, marker, high, low, segment @ ..] = rest else {
            return None;
        };
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        // Frame headers are C0 to CF, without the tables C4, C8 and CC.
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let [_, h1, h0, w1, w0, ..] = segment else {
                return None;
            };
            let number = |high: u8, low: u8| u32::from(u16::from_be_bytes([high, low]));
            return Some((number(*w1, *w0), number(*h1, *h0)));
        }
        rest = segment.get(length.checked_sub(2)?..)?;
    }
}
