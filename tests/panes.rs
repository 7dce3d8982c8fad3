//! Panes: a program starts or the reason is said, nothing it wrote is lost, its end is its own.

#![cfg(test)]

use protocol::msg::{EXITED, INPUT_FULL, Kill, NOT_ALIVE, RUNNING, SPAWN, Subscribe};
use protocol::{FromHost, PaneId, Role, ToHost};
use std::time::Duration;
use testkit::{Home, Process, Signal, View, Wire, processes, until, wait, wire};

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    home
}

/// Waits for the pane's end; gives the raw wait status.
fn wait_exit(wire: &mut Wire, pane: PaneId) -> i32 {
    wire.expect(&format!("the end of {pane}"), |said| match &said.message {
        FromHost::PaneExited(exited) if said.pane == pane => Some(exited.raw_status),
        _ => None,
    })
}

fn observer(home: &Home) -> Wire {
    let mut wire = Wire::connect(home, Role::Control);
    wire.must(PaneId::NONE, Subscribe {});
    wire
}

fn process_of(wire: &mut Wire, pane: PaneId) -> Process {
    let facts = wire.facts(pane);
    let process = Process {
        pid: facts.pid.cast_signed(),
        start: facts.pid_start,
    };
    assert!(process.alive(), "{facts:?}");
    process
}

/// A program that cannot be started is an error of the command that wanted it, naming argv and
/// path; there is no pane then.
#[test]
fn a_program_that_cannot_be_started_says_why() {
    let home = home();
    let plain = home.work().join("plain.txt");
    std::fs::write(&plain, "no program\n").expect("a file");
    let folder = home.work().display().to_string();
    let table = [
        (
            vec!["no-such-program", "--flag"],
            vec!["no-such-program", "--flag"],
        ),
        (vec!["/nowhere/bin/x"], vec!["/nowhere/bin/x"]),
        (vec![folder.as_str()], vec![folder.as_str()]),
        (vec![plain.to_str().expect("UTF-8")], vec!["plain.txt"]),
    ];
    for (argv, named) in table {
        let said = home
            .abide(["new", "--no-attach", "--"].iter().chain(&argv))
            .fails(1);
        assert!(
            named.iter().all(|word| said.contains(word)),
            "{argv:?}: {said}"
        );
        assert!(!said.contains("os error"), "a raw errno: {said}");
        assert_eq!(said.trim().lines().count(), 1, "{said}");
    }
    let ls = home.abide(["ls", "--json"]).json();
    assert_eq!(ls["panes"].as_array().map(Vec::len), Some(0), "{ls}");
}

#[test]
fn a_missing_folder_is_named() {
    let home = home();
    let said = home
        .abide([
            "new",
            "--no-attach",
            "--cwd",
            "/no/such/folder",
            "--",
            "true",
        ])
        .fails(1);
    assert!(said.contains("/no/such/folder"), "{said}");
    let mut wire = Wire::connect(&home, Role::Control);
    let mut create = wire::create(&home, ["true"]);
    create.cwd = b"/no/such/folder".to_vec();
    let failed = wire.refused(PaneId::NONE, create);
    assert_eq!(failed.code, SPAWN, "{failed:?}");
}

/// intent#587, vite-task#164, open-terminal#145, atago#413: the reader stopped at EIO or at the
/// child's exit before the pty was drained, so a short child's last words were gone. Each of 200
/// children that print 60 kB and exit at once must arrive whole, its status behind its output.
#[test]
fn the_last_words_of_a_fast_child_are_kept() {
    let home = home();
    let mut wire = observer(&home);
    let script = "head -c 60000 /dev/zero | tr '\\0' x; echo END; exit 3";
    for round in 0..200 {
        let pane = wire.script(&home, script);
        assert_eq!(wait_exit(&mut wire, pane), 3 << 8, "round {round}");
        let facts = wire.facts(pane);
        assert_eq!(facts.offset, 60_005, "round {round}: bytes were lost");
        assert_eq!((facts.state, facts.raw_status), (EXITED, 3 << 8));
    }
}

/// The same for one line, looked at by a viewer: the text is on the screen when the end is told.
#[test]
fn output_comes_before_the_end() {
    let home = home();
    let mut wire = Wire::connect(&home, Role::Control);
    for _ in 0..50 {
        let pane = wire.script(&home, "read -r _; echo LAST-WORD; exit 3");
        let mut view = View::attach(&home, pane, (80, 24));
        view.type_bytes("\r");
        assert_eq!(view.wait_exit(), 3 << 8);
        assert!(view.text().contains("LAST-WORD"), "{}", view.text());
    }
}

