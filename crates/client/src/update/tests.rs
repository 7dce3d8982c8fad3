//! The rules of the client, each as events in and messages out.

use super::*;
use crate::model::Mode;
use crate::testing::{Bench, facts};
use crate::{Act, View};
use insta::assert_snapshot;
use protocol::FromHost;
use protocol::msg::{
    self, Failed, Goodbye, InputRefused, NoteChanged, PaneExited, PaneRemoved, PaneResized,
    PaneStopped, PaneTaken, Panes, Title,
};

const SECOND: Duration = Duration::from_secs(1);

fn exited(raw_status: i32) -> PaneExited {
    PaneExited {
        raw_status,
        since_input_ms: None,
        end_note: String::new(),
    }
}

fn workspace(panes: &[u32]) -> Workspace {
    let mut workspace = Workspace::new("w1", "work", "/work");
    panes.iter().for_each(|pane| workspace.add_tab(*pane));
    workspace.active = 0;
    workspace
}

/// Leaves the client: the last effect of these keys.
fn outcome(bench: &mut Bench) -> Option<Outcome> {
    bench.effects.iter().find_map(|effect| match effect {
        Effect::Leave(outcome) => Some(outcome.clone()),
        _ => None,
    })
}

// --- start ---

/// Starts on panes 1 and 2, of which the host has those of `there`.
fn begin(there: &[u32]) -> Bench {
    let mut bench = Bench::raw(View::Workspace(workspace(&[1, 2])), (80, 24));
    bench.event(Event::Start);
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.sent();
    let panes = there.iter().map(|id| facts(*id)).collect();
    bench.host(0, request, Panes { panes });
    bench
}

/// A terminal that answers nothing would hold up the first screen.
#[test]
fn panes_that_are_there_are_claimed_before_the_terminal_told_its_colours() {
    let mut bench = begin(&[1, 2]);
    let claimed = bench.sent();
    assert!(
        claimed.starts_with("claim p1 80x23, p2 0x0 hidden\n"),
        "{claimed}"
    );
    bench.bytes("\x1b]10;rgb:ffff/ffff/ffff\x1b\\\x1b]11;rgb:0000/0000/8080\x1b\\\x1b[?62c");
    assert_snapshot!(bench.sent(), @r"
    viewer fg Some(ffffff) bg None
    viewer fg Some(ffffff) bg Some(80)
    ");
}

/// Programs ask for the colours first of all.
#[test]
fn programs_start_once_the_terminal_told_its_colours_or_had_the_time() {
    let made = "create /bin/sh in /work 80x23";
    let mut bench = begin(&[2]);
    assert!(!bench.sent().contains("create"));
    bench.bytes("\x1b[?62c");
    assert_eq!(bench.sent(), made);

    let mut bench = begin(&[2]);
    assert!(deadline(&bench.model).is_some());
    bench.wait(COLOURS);
    assert!(bench.sent().ends_with(made));
}

/// Answers that came after the client had gone were typed into the shell it came from.
#[test]
fn who_leaves_at_once_waits_for_what_the_terminal_was_asked() {
    let leave = |bench: &Bench| bench.effects.contains(&Effect::Leave(Outcome::Detached));
    let start = || {
        let mut bench = begin(&[1, 2]);
        let (_, request) = bench.request(|m| matches!(m, ToHost::NoteList(_)));
        let notes = Vec::new();
        bench.host(0, request, msg::Notes { notes });
        bench.settle();
        bench
    };
    let mut bench = start();
    bench.keys("C-b d");
    assert!(!leave(&bench));
    bench.bytes("x\x1b]11;rgb:0000/0000/0000\x1b\\");
    assert!(!leave(&bench) && bench.typed().is_empty());
    bench.bytes("\x1b[?62c");
    assert!(leave(&bench));
    // One that answers nothing is not waited for.
    let mut bench = start();
    bench.keys("C-b d");
    bench.wait(COLOURS);
    assert!(leave(&bench));
}

#[test]
fn leaves_without_a_pane_get_new_shells_and_the_layout_follows() {
    let mut bench = begin(&[2]);
    bench.bytes("\x1b[?62c");
    bench.host(
        0,
        bench.model.last_request,
        protocol::msg::Created { pane: 7, pid: 1 },
    );
    assert_eq!(bench.model.workspace.panes(), [7, 2]);
}

#[test]
fn an_empty_workspace_begins_with_a_shell() {
    let mut bench = Bench::raw(View::Workspace(workspace(&[])), (80, 24));
    bench.start(&[]);
    assert_eq!(bench.model.workspace.panes(), [101]);
}

// --- the prefix ---

/// However the outer terminal sends Ctrl-b (OpenShell#3206: the chord was lost in kitty mode).
#[test]
fn the_prefix_is_known_in_every_form() {
    for prefix in [
        "\x02",
        "\x1b[98;5u",
        "\x1b[98;69u",
        "\x1b[98;197u",
        "\x1b[27;5;98~",
        "\x1b[98;5:1u",
    ] {
        let mut bench = Bench::tabs(&[1]);
        bench.bytes(prefix);
        // The key is let go: a terminal that reports that must not end the prefix.
        bench.bytes("\x1b[98;5:3u");
        bench.bytes("d");
        assert_eq!(outcome(&mut bench), Some(Outcome::Detached), "{prefix:?}");
        assert_eq!(bench.typed(), []);
    }
}

#[test]
fn the_prefix_twice_passes_it_through() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b C-b x");
    assert_eq!(bench.typed(), [(1, "\x02".to_owned()), (1, "x".to_owned())]);
}

#[test]
fn an_unbound_key_after_the_prefix_is_not_typed() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b Q");
    assert_eq!((bench.typed(), &bench.model.mode), (vec![], &Mode::Normal));
    assert!(bench.model.message.is_some());
}

// --- commands ---

#[test]
fn splitting_makes_a_pane_of_the_right_size_and_focuses_it() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b %");
    assert_snapshot!(bench.sent(), @"create /bin/sh in /work 39x22");
    bench.settle();
    assert_eq!(bench.model.focus(), Some(101));
    assert_snapshot!(bench.sent(), @"claim p1 40x22, p101 39x22");
}

#[test]
fn a_pane_that_cannot_be_made_is_told_and_changes_nothing() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b c");
    bench.refuse(
        |m| matches!(m, ToHost::Create(_)),
        msg::SPAWN,
        "cannot start `sh`: gone",
    );
    assert_eq!(bench.model.workspace.panes(), [1]);
    assert_eq!(
        bench.model.message.as_ref().unwrap().0,
        "cannot start `sh`: gone"
    );
}

/// Keys, then the panes in order with the focus marked, tabs apart by `|`, the front one in
/// brackets, `Z` for zoomed.
fn layout_after(keys: &str) -> String {
    let mut bench = Bench::tabs(&[1]);
    for key in keys.split(' ') {
        bench.keys(key);
        bench.settle();
    }
    let workspace = &bench.model.workspace;
    let tabs = workspace.tabs.iter().enumerate().map(|(index, tab)| {
        let panes = tab.root.panes().into_iter().map(|pane| {
            if pane == tab.focus {
                format!("*{pane}")
            } else {
                pane.to_string()
            }
        });
        let zoomed = if tab.zoomed { "Z" } else { "" };
        let text = format!("{zoomed}{}", panes.collect::<Vec<_>>().join(" "));
        if index == workspace.active {
            format!("[{text}]")
        } else {
            text
        }
    });
    tabs.collect::<Vec<_>>().join("|")
}

#[test]
fn commands_change_the_layout() {
    for (keys, want) in [
        ("C-b %", "[1 *101]"),
        ("C-b % C-b \"", "[1 101 *102]"),
        ("C-b % C-b Left", "[*1 101]"),
        ("C-b % C-b o", "[*1 101]"),
        ("C-b % C-b o C-b ;", "[1 *101]"),
        ("C-b % C-b z", "[Z1 *101]"),
        ("C-b % C-b z C-b z", "[1 *101]"),
        ("C-b z", "[*1]"),
        ("C-b % C-b z C-b o", "[*1 101]"),
        ("C-b % C-b {", "[*101 1]"),
        ("C-b % C-b } C-b }", "[1 *101]"),
        ("C-b c", "*1|[*101]"),
        ("C-b c C-b n", "[*1]|*101"),
        ("C-b c C-b p", "[*1]|*101"),
        ("C-b c C-b c C-b 0", "[*1]|*101|*102"),
        ("C-b c C-b c C-b 0 C-b l", "*1|*101|[*102]"),
        ("C-b c C-b 7", "*1|[*101]"),
    ] {
        assert_eq!(layout_after(keys), want, "{keys}");
    }
}

