//! G0 to G3, shifts and DEC special graphics.

use crate::{answers, check, lost};

const SIZE: (u16, u16) = (12, 2);

#[test]
fn sets_and_shifts() {
    check(SIZE, "\x1b(0lqkx\x1b(Bx", &["┌─┐│x"], (5, 0));
    check(SIZE, "\x1b)0q\x0eq\x0fq", &["q─q"], (3, 0));
    lost(SIZE, "\x1b*0q\x1bnq\x0fq", &["q─q"], (3, 0));
    lost(SIZE, "\x1b+0q\x1boq\x0fq", &["q─q"], (3, 0));
    // A single shift is for one character.
    lost(SIZE, "\x1b*0\x1bNqq", &["─q"], (2, 0));
    lost(SIZE, "\x1b+0\x1bOqq", &["─q"], (2, 0));
    // Not for a character outside ASCII, but that uses it up.
    check(SIZE, "\x1b*0\x1bNéq", &["éq"], (2, 0));
    // DECSC keeps them, DECSTR and RIS reset them.
    check(SIZE, "\x1b(0\x1b7\x1b(B\x1b8q", &["─"], (1, 0));
    check(SIZE, "\x1b(0\x1b[!pq", &["q"], (1, 0));
    check(SIZE, "\x1b(0\x1bcq", &["q"], (1, 0));
    check(SIZE, "\x1b(0_`a{|}~", &["_◆▒π≠£·"], (7, 0));
}

/// VT220 and VT510 manuals; as in xterm they need DECNRCM, but for the United Kingdom's.
#[test]
fn national_sets() {
    const ON: &str = "\x1b[?42h";
    for (set, want) in [
        ("A", "£@[\\]^_`{|}~"),
        ("4", "£¾ĳ½|^_`¨ƒ¼´"),
        ("C", "#@ÄÖÅÜ_éäöåü"),
        ("5", "#@ÄÖÅÜ_éäöåü"),
        ("R", "£à°ç§^_`éùè¨"),
        ("f", "£à°ç§^_`éùè¨"),
        ("Q", "#àâçêî_ôéùèû"),
        ("K", "#§ÄÖÜ^_`äöüß"),
        ("Y", "£§°çé^_ùàòèì"),
        ("E", "#ÄÆØÅÜ_äæøåü"),
        ("`", "#ÄÆØÅÜ_äæøåü"),
        ("%6", "#@ÃÇÕ^_`ãçõ~"),
        ("Z", "£§¡Ñ¿^_`°ñç~"),
        ("H", "#ÉÄÖÅÜ_éäöåü"),
        ("=", "ùàéçêîèôäöüû"),
        ("B", "#@[\\]^_`{|}~"),
        ("<", "#@[\\]^_`{|}~"),
    ] {
        let bytes = format!("{ON}\x1b({set}#@[\\]^_`{{|}}~");
        check((20, 2), &bytes, &[want], (12, 0));
    }
    check(SIZE, "\x1b(K[", &["["], (1, 0));
    check(SIZE, "\x1b(A#", &["£"], (1, 0));
    check(SIZE, "\x1b(K\x1b[?42h[\x1b[?42l[", &["Ä["], (2, 0));
    check(SIZE, "\x1b)K\x1b[?42h[\x0e[\x0f[", &["[Ä["], (3, 0));
    check(SIZE, "\x1b[?42h\x1b(K\x1bc\x1b(K[", &["["], (1, 0));
    answers(
        SIZE,
        "\x1b[?42$p\x1b[?42h\x1b[?42$p",
        "\x1b[?42;2$y\x1b[?42;1$y",
    );
}
