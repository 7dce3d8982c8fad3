//! Characters that stand for parts of a kitty picture (its page: Unicode placeholders). In: the text
//! and style of cells; out: which picture, row and column they stand for. Promises: a table of its own
//! that never changes (kitty's `rowcolumn-diacritics.txt`).

use crate::cell::{Colour, Style};

/// U+10EEEE.
pub(crate) const STAND_IN: char = '\u{10eeee}';

/// Whether a cell's text is one: to people it is a blank.
#[inline]
pub(crate) fn is_stand_in(text: &str) -> bool {
    text.starts_with(STAND_IN)
}

/// What a cell stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StandIn {
    /// The picture's id.
    pub(crate) id: u32,
    pub(crate) row: u16,
    pub(crate) column: u16,
}

impl StandIn {
    /// Of a cell; `left` is what the cell before stands for, which may say what this one leaves out.
    pub(crate) fn of(text: &str, style: &Style, left: Option<Self>) -> Option<Self> {
        let marks = text.strip_prefix(STAND_IN)?;
        let mut marks = marks.chars().map(number);
        let (row, column, high) = (marks.next(), marks.next(), marks.next());
        let low = match style.fg {
            Colour::Default => 0,
            Colour::Indexed(n) => u32::from(n),
            Colour::Rgb(r, g, b) => u32::from_be_bytes([0, r, g, b]),
        };
        let left = left.filter(|left| left.id & 0x00ff_ffff == low);
        let next = |left: Self| Self {
            column: left.column.saturating_add(1),
            ..left
        };
        let Some(row) = row else {
            return left.map(next).or(Some(Self {
                id: low,
                row: 0,
                column: 0,
            }));
        };
        let row = row?;
        let left = left.filter(|left| left.row == row).map(next);
        let Some(column) = column else {
            return left.or(Some(Self {
                id: low,
                row,
                column: 0,
            }));
        };
        let column = column?;
        let id = match high {
            Some(high) => low | u32::from(high? & 0xff) << 24,
            None => left
                .filter(|left| left.column == column)
                .map_or(low, |left| left.id),
        };
        Some(Self { id, row, column })
    }
}

/// First character and count of each run of the table.
const RUNS: [(u32, u16); 86] = [
    (0x305, 1),
    (0x30d, 2),
    (0x310, 1),
    (0x312, 1),
    (0x33d, 3),
    (0x346, 1),
    (0x34a, 3),
    (0x350, 3),
    (0x357, 1),
    (0x35b, 1),
    (0x363, 13),
    (0x483, 5),
    (0x592, 4),
    (0x597, 3),
    (0x59c, 6),
    (0x5a8, 2),
    (0x5ab, 2),
    (0x5af, 1),
    (0x5c4, 1),
    (0x610, 8),
    (0x657, 5),
    (0x65d, 2),
    (0x6d6, 7),
    (0x6df, 4),
    (0x6e4, 1),
    (0x6e7, 2),
    (0x6eb, 2),
    (0x730, 1),
    (0x732, 2),
    (0x735, 2),
    (0x73a, 1),
    (0x73d, 1),
    (0x73f, 3),
    (0x743, 1),
    (0x745, 1),
    (0x747, 1),
    (0x749, 2),
    (0x7eb, 7),
    (0x7f3, 1),
    (0x816, 4),
    (0x81b, 9),
    (0x825, 3),
    (0x829, 5),
    (0x951, 1),
    (0x953, 2),
    (0xf82, 2),
    (0xf86, 2),
    (0x135d, 3),
    (0x17dd, 1),
    (0x193a, 1),
    (0x1a17, 1),
    (0x1a75, 8),
    (0x1b6b, 1),
    (0x1b6d, 7),
    (0x1cd0, 3),
    (0x1cda, 2),
    (0x1ce0, 1),
    (0x1dc0, 2),
    (0x1dc3, 7),
    (0x1dcb, 2),
    (0x1dd1, 22),
    (0x1dfe, 1),
    (0x20d0, 2),
    (0x20d4, 4),
    (0x20db, 2),
    (0x20e1, 1),
    (0x20e7, 1),
    (0x20e9, 1),
    (0x20f0, 1),
    (0x2cef, 3),
    (0x2de0, 32),
    (0xa66f, 1),
    (0xa67c, 2),
    (0xa6f0, 2),
    (0xa8e0, 18),
    (0xaab0, 1),
    (0xaab2, 2),
    (0xaab7, 2),
    (0xaabe, 2),
    (0xaac1, 1),
    (0xfe20, 7),
    (0x10a0f, 1),
    (0x10a38, 1),
    (0x1d185, 5),
    (0x1d1aa, 4),
    (0x1d242, 3),
];

/// The number a mark means.
fn number(mark: char) -> Option<u16> {
    let mark = u32::from(mark);
    let mut before = 0;
    for (first, count) in RUNS {
        if let Some(at) = mark.checked_sub(first).filter(|at| *at < u32::from(count)) {
            return u16::try_from(at).ok().map(|at| before + at);
        }
        before += count;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_numbers() {
        for (mark, want) in [
            ('\u{305}', Some(0)),
            ('\u{30d}', Some(1)),
            ('\u{30e}', Some(2)),
            ('\u{310}', Some(3)),
            ('\u{36f}', Some(29)),
            ('\u{1d244}', Some(296)),
            ('\u{301}', None),
            ('a', None),
        ] {
            assert_eq!(number(mark), want, "{mark:?}");
        }
        assert_eq!(RUNS.iter().map(|(_, count)| count).sum::<u16>(), 297);
    }

    #[test]
    fn cells_stand_for_parts() {
        let style = |fg| Style {
            fg,
            ..Style::default()
        };
        let at = |id, row, column| Some(StandIn { id, row, column });
        let indexed = style(Colour::Indexed(42));
        for (marks, left, want) in [
            ("\u{305}\u{305}", None, at(42, 0, 0)),
            ("\u{30d}\u{30e}", None, at(42, 1, 2)),
            ("\u{30d}\u{30e}\u{310}", None, at(42 | 3 << 24, 1, 2)),
            // What is left out goes on from the left.
            ("", None, at(42, 0, 0)),
            ("", at(42, 1, 2), at(42, 1, 3)),
            ("\u{30d}", at(42, 1, 2), at(42, 1, 3)),
            ("\u{30d}", at(42, 0, 2), at(42, 1, 0)),
            (
                "\u{30d}\u{310}",
                at(42 | 3 << 24, 1, 2),
                at(42 | 3 << 24, 1, 3),
            ),
            ("", at(7, 1, 2), at(42, 0, 0)),
            ("\u{301}", None, None),
        ] {
            let text = format!("{STAND_IN}{marks}");
            assert_eq!(
                StandIn::of(&text, &indexed, left),
                want,
                "{marks:?} {left:?}"
            );
        }
        let rgb = style(Colour::Rgb(1, 2, 3));
        let text = format!("{STAND_IN}\u{305}\u{305}");
        assert_eq!(StandIn::of(&text, &rgb, None), at(0x01_02_03, 0, 0));
        assert_eq!(StandIn::of("x", &rgb, None), None);
    }
}
