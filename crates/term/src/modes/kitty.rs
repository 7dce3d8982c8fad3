//! The stack of kitty keyboard flags of one screen
//! (<https://sw.kovidgoyal.net/kitty/keyboard-protocol/>).

/// Most entries of one stack; one more pushes the oldest out.
pub const KITTY_DEPTH: usize = 32;
/// All flags the protocol has.
const ALL_FLAGS: u8 = 0b1_1111;

/// Flags, the last entry in force. An empty stack means 0, the legacy encoding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KittyStack(Vec<u8>);

/// A parameter as flags; unknown bits are dropped.
pub(super) fn flags(parameter: u16) -> u8 {
    u8::try_from(parameter & u16::from(ALL_FLAGS)).unwrap_or(0)
}

impl KittyStack {
    /// A stack of these entries, the newest last; of more than 32 the oldest are dropped.
    pub fn of(entries: &[u8]) -> Self {
        let mut stack = Self::default();
        for &entry in entries {
            stack.push(entry & ALL_FLAGS);
        }
        stack
    }

    /// The flags in force.
    pub fn flags(&self) -> u8 {
        self.0.last().copied().unwrap_or(0)
    }

    /// All entries, the newest last.
    pub fn entries(&self) -> &[u8] {
        &self.0
    }

    /// True when nothing was pushed or set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, flags: u8) {
        if self.0.len() == KITTY_DEPTH {
            self.0.remove(0);
        }
        self.0.push(flags);
    }

    pub(super) fn pop(&mut self, count: u16) {
        self.0
            .truncate(self.0.len().saturating_sub(usize::from(count)));
    }

    /// Changes the flags in force; `how`: 1 exactly these, 2 these too, 3 without these.
    pub(super) fn set(&mut self, flags: u8, how: u16) {
        let now = self.flags();
        let next = match how {
            1 => flags,
            2 => now | flags,
            3 => now & !flags,
            _ => return,
        };
        match self.0.last_mut() {
            Some(last) => *last = next,
            None if next != 0 => self.0.push(next),
            None => {}
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
