//! The mode table as bytes for snapshots: records of tag, length and value. Numbers are frozen;
//! an unknown tag is skipped, a missing one means power-on.

use super::{KittyStack, Modes, MouseEncoding, MouseMode, Titles};

/// Private modes that are written by their number, one byte of value each.
const PRIVATE: [u16; 15] = [
    1, 5, 6, 7, 12, 25, 45, 47, 66, 69, 1004, 1007, 2004, 2026, 2031,
];
/// The same for those that are written only when they are set; 40 allows 3.
const SELDOM: [u16; 4] = [40, 3, 42, 95];
/// Tags above every private mode.
const ANSI_INSERT: u16 = 0x4004;
const ANSI_NEWLINE: u16 = 0x4014;
const MOUSE: u16 = 0x8001;
const MOUSE_ENCODING: u16 = 0x8002;
const CURSOR_STYLE: u16 = 0x8003;
const MODIFY_OTHER_KEYS: u16 = 0x8004;
const KITTY_MAIN: u16 = 0x8005;
const KITTY_ALTERNATE: u16 = 0x8006;
const FOREGROUND: u16 = 0x8007;
const BACKGROUND: u16 = 0x8008;
const CURSOR_COLOUR: u16 = 0x8009;
const PALETTE: u16 = 0x800a;
const TITLE: u16 = 0x800b;
const SAVED_TITLE: u16 = 0x800c;
const SAVED_MODES: u16 = 0x800d;
/// Written only when it is set.
const RECTANGLES: u16 = 0x800e;

/// The bytes of a mode table end inside a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the saved modes of a terminal end too early")]
pub struct Truncated;

impl Modes {
    /// The table as bytes; [`Modes::decode`] gives an equal one.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for number in PRIVATE {
            if let Some(on) = self.private(number) {
                record(number, &[u8::from(on)], &mut out);
            }
        }
        record(ANSI_INSERT, &[u8::from(self.insert)], &mut out);
        record(ANSI_NEWLINE, &[u8::from(self.newline)], &mut out);
        record(MOUSE, &self.mouse.number().to_le_bytes(), &mut out);
        record(
            MOUSE_ENCODING,
            &self.mouse_encoding.number().to_le_bytes(),
            &mut out,
        );
        record(
            CURSOR_STYLE,
            &[self.cursor_style(), u8::from(self.cursor_blink)],
            &mut out,
        );
        record(MODIFY_OTHER_KEYS, &[self.modify_other_keys], &mut out);
        record(KITTY_MAIN, self.kitty_main.entries(), &mut out);
        record(KITTY_ALTERNATE, self.kitty_alternate.entries(), &mut out);
        self.encode_colours(&mut out);
        record(TITLE, self.titles.current().as_bytes(), &mut out);
        for title in self.titles.stack() {
            record(SAVED_TITLE, title.as_bytes(), &mut out);
        }
        let mut saved = Vec::new();
        for (number, on) in &self.saved {
            saved.extend_from_slice(&number.to_le_bytes());
            saved.push(u8::from(*on));
        }
        record(SAVED_MODES, &saved, &mut out);
        if self.rectangles {
            record(RECTANGLES, &[1], &mut out);
        }
        for number in SELDOM {
            if self.private(number) == Some(true) {
                record(number, &[1], &mut out);
            }
        }
        out
    }

    fn encode_colours(&self, out: &mut Vec<u8>) {
        let colours = &self.colours;
        for (tag, colour) in [
            (FOREGROUND, colours.foreground),
            (BACKGROUND, colours.background),
            (CURSOR_COLOUR, colours.cursor),
        ] {
            if let Some((r, g, b)) = colour {
                record(tag, &[r, g, b], out);
            }
        }
        let palette: Vec<u8> = colours
            .palette
            .iter()
            .flat_map(|(&n, &(r, g, b))| [n, r, g, b])
            .collect();
        record(PALETTE, &palette, out);
    }

    /// Reads what [`Modes::encode`] wrote, of this or another version.
    ///
    /// # Errors
    /// [`Truncated`] if the bytes end inside a record. Values out of range are ignored.
    pub fn decode(mut bytes: &[u8]) -> Result<Self, Truncated> {
        let mut modes = Self::default();
        while !bytes.is_empty() {
            let (head, rest) = bytes.split_first_chunk::<4>().ok_or(Truncated)?;
            let tag = u16::from_le_bytes([head[0], head[1]]);
            let len = usize::from(u16::from_le_bytes([head[2], head[3]]));
            let (value, rest) = rest.split_at_checked(len).ok_or(Truncated)?;
            modes.decode_record(tag, value);
            bytes = rest;
        }
        Ok(modes)
    }

    fn decode_record(&mut self, tag: u16, value: &[u8]) {
        match (tag, value) {
            (ANSI_INSERT, [on]) => self.insert = *on != 0,
            (ANSI_NEWLINE, [on]) => self.newline = *on != 0,
            (MOUSE, [low, high]) => {
                let number = u16::from_le_bytes([*low, *high]);
                self.mouse = MouseMode::from_number(number).unwrap_or_default();
            }
            (MOUSE_ENCODING, [low, high]) => {
                let number = u16::from_le_bytes([*low, *high]);
                self.mouse_encoding = MouseEncoding::from_number(number).unwrap_or_default();
            }
            (CURSOR_STYLE, [style, blink]) => {
                self.set_cursor_style(u16::from(*style));
                self.cursor_blink = *blink != 0;
            }
            (RECTANGLES, [on]) => self.rectangles = *on != 0,
            (MODIFY_OTHER_KEYS, [value]) => self.modify_other_keys = (*value).min(2),
            (KITTY_MAIN, entries) => self.kitty_main = KittyStack::of(entries),
            (KITTY_ALTERNATE, entries) => self.kitty_alternate = KittyStack::of(entries),
            (FOREGROUND, [r, g, b]) => self.colours.foreground = Some((*r, *g, *b)),
            (BACKGROUND, [r, g, b]) => self.colours.background = Some((*r, *g, *b)),
            (CURSOR_COLOUR, [r, g, b]) => self.colours.cursor = Some((*r, *g, *b)),
            (PALETTE, entries) => {
                let (entries, _) = entries.as_chunks::<4>();
                self.colours.palette = entries.iter().map(|&[n, r, g, b]| (n, (r, g, b))).collect();
            }
            (TITLE, text) => {
                let stack = self.titles.stack().to_vec();
                self.titles = Titles::of(title(text));
                stack
                    .into_iter()
                    .for_each(|title| self.titles.push_saved(title));
            }
            (SAVED_TITLE, text) => self.titles.push_saved(title(text)),
            (SAVED_MODES, entries) => {
                let (entries, _) = entries.as_chunks::<3>();
                for &[low, high, on] in entries {
                    let number = u16::from_le_bytes([low, high]);
                    if self.private(number).is_some() {
                        self.saved.insert(number, on != 0);
                    }
                }
            }
            (number, [on]) if PRIVATE.contains(&number) || SELDOM.contains(&number) => {
                self.set_private(number, *on != 0);
            }
            _ => {}
        }
    }
}

/// A title from bytes that may come from anywhere.
fn title(text: &[u8]) -> String {
    crate::events::clean(text, super::TITLE_LIMIT)
}

fn record(tag: u16, value: &[u8], out: &mut Vec<u8>) {
    // All values are bounded far below 64 KiB: the longest is the palette with 1 KiB.
    let len = u16::try_from(value.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&tag.to_le_bytes());
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&value[..usize::from(len)]);
}
