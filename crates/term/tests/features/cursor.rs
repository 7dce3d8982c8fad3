//! Moving the cursor: CUU, CUD, CUF, CUB, CNL, CPL, CHA, VPA, CUP, HPR, VPR, SCOSC, DECSC, CR, BS,
//! and reverse wrap.

use crate::{answers, check, lost};

const SIZE: (u16, u16) = (10, 5);

#[test]
fn moves() {
    check(SIZE, "\x1b[3;4Hx", &["", "", "   x"], (4, 2));
    check(SIZE, "\x1b[3;4fx", &["", "", "   x"], (4, 2));
    check(SIZE, "\x1b[;4Hx", &["   x"], (4, 0));
    check(SIZE, "\x1b[0;0Hx", &["x"], (1, 0));
    check(
        SIZE,
        "\x1b[99;99Hx",
        &["", "", "", "", "         x"],
        (9, 4),
    );
    check(SIZE, "\x1b[3;4H\x1b[Ax", &["", "   x"], (4, 1));
    check(SIZE, "\x1b[3;4H\x1b[2Bx", &["", "", "", "", "   x"], (4, 4));
    check(SIZE, "\x1b[3;4H\x1b[2Cx", &["", "", "     x"], (6, 2));
    check(SIZE, "\x1b[3;4H\x1b[2Dx", &["", "", " x"], (2, 2));
    check(SIZE, "\x1b[99A\x1b[99Dx", &["x"], (1, 0));
    check(SIZE, "\x1b[3;4H\x1b[Ex", &["", "", "", "x"], (1, 3));
    check(SIZE, "\x1b[3;4H\x1b[2Fx", &["x"], (1, 0));
    check(SIZE, "\x1b[3;4H\x1b[7Gx", &["", "", "      x"], (7, 2));
    check(SIZE, "\x1b[3;4H\x1b[7`x", &["", "", "      x"], (7, 2));
    check(SIZE, "\x1b[3;4H\x1b[2ax", &["", "", "     x"], (6, 2));
    check(SIZE, "\x1b[3;4H\x1b[2dx", &["", "   x"], (4, 1));
    check(SIZE, "\x1b[3;4H\x1b[ex", &["", "", "", "   x"], (4, 3));
}

#[test]
fn controls() {
    check(SIZE, "abc\rx", &["xbc"], (1, 0));
    check(SIZE, "abc\x08x", &["abx"], (3, 0));
    check(SIZE, "\x08\x08x", &["x"], (1, 0));
    check(SIZE, "a\x0bb\x0cc", &["a", " b", "  c"], (3, 2));
    check(SIZE, "\x1b[20ha\nb\x1b[20l\nc", &["a", "b", " c"], (2, 2));
    check(SIZE, "ab\x1bDc\x1bEd", &["ab", "  c", "d"], (1, 2));
    // Controls inside a sequence act at once.
    check(SIZE, "ab\x1b[\r2Cx", &["abx"], (3, 0));
}

#[test]
fn saved_cursor() {
    check(SIZE, "\x1b[2;3H\x1b7\x1b[H\x1b8x", &["", "  x"], (3, 1));
    check(SIZE, "\x1b[2;3H\x1b[s\x1b[H\x1b[ux", &["", "  x"], (3, 1));
    // Nothing saved: home.
    check(SIZE, "\x1b[2;3H\x1b8x", &["x"], (1, 0));
    // A pending wrap is saved too.
    check((3, 3), "abc\x1b7\x1b[H\x1b8x", &["abc", "x"], (1, 1));
    // So is origin mode.
    check(
        SIZE,
        "\x1b[2;4r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[1;1Hx",
        &["", "x"],
        (1, 1),
    );
}

#[test]
fn pending_wrap() {
    check((5, 3), "abcdef", &["abcde", "f"], (1, 1));
    check((5, 3), "abcde", &["abcde"], (4, 0));
    check((5, 3), "abcde\r\nf", &["abcde", "f"], (1, 1));
    check((5, 3), "abcde\rf", &["fbcde"], (1, 0));
    // One step back from the last column (xterm, alacritty; vt100 and tmux count from behind it).
    lost((5, 3), "abcde\x08f", &["abcfe"], (4, 0));
    lost((5, 3), "abcde\x1b[Df", &["abcfe"], (4, 0));
    check((5, 3), "\nabcde\x1b[Af", &["    f", "abcde"], (4, 0));
    check((5, 3), "abcde\x1b[mf", &["abcde", "f"], (1, 1));
    check((5, 3), "abcde\x1b[Cf", &["abcdf"], (4, 0));
    // There is nothing behind the last column to erase (as in tmux, alacritty, kitty; xterm
    // erases the last character).
    check((5, 3), "abcde\x1b[Kf", &["abcde", "f"], (1, 1));
    // A line feed ends it (xterm; tmux and alacritty keep it).
    lost((5, 3), "abcde\nf", &["abcde", "    f"], (4, 1));
}

#[test]
fn reverse_wrap() {
    lost((5, 3), "abcdef\x1b[?45h\x08\x08x", &["abcdx", "f"], (4, 0));
    // Only into rows that wrapped.
    check((5, 3), "abcd\r\n\x1b[?45h\x08x", &["abcd", "x"], (1, 1));
    check((5, 3), "abcde\x1b[?45h\x08x", &["abcdx"], (4, 0));
}

#[test]
fn reports() {
    answers(SIZE, "\x1b[5n", "\x1b[0n");
    answers(SIZE, "ab\x1b[6n", "\x1b[1;3R");
    answers(SIZE, "ab\x1b[?6n", "\x1b[?1;3R");
    answers(SIZE, "\x1b[2;4r\x1b[?6h\x1b[2;3H\x1b[6n", "\x1b[2;3R");
    answers((3, 3), "abc\x1b[6n", "\x1b[1;3R");
    answers(SIZE, "\x1b[c\x1bZ", "\x1b[?62;22;52c\x1b[?62;22;52c");
    answers(SIZE, "\x1b[18t", "\x1b[8;5;10t");
    answers(SIZE, "\x1b[2;4r\x1bP$qr\x1b\\", "\x1bP1$r2;4r\x1b\\");
    answers(SIZE, "\x1b[4 q\x1bP$q q\x1b\\", "\x1bP1$r4 q\x1b\\");
    answers(SIZE, "\x1b[1;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;31m\x1b\\");
}
