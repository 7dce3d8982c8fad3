//! Replay: attaching shows the state, never the history, and asks and answers nothing.

#![cfg(test)]

use protocol::Role;
use std::path::PathBuf;
use std::time::Duration;
use term::modes::{CursorShape, Modes, MouseEncoding, MouseMode};
use testkit::{Home, Outer, View, Wire, until, wait};

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    home
}

fn attach(home: &Home, pane: protocol::PaneId, size: (u16, u16)) -> Outer {
    Outer::open(home, size, ["attach", &pane.to_string()])
}

/// Detaches and checks that the client went in peace.
fn detach(mut window: Outer) {
    window.command("d");
    assert_eq!(window.wait_end(), 0, "{}", window.text());
}

fn length(file: &PathBuf) -> usize {
    std::fs::read(file)
        .map(|bytes| bytes.len())
        .unwrap_or_default()
}

/// PortOS#7350, coder#3666, kandev#301, hbb_common#533: the replayed history still held `ESC[6n`
/// and `ESC[c`; at each attach the outer terminal answered, and the answers were typed at whatever
/// ran by then. Here the answers that the program is owed are given once, by the host; three
/// attachments of a terminal that answers everything add not one byte to the program's input.
#[test]
fn an_attach_types_nothing() {
    let home = home();
    let file = home.work().join("stdin");
    let queries = r"\e[6n\e[5n\e[c\e[>c\e[=c\e[>q\e[?2026$p\eP$qm\e\\\eP+q544e\e\\\e[?u\e[14t\e[16t\e[18t\e]4;1;?\a\e]10;?\a\e]11;?\a\e]12;?\a\e]52;c;?\a";
    let script = format!(
        "stty raw -echo; for i in 1 2 3; do printf '{queries}'; done; printf asked; exec cat > '{}'",
        file.display()
    );
    let pane = home.script(&script);
    let _screen = home.wait_capture(pane, "asked");
    // The marker is typed behind the answers, so whatever came before it is all there is.
    let _typed = home.abide(["send", &pane.to_string(), "MARK"]).ok();
    until("the marker", || {
        std::fs::read(&file).ok()?.ends_with(b"MARK").then_some(())
    });
    let owed = length(&file);
    assert!(owed > 3 * 40, "the host answered: {owed} bytes");
    for _ in 0..3 {
        let window = attach(&home, pane, (100, 30));
        window.wait_until("a drawn screen", |t| t.modes().alternate.then_some(()));
        detach(window);
    }
    wait::holds_for(Duration::from_millis(300), "silence", || {
        length(&file) == owed
    });
    let _typed = home.abide(["send", &pane.to_string(), "Z"]).ok();
    until("the typed byte", || (length(&file) > owed).then_some(()));
    let all = std::fs::read(&file).expect("the file");
    assert_eq!(&all[owed..], b"Z", "an attach typed into the program");
}

/// zmx#230, t3code#4369: with nobody attached DA1 went unanswered (fish waits 10 s for it), and
/// after the first detach nobody answered again; with two clients both did. Exactly one answer in
/// all of these states.
#[test]
fn a_query_has_exactly_one_answer() {
    let home = home();
    let file = home.work().join("answers");
    // A `q` makes the program ask DA1; everything else it reads is written down.
    let script = format!(
        "stty raw -echo; echo ready; while IFS= read -rN1 c; do \
         if [ \"$c\" = q ]; then printf '\\e[c'; else printf %s \"$c\" >> '{}'; fi; done",
        file.display()
    );
    let pane = home.script(&script);
    let _screen = home.wait_capture(pane, "ready");
    let answers = || {
        let all = std::fs::read(&file).unwrap_or_default();
        all.iter().filter(|b| **b == b'c').count()
    };
    let mut wire = Wire::connect(&home, Role::Control);
    let mut ask = |expected: usize, when: &str| {
        wire.input(pane, *b"q");
        until(&format!("an answer {when}"), || {
            (answers() == expected).then_some(())
        });
        // What a second party says would come before this mark.
        wire.input(pane, *b"Z");
        until("the mark", || {
            std::fs::read(&file).ok()?.ends_with(b"Z").then_some(())
        });
        assert_eq!(answers(), expected, "{when}");
    };
    ask(1, "with nobody attached");
    let window = attach(&home, pane, (100, 30));
    window.wait_for("ready");
    ask(2, "with one client");
    let watcher = View::watch(&home, pane);
    let second = Outer::open(&home, (90, 20), ["attach", "--watch", &pane.to_string()]);
    second.wait_for("ready");
    ask(3, "with one client and two watchers");
    drop((watcher, second));
    detach(window);
    ask(4, "after the first detach");
}

