//! Bounded stable twins of the fuzz targets (`fuzz/`): any bytes and generated soup through
//! `advance`, the codec and the rendering; and what fuzzing found, as it was found.

#![expect(clippy::print_stdout, reason = "the seed is shown when it fails")]

#[expect(dead_code, reason = "sizes are for other tests")]
#[path = "../grid_soup/mod.rs"]
mod grid_soup;
mod promises;

use grid_soup::soup;
use promises::{check_advance, check_decode, check_history, check_render};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
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

/// What leads to a wrap that waits anywhere, or to a cluster in a cell too narrow for it.
fn margins() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 40] = [
        "ab",
        "abcdef",
        "漢",
        "漢漢漢",
        "⚠\u{fe0f}",
        "⚠",
        "\u{fe0f}",
        "🇩",
        "🇪",
        " ",
        "e\u{301}",
        "\x1b[20b",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[?69h",
        "\x1b[?69l",
        "\x1b[1;3s",
        "\x1b[2;4s",
        "\x1b[3;5s",
        "\x1b[s",
        "\x1b7",
        "\x1b8",
        "\x1b[?47h",
        "\x1b[?47l",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[S",
        "\x1b[T",
        "\x1b[?6h",
        "\x1b[?6l",
        "\x1b[1K",
        "\x1b[2K",
        "\x1b[J",
        "\x1b[2;3r",
        "\x1b[4G",
        "\r\n",
        "\x1b[41m",
        "\x1b[1\"q",
        "\x1b[1;2;2;4$z",
        "\x1b)0\x0e",
    ];
    let pieces = prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..24);
    (0u8..6, 0u8..3, pieces)
        .prop_map(|(cols, rows, pieces)| [&[cols, rows], pieces.concat().as_bytes()].concat())
}

/// Other streams each time, unless `ABIDE_TEST_SEED` says which; `ABIDE_TEST_CASES` how many.
fn check_drawn(streams: &impl Strategy<Value = Vec<u8>>, cases: u32, check: fn(&[u8])) {
    use std::hash::{BuildHasher as _, RandomState};
    let number = |name: &str| std::env::var(name).ok()?.parse().ok();
    let seed = number("ABIDE_TEST_SEED").unwrap_or_else(|| RandomState::new().hash_one(cases));
    println!("ABIDE_TEST_SEED={seed}");
    let cases = number("ABIDE_TEST_CASES")
        .and_then(|n| u32::try_from(n).ok())
        .unwrap_or(cases);
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    });
    let outcome = runner.run(streams, |bytes| {
        check(&bytes);
        Ok(())
    });
    outcome.unwrap_or_else(|failed| panic!("{failed}"));
}

#[test]
fn drawn() {
    check_drawn(&bytes(), 400, check_render);
}

#[test]
fn drawn_at_margins() {
    check_drawn(&margins(), 400, check_render);
}

#[test]
fn drawn_with_scrollback() {
    // A line of the scrollback is text: characters that join what stands behind them, or have a width of
    // their own only where they stand alone, may be split into other cells when it is printed again.
    let known = |c: &char| c.is_ascii() || grid_soup::TEXT.iter().any(|text| text.contains(*c));
    let head = prop::collection::vec(any::<u8>(), 2);
    let streams = (head, soup()).prop_map(move |(head, soup)| {
        let text: String = String::from_utf8_lossy(&soup)
            .chars()
            .filter(known)
            .collect();
        [head, text.into_bytes()].concat()
    });
    check_drawn(&streams, 400, check_history);
}

/// Cells beside each other, in a row and around a margin, that would join if they were written in
/// one go.
#[test]
fn neighbours_stay_apart() {
    for stream in [
        "\x01\x06\0\0 🇩\x1b[@🇩",
        "\x01\x07\0\0aa🇩🇪\x1b[65535ba",
        "\x11\x01\0\0aaaaaaaaaaaaaaa\u{1100}\u{1161}\x1b[65535b",
        "\x02\0\0 \x1b[aa0123456789⚠\u{fe0f}👩\u{200d}🔧\u{200d}\x1b[0b",
    ] {
        check_render(stream.as_bytes());
    }
}

/// States that are made only in a roundabout way: a wrap that waits where there is no margin any
/// more, or another one, or over a blank or a half cell; a wide cluster in a narrow cell; a cursor
/// outside the region in origin mode.
#[test]
fn roundabout_states_come_back() {
    for stream in [
        "\x1b[?69h\x1b[1;3sabc\x1b[?69l",
        "\x1b[?69h\x1b[1;3sabc\x1b7\x1b[?69l\x1b[1;1H",
        "\x1b[?69h\x1b[1;3sabc\x1b7\x1b[2;4s\x1b8",
        "\x1b[?69h\x1b[1;3sabc\x1b7\x1b[2;4s\x1b8\x1b[?47h\x1b[31m",
        "0123456\x1b[1K",
        "\x1b[2;6H漢\x1b[H\x1b[?69h\x1b[1;6s012345\x1b[S",
        "\x1b[?7l01234⚠\x1b[1;7H⚠\u{fe0f}",
        "\x1b[?69h\x1b[1;3s\x1b[?7l\x1b[3G⚠\u{fe0f}\x1b[?69l\x1b[2P",
        "\x1b[?6h\x1b7\x1b[2;3r\x1b8",
        "\x1b[?69h\x1b[?6h\x1b[2;5sa\x1b_Ga=T,f=24,s=25,v=45;AAAA\x1b\\",
        "\x1b[?6h0123456\x1b7\x1b[2;3r\x1b8",
        "\x1b[?6h\x1b[2;1H0123456\x1b7\x1b[3;4r\x1b8\x1b[A\x1b[B",
        "\x1b[?6h\x1b[2C\x1b7\x1b[2;3r\x1b8\x1b[4Cx",
    ] {
        check_render(&[b"\x05\x02", stream.as_bytes()].concat());
    }
}