#[test]
fn resizing_repeats_without_the_prefix_for_a_moment() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b %");
    bench.settle();
    bench.sent();
    bench.keys("C-b C-Left C-Left");
    let sent = bench.sent();
    assert!(sent.ends_with("claim p1 38x22, p101 41x22"), "{sent}");
    bench.wait(SECOND);
    bench.keys("C-Left");
    assert_eq!(bench.typed(), [(101, "^[1;5D".to_owned())]);
}

#[test]
fn renaming_a_tab() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b , a B BSpace c Enter x");
    assert_eq!(bench.model.workspace.tabs[0].name.as_deref(), Some("ac"));
    assert_eq!(bench.typed(), [(1, "x".to_owned())]);
    bench.keys("C-b , z Escape");
    assert_eq!(bench.model.workspace.tabs[0].name.as_deref(), Some("ac"));
    bench.keys("C-b , BSpace BSpace Enter");
    assert_eq!(bench.model.workspace.tabs[0].name, None);
}

#[test]
fn help_is_closed_by_any_key_and_nothing_is_typed() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b ?");
    assert_eq!(bench.model.mode, Mode::Help(0));
    bench.keys("q");
    assert_eq!((bench.typed(), &bench.model.mode), (vec![], &Mode::Normal));
    bench.keys("C-b ?");
    bench.output(1, 0, "\x1b[?1003h\x1b[?1006h");
    bench.bytes("\x1b[<65;5;5M\x1b[<35;6;6M");
    assert_eq!(bench.model.mode, Mode::Help(0), "all of it is seen");
    bench.keys("Down");
    assert_eq!((bench.typed(), &bench.model.mode), (vec![], &Mode::Normal));
}

/// On a small screen its end could not be seen.
#[test]
fn help_that_does_not_fit_is_scrolled() {
    let mut bench = Bench::tabs(&[1]);
    bench.resize(60, 12);
    let lines = crate::draw::status::help_lines(&bench.model).len();
    let most = lines - 10;
    for (keys, at) in [
        ("C-b ?", 0),
        ("Down j", 2),
        ("Up k k", 0),
        ("PageDown", 10),
        ("C-b ? G", most),
        ("j", most),
        ("C-u", most - 5),
        ("Home", 0),
        ("C-n C-e C-f", 12),
        ("C-y C-p", 10),
    ] {
        bench.keys(keys);
        assert_eq!(bench.model.mode, Mode::Help(at), "{keys}");
    }
    bench.bytes("\x1b[<65;5;5M");
    assert_eq!(bench.model.mode, Mode::Help(13));
    bench.bytes("\x1b[<64;5;5M");
    assert_eq!(bench.model.mode, Mode::Help(10));
    bench.keys("x");
    assert_eq!((bench.typed(), &bench.model.mode), (vec![], &Mode::Normal));
}

// --- closing and ending ---

#[test]
fn closing_a_pane_asks_then_kills_then_takes_it_out() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.keys("C-b x n");
    assert_eq!(bench.sent(), "");
    bench.keys("C-b x y");
    assert_eq!(
        bench.sent(),
        concat!(
            r#"note intent at None: {"ended_by_user":true,"closed_workspace":false}"#,
            "\np1 Kill(Kill)"
        )
    );
    bench.host(1, 0, exited(9));
    assert_eq!(bench.model.workspace.panes(), [2]);
    assert_snapshot!(bench.sent(), @r#"
    note intent at None: {"ended_by_user":true,"closed_workspace":false}
    p1 Remove(Remove)
    p0 Release(Release { panes: [1] })
    claim p2 80x23
    "#);
}

#[test]
fn a_program_that_ends_well_takes_its_pane_along() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.host(1, 0, exited(0));
    assert_eq!(
        (bench.model.workspace.panes(), bench.model.focus()),
        (vec![2], Some(2))
    );
    bench.host(2, 0, exited(0));
    assert_eq!(outcome(&mut bench), Some(Outcome::Closed));
    assert!(
        bench
            .sent()
            .contains("note workspace/w1 at Some(1): removed")
    );
}

/// A shell ends with the status of its last command, so Ctrl-D after one that failed left its pane there.
#[test]
fn a_shell_that_the_user_left_goes_whatever_its_status() {
    for (argv, raw, since, note, goes) in [
        ("/bin/sh", 1 << 8, Some(0), "", true),
        ("/bin/sh", 130 << 8, Some(10_000), "", true),
        ("/bin/sh", 1 << 8, Some(10_001), "", false),
        ("/bin/sh", 1 << 8, None, "", false),
        ("/bin/sh", 9, Some(0), "", false),
        ("/bin/sh", 1 << 8, Some(0), "cannot start", false),
        ("make", 2 << 8, Some(0), "", false),
    ] {
        let mut bench = Bench::tabs(&[1, 2]);
        let pane = bench.model.panes.get_mut(&1).expect("the pane");
        pane.argv = vec![argv.as_bytes().to_vec()];
        let end = PaneExited {
            raw_status: raw,
            since_input_ms: since,
            end_note: note.to_owned(),
        };
        bench.host(1, 0, end);
        let left = bench.model.workspace.panes();
        assert_eq!(left == [2], goes, "{argv} {raw} {since:?} {note}");
    }
}

#[test]
fn a_program_that_fails_stays_readable_until_it_is_closed_or_started_again() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.host(1, 0, exited(3 << 8));
    assert_eq!(bench.model.workspace.panes(), [1, 2]);
    // `vim x` and `echo rm`, typed without looking, are for nobody.
    bench.keys("v i m Space x e c h o Space r m C-c C-d Escape");
    assert_eq!(bench.sent(), "");
    assert_eq!(bench.model.workspace.panes(), [1, 2]);
    bench.keys("Enter");
    assert_eq!(bench.sent(), "create /bin/sh in /work 80x23");
    bench.settle();
    assert_eq!(bench.model.workspace.panes(), [101, 2]);

    let mut bench = Bench::tabs(&[1, 2]);
    bench.host(1, 0, exited(3 << 8));
    bench.keys("C-b x");
    assert_eq!(
        bench.model.workspace.panes(),
        [2],
        "it has ended: no question"
    );
    assert!(bench.sent().contains("\np1 Remove(Remove)"));
}

#[test]
fn a_pane_that_could_not_start_again_says_why() {
    let mut bench = Bench::tabs(&[1]);
    bench.host(1, 0, exited(1 << 8));
    bench.keys("Enter");
    bench.refuse(
        |m| matches!(m, ToHost::Create(_)),
        msg::SPAWN,
        "no such folder /work",
    );
    assert_eq!(
        bench.model.panes[&1].state,
        State::Failed("no such folder /work".to_owned())
    );
    bench.keys("x r");
    assert_eq!(outcome(&mut bench), None);
    bench.keys("C-b x");
    assert_eq!(outcome(&mut bench), Some(Outcome::Closed));
}

#[test]
fn a_pane_the_host_forgot_leaves_the_layout() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.host(1, 0, PaneRemoved {});
    assert_eq!(bench.model.workspace.panes(), [2]);
}

#[test]
fn a_stopped_pane_is_shown_stopped_and_goes_on_with_enter() {
    let mut bench = Bench::tabs(&[1]);
    bench.host(1, 0, PaneStopped { stopped: true });
    assert_eq!(bench.model.panes[&1].state, State::Stopped);
    bench.keys("Enter");
    assert_eq!(bench.sent(), "p1 Continue(Continue)");
    bench.host(1, 0, PaneStopped { stopped: false });
    assert_eq!(bench.model.panes[&1].state, State::Running);
}

// --- other clients, the host's end ---

fn taken() -> PaneTaken {
    PaneTaken {
        by: 9,
        label: "pts/7".to_owned(),
    }
}

