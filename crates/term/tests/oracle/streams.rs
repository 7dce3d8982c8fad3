//! Generated streams of the language tmux and we both speak.
//!
//! Left out, or kept apart by going somewhere first, is what `docs/terminal.md` lists: what a
//! pending wrap does to LF, IND, RI, BS, ICH, DCH and ECH; halves of wide characters; clusters and marks (tmux
//! 3.3 knows no VS16, joins others, and may give a mark a cell of its own); reverse wrap; margins; protection; HPR and VPR beyond
//! regions; a cursor saved on one screen and brought back on the other.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use term::{EngineKind, Size};

use crate::tmux::Tmux;
use crate::{differences, ours};

/// Text of every width both agree about.
const TEXT: [&str; 6] = ["a", "word ", "0123456789", " ", "é", "ｱ"];
/// Wide characters, where they fit: the column one does not fit into keeps its text in tmux.
const WIDE: [&str; 3] = ["漢", "字x", "漢字"];

const FIXED: [&str; 32] = [
    "\x1b[3;6r\x1b[4;1H\x1b[2L",
    "\x1b[3;6r\x1b[4;1H\x1b[2M",
    "\r",
    "\r\n",
    "\r\n\r\n",
    "\t",
    "\r\x1bD",
    "\x1bE",
    "\r\x1bM",
    "\x1b)0\x0elqk\x0f",
    "\r\x1b[2Kabcd\x1b[3G\x1b[4hxy\x1b[4l",
    "\x1b[31m",
    "\x1b[42m",
    "\x1b[97;105m",
    "\x1b[38;5;100m",
    "\x1b[38;2;1;2;3m",
    "\x1b[48:2::9:8:7m",
    "\x1b[m",
    "\x1b[1;3;4;7m",
    "\x1b[22;24;27m",
    "\x1b[39;49m",
    "\r\x1b7",
    "\x1b8",
    // The cursor 1049 saves is DECSC's (xterm), in tmux one of its own.
    "\x1b[?1049h\r\x1b7",
    "\x1b[?1049h\x1b[3;3Hx\x1b[?1049l\r\x1b7",
    "\x1b[r",
    "\x1b[3;6r",
    "\x1b[2;4r",
    "\x1b[?7l\x1b[1G0123456789012345678901\x1b[1G\x1b[?7h",
    "\x1b[1Gz\x1b[3b",
    "\x1b[1G\x1bH",
    "\x1b[3g",
];

/// A piece of a stream. Edits come with a place, so that no wrap is pending, and rows with wide
/// characters are erased whole.
pub(crate) fn piece() -> impl Strategy<Value = String> {
    let n = prop_oneof![4 => 1u16..9, 1 => Just(400u16)];
    let place = (1u16..7, 1u16..17).prop_map(|(y, x)| format!("\x1b[{y};{x}H"));
    prop_oneof![
        6 => prop::sample::select(TEXT.to_vec()).prop_map(str::to_owned),
        3 => place.clone(),
        2 => (place.clone(), prop::sample::select(WIDE.to_vec()))
            .prop_map(|(place, wide)| format!("{place}{wide}")),
        2 => (place.clone(), n.clone(), prop::sample::select(b"ABCDG".to_vec()))
            .prop_map(|(place, n, last)| format!("{place}\x1b[{n}{}", char::from(last))),
        2 => (1u16..7, n.clone(), prop::sample::select(b"LMSTJK".to_vec())).prop_map(|(y, n, last)| {
            let n = match last {
                b'J' | b'K' => n % 2 * 2,
                _ => n,
            };
            // Outside a region IL and DL act in tmux.
            let all = if matches!(last, b'L' | b'M') { "\x1b[r" } else { "" };
            format!("{all}\x1b[{y};1H\x1b[{n}{}", char::from(last))
        }),
        // On a row of their own making: narrow text, then the edit.
        2 => (1u16..7, 1u16..12, 1u16..9, prop::sample::select(b"@PX".to_vec())).prop_map(
            |(y, x, n, last)| {
                format!("\x1b[{y};1H\x1b[2Kabcdefghij\x1b[{y};{x}H\x1b[{n}{}", char::from(last))
            },
        ),
        5 => prop::sample::select(FIXED.to_vec()).prop_map(str::to_owned),
    ]
}

fn rounds() -> usize {
    let rounds = std::env::var("ABIDE_TEST_ROUNDS").ok();
    rounds.map_or(40, |rounds| rounds.parse().unwrap())
}

#[test]
fn streams_look_as_in_tmux() {
    let Some(tmux) = Tmux::start() else { return };
    let size = Size::new(20, 7);
    let streams = prop::collection::vec(piece(), 1..30);
    // A fixed walk with the usual number of rounds, another one each time with more.
    let mut runner = if rounds() <= 40 {
        TestRunner::deterministic()
    } else {
        TestRunner::default()
    };
    for _ in 0..rounds() {
        let mut tree = streams.new_tree(&mut runner).unwrap();
        let judge = |pieces: &[String]| {
            let bytes = pieces.concat();
            let theirs = tmux.screen(size, bytes.as_bytes());
            differences(
                &ours(EngineKind::Grid, size, bytes.as_bytes()),
                &theirs,
                true,
            )
        };
        if judge(&tree.current()).is_empty() {
            continue;
        }
        // The smallest stream that still differs tells most.
        let mut smallest = tree.current();
        let mut more = tree.simplify();
        for _ in 0..400 {
            if !more {
                break;
            }
            more = if judge(&tree.current()).is_empty() {
                tree.complicate()
            } else {
                smallest = tree.current();
                tree.simplify()
            };
        }
        let found = judge(&smallest).join("\n");
        panic!("tmux shows another screen of {smallest:?}:\n{found}");
    }
}
