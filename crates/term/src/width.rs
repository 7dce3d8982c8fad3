//! How many columns text takes: one function for all engines and viewers.
//!
//! In: text; out: its parts that share a cell, 0, 1 or 2 columns each. A part is a grapheme cluster
//! after UAX #29. One with the emoji variation selector (VS16), with a joiner between emoji, a flag
//! and a keycap are 2 wide, as terminals with mode 2027 draw them (contour's "Unicode Core" page).
//! Where the standard joins letters that have a column each (Thai SARA AM, vowel signs and
//! conjuncts of Indic scripts, halfwidth voiced marks), each keeps its own, as `wcwidth` counts and
//! xterm, VTE and tmux draw: in one cell they would be cut off, and a line editor would lose its
//! place. A part never changes the width of another.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// Emoji variation selector.
const VS16: char = '\u{fe0f}';
/// Text variation selector.
const VS15: char = '\u{fe0e}';
/// Zero width joiner.
const ZWJ: char = '\u{200d}';

/// Columns of one character that stands alone: 0, 1 or 2. Controls take none.
pub fn char_width(c: char) -> u8 {
    match c {
        // A soft hyphen is drawn where it is printed, as in xterm.
        '\u{ad}' => return 1,
        // The large alphabets without a look at the table.
        ' '..='~' | '\u{c0}'..='\u{2ff}' | '\u{48a}'..='\u{52f}' | '\u{400}'..='\u{482}' => {
            return 1;
        }
        _ if has_column(c) => return 1,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{ac00}'..='\u{d7a3}' => return 2,
        _ => {}
    }
    match c.width() {
        None | Some(0) => 0,
        Some(1) => 1,
        Some(_) => 2,
    }
}

/// Vowel signs with a column of their own (general category Mc, one column in glibc's `wcwidth`) that
/// count as extending ones in UAX #29 and have none in `unicode-width`.
const fn has_column(c: char) -> bool {
    matches!(
        c,
        '\u{9be}'
            | '\u{9d7}'
            | '\u{b3e}'
            | '\u{b57}'
            | '\u{bbe}'
            | '\u{bd7}'
            | '\u{cc0}'
            | '\u{cc2}'
            | '\u{cc7}'
            | '\u{cc8}'
            | '\u{cca}'
            | '\u{ccb}'
            | '\u{cd5}'
            | '\u{cd6}'
            | '\u{d3e}'
            | '\u{d57}'
            | '\u{dcf}'
            | '\u{ddf}'
    )
}

/// Columns of one part of a text: 0 (only marks), 1 or 2.
pub fn cluster_width(cluster: &str) -> u8 {
    let mut chars = cluster.chars();
    let Some(first) = chars.next() else {
        return 0;
    };
    let Some(second) = chars.next() else {
        return char_width(first);
    };
    // Two regional indicators are a flag; a lone one is narrow.
    if is_regional(first) && is_regional(second) {
        return 2;
    }
    let widest = cluster.chars().map(char_width).max().unwrap_or(0);
    if second == VS15 && chars.next().is_none() {
        // Text presentation keeps the character's own width.
        return widest;
    }
    if cluster.contains(VS16) && takes_vs16(first) {
        return 2;
    }
    // Joined emoji are as wide as the widest.
    widest
}

/// Columns of a text: the sum of its parts.
pub fn text_width(text: &str) -> usize {
    clusters(text).map(|(_, width)| usize::from(width)).sum()
}

/// The parts of a text that have a cell each, with their columns.
pub fn clusters(text: &str) -> impl Iterator<Item = (&str, u8)> {
    text.graphemes(true)
        .flat_map(|rest| Parts { rest })
        .map(|part| (part, cluster_width(part)))
}

/// A grapheme cluster, cut before each character that has a column of its own.
struct Parts<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest;
        let mut inner = text.char_indices().skip(1);
        let end = inner.find(|&(at, c)| !shares(&text[..at], c));
        let (part, rest) = text.split_at(end.map_or(text.len(), |(at, _)| at));
        self.rest = rest;
        (!part.is_empty()).then_some(part)
    }
}

/// Whether `c`, which UAX #29 joins to `before`, shares its cell: marks do, and what makes one emoji of
/// several characters. Letters and signs with a column of their own do not.
fn shares(before: &str, c: char) -> bool {
    if char_width(c) == 0 {
        return true;
    }
    let mut back = before.chars().rev().filter(|&c| c != VS16);
    let (last, earlier) = (back.next(), back.next());
    match (last, c) {
        (Some(ZWJ), _) => is_pictograph(c),
        (Some(last), '\u{1f3fb}'..='\u{1f3ff}') => is_pictograph(last),
        (Some(last), _) => is_regional(last) && is_regional(c) && earlier.is_none(),
        (None, _) => false,
    }
}

/// Surely no letter: the characters that ZWJ joins and skin tones colour stand above U+2000, but for two.
const fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{2000}'..)
}

