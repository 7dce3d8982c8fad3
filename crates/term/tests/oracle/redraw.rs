//! A snapshot with its scrollback, drawn on real outer terminals of the same size: tmux (live) and
//! alacritty_terminal. Both have to hold the same then: scrollback and screen with styles, which rows
//! go on in the next, the main screen behind the alternate one, the cursor.

use term::render::{AnsiOptions, pages_to_ansi, snapshot_to_ansi};
use term::{Cell, Options, Page, Row, Silent, Size, Snapshot, Terminal};

use crate::alacritty::Alacritty;
use crate::recordings::recordings;
use crate::tmux::{Tmux, cells};
use crate::{Screen, differences};

/// What there is to be drawn.
struct Want {
    size: Size,
    /// Scrollback and the screen that is shown.
    screen: Screen,
    /// The same as lines.
    lines: Vec<String>,
    /// The main screen, while the alternate one is shown.
    main: Option<Screen>,
    drawn: Vec<u8>,
}

fn fed(size: Size, bytes: &[u8]) -> Terminal {
    let mut terminal = Terminal::new(size, &Options::default());
    terminal.advance(bytes, &mut Silent);
    terminal
}

fn cells_of(rows: &[Row]) -> Vec<Vec<Cell>> {
    rows.iter().map(|row| row.cells.clone()).collect()
}

/// The scrollback as rows of the screen's width.
fn history(snapshot: &Snapshot) -> Vec<Row> {
    let lines = snapshot.history.iter();
    lines
        .flat_map(|line| line.rows(snapshot.size.cols))
        .collect()
}

/// Rows as lines, each without blanks at its end.
fn lines(rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut rows = rows.iter().peekable();
    while let Some(row) = rows.next() {
        let mut text = row.full_text();
        let wide = rows
            .peek()
            .and_then(|next| next.cells.first())
            .is_some_and(|cell| cell.width == 2);
        if row.wrapped && wide && row.cells.last() == Some(&Cell::BLANK) {
            // Nobody wrote the column that a wide character did not fit into.
            text.pop();
        }
        line.push_str(&text);
        if !row.wrapped {
            lines.push(std::mem::take(&mut line));
        }
    }
    lines.push(line);
    trimmed(lines.into_iter())
}

fn trimmed(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// All pages of a scrollback.
fn pages(terminal: &Terminal) -> Vec<Page> {
    let ids = terminal.scrollback();
    let mut from = ids.start;
    let mut pages = Vec::new();
    while from < ids.end {
        let page = terminal.page(from, 7);
        from = page.end();
        pages.push(page);
    }
    pages
}

fn want(size: Size, bytes: &[u8]) -> Want {
    let mut terminal = fed(size, bytes);
    // Half a sequence is for the stream that follows, and a frame held back is for its viewer.
    terminal.advance(b"\x18\x1b[?2026l", &mut Silent);
    let options = AnsiOptions {
        title: true,
        modes: true,
    };
    let snapshot = terminal.snapshot_with_scrollback(usize::MAX);
    let drawn = snapshot_to_ansi(&snapshot, &options);
    let paged = pages_to_ansi(&pages(&terminal), &terminal.snapshot(), &options);
    let all = |bytes: &[u8]| {
        let mut again = fed(size, bytes).snapshot_with_scrollback(usize::MAX);
        again
            .history
            .iter_mut()
            .for_each(|line| line.spans.retain(|span| !span.text.is_empty()));
        (again.history, again.main.rows, again.cursor)
    };
    assert_eq!(all(&paged), all(&drawn), "in pages, and at once");
    let rows = [history(&snapshot), snapshot.shown().rows.clone()].concat();
    let cursor = (snapshot.cursor.x, snapshot.cursor.y);
    let main = snapshot.on_alternate.then(|| &snapshot.main.rows[..]);
    Want {
        size,
        lines: lines(&rows),
        screen: (cells_of(&rows), cursor),
        main: main.map(|rows| (cells_of(rows), (0, 0))),
        drawn,
    }
}

/// Sizes and streams: short and long scrollbacks, a last line that goes on on the screen, wide
/// characters at the margin, colours where rows scroll in, both screens, and all recordings.
fn cases() -> Vec<(String, Size, Vec<u8>)> {
    let numbered = |n: usize| (0..n).map(|n| format!("line {n}\r\n")).collect::<String>();
    let long = |n: usize| "0123456789".repeat(n);
    let small = Size::new(20, 6);
    let mut cases: Vec<(String, Size, Vec<u8>)> = [
        ("nothing above", "one\r\ntwo".to_owned()),
        ("one line above", numbered(6)),
        ("some lines above", numbered(9)),
        ("many lines above", numbered(200)),
        ("blank lines", format!("\r\n\r\n\r\nx{}\r\n\r\n", numbered(8))),
        ("a wrapped line", format!("{}\r\n{}\r\n{}", long(5), long(4), numbered(6))),
        ("a line that goes on", format!("{}{}", numbered(5), long(9))),
        ("a line over all of the screen", format!("ab\r\n{}", long(40))),
        ("a screen and no more", long(12)),
        ("wide at the margin", format!("{}漢字漢\r\na{}\r\n{}", long(2), "漢".repeat(35), numbered(3))),
        ("marks and emoji", format!("e\u{301}{}🎉\r\n{}", long(3), numbered(7))),
        (
            "colours",
            format!(
                "\x1b[31;44m{}\x1b[m\r\n\x1b[1;3;4;7;38;2;1;2;3mx\x1b[m y\r\n\x1b[42m{}\x1b[m\r\n{}",
                long(5), long(3), numbered(5)
            ),
        ),
        (
            "links",
            format!("\x1b]8;;http://x\x07one\x1b]8;;\x07\r\n{}\x1b]8;;http://y\x07two\x1b]8;;\x07", numbered(7)),
        ),
        ("the alternate screen", format!("{}\x1b[?1049h\x1b[Hfull screen{}", numbered(9), long(4))),
        ("the alternate screen again", format!("{}\x1b[?1049hx\x1b[?1049l{}", numbered(9), long(4))),
        ("a region", format!("{}\x1b[2;4r\x1b[3;1Hin it\x1b[?6h\x1b[2;2H", numbered(9))),
        ("a wrap that waits", format!("{}{}", numbered(9), long(2))),
        ("a saved cursor", format!("\x1b[2;5H\x1b[31m\x1b7\x1b[m\x1b[H{}", numbered(9))),
    ]
    .into_iter()
    .map(|(name, stream)| (name.to_owned(), small, stream.into_bytes()))
    .collect();
    for path in recordings() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap();
        let half = bytes[..bytes.len() / 2].to_vec();
        cases.push((format!("half of {name}"), Size::new(80, 24), half));
        cases.push((name, Size::new(80, 24), bytes));
    }
    cases
}

