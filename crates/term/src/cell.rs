//! Cells, styles and rows: the plain data every engine shows. In: what an
//! engine read; out: what a viewer draws. Promises to hold a superset of what
//! the engines know, so a better engine changes no one else.

use crate::picture::stand_in::is_stand_in;

/// A colour of text, background or underline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Colour {
    /// The terminal's own.
    #[default]
    Default,
    /// One of the 256 palette entries.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// Shape of the underline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Underline {
    /// No underline.
    #[default]
    None = 0,
    /// One line.
    Single = 1,
    /// Two lines.
    Double = 2,
    /// A wavy line.
    Curly = 3,
    /// Dots.
    Dotted = 4,
    /// Dashes.
    Dashed = 5,
}

impl Underline {
    /// The underline of the sub-parameter `4:n`; unknown numbers are `Single`.
    #[must_use]
    pub fn from_number(n: u16) -> Self {
        match n {
            0 => Self::None,
            2 => Self::Double,
            3 => Self::Curly,
            4 => Self::Dotted,
            5 => Self::Dashed,
            _ => Self::Single,
        }
    }
}

/// A set of on/off attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StyleFlags(pub u8);

impl StyleFlags {
    /// SGR 1.
    pub const BOLD: Self = Self(1);
    /// SGR 2.
    pub const DIM: Self = Self(2);
    /// SGR 3.
    pub const ITALIC: Self = Self(4);
    /// SGR 5 and 6.
    pub const BLINK: Self = Self(8);
    /// SGR 7.
    pub const INVERSE: Self = Self(16);
    /// SGR 8.
    pub const HIDDEN: Self = Self(32);
    /// SGR 9.
    pub const STRIKE: Self = Self(64);
    /// SGR 53.
    pub const OVERLINE: Self = Self(128);

    /// Whether all of `other` is set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets or clears all of `other`.
    pub const fn set(&mut self, other: Self, on: bool) {
        if on {
            self.0 |= other.0;
        } else {
            self.0 &= !other.0;
        }
    }
}

/// How a cell looks.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Style {
    /// Text colour.
    pub fg: Colour,
    /// Background colour.
    pub bg: Colour,
    /// Underline colour; `Default` is the text's.
    pub underline_colour: Colour,
    /// Bold, dim and the rest.
    pub flags: StyleFlags,
    /// Shape of the underline.
    pub underline: Underline,
    /// Hyperlink: an index into the screen's links, if the engine keeps them.
    pub link: Option<u32>,
    /// DECSCA: selective erasing leaves it alone. Not seen.
    pub protected: bool,
}

impl Style {
    /// All of it as one number.
    #[inline]
    fn bits(&self) -> u128 {
        let colour = |colour| match colour {
            Colour::Default => 0,
            Colour::Indexed(n) => 1 << 24 | u128::from(n),
            Colour::Rgb(r, g, b) => 2 << 24 | u128::from(u32::from_be_bytes([0, r, g, b])),
        };
        let link = self.link.map_or(0, |link| u128::from(link) + 1);
        colour(self.fg)
            | colour(self.bg) << 26
            | colour(self.underline_colour) << 52
            | u128::from(self.flags.0) << 78
            | (self.underline as u128) << 86
            | u128::from(self.protected) << 89
            | link << 90
    }
}

impl PartialEq for Style {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // In one piece and without branches: styles are compared for each cell.
        self.bits() == other.bits()
    }
}

impl std::hash::Hash for Style {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u128(self.bits());
    }
}

/// Bytes a cell's text holds without an allocation.
const INLINE: usize = 22;

#[derive(Clone)]
enum Repr {
    Inline { len: u8, bytes: [u8; INLINE] },
    Heap(Box<str>),
}

/// The text of one cell: one grapheme cluster, nearly always a few bytes.
#[derive(Clone)]
pub struct CellText(Repr);

impl CellText {
    /// Text of a blank cell or of the second half of a wide one.
    pub const EMPTY: Self = Self(Repr::Inline {
        len: 0,
        bytes: [0; INLINE],
    });

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Inline { len, bytes } => bytes
                .get(..usize::from(*len))
                .and_then(|b| std::str::from_utf8(b).ok())
                .unwrap_or(""),
            Repr::Heap(text) => text,
        }
    }

    /// The text's bytes, without a look whether they are UTF-8 (they are).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline { len, bytes } => bytes.get(..usize::from(*len)).unwrap_or_default(),
            Repr::Heap(text) => text.as_bytes(),
        }
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Repr::Inline { len, .. } => *len == 0,
            Repr::Heap(text) => text.is_empty(),
        }
    }
}

impl From<&str> for CellText {
    fn from(text: &str) -> Self {
        let mut bytes = [0; INLINE];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(text.as_bytes());
                Self(Repr::Inline { len, bytes })
            }
            _ => Self(Repr::Heap(text.into())),
        }
    }
}

impl From<char> for CellText {
    fn from(c: char) -> Self {
        let mut bytes = [0; INLINE];
        // A character has one to four bytes.
        let len = c.encode_utf8(&mut bytes).len() as u8;
        Self(Repr::Inline { len, bytes })
    }
}

impl Default for CellText {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl PartialEq for CellText {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Inline { len: a, bytes: x }, Repr::Inline { len: b, bytes: y }) => {
                a == b && x == y
            }
            _ => self.as_str() == other.as_str(),
        }
    }
}

impl Eq for CellText {}

impl std::fmt::Debug for CellText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

/// One cell of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// One grapheme cluster; empty for a blank cell and for a spacer.
    pub text: CellText,
    /// 1 or 2 columns; 0 for the spacer behind a wide cell.
    pub width: u8,
    /// How it looks.
    pub style: Style,
}

impl Cell {
    /// A blank cell of the default style.
    pub const BLANK: Self = Self {
        text: CellText::EMPTY,
        width: 1,
        style: Style {
            fg: Colour::Default,
            bg: Colour::Default,
            underline_colour: Colour::Default,
            flags: StyleFlags(0),
            underline: Underline::None,
            link: None,
            protected: false,
        },
    };

    /// A cell of one column.
    #[must_use]
    pub fn narrow(text: &str, style: Style) -> Self {
        Self {
            text: text.into(),
            width: 1,
            style,
        }
    }
}

impl Default for Cell {
    fn default() -> Self {
        Self::BLANK
    }
}

/// One row of a screen: exactly as many cells as the screen has columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The cells, left to right.
    pub cells: Vec<Cell>,
    /// Whether the text goes on in the next row.
    pub wrapped: bool,
}

impl Row {
    /// A row of `cols` blank cells.
    #[must_use]
    pub fn blank(cols: u16) -> Self {
        Self {
            cells: vec![Cell::BLANK; usize::from(cols)],
            wrapped: false,
        }
    }

    /// The text without blanks at its end; blank cells inside are spaces.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = self.full_text();
        out.truncate(out.trim_end_matches(' ').len());
        out
    }

    /// The text of all cells; blank cells are spaces.
    #[must_use]
    pub fn full_text(&self) -> String {
        let mut out = String::with_capacity(self.cells.len());
        for cell in self.cells.iter().filter(|cell| cell.width > 0) {
            match cell.text.as_str() {
                "" => out.push(' '),
                // It stands for a part of a picture.
                text if is_stand_in(text) => out.push(' '),
                text => out.push_str(text),
            }
        }
        out
    }
}