const SET: &str = r"\e[?1049h\e[?1h\e=\e[?1003h\e[?1004h\e[?1006h\e[?2004h\e[>1u\e[5 q";
const UNSET: &str = r"\e[0 q\e[<u\e[?2004l\e[?1006l\e[?1004l\e[?1003l\e>\e[?1l\e[?1049l";

fn all_set(m: &Modes) -> bool {
    m.alternate
        && m.cursor_keys
        && m.keypad
        && m.mouse == MouseMode::Motion
        && m.mouse_encoding == MouseEncoding::Sgr
        && m.focus
        && m.bracketed_paste
        && m.kitty() & 1 == 1
        && (m.cursor_shape, m.cursor_blink) == (CursorShape::Bar, true)
}

/// PortOS#7547, atch#34: a TUI sets its modes once at start; a ring of raw bytes has dropped them
/// by the time somebody attaches. After a megabyte of frames each mode is in the snapshot, the
/// window behaves by them, and what the program turns off is off again.
#[test]
fn modes_survive_a_megabyte_of_frames() {
    let home = home();
    let file = home.work().join("stdin");
    let script = format!(
        "stty raw -echo; printf '{SET}'; \
         for i in $(seq 1 16); do head -c 65536 /dev/zero | tr '\\0' y; done; \
         printf '\\e[Hframe drawn'; head -c 9 > '{0}.part'; mv '{0}.part' '{0}'; \
         read -rN1 _; printf '{UNSET}over'; sleep 600",
        file.display()
    );
    let pane = home.script(&script);
    let _screen = home.wait_capture(pane, "frame drawn");
    let mut view = View::attach(&home, pane, (120, 40));
    view.wait_for("frame drawn");
    assert!(
        all_set(view.terminal().modes()),
        "{:?}",
        view.terminal().modes()
    );
    drop(view);

    let window = attach(&home, pane, (120, 40));
    window.wait_for("frame drawn");
    window.wait_until("the cursor and the mouse", |t| {
        let m = t.modes();
        (m.cursor_shape == CursorShape::Bar && m.mouse == MouseMode::Motion).then_some(())
    });
    // Keys as the kitty keyboard has them (it goes before DECCKM), the mouse as the program asked.
    window.type_bytes("\x1b[A\x1b[<35;5;5M");
    let read = until("the keys", || std::fs::read(&file).ok());
    assert_eq!(read, b"\x1b[A\x1b[<35;");
    detach(window);

    let mut view = View::attach(&home, pane, (120, 40));
    view.type_bytes("x".repeat(8));
    view.wait_for("over");
    let modes = view.terminal().modes();
    assert!(
        !modes.alternate && !modes.cursor_keys && !modes.keypad && !modes.focus,
        "{modes:?}"
    );
    assert_eq!(
        (modes.mouse, modes.kitty()),
        (MouseMode::Off, 0),
        "{modes:?}"
    );
}

/// coding-agents-databricks-apps#122: leftovers of the alternate screen in the history. The main
/// screen comes back with its own text, and the alternate screen's is in no scrollback.
#[test]
fn the_alternate_screen_leaves_nothing_behind() {
    let home = home();
    let pane = home.script(
        "echo before; printf '\\e[?1049h'; seq -f 'alt %g' 1 200; read -r _; printf '\\e[?1049l'; \
         echo after; sleep 600",
    );
    let _screen = home.wait_capture(pane, "alt 200");
    let mut view = View::attach(&home, pane, (100, 30));
    view.wait_for("alt 200");
    view.type_bytes("\r");
    let screen = view.wait_for("after");
    assert!(
        screen.contains("before") && !screen.contains("alt "),
        "{screen}"
    );
    let all = home
        .abide(["capture", &pane.to_string(), "--scrollback", "all"])
        .ok();
    assert!(!all.contains("alt "), "{all}");
}