#[test]
fn a_taken_pane_says_by_whom_and_can_be_taken_back() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.host(1, 0, taken());
    assert_eq!(outcome(&mut bench), None);
    bench.keys("a");
    assert_eq!(bench.typed(), []);
    bench.keys("Enter");
    assert!(bench.sent().ends_with("claim p1 80x23"));
}

/// It still said who had it when nobody had.
#[test]
fn a_taken_pane_is_taken_back_when_it_is_let_go_of() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.host(1, 0, taken());
    bench.sent();
    let hidden = || msg::PaneShown { shown: false };
    bench.host(2, 0, hidden());
    assert_eq!(bench.sent(), "", "that one is ours");
    // The other client looks at another tab, and then it leaves.
    for (claimed_by, ours) in [(Some(9), false), (None, true)] {
        bench.host(1, 0, hidden());
        let mut held = facts(1);
        held.claimed_by = claimed_by;
        bench.answer_panes(vec![held, facts(2)]);
        assert_eq!(!bench.model.panes[&1].is_taken(), ours);
        let claims = bench.sent().contains("claim p1 80x23");
        assert_eq!(claims, ours);
    }
    bench.show(1, "as it is now");
    assert!(bench.text().starts_with("as it is now"));
    bench.keys("a");
    assert_eq!(bench.typed(), [(1, "a".to_owned())]);
}

#[test]
fn the_client_whose_last_pane_is_taken_leaves_and_writes_no_layout() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.keys("C-b n");
    bench.sent();
    bench.host(1, 0, taken());
    bench.host(2, 0, taken());
    assert_eq!(
        outcome(&mut bench),
        Some(Outcome::Taken {
            by: "pts/7".to_owned()
        })
    );
    assert!(!bench.sent().contains("note"));
    bench.keys("x");
    assert_eq!(bench.sent(), "", "nothing happens after leaving");
}

#[test]
fn the_end_of_the_host_is_told() {
    let mut bench = Bench::tabs(&[1]);
    bench.host(
        0,
        0,
        Goodbye {
            reason: "asked to stop".to_owned(),
        },
    );
    let want = Outcome::HostGone {
        reason: "asked to stop".to_owned(),
        announced: true,
    };
    assert_eq!(outcome(&mut bench), Some(want));
    let mut bench = Bench::tabs(&[1]);
    bench.event(Event::HostGone("closed".to_owned()));
    let want = Outcome::HostGone {
        reason: "closed".to_owned(),
        announced: false,
    };
    assert_eq!(outcome(&mut bench), Some(want));
}

#[test]
fn a_closed_window_only_detaches() {
    let mut bench = Bench::tabs(&[1]);
    bench.event(Event::WindowClosed);
    assert_eq!(bench.sent(), "leave Detached");
    let mut bench = Bench::tabs(&[1]);
    bench.event(Event::Signal(15));
    assert_eq!(bench.sent(), "leave Signal(15)");
}

// --- the stream ---

#[test]
fn output_is_acknowledged_after_a_burst_and_an_echo_is_not_worth_it() {
    let acks = |bench: &mut Bench| -> Vec<u64> {
        let effects = std::mem::take(&mut bench.effects);
        let acks = effects.into_iter().filter_map(|effect| match effect {
            Effect::Send {
                message: ToHost::Ack(ack),
                ..
            } => Some(ack.offset),
            _ => None,
        });
        acks.collect()
    };
    let mut bench = Bench::tabs(&[1]);
    bench.output(1, 0, "hello");
    bench.event(Event::Idle);
    assert!(acks(&mut bench).is_empty());
    bench.output(1, 5, &"x".repeat(5_000));
    assert!(acks(&mut bench).is_empty());
    bench.event(Event::Idle);
    assert_eq!(acks(&mut bench), [5_005]);
    bench.event(Event::Idle);
    assert!(acks(&mut bench).is_empty());
    bench.output(1, 5_005, &"x".repeat(64 * 1024));
    assert_eq!(acks(&mut bench), [5_005 + 64 * 1024]);
}

#[test]
fn a_gap_in_the_stream_brings_a_fresh_snapshot_once() {
    let mut bench = Bench::tabs(&[1]);
    bench.output(1, 0, "hello");
    bench.output(1, 6, "gap");
    bench.output(1, 9, "more");
    assert_eq!(bench.sent(), "claim p1 80x23 hidden\nclaim p1 80x23");
    bench.show(1, "fresh");
    bench.output(1, 5, " and on");
    assert_eq!(bench.text().lines().next(), Some("fresh and on"));
    assert_eq!(bench.sent(), "");
}

#[test]
fn the_hosts_resize_changes_the_screen_at_its_place_in_the_stream() {
    let mut bench = Bench::tabs(&[1]);
    bench.output(1, 0, "hello");
    bench.host(
        1,
        0,
        PaneResized {
            cols: 60,
            rows: 10,
            offset: 5,
        },
    );
    let size = bench.model.panes[&1].terminal().unwrap().size();
    assert_eq!((size.cols, size.rows), (60, 10));
    bench.host(
        1,
        0,
        PaneResized {
            cols: 60,
            rows: 10,
            offset: 99,
        },
    );
    assert_eq!(bench.sent(), "", "it has that size already");
    bench.host(
        1,
        0,
        PaneResized {
            cols: 70,
            rows: 10,
            offset: 99,
        },
    );
    assert!(bench.sent().contains("hidden"));
}

#[test]
fn a_synchronized_update_is_held_for_a_second_at_most() {
    let first = |bench: &mut Bench| bench.text().lines().next().unwrap_or_default().to_owned();
    let mut bench = Bench::tabs(&[1]);
    bench.output(1, 0, "before\r\x1b[?2026h");
    assert_eq!(first(&mut bench), "");
    bench.output(1, 15, "AFTER!\r");
    assert_eq!(first(&mut bench), "");
    assert_eq!(deadline(&bench.model), Some(bench.now + SECOND));
    bench.wait(SECOND);
    assert_eq!(first(&mut bench), "AFTER!");
}

/// A program that is killed in its update left every later echo a second late.
#[test]
fn an_update_that_never_ends_holds_nothing_once_its_time_ran_out() {
    const BEGIN: &str = "\x1b[?2026h";
    const END: &str = "\x1b[?2026l";
    let first = |bench: &mut Bench| bench.text().lines().next().unwrap_or_default().to_owned();
    let mut bench = Bench::tabs(&[1]);
    let mut at = 0;
    let mut check = |bench: &mut Bench, output: &str, want: &str| {
        bench.output(1, at, output);
        at += output.len() as u64;
        assert_eq!(first(bench), want, "{output:?}");
    };
    check(&mut bench, BEGIN, "");
    check(&mut bench, "a", "");
    bench.wait(SECOND);
    // What is typed is seen at once.
    check(&mut bench, "b", "ab");
    bench.wait(SECOND / 2);
    check(&mut bench, "c", "abc");
    assert_eq!(deadline(&bench.model), None);
    // The next program begins an update although the one before was never ended.
    check(&mut bench, &format!("d{BEGIN}e"), "abc");
    check(&mut bench, "f", "abc");
    check(&mut bench, &format!("{END}g"), "abcdefg");
    check(&mut bench, &format!("{BEGIN}h"), "abcdefg");
    check(&mut bench, END, "abcdefgh");
}

#[test]
fn a_screen_that_comes_within_an_update_holds_nothing_either() {
    let mut bench = Bench::tabs(&[1]);
    bench.show(1, "a\x1b[?2026hb");
    bench.output(1, 10, "c");
    assert!(bench.text().starts_with("abc"));
    bench.output(1, 11, "\x1b[?2026hd");
    assert!(bench.text().starts_with("abc\n"));
}

#[test]
fn a_finished_update_is_shown_although_the_next_has_begun() {
    let first = |bench: &mut Bench| bench.text().lines().next().unwrap_or_default().to_owned();
    let mut bench = Bench::tabs(&[1]);
    let update = |text: &str| format!("\x1b[?2026h\r{text}\x1b[?2026l");
    let bytes = format!("{}{}\x1b[?2026h\rhalf", update("one"), update("two"));
    bench.output(1, 0, &bytes);
    assert_eq!(first(&mut bench), "two");
}

