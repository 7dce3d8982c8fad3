//! Colours of the terminal itself: what the last client told of its own, and what the program
//! overrode with OSC 4, 10, 11 and 12. In: colour specifications; out: numbers for answers.
//!
//! Source: xterm "Control Sequences", OSC 4/10-12/104/110-112, and XParseColor(3) for the
//! spellings. Colour names are not known; a specification that is not understood changes nothing.

use std::collections::BTreeMap;

/// Red, green, blue, 8 bits each.
pub type Rgb = (u8, u8, u8);

/// Text colour while no client told one: light grey.
const FOREGROUND: Rgb = (0xe5, 0xe5, 0xe5);
/// Background while no client told one.
const BACKGROUND: Rgb = (0, 0, 0);
/// A cell while no client told its pixels.
const CELL: (u16, u16) = (10, 20);

/// What the viewer's own terminal looks like, as it told. Unknown parts are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Colours {
    /// Default text colour (OSC 10).
    pub foreground: Option<Rgb>,
    /// Default background (OSC 11).
    pub background: Option<Rgb>,
    /// Cursor colour (OSC 12).
    pub cursor: Option<Rgb>,
    /// Palette entries that are known (OSC 4), by index.
    pub palette: Vec<(u8, Rgb)>,
    /// Width and height of one cell in pixels.
    pub cell_pixels: Option<(u16, u16)>,
}

impl Colours {
    /// Whether the background is dark; an unknown one counts as dark.
    #[must_use]
    pub fn dark(&self) -> bool {
        let (r, g, b) = self.background.unwrap_or(BACKGROUND);
        // Rec. 601 luma, times 1000.
        u32::from(r) * 299 + u32::from(g) * 587 + u32::from(b) * 114 < 128_000
    }

    /// A dynamic colour: `number` is 10 (text), 11 (background) or 12 (cursor). Grey on black
    /// while unknown; the cursor has the text's colour.
    #[must_use]
    pub fn dynamic(&self, number: u16) -> Option<Rgb> {
        let foreground = self.foreground.unwrap_or(FOREGROUND);
        match number {
            10 => Some(foreground),
            11 => Some(self.background.unwrap_or(BACKGROUND)),
            12 => Some(self.cursor.unwrap_or(foreground)),
            _ => None,
        }
    }

    /// A palette entry; xterm's while unknown.
    #[must_use]
    pub fn indexed(&self, index: u8) -> Rgb {
        let told = self.palette.iter().find(|(known, _)| *known == index);
        told.map_or_else(|| xterm_colour(index), |(_, colour)| *colour)
    }

    /// Width and height of one cell in pixels, never 0; 10 x 20 while unknown.
    #[must_use]
    pub fn cell(&self) -> (u16, u16) {
        self.cell_pixels
            .filter(|(width, height)| *width > 0 && *height > 0)
            .unwrap_or(CELL)
    }
}

/// Colours a program set in place of the terminal's own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overrides {
    /// OSC 10.
    pub foreground: Option<Rgb>,
    /// OSC 11.
    pub background: Option<Rgb>,
    /// OSC 12.
    pub cursor: Option<Rgb>,
    /// OSC 4; at most 256 entries.
    pub palette: BTreeMap<u8, Rgb>,
}

impl Overrides {
    /// True when the program changed nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The override of a dynamic colour: `number` is 10, 11 or 12.
    pub fn dynamic(&mut self, number: u16) -> Option<&mut Option<Rgb>> {
        match number {
            10 => Some(&mut self.foreground),
            11 => Some(&mut self.background),
            12 => Some(&mut self.cursor),
            _ => None,
        }
    }

    /// Applies OSC 4, 10-12, 104 and 110-112; `number` and the text behind its `;`.
    /// Queries (`?`) change nothing.
    pub fn osc(&mut self, number: u16, text: &[u8]) {
        match number {
            4 => {
                for (index, spec) in pairs(text) {
                    if let (Some(index), Some(colour)) = (index, parse(spec)) {
                        self.palette.insert(index, colour);
                    }
                }
            }
            10..=12 => {
                // Each further specification is for the next number.
                for (number, spec) in (number..=12).zip(text.split(|&b| b == b';')) {
                    if let (Some(slot), Some(colour)) = (self.dynamic(number), parse(spec)) {
                        *slot = Some(colour);
                    }
                }
            }
            104 if text.is_empty() => self.palette.clear(),
            104 => {
                for index in text.split(|&b| b == b';').filter_map(index) {
                    self.palette.remove(&index);
                }
            }
            110..=112 => {
                if let Some(slot) = self.dynamic(number - 100) {
                    *slot = None;
                }
            }
            _ => {}
        }
    }

    /// A dynamic colour as it is seen: the override, else the terminal's own.
    pub fn seen(&self, own: &Colours, number: u16) -> Option<Rgb> {
        let over = match number {
            10 => self.foreground,
            11 => self.background,
            12 => self.cursor,
            _ => None,
        };
        over.or_else(|| own.dynamic(number))
    }

    /// A palette entry as it is seen.
    pub fn seen_indexed(&self, own: &Colours, index: u8) -> Rgb {
        self.palette
            .get(&index)
            .copied()
            .unwrap_or_else(|| own.indexed(index))
    }
}

/// The index/specification pairs of an OSC 4; an index that is no palette entry is `None`.
pub(crate) fn pairs(text: &[u8]) -> impl Iterator<Item = (Option<u8>, &[u8])> {
    let mut fields = text.split(|&b| b == b';');
    std::iter::from_fn(move || Some((index(fields.next()?), fields.next()?)))
}

