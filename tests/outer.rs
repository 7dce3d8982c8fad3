//! The outer terminal: however the client ends, the window is as it was before it.

#![cfg(test)]

use protocol::PaneId;
use std::process::Command;
use term::modes::{CursorShape, Modes, MouseMode};
use testkit::{Home, Outer, Signal};

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    home
}

/// A pane whose program sets all that a TUI sets, and leaves it so.
fn tui(home: &Home) -> PaneId {
    let modes = r"\e[?1049h\e[>1u\e[?1h\e=\e[?1003h\e[?1006h\e[?2004h\e[?1004h\e[?25l\e[4 q\e[31;44;1m\e[2;10r";
    let pane = home.script(&format!(
        "printf '{modes}'; printf '\\e[5;5Htui up'; sleep 600"
    ));
    let _screen = home.wait_capture(pane, "tui up");
    pane
}

/// Line settings nobody has by default, so that "as before" is not "as usual".
const SETTINGS: &str = "stty intr ^X -ixon -echoctl min 3";

/// A window with those settings in which the client runs.
fn window(home: &Home, pane: PaneId) -> Outer {
    let script = format!("{SETTINGS}; exec \"$0\" attach {pane}");
    let mut command = Command::new("bash");
    command
        .args(["--norc", "-c", &script])
        .arg(home.exe())
        .current_dir(home.work());
    command
        .env_clear()
        .envs(home.env().iter().map(|(n, v)| (n, v)));
    let window = Outer::run(command, (100, 30));
    window.wait_for("tui up");
    window.wait_until("the program's modes", |t| {
        (t.modes().mouse == MouseMode::Motion && t.modes().kitty() > 0).then_some(())
    });
    window
}

/// What `stty -a` says when nothing but the settings was run.
fn settings_alone(home: &Home) -> String {
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", SETTINGS]).env_clear();
    command.envs(home.env().iter().map(|(n, v)| (n, v)));
    let mut window = Outer::run(command, (100, 30));
    assert_eq!(window.wait_end(), 0);
    window.stty()
}

#[track_caller]
fn check_as_before(home: &Home, window: &Outer, how: &str) {
    let modes = window.modes();
    let usual = Modes::default();
    let seen = |m: &Modes| {
        (
            (
                m.alternate,
                m.mouse,
                m.mouse_encoding,
                m.focus,
                m.bracketed_paste,
                m.sync,
            ),
            (
                m.cursor_keys,
                m.keypad,
                m.autowrap,
                m.origin,
                m.insert,
                m.modify_other_keys,
            ),
            (
                m.cursor_visible,
                m.cursor_shape,
                m.kitty_main.flags(),
                m.kitty_alternate.flags(),
            ),
        )
    };
    assert_eq!(seen(&modes), seen(&usual), "after {how}");
    assert_eq!(modes.cursor_shape, CursorShape::Default, "after {how}");
    // The next text is plain: no colour, no scroll region is left.
    let raw = window.raw();
    let undone = |what: &[u8]| raw.windows(what.len()).rposition(|w| w == what);
    assert!(undone(b"\x1b[?1049l").is_some(), "after {how}");
    assert_eq!(window.stty(), settings_alone(home), "after {how}");
}

/// zmx#59, herdr#2687, sbsh#382, bssh#235: after a detach the shell was unusable, with the kitty
/// keyboard or the mouse left on.
#[test]
fn after_a_detach() {
    let home = home();
    let mut window = window(&home, tui(&home));
    window.command("d");
    assert_eq!(window.wait_end(), 0, "{}", window.text());
    check_as_before(&home, &window, "a detach");
}

#[test]
fn after_sigterm_and_sighup() {
    let home = home();
    let pane = tui(&home);
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let mut window = window(&home, pane);
        window.signal(signal);
        // SIGHUP is what a closed window sends: it detaches, no failure.
        let code = window.wait_end();
        assert_eq!(code == 0, signal == Signal::HUP, "{signal:?}: {code}");
        check_as_before(&home, &window, &format!("{signal:?}"));
    }
}

/// The host is killed: the client says so and leaves.
#[test]
fn after_the_hosts_death() {
    let home = home();
    let mut window = window(&home, tui(&home));
    home.host().signal(Signal::KILL);
    assert_eq!(window.wait_end(), 4, "{}", window.text());
    check_as_before(&home, &window, "the host's death");
    assert!(
        window.text().contains("host"),
        "it says why:\n{}",
        window.text()
    );
}

/// The pane's program ends while it is shown.
#[test]
fn after_the_programs_end() {
    let home = home();
    let pane = tui(&home);
    let mut window = window(&home, pane);
    let _killed = home.abide(["kill", &pane.to_string()]).ok();
    // One pane was all it showed; it may wait for a key before it leaves.
    testkit::wait::poll(std::time::Duration::from_secs(2), || {
        (!window.process().alive()).then_some(())
    });
    if window.process().alive() {
        window.command("d");
    }
    assert_eq!(window.wait_end(), 0, "{}", window.text());
    check_as_before(&home, &window, "the program's end");
}

/// A closed window is a detach: the programs run on, nobody is left behind.
#[test]
fn a_closed_window_only_detaches() {
    let home = home();
    let pane = tui(&home);
    let mut window = window(&home, pane);
    let client = window.process();
    window.close_window();
    client.wait_gone();
    let status = home.abide(["status", "--json"]).json();
    assert_eq!(
        (&status["mode"], &status["live_agents"]),
        (&"host".into(), &1.into()),
        "{status}"
    );
}