// --- sizes and visibility ---

#[test]
fn another_size_is_told_once_and_hidden_panes_keep_theirs() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.event(Event::Resize(99, 30));
    bench.event(Event::Resize(100, 30));
    assert_eq!(bench.sent(), "", "the window may still be dragged");
    bench.wait(RESIZE_PAUSE);
    assert_eq!(bench.sent(), "claim p1 100x29");
    bench.event(Event::Resize(100, 30));
    bench.wait(RESIZE_PAUSE);
    assert_eq!(bench.sent(), "");
    bench.keys("C-b n");
    let sent = bench.sent();
    assert!(sent.contains("claim p1 100x29 hidden, p2 100x29"), "{sent}");
}

#[test]
fn a_terminal_of_any_size_is_drawn_on_in_a_part_of_it() {
    let mut bench = Bench::tabs(&[1]);
    bench.resize(u16::MAX, u16::MAX);
    assert_eq!(bench.model.size, (1000, 1000));
    assert_eq!(bench.sent(), "claim p1 1000x999");
}

#[test]
fn a_terminal_of_no_size_claims_nothing_visible() {
    let mut bench = Bench::tabs(&[1]);
    bench.event(Event::Resize(0, 0));
    assert_eq!(bench.sent(), "claim p1 80x23 hidden");
    bench.event(Event::Resize(2, 1));
    assert_eq!(bench.sent(), "");
    bench.text();
}

#[test]
fn a_refused_claim_finds_out_which_pane_is_gone() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.event(Event::Resize(90, 24));
    bench.wait(RESIZE_PAUSE);
    bench.refuse(
        |m| matches!(m, ToHost::Claim(_)),
        msg::NO_PANE,
        "no pane p1",
    );
    let requests = bench.requests();
    let list = requests
        .iter()
        .find(|(.., m)| matches!(m, ToHost::List(_)))
        .unwrap()
        .1;
    bench.sent();
    bench.host(
        0,
        list,
        Panes {
            panes: vec![facts(2)],
        },
    );
    assert_eq!(bench.model.workspace.panes(), [2]);
    assert!(bench.sent().contains("claim p2 90x23"));
}

// --- typing ---

#[test]
fn keys_take_the_form_the_pane_asked_for() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("Up S-Enter C-c M-x");
    let typed: Vec<String> = bench.typed().into_iter().map(|(_, text)| text).collect();
    assert_eq!(typed, ["^[A", "^\r", "\x03", "^x"]);
    bench.output(1, 0, "\x1b[?1h\x1b[>1u");
    bench.keys("Up S-Enter C-c Escape");
    let typed: Vec<String> = bench.typed().into_iter().map(|(_, text)| text).collect();
    assert_eq!(typed, ["^[A", "^[13;2u", "^[99;5u", "^[27u"]);
}

#[test]
fn a_paste_is_one_message_and_keys_wait_behind_it() {
    let mut bench = Bench::tabs(&[1]);
    bench.output(1, 0, "\x1b[?2004h");
    bench.bytes("\x1b[200~a\x1b[201~b");
    assert_eq!(bench.sent(), "p1 input \"^[200~a^[201~\"");
    assert_eq!(bench.sent(), "", "the key waits");
    bench.settle();
    assert_eq!(bench.sent(), "p1 input \"b\"");
    bench.settle();
    bench.keys("x");
    assert_eq!(bench.sent(), "p1 input \"x\"");
}

/// wterm#33: what is pasted must not end the brackets.
#[test]
fn a_paste_cannot_break_out() {
    let mut bench = Bench::tabs(&[1]);
    bench.output(1, 0, "\x1b[?2004h");
    let text = b"a\x1b[201~\rtouch /tmp/pwn\r".to_vec();
    bench.event(Event::Input(Input::Paste(text)));
    let typed = bench.typed();
    let inside = typed[0]
        .1
        .strip_prefix("^[200~")
        .and_then(|t| t.strip_suffix("^[201~"));
    assert!(inside.is_some_and(|text| !text.contains('^')), "{typed:?}");
}

#[test]
fn a_long_paste_goes_in_pieces_and_waits_for_room() {
    let mut bench = Bench::tabs(&[1]);
    bench.event(Event::Input(Input::Paste(vec![b'x'; 3 << 19])));
    assert_eq!(bench.sent(), format!("p1 input {}", 1 << 20));
    let request = bench.model.last_request;
    let full = || Failed {
        code: msg::INPUT_FULL,
        text: "full".to_owned(),
    };
    bench.host(1, request, full());
    assert_eq!(bench.sent(), "");
    bench.wait(Duration::from_millis(50));
    assert_eq!(bench.sent(), format!("p1 input {}", 1 << 20));
    bench.host(1, bench.model.last_request, protocol::msg::Done {});
    assert_eq!(bench.sent(), format!("p1 input {}", 1 << 19));
}

#[test]
fn a_pane_that_does_not_read_is_told() {
    let mut bench = Bench::tabs(&[1]);
    bench.event(Event::Input(Input::Paste(vec![b'x'; 100])));
    let text = "p1 does not read its input; 100 bytes were not typed";
    for _ in 0..12 {
        if !bench.model.panes[&1].outbox.is_empty() {
            bench.refuse(|m| matches!(m, ToHost::Input(_)), msg::INPUT_FULL, "full");
        }
        bench.wait(SECOND);
    }
    assert!(bench.model.panes[&1].outbox.is_empty());
    assert_eq!(bench.model.message.take().unwrap().0, text);
    bench.host(1, 0, InputRefused { bytes: 100 });
    assert_eq!(bench.model.message.take().unwrap().0, text);
}

#[test]
fn focus_is_told_only_to_panes_that_asked_and_not_at_the_start() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.output(2, 0, "\x1b[?1004h");
    bench.bytes("\x1b[O\x1b[I");
    assert_eq!(bench.typed(), []);
    bench.keys("C-b n");
    assert_eq!(bench.typed(), [(2, "^[I".to_owned())]);
    bench.bytes("\x1b[O\x1b[I");
    assert_eq!(
        bench.typed(),
        [(2, "^[O".to_owned()), (2, "^[I".to_owned())]
    );
    bench.keys("C-b p");
    assert_eq!(bench.typed(), [(2, "^[O".to_owned())]);
}

#[test]
fn who_only_looks_types_nothing_and_claims_nothing() {
    let mut bench = Bench::raw(View::Watch(PaneId(1)), (80, 24));
    bench.event(Event::Start);
    bench.settle();
    bench.bytes("\x1b]11;rgb:00/00/00\x07\x1b[?62c");
    let sent = bench.sent();
    assert!(sent.contains("p0 Watch(Watch { panes: [1] })"), "{sent}");
    assert!(
        !sent.contains("viewer") && !sent.contains("claim"),
        "{sent}"
    );
    bench.show(1, "look");
    bench.effects.clear();
    bench.keys("a Enter");
    bench.bytes("\x1b[200~paste\x1b[201~\x1b[<0;1;1M");
    assert_eq!(bench.sent(), "");
    bench.keys("C-b d");
    assert_eq!(outcome(&mut bench), Some(Outcome::Detached));
}

// --- the mouse ---

#[test]
fn the_mouse_focuses_resizes_and_picks_tabs() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.keys("C-b %");
    bench.settle();
    bench.sent();
    bench.bytes("\x1b[<0;3;3M\x1b[<0;3;3m");
    assert_eq!(bench.model.focus(), Some(1));
    // The border stands in column 41.
    bench.bytes("\x1b[<0;41;5M\x1b[<32;31;5M\x1b[<32;30;9M\x1b[<0;30;9m\x1b[<32;50;9M");
    let sent = bench.sent();
    assert!(sent.ends_with("claim p1 29x22, p101 50x22"), "{sent}");
    // `[work]  0:sh-  1:sh `
    bench.bytes("\x1b[<0;18;24M");
    assert_eq!(bench.model.workspace.active, 1);
}

