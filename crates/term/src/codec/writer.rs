//! Values to bytes.

use crate::cell::{Colour, Style};

/// Sections behind a magic word.
pub(super) struct Writer {
    out: Vec<u8>,
}

impl Writer {
    pub(super) fn new(magic: &[u8]) -> Self {
        Self {
            out: magic.to_vec(),
        }
    }

    /// More sections behind those that are there.
    pub(super) const fn after(out: Vec<u8>) -> Self {
        Self { out }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }

    /// Writes a section; its length is put in afterwards.
    pub(super) fn section(&mut self, tag: u16, write: impl FnOnce(&mut Self)) {
        self.u16(tag);
        let at = self.out.len();
        self.u32(0);
        write(self);
        let len = u32::try_from(self.out.len() - at - 4).unwrap_or(u32::MAX);
        if let Some(place) = self.out.get_mut(at..at + 4) {
            place.copy_from_slice(&len.to_le_bytes());
        }
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.out.push(value);
    }

    pub(super) fn bytes(&mut self, bytes: impl Iterator<Item = u8>) {
        self.out.extend(bytes);
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.u8(u8::from(value));
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    /// A count or length, LEB128.
    pub(super) fn count(&mut self, mut value: usize) {
        while value > 0x7f {
            self.u8(0x80 | (value & 0x7f) as u8);
            value >>= 7;
        }
        self.u8(value as u8);
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.raw(text.as_bytes());
    }

    pub(super) fn style(&mut self, style: &Style) {
        for colour in [style.fg, style.bg, style.underline_colour] {
            match colour {
                Colour::Default => self.u8(0),
                Colour::Indexed(n) => self.raw(&[1, n]),
                Colour::Rgb(r, g, b) => self.raw(&[2, r, g, b]),
            }
        }
        self.u8(style.flags.0);
        self.u8(style.underline as u8);
        self.u8(u8::from(style.link.is_some()) | u8::from(style.protected) << 1);
        if let Some(link) = style.link {
            self.u32(link);
        }
    }
}
