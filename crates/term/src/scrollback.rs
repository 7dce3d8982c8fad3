//! Lines that left the screen. In: rows as they scroll off the top; out: pages
//! of logical lines. Promises that ids only grow (an id is never given to
//! another line, so lines that return to the screen leave a gap), that memory
//! is bounded by lines and by bytes (the oldest line goes first), and that no
//! width is baked in: a viewer wraps a line as it likes.

mod block;
mod line;

use std::collections::VecDeque;
use std::ops::Range;

use crate::cell::Style;
use crate::snapshot::LineRange;
use block::{Block, Words};
pub use line::{Jump, Line, Page, RowWriter, Span};

/// Text bytes of one logical line; a longer one is cut into several, marked as
/// continued. A program that never breaks its lines must not grow one for ever.
pub const LINE_LIMIT: usize = 64 * 1024;

/// The lines of one terminal, newest last. The newest may still be open: its
/// text goes on at the top of the screen.
#[derive(Clone, Debug)]
pub struct Scrollback {
    blocks: VecDeque<Block>,
    /// The newest line while more of it may come.
    open: Option<RowWriter>,
    /// Buffers of the last line, to be used again.
    spare: RowWriter,
    words: Words,
    /// Id of the next new line.
    end: u64,
    /// Lines in blocks.
    count: usize,
    bytes: usize,
    max_lines: usize,
    max_bytes: usize,
}

impl Scrollback {
    /// An empty store with its bounds; `max_lines` 0 keeps nothing.
    #[must_use]
    pub fn new(max_lines: usize, max_bytes: usize) -> Self {
        Self {
            blocks: VecDeque::new(),
            open: None,
            spare: RowWriter::default(),
            words: Words::default(),
            end: 0,
            count: 0,
            bytes: 0,
            max_lines,
            max_bytes,
        }
    }

    /// A store that goes on where another stood, with the newest lines of it. `ids` tells which
    /// ids they have; empty, they end right before `range.end`.
    #[must_use]
    pub fn resume(
        max_lines: usize,
        max_bytes: usize,
        range: LineRange,
        history: &[Line],
        ids: &[Jump],
    ) -> Self {
        let mut store = Self::new(max_lines, max_bytes);
        let count = u64::try_from(history.len()).unwrap_or(u64::MAX);
        // The open line keeps its id even if its beginning did not come along.
        let held = count.max(u64::from(range.open)).min(range.end);
        store.end = range.end - held;
        let mut ids = ids.iter().peekable();
        for (at, line) in history.iter().enumerate() {
            if let Some(jump) = ids.next_if(|jump| jump.index == at) {
                // Ids grow, and leave room for the lines that follow.
                let left = u64::try_from(history.len() - at).unwrap_or(u64::MAX);
                let most = range.end.saturating_sub(left);
                store.end = if at == 0 {
                    jump.id.min(most)
                } else {
                    jump.id.min(most).max(store.end)
                };
            }
            let writer = store.row();
            for span in &line.spans {
                writer.push(&span.text, span.style);
            }
            store.end_row(line.continued && range.open && at + 1 == history.len());
        }
        if range.open && history.is_empty() && range.end > 0 {
            store.row();
        }
        if store.open.is_none() {
            store.end = store.end.max(range.end);
        }
        store
    }

    /// The ids held, and whether the newest line is open.
    #[must_use]
    pub fn range(&self) -> LineRange {
        LineRange {
            first: self.first(),
            end: self.end,
            open: self.open.is_some(),
        }
    }

    /// Id of the oldest line held, or of the next one.
    fn first(&self) -> u64 {
        match self.blocks.front() {
            Some(block) => block.first_id(),
            None => self.end - u64::from(self.open.is_some()),
        }
    }

    /// The ids held, and perhaps some between them that no line has any more.
    #[must_use]
    pub fn ids(&self) -> Range<u64> {
        self.first()..self.end
    }

    /// Id behind the newest line held.
    fn last(&self) -> u64 {
        match self.blocks.back() {
            Some(block) if self.open.is_none() => block.next_id(),
            _ => self.end,
        }
    }

    /// Lines held.
    fn held(&self) -> usize {
        self.count + usize::from(self.open.is_some())
    }