#[test]
fn a_pane_that_wants_the_mouse_gets_it_in_its_own_cells() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b %");
    bench.settle();
    bench.show(101, "\x1b[?1000h\x1b[?1006h");
    bench.effects.clear();
    bench.bytes("\x1b[<0;42;3M\x1b[<64;42;3M");
    assert_eq!(
        bench.typed(),
        [
            (101, "^[<0;1;2M".to_owned()),
            (101, "^[<64;1;2M".to_owned())
        ]
    );
}

#[test]
fn motion_is_asked_for_only_while_a_pane_wants_it() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.output(1, 0, "\x1b[?1003h");
    assert_eq!(bench.sent(), "write ^[?1003h");
    bench.keys("C-b n");
    assert!(bench.sent().contains("write ^[?1003l^[?1000h^[?1002h"));
}

#[test]
fn the_wheel_scrolls_or_moves_the_cursor_on_the_alternate_screen() {
    let mut bench = Bench::tabs(&[1]);
    bench.output(1, 0, "\x1b[?1049h");
    bench.bytes("\x1b[<64;5;5M");
    assert_eq!(bench.typed(), [(1, "^[A^[A^[A".to_owned())]);
    bench.output(1, 8, "\x1b[?1049l");
    bench.bytes("\x1b[<64;5;5M");
    assert!(bench.model.panes[&1].scroll.is_some());
    bench.bytes("\x1b[<65;5;5M");
    assert!(
        bench.model.panes[&1].scroll.is_none(),
        "past the bottom it closes"
    );
}

// --- the scrollback ---

#[test]
fn the_scrollback_is_fetched_from_the_host_in_pages() {
    let mut bench = Bench::tabs(&[1]);
    let lines: String = (0..2_000).map(|n| format!("line {n}\r\n")).collect();
    bench.show(1, &lines);
    bench.effects.clear();
    bench.keys("C-b [");
    assert_eq!(
        bench.sent(),
        "p1 GetPage(GetPage { from: 1478, count: 500 })"
    );
    bench.keys("PageUp C-d");
    assert_eq!(bench.typed(), []);
    bench.keys("q a");
    assert_eq!(bench.typed(), [(1, "a".to_owned())]);
}

/// Pane 1 with two thousand lines, its view into them opened by these keys or bytes.
fn scrolled(by: impl FnOnce(&mut Bench)) -> Bench {
    let mut bench = Bench::tabs(&[1]);
    let lines: String = (0..2_000).map(|n| format!("line {n}\r\n")).collect();
    bench.show(1, &lines);
    by(&mut bench);
    bench.settle();
    assert!(bench.model.panes[&1].scroll.is_some());
    bench.effects.clear();
    bench
}

/// What was typed in the view that its key opened left it and went to the program, where `/` opens an
/// agent's menu.
#[test]
fn the_view_takes_its_own_keys_and_ignores_others() {
    let check = |keys: &str, open: bool, told: bool| {
        let mut bench = scrolled(|bench| bench.keys("C-b [ C-u"));
        let up = |bench: &Bench| {
            let scroll = bench.model.panes[&1].scroll.as_ref();
            scroll.map(|scroll| scroll.position().0)
        };
        let before = up(&bench);
        bench.model.message = None;
        bench.keys(keys);
        assert_eq!(up(&bench).is_some(), open, "{keys}");
        assert_eq!(bench.typed(), [], "{keys}");
        let message = bench.model.message.clone();
        let hint = message.is_some_and(|(text, _)| text.ends_with("q: back"));
        assert_eq!(hint, told, "{keys}");
        assert_eq!(before != up(&bench), !told, "{keys}");
    };
    for keys in [
        "/",
        "?",
        "n",
        "v",
        "a",
        "A",
        "C-r",
        "C-t",
        "Tab",
        "Left",
        "F1",
        "Backspace",
    ] {
        check(keys, true, true);
    }
    let moving = "Up Down Down PageUp PageDown PageDown Home End g G j k k b f C-u C-d C-y C-e C-p C-n C-f C-v \
                  M-v M-< M-> Space";
    for key in moving.split_whitespace() {
        check(key, true, false);
    }
    // The prefix is typed twice.
    check("C-b C-b", true, false);
    for keys in ["q", "Escape", "Enter", "C-c"] {
        check(keys, false, false);
    }
    let mut bench = scrolled(|bench| bench.keys("C-b ["));
    bench.bytes("\x1b[200~paste\x1b[201~");
    assert!(bench.model.panes[&1].scroll.is_some());
    assert_eq!(bench.typed(), []);
}

#[test]
fn typing_leaves_the_view_that_the_wheel_opened_and_is_typed() {
    const WHEEL: &str = "\x1b[<64;5;5M";
    for (keys, open, typed) in [
        ("g i t", false, "git"),
        ("q", false, "q"),
        ("PageUp / x", false, "/x"),
        ("C-c", false, ""),
        ("Escape", false, ""),
        ("Enter", false, ""),
        ("PageUp Up C-u C-t", true, ""),
        // Opened by its key as well, it stays.
        ("C-b [ g /", true, ""),
    ] {
        let mut bench = scrolled(|bench| bench.bytes(WHEEL));
        bench.keys(keys);
        assert_eq!(bench.model.panes[&1].scroll.is_some(), open, "{keys}");
        let all: String = bench.typed().into_iter().map(|(_, text)| text).collect();
        assert_eq!(all, typed, "{keys}");
    }
    let mut bench = scrolled(|bench| bench.bytes(WHEEL));
    bench.bytes("\x1b[200~paste\x1b[201~");
    assert!(bench.model.panes[&1].scroll.is_none());
    assert_eq!(bench.typed(), [(1, "paste".to_owned())]);
}

#[test]
fn the_bottom_ends_the_view_the_wheel_opened_and_no_other() {
    for down in ["PageDown", "End", "C-d", "Down Down Down"] {
        let mut bench = scrolled(|bench| bench.bytes("\x1b[<64;5;5M"));
        bench.keys(down);
        assert!(bench.model.panes[&1].scroll.is_none(), "{down}");
        assert_eq!(bench.typed(), [], "{down}");
        let mut bench = scrolled(|bench| bench.keys("C-b [ Up Up Up"));
        bench.keys(down);
        assert!(bench.model.panes[&1].scroll.is_some(), "{down}");
    }
    let mut bench = scrolled(|bench| bench.bytes("\x1b[<64;5;5M\x1b[<64;5;5M"));
    bench.bytes("\x1b[<65;5;5M");
    assert!(bench.model.panes[&1].scroll.is_some());
    bench.bytes("\x1b[<65;5;5M");
    assert!(bench.model.panes[&1].scroll.is_none());
}

// --- the layout ---

#[test]
fn the_layout_is_written_a_moment_after_it_changed() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b c");
    bench.settle();
    assert!(!bench.sent().contains("note"));
    bench.wait(Duration::from_millis(200));
    let sent = bench.sent();
    assert!(sent.contains("save [1, 101]") && sent.contains("note workspace/w1 at Some(1)"));
    bench.settle();
    bench.keys("C-b p C-b d");
    let sent = bench.sent();
    assert!(
        sent.contains("save [1, 101]") && sent.ends_with("leave Detached"),
        "{sent}"
    );
}