#[test]
fn status_and_signal_are_told_apart() {
    let home = home();
    let mut wire = observer(&home);
    for (script, raw) in [
        ("exit 0", 0),
        ("exit 7", 7 << 8),
        ("kill -KILL $$", 9),
        ("kill -TERM $$", 15),
    ] {
        let pane = wire.script(&home, script);
        assert_eq!(wait_exit(&mut wire, pane) & !0x80, raw, "{script}");
    }
    let pane = home.script("exit 7");
    let _ended = home
        .abide(["wait", &pane.to_string(), "--exit", "--timeout", "80"])
        .run();
    let ls = home.abide(["ls", "--json"]).json();
    let entry = ls["panes"]
        .as_array()
        .expect("panes")
        .iter()
        .find(|p| p["id"] == pane.to_string());
    let entry = entry.expect("an ended pane stays readable");
    assert_eq!(
        (&entry["alive"], &entry["exit"]["code"]),
        (&false.into(), &7.into()),
        "{entry}"
    );
}

/// agent-of-empires#145, zellij#4030: an agent is its session's only process, nobody is there to
/// `fg` it, so a Ctrl-Z or a stop signal left it stopped for good. A pane that is stopped as a
/// whole goes on at once; it is never taken for exited.
#[test]
fn a_stopped_agent_goes_on() {
    let home = home();
    let mut wire = observer(&home);
    let pane = wire.create(&home, ["cat"]);
    let process = process_of(&mut wire, pane);
    wire.input(pane, *b"\x1a");
    wire.input(pane, *b"after ctrl-z\r");
    let _screen = home.wait_capture(pane, "after ctrl-z\nafter ctrl-z");
    for signal in [Signal::TSTP, Signal::STOP] {
        process.signal(signal);
        wire.input(pane, *b"after a stop\r");
        let lines = "(?s)after a stop\n.*after a stop";
        let _screen = home.wait_capture(pane, lines);
        until("the program to run", || {
            (process.stat()?.state != 'T').then_some(())
        });
        assert_eq!(wire.facts(pane).state, RUNNING);
    }
}

/// Closing a pane ends all it started: background jobs, new sessions, what ignores signals.
#[test]
fn kill_ends_the_whole_family() {
    let home = home();
    let pane = home.script(
        "trap '' HUP TERM; sleep 601 & setsid sleep 602 & (setsid sleep 603 &); echo up; sleep 604",
    );
    let _screen = home.wait_capture(pane, "up");
    let sleeps = |home: &Home| {
        let all = home.processes().into_iter();
        all.filter(|p| p.command().starts_with("sleep 60"))
            .collect::<Vec<_>>()
    };
    until("four sleeps", || (sleeps(&home).len() == 4).then_some(()));
    let other = home.pane(["sleep", "700"]);
    let _killed = home.abide(["kill", &pane.to_string()]).ok();
    until("the end of the family", || {
        sleeps(&home).is_empty().then_some(())
    });
    let mut wire = Wire::connect(&home, Role::Control);
    assert_eq!(wire.facts(other).state, RUNNING, "nobody else was hit");
    assert_eq!(wire.facts(pane).state, EXITED);
    assert_eq!(
        wire.refused(pane, ToHost::Input(b"x".to_vec())).code,
        NOT_ALIVE
    );
}

/// orca#11178 and #17027: with the child stopped, a daemon spun on EAGAIN with six-figure failing
/// writes a second, or died of it; every terminal froze. Here a stopped reader gets 1 MB: the host
/// rests, another pane answers, and after CONT every byte arrives.
#[test]
fn a_stopped_reader_gets_everything_later() {
    let home = home();
    let mut wire = observer(&home);
    let file = home.work().join("out");
    let script = format!(
        "stty raw -echo; echo ready; (echo $BASHPID > pid; exec cat > '{}')",
        file.display()
    );
    let pane = wire.script(&home, &script);
    let _screen = home.wait_capture(pane, "ready");
    let pid = home.work().join("pid");
    let reader = until("the reader", || {
        let pid = std::fs::read_to_string(&pid).ok()?.trim().parse().ok()?;
        Process::of(pid).filter(|p| p.command().starts_with("cat"))
    });
    reader.signal(Signal::STOP);
    reader.wait_state('T');

    let sent: Vec<u8> = (0..1_000_000u32)
        .map(|i| b'a' + u8::try_from(i % 23).expect("small"))
        .collect();
    wire.input(pane, sent.clone());
    let host = home.host();
    let ran = || host.stat().expect("the host lives").ran;
    let before = ran();
    let other = wire.create(&home, ["cat"]);
    wire.input(other, *b"still here\r");
    let _screen = home.wait_capture(other, "still here\nstill here");
    wait::holds_for(Duration::from_secs(2), "the reader's stop", || {
        reader.stat().is_some_and(|s| s.state == 'T')
    });
    // 100 ticks are a second of CPU; a loop on EAGAIN takes two of them in this time.
    assert!(
        ran() - before < 100,
        "the host spins: {} ticks",
        ran() - before
    );

    reader.signal(Signal::CONT);
    until("all that was typed", || {
        (std::fs::read(&file).ok()?.len() == sent.len()).then_some(())
    });
    assert!(
        std::fs::read(&file).expect("the file") == sent,
        "the order or the bytes changed"
    );
}

