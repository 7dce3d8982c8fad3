//! The two engines judge each other on the language both speak: more than tmux's, since what a
//! pending wrap does is the same in both.

use proptest::prelude::*;
use term::{EngineKind, Size};

use crate::streams::piece;
use crate::{differences, ours};

/// Of the language for tmux, without what the vt100 engine loses (`docs/terminal.md`); and moves
/// whatever the cursor does.
fn shared() -> impl Strategy<Value = String> {
    let free = [
        "\x1b[A", "\x1b[B", "\x1b[3C", "\x1b[2E", "\x1b[F", "\x1b[5`", "\x1b[3d",
    ];
    prop_oneof![
        5 => piece(),
        1 => prop::sample::select(free.to_vec()).prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn engines_show_the_same(
        mut pieces in prop::collection::vec(shared(), 1..40), regions: bool,
    ) {
        // Scroll regions are one for both screens, in vt100 one for each.
        let region = |piece: &String| [";6r", ";4r"].iter().any(|end| piece.contains(end));
        pieces.retain(|piece| if regions { !piece.contains("1049") } else { !region(piece) });
        let bytes = pieces.concat();
        let size = Size::new(20, 7);
        let grid = ours(EngineKind::Grid, size, bytes.as_bytes());
        let vt100 = ours(EngineKind::Vt100, size, bytes.as_bytes());
        let found = differences(&grid, &vt100, true).join("\n");
        prop_assert!(found.is_empty(), "{:?}:\n{}", pieces, found);
    }
}
