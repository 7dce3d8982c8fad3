//! The window title and xterm's title stack (`CSI 22 t`, `CSI 23 t`).

/// Most bytes of a title.
pub const TITLE_LIMIT: usize = 1024;
/// Most titles on the stack; one more pushes the oldest out.
const STACK_DEPTH: usize = 16;

/// A title and the titles saved below it. Titles come in clean (see `events`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Titles {
    current: String,
    stack: Vec<String>,
}

impl Titles {
    /// This title and an empty stack.
    pub fn of(current: String) -> Self {
        Self {
            current,
            stack: Vec::new(),
        }
    }

    /// The title, empty if none was set.
    pub fn current(&self) -> &str {
        &self.current
    }

    /// The saved titles, the newest last.
    pub fn stack(&self) -> &[String] {
        &self.stack
    }

    pub(super) fn into_current(self) -> String {
        self.current
    }

    /// Sets the title; true if it is another one.
    pub fn set(&mut self, title: String) -> bool {
        let other = self.current != title;
        self.current = title;
        other
    }

    pub(super) fn push(&mut self) {
        self.push_saved(self.current.clone());
    }

    pub(super) fn push_saved(&mut self, title: String) {
        if self.stack.len() == STACK_DEPTH {
            self.stack.remove(0);
        }
        self.stack.push(title);
    }

    /// Takes the newest saved title; gives it if it is another one than before.
    pub(super) fn pop(&mut self) -> Option<String> {
        let title = self.stack.pop()?;
        self.set(title).then(|| self.current.clone())
    }
}
