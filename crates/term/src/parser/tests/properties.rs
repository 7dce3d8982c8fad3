//! Properties of the parser over any stream.

use proptest::prelude::*;

use super::{Calls, check_pending, parse, print};
use crate::parser::Parser;

/// Streams made of the bytes that matter, with some of any kind.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(b"\x1b[]P_^X\\?<=>;:0123456789 !$\"mhluqcptr\x07\x18\x1a\n".to_vec())
            .prop_map(|byte| vec![byte]),
        2 => prop::sample::select(vec![
            "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\x1b\\", "\x1b[?25h", "\x1b[38:2::1:2:3m", "\x1b]0;t",
            "\x1bP$q", "text", "\u{4f60}", "\u{1f600}", "\u{9b}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
        1 => "[ -~]{1,80}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// The standard library replaces maximal subparts too.
    #[test]
    fn any_bytes_as_text(bytes in prop::collection::vec(prop_oneof![0x20..0x7fu8, 0x80..=0xffu8], 0..40)) {
        let stream = [bytes.as_slice(), b"."].concat();
        let mut want = String::from_utf8_lossy(&stream).into_owned();
        want.retain(|c| !c.is_control());
        prop_assert_eq!(parse(&stream), [print(&want)]);
    }

    /// `zellij#5320`: sequences split across reads were garbled.
    #[test]
    fn splits_change_nothing(
        stream in streams(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        let (mut parser, mut calls, mut start) = (Parser::new(), Calls::default(), 0);
        for end in cuts.into_iter().chain([stream.len()]) {
            parser.advance(&stream[start..end], &mut calls);
            start = end;
        }
        prop_assert_eq!(calls.0, parse(&stream));
    }

    #[test]
    fn pending_bytes_go_on_exactly(stream in streams(), cut in any::<prop::sample::Index>()) {
        let cut = cut.index(stream.len() + 1);
        check_pending(&stream[..cut]);
        let mut before = Parser::new();
        before.advance(&stream[..cut], &mut Calls::default());
        let mut again = Parser::new();
        again.advance(&before.pending(), &mut Calls::default());
        let (mut a, mut b) = (Calls::default(), Calls::default());
        before.advance(&stream[cut..], &mut a);
        again.advance(&stream[cut..], &mut b);
        prop_assert_eq!(a.0, b.0);
        prop_assert_eq!(before, again);
    }
}
