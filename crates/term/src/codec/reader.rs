//! Bytes to values, each checked.

use super::CodecError;
use crate::cell::{Colour, Style, StyleFlags, Underline};

type Result<T> = std::result::Result<T, CodecError>;

/// What is left of a section.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { bytes, what }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes left.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn out_of_range<T>(&self) -> Result<T> {
        Err(CodecError::Range(self.what))
    }

    pub(super) fn raw(&mut self, len: usize) -> Result<&'a [u8]> {
        let short = CodecError::Short(self.what);
        let (head, rest) = self.bytes.split_at_checked(len).ok_or(short)?;
        self.bytes = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, rest) = self
            .bytes
            .split_first_chunk::<N>()
            .ok_or(CodecError::Short(self.what))?;
        self.bytes = rest;
        Ok(*head)
    }

    pub(super) fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn bool(&mut self) -> Result<bool> {
        Ok(self.u8()? != 0)
    }

    pub(super) fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn count(&mut self) -> Result<usize> {
        let mut value = 0usize;
        for shift in (0..32).step_by(7) {
            let byte = self.u8()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        self.out_of_range()
    }

    /// A count of things that take at least `each` bytes.
    pub(super) fn bounded_count(&mut self, each: usize) -> Result<usize> {
        let count = self.count()?;
        if count.saturating_mul(each) > self.len() {
            return Err(CodecError::Short(self.what));
        }
        Ok(count)
    }

    pub(super) fn text(&mut self) -> Result<&'a str> {
        let len = self.count()?;
        let bytes = self.raw(len)?;
        std::str::from_utf8(bytes).or_else(|_| self.out_of_range())
    }

    fn colour(&mut self) -> Result<Colour> {
        match self.u8()? {
            0 => Ok(Colour::Default),
            1 => self.u8().map(Colour::Indexed),
            2 => self.array().map(|[r, g, b]| Colour::Rgb(r, g, b)),
            _ => self.out_of_range(),
        }
    }

    pub(super) fn style(&mut self) -> Result<Style> {
        let mut style = Style {
            fg: self.colour()?,
            bg: self.colour()?,
            underline_colour: self.colour()?,
            flags: StyleFlags(self.u8()?),
            underline: Underline::from_number(self.u8()?.into()),
            ..Style::default()
        };
        let more = self.u8()?;
        style.protected = more & 2 != 0;
        if more & 1 != 0 {
            style.link = Some(self.u32()?);
        }
        Ok(style)
    }
}

/// The sections behind `magic`.
pub(super) fn sections<'a>(
    bytes: &'a [u8],
    magic: &[u8],
    what: &'static str,
) -> Result<impl Iterator<Item = Result<(u16, &'a [u8])>>> {
    let body = bytes.strip_prefix(magic).ok_or(CodecError::Magic(what))?;
    let mut reader = Reader::new(body, what);
    Ok(std::iter::from_fn(move || {
        if reader.is_empty() {
            return None;
        }
        let section = section(&mut reader);
        if section.is_err() {
            // Nothing behind a broken head can be read.
            reader.rest();
        }
        Some(section)
    }))
}

fn section<'a>(reader: &mut Reader<'a>) -> Result<(u16, &'a [u8])> {
    let tag = reader.u16()?;
    let len = reader.u32()?;
    let len = usize::try_from(len).or_else(|_| reader.out_of_range())?;
    Ok((tag, reader.raw(len)?))
}
