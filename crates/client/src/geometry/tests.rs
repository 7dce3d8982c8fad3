//! Where panes stand, and what operations make of it.

use super::ops::*;
use super::*;

const AREA: Rect = Rect {
    x: 0,
    y: 0,
    width: 81,
    height: 24,
};

/// Panes as `id:x,y,WxH` (title row included), dividers as `|x` and `-y`.
fn show(tab: &Tab, area: Rect) -> String {
    let geometry = arrange(tab, area);
    let mut parts: Vec<String> = geometry
        .panes
        .iter()
        .map(|p| (p.pane, p.outer()))
        .map(|(pane, r)| format!("{pane}:{},{},{}x{}", r.x, r.y, r.width, r.height))
        .collect();
    parts.extend(geometry.dividers.iter().map(|d| match d.direction {
        Direction::Across => format!("|{}", d.rect.x),
        Direction::Down => format!("-{}", d.rect.y),
    }));
    parts.join(" ")
}

/// Pane 1 split as the letters say: `%` across, `"` down; each new pane has the focus.
fn tab(splits: &str) -> Tab {
    let mut tab = Tab::new(1);
    for (new, letter) in (2..).zip(splits.chars()) {
        let direction = if letter == '%' {
            Direction::Across
        } else {
            Direction::Down
        };
        let focus = tab.focus;
        assert!(split(&mut tab, AREA, focus, direction, new), "split {new}");
    }
    tab
}

#[test]
fn splits() {
    let check = |splits: &str, want: &str| assert_eq!(show(&tab(splits), AREA), want, "{splits}");
    check("", "1:0,0,81x24");
    check("%", "1:0,0,40x24 2:41,0,40x24 |40");
    check("\"", "1:0,0,81x12 2:0,12,81x12 -12");
    check("%\"", "1:0,0,40x24 2:41,0,40x12 3:41,12,40x12 |40 -12");
    check("%%", "1:0,0,40x24 2:41,0,20x24 3:62,0,19x24 |40 |61");
    check(
        "\"\"\"",
        "1:0,0,81x12 2:0,12,81x6 3:0,18,81x3 4:0,21,81x3 -12 -18 -21",
    );
}

#[test]
fn a_place_too_small_for_two_is_not_split() {
    let mut t = tab("");
    let tiny = Rect {
        width: 4,
        height: 3,
        ..AREA
    };
    assert!(!split(&mut t, tiny, 1, Direction::Across, 2));
    assert!(!split(&mut t, tiny, 1, Direction::Down, 2));
    assert!(!split(&mut t, AREA, 9, Direction::Down, 2));
    assert_eq!(t, Tab::new(1));
}

#[test]
fn splitting_often_keeps_every_pane() {
    let wide = Rect {
        width: 1000,
        height: 24,
        ..AREA
    };
    let mut t = Tab::new(1);
    for new in 2..40 {
        let focus = if new % 2 == 0 { 1 } else { t.focus };
        if !split(&mut t, wide, focus, Direction::Across, new) {
            continue;
        }
        let places = arrange(&t, wide).panes;
        assert_eq!(places.len(), t.root.panes().len());
        assert!(places.iter().all(|p| !p.content.is_empty()), "{new}");
    }
}

#[test]
fn a_zoomed_pane_has_the_whole_tab() {
    let mut t = tab("%\"");
    t.zoomed = true;
    assert_eq!(show(&t, AREA), "3:0,0,81x24");
    assert!(arrange(&t, AREA).panes[0].title.is_none());
    assert!(
        split(&mut t, AREA, 3, Direction::Down, 4),
        "splitting ends the zoom"
    );
    assert!(!t.zoomed);
}

#[test]
fn small_areas_never_leave_the_screen() {
    let t = tab("%\"%\"%");
    for width in 0..20 {
        for height in 0..12 {
            let area = Rect {
                x: 3,
                y: 2,
                width,
                height,
            };
            for placed in arrange(&t, area).panes {
                let outer = placed.outer();
                assert!(
                    outer.is_empty() || area.intersection(outer) == outer,
                    "{area} {outer}"
                );
            }
        }
    }
}

