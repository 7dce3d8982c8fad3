//! The outer terminal, taken and given back: the bytes, and a real window.

use super::*;

fn readable(text: &str) -> String {
    text.replace('\x1b', "^")
}

#[test]
fn leaving_undoes_what_entering_did() {
    let entered = enter_bytes(true) + KITTY_PUSH;
    let left = leave_bytes(true, true);
    for mode in [
        "?1049", "?2004", "?1004", "?1000", "?1002", "?1006", "?2031",
    ] {
        assert!(entered.contains(&format!("\x1b[{mode}h")), "{mode}");
        assert!(left.contains(&format!("\x1b[{mode}l")), "{mode}");
    }
    insta::assert_snapshot!(readable(&left), @"^[?2026l^[<1u^[?2031l^[>4m^[?1006l^[?1003l^[?1002l^[?1000l^[?1004l^[?2004l^[?7h^[m^[0 q^[?25h^[?1049l^[m^[?25h^[23;0t");
}

#[test]
fn without_mouse_or_kitty_neither_is_touched() {
    assert!(!enter_bytes(false).contains("1000"));
    let left = leave_bytes(false, false);
    assert!(
        !left.contains("1000") && !left.contains('u'),
        "{}",
        readable(&left)
    );
}

#[test]
fn the_keyboard_is_popped_before_the_alternate_screen_is_left() {
    let left = leave_bytes(true, true);
    assert!(left.find(KITTY_POP) < left.find("\x1b[?1049l"));
}

#[test]
fn titles_and_clipboard_are_safe() {
    assert_eq!(readable(&title_bytes("a\x1b]0;x\x07b")), "^]0;a]0;xb\x07");
    assert_eq!(clipboard_bytes(b""), "");
    for (text, want) in [
        ("a", "YQ=="),
        ("ab", "YWI="),
        ("abc", "YWJj"),
        ("abcd", "YWJjZA=="),
        ("\u{ff}", "w78="),
    ] {
        assert_eq!(
            clipboard_bytes(text.as_bytes()),
            format!("\x1b]52;c;{want}\x1b\\")
        );
    }
}

/// The shell's standard output must go on waiting for its terminal.
#[test]
fn the_terminal_is_opened_anew_and_only_that_does_not_wait() {
    let (_master, slave) = sys::pty::open(80, 24).unwrap();
    let own = opened_again(&slave).unwrap();
    let waits = |fd: &OwnedFd| {
        let flags = rustix::fs::fcntl_getfl(fd).unwrap();
        !flags.contains(OFlags::NONBLOCK)
    };
    assert!(waits(&slave) && !waits(&own));
    let size = rustix::termios::tcgetwinsize(&own).unwrap();
    assert_eq!((size.ws_col, size.ws_row), (80, 24));
    let (reader, _writer) = io::pipe().unwrap();
    assert!(opened_again(&reader).is_err(), "a pipe is no terminal");
}

#[test]
fn a_terminal_that_cannot_be_opened_anew_has_a_thread_that_waits() {
    let (sender, written) = std::sync::mpsc::sync_channel::<Vec<u8>>(0);
    let tap = pump(move |bytes| {
        let gone = |_| io::ErrorKind::BrokenPipe.into();
        sender.send(bytes.to_vec()).map_err(gone)
    });
    let tap = Tap::Pipe(tap.unwrap());
    // Nobody takes anything, so the pipe is full before long; the writer only hears of it.
    let mut sent = Vec::new();
    let full = loop {
        let piece = [u8::try_from(sent.len() % 251).unwrap(); 100];
        match tap.write(&piece) {
            Ok(n) => sent.extend_from_slice(&piece[..n]),
            Err(error) => break error,
        }
    };
    assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
    let mut came = Vec::new();
    while came.len() < sent.len() {
        came.extend(written.recv().unwrap());
    }
    assert!(came == sent);
    drop(written);
    while tap.write(b"x").is_ok_and(|n| n > 0) {
        std::thread::yield_now();
    }
}

/// What the child of [`in_a_window`] does with its terminal.
const SCENARIO: &str = "ABIDE_TEST_OUTER";

/// Not a test of its own: the body of the child process, which does nothing otherwise.
#[test]
fn child() {
    let Ok(scenario) = std::env::var(SCENARIO) else {
        return;
    };
    let outer = Outer::enter(true).unwrap();
    let tap = outer.tap().unwrap();
    let write = |bytes: &[u8]| tap.write(bytes).map(drop);
    write(outer.kitty().as_bytes()).unwrap();
    write(b"\x1b[?25l\x1b[?2026h\x1b[31mframe").unwrap();
    match scenario.as_str() {
        "leave" => drop(outer),
        // Nobody reads the window until this process has ended.
        "stuck" => {
            while write(b"frame\x1b[").is_ok() {}
            drop(outer);
        }
        "panic" => panic!("in the loop"),
        "thread" => {
            let _failed = std::thread::spawn(|| panic!("in a thread")).join();
            assert!(outer.is_left());
            write(b"a frame that comes too late").unwrap();
        }
        other => panic!("no scenario {other}"),
    }
}

/// Runs a scenario in a terminal window. What the window shows afterwards, and whether its line
/// settings are as before.
fn in_a_window(scenario: &str) -> (term::Terminal, bool) {
    let (master, slave) = sys::pty::open(80, 24).unwrap();
    let stdio = || std::process::Stdio::from(slave.try_clone().unwrap());
    let settings = || {
        let settings = rustix::termios::tcgetattr(&slave).unwrap();
        (
            settings.local_modes,
            settings.input_modes,
            settings.output_modes,
        )
    };
    let before = settings();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "outer::tests::child",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(SCENARIO, scenario)
        .env("RUST_BACKTRACE", "0")
        .stdin(stdio())
        .stdout(stdio())
        .stderr(stdio())
        .spawn()
        .unwrap();
    let mut terminal = term::Terminal::new(term::Size::new(80, 24), &term::Options::default());
    let mut buffer = [0; 4096];
    let mut over = scenario == "stuck" && child.wait().is_ok();
    loop {
        match master.read(&mut buffer) {
            Ok(n) => terminal.advance(&buffer[..n], &mut term::Silent),
            Err(_) if over => break,
            Err(_) => {
                let mut fds = [PollFd::new(&master, PollFlags::IN)];
                let limit = Timespec {
                    tv_sec: 0,
                    tv_nsec: 50_000_000,
                };
                poll(&mut fds, Some(&limit)).unwrap();
                over = child.try_wait().unwrap().is_some();
            }
        }
    }
    (terminal, settings() == before)
}

/// zmx#59, herdr#2687, sbsh#382: a client that was detached, killed or that failed left the mouse
/// and the keyboard protocol on, and the shell was unusable.
#[test]
fn the_terminal_is_given_back_on_every_way_out() {
    for (scenario, words) in [
        ("leave", "test result: ok"),
        ("stuck", "test result: ok"),
        ("panic", "in the loop"),
        ("thread", "in a thread"),
    ] {
        let (terminal, same) = in_a_window(scenario);
        let modes = terminal.modes();
        assert!(
            terminal.text().contains(words),
            "{scenario}: {}",
            terminal.text()
        );
        assert!(
            !terminal.text().contains("frame"),
            "{scenario}: {}",
            terminal.text()
        );
        assert!(same, "{scenario}: line settings");
        assert!(terminal.cursor().visible, "{scenario}: cursor");
        let fresh = term::Modes {
            titles: modes.titles.clone(),
            ..term::Modes::default()
        };
        assert_eq!(*modes, fresh, "{scenario}");
    }
}
