//! Programs in panes: nothing of what they print is lost, nothing of them is left.

use crate::support::{Conn, HANG, Host, create, eventually};
use protocol::{FromHost, PaneId, Role, ToHost, msg};
use std::time::Instant;
use sys::process::Identity;

fn host() -> (Host, Conn) {
    let host = Host::start(&[]);
    let mut conn = host.connect(Role::Control);
    conn.done(PaneId::NONE, msg::Subscribe {});
    (host, conn)
}

fn exited_with(code: i32) -> i32 {
    code << 8
}

fn fails(answer: FromHost) -> (u16, String) {
    match answer {
        FromHost::Failed(failed) => (failed.code, failed.text),
        other => panic!("not a failure: {other:?}"),
    }
}

#[test]
fn a_program_runs_and_its_status_comes_after_its_output() {
    let (_host, mut conn) = host();
    let pane = conn.create(&["sh", "-c", "echo one; exit 7"]);
    assert_eq!(conn.exit_of(pane), exited_with(7));
    assert!(conn.text(pane).contains("one"));
    let facts = conn.list().panes.remove(0);
    assert_eq!(
        (facts.state, facts.raw_status),
        (msg::EXITED, exited_with(7))
    );
    let pane = conn.create(&["sh", "-c", "kill -SEGV $$"]);
    assert_eq!(conn.exit_of(pane) & 0x7f, 11);
}

#[test]
fn what_cannot_be_started_names_argv_and_folder() {
    let (_host, mut conn) = host();
    let (code, text) = fails(conn.ask(PaneId::NONE, create(&["no-such-program", "--x"])));
    assert_eq!(code, msg::SPAWN);
    assert!(
        text.contains("no-such-program --x") && !text.contains("os error"),
        "{text}"
    );
    let mut elsewhere = create(&["true"]);
    elsewhere.cwd = b"/no/such/folder".to_vec();
    let (code, text) = fails(conn.ask(PaneId::NONE, elsewhere));
    assert_eq!(code, msg::SPAWN);
    assert!(text.contains("/no/such/folder"), "{text}");
    let (code, text) = fails(conn.ask(PaneId::NONE, create(&["/etc/passwd"])));
    assert_eq!(code, msg::SPAWN);
    assert!(text.contains("/etc/passwd"), "{text}");
    assert!(conn.list().panes.is_empty());
}

/// A child that prints 60 KB and exits at once loses nothing (zmx#230 and others lost the tail).
#[test]
fn the_last_output_is_never_lost() {
    let (_host, mut conn) = host();
    let script = "i=0; while [ $i -lt 999 ]; do printf '%060d\\n' $i; i=$((i+1)); done; echo last";
    for round in 0..200 {
        let pane = conn.create(&["sh", "-c", script]);
        assert_eq!(conn.exit_of(pane), exited_with(0));
        let facts = conn.list();
        let facts = facts
            .panes
            .iter()
            .find(|facts| facts.pane == pane.0)
            .unwrap();
        // The terminal turns each newline into two bytes.
        assert_eq!(facts.offset, 999 * 62 + 6, "round {round}");
        conn.done(pane, msg::Remove {});
    }
}

#[test]
fn typing_reaches_the_program_and_a_flood_elsewhere_does_not_keep_it_out() {
    let (_host, mut conn) = host();
    let flood = conn.create(&[
        "sh",
        "-c",
        "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done",
    ]);
    let quiet = conn.create(&["cat"]);
    for word in ["first", "second", "third"] {
        conn.done(quiet, ToHost::Input(format!("{word}\n").into_bytes()));
        conn.until_text(quiet, &format!("{word}\n{word}"));
    }
    let offset = |conn: &mut Conn, pane: PaneId| {
        conn.list()
            .panes
            .iter()
            .find(|facts| facts.pane == pane.0)
            .unwrap()
            .offset
    };
    let before = offset(&mut conn, flood);
    eventually("more of the flood", || {
        (offset(&mut conn, flood) > before).then_some(())
    });
    conn.done(flood, msg::Kill {});
    conn.exit_of(flood);
}

/// A child that never reads: its input queue is bounded, and it costs nobody anything.
#[test]
fn a_program_that_never_reads_fills_its_own_queue_only() {
    let (_host, mut conn) = host();
    let deaf = conn.create(&["sh", "-c", "stty raw -echo; echo ready; sleep 1000"]);
    conn.until_text(deaf, "ready");
    let block = vec![b'x'; 512 * 1024];
    let refused = (0..64).find_map(|_| match conn.ask(deaf, ToHost::Input(block.clone())) {
        FromHost::Done(_) => None,
        other => Some(fails(other).0),
    });
    assert_eq!(refused, Some(msg::INPUT_FULL));
    let other = conn.create(&["cat"]);
    conn.done(other, ToHost::Input(b"hello\n".to_vec()));
    conn.until_text(other, "hello\nhello");
    conn.done(deaf, msg::Kill {});
    conn.exit_of(deaf);
}

