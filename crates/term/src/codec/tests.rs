//! What is encoded comes back; damage is an error or a working terminal.

use super::*;
use crate::{EngineKind, Options, Silent, Size, Terminal};
use proptest::prelude::*;

fn terminal() -> Terminal {
    let mut terminal = Terminal::new(Size::new(20, 5), &Options::default());
    let text = "one\r\n\x1b[31mtwo 漢字\x1b[m\r\n3\r\n4\r\n5\r\n6\r\n7e\u{301}\x1b[?1049h\x1b[44malt\x1b[3";
    terminal.advance(text.as_bytes(), &mut Silent);
    terminal
}

#[test]
fn snapshots_and_pages_come_back() {
    let mut terminal = terminal();
    let snapshot = terminal.snapshot_with_scrollback(10);
    assert_eq!(snapshot.history.len(), 2);
    let bytes = encode_snapshot(&snapshot);
    assert_eq!(decode_snapshot(&bytes), Ok(snapshot));
    let page = terminal.page(0, 10);
    assert_eq!(page.lines.len(), 2);
    assert_eq!(decode_page(&encode_page(&page)), Ok(page));
}

/// A viewer that read the stream with another engine would show another screen.
#[test]
fn a_snapshot_names_its_engine() {
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        let options = Options {
            engine,
            ..Options::default()
        };
        let encoded = Terminal::new(Size::new(20, 5), &options).encoded_snapshot(0);
        assert_eq!(engine_of(&encoded), engine);
        assert!(decode_snapshot(&encoded).is_ok());
    }
    let unnamed = encode_snapshot(&terminal().snapshot());
    assert_eq!(engine_of(&unnamed), EngineKind::default());
    assert_eq!(engine_of(b"garbage"), EngineKind::default());
}

#[test]
fn unknown_sections_are_skipped() {
    let snapshot = terminal().snapshot();
    let mut bytes = encode_snapshot(&snapshot);
    bytes.extend_from_slice(&[0xff, 0x7f, 3, 0, 0, 0, 1, 2, 3]);
    assert_eq!(decode_snapshot(&bytes), Ok(snapshot));
}

#[test]
fn damage_is_an_error() {
    let bytes = encode_snapshot(&terminal().snapshot());
    assert_eq!(decode_snapshot(b""), Err(CodecError::Magic("snapshot")));
    assert_eq!(decode_snapshot(SNAPSHOT), Err(CodecError::Missing("size")));
    assert_eq!(decode_page(&bytes), Err(CodecError::Magic("page")));
    for cut in 8..bytes.len() {
        // A cut between sections is a snapshot without the rest.
        if let Ok(snapshot) = decode_snapshot(&bytes[..cut]) {
            assert_eq!(snapshot.size, Size::new(20, 5));
        }
    }
    // A claim of four billion rows or lines costs nothing.
    let mut huge = PAGE.to_vec();
    huge.extend_from_slice(&[2, 0, 6, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    assert!(decode_page(&huge).is_err());
}

proptest! {
    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for magic in [SNAPSHOT, PAGE] {
            let mut all = magic.to_vec();
            all.extend_from_slice(&bytes);
            drop(decode_page(&all));
            drop(decode_snapshot(&all));
        }
    }

    #[test]
    fn a_damaged_snapshot_is_an_error_or_works(at in 0usize..2000, value in any::<u8>()) {
        let mut bytes = encode_snapshot(&terminal().snapshot_with_scrollback(5));
        let at = 8 + at % (bytes.len() - 8);
        bytes[at] = value;
        if let Ok(snapshot) = decode_snapshot(&bytes) {
            let mut terminal = Terminal::from_snapshot(&snapshot, &Options::default());
            terminal.advance(b"more\r\n\x1b8\x1b[2Jx", &mut Silent);
            let again = terminal.snapshot();
            prop_assert_eq!(decode_snapshot(&encode_snapshot(&again)), Ok(again));
        }
    }
}
