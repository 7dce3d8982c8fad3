//! The line that is typed into: text, a cursor, what was sent before. Pure.
//!
//! Positions are bytes at character borders. Bound: [`MAX_TEXT`]; what does not fit is refused whole.

/// Most bytes of one request.
pub(super) const MAX_TEXT: usize = 1024 * 1024;
/// Requests that are kept to come back to.
const MAX_HISTORY: usize = 200;

/// A change of the text or of the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// One place left.
    Left,
    /// One place right.
    Right,
    /// The line's begin.
    Home,
    /// The line's end.
    End,
    /// One word left.
    WordLeft,
    /// One word right.
    WordRight,
    /// Removes what stands left of the cursor.
    Backspace,
    /// Removes what stands under it.
    Delete,
    /// Removes the word left of it.
    KillWord,
    /// Removes the line up to it.
    KillToStart,
    /// Removes the line after it.
    KillToEnd,
    /// The request before.
    Earlier,
    /// The request after.
    Later,
}

/// What is being typed.
#[derive(Clone, Debug, Default)]
pub struct Editor {
    text: String,
    cursor: usize,
    history: Vec<String>,
    /// Which of the history is shown, and what stood there before.
    shown: Option<(usize, String)>,
}

impl Editor {
    /// What stands there.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes before the cursor.
    #[must_use]
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts text in at the cursor; false: it does not fit.
    pub fn insert(&mut self, text: &str) -> bool {
        if self.text.len() + text.len() > MAX_TEXT {
            return false;
        }
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        true
    }

    /// Takes the text away to be sent.
    pub fn take(&mut self) -> String {
        self.cursor = 0;
        self.shown = None;
        let text = std::mem::take(&mut self.text);
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
            let more = self.history.len().saturating_sub(MAX_HISTORY);
            self.history.drain(..more);
        }
        text
    }

    /// Puts a text in the place of what is there.
    pub fn set(&mut self, text: &str) {
        self.text = text.to_owned();
        self.cursor = text.len();
    }

    /// Carries out an edit.
    pub fn edit(&mut self, edit: Edit) {
        match edit {
            Edit::Left => self.cursor = self.left(),
            Edit::Right => self.cursor = self.right(),
            Edit::Home => self.cursor = self.line_start(),
            Edit::End => self.cursor = self.line_end(),
            Edit::WordLeft => self.cursor = self.word_left(),
            Edit::WordRight => self.cursor = self.word_right(),
            Edit::Backspace => self.cut(self.left(), self.cursor),
            Edit::Delete => self.cut(self.cursor, self.right()),
            Edit::KillWord => self.cut(self.word_left(), self.cursor),
            Edit::KillToStart => self.cut(self.line_start(), self.cursor),
            Edit::KillToEnd => self.cut(self.cursor, self.line_end()),
            Edit::Earlier => self.turn_back(),
            Edit::Later => self.turn_on(),
        }
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }

    fn left(&self) -> usize {
        let before = self.text[..self.cursor].char_indices().next_back();
        before.map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        let under = self.text[self.cursor..].chars().next();
        self.cursor + under.map_or(0, char::len_utf8)
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        let after = self.text[self.cursor..].find('\n');
        after.map_or(self.text.len(), |at| self.cursor + at)
    }

    fn word_left(&self) -> usize {
        let before = self.text[..self.cursor].trim_end();
        let start = before.rfind(char::is_whitespace);
        start.map_or(0, |at| {
            at + before[at..].chars().next().map_or(0, char::len_utf8)
        })
    }

    fn word_right(&self) -> usize {
        let after = &self.text[self.cursor..];
        let begin = after.len() - after.trim_start().len();
        let end = after[begin..].find(char::is_whitespace);
        self.cursor + end.map_or(after.len(), |at| begin + at)
    }

    fn turn_back(&mut self) {
        let (at, kept) = match self.shown.take() {
            Some((at, kept)) => (at.saturating_sub(1), kept),
            None if self.history.is_empty() => return,
            None => (self.history.len() - 1, self.text.clone()),
        };
        let text = self.history[at].clone();
        self.set(&text);
        self.shown = Some((at, kept));
    }

    fn turn_on(&mut self) {
        let Some((at, kept)) = self.shown.take() else {
            return;
        };
        if at + 1 < self.history.len() {
            let text = self.history[at + 1].clone();
            self.set(&text);
            self.shown = Some((at + 1, kept));
        } else {
            self.set(&kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` is the cursor.
    fn check(before: &str, edits: &[Edit], after: &str) {
        let cursor = before.find('|').unwrap();
        let mut editor = Editor {
            text: before.replace('|', ""),
            cursor,
            ..Editor::default()
        };
        for edit in edits {
            editor.edit(*edit);
        }
        let mut text = editor.text.clone();
        text.insert(editor.cursor, '|');
        assert_eq!(text, after, "{before} {edits:?}");
    }

    #[test]
    fn edits() {
        use Edit::*;
        check("a\u{e9}|b", &[Left, Left], "|a\u{e9}b");
        check("|a", &[Left, Backspace], "|a");
        check("a|", &[Right, Delete], "a|");
        check("a\u{e9}|b", &[Backspace], "a|b");
        check("|\u{e9}b", &[Delete], "|b");
        check("one two |", &[KillWord], "one |");
        check("one two|", &[WordLeft, WordLeft], "|one two");
        check("|one two", &[WordRight], "one| two");
        check("x\nab|c", &[Home], "x\n|abc");
        check("a|b\nc", &[End], "ab|\nc");
        check("x\nab|c", &[KillToStart], "x\n|c");
        check("a|b\nc", &[KillToEnd], "a|\nc");
    }

    #[test]
    fn what_was_sent_comes_back_and_what_was_being_typed_too() {
        let mut editor = Editor::default();
        for text in ["one", "two", "two"] {
            editor.insert(text);
            editor.take();
        }
        editor.insert("dra");
        let mut seen = Vec::new();
        for edit in [
            Edit::Earlier,
            Edit::Earlier,
            Edit::Earlier,
            Edit::Later,
            Edit::Later,
        ] {
            editor.edit(edit);
            seen.push(editor.text().to_owned());
        }
        assert_eq!(seen, ["two", "one", "one", "two", "dra"]);
        assert!(!editor.insert(&"x".repeat(MAX_TEXT)));
    }
}