/// Every byte typed arrives, in order, through a pty that takes 4 KiB at a time.
#[test]
fn long_input_arrives_whole() {
    let (_host, mut conn) = host();
    let pane = conn.create(&[
        "sh",
        "-c",
        "stty raw -echo; echo ready; head -c 1000000 | cksum; cat",
    ]);
    conn.until_text(pane, "ready");
    let bytes: Vec<u8> = (0..1_000_000u32)
        .map(|i| b'a' + u8::try_from(i % 26).unwrap())
        .collect();
    for part in bytes.chunks(250_000) {
        conn.done(pane, ToHost::Input(part.to_vec()));
    }
    let expected = std::process::Command::new("sh")
        .args(["-c", "i=0; while [ $i -lt 38462 ]; do printf abcdefghijklmnopqrstuvwxyz; i=$((i+1)); done | head -c 1000000 | cksum"])
        .output()
        .unwrap();
    conn.until_text(pane, String::from_utf8(expected.stdout).unwrap().trim());
}

#[test]
fn kill_ends_the_whole_family() {
    let (_host, mut conn) = host();
    let script =
        "setsid sleep 1000 & (trap '' HUP TERM; echo pids $! $$; while :; do sleep 1000; done)";
    let pane = conn.create(&["sh", "-c", script]);
    let text = conn.until_text(pane, "pids ");
    let rest = text.split("pids ").nth(1).unwrap();
    let pids: Vec<i32> = rest
        .split_whitespace()
        .take(2)
        .map(|pid| pid.parse().unwrap())
        .collect();
    let family: Vec<Identity> = pids.iter().map(|pid| Identity::of(*pid).unwrap()).collect();
    conn.done(pane, msg::Kill {});
    conn.exit_of(pane);
    for process in family {
        assert!(process.wait_gone(HANG), "{process:?}");
    }
}

/// A reaper that is killed leaves its family to the host, which ends it at once.
#[test]
fn a_killed_reaper_takes_its_family_along() {
    let (_host, mut conn) = host();
    let script = "setsid sleep 1000 & echo pid $!; wait";
    let pane = conn.create(&["sh", "-c", script]);
    let text = conn.until_text(pane, "pid ");
    let daemon = text
        .split("pid ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let daemon = Identity::of(daemon.parse().unwrap()).unwrap();
    let facts = conn.list().panes.remove(0);
    let reaper = Identity::of(facts.reaper.cast_signed()).unwrap();
    reaper.signal(sys::process::Signal::KILL).unwrap();
    assert!(daemon.wait_gone(HANG));
    let note = conn.event(|id, message| match message {
        FromHost::PaneExited(exited) if id == pane => Some(exited.end_note.clone()),
        _ => None,
    });
    assert!(!note.is_empty());
}

/// A pane stopped as a whole goes on at once: nobody could type `fg` there.
#[test]
fn a_pane_stopped_as_a_whole_goes_on() {
    let (_host, mut conn) = host();
    let pane = conn.create(&["sh", "-c", "kill -STOP $$; echo went on; read x"]);
    conn.until_text(pane, "went on");
    conn.done(pane, msg::Kill {});
}

#[test]
fn the_foreground_group_is_told() {
    let (_host, mut conn) = host();
    let pane = conn.create(&["bash", "--norc", "-i"]);
    let shell = conn.list().panes.remove(0).pid;
    conn.done(pane, ToHost::Input(b"sleep 1000\n".to_vec()));
    let group_is = |conn: &mut Conn, wanted: fn(u32, u32) -> bool| {
        conn.event(|id, message| match message {
            FromHost::PaneForeground(it) if id == pane && wanted(it.group, shell) => Some(it.group),
            _ => None,
        })
    };
    let group = group_is(&mut conn, |group, shell| group != 0 && group != shell);
    // Bash's child has the terminal before it has become `sleep`, and would swallow a Ctrl-C.
    eventually("sleep", || {
        let command = testkit::Process::of(group.cast_signed())?.command();
        command.starts_with("sleep").then_some(())
    });
    conn.done(pane, ToHost::Input(b"\x03".to_vec()));
    group_is(&mut conn, |group, shell| group == shell);
}

#[test]
fn without_a_client_the_login_shell_gives_the_environment() {
    let (_host, mut conn) = host();
    let mut bare = create(&[
        "sh",
        "-c",
        "echo path=$PATH resolving=${ABIDE_RESOLVING_ENVIRONMENT-no}",
    ]);
    bare.env = None;
    let begun = Instant::now();
    let answer = conn.ask(PaneId::NONE, bare);
    let FromHost::Created(created) = answer else {
        panic!("{answer:?}")
    };
    assert!(begun.elapsed() < HANG);
    let text = conn.until_text(PaneId(created.pane), "resolving=no");
    assert!(text.contains("path=/"), "{text}");
}