/// A split and a detach in one write left a pane that stood in no layout.
#[test]
fn leaving_waits_for_a_pane_that_is_being_made() {
    let leave = |bench: &Bench| bench.effects.contains(&Effect::Leave(Outcome::Detached));
    let mut bench = Bench::tabs(&[1]);
    bench.bytes("\x02%\x02dx");
    assert!(!leave(&bench));
    bench.settle();
    assert!(leave(&bench));
    let sent = bench.sent();
    assert!(sent.contains("save [1, 101]"), "{sent}");
    assert!(
        sent.contains(r#""pane":101"#) && !sent.contains("input"),
        "{sent}"
    );

    // A host that does not answer is not waited for.
    let mut bench = Bench::tabs(&[1]);
    bench.bytes("\x02%\x02d");
    bench.wait(LEAVING - Duration::from_millis(1));
    assert!(!leave(&bench));
    bench.wait(Duration::from_millis(1));
    assert!(leave(&bench));

    // Nor one that is gone.
    let mut bench = Bench::tabs(&[1]);
    bench.bytes("\x02%\x02d");
    bench.event(Event::HostGone("closed".to_owned()));
    assert!(bench.sent().contains("leave HostGone"));
}

#[test]
fn a_write_that_was_refused_while_leaving_is_made_again() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b , x Enter");
    bench.wait(SECOND);
    bench.keys("C-b , y Enter C-b d");
    assert_eq!(outcome(&mut bench), None);
    bench.refuse(
        |m| matches!(m, ToHost::NoteSet(_)),
        msg::CONFLICT,
        "revision 8",
    );
    bench.settle();
    assert_eq!(outcome(&mut bench), Some(Outcome::Detached));
    assert!(bench.sent().contains(r#""name":"xy""#));
}

/// A client that is killed before it wrote its layout leaves a note where the pane belongs.
#[test]
fn a_new_pane_says_where_it_belongs() {
    for (keys, want) in [
        ("C-b %", Some(r#"{"beside":1,"direction":"across"}"#)),
        ("C-b \"", Some(r#"{"beside":1,"direction":"down"}"#)),
        ("C-b c", None),
    ] {
        let mut bench = Bench::tabs(&[1]);
        bench.keys(keys);
        let (_, ToHost::Create(create)) = bench
            .requests()
            .into_iter()
            .map(|(_, id, m)| (id, m))
            .next()
            .unwrap()
        else {
            panic!("{keys}: no pane is made");
        };
        let note = create.notes.iter().find(|(key, _)| key == "place");
        let note = note.map(|(_, value)| String::from_utf8_lossy(value).into_owned());
        assert_eq!(note.as_deref(), want, "{keys}");
    }
}

#[test]
fn another_programs_layout_is_taken_over() {
    let mut bench = Bench::tabs(&[1, 2]);
    bench.keys("C-b n");
    bench.wait(SECOND);
    bench.settle();
    bench.sent();
    let theirs = workspace(&[2, 5]);
    let value = Some(theirs.to_json().unwrap());
    bench.host(
        0,
        0,
        NoteChanged {
            key: "workspace/w1".to_owned(),
            revision: 50,
            value,
        },
    );
    bench.settle();
    assert_eq!(
        (bench.model.workspace.panes(), bench.model.focus()),
        (vec![2, 5], Some(2))
    );
    let sent = bench.sent();
    assert!(sent.contains("panes: [1]"), "{sent}");
    assert!(sent.contains("claim p5 0x0 hidden"), "{sent}");
}

#[test]
fn a_conflict_keeps_both_sides_panes() {
    let mut bench = Bench::tabs(&[1]);
    bench.keys("C-b , x Enter");
    bench.wait(SECOND);
    bench.refuse(
        |m| matches!(m, ToHost::NoteSet(_)),
        msg::CONFLICT,
        "revision 8",
    );
    let value = workspace(&[1, 6]).to_json().unwrap();
    let note = protocol::msg::Note {
        key: "workspace/w1".to_owned(),
        revision: 8,
        value,
    };
    let (_, request) = bench.request(|m| matches!(m, ToHost::NoteList(_)));
    bench.host(0, request, protocol::msg::Notes { notes: vec![note] });
    assert_eq!(bench.model.workspace.panes(), [1, 6]);
    bench.wait(SECOND);
    assert!(bench.sent().contains("note workspace/w1 at Some(8)"));
}

// --- one pane alone ---

#[test]
fn one_pane_alone_has_every_row_and_saves_nothing() {
    let mut bench = Bench::bare(View::Pane(PaneId(1)));
    assert_eq!(
        bench.model.panes[&1].claimed.map(|c| (c.cols, c.rows)),
        Some((80, 24))
    );
    bench.keys("C-b %");
    assert_eq!(bench.sent(), "");
    bench.wait(SECOND);
    assert_eq!(bench.sent(), "");
    bench.host(
        1,
        0,
        Title {
            title: "t".to_owned(),
        },
    );
    assert_eq!(bench.sent(), "write ^]0;t\x07");
    bench.host(1, 0, exited(0));
    assert_eq!(
        bench.sent().lines().last(),
        Some("leave Ended { pane: PaneId(1), raw: 0 }")
    );
}

/// What the user set for a pane, and that it is private, holds for what is started in its place, too.
#[test]
fn a_pane_that_is_started_again_is_what_it_was_made_as() {
    let mut bench = Bench::tabs(&[1]);
    let set = br#"{"set":[["STAGE","two"]],"named":["HOME","TOKEN"]}"#.to_vec();
    let was = [
        (link::notes::ENV, set),
        (link::notes::PRIVATE, b"true".to_vec()),
    ];
    for (key, value) in &was {
        let change = NoteChanged {
            key: (*key).to_owned(),
            revision: 1,
            value: Some(value.clone()),
        };
        bench.host(1, 0, change);
    }
    bench.host(1, 0, exited(1 << 8));
    bench.keys("Enter");
    let create = bench.requests().into_iter().find_map(|(.., m)| match m {
        ToHost::Create(create) => Some(create),
        _ => None,
    });
    let create = create.expect("it is started");
    assert_eq!(create.set_env, [(b"STAGE".to_vec(), b"two".to_vec())]);
    for (key, value) in was {
        assert!(create.notes.contains(&(key.to_owned(), value)), "{key}");
    }
    // Of the two whose values stand nowhere, this client has one.
    assert!(bench.text().contains("without TOKEN, which `--env` gave"));
}

/// Pane 1 alone, of workspace `w9`, ended and started again as pane 101.
fn started_again_alone() -> Bench {
    let mut bench = Bench::raw(View::Pane(PaneId(1)), (80, 24));
    bench.event(Event::Start);
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    let mut of_workspace = facts(1);
    of_workspace.notes = vec![
        ("workspace".to_owned(), b"w9".to_vec()),
        ("name".to_owned(), b"api".to_vec()),
    ];
    let panes = vec![of_workspace];
    bench.host(0, request, Panes { panes });
    bench.bytes("\x1b[?62c");
    bench.host(1, 0, exited(1 << 8));
    bench.keys("Enter");
    let (_, request) = bench.request(|m| matches!(m, ToHost::Create(_)));
    let create = bench.requests().into_iter().find_map(|(.., m)| match m {
        ToHost::Create(create) => Some(create),
        _ => None,
    });
    let notes = create.map(|create| create.notes).unwrap_or_default();
    let notes: Vec<&str> = notes.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(notes, ["workspace", "name"]);
    bench.sent();
    let made = protocol::msg::Created { pane: 101, pid: 1 };
    bench.host(0, request, made);
    bench
}

fn note_of(key: &str, revision: u64, workspace: &Workspace) -> protocol::msg::Notes {
    let note = protocol::msg::Note {
        key: key.to_owned(),
        revision,
        value: workspace.to_json().unwrap(),
    };
    protocol::msg::Notes { notes: vec![note] }
}

/// It left a hole in its workspace, and a pane that stood nowhere.
#[test]
fn a_pane_started_again_alone_takes_its_place_in_its_workspace() {
    let mut bench = started_again_alone();
    for revision in [4, 5] {
        let (_, request) = bench.request(|m| matches!(m, ToHost::NoteList(_)));
        let there = note_of("workspace/w9", revision, &workspace(&[7, 1]));
        bench.host(0, request, there);
        let sent = bench.sent();
        assert!(
            sent.contains(&format!("note workspace/w9 at Some({revision})"))
                && sent.contains(r#""pane":101"#)
                && !sent.contains(r#""pane":1}"#),
            "{sent}"
        );
        assert!(!sent.contains("Remove"), "it is still in the layout");
        if revision == 4 {
            bench.refuse(
                |m| matches!(m, ToHost::NoteSet(_)),
                msg::CONFLICT,
                "revision 5",
            );
        }
    }
    bench.settle();
    assert_eq!(bench.sent(), "save [7, 101]\np1 Remove(Remove)");
}

#[test]
fn a_pane_started_again_alone_needs_no_workspace() {
    let mut bench = started_again_alone();
    let (_, request) = bench.request(|m| matches!(m, ToHost::NoteList(_)));
    bench.keys("C-b d");
    assert_eq!(outcome(&mut bench), None, "its place is not known yet");
    let notes = Vec::new();
    bench.host(0, request, protocol::msg::Notes { notes });
    assert_eq!(outcome(&mut bench), Some(Outcome::Detached));
    assert!(!bench.sent().contains("note"));
}

#[test]
fn who_only_looks_is_offered_nothing_to_start() {
    let mut bench = Bench::raw(View::Watch(PaneId(1)), (80, 24));
    bench.event(Event::Start);
    bench.settle();
    bench.show(1, "look");
    bench.host(1, 0, exited(3 << 8));
    let text = bench.text();
    assert!(
        text.contains("exited 3 - Ctrl-b x: close") && !text.contains("again"),
        "{text}"
    );
    bench.host(1, 0, PaneStopped { stopped: true });
    bench.effects.clear();
    bench.keys("Enter");
    assert_eq!(bench.sent(), "");
}

// --- panes that others bring back ---

fn listing(panes: &[u32]) -> Panes {
    Panes {
        panes: panes.iter().map(|id| facts(*id)).collect(),
    }
}

/// A client on panes 1 and 2, of which the host has 1, and 2 is being brought back.
fn coming_back() -> Bench {
    let mut bench = Bench::raw(View::Workspace(workspace(&[1, 2])), (80, 24));
    bench.model.config.comeback.pending = vec![2];
    bench.event(Event::Start);
    bench.bytes("\x1b[?62c");
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, listing(&[1]));
    bench
}

#[test]
fn a_pane_that_comes_back_is_waited_for_and_keeps_its_place() {
    let mut bench = coming_back();
    assert!(!bench.sent().contains("create"));
    let created = protocol::msg::PaneCreated { pid: 7 };
    bench.host(2, 0, created.clone());
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, listing(&[1, 2]));
    assert!(bench.sent().contains("claim p2"));
    // The first try failed: it makes room for the second, in the same place.
    let ended = protocol::msg::PaneExited {
        raw_status: 1 << 8,
        since_input_ms: None,
        end_note: String::new(),
    };
    bench.host(2, 0, ended);
    bench.host(2, 0, protocol::msg::PaneRemoved {});
    assert_eq!(bench.model.workspace.panes(), [1, 2]);
    bench.host(2, 0, created);
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, listing(&[1, 2]));
    assert!(bench.sent().contains("claim p2"));
}

/// What did not come keeps its place, too: no shell is made there, and it can still come.
#[test]
fn what_did_not_come_back_is_told_in_its_place() {
    let mut bench = coming_back();
    bench.host(0, 0, restoring(true, &[], &[]));
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, listing(&[1]));
    assert!(!bench.sent().contains("create"));
    let words = "it did not come back - `abide restore` tries again";
    assert_eq!(bench.model.panes[&2].state, State::Away(words.to_owned()));
    bench.host(0, 0, restoring(false, &[2], &[]));
    assert_eq!(bench.model.panes[&2].state, State::Starting);
    bench.host(2, 0, protocol::msg::PaneCreated { pid: 7 });
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, listing(&[1, 2]));
    assert!(bench.sent().contains("claim p2"));
}

/// What stays away keeps its place, and the keyboard is for everything else meanwhile.
#[test]
fn what_stays_away_keeps_its_place() {
    let mut config = crate::testing::config();
    config.comeback.away = vec![(2, "sh (shell): held - `abide restore` goes on".to_owned())];
    let view = View::Workspace(workspace(&[1, 2]));
    let mut bench = Bench::raw(view.clone(), (80, 24));
    bench.model = Model::new(config, view, (80, 24));
    bench.event(Event::Start);
    bench.bytes("\x1b[?62c");
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, listing(&[1]));
    assert!(!bench.sent().contains("create"));
    bench.model.workspace.active = 1;
    assert!(
        bench
            .text()
            .contains("sh (shell): held - `abide restore` goes on")
    );
    bench.keys("a Enter C-b c");
    assert!(bench.sent().contains("create"));
    assert_eq!(bench.typed(), [], "nothing is typed into what is not there");
}

/// The last word of a restore before this one, which was on its way when the client began.
#[test]
fn a_word_of_a_restore_before_is_not_this_one_s() {
    let mut bench = coming_back();
    bench.model.config.comeback.since = 2;
    bench.host(0, 0, counted(restoring(true, &[], &[]), 1));
    assert_eq!(bench.model.panes[&2].state, State::Starting);
    assert!(bench.model.comes_back(2));
    bench.host(0, 0, counted(restoring(true, &[], &[]), 2));
    assert!(!bench.model.comes_back(2));
}

/// The same note with this count.
fn counted(mut change: NoteChanged, count: u64) -> NoteChanged {
    let note = change.value.as_deref().and_then(link::notes::from_json);
    let note: link::notes::RestoreNote = note.expect("a note");
    change.value = Some(link::notes::to_json(&link::notes::RestoreNote {
        count,
        ..note
    }));
    change
}

/// A pane that another program puts into the layout before it is there is waited for.
#[test]
fn a_pane_of_a_restore_under_way_is_not_taken_out_of_the_layout() {
    let mut bench = Bench::tabs(&[1]);
    bench.host(0, 0, restoring(false, &[2], &[]));
    let theirs = workspace(&[1, 2]);
    bench.host(
        0,
        0,
        NoteChanged {
            key: theirs.note_key(),
            revision: 99,
            value: Some(theirs.to_json().expect("json")),
        },
    );
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, listing(&[1]));
    assert_eq!(bench.model.workspace.panes(), [1, 2]);
}

fn restoring(done: bool, pending: &[u32], held: &[u32]) -> NoteChanged {
    let note = link::notes::RestoreNote {
        done,
        pending: pending.to_vec(),
        held: held.to_vec(),
        ..link::notes::RestoreNote::default()
    };
    NoteChanged {
        key: link::notes::RESTORE.to_owned(),
        revision: 9,
        value: Some(link::notes::to_json(&note)),
    }
}

/// A held pane keeps its place: it comes when the user asks for it.
#[test]
fn a_held_pane_keeps_its_place() {
    let mut bench = coming_back();
    bench.host(0, 0, restoring(false, &[2, 7, 8], &[]));
    assert_eq!(bench.model.coming.len(), 3);
    bench.effects.clear();
    bench.keys("C-b H");
    assert_eq!(bench.effects, [Effect::Act(Act::Hold)]);
    bench.event(Event::Acted("held".to_owned()));
    assert_eq!(
        bench.model.message.as_ref().map(|it| it.0.as_str()),
        Some("held")
    );
    bench.host(0, 0, restoring(true, &[2, 7], &[2, 7]));
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, listing(&[1]));
    assert!(!bench.sent().contains("create"));
    assert!(bench.model.coming.is_empty());
    let words = "held - `abide restore` brings it back";
    assert_eq!(bench.model.panes[&2].state, State::Away(words.to_owned()));
    // Asked for, it comes.
    bench.host(0, 0, restoring(false, &[2], &[]));
    bench.host(2, 0, protocol::msg::PaneCreated { pid: 7 });
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, listing(&[1, 2]));
    assert!(bench.sent().contains("claim p2"));
}