/// zellij#4782, mosh#1356, claude-chill#33: input for a child that never reads deadlocked all.
/// The queue is bounded and the sender told; others go on; the pane can still be ended.
#[test]
fn a_child_that_never_reads_blocks_nobody() {
    let home = home();
    let mut wire = observer(&home);
    let pane = wire.script(&home, "stty raw -echo; echo ready; sleep 600");
    let _screen = home.wait_capture(pane, "ready");
    let mut refused = None;
    for _ in 0..8 {
        let answer = wire.ask(pane, ToHost::Input(vec![b'x'; 1024 * 1024]));
        if let FromHost::Failed(failed) = answer {
            refused = Some(failed);
            break;
        }
    }
    let refused = refused.expect("8 MiB do not fit");
    assert_eq!(refused.code, INPUT_FULL, "{refused:?}");
    wire.send(pane, ToHost::Input(vec![b'x'; 1024 * 1024]));
    let told = wire.expect("the refusal", |said| match &said.message {
        FromHost::InputRefused(refused) if said.pane == pane => Some(refused.bytes),
        _ => None,
    });
    assert_eq!(told, 1024 * 1024);
    let other = wire.create(&home, ["cat"]);
    wire.input(other, *b"still here\r");
    let _screen = home.wait_capture(other, "still here\nstill here");
    wire.must(pane, Kill {});
    let _raw = wait_exit(&mut wire, pane);
}

/// node-pty#950, daintree#9539, claude-code#68234: a grandchild in a session of its own kept the
/// tty open, so the end never came and descriptors leaked until there were no ptys.
#[test]
fn a_grandchild_that_keeps_the_tty_does_not_keep_the_pane() {
    let home = home();
    let mut wire = observer(&home);
    let host = home.host();
    // Root alone may see them.
    let descriptors = || processes::descriptors(host.pid).map_or(0, |all| all.len());
    let mut after = Vec::new();
    for _ in 0..30 {
        let pane = wire.script(&home, "setsid sleep 9999 & exit 4");
        assert_eq!(wait_exit(&mut wire, pane), 4 << 8);
        after.push(descriptors());
    }
    let least = after.iter().min().expect("rounds");
    until("the descriptors to be closed", || {
        (descriptors() <= least + 3).then_some(())
    });
    until("the end of every grandchild", || {
        let left = processes::of_home(&home.abide_home()).into_iter();
        (left.filter(|p| p.command() == "sleep 9999").count() == 0).then_some(())
    });
}

/// termlens#49, wezterm#3921: absurd sizes killed the reader or divided by zero.
#[test]
fn absurd_sizes_are_refused_or_clamped() {
    let home = home();
    let pane = home.pane(["cat"]);
    let id = pane.to_string();
    for size in [
        "0x0",
        "0x24",
        "80x0",
        "65535x65535",
        "99999x1",
        "x",
        "80",
        "-1x5",
    ] {
        let output = home.abide(["resize", &id, size]).run();
        assert!([0, 1, 2].contains(&output.code), "{size}: {output:?}");
        assert!(!output.stderr.contains("panicked"), "{size}: {output:?}");
    }
    let _done = home.abide(["resize", &id, "1x1"]).run();
    let _typed = home
        .abide(["send", &id, "\u{4f60}\u{4f60}\u{1f469}\u{200d}\u{1f469}"])
        .ok();
    let _done = home.abide(["resize", &id, "80x24"]).ok();
    let _typed = home
        .abide(["send", &id, "--keys", "Enter", "o", "k", "Enter"])
        .ok();
    let _screen = home.wait_capture(pane, "ok");
}

/// Fifty ended panes stay readable; the oldest goes first, and none of them is alive.
#[test]
fn the_newest_ended_panes_stay_readable() {
    let home = home();
    let mut wire = observer(&home);
    let mut panes = Vec::new();
    for number in 0..55 {
        let pane = wire.script(&home, &format!("echo number {number}"));
        let _raw = wait_exit(&mut wire, pane);
        panes.push(pane);
    }
    let listed: Vec<u32> = wire.list().iter().map(|p| p.pane).collect();
    let newest: Vec<u32> = panes[5..].iter().map(|p| p.0).collect();
    assert_eq!(listed, newest);
    assert!(home.capture(panes[54]).contains("number 54"));
    let said = home.abide(["capture", &panes[0].to_string()]).fails(3);
    assert!(said.contains(&panes[0].to_string()), "{said}");
    assert_eq!(home.abide(["status", "--json"]).json()["live_agents"], 0);
}