/// Ten thousand lines are kept and come in pages with ids that only grow.
#[test]
fn scrollback_comes_in_pages() {
    let home = home();
    let pane = home.script("seq -f 'line %g' 1 10500; echo over; sleep 600");
    let _screen = home.wait_capture(pane, "over");
    let mut view = View::attach(&home, pane, (120, 40));
    view.wait_for("over");
    let kept = view.kept.clone();
    assert!(kept.end - kept.start >= 9_900, "{kept:?}");
    let mut numbers: Vec<u64> = Vec::new();
    let mut from = kept.start;
    while from < kept.end {
        let page = view.wire.page(pane, from, 1000);
        assert_eq!(page.first, from, "a page begins where it was asked for");
        assert!(!page.lines.is_empty() && page.lines.len() <= 1000);
        let number = |text: String| text.strip_prefix("line ")?.trim().parse::<u64>().ok();
        numbers.extend(page.lines.iter().filter_map(|line| number(line.text())));
        from += page.lines.len() as u64;
    }
    assert!(
        numbers.windows(2).all(|w| w[1] == w[0] + 1),
        "no line is missing or twice"
    );
    let on_screen = format!("line {}", numbers.last().expect("lines") + 1);
    assert!(
        view.text().contains(&on_screen),
        "{on_screen} follows on the screen"
    );
    let all = home
        .abide(["capture", &pane.to_string(), "--scrollback", "all"])
        .ok();
    assert!(all.contains("line 10500") && all.lines().count() >= 10_000);
}

/// dot-agent-deck#104, kild#601: text drawn at 80 columns was replayed at 220 and garbled, and not
/// replaying left a blank pane until the agent printed. An idle program's screen is never blank at
/// another width, and each attach brings at most one SIGWINCH.
#[test]
fn an_idle_screen_is_shown_at_any_width() {
    let home = home();
    // Not bash: it forgets a signal that comes while its trap for the one before still runs.
    let script = r#"$| = 1;
        $SIG{WINCH} = sub { printf "\e7\e[24;1Hwinch %d\e8", ++$n };
        print "\e[?1049h";
        printf "\e[%d;1Hrow %d of an idle screen", $_, $_ for 1 .. 5;
        select undef, undef, undef, 0.05 while 1"#;
    let words = [
        "new",
        "--no-attach",
        "--size",
        "80x24",
        "--",
        "perl",
        "-e",
        script,
    ];
    let pane = home.abide(words).ok();
    let pane = pane.parse().expect("a pane's id");
    let _screen = home.wait_capture(pane, "row 5");
    for (size, winches) in [((220, 55), 1), ((220, 55), 1), ((40, 12), 2)] {
        let window = attach(&home, pane, size);
        let screen = window.wait_for("row 1 of an idle screen");
        assert!(
            screen.contains("row 5 of an idle screen"),
            "{size:?}:\n{screen}"
        );
        if size.1 >= 24 {
            window.wait_for(&format!("winch {winches}$"));
        }
        detach(window);
    }
    let window = attach(&home, pane, (80, 24));
    window.wait_for("winch 3$");
}

/// hive#142: cells behind wide characters were replayed as blanks and shifted what follows.
#[test]
fn wide_characters_stand_where_they_stood() {
    let home = home();
    let pane = home.script("echo こんにちは世界X; sleep 600");
    let _screen = home.wait_capture(pane, "X");
    for _ in 0..2 {
        let window = attach(&home, pane, (80, 24));
        window.wait_for("こんにちは世界X");
        let column = window.with_terminal(|t| {
            let row = t.row(0);
            row.cells.iter().position(|c| c.text.as_str() == "X")
        });
        assert_eq!(column, Some(14), "column 15, counted from 1");
        detach(window);
    }
}

/// dinotty#318, ezpn#73, tmux#4744: a synchronized update that never ended froze the pane for ever.
#[test]
fn an_unfinished_update_does_not_freeze_the_pane() {
    let home = home();
    let pane = home.script("printf '\\e[?2026h\\e[?2026hX\\e[?2026lY-visible'; sleep 600");
    let window = attach(&home, pane, (80, 24));
    window.wait_for("Y-visible");
    drop(window);
    let pane = home.script("printf '\\e[?2026hheld back'; sleep 600");
    let _captured = home.wait_capture(pane, "held back");
    let window = attach(&home, pane, (80, 24));
    window.wait_for("held back");
}
