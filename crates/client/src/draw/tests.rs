//! What frames look like, as text.

use crate::View;
use crate::testing::Bench;
use insta::assert_snapshot;
use protocol::PaneId;
use protocol::msg::{NoteChanged, PaneExited, PaneStopped, PaneTaken};

fn exited(raw_status: i32, note: &str) -> PaneExited {
    PaneExited {
        raw_status,
        since_input_ms: None,
        end_note: note.to_owned(),
    }
}

/// A client of 50x12 on two tabs; the front one has panes 1, 101 and 102.
fn three_panes() -> Bench {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.resize(50, 12);
    for key in ["C-b", "%", "C-b", "\""] {
        bench.keys(key);
        bench.settle();
    }
    bench.show(1, "left\r\nsecond line");
    bench.show(101, "\x1b]2;editor\x07upper");
    bench.show(102, "lower 日本語 x\r\n$ ");
    bench
}

#[test]
fn panes_titles_borders_and_the_status_line() {
    let mut bench = three_panes();
    assert_snapshot!(bench.text(), @r"
    ─ p1 sh ─────────────────┬─ p101 editor ──────────
    left                     │upper
    second line              │
                             │
                             │
                             │
                             ├─ p102 sh ──────────────
                             │lower 日本語 x
                             │$
                             │
                             │
    [work]  0:sh*  1:sh      p102 sh | Ctrl-b ?: help
    ");
    let (_, cursor) = bench.frame();
    let cursor = cursor.unwrap();
    assert_eq!((cursor.x, cursor.y), (28, 8));
}

/// A pane that cannot be started: which one, why, and what can be done, also where there is little room.
#[test]
fn what_did_not_start_says_which_why_and_what_next() {
    let mut bench = three_panes();
    bench.host(101, 0, exited(1 << 8, ""));
    bench.keys("C-b");
    bench.keys("Up");
    bench.keys("Enter");
    bench.refuse(
        |message| matches!(message, protocol::ToHost::Create(_)),
        protocol::msg::SPAWN,
        "cannot start `editor`: no such program in PATH (folder /src/a-long-name/and/another)",
    );
    assert_snapshot!(bench.text(), @r"
    ─ p1 sh ─────────────────┬─ p101 editor [not star─
    left                     │ p101 did not start:
    second line              │ cannot start `editor`:
                             │ no such program in
                             │ Enter: again, Ctrl-b
                             │ x: close
                             ├─ p102 sh ──────────────
                             │lower 日本語 x
                             │$
                             │
                             │
    [work]  0:editor*  1:sh               p101 editor
    ");
}

/// What the keeper says of a pane stands in its title row, and in the tabs for those out of sight.
#[test]
fn what_agents_do_is_shown() {
    let mut bench = three_panes();
    for (pane, state) in [
        (1, "working"),
        (101, "needs_input"),
        (102, "idle"),
        (2, "done"),
    ] {
        let value = format!(r#"{{"state":"{state}","evidence":"x","at":1}}"#).into_bytes();
        let (key, revision) = ("state".to_owned(), 3);
        let value = Some(value);
        bench.host(
            pane,
            0,
            NoteChanged {
                key,
                revision,
                value,
            },
        );
    }
    let text = bench.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("─ p1 sh [working] ─"), "{text}");
    assert!(lines[0].contains("p101 editor [needs in"), "{text}");
    assert!(lines[6].contains("p102 sh ─"), "{text}");
    assert!(lines[11].contains("0:sh*?  1:sh+"), "{text}");
}

#[test]
fn a_single_pane_has_no_chrome_but_the_status_line() {
    let mut bench = Bench::tabs(&[1]);
    bench.resize(30, 6);
    bench.show(1, "one\r\ntwo");
    assert_snapshot!(bench.text(), @r"
    one
    two



    [work]  0:sh*           p1 sh
    ");
}

#[test]
fn one_pane_alone_shows_the_status_line_only_when_it_asks() {
    let mut bench = Bench::bare(View::Pane(PaneId(1)));
    bench.resize(40, 4);
    bench.show(1, "1\r\n2\r\n3\r\n4");
    assert_eq!(bench.text(), "1\n2\n3\n4");
    bench.keys("C-b");
    assert_eq!(bench.text(), "1\n2\n3\n Ctrl-b - ?: keys, d: detach");
}

#[test]
fn questions_names_and_messages_take_the_status_line() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b x");
    assert_eq!(last(&mut bench), " end p1 (sh)? y/n");
    bench.keys("n C-b , a b");
    assert_eq!(last(&mut bench), " name of the tab: ab");
    let (_, cursor) = bench.frame();
    assert_eq!(cursor.map(|c| (c.x, c.y)), Some((20, 23)));
    bench.keys("Escape C-b Q");
    assert_eq!(
        last(&mut bench),
        " no command on that key; Ctrl-b ? lists them"
    );
    bench.wait(crate::model::MESSAGE_TIME);
    assert_eq!(last(&mut bench).split("  ").next(), Some("[work]"));
}

/// With many tabs the one in front was not to be seen.
#[test]
fn the_tab_in_front_is_always_on_the_status_line() {
    let panes: Vec<u32> = (1..=30).collect();
    let mut bench = Bench::tabs(&panes);
    let mut line = |cols: u16, front: usize| {
        bench.resize(cols, 10);
        bench.model.workspace.active = front;
        let text = bench.text();
        let line = text.lines().last().unwrap_or_default().to_owned();
        assert!(
            line.contains(&format!(" {front}:")),
            "{cols}, {front}: {line}"
        );
        let at = line.find(&format!(" {front}:")).unwrap_or_default();
        let hit = crate::draw::status::tab_at(&bench.model, u16::try_from(at).unwrap());
        assert_eq!(hit, Some(front), "{line}");
        line
    };
    for cols in [20, 40, 80, 200, 400] {
        for front in [0, 1, 9, 15, 29] {
            line(cols, front);
        }
    }
    assert_eq!(line(40, 0), "[work]  0:sh*  1:sh  2:sh  3:sh > p1 sh");
    assert_eq!(line(40, 15), "[work] < 13:sh  14:sh  15:sh* >  p16 sh");
    assert_eq!(line(40, 29), "[work] < 27:sh  28:sh  29:sh*    p30 sh");
}

/// What stands in pane 1, which is blank, after an event.
fn note_after(event: impl FnOnce(&mut Bench)) -> String {
    let mut bench = Bench::tabs(&[1, 2]);
    event(&mut bench);
    let text = bench.text();
    let rows = text.lines().take(23).filter(|row| !row.trim().is_empty());
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_pane_that_does_not_run_says_so() {
    let check = |event: fn(&mut Bench), want: &str| assert_eq!(note_after(event), want);
    check(
        |b| b.host(1, 0, exited(3 << 8, "")),
        " exited 3 - Enter: again, Ctrl-b x: close",
    );
    check(
        |b| b.host(1, 0, exited(9, "killed by the host's end")),
        " ended by signal 9 (KILL) (killed by the host's end)\n Enter: again, Ctrl-b x: close",
    );
    check(
        |b| b.host(1, 0, PaneStopped { stopped: true }),
        " stopped - Enter: continue",
    );
    check(
        |b| {
            b.host(
                1,
                0,
                PaneTaken {
                    by: 3,
                    label: "pts/7\x1b[31m".to_owned(),
                },
            );
        },
        " taken by pts/7[31m - Enter: take it back",
    );
}

#[test]
fn the_help_fits_a_small_screen() {
    let mut bench = Bench::tabs(&[1]);
    bench.resize(80, 16);
    bench.keys("C-b ?");
    assert_snapshot!(bench.text(), @r#"
     ┌ keys (any key closes) ─────────────────────────────────────────────────────┐
     │ after Ctrl-b:                           p      previous tab                │
     │   %      split: new pane to the right   l      the tab before              │
     │   "      split: new pane below          0-9: that tab                      │
     │   arrows: focus the pane on that side   ,      name the tab                │
     │   o      focus the next pane            &      close the tab (asks)        │
     │   ;      focus the pane before          [      look into the scrollback    │
     │   z      zoom the pane, and back        H      stop what has not come back │
     │   Ctrl-arrows: resize (Alt: by 5)       F      start fresh here (asks)     │
     │   Space  even out the panes             d      detach: everything goes on  │
     │   {      swap with the previous pane    ?      this help                   │
     │   }      swap with the next pane        Ctrl-b  types Ctrl-b into the pane │
     │   x      close the pane (asks)                                             │
     │   c      new tab                                                           │
     │   n      next tab                                                          │
    [└────────────────────────────────────────────────────────────────────────────┘
    "#);
    bench.resize(50, 8);
    bench.keys("PageDown");
    assert_snapshot!(bench.text(), @r"
        ┌ keys (arrows scroll, others close) ───┐
        │   z      zoom the pane, and back      │
        │   Ctrl-arrows: resize (Alt: by 5)     │
        │   Space  even out the panes           │
        │   {      swap with the previous pane  │
        │   }      swap with the next pane      │
        │   x      close the pane (asks)        │
    [wor└ 7-12 of 25 ───────────────────────────┘help
    ");
    for size in [(1, 1), (10, 3), (200, 60), (0, 0)] {
        bench.resize(size.0, size.1);
        bench.text();
    }
}

/// p2pmux#120, ratatui#2431: whatever clusters stand in a pane, the border beside it stays.
#[test]
fn borders_stay_beside_hard_clusters() {
    let mut bench = Bench::tabs(&[1]);
    bench.resize(41, 8);
    bench.keys("C-b %");
    bench.settle();
    let hard = "a ⚠️ b ➡️ c ✔️ 👨‍👩‍👧 🇮🇳 1️⃣|日本語日本語日本語日本語日本語\r\n";
    bench.show(1, &hard.repeat(5));
    let (canvas, _) = bench.frame();
    for y in 1..7 {
        assert_eq!(canvas.buffer()[(20, y)].symbol(), "│", "row {y}");
    }
    bench.show(1, "\x1b[2J");
    let (canvas, _) = bench.frame();
    for y in 1..7 {
        for x in 0..20 {
            assert_eq!(canvas.buffer()[(x, y)].symbol(), " ");
        }
    }
}

/// A pane smaller than the host lets it be is cropped, and its cursor stays in view
/// (termio#602, mngr#2516: a tiny client must not shrink the pane for good).
#[test]
fn a_small_view_crops_and_keeps_the_cursor_in_sight() {
    let mut bench = Bench::tabs(&[1]);
    bench.resize(10, 4);
    let rows: Vec<String> = (0..5).map(|n| format!("row {n} abcdefghijk")).collect();
    bench.show(1, &rows.join("\r\n"));
    assert_snapshot!(bench.text(), @r"
    cdefghijk
    cdefghijk
    cdefghijk
    [work]
    ");
    bench.show(1, &format!("{}\x1b[H", rows.join("\r\n")));
    assert_snapshot!(bench.text(), @r"
    row 0 abcd
    row 1 abcd
    row 2 abcd
    [work]
    ");
}

#[test]
fn a_programs_own_colours_and_inverse_screen_are_drawn() {
    use ratatui::style::{Color, Modifier};
    let mut bench = Bench::tabs(&[1]);
    bench.show(1, "\x1b]11;#102030\x07\x1b]4;1;#0000ff\x07\x1b[31mred");
    let (canvas, _) = bench.frame();
    assert_eq!(canvas.buffer()[(0, 0)].fg, Color::Rgb(0, 0, 255));
    assert_eq!(canvas.buffer()[(40, 10)].bg, Color::Rgb(16, 32, 48));
    bench.show(1, "\x1b[?5hx\x1b[7my");
    let (canvas, _) = bench.frame();
    assert!(
        canvas.buffer()[(0, 0)]
            .modifier
            .contains(Modifier::REVERSED)
    );
    assert!(
        !canvas.buffer()[(1, 0)]
            .modifier
            .contains(Modifier::REVERSED)
    );
}

#[test]
fn the_scrollback_is_drawn_over_the_screen() {
    let mut bench = Bench::tabs(&[1]);
    bench.resize(40, 6);
    let lines: String = (0..20).map(|n| format!("line {n}\r\n")).collect();
    bench.show(1, &lines);
    bench.keys("C-b [");
    bench.settle();
    bench.keys("Up Up");
    assert_snapshot!(bench.text(), @r"
    line 14                  2/16 - q: back
    line 15
    line 16
    line 17
    line 18
    [work]  0:sh*    p1 sh | Ctrl-b ?: help
    ");
    assert_eq!(bench.frame().1, None);
    bench.keys("g");
    assert!(bench.text().starts_with("line 0"));
}

/// Windows are made tiny by tiling, by other panes of an editor, by accident; and come back.
#[test]
fn a_window_of_any_size_loses_no_layout() {
    let mut bench = Bench::tabs(&[1, 2]);
    for keys in [
        "C-b %",
        "C-b \"",
        "C-b C-Left",
        "C-b M-Up",
        "C-b n",
        "C-b %",
    ] {
        bench.keys(keys);
        bench.settle();
    }
    for id in bench.model.workspace.panes() {
        bench.show(id, "some text, 日本 too");
    }
    let (layout, screen) = (bench.model.workspace.clone(), bench.text());
    let mut painter = crate::paint::Painter::default();
    for (cols, rows) in [
        (1, 1),
        (2, 2),
        (300, 100),
        (0, 0),
        (1, 100),
        (300, 1),
        (3, 2),
        (80, 24),
    ] {
        bench.resize(cols, rows);
        for id in bench.model.workspace.panes() {
            bench.show(id, "some text, 日本 too");
        }
        for keys in ["C-b ?", "q", "C-b ,", "Escape", "C-b [", "q"] {
            bench.keys(keys);
            bench.settle();
            let (canvas, cursor) = bench.frame();
            assert!(cursor.is_none_or(|at| at.x < cols && at.y < rows));
            painter.paint(canvas, cursor);
        }
        assert_eq!(bench.model.workspace, layout, "{cols}x{rows}");
    }
    assert_eq!(bench.text(), screen);
}

fn last(bench: &mut Bench) -> String {
    bench.text().lines().last().unwrap_or_default().to_owned()
}

/// While panes come back the status line says how many, and which key stops the rest; Start fresh asks.
#[test]
fn what_comes_back_is_told_and_can_be_stopped() {
    let mut bench = Bench::tabs(&[1, 2]);
    let restoring = |done: bool, pending: &[u32]| {
        let note = link::notes::RestoreNote {
            done,
            pending: pending.to_vec(),
            ..link::notes::RestoreNote::default()
        };
        NoteChanged {
            key: link::notes::RESTORE.to_owned(),
            revision: 9,
            value: Some(link::notes::to_json(&note)),
        }
    };
    bench.resize(100, 12);
    bench.host(0, 0, restoring(false, &[5, 6, 7]));
    let with_name = last(&mut bench);
    assert!(
        with_name.ends_with("p1 sh | 3 pane(s) come back - Ctrl-b H stops the rest"),
        "{with_name}"
    );
    bench.resize(74, 12);
    let alone = last(&mut bench);
    assert!(
        alone.ends_with(" 3 pane(s) come back - Ctrl-b H stops the rest"),
        "{alone}"
    );
    assert!(!alone.contains("p1 sh"), "{alone}");
    // With many tabs, too.
    let mut many = Bench::tabs(&(1..=20).collect::<Vec<u32>>());
    many.host(0, 0, restoring(false, &[5, 6, 7]));
    let line = last(&mut many);
    assert!(
        line.contains("0:sh*") && line.ends_with("Ctrl-b H stops the rest"),
        "{line}"
    );
    bench.host(0, 0, restoring(true, &[]));
    assert!(last(&mut bench).ends_with("p1 sh | Ctrl-b ?: help"));
    bench.keys("C-b F");
    assert_eq!(
        last(&mut bench),
        " let go of what would come back in work? what runs goes on. y/n"
    );
}
