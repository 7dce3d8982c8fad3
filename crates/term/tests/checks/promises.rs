//! What the fuzz targets and their bounded stable twins have in common: bytes in, promises checked.

use term::{Cell, EngineKind, Event, Options, Recorder, Silent, Size, Snapshot, Style};
use term::{Terminal, codec, render};

fn options(engine: EngineKind) -> Options {
    Options {
        engine,
        scrollback_lines: 50,
        ..Options::default()
    }
}

fn no_fault(sink: &Recorder) {
    let fault = |event: &&Event| matches!(event, Event::Fault(_));
    assert_eq!(sink.events.iter().find(fault), None, "the engine panicked");
}

/// The first bytes choose sizes and the cut: no panic, and a terminal made from a snapshot in the
/// middle ends like the original, also after another size.
pub(crate) fn check_advance(engine: EngineKind, data: &[u8]) {
    let Some((head, bytes)) = data.split_first_chunk::<4>() else {
        return;
    };
    let size = |cols: u8, rows: u8| Size::new(u16::from(cols) % 90, u16::from(rows) % 30);
    let mut original = Terminal::new(size(head[0], head[1]), &options(engine));
    let cut = bytes.len() * usize::from(head[2]) / 256;
    let mut sink = Recorder::default();
    original.advance(&bytes[..cut], &mut sink);
    let before = original.snapshot_with_scrollback(usize::MAX);
    let encoded = codec::encode_snapshot(&before);
    let Ok(decoded) = codec::decode_snapshot(&encoded) else {
        panic!("our own bytes cannot be read");
    };
    assert_eq!(decoded, before);
    let mut restored = Terminal::from_snapshot(&decoded, &options(engine));
    for terminal in [&mut original, &mut restored] {
        terminal.advance(&bytes[cut..], &mut sink);
        terminal.resize(size(head[3], head[0]));
        terminal.advance(&bytes[..cut], &mut sink);
    }
    let after = original.snapshot_with_scrollback(usize::MAX);
    assert_eq!(after, restored.snapshot_with_scrollback(usize::MAX));
    no_fault(&sink);
}

/// Any bytes as a snapshot or a page: an error, or a terminal that goes on and can be drawn.
pub(crate) fn check_decode(data: &[u8]) {
    if let Ok(page) = codec::decode_page(data) {
        let _text = render::page_to_text(&page);
        let _drawn = render::page_to_ansi(&page);
        let again = codec::decode_page(&codec::encode_page(&page));
        assert_eq!(
            again.as_ref(),
            Ok(&page),
            "what was read is written the same"
        );
    }
    let Ok(snapshot) = codec::decode_snapshot(data) else {
        return;
    };
    let mut sink = Recorder::default();
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        let mut terminal = Terminal::from_snapshot(&snapshot, &options(engine));
        terminal.advance(b"\x1b[31mx\r\n\x1b[2J", &mut sink);
        terminal.resize(Size::new(33, 11));
        let again = terminal.snapshot();
        let _drawn = render::snapshot_to_ansi(&again, &render::AnsiOptions::default());
    }
    no_fault(&sink);
}

/// Whatever was on the screen, its rendering shows it on another terminal: both screens, cursor,
/// modes and title.
pub(crate) fn check_render(data: &[u8]) {
    let Some((head, bytes)) = data.split_first_chunk::<2>() else {
        return;
    };
    let size = Size::new(u16::from(head[0]) % 40 + 2, u16::from(head[1]) % 20 + 2);
    let mut terminal = Terminal::new(size, &options(EngineKind::Grid));
    terminal.advance(bytes, &mut Silent);
    // Half a sequence is for the stream that follows, and a frame held back is for its viewer.
    terminal.advance(b"\x18\x1b[?2026l", &mut Silent);
    let snapshot = terminal.snapshot();
    let all = render::AnsiOptions {
        title: true,
        modes: true,
    };
    let screens = [Some(&snapshot.main), snapshot.alternate.as_ref()];
    let rows = screens
        .into_iter()
        .flatten()
        .flat_map(|screen| &screen.rows);
    if rows.flat_map(|row| &row.cells).any(squeezed) {
        return;
    }
    let drawn = render::snapshot_to_ansi(&snapshot, &all);
    let mut other = Terminal::new(size, &options(EngineKind::Grid));
    other.advance(b"leftovers\x1b[2;3r\x1b[?1049h\x1b[31mrubbish", &mut Silent);
    other.advance(&drawn, &mut Silent);
    let (got, want) = (seen(&other.snapshot()), seen(&snapshot));
    for (name, got, want) in [
        ("main", &got.rows[0], &want.rows[0]),
        ("alternate", &got.rows[1], &want.rows[1]),
    ] {
        for (y, (got, want)) in got.iter().zip(want).enumerate() {
            for (x, (got, want)) in got.iter().zip(want).enumerate() {
                assert_eq!(got, want, "{name} screen, row {y}, column {x}");
            }
        }
    }
    assert_eq!(got.cursor, want.cursor);
    assert_eq!(got.modes, want.modes);
}

/// The cluster is wider or narrower than its cell, as at a margin: no terminal draws that alike.
fn squeezed(cell: &Cell) -> bool {
    let text = cell.text.as_str();
    let fits = text.chars().count() <= 1 || term::width::cluster_width(text) == cell.width;
    cell.width > 0 && !(text.is_empty() || fits)
}

/// A cell as it is seen.
type Look = (String, u8, Style, Option<String>);

/// What of a snapshot can be seen. Not wraps: behind a cluster whose width terminals disagree about
/// none is drawn.
struct Seen {
    /// Of the main screen, and of the alternate one if it is shown.
    rows: [Vec<Vec<Look>>; 2],
    cursor: term::Cursor,
    modes: String,
}

fn look(cell: &Cell, snapshot: &Snapshot) -> Look {
    let text = match cell.text.as_str() {
        " " => "",
        text => text,
    };
    let mut style = cell.style;
    let link = style.link.take();
    let link = link.and_then(|id| snapshot.links.get(id as usize).cloned());
    let link = link.filter(|_| !text.is_empty());
    style.protected = false;
    (text.to_owned(), cell.width, style, link)
}

fn seen(snapshot: &Snapshot) -> Seen {
    let rows = |screen: &term::snapshot::Screen| -> Vec<Vec<Look>> {
        let rows = screen.rows.iter();
        rows.map(|row| row.cells.iter().map(|cell| look(cell, snapshot)).collect())
            .collect()
    };
    let alternate = snapshot
        .alternate
        .as_ref()
        .filter(|_| snapshot.on_alternate);
    let mut modes = snapshot.modes.shared_ansi();
    modes.extend(snapshot.modes.kitty_ansi(snapshot.on_alternate));
    // A wrap waits behind a character only.
    let mut cursor = snapshot.cursor;
    let row = snapshot.shown().rows.get(usize::from(cursor.y));
    let at = row.and_then(|row| row.cells.get(usize::from(cursor.x)));
    cursor.pending_wrap &= at.is_some_and(|cell| cell.width != 1 || !cell.text.is_empty());
    Seen {
        rows: [
            rows(&snapshot.main),
            alternate.map(rows).unwrap_or_default(),
        ],
        cursor,
        modes: String::from_utf8_lossy(&modes).into_owned(),
    }
}
