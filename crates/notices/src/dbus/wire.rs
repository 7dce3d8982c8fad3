//! Messages: written little endian, read either way. Pure.

use super::Call;

/// Bytes of a message before its header's fields.
pub(super) const FIXED: usize = 16;
/// Longest answer; the ones waited for are a number or an error's words.
const MAX_ANSWER: usize = 256 * 1024;
/// `METHOD_CALL`, `METHOD_RETURN`, `ERROR`.
const CALL: u8 = 1;
const RETURN: u8 = 2;
const ERROR: u8 = 3;

/// Arguments of a call, aligned as they go.
#[derive(Debug, Default)]
pub(crate) struct Body(Vec<u8>);

/// Where a dictionary's length is to stand, and where its entries begin.
pub(crate) struct Dict(usize, usize);

impl Body {
    pub(crate) fn align(&mut self, to: usize) {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
    }

    pub(crate) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.align(4);
        self.0.extend(value.to_le_bytes());
    }

    /// Text; what D-Bus has no place for (NUL) is left out.
    pub(crate) fn string(&mut self, text: &str) {
        let text = text.replace('\0', "");
        self.u32(u32::try_from(text.len()).unwrap_or_default());
        self.0.extend(text.as_bytes());
        self.0.push(0);
    }

    pub(crate) fn signature(&mut self, types: &str) {
        self.byte(u8::try_from(types.len()).unwrap_or_default());
        self.0.extend(types.as_bytes());
        self.0.push(0);
    }

    /// An array of dictionary entries or structs begins.
    pub(crate) fn begin_dict(&mut self) -> Dict {
        self.u32(0);
        let length = self.0.len() - 4;
        self.align(8);
        Dict(length, self.0.len())
    }

    pub(crate) fn end_dict(&mut self, dict: Dict) {
        let length = u32::try_from(self.0.len() - dict.1).unwrap_or_default();
        self.0[dict.0..dict.0 + 4].copy_from_slice(&length.to_le_bytes());
    }
}

/// A call as it goes over the socket.
pub(super) fn message(call: &Call, serial: u32, body: Body) -> Vec<u8> {
    let mut out = Body(vec![b'l', CALL, 0, 1]);
    out.u32(u32::try_from(body.0.len()).unwrap_or_default());
    out.u32(serial);
    let fields = out.begin_dict();
    for (code, types, value) in [
        (1, "o", call.path),
        (2, "s", call.interface),
        (3, "s", call.member),
        (6, "s", call.to),
    ] {
        out.align(8);
        out.byte(code);
        out.signature(types);
        out.string(value);
    }
    if !call.signature.is_empty() {
        out.align(8);
        out.byte(8);
        out.signature("g");
        out.signature(call.signature);
    }
    out.end_dict(fields);
    out.align(8);
    out.0.extend(body.0);
    out.0
}

/// What of an answer counts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The call it answers; `None`: it answers none.
    pub(super) to: Option<u32>,
    /// The error's name, if it is one.
    pub(super) error: Option<String>,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    big: bool,
}

impl<'a> Reader<'a> {
    fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(n)?)?;
        self.at += n;
        Some(bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u32(&mut self) -> Option<u32> {
        self.align(4);
        let bytes = self.take(4)?.try_into().ok()?;
        Some(match self.big {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        })
    }

    fn text(&mut self, length: usize) -> Option<&'a str> {
        let text = std::str::from_utf8(self.take(length)?).ok()?;
        self.take(1)?;
        Some(text)
    }

    fn string(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.u32()?).ok()?;
        self.text(length)
    }

    fn signature(&mut self) -> Option<&'a str> {
        let length = usize::from(self.byte()?);
        self.text(length)
    }
}

fn is_big(first: u8) -> Option<bool> {
    match first {
        b'l' => Some(false),
        b'B' => Some(true),
        _ => None,
    }
}

/// How many bytes follow the first [`FIXED`]; `None` when this is no message, or one too long.
pub(super) fn rest(fixed: &[u8; FIXED]) -> Option<usize> {
    let big = is_big(fixed[0])?;
    let number = |at: usize| {
        let mut reader = Reader {
            bytes: fixed,
            at,
            big,
        };
        reader.u32().and_then(|n| usize::try_from(n).ok())
    };
    let (body, fields) = (number(4)?, number(12)?);
    let rest = fields.checked_next_multiple_of(8)?.checked_add(body)?;
    (rest <= MAX_ANSWER).then_some(rest)
}

/// Reads a whole message.
pub(super) fn answer(bytes: &[u8]) -> Option<Answer> {
    let mut reader = Reader {
        bytes,
        at: 12,
        big: is_big(*bytes.first()?)?,
    };
    let kind = *bytes.get(1)?;
    let end = FIXED.checked_add(usize::try_from(reader.u32()?).ok()?)?;
    let (mut to, mut error) = (None, None);
    while reader.at < end {
        reader.align(8);
        let code = reader.byte()?;
        match (code, reader.signature()?) {
            (5, "u") => to = Some(reader.u32()?),
            (4, "s") => error = Some(reader.string()?.to_owned()),
            (_, "u") => drop(reader.u32()?),
            (_, "s" | "o") => drop(reader.string()?),
            (_, "g") => drop(reader.signature()?),
            // Nothing else stands in a header; what follows it cannot be found.
            _ => return None,
        }
    }
    Some(match kind {
        RETURN => Answer { to, error: None },
        ERROR => Answer {
            to,
            error: Some(error.unwrap_or_default()),
        },
        _ => Answer {
            to: None,
            error: None,
        },
    })
}