    /// Bytes used, without spare room of buffers.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.open.as_ref().map_or(0, RowWriter::len)
    }

    /// Where to write the next row; it is added to the open line if there is
    /// one. To be followed by [`Self::end_row`].
    pub fn row(&mut self) -> &mut RowWriter {
        if self.open.is_none() {
            self.end += 1;
        }
        let spare = &mut self.spare;
        self.open.get_or_insert_with(|| std::mem::take(spare))
    }

    /// Ends the row; `wrapped`: the line goes on in the next row.
    pub fn end_row(&mut self, wrapped: bool) {
        let Some(line) = &self.open else { return };
        let cut = line.len() >= LINE_LIMIT;
        if !wrapped || cut {
            self.close(wrapped && cut);
        }
    }

    /// Adds a whole row, as [`Self::row`] and [`Self::end_row`] would.
    pub fn push_row(&mut self, row: &RowWriter, wrapped: bool) {
        if self.open.is_none() && !wrapped {
            self.end += 1;
            self.store(row, false);
            return;
        }
        let line = self.row();
        for (text, style) in row.pieces() {
            line.push(text, style);
        }
        self.end_row(wrapped);
    }

    /// Adds a row as UTF-8 `text` in `runs` of bytes and a number for their
    /// style, which `style` explains. Until [`Self::forget_words`] a number
    /// means the same style.
    pub(crate) fn push_words(
        &mut self,
        text: &[u8],
        runs: &[(u32, u32)],
        wrapped: bool,
        style: impl Fn(u32) -> Style,
    ) {
        if self.open.is_none() && !wrapped {
            self.end += 1;
            self.renew_block();
            if let Some(block) = self.blocks.back_mut() {
                self.bytes += block.push_words(text, runs, &mut self.words, style);
            }
            self.count += 1;
            self.trim();
            return;
        }
        let line = self.row();
        let mut rest = std::str::from_utf8(text).unwrap_or_default();
        for &(len, word) in runs {
            let Some((piece, tail)) = rest.split_at_checked(len as usize) else {
                break;
            };
            rest = tail;
            line.push(piece, style(word));
        }
        self.end_row(wrapped);
    }

    /// The numbers of styles may mean others from now on.
    pub(crate) fn forget_words(&mut self) {
        for block in &mut self.blocks {
            block.forget_words(&mut self.words);
        }
    }

    fn close(&mut self, continued: bool) {
        let Some(mut line) = self.open.take() else {
            return;
        };
        self.store(&line, continued);
        line.clear();
        self.spare = line;
    }

    fn store(&mut self, line: &RowWriter, continued: bool) {
        self.renew_block();
        if let Some(block) = self.blocks.back_mut() {
            self.bytes += block.push(line, continued);
        }
        self.count += 1;
        self.trim();
    }

    /// Sees to it that the last block takes the line with the newest id.
    #[inline]
    fn renew_block(&mut self) {
        let id = self.end.saturating_sub(1);
        let takes = |block: &Block| !block.is_full() && block.next_id() == id;
        if !self.blocks.back().is_some_and(takes) {
            if let Some(full) = self.blocks.back_mut() {
                full.seal();
            }
            self.blocks.push_back(Block::starting(id, &mut self.words));
        }
    }

    fn trim(&mut self) {
        while self.held() > self.max_lines || self.bytes > self.max_bytes {
            let Some(block) = self.blocks.front_mut() else {
                break;
            };
            self.count -= 1;
            block.drop_first();
            if block.is_empty() {
                // Memory is given back block by block.
                self.bytes -= block.bytes().min(self.bytes);
                self.blocks.pop_front();
            }
        }
    }

    /// Takes the newest line back, open or not, because its text returns to the
    /// screen. Its id is not given again.
    pub fn pop(&mut self) -> Option<Line> {
        let line = if let Some(mut open) = self.open.take() {
            let line = open.line(true);
            open.clear();
            self.spare = open;
            line
        } else {
            let block = self.blocks.back_mut()?;
            let before = block.bytes();
            let line = block.pop()?;
            let mut freed = before - block.bytes();
            if block.is_empty() {
                freed = before;
                self.blocks.pop_back();
            }
            self.bytes -= freed.min(self.bytes);
            self.count -= 1;
            line
        };
        Some(line)
    }

    /// All styles in use.
    pub fn styles(&self) -> impl Iterator<Item = Style> {
        let open = self.open.iter().flat_map(|line| line.runs());
        let packed = self.blocks.iter().flat_map(Block::styles);
        packed.copied().chain(open.map(|(_, style)| *style))
    }

    /// Forgets every line (`CSI 3 J`); ids go on.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.bytes = 0;
        self.count = 0;
        self.open = None;
    }

    /// Up to `count` lines with ids from `from` on, or from the oldest held.
    #[must_use]
    pub fn page(&self, from: u64, count: usize) -> Page {
        let mut skip = 0;
        for block in &self.blocks {
            if from < block.next_id() {
                let inside = from.saturating_sub(block.first_id());
                skip += usize::try_from(inside).unwrap_or(usize::MAX);
                break;
            }
            skip += block.len();
        }
        let behind = from >= self.end && self.open.is_some();
        self.read(skip + usize::from(behind), count)
    }

    /// Up to `count` lines, the oldest `skip` left out.
    fn read(&self, mut skip: usize, count: usize) -> Page {
        let mut page = Page {
            first: self.end,
            held: self.first()..self.last(),
            ..Page::default()
        };
        for block in &self.blocks {
            if skip >= block.len() {
                skip -= block.len();
                continue;
            }
            while page.lines.len() < count && skip < block.len() {
                page.add(block.first_id() + skip as u64, block.line(skip));
                skip += 1;
            }
            skip = 0;
        }
        if let (Some(open), true) = (&self.open, page.lines.len() < count && skip == 0) {
            page.add(self.end - 1, open.line(true));
        }
        page
    }

    /// The newest `count` lines.
    #[must_use]
    pub fn newest(&self, count: usize) -> Page {
        self.read(self.held().saturating_sub(count), count)
    }
}

#[cfg(test)]
mod tests;
