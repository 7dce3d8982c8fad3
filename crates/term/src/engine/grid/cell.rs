//! A cell in eight bytes. The low half is what stands there: nothing, a character, the number of
//! a cluster, or the second half of a wide one. The high half is how it looks: the common styles
//! (palette colours, flags, underline, protection) written out, all others by their number in a
//! table. Two cells look the same if and only if they are equal.

use super::pool::Pool;
use crate::cell::{Colour, Style, StyleFlags, Underline};

/// Set in the low half: the rest is a cluster's number.
const CLUSTER: u32 = 1 << 31;
/// Set in the low half: two columns wide.
const WIDE: u32 = 1 << 30;
/// The low half of the column behind a wide one.
const SPACER: u32 = 1 << 29;
/// Set in the high half: the rest is a style's number.
const LISTED: u32 = 1 << 31;

/// Set in a style that is written out: DECSCA.
const PROTECTED: u32 = 1 << 29;

/// What stands in a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// Nothing was ever printed here, or it was erased.
    Blank,
    /// One character.
    Char(char),
    /// A cluster of several characters, by number.
    Cluster(u32),
    /// The second half of the wide one before.
    Spacer,
}

/// How a cell is written in a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Blank.
    Blank,
    /// One ASCII character.
    Ascii,
    /// Anything else.
    Text,
}

/// One cell.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Cell(pub(super) u64);

impl Cell {
    /// Erased, in the default style.
    pub(super) const BLANK: Self = Self(0);

    /// An erased cell in this style.
    pub(super) fn blank(style: u32) -> Self {
        Self(u64::from(style) << 32)
    }

    /// A character of one or two columns.
    pub(super) fn char(c: char, wide: bool, style: u32) -> Self {
        let wide = if wide { WIDE } else { 0 };
        Self(u64::from(style) << 32 | u64::from(u32::from(c) | wide))
    }

    /// A cluster of one or two columns.
    pub(super) fn cluster(number: u32, wide: bool, style: u32) -> Self {
        let wide = if wide { WIDE } else { 0 };
        Self(u64::from(style) << 32 | u64::from(number | CLUSTER | wide))
    }

    /// The column behind a wide cell.
    pub(super) fn spacer(style: u32) -> Self {
        Self(u64::from(style) << 32 | u64::from(SPACER))
    }

    fn low(self) -> u32 {
        self.0 as u32
    }

    /// The character of a cell that holds but one, by its number.
    #[inline]
    pub(super) fn code(self) -> Option<u32> {
        let low = self.low();
        (low & (CLUSTER | SPACER) == 0).then_some(low & !WIDE)
    }

    /// The style's word.
    pub(super) fn style(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The same in another style.
    pub(super) fn restyled(self, style: u32) -> Self {
        Self(u64::from(style) << 32 | u64::from(self.low()))
    }

    pub(super) fn content(self) -> Content {
        match self.low() {
            0 => Content::Blank,
            SPACER => Content::Spacer,
            low if low & CLUSTER != 0 => Content::Cluster(low & !(CLUSTER | WIDE)),
            low => char::from_u32(low & !WIDE).map_or(Content::Blank, Content::Char),
        }
    }

    pub(super) fn is_wide(self) -> bool {
        self.low() & WIDE != 0
    }

    pub(super) fn is_spacer(self) -> bool {
        self.low() == SPACER
    }

    /// The byte of a cell that is ASCII or blank.
    #[inline]
    pub(super) fn shown_byte(&self) -> u8 {
        let byte = self.0 as u8;
        byte | u8::from(byte == 0) << 5
    }

    /// Blank or one ASCII character.
    #[inline]
    pub(super) fn is_byte(self) -> bool {
        self.low() < 0x80
    }

    /// How it is written in a snapshot.
    #[inline]
    pub(super) fn kind(self) -> Kind {
        match self.low() {
            0 => Kind::Blank,
            1..=0x7f => Kind::Ascii,
            _ => Kind::Text,
        }
    }

    /// Nothing was printed here.
    pub(super) fn is_blank(self) -> bool {
        self.low() == 0
    }
}

/// A style as a word; `None`: it must be listed.
#[inline]
pub(super) fn inline(style: &Style) -> Option<u32> {
    let colour = |colour| match colour {
        Colour::Default => Some(0),
        Colour::Indexed(n) => Some(u32::from(n) + 1),
        Colour::Rgb(..) => None,
    };
    if style.link.is_some() || style.underline_colour != Colour::Default {
        return None;
    }
    Some(
        colour(style.fg)?
            | colour(style.bg)? << 9
            | u32::from(style.flags.0) << 18
            | (style.underline as u32) << 26
            | if style.protected { PROTECTED } else { 0 },
    )
}

/// The word of the style numbered `number` in the table.
pub(super) fn listed(number: u32) -> u32 {
    number | LISTED
}

/// The number of a listed style.
pub(super) fn number(word: u32) -> Option<u32> {
    (word & LISTED != 0).then_some(word & !LISTED)
}

/// The word of the same style without protection, if it is written out.
pub(super) fn unprotected(word: u32) -> u32 {
    if number(word).is_some() {
        word
    } else {
        word & !PROTECTED
    }
}

/// The word of the same style with another text colour, if it is written out.
pub(super) fn with_text_colour(word: u32, index: u8) -> u32 {
    word & !0x1ff | (u32::from(index) + 1)
}

/// The style of a word.
pub(super) fn style(word: u32, table: &Pool<Style>) -> Style {
    if let Some(number) = number(word) {
        return table.get(number).copied().unwrap_or_default();
    }
    let colour = |bits: u32| match bits & 0x1ff {
        0 => Colour::Default,
        n => Colour::Indexed(u8::try_from(n - 1).unwrap_or(u8::MAX)),
    };
    Style {
        fg: colour(word),
        bg: colour(word >> 9),
        flags: StyleFlags((word >> 18) as u8),
        underline: match word >> 26 & 7 {
            0 => Underline::None,
            n => Underline::from_number(n as u16),
        },
        protected: word & PROTECTED != 0,
        ..Style::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_keep_everything() {
        let mut table = Pool::default();
        let colours = [
            Colour::Default,
            Colour::Indexed(0),
            Colour::Indexed(255),
            Colour::Rgb(1, 2, 3),
        ];
        for (at, fg) in colours.into_iter().enumerate() {
            for bg in colours {
                for underline in 0..6 {
                    let want = Style {
                        fg,
                        bg,
                        flags: StyleFlags(37 * (at as u8 + 1)),
                        underline: Underline::from_number(underline),
                        protected: underline % 2 == 0,
                        link: (underline == 5).then_some(7),
                        underline_colour: colours[at],
                    };
                    let word =
                        inline(&want).unwrap_or_else(|| listed(table.intern(&want).unwrap()));
                    assert_eq!(style(word, &table), want);
                }
            }
        }
    }

    #[test]
    fn contents_keep_everything() {
        for (cell, content, wide) in [
            (Cell::BLANK, Content::Blank, false),
            (Cell::blank(5), Content::Blank, false),
            (Cell::char('a', false, 1), Content::Char('a'), false),
            (Cell::char('漢', true, 1), Content::Char('漢'), true),
            (
                Cell::char('\u{10ffff}', true, 1),
                Content::Char('\u{10ffff}'),
                true,
            ),
            (Cell::cluster(0, true, 9), Content::Cluster(0), true),
            (
                Cell::cluster(70_000, false, 9),
                Content::Cluster(70_000),
                false,
            ),
            (Cell::spacer(3), Content::Spacer, false),
        ] {
            assert_eq!((cell.content(), cell.is_wide()), (content, wide));
        }
    }
}
