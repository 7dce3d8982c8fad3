//! XTPUSHSGR and XTPOPSGR: pens put aside and taken back, all of one or chosen parts. In: the
//! sequences' parameters and the pen; out: the pen. Promises at most [`DEPTH`] of them (xterm's
//! bound; one more changes nothing), and that links and protection, which are no SGR, stay.

use crate::cell::{Style, StyleFlags};

/// Most pens at once.
pub const DEPTH: usize = 10;

/// A pen that was put aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The pen, without link and protection.
    pub pen: Style,
    /// Which parts come back: bit `n` for the parameter `n` of XTPUSHSGR; 0 is all of it.
    pub parts: u32,
}

/// Pens put aside, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack(Vec<Aside>);

/// Parameter and the flag it means.
const FLAGS: [(u32, StyleFlags); 8] = [
    (1, StyleFlags::BOLD),
    (2, StyleFlags::DIM),
    (3, StyleFlags::ITALIC),
    (5, StyleFlags::BLINK),
    (7, StyleFlags::INVERSE),
    (8, StyleFlags::HIDDEN),
    (9, StyleFlags::STRIKE),
    (53, StyleFlags::OVERLINE),
];

impl Stack {
    /// A stack of these; what is too much is left out.
    #[must_use]
    pub fn of(mut all: Vec<Aside>) -> Self {
        all.truncate(DEPTH);
        Self(all)
    }

    /// All of it, the newest last.
    #[must_use]
    pub fn entries(&self) -> &[Aside] {
        &self.0
    }

    /// Puts the pen aside; `params` name the parts, none: all.
    pub fn push<'a>(&mut self, pen: &Style, params: impl IntoIterator<Item = &'a [u16]>) {
        if self.0.len() == DEPTH {
            return;
        }
        let numbers = params.into_iter().filter_map(|group| group.first());
        let parts = numbers
            .filter(|n| (1..32).contains(*n))
            .fold(0, |parts, n| parts | 1 << n);
        let pen = Style {
            link: None,
            protected: false,
            ..*pen
        };
        self.0.push(Aside { pen, parts });
    }

    /// Takes the newest back.
    pub fn pop(&mut self, pen: &mut Style) {
        let Some(Aside { pen: old, parts }) = self.0.pop() else {
            return;
        };
        if parts == 0 {
            *pen = Style {
                link: pen.link,
                protected: pen.protected,
                ..old
            };
            return;
        }
        let has = |n: u32| n < 32 && parts & 1 << n != 0;
        for (n, flag) in FLAGS {
            if has(n) {
                pen.flags.set(flag, old.flags.contains(flag));
            }
        }
        if has(4) || has(21) {
            pen.underline = old.underline;
        }
        // 30 and 31 are what older texts of xterm call 10 and 11.
        if has(10) || has(30) {
            pen.fg = old.fg;
        }
        if has(11) || has(31) {
            pen.bg = old.bg;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Colour;

    #[test]
    fn pens_come_back_whole_or_in_parts() {
        let red = Style {
            fg: Colour::Indexed(1),
            bg: Colour::Indexed(2),
            flags: StyleFlags::BOLD,
            link: Some(7),
            ..Style::default()
        };
        for (parts, want) in [
            (&[][..], Style { link: None, ..red }),
            (&[0], Style { link: None, ..red }),
            (
                &[10],
                Style {
                    fg: red.fg,
                    ..Style::default()
                },
            ),
            (
                &[1, 11],
                Style {
                    bg: red.bg,
                    flags: red.flags,
                    ..Style::default()
                },
            ),
        ] {
            let mut stack = Stack::default();
            let groups: Vec<Vec<u16>> = parts.iter().map(|n| vec![*n]).collect();
            stack.push(&red, groups.iter().map(Vec::as_slice));
            let mut pen = Style::default();
            stack.pop(&mut pen);
            assert_eq!(pen, want, "{parts:?}");
            stack.pop(&mut pen);
            assert_eq!(pen, want, "an empty stack changes nothing");
        }
    }

    #[test]
    fn it_is_bounded() {
        let mut stack = Stack::default();
        for _ in 0..1000 {
            stack.push(&Style::default(), std::iter::empty());
        }
        assert_eq!(stack.entries().len(), DEPTH);
    }
}