/// What an earlier restore left written does not end the wait for this one.
#[test]
fn an_earlier_restore_s_last_word_is_not_this_one_s() {
    let mut bench = coming_back();
    let (_, request) = bench.request(|m| matches!(m, ToHost::NoteList(_)));
    let note = restoring(true, &[], &[]);
    let notes = vec![msg::Note {
        key: note.key,
        revision: note.revision,
        value: note.value.expect("a value"),
    }];
    bench.host(0, request, msg::Notes { notes });
    assert_eq!(bench.model.config.comeback.pending, [2]);
    assert!(!bench.sent().contains("create"));
}

/// Start fresh asks first, and only `y` is a yes.
#[test]
fn start_fresh_asks_first() {
    let mut bench = Bench::tabs(&[1]);
    for (keys, want) in [
        ("C-b F n", &[][..]),
        ("C-b F Enter", &[]),
        ("C-b F y", &[Effect::Act(Act::Fresh("w1".to_owned()))]),
    ] {
        bench.effects.clear();
        bench.keys(keys);
        let acts = |it: &&Effect| matches!(it, Effect::Act(_));
        assert!(bench.effects.iter().filter(acts).eq(want), "{keys}");
    }
    // Who looks on decides nothing, and one pane alone is no workspace.
    for (view, key) in [
        (View::Watch(PaneId(1)), "H"),
        (View::Watch(PaneId(1)), "F"),
        (View::Pane(PaneId(1)), "F"),
    ] {
        let mut bench = Bench::bare(view);
        bench.keys(&format!("C-b {key} y"));
        let acts = bench.effects.iter().any(|it| matches!(it, Effect::Act(_)));
        assert!(!acts, "{key}");
    }
}