/// What was found out about the characters met last, since most text uses few: columns, and
/// whether two of them in a row are surely two clusters (see [`apart`]).
#[derive(Clone, Debug)]
pub(crate) struct Known(Box<[u32; Self::SLOTS]>);

impl Known {
    const SLOTS: usize = 512;

    /// Columns of a character that stands alone, and whether it is plain.
    #[inline]
    pub(crate) fn of(&mut self, c: char) -> (u8, bool) {
        let code = u32::from(c);
        let entry = &mut self.0[code as usize % Self::SLOTS];
        // Where nothing was noted yet stands what is true of U+0000.
        if *entry >> 3 != code {
            *entry = noted(c);
        }
        ((*entry >> 1 & 3) as u8, *entry & 1 == 1)
    }
}

impl Default for Known {
    fn default() -> Self {
        Self(Box::new([0; Self::SLOTS]))
    }
}

#[cold]
#[inline(never)]
fn noted(c: char) -> u32 {
    u32::from(c) << 3 | u32::from(char_width(c)) << 1 | u32::from(is_plain(c))
}

/// True if two characters in a row are surely two clusters. Quick, and false if in doubt.
pub(crate) fn apart(before: char, c: char) -> bool {
    is_plain(before) && is_plain(c)
}

/// True if `c` continues the part `before`, so that both share a cell. For engines that see
/// one character at a time.
pub fn joins(before: &str, c: char) -> bool {
    shares(before, c) && clings(before, c)
}

/// True if UAX #29 makes one cluster of `before` and `c`. A terminal that goes by that alone may draw
/// both in one cell where [`joins`] says two.
pub fn clings(before: &str, c: char) -> bool {
    let Some(last) = before.chars().next_back() else {
        return false;
    };
    // The common cases without building a string.
    if apart(last, c) {
        return false;
    }
    if matches!(c, VS15 | VS16 | ZWJ) {
        return true;
    }
    let mut both = String::with_capacity(before.len() + c.len_utf8());
    both.push_str(before);
    both.push(c);
    both.graphemes(true).nth(1).is_none()
}

/// Characters of which two in a row are always two clusters: letters of the large alphabets,
/// ideographs, symbols, pictographs (Grapheme_Cluster_Break=Other; two pictographs join only by ZWJ).
fn is_plain(c: char) -> bool {
    let c = u32::from(c);
    match c >> 8 {
        0x00 => (0x20..=0x7e).contains(&c) || c >= 0xc0,
        0x01 | 0x02 | 0x1e | 0x1f | 0x21..=0x2b | 0x34..=0x9f | 0x1f2 | 0x1f4..=0x1fa => true,
        0x03 => c >= 0x370,
        0x04 => c <= 0x482 || c >= 0x48a,
        0x05 => c <= 0x52f,
        0x20 => (0x2010..=0x2027).contains(&c) || (0x2070..=0x20cf).contains(&c),
        0x30 => (0x3041..=0x3096).contains(&c) || c >= 0x30a0,
        0xff => (0xff01..=0xff9d).contains(&c),
        0x1f3 => c <= 0x1f3fa,
        _ => false,
    }
}

fn is_regional(c: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&c)
}

