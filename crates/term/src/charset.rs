//! Character sets of G0 to G3: which character a byte of text is. In: a set and a byte 0x20 to
//! 0x7e; out: the character. Promises nothing about state; who designates a set is the engine.
//!
//! Sources: VT220 and VT510 manuals (special graphics, national replacement sets), xterm's
//! "Control Sequences" (which final designates which set).

/// A character set of G0 to G3. Numbers are those of the snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Charset {
    /// ASCII, and everything unknown.
    #[default]
    Ascii = 0,
    /// DEC special graphics: line drawing.
    Drawing = 1,
    /// United Kingdom.
    Uk = 2,
    /// Dutch.
    Dutch = 3,
    /// Finnish.
    Finnish = 4,
    /// French.
    French = 5,
    /// French Canadian.
    FrenchCanadian = 6,
    /// German.
    German = 7,
    /// Italian.
    Italian = 8,
    /// Norwegian and Danish.
    Norwegian = 9,
    /// Portuguese.
    Portuguese = 10,
    /// Spanish.
    Spanish = 11,
    /// Swedish.
    Swedish = 12,
    /// Swiss.
    Swiss = 13,
}

/// DEC special graphics, from 0x60 to 0x7e (VT220 manual, table 2-4).
const DRAWING: [char; 31] = [
    '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼',
    '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

const ALL: [Charset; 14] = [
    Charset::Ascii,
    Charset::Drawing,
    Charset::Uk,
    Charset::Dutch,
    Charset::Finnish,
    Charset::French,
    Charset::FrenchCanadian,
    Charset::German,
    Charset::Italian,
    Charset::Norwegian,
    Charset::Portuguese,
    Charset::Spanish,
    Charset::Swedish,
    Charset::Swiss,
];

impl Charset {
    /// The set with this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        ALL.get(usize::from(number)).copied()
    }

    /// The set an SCS sequence designates: what stands behind the introducer, and the final.
    #[must_use]
    pub fn designated(more: &[u8], last: u8) -> Self {
        match (more, last) {
            (b"%", b'6') => Self::Portuguese,
            (b"", b'0') => Self::Drawing,
            (b"", b'A') => Self::Uk,
            (b"", b'4') => Self::Dutch,
            (b"", b'C' | b'5') => Self::Finnish,
            (b"", b'R' | b'f') => Self::French,
            (b"", b'Q' | b'9') => Self::FrenchCanadian,
            (b"", b'K') => Self::German,
            (b"", b'Y') => Self::Italian,
            (b"", b'`' | b'E' | b'6') => Self::Norwegian,
            (b"", b'Z') => Self::Spanish,
            (b"", b'H' | b'7') => Self::Swedish,
            (b"", b'=') => Self::Swiss,
            _ => Self::Ascii,
        }
    }

    /// The sequence's part behind the introducer that designates this set.
    #[must_use]
    pub fn spelled(self) -> &'static str {
        match self {
            Self::Ascii => "B",
            Self::Drawing => "0",
            Self::Uk => "A",
            Self::Dutch => "4",
            Self::Finnish => "C",
            Self::French => "R",
            Self::FrenchCanadian => "Q",
            Self::German => "K",
            Self::Italian => "Y",
            Self::Norwegian => "E",
            Self::Portuguese => "%6",
            Self::Spanish => "Z",
            Self::Swedish => "H",
            Self::Swiss => "=",
        }
    }

    /// The character of a byte 0x20 to 0x7e. National sets replace characters only while mode 42
    /// (DECNRCM) is on; the United Kingdom's is of the VT100 and needs no mode.
    #[must_use]
    pub fn char(self, byte: u8, national: bool) -> char {
        let replaced = match self {
            Self::Ascii => None,
            Self::Drawing => byte
                .checked_sub(0x60)
                .and_then(|n| DRAWING.get(usize::from(n)).copied()),
            Self::Uk => (byte == b'#').then_some('£'),
            _ if !national => None,
            set => {
                let mut chars = set.replacements().chars();
                PLACES
                    .iter()
                    .zip(chars.by_ref())
                    .find(|(place, c)| **place == byte && *c != ' ')
                    .map(|(_, c)| c)
            }
        };
        replaced.unwrap_or(char::from(byte))
    }

    /// What stands at [`PLACES`]; a blank: ASCII's own.
    fn replacements(self) -> &'static str {
        match self {
            Self::Dutch => "£¾ĳ½|   ¨ƒ¼´",
            Self::Finnish => "  ÄÖÅÜ éäöåü",
            Self::French => "£à°ç§   éùè¨",
            Self::FrenchCanadian => " àâçêî ôéùèû",
            Self::German => " §ÄÖÜ   äöüß",
            Self::Italian => "£§°çé  ùàòèì",
            Self::Norwegian => " ÄÆØÅÜ äæøåü",
            Self::Portuguese => "  ÃÇÕ   ãçõ ",
            Self::Spanish => "£§¡Ñ¿   °ñç ",
            Self::Swedish => " ÉÄÖÅÜ éäöåü",
            Self::Swiss => "ùàéçêîèôäöüû",
            Self::Ascii | Self::Drawing | Self::Uk => "",
        }
    }
}

/// The bytes national sets replace.
const PLACES: &[u8; 12] = b"#@[\\]^_`{|}~";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_can_be_told_and_told_again() {
        for (number, set) in (0..).zip(ALL) {
            assert_eq!(Charset::from_number(number), Some(set));
            assert_eq!(set as u8, number);
            let (last, more) = set.spelled().as_bytes().split_last().unwrap();
            assert_eq!(Charset::designated(more, *last), set);
            if number > 2 {
                assert_eq!(set.replacements().chars().count(), PLACES.len(), "{set:?}");
            }
        }
        assert_eq!(Charset::from_number(14), None);
        assert_eq!(Charset::designated(b"", b'<'), Charset::Ascii);
        assert_eq!(Charset::designated(b"%", b'0'), Charset::Ascii);
    }

    #[test]
    fn replacements_follow_the_mode() {
        let text = |set: Charset, national| -> String {
            let all = PLACES.iter().chain(b"a1");
            all.map(|byte| set.char(*byte, national)).collect()
        };
        assert_eq!(text(Charset::German, true), "#§ÄÖÜ^_`äöüßa1");
        assert_eq!(text(Charset::German, false), "#@[\\]^_`{|}~a1");
        assert_eq!(text(Charset::Dutch, true), "£¾ĳ½|^_`¨ƒ¼´a1");
        assert_eq!(text(Charset::Swiss, true), "ùàéçêîèôäöüûa1");
        assert_eq!(text(Charset::Uk, false), "£@[\\]^_`{|}~a1");
        assert_eq!(text(Charset::Drawing, false), "#@[\\]^_◆π≠£·▒1");
    }
}
