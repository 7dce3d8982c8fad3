//! Tab stops: HT, HTS, TBC, CHT, CBT, DECST8C.

use crate::{check, lost};

const SIZE: (u16, u16) = (24, 3);

#[test]
fn stops() {
    check(SIZE, "\tx", &["        x"], (9, 0));
    check(SIZE, "\t\tx", &["                x"], (17, 0));
    check(SIZE, "\t\t\t\tx", &["                       x"], (23, 0));
    check(SIZE, "\x1b[4G\x1bH\r\tx", &["   x"], (4, 0));
    check(SIZE, "\x1b[9G\x1b[g\r\tx", &["                x"], (17, 0));
    check(SIZE, "\x1b[3g\tx", &["                       x"], (23, 0));
    check(SIZE, "\x1b[2Ix", &["                x"], (17, 0));
    check(SIZE, "\x1b[20G\x1b[Zx", &["                x"], (17, 0));
    check(SIZE, "\x1b[20G\x1b[2Zx", &["        x"], (9, 0));
    check(SIZE, "\x1b[20G\x1b[9Zx", &["x"], (1, 0));
    // DECST8C.
    lost(SIZE, "\x1b[3g\x1b[?5W\tx", &["        x"], (9, 0));
    // A tab does not end a pending wrap (xterm, tmux; in alacritty it wraps).
    check((4, 2), "abcd\tx", &["abcd", "x"], (1, 1));
    check((4, 2), "\x1b[3G\x1bH\rabcd\tx", &["abcd", "x"], (1, 1));
    // Nor is it text.
    check((20, 2), "abcdefghijkl\r\tx", &["abcdefghxjkl"], (9, 0));
}