/// Whether the character has an emoji presentation that VS16 may ask for.
fn takes_vs16(c: char) -> bool {
    let mut text = [0; 8];
    let len = c.encode_utf8(&mut text).len();
    let end = len + VS16.encode_utf8(&mut text[len..]).len();
    // unicode-width has the table of standardised variation sequences: such a pair is 2 wide.
    std::str::from_utf8(&text[..end])
        .is_ok_and(|pair| unicode_width::UnicodeWidthStr::width(pair) == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_of_clusters() {
        for (cluster, want) in [
            ("", 0),
            ("a", 1),
            ("\u{e9}", 1),
            ("e\u{301}", 1),
            ("\u{301}", 0),
            ("\u{ad}", 1),
            ("\u{4f60}", 2),
            ("\u{ff21}", 2),
            ("\u{ac00}", 2),
            // Hangul by parts.
            ("\u{1100}\u{1161}\u{11a8}", 2),
            ("\u{1f600}", 2),
            // Text by default, emoji by VS16.
            ("\u{2764}", 1),
            ("\u{2764}\u{fe0f}", 2),
            ("\u{26a0}\u{fe0f}", 2),
            ("\u{2764}\u{fe0e}", 1),
            ("\u{231a}\u{fe0e}", 2),
            ("a\u{fe0f}", 1),
            // Keycaps.
            ("1\u{fe0f}\u{20e3}", 2),
            ("#\u{fe0f}\u{20e3}", 2),
            // Flags; half a flag.
            ("\u{1f1e9}\u{1f1ea}", 2),
            ("\u{1f1e9}", 1),
            // Joined emoji, skin tones, tags.
            ("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", 2),
            ("\u{1f44d}\u{1f3fd}", 2),
            ("\u{2764}\u{fe0f}\u{200d}\u{1f525}", 2),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}", 2),
            // A letter with its marks.
            ("\u{938}\u{94d}", 1),
            ("\u{e33}\u{e48}", 1),
            ("\u{200b}", 0),
        ] {
            assert_eq!(
                cluster_width(cluster),
                want,
                "{:?}",
                cluster.escape_unicode().to_string()
            );
        }
    }

    #[test]
    fn widths_of_texts() {
        for (text, want) in [
            ("", 0),
            ("plain", 5),
            ("\u{4f60}\u{597d}!", 5),
            ("\u{26a0}\u{fe0f} ok", 5),
            ("\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}", 4),
            ("1\u{fe0f}\u{20e3}2", 3),
            // As glibc's wcwidth counts.
            ("\u{e01}\u{e33}", 2),
            ("\u{e17}\u{e33}\u{e07}\u{e32}\u{e19}", 5),
            ("\u{915}\u{94d}\u{937}", 2),
            ("\u{938}\u{94d}\u{924}\u{947}", 2),
            ("\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}", 5),
            ("\u{ff76}\u{ff9e}", 2),
            ("\u{1f44d}\u{1f3fd}", 2),
        ] {
            assert_eq!(text_width(text), want, "{text}");
            assert_eq!(
                clusters(text)
                    .map(|(_, width)| usize::from(width))
                    .sum::<usize>(),
                want
            );
        }
    }

    #[test]
    fn characters_join_a_cluster() {
        for (before, c, want) in [
            ("", 'a', false),
            ("", '\u{301}', false),
            ("e", '\u{301}', true),
            ("a", 'b', false),
            ("\u{1f600}", 'b', false),
            ("\u{4f60}", '\u{597d}', false),
            ("\u{600}", '1', false),
            // Thai SARA AM, Devanagari vowel sign and conjunct, also with a joiner; halfwidth katakana.
            ("\u{e01}", '\u{e33}', false),
            ("\u{e33}", '\u{e48}', true),
            ("\u{939}", '\u{93f}', false),
            ("\u{915}\u{94d}", '\u{937}', false),
            ("\u{915}\u{94d}\u{200d}", '\u{937}', false),
            ("\u{995}", '\u{9be}', false),
            ("\u{ff76}", '\u{ff9e}', false),
            ("\u{1f44d}", '\u{1f3fd}', true),
            ("\u{261d}\u{fe0f}", '\u{1f3fd}', true),
            ("a", '\u{1f3fd}', false),
            ("\u{1f469}\u{200d}", '\u{2764}', true),
            ("a", '\u{4f60}', false),
            ("\u{2764}", '\u{fe0f}', true),
            ("\u{1f468}", '\u{200d}', true),
            ("\u{1f468}\u{200d}", '\u{1f469}', true),
            ("a\u{200d}", '\u{1f469}', false),
            ("\u{1f1e9}", '\u{1f1ea}', true),
            ("\u{1f1e9}\u{1f1ea}", '\u{1f1eb}', false),
            ("1\u{fe0f}", '\u{20e3}', true),
            ("\u{1100}", '\u{1161}', true),
            ("\u{1f44d}", '\u{1f3fd}', true),
        ] {
            assert_eq!(joins(before, c), want, "{before:?} {c:?}");
        }
    }

    /// The short way agrees with the table.
    #[test]
    fn widths_without_the_table() {
        let all = (0..=0x10_ffffu32).filter_map(char::from_u32);
        for c in all.filter(|c| *c != '\u{ad}' && !has_column(*c)) {
            let want = c.width().map_or(0, |width| width.min(2));
            assert_eq!(usize::from(char_width(c)), want, "{c:?}");
        }
    }

    #[test]
    fn what_is_known_is_so() {
        let mut known = Known::default();
        // Twice, and mixed, so that notes are used and replaced.
        for start in [0u32, 0x200, 0, 0x3000, 0x1f300, 0x3000] {
            for c in (start..start + 0x400).filter_map(char::from_u32) {
                assert_eq!(known.of(c), (char_width(c), is_plain(c)), "{c:?}");
                assert_eq!(known.of(c), (char_width(c), is_plain(c)), "{c:?}");
            }
        }
    }

    /// The short way agrees with the segmentation for all that it takes.
    #[test]
    fn plain_characters_never_join() {
        let plain = (0..=0x2ffffu32)
            .filter_map(char::from_u32)
            .filter(|c| is_plain(*c));
        for c in plain {
            let emoji = [
                format!("🎉{c}"),
                format!("{c}🎉"),
                format!("ｱ{c}"),
                format!("{c}\u{48a}"),
            ];
            let text = [format!("a{c}"), format!("{c}a"), format!("{c}{c}")];
            for text in text.into_iter().chain(emoji) {
                assert_eq!(text.graphemes(true).count(), 2, "{text:?}");
            }
        }
    }
}