#[test]
fn neighbours() {
    // 1 left; right column 2 over 3 | 4.
    let t = tab("%\"%");
    let check = |pane, side, want: Option<u32>| {
        assert_eq!(neighbour(&t, AREA, pane, side), want, "{pane} {side:?}");
    };
    check(1, Side::Right, Some(2));
    check(2, Side::Left, Some(1));
    check(2, Side::Down, Some(3));
    check(3, Side::Right, Some(4));
    check(4, Side::Left, Some(3));
    check(4, Side::Up, Some(2));
    check(3, Side::Left, Some(1));
    check(3, Side::Down, Some(2)); // past the edge: from the other end
    check(1, Side::Left, Some(2));
    check(1, Side::Up, None);
    check(9, Side::Up, None);
}

#[test]
fn resizing_moves_a_border() {
    let check = |splits, pane, side, by, want: Option<&str>| {
        let mut t = tab(splits);
        let changed = resize(&mut t, AREA, pane, side, by);
        assert_eq!(
            changed.then(|| show(&t, AREA)).as_deref(),
            want,
            "{pane} {side:?} {by}"
        );
    };
    check("%", 1, Side::Right, 5, Some("1:0,0,45x24 2:46,0,35x24 |45"));
    check("%", 2, Side::Right, 5, Some("1:0,0,45x24 2:46,0,35x24 |45"));
    check("%", 2, Side::Left, 1, Some("1:0,0,39x24 2:40,0,41x24 |39"));
    check("%", 1, Side::Left, 500, Some("1:0,0,2x24 2:3,0,78x24 |2"));
    check(
        "\"",
        1,
        Side::Down,
        500,
        Some("1:0,0,81x22 2:0,22,81x2 -22"),
    );
    check("%", 1, Side::Up, 1, None);
    check("", 1, Side::Up, 1, None);
    check(
        "%\"",
        3,
        Side::Up,
        2,
        Some("1:0,0,40x24 2:41,0,40x10 3:41,10,40x14 |40 -10"),
    );
}

#[test]
fn dragging_puts_the_border_there() {
    let mut t = tab("%\"");
    let dividers = arrange(&t, AREA).dividers;
    assert!(drag(&mut t, AREA, &dividers[0], 20));
    assert!(drag(&mut t, AREA, &dividers[1], 6));
    assert_eq!(
        show(&t, AREA),
        "1:0,0,20x24 2:21,0,60x6 3:21,6,60x18 |20 -6"
    );
    let dividers = arrange(&t, AREA).dividers;
    assert!(!drag(&mut t, AREA, &dividers[0], 20));
}

#[test]
fn even_arrangements_follow_each_other() {
    let mut t = tab("%\"%\"");
    let mut seen = Vec::new();
    for _ in 0..3 {
        assert!(even(&mut t));
        assert_eq!(t.root.panes(), [1, 2, 3, 4, 5]);
        seen.push(show(&t, AREA));
    }
    insta::assert_snapshot!(seen.join("\n"), @r"
    1:0,0,16x24 2:17,0,16x24 3:34,0,15x24 4:50,0,15x24 5:66,0,15x24 |16 |33 |49 |65
    1:0,0,81x5 2:0,5,81x5 3:0,10,81x5 4:0,15,81x5 5:0,20,81x4 -5 -10 -15 -20
    1:0,0,27x12 2:28,0,26x12 3:55,0,26x12 4:0,12,40x12 5:41,12,40x12 |27 |54 -12 |40
    ");
    assert!(!even(&mut tab("")));
}

#[test]
fn swapping_keeps_the_focus_on_the_pane() {
    let mut t = tab("%\"");
    assert!(swap(&mut t, 3, true));
    assert_eq!((t.root.panes(), t.focus), (vec![3, 2, 1], 3));
    assert!(swap(&mut t, 3, false));
    assert_eq!(t.root.panes(), [1, 2, 3]);
    assert!(!swap(&mut tab(""), 1, true));
}
