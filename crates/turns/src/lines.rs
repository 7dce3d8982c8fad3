//! Bytes of a process's output cut into lines, whatever way they arrive.
//!
//! Pure. Promises: a line is given once, whole, without its end; a line longer than [`MAX_LINE`] is
//! dropped to its end and told, so that a framework that never ends a line costs no memory.

/// Longest line that is read: frameworks send whole files in one.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// What came out of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line; bytes that are no UTF-8 are replaced.
    Whole(String),
    /// A line that was too long and is gone.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
}

/// The part of a line that has come so far.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    part: Vec<u8>,
    /// How much of a line that is too long was dropped already; 0: it is not too long.
    dropped: usize,
}

impl Lines {
    /// Takes bytes as they were read and gives the lines they complete, in order.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Line> {
        let mut found = Vec::new();
        while let Some(end) = bytes.iter().position(|it| *it == b'\n') {
            self.take(&bytes[..end]);
            bytes = &bytes[end + 1..];
            found.extend(self.finish());
        }
        self.take(bytes);
        found
    }

    /// The last line when the output has ended without a line end.
    pub fn end(&mut self) -> Option<Line> {
        self.finish()
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.dropped > 0 || self.part.len() + bytes.len() > MAX_LINE {
            self.dropped += self.part.len() + bytes.len();
            self.part = Vec::new();
        } else {
            self.part.extend_from_slice(bytes);
        }
    }

    /// Empty lines are between messages, not messages.
    fn finish(&mut self) -> Option<Line> {
        let part = std::mem::take(&mut self.part);
        match std::mem::take(&mut self.dropped) {
            0 => {
                let text = String::from_utf8_lossy(&part);
                let text = text.trim_end_matches('\r');
                (!text.trim().is_empty()).then(|| Line::Whole(text.to_owned()))
            }
            bytes => Some(Line::TooLong { bytes }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Line {
        Line::Whole(text.to_owned())
    }

    #[test]
    fn a_stream_cut_at_every_byte_gives_the_same_lines() {
        let stream = "{\"a\":1}\r\n\n{\"b\":\"\u{e9}\"}\nhalf".as_bytes();
        for cut in 0..=stream.len() {
            let mut lines = Lines::default();
            let mut found = lines.push(&stream[..cut]);
            found.extend(lines.push(&stream[cut..]));
            found.extend(lines.end());
            let want = [
                whole("{\"a\":1}"),
                whole("{\"b\":\"\u{e9}\"}"),
                whole("half"),
            ];
            assert_eq!(found, want, "cut at {cut}");
            assert_eq!(lines.end(), None);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_dropped_and_told_and_the_next_is_read() {
        let mut lines = Lines::default();
        let block = vec![b'x'; 1024 * 1024];
        for _ in 0..20 {
            assert_eq!(lines.push(&block), []);
            assert!(lines.part.len() <= MAX_LINE);
        }
        let found = lines.push(b"\nnext\n");
        let bytes = 20 * 1024 * 1024;
        assert_eq!(found, [Line::TooLong { bytes }, whole("next")]);
    }
}