/// Compares everything; `ask` gives screen with scrollback, lines, and the main screen behind.
fn check(mut ask: impl FnMut(&Want) -> (Screen, Vec<String>, Option<Screen>)) {
    let mut wrong = Vec::new();
    for (name, size, bytes) in cases() {
        let want = want(size, &bytes);
        let (screen, lines, main) = ask(&want);
        let mut found = differences(&want.screen, &screen, true);
        if want.screen.0.len() != screen.0.len() {
            found.push(format!(
                "  rows: {} and {}",
                want.screen.0.len(),
                screen.0.len()
            ));
        }
        for (n, (ours, theirs)) in want.lines.iter().zip(&lines).enumerate() {
            if ours != theirs {
                found.push(format!(
                    "  line {n}:\n    ours   {ours:?}\n    theirs {theirs:?}"
                ));
            }
        }
        if want.lines.len() != lines.len() {
            found.push(format!("  lines: {} and {}", want.lines.len(), lines.len()));
        }
        match (&want.main, &main) {
            (Some(ours), Some(theirs)) => {
                let behind = differences(ours, theirs, true);
                found.extend(behind.into_iter().map(|text| format!("  behind it:{text}")));
            }
            (ours, theirs) if ours.is_some() != theirs.is_some() => {
                found.push("  another screen is shown".to_owned());
            }
            _ => {}
        }
        if !found.is_empty() {
            wrong.push(format!("{name}:\n{}", found.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn drawn_on_tmux() {
    let Some(tmux) = Tmux::start() else { return };
    check(|want| {
        let seen = tmux.everything(want.size, &want.drawn);
        let rows = |captured: &[u8]| {
            let captured = captured.strip_suffix(b"\n").unwrap_or(captured);
            let count = captured.split(|b| *b == b'\n').count();
            let tall = Size::new(want.size.cols, u16::try_from(count).unwrap());
            cells(tall, captured)
        };
        let text = String::from_utf8(seen.lines).unwrap();
        // Without the column behind the last, where the cursor of a pending wrap stands.
        let cursor = (seen.cursor.0.min(want.size.cols - 1), seen.cursor.1);
        (
            (rows(&seen.rows), cursor),
            trimmed(text.lines().map(str::to_owned)),
            seen.other.map(|other| (rows(&other), (0, 0))),
        )
    });
}

#[test]
fn drawn_on_alacritty() {
    check(|want| {
        let mut theirs = Alacritty::new(want.size);
        theirs.advance(&want.drawn);
        let (shown, cursor) = (theirs.shown(), theirs.cursor());
        // The alternate screen has no scrollback above it there.
        let behind = theirs.shows_alternate().then(|| {
            theirs.advance(b"\x1b[?1049l");
            (cells_of(&theirs.shown()), (0, 0))
        });
        let rows = [theirs.above(), shown].concat();
        ((cells_of(&rows), cursor), lines(&rows), behind)
    });
}
