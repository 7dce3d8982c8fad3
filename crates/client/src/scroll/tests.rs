//! Pages as the view needs them, and what it shows of them.

use super::*;
use term::{Span, Style};

fn line(text: &str) -> Line {
    let spans = vec![Span {
        text: text.to_owned(),
        style: Style::default(),
    }];
    Line {
        spans,
        continued: false,
    }
}

fn text(scroll: &Scroll) -> Vec<String> {
    scroll.view().iter().map(Row::text).collect()
}

/// A scrollback of `lines` lines `l0`, `l1`.. above a screen `s0 s1 s2`, all pages answered.
fn opened(lines: u64) -> Scroll {
    let mut terminal = Terminal::new(Size::new(10, 3), &term::Options::default());
    terminal.advance(b"s0\r\ns1\r\ns2", &mut term::Silent);
    Scroll::new(&terminal, 3, lines)
}

fn answer(scroll: &mut Scroll, first_kept: u64) -> usize {
    let mut pages = 0;
    while let Some((from, count)) = scroll.wanted() {
        let end = from + u64::from(count);
        let from = from.max(first_kept);
        let lines = (from..end).map(|n| line(&format!("l{n}"))).collect();
        scroll.page(Some(Page {
            first: from,
            lines,
            held: first_kept..5_000,
            ..Page::default()
        }));
        pages += 1;
    }
    pages
}

#[test]
fn pages_are_fetched_only_when_they_are_needed() {
    let mut scroll = opened(5_000);
    assert_eq!(answer(&mut scroll, 0), 1);
    assert!(scroll.go(Move::Up(2)));
    assert_eq!(text(&scroll), ["l4998", "l4999", "s0"]);
    assert_eq!(answer(&mut scroll, 0), 0);
    assert!(scroll.go(Move::Up(490)));
    assert_eq!(answer(&mut scroll, 0), 0);
    assert!(scroll.go(Move::PageUp) && scroll.go(Move::PageUp));
    assert_eq!(answer(&mut scroll, 0), 1);
}

/// A notch of the wheel opens the view and moves it before any line has come.
#[test]
fn a_movement_is_made_up_for_when_the_lines_come() {
    let mut scroll = opened(5_000);
    scroll.go(Move::Up(3));
    scroll.go(Move::Up(3));
    assert_eq!(text(&scroll), ["s0", "s1", "s2"]);
    answer(&mut scroll, 0);
    assert_eq!(text(&scroll), ["l4994", "l4995", "l4996"]);
    assert!(scroll.go(Move::Down(1)));
    assert_eq!(text(&scroll), ["l4995", "l4996", "l4997"]);
}

#[test]
fn the_top_is_the_oldest_line_the_host_still_has() {
    let mut scroll = opened(5_000);
    scroll.go(Move::Top);
    assert_eq!(answer(&mut scroll, 3_210), 4);
    assert_eq!(text(&scroll), ["l3210", "l3211", "l3212"]);
    assert!(scroll.is_complete());
    scroll.go(Move::Bottom);
    assert_eq!(text(&scroll), ["s0", "s1", "s2"]);
    assert!(!scroll.go(Move::PageDown), "already at the bottom");
}

/// Lines that went back to a larger screen leave ids nobody has.
#[test]
fn ids_without_lines_are_passed_over() {
    let mut scroll = opened(2_000);
    scroll.go(Move::Top);
    let lines = |ids: std::ops::Range<u64>| ids.map(|n| line(&format!("l{n}")));
    while let Some((from, count)) = scroll.wanted() {
        let kept = |at: u64| !(400..1_990).contains(&at);
        let ids = (from..2_000).filter(|at| kept(*at)).take(count as usize);
        let mut page = Page {
            first: ids.clone().next().unwrap_or(2_000),
            held: 0..2_000,
            ..Page::default()
        };
        for (index, id) in ids.enumerate() {
            if id == 1_990 && index > 0 {
                page.jumps.push(term::Jump { index, id });
            }
            page.lines.extend(lines(id..id + 1));
        }
        scroll.page(Some(page));
    }
    assert_eq!((scroll.lines.len(), scroll.is_complete()), (410, true));
    scroll.go(Move::Up(9_999));
    assert_eq!(text(&scroll), ["l0", "l1", "l2"]);
}

/// The host bounds a page also by bytes.
#[test]
fn a_page_that_was_cut_is_asked_for_in_pieces() {
    let mut scroll = opened(600);
    scroll.go(Move::Top);
    let mut asked = Vec::new();
    while let Some((from, count)) = scroll.wanted() {
        asked.push((from, count));
        let lines = (from..from + u64::from(count).min(150)).map(|n| line(&format!("l{n}")));
        scroll.page(Some(Page {
            first: from,
            lines: lines.collect(),
            held: 0..600,
            ..Page::default()
        }));
    }
    assert_eq!(asked[..3], [(100, 500), (350, 250), (475, 125)]);
    assert_eq!((scroll.lines.len(), scroll.is_complete()), (600, true));
    assert_eq!(scroll.lines[0].0.text(), "l0");
}

#[test]
fn an_empty_or_failed_page_is_the_end() {
    let mut scroll = opened(10);
    assert!(scroll.wanted().is_some());
    assert_eq!(scroll.wanted(), None, "one at a time");
    scroll.page(None);
    assert!(scroll.is_complete());
    scroll.go(Move::Up(100));
    assert_eq!(
        (text(&scroll), scroll.position()),
        (vec!["s0".into(), "s1".into(), "s2".into()], (0, 0))
    );
}

#[test]
fn long_lines_wrap_to_the_view() {
    let mut scroll = opened(1);
    scroll.wanted();
    scroll.page(Some(Page {
        first: 0,
        lines: vec![line("0123456789abcdefghijKL")],
        ..Page::default()
    }));
    scroll.go(Move::Top);
    assert_eq!(text(&scroll), ["0123456789", "abcdefghij", "KL"]);
    scroll.set_height(2);
    scroll.go(Move::Down(1));
    assert_eq!(text(&scroll), ["KL", "s0"]);
}

/// The view outlives the terminal's own numbers, and each page counts from 0.
#[test]
fn links_of_screen_and_pages_are_told_apart() {
    let mut terminal = Terminal::new(Size::new(10, 3), &term::Options::default());
    let screen = b"\x1b]8;;http://s/\x1b\\a\x1b]8;;http://t/\x1b\\b";
    terminal.advance(screen, &mut term::Silent);
    let mut scroll = Scroll::new(&terminal, 3, 1);
    scroll.wanted();
    let mut linked = line("x");
    linked.spans[0].style.link = Some(0);
    scroll.page(Some(Page {
        first: 0,
        lines: vec![linked],
        links: vec![";http://x/".to_owned()],
        held: 0..1,
        ..Page::default()
    }));
    scroll.go(Move::Top);
    let cells = scroll.view().into_iter().flat_map(|row| row.cells);
    let links: Vec<String> = cells
        .filter_map(|cell| scroll.link(cell.style.link?))
        .collect();
    assert_eq!(links, [";http://x/", ";http://s/", ";http://t/"]);
}
