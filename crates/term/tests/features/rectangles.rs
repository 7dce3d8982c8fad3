//! DECFRA, DECERA, DECSERA, DECCRA. The vt100 engine has none.

use crate::{check, lost};

const SIZE: (u16, u16) = (6, 4);
const FULL: &str = "abcdef\r\nghijkl\r\nmnopqr\r\nstuvwx\x1b[H";

fn with(rest: &str) -> String {
    format!("{FULL}{rest}")
}

#[test]
fn rectangles() {
    lost(
        SIZE,
        &with("\x1b[35;2;3;3;4$x"),
        &["abcdef", "gh##kl", "mn##qr", "stuvwx"],
        (0, 0),
    );
    lost(
        SIZE,
        &with("\x1b[2;3;3;4$z"),
        &["abcdef", "gh  kl", "mn  qr", "stuvwx"],
        (0, 0),
    );
    lost(SIZE, &with("\x1b[$z"), &[], (0, 0));
    lost(
        SIZE,
        &with("\x1b[1;1;2;2;1;3;5;1$v"),
        &["abcdef", "ghijkl", "mnopab", "stuvgh"],
        (0, 0),
    );
    // Onto itself, and over the edge.
    lost(
        SIZE,
        &with("\x1b[1;1;3;3;1;2;2;1$v"),
        &["abcdef", "gabckl", "mghiqr", "smnowx"],
        (0, 0),
    );
    lost(
        SIZE,
        &with("\x1b[1;1;3;3;1;4;6;1$v"),
        &["abcdef", "ghijkl", "mnopqr", "stuvwa"],
        (0, 0),
    );
    // In origin mode from the region's corner.
    lost(
        SIZE,
        &with("\x1b[2;3r\x1b[?6h\x1b[35;1;1;9;2$x"),
        &["abcdef", "##ijkl", "##opqr", "stuvwx"],
        (0, 1),
    );
    lost(
        (6, 1),
        "ab\x1b[1\"qcd\x1b[0\"qef\x1b[1;1;1;9${",
        &["  cd"],
        (6 - 1, 0),
    );
    // Halves of wide characters are not copied.
    lost(
        SIZE,
        "漢字x\x1b[1;2;1;4;1;2;1;1$v",
        &["漢字x", " 字"],
        (5, 0),
    );
    // An empty one does nothing, nor does a control to fill with.
    check(
        SIZE,
        &with("\x1b[35;3;3;2;2$x\x1b[7;1;1;2;2$x"),
        &["abcdef", "ghijkl", "mnopqr", "stuvwx"],
        (0, 0),
    );
}
