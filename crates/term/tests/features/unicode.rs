//! Clusters and their columns (UAX #29; contour's "Unicode core" for what is 2 wide).

use term::EngineKind;

use crate::{check, fed, lost, rows};

const SIZE: (u16, u16) = (12, 3);

/// A mark goes to what was printed last, be it before the cursor or, where nothing wraps, below it.
#[test]
fn marks_without_autowrap() {
    check(
        (5, 2),
        "\x1b[?7l    x\x1b[1;4He\u{301}",
        &["   e\u{301}x"],
        (4, 0),
    );
    check((5, 2), "\x1b[?7labcd\u{301}", &["abcd\u{301}"], (4, 0));
    lost((5, 2), "\x1b[?7labcde\u{301}", &["abcde\u{301}"], (4, 0));
    lost(
        (5, 2),
        "\x1b[?7lab⚠\u{fe0f}\u{301}",
        &["ab⚠\u{fe0f}\u{301}"],
        (4, 0),
    );
}

#[test]
fn clusters() {
    check(SIZE, "e\u{301}x", &["e\u{301}x"], (2, 0));
    check(SIZE, "漢x", &["漢x"], (3, 0));
    check(SIZE, "ｱx", &["ｱx"], (2, 0));
    check(SIZE, "🎉x", &["🎉x"], (3, 0));
    lost(SIZE, "⚠\u{fe0f}x", &["⚠\u{fe0f}x"], (3, 0));
    lost(SIZE, "👩\u{200d}🔧x", &["👩\u{200d}🔧x"], (3, 0));
    lost(SIZE, "👍🏽x", &["👍🏽x"], (3, 0));
    check(SIZE, "🇩🇪🇫🇷x", &["🇩🇪🇫🇷x"], (5, 0));
    lost(SIZE, "1\u{fe0f}\u{20e3}2", &["1\u{fe0f}\u{20e3}2"], (3, 0));
    lost(
        SIZE,
        "🏳\u{fe0f}\u{200d}🌈x",
        &["🏳\u{fe0f}\u{200d}🌈x"],
        (3, 0),
    );
    check(
        SIZE,
        "\u{1100}\u{1161}\u{11a8}x",
        &["\u{1100}\u{1161}\u{11a8}x"],
        (3, 0),
    );
    // A soft hyphen is drawn (xterm).
    lost(SIZE, "a\u{ad}b", &["a\u{ad}b"], (3, 0));
    let marks = "\u{301}".repeat(10);
    let text = format!("a{marks}b");
    lost(SIZE, &text, &[text.as_str()], (2, 0));
}

/// Letters that UAX #29 joins and `wcwidth` gives a column each keep it: Thai SARA AM, Indic vowel signs and
/// conjuncts, halfwidth voiced marks. Line editors and full-screen programs count so.
#[test]
fn letters_with_a_column_of_their_own() {
    check(SIZE, "กำ|", &["กำ|"], (3, 0));
    check(SIZE, "น้ำ|", &["น้ำ|"], (3, 0));
    check(SIZE, "ทำงาน|\x1b[1;3HX", &["ทำXาน|"], (3, 0));
    check(SIZE, "हिन्दी|", &["हिन्दी|"], (6, 0));
    check(SIZE, "क्षक्त|", &["क्षक्त|"], (5, 0));
    check(SIZE, "ｶ\u{ff9e}|", &["ｶ\u{ff9e}|"], (3, 0));
    lost(SIZE, "ক\u{9be}|", &["ক\u{9be}|"], (3, 0));
}

#[test]
fn clusters_end_when_the_cursor_moves() {
    // Two halves of flags drawn apart are no flag.
    check(SIZE, "🇩\x1b[1;2H🇪", &["🇩🇪"], (2, 0));
    // Marks go to what stands before the cursor all the same.
    check(SIZE, "ax\x1b[1;2H\u{301}", &["a\u{301}x"], (1, 0));
    // Nothing to mark in the first column.
    check(SIZE, "\u{301}x", &["x"], (1, 0));
}

#[test]
fn at_the_margin() {
    check((4, 2), "abcd\u{301}e", &["abcd\u{301}", "e"], (1, 1));
    check((4, 2), "abc漢", &["abc", "漢"], (2, 1));
    check((4, 2), "ab漢\u{301}c", &["ab漢\u{301}", "c"], (1, 1));
    // A cell that becomes wide in the last column moves on.
    lost((4, 2), "abc⚠\u{fe0f}x", &["abc", "⚠\u{fe0f}x"], (3, 1));
    lost((4, 2), "ab⚠\u{fe0f}x", &["ab⚠\u{fe0f}", "x"], (1, 1));
    let (terminal, _) = fed(EngineKind::Grid, (1, 2), "漢👩\u{200d}🔧");
    assert_eq!(rows(&terminal), ["漢", "👩\u{200d}🔧"]);
}

/// dinotty, p2pmux#120: overwriting emoji of any spelling leaves nothing behind.
#[test]
fn no_residue() {
    let text = "a ⚠\u{fe0f} b ➡\u{fe0f} c ✔\u{fe0f} 👨\u{200d}👩\u{200d}👧 🇮🇳 1\u{fe0f}\u{20e3}|";
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        let (terminal, _) = fed(engine, (40, 2), &format!("{text}\r{}", ".".repeat(40)));
        assert_eq!(rows(&terminal), [".".repeat(40)], "{engine:?}");
        let (terminal, _) = fed(engine, (40, 2), &format!("{text}\x1b[H\x1b[2J"));
        assert!(rows(&terminal).is_empty());
    }
}