fn index(text: &[u8]) -> Option<u8> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A colour specification: `rgb:r/g/b` with one to four hex digits each (scaled), `#rgb`,
/// `#rrggbb`, `#rrrgggbbb`, `#rrrrggggbbbb` (most significant digits).
pub fn parse(spec: &[u8]) -> Option<Rgb> {
    let spec = std::str::from_utf8(spec).ok()?;
    if let Some(parts) = spec.strip_prefix("rgb:") {
        let mut parts = parts.split('/');
        let mut next = || scaled(parts.next()?);
        let colour = (next()?, next()?, next()?);
        return parts.next().is_none().then_some(colour);
    }
    let digits = spec
        .strip_prefix('#')
        .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let each = digits.len() / 3;
    if !(1..=4).contains(&each) || digits.len() % 3 != 0 {
        return None;
    }
    let part = |n: usize| {
        let value = u32::from_str_radix(digits.get(n * each..(n + 1) * each)?, 16).ok()?;
        u8::try_from(if each == 1 {
            value << 4
        } else {
            value >> (4 * (each - 2))
        })
        .ok()
    };
    Some((part(0)?, part(1)?, part(2)?))
}

/// One to four hex digits as a part of their greatest value.
fn scaled(digits: &str) -> Option<u8> {
    if !(1..=4).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    let most = (1u32 << (4 * digits.len())) - 1;
    u8::try_from((value * 255 + most / 2) / most).ok()
}

/// A colour as OSC 4 and 10-12 spell it, 16 bits a part.
pub(crate) fn spelled((r, g, b): Rgb) -> String {
    format!("rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}")
}

/// xterm's palette: 16 named colours, the 6x6x6 cube, 24 greys (256colres.h).
pub fn xterm_colour(index: u8) -> Rgb {
    const NAMED: [Rgb; 16] = [
        (0, 0, 0),
        (205, 0, 0),
        (0, 205, 0),
        (205, 205, 0),
        (0, 0, 238),
        (205, 0, 205),
        (0, 205, 205),
        (229, 229, 229),
        (127, 127, 127),
        (255, 0, 0),
        (0, 255, 0),
        (255, 255, 0),
        (92, 92, 255),
        (255, 0, 255),
        (0, 255, 255),
        (255, 255, 255),
    ];
    match index {
        0..=15 => NAMED[usize::from(index)],
        16..=231 => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = index - 16;
            (level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications() {
        for (spec, want) in [
            ("rgb:ff/00/80", Some((255, 0, 128))),
            ("rgb:ffff/0000/8080", Some((255, 0, 128))),
            ("rgb:f/0/8", Some((255, 0, 136))),
            ("rgb:fff/000/888", Some((255, 0, 136))),
            ("#f08", Some((0xf0, 0, 0x80))),
            ("#ff0080", Some((255, 0, 128))),
            ("#fff000888", Some((255, 0, 0x88))),
            ("#ffff00008080", Some((255, 0, 128))),
            ("rgb:ff/00", None),
            ("rgb:ff/00/00/00", None),
            ("rgb:fffff/0/0", None),
            ("rgb:+f/0/0", None),
            ("#ff", None),
            ("#gg0000", None),
            ("red", None),
            ("?", None),
            ("", None),
        ] {
            assert_eq!(parse(spec.as_bytes()), want, "{spec}");
        }
    }

    #[test]
    fn palette_of_xterm() {
        for (index, want) in [
            (1, (205, 0, 0)),
            (16, (0, 0, 0)),
            (21, (0, 0, 255)),
            (196, (255, 0, 0)),
            (231, (255, 255, 255)),
            (232, (8, 8, 8)),
            (255, (238, 238, 238)),
        ] {
            assert_eq!(xterm_colour(index), want, "{index}");
        }
    }

    #[test]
    fn overrides_are_set_and_reset() {
        let mut seen = Overrides::default();
        for (number, text) in [
            (4, "1;#ff0000;300;#00ff00;2;?;3;rgb:0/0/f"),
            (10, "#111111;#222222;#333333;#444444"),
        ] {
            seen.osc(number, text.as_bytes());
        }
        assert_eq!(seen.palette.keys().copied().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(seen.foreground, Some((0x11, 0x11, 0x11)));
        assert_eq!(seen.background, Some((0x22, 0x22, 0x22)));
        assert_eq!(seen.cursor, Some((0x33, 0x33, 0x33)));
        seen.osc(11, b"?");
        assert_eq!(seen.background, Some((0x22, 0x22, 0x22)));
        seen.osc(104, b"1");
        seen.osc(110, b"");
        assert_eq!((seen.palette.len(), seen.foreground), (1, None));
        for number in [104, 111, 112] {
            seen.osc(number, b"");
        }
        assert!(seen.is_empty());
    }

    #[test]
    fn told_colours_and_their_defaults() {
        let unknown = Colours::default();
        assert!(unknown.dark());
        assert_eq!(unknown.dynamic(12), Some(FOREGROUND));
        assert_eq!(unknown.indexed(1), (205, 0, 0));
        assert_eq!(unknown.cell(), CELL);
        for (background, dark) in [
            ((0, 0, 0), true),
            ((253, 246, 227), false),
            ((0, 0, 255), true),
        ] {
            let told = Colours {
                background: Some(background),
                palette: vec![(1, (9, 9, 9))],
                cell_pixels: Some((0, 18)),
                ..Colours::default()
            };
            assert_eq!((told.dark(), told.cell()), (dark, CELL));
            assert_eq!((told.indexed(1), told.indexed(2)), ((9, 9, 9), (0, 205, 0)));
        }
    }
}