// --- several clients at once ---

fn joining(panes: &[u32]) -> Bench {
    let mut bench = Bench::raw(View::Joining(workspace(panes)), (80, 24));
    bench.event(Event::Start);
    bench.bytes("\x1b[?62c");
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    bench.host(0, request, Panes { panes: Vec::new() });
    let (_, request) = bench.request(|m| matches!(m, ToHost::NoteList(_)));
    bench.host(0, request, note_of("workspace/w1", 3, &workspace(panes)));
    bench
}

/// Four clients on a new folder made four shells.
#[test]
fn a_client_that_was_not_the_first_waits_for_the_firsts_shell() {
    for dead in [&[][..], &[8]] {
        let mut bench = joining(dead);
        assert!(!bench.sent().contains("create"));
        bench.host(
            0,
            0,
            NoteChanged {
                key: "workspace/w1".to_owned(),
                revision: 4,
                value: Some(workspace(&[9]).to_json().unwrap()),
            },
        );
        bench.settle();
        bench.wait(JOINING);
        let sent = bench.sent();
        assert!(
            sent.contains("claim p9 80x23") && !sent.contains("create"),
            "{sent}"
        );
        assert_eq!(bench.model.workspace.panes(), [9]);
    }
}

#[test]
fn it_does_not_wait_for_ever() {
    for dead in [&[][..], &[8]] {
        let mut bench = joining(dead);
        bench.wait(JOINING);
        let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
        bench.host(0, request, Panes { panes: Vec::new() });
        assert!(bench.sent().contains("create"), "{dead:?}");
        bench.settle();
        assert_eq!(bench.model.workspace.panes(), [101]);
    }
}

/// The first client's layout was taken over by itself with its panes gone, when the second wrote.
#[test]
fn a_leaf_that_gets_a_new_shell_is_not_taken_out_meanwhile() {
    let mut bench = begin(&[2]);
    bench.bytes("\x1b[?62c");
    let (_, request) = bench.request(|m| matches!(m, ToHost::NoteList(_)));
    let mut touched = workspace(&[1, 2]);
    touched.rest.insert("used".to_owned(), 7.into());
    bench.host(0, request, note_of("workspace/w1", 3, &touched));
    let (_, request) = *bench
        .requests()
        .iter()
        .filter(|(.., m)| matches!(m, ToHost::List(_)))
        .map(|(pane, id, _)| (*pane, *id))
        .collect::<Vec<_>>()
        .last()
        .unwrap();
    bench.host(
        0,
        request,
        Panes {
            panes: vec![facts(2)],
        },
    );
    assert_eq!(bench.model.workspace.panes(), [1, 2]);
    bench.settle();
    assert_eq!(bench.model.workspace.panes(), [101, 2]);
}

/// A pane that another program put into the layout and shows itself stays with that one.
#[test]
fn a_new_leaf_that_somebody_shows_is_not_taken() {
    let mut bench = Bench::tabs(&[1]);
    let value = Some(workspace(&[1, 5]).to_json().unwrap());
    let key = "workspace/w1".to_owned();
    let revision = 50;
    bench.host(
        0,
        0,
        NoteChanged {
            key,
            revision,
            value,
        },
    );
    let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
    let mut shown = facts(5);
    shown.claimed_by = Some(3);
    bench.sent();
    let panes = vec![facts(1), shown];
    bench.host(0, request, Panes { panes });
    assert_eq!(bench.sent(), "");
    assert!(matches!(bench.model.panes[&5].state, State::Taken { .. }));
}

#[test]
fn other_panes_messages_are_ignored() {
    let mut bench = Bench::tabs(&[1]);
    bench.host(77, 0, exited(0));
    bench.output(77, 0, "x");
    bench.host(77, 0, FromHost::Snapshot(Vec::new()));
    bench.host(1, 4_000, protocol::msg::Done {});
    assert_eq!(bench.sent(), "");
}

// --- whatever happens ---

/// Small numbers in a fixed, mixed order.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

const KEYS: [&str; 24] = [
    "%", "\"", "Left", "Right", "Up", "Down", "o", ";", "z", "C-Left", "M-Down", "Space", "{", "}",
    "x", "c", "n", "p", "l", "0", "&", "[", "?", ",",
];

const SCREENS: [&str; 4] = [
    "\x1b[?1000hx日本\r\n\x1b[?2026hy",
    "\x1b[4:3;53mwave\x1b[m\r\n\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]11;#102030\x1b\\tinted\x1b[10;70Hfar",
    "\x1b[?25l\x1b[44mblue\x1b[K",
];

/// One thing that may happen to a client at any time.
fn anything(bench: &mut Bench, dice: &mut Dice) {
    let panes: Vec<u32> = bench.model.panes.keys().copied().collect();
    let pane = panes
        .get(dice.roll(panes.len().max(1)))
        .copied()
        .unwrap_or(1);
    match dice.roll(14) {
        0..=4 => bench.keys(&format!("C-b {}", KEYS[dice.roll(KEYS.len())])),
        5 => bench.keys(["y", "q", "Enter", "PageUp", "g", "r"][dice.roll(6)]),
        6 => {
            let (cols, rows) = (dice.roll(120), dice.roll(40));
            bench.resize(u16::try_from(cols).unwrap(), u16::try_from(rows).unwrap());
        }
        7 => bench.bytes(&format!(
            "\x1b[<{};{};{}M\x1b[<32;{};{}M\x1b[<0;1;1m",
            [0, 0, 64, 65][dice.roll(4)],
            dice.roll(100) + 1,
            dice.roll(30) + 1,
            dice.roll(100) + 1,
            dice.roll(30) + 1,
        )),
        8 => bench.host(pane, 0, exited([0, 3 << 8, 9][dice.roll(3)])),
        9 => bench.host(
            pane,
            0,
            PaneStopped {
                stopped: dice.roll(2) == 0,
            },
        ),
        10 => bench.host(pane, 0, taken()),
        11 => bench.show(pane, SCREENS[dice.roll(SCREENS.len())]),
        12 => bench.output(pane, u64::try_from(dice.roll(40)).unwrap(), "more ⚠️\r\n"),
        _ => bench.host(pane, 0, PaneRemoved {}),
    }
}

/// Every pane stands in the layout once and the other way round; everything can be drawn, and over
/// older frames it looks as on nothing.
#[test]
fn the_model_stays_whole_whatever_happens() {
    let (mut left, mut steps) = (0, 0);
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let mut bench = Bench::tabs(&[1, 2, 3]);
        let mut painter = crate::paint::Painter::default();
        for _ in 0..80 {
            anything(&mut bench, &mut dice);
            if dice.roll(3) > 0 {
                bench.settle();
            }
            if bench.model.leaving.is_some() {
                bench.settle();
            }
            if bench.model.left {
                left += 1;
                break;
            }
            steps += 1;
            let mut in_layout = bench.model.workspace.panes();
            in_layout.sort_unstable();
            let known: Vec<u32> = bench.model.panes.keys().copied().collect();
            assert_eq!(in_layout, known, "seed {seed}");
            let tab = bench.model.tab().expect("a tab in front");
            assert!(tab.root.contains(tab.focus), "seed {seed}");
            let again = Workspace::from_json(&bench.model.workspace.to_json().unwrap());
            assert_eq!(again.unwrap(), bench.model.workspace, "seed {seed}");
            let (fresh, cursor) = bench.frame();
            let mut over = painter.blank(bench.model.size.0, bench.model.size.1);
            crate::draw::draw(&bench.model, &mut over);
            over.finish();
            over.assert_same(&fresh);
            painter.paint(over, cursor);
            bench.effects.clear();
        }
    }
    assert!(
        left > 10 && steps > 1_000,
        "{left} clients left, {steps} steps"
    );
}
