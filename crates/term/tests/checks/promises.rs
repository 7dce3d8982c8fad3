//! What the fuzz targets and their bounded stable twins have in common: bytes in, promises checked.

use term::snapshot::Screen;
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

/// Whatever was on the screen, its rendering makes another terminal the same: both screens with
/// their saved cursors, cursor, pen, character sets, region, margins, tab stops, modes and title.
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
    let drawn = render::snapshot_to_ansi(&snapshot, &all);
    let mut other = Terminal::new(size, &options(EngineKind::Grid));
    other.advance(LEFTOVERS, &mut Silent);
    other.advance(&drawn, &mut Silent);
    let (got, want) = (other.snapshot(), snapshot);
    check_screens(&got, &want);
    assert_eq!(seen(got), seen(want));
}

/// The same with the scrollback: the other terminal's own holds the same rows then, looks and all.
pub(crate) fn check_history(data: &[u8]) {
    let Some((head, bytes)) = data.split_first_chunk::<2>() else {
        return;
    };
    let size = Size::new(u16::from(head[0]) % 40 + 2, u16::from(head[1]) % 6 + 1);
    let mut terminal = Terminal::new(size, &options(EngineKind::Grid));
    terminal.advance(bytes, &mut Silent);
    terminal.advance(b"\x18\x1b[?2026l", &mut Silent);
    let want = terminal.snapshot_with_scrollback(usize::MAX);
    let drawn = render::snapshot_to_ansi(&want, &render::AnsiOptions::default());
    let mut other = Terminal::new(size, &Options::default());
    other.advance(&drawn, &mut Silent);
    let got = other.snapshot_with_scrollback(usize::MAX);
    assert_eq!(history(&got), history(&want));
    check_screens(&got, &want);
}

/// The scrollback as rows of the screen's width, blanks at their ends left out.
fn history(snapshot: &Snapshot) -> Vec<Vec<Look>> {
    let lines = snapshot.history.iter();
    let rows = lines.flat_map(|line| line.rows(snapshot.size.cols));
    let row = |row: term::Row| {
        let mut cells: Vec<Look> = row.cells.iter().map(|cell| look(cell, snapshot)).collect();
        let blank = look(&Cell::BLANK, snapshot);
        while cells.last() == Some(&blank) {
            cells.pop();
        }
        cells
    };
    rows.map(row).collect()
}

/// What may be on a terminal before a snapshot is drawn on it.
const LEFTOVERS: &[u8] =
    b"leftovers\x1b[2;3r\x1b[?69h\x1b[2;2s\x1b(0\x0e\x1b[?1049h\x1b[31mrubbish\
    \x1b]8;;http://z\x07\x1b[1\"qx";

/// Cell by cell, for words that help.
fn check_screens(got: &Snapshot, want: &Snapshot) {
    for (name, mine, theirs) in [
        ("main", Some(&got.main), Some(&want.main)),
        ("alternate", got.alternate.as_ref(), want.alternate.as_ref()),
    ] {
        let (Some(mine), Some(theirs)) = (mine, theirs) else {
            continue;
        };
        for (y, (mine, theirs)) in mine.rows.iter().zip(&theirs.rows).enumerate() {
            for (x, (a, b)) in mine.cells.iter().zip(&theirs.cells).enumerate() {
                let (a, b) = (look(a, got), look(b, want));
                assert_eq!(a, b, "{name} screen, row {y}, column {x}");
            }
        }
        let saved = |screen: &Screen, of| screen.saved.map(|saved| linked(saved.pen, of));
        assert_eq!(saved(mine, got), saved(theirs, want), "{name}: saved pen");
    }
    assert_eq!(linked(got.pen, got), linked(want.pen, want), "the pen");
}

/// A cell as it is seen.
type Look = (String, u8, Style, Option<String>);

/// A style and its link by name.
fn linked(mut style: Style, snapshot: &Snapshot) -> (Style, Option<String>) {
    let link = style.link.take();
    let link = link.and_then(|id| snapshot.links.get(id as usize).cloned());
    (style, link)
}

fn look(cell: &Cell, snapshot: &Snapshot) -> Look {
    let text = match cell.text.as_str() {
        " " => "",
        // What stands for a part of a picture is drawn as a blank.
        text if text.starts_with('\u{10eeee}') => "",
        text => text,
    };
    let (style, link) = linked(cell.style, snapshot);
    (text.to_owned(), cell.width, style, link)
}

/// What of a snapshot has to come back beside cells and pens, as one that can be compared. Not
/// wraps: behind a cluster whose width terminals disagree about none is drawn. Not what is of no
/// use to a real terminal: stacks of titles and pens, saved modes, half a notification, counts.
fn seen(mut snapshot: Snapshot) -> Snapshot {
    let modes = &mut snapshot.modes;
    modes.titles = term::modes::Titles::of(modes.titles.current().to_owned());
    modes.saved.clear();
    (
        modes.columns_132,
        modes.allow_columns,
        modes.keep_on_columns,
    ) = (false, false, false);
    let (size, region) = (snapshot.size, snapshot.main.region);
    snapshot
        .alternate
        .get_or_insert_with(|| Screen::blank(size));
    for screen in [Some(&mut snapshot.main), snapshot.alternate.as_mut()]
        .into_iter()
        .flatten()
    {
        screen.rows.clear();
        // Both screens have the same one.
        screen.region = region;
        screen.saved = screen.saved.map(|saved| term::snapshot::Saved {
            pen: Style::default(),
            ..saved
        });
    }
    snapshot.pen = Style::default();
    let blank = Snapshot::blank(snapshot.size);
    Snapshot {
        last_char: None,
        joins: blank.joins,
        lines: blank.lines,
        links: blank.links,
        pens: blank.pens,
        notice: blank.notice,
        pictures: 0,
        album: blank.album,
        ..snapshot
    }
}
