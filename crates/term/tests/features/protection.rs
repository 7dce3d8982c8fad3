//! DECSCA and selective erase. In the vt100 engine it erases all.

use crate::{check, lost};
use term::EngineKind;

const TEXT: &str = "ab\x1b[1\"qcd\x1b[2\"qef";

#[test]
fn protected_cells_stay() {
    lost(
        (8, 2),
        &format!("{TEXT}\x1b[1;1H\x1b[?K"),
        &["  cd"],
        (0, 0),
    );
    lost(
        (8, 2),
        &format!("{TEXT}\x1b[1;4H\x1b[?1K"),
        &["  cdef"],
        (3, 0),
    );
    lost((8, 2), &format!("{TEXT}\x1b[?2J"), &["  cd"], (6, 0));
    // Everything else erases them.
    check((8, 2), &format!("{TEXT}\x1b[2J"), &[], (6, 0));
    check((8, 2), &format!("{TEXT}\x1b[1;1H\x1b[9X"), &[], (0, 0));
    // SGR 0 leaves protection on, DECSTR takes it away.
    lost((8, 2), "\x1b[1\"qa\x1b[mb\x1b[!pc\x1b[?2K", &["ab"], (3, 0));
    let (_, sink) = crate::fed(EngineKind::Grid, (8, 2), "\x1b[1\"q\x1bP$q\"q\x1b\\");
    assert_eq!(sink.answers, b"\x1bP1$r1\"q\x1b\\");
}
