//! Ids, bounds, joining and wrapping of lines.

use super::*;
use crate::cell::{Colour, Style};

fn push(store: &mut Scrollback, text: &str, wrapped: bool) {
    store.row().push(text, Style::default());
    store.end_row(wrapped);
}

fn texts(page: &Page) -> Vec<String> {
    page.lines.iter().map(Line::text).collect()
}

#[test]
fn rows_join_to_lines_and_ids_grow() {
    let mut store = Scrollback::new(100, 1 << 20);
    push(&mut store, "one", false);
    push(&mut store, "two ", true);
    assert_eq!(store.ids(), 0..2);
    assert!(store.range().open);
    push(&mut store, "halves", false);
    push(&mut store, "", false);
    assert_eq!(store.ids(), 0..3);
    assert_eq!(texts(&store.page(0, 10)), ["one", "two halves", ""]);
    assert_eq!(texts(&store.page(1, 1)), ["two halves"]);
    store.clear();
    assert_eq!(store.ids(), 3..3);
    push(&mut store, "four", true);
    let page = store.page(0, 10);
    assert_eq!((page.first, texts(&page)), (3, vec!["four".to_owned()]));
    assert!(page.lines[0].continued);
}

#[test]
fn oldest_go_by_lines_and_by_bytes() {
    let mut store = Scrollback::new(10, 1 << 20);
    for n in 0..25 {
        push(&mut store, &n.to_string(), false);
    }
    assert_eq!(store.ids(), 15..25);
    assert_eq!(texts(&store.page(0, 2)), ["15", "16"]);

    let mut store = Scrollback::new(usize::MAX, 100_000);
    for _ in 0..10_000 {
        push(&mut store, &"x".repeat(100), false);
    }
    assert!(store.bytes() <= 100_000);
    let held = store.ids();
    assert_eq!(held.end, 10_000);
    assert!(held.end - held.start > 500, "{held:?}");
    assert_eq!(texts(&store.page(9_999, 5)), ["x".repeat(100)]);
}

#[test]
fn ten_thousand_full_lines_take_a_megabyte_and_a_half_at_most() {
    let mut store = Scrollback::new(10_000, 32 << 20);
    for _ in 0..12_000 {
        push(&mut store, &"y".repeat(120), false);
    }
    assert_eq!(store.ids().count(), 10_000);
    assert!(store.bytes() < 3 << 19, "{}", store.bytes());
}

#[test]
fn endless_lines_are_cut() {
    let mut store = Scrollback::new(100, 1 << 20);
    for _ in 0..2000 {
        push(&mut store, &"z".repeat(100), true);
    }
    assert_eq!(store.ids(), 0..4);
    let page = store.page(0, 1);
    assert!(page.lines[0].continued);
    assert!(page.lines[0].text().len() < LINE_LIMIT + 100);
}

#[test]
fn styles_come_back() {
    let red = Style {
        fg: Colour::Indexed(1),
        ..Style::default()
    };
    let mut store = Scrollback::new(100, 1 << 20);
    let row = store.row();
    row.push("a", Style::default());
    row.push("é", red);
    row.push("ü", red);
    store.end_row(false);
    let lines = store.newest(1).lines;
    assert_eq!(lines[0].spans.len(), 2);
    assert_eq!(lines[0].spans[1].text, "éü");
    assert_eq!(lines[0].spans[1].style, red);
}

#[test]
fn a_resumed_store_goes_on_with_the_same_ids() {
    let mut store = Scrollback::new(100, 1 << 20);
    push(&mut store, "one", false);
    push(&mut store, "two ", true);
    for count in [0, 1, 2] {
        let mut store = store.clone();
        let history = store.newest(count);
        let mut other = Scrollback::resume(100, 1 << 20, store.range(), &history.lines, &[]);
        for store in [&mut store, &mut other] {
            push(store, "more", false);
            push(store, "three", false);
        }
        assert_eq!(other.range().end, store.range().end);
        assert_eq!(other.newest(1).lines, store.newest(1).lines);
        if count > 0 {
            assert_eq!(other.newest(2).lines, store.newest(2).lines);
        }
    }
}

/// What a larger screen took back leaves a gap, which a store made anew has too.
#[test]
fn an_id_is_never_given_again() {
    let mut store = Scrollback::new(100, 1 << 20);
    for text in ["a", "b", "c", "d"] {
        push(&mut store, text, false);
    }
    assert_eq!(store.pop().map(|line| line.text()), Some("d".into()));
    assert_eq!(store.pop().map(|line| line.text()), Some("c".into()));
    let page = store.page(0, 10);
    assert_eq!(
        (page.end(), page.held.clone(), store.ids()),
        (2, 0..2, 0..4)
    );
    push(&mut store, "e", false);
    push(&mut store, "f ", true);
    let check = |store: &Scrollback| {
        let page = store.page(0, 10);
        let ids: Vec<u64> = (0..page.lines.len()).map(|at| page.id(at)).collect();
        assert_eq!(
            (texts(&page), ids),
            (
                ["a", "b", "e", "f "].map(String::from).into(),
                vec![0, 1, 4, 5]
            )
        );
        for (from, want) in [(1, "b"), (2, "e"), (3, "e"), (4, "e"), (5, "f ")] {
            assert_eq!(texts(&store.page(from, 1)), [want], "{from}");
        }
        assert_eq!(store.page(6, 1).lines, []);
        assert_eq!(store.range().end, 6);
    };
    check(&store);
    let history = store.newest(4);
    let ids = [&[Jump { index: 0, id: 0 }], &history.jumps[..]].concat();
    let range = store.range();
    let mut again = Scrollback::resume(100, 1 << 20, range, &history.lines, &ids);
    check(&again);
    store.pop();
    again.pop();
    push(&mut store, "g", false);
    push(&mut again, "g", false);
    assert_eq!(again.page(0, 9), store.page(0, 9));
    assert_eq!(store.page(5, 9).first, 6);
    // The oldest go first, over gaps.
    let mut few = Scrollback::new(3, 1 << 20);
    for text in ["a", "b", "c"] {
        push(&mut few, text, false);
        push(&mut few, "x", false);
        few.pop();
    }
    assert_eq!((few.ids(), few.held()), (2..6, 2));
    assert_eq!(texts(&few.page(0, 9)), ["b", "c"]);
}

#[test]
fn a_line_wraps_at_any_width() {
    let mut store = Scrollback::new(100, 1 << 20);
    push(&mut store, "ab漢d", false);
    let line = &store.newest(1).lines[0];
    for (cols, want) in [
        (3, vec!["ab", "漢d"]),
        (5, vec!["ab漢d"]),
        (2, vec!["ab", "漢", "d"]),
    ] {
        let rows = line.rows(cols);
        let got: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(got, want);
        assert!(rows.iter().all(|row| row.cells.len() == usize::from(cols)));
        assert!(rows[..rows.len() - 1].iter().all(|row| row.wrapped));
    }
}

use crate::cell::Row;
