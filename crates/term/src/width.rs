//! How many columns text takes: one function for all engines and viewers.
//!
//! In: grapheme clusters after UAX #29; out: 0, 1 or 2 columns each. A cluster with the emoji
//! variation selector (VS16), with a joiner between emoji, a flag and a keycap are 2 wide, as
//! terminals with mode 2027 draw them (contour's "Unicode Core" page). A cluster never changes
//! the width of another.

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
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{ac00}'..='\u{d7a3}' => return 2,
        _ => {}
    }
    match c.width() {
        None | Some(0) => 0,
        Some(1) => 1,
        Some(_) => 2,
    }
}

/// Columns of one grapheme cluster: 0 (only marks), 1 or 2.
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
    // A cluster's parts share one cell: conjuncts and joined emoji are as wide as the widest.
    widest
}

/// Columns of a text: the sum of its clusters.
pub fn text_width(text: &str) -> usize {
    text.graphemes(true)
        .map(|cluster| usize::from(cluster_width(cluster)))
        .sum()
}

/// The grapheme clusters of a text with their columns.
pub fn clusters(text: &str) -> impl Iterator<Item = (&str, u8)> {
    text.graphemes(true)
        .map(|cluster| (cluster, cluster_width(cluster)))
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

/// True if `c` continues the cluster `before`, so that both share a cell. For engines that see
/// one character at a time.
pub fn joins(before: &str, c: char) -> bool {
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
            // Indic conjunct, one cell wide at least.
            ("\u{915}\u{94d}\u{937}", 1),
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
            ("\u{600}", '1', true),
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
        for c in all.filter(|c| *c != '\u{ad}') {
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
