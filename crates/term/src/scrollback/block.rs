//! Some dozens to hundreds of lines packed into one buffer.
//!
//! A line is `text length * 2 + continued`, `number of runs`, per run `bytes`
//! and `style number`, then the text; all numbers are LEB128. No runs: all of
//! the text in the default style.

use super::line::{Line, RowWriter, Span};
use crate::cell::Style;
use crate::quick::QuickMap;

/// Bytes after which a block takes no more lines. Memory is given back in
/// steps of a block.
const FULL: usize = 32 * 1024;

/// Packed lines with the styles they use.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Id of the first line ever put in; the others follow without a gap.
    first: u64,
    data: Vec<u8>,
    starts: Vec<u32>,
    styles: Vec<Style>,
    numbers: QuickMap<Style, usize>,
    /// Whose words in [`Words`] are this block's.
    stamp: u32,
    /// Lines at the front that were dropped.
    dropped: usize,
}

/// Numbers of the styles that a caller's words stand for, as many as fit. Entries of other blocks,
/// and those from before a block was given a new stamp, are not believed.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    slots: Vec<Word>,
    last_stamp: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    word: u32,
    /// 0: nothing.
    stamp: u32,
    number: u32,
}

/// Words remembered; a power of two.
const WORDS: usize = 1024;

impl Words {
    /// A stamp nobody had.
    fn stamp(&mut self) -> u32 {
        self.last_stamp = self.last_stamp.checked_add(1).unwrap_or_else(|| {
            self.slots.clear();
            1
        });
        self.last_stamp
    }

    /// The slot of a word.
    #[inline]
    fn slot(&mut self, word: u32) -> &mut Word {
        if self.slots.is_empty() {
            self.slots.resize(WORDS, Word::default());
        }
        let at = word.wrapping_mul(0x9e37_79b1) >> (u32::BITS - WORDS.ilog2());
        &mut self.slots[at as usize]
    }
}

impl Block {
    /// An empty block whose first line will have this id.
    pub(super) fn starting(first: u64, words: &mut Words) -> Self {
        Self {
            first,
            stamp: words.stamp(),
            ..Self::default()
        }
    }

    /// Id of the oldest line held.
    pub(super) fn first_id(&self) -> u64 {
        self.first + self.dropped as u64
    }

    /// Id of the line that would come next.
    pub(super) fn next_id(&self) -> u64 {
        self.first + self.starts.len() as u64
    }

    pub(super) fn is_full(&self) -> bool {
        self.data.len() >= FULL
    }

    /// Lines held.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - self.dropped
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn bytes(&self) -> usize {
        self.data.len() + self.starts.len() * 4 + self.styles.len() * size_of::<Style>()
    }

    /// No more lines will come: gives spare room back.
    pub(super) fn seal(&mut self) {
        self.data.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.styles.shrink_to_fit();
        self.numbers = QuickMap::default();
    }

    pub(super) fn drop_first(&mut self) {
        self.dropped = (self.dropped + 1).min(self.starts.len());
    }

    /// Adds a line; returns the bytes it takes.
    pub(super) fn push(&mut self, line: &RowWriter, continued: bool) -> usize {
        let before = self.bytes();
        // A block is below FULL before this line, and a line is bounded.
        self.starts
            .push(u32::try_from(self.data.len()).unwrap_or(u32::MAX));
        let plain = line.runs().iter().all(|(_, s)| *s == Style::default());
        let runs = if plain { &[] } else { line.runs() };
        put(&mut self.data, line.len() * 2 + usize::from(continued));
        put(&mut self.data, runs.len());
        for (len, style) in runs {
            let number = self.number(*style);
            put(&mut self.data, *len);
            put(&mut self.data, number);
        }
        self.data.extend_from_slice(line.text().as_bytes());
        self.bytes() - before
    }

    /// Takes the newest line back.
    pub(super) fn pop(&mut self) -> Option<Line> {
        let line = self.line(self.len().checked_sub(1)?);
        let start = self.starts.pop()?;
        self.data.truncate(usize::try_from(start).ok()?);
        Some(line)
    }

    /// The styles its lines may use.
    pub(super) fn styles(&self) -> &[Style] {
        &self.styles
    }

    /// Adds a line in runs of bytes and words; returns the bytes it takes.
    pub(super) fn push_words(
        &mut self,
        text: &[u8],
        runs: &[(u32, u32)],
        words: &mut Words,
        style: impl Fn(u32) -> Style,
    ) -> usize {
        let before = self.bytes();
        self.starts
            .push(u32::try_from(self.data.len()).unwrap_or(u32::MAX));
        // The word 0 is the default style.
        let plain = runs.iter().all(|&(_, word)| word == 0);
        let runs = if plain { &[] } else { runs };
        put(&mut self.data, text.len() * 2);
        put(&mut self.data, runs.len());
        for &(len, word) in runs {
            let number = self.word(word, words, &style);
            put(&mut self.data, len as usize);
            put(&mut self.data, number);
        }
        self.data.extend_from_slice(text);
        self.bytes() - before
    }

    #[inline]
    fn word(&mut self, word: u32, words: &mut Words, style: impl Fn(u32) -> Style) -> usize {
        let slot = words.slot(word);
        if slot.stamp == self.stamp && slot.word == word {
            return slot.number as usize;
        }
        let number = self.number(style(word));
        if let Ok(number) = u32::try_from(number) {
            *slot = Word {
                word,
                stamp: self.stamp,
                number,
            };
        }
        number
    }

    /// Words may stand for other styles from now on.
    pub(super) fn forget_words(&mut self, words: &mut Words) {
        self.stamp = words.stamp();
    }

    fn number(&mut self, style: Style) -> usize {
        let styles = &mut self.styles;
        *self.numbers.entry(style).or_insert_with(|| {
            styles.push(style);
            styles.len() - 1
        })
    }

    /// The line at `index`, counted from the oldest held.
    pub(super) fn line(&self, index: usize) -> Line {
        self.read(index).unwrap_or_default()
    }

    fn read(&self, index: usize) -> Option<Line> {
        let start = *self.starts.get(self.dropped + index)?;
        let mut data = self.data.get(usize::try_from(start).ok()?..)?;
        let head = take(&mut data)?;
        let count = take(&mut data)?;
        let mut runs = Vec::with_capacity(count);
        for _ in 0..count {
            let len = take(&mut data)?;
            runs.push((len, *self.styles.get(take(&mut data)?)?));
        }
        let mut text = std::str::from_utf8(data.get(..head / 2)?).ok()?;
        if runs.is_empty() && !text.is_empty() {
            runs.push((text.len(), Style::default()));
        }
        let mut spans = Vec::with_capacity(runs.len());
        for (len, style) in runs {
            let (piece, rest) = text.split_at_checked(len)?;
            text = rest;
            spans.push(Span {
                text: piece.to_owned(),
                style,
            });
        }
        Some(Line {
            spans,
            continued: head % 2 == 1,
        })
    }
}

fn put(data: &mut Vec<u8>, mut value: usize) {
    while value > 0x7f {
        data.push(0x80 | (value & 0x7f) as u8);
        value >>= 7;
    }
    data.push(value as u8);
}

fn take(data: &mut &[u8]) -> Option<usize> {
    let mut value = 0usize;
    for shift in (0..usize::BITS).step_by(7) {
        let (&byte, rest) = data.split_first()?;
        *data = rest;
        value |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
