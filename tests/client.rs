//! The client in a real window: the window is given back, keys are understood in every form,
//! borders stay, two clients get along, sizes are told once.

#![cfg(test)]

use protocol::PaneId;
use std::time::Duration;
use term::modes::Modes;
use testkit::{Home, Outer, Signal, until, wait};

const SIZE: (u16, u16) = (100, 30);

fn home() -> Home {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.set_env("SHELL", "/bin/sh");
    home.set_env("PS1", "$ ");
    home.start();
    home
}

fn attach(home: &Home, pane: PaneId) -> Outer {
    Outer::open(home, SIZE, ["attach", &pane.to_string()])
}

/// The client on a workspace with one shell.
fn workspace(home: &Home) -> Outer {
    let none: [&str; 0] = [];
    let window = Outer::open(home, SIZE, none);
    window.wait_for(r"(?s)\$.*p1 sh");
    window
}

/// How a client comes to its end.
type Way = fn(&Home, &Outer);

/// zmx#59, herdr#2687, sbsh#382, sbsh#384, bssh#235: a program left the mouse, the keyboard
/// protocol and the alternate screen on, and the shell behind the client was unusable.
#[test]
fn the_window_is_given_back_however_the_client_ends() {
    let set = r"\e[?1049h\e[>1u\e[?1000h\e[?1006h\e[?2004h\e[?1004h\e[?1h\e=\e[?25l\e[5 q";
    let ways: [(&str, Way); 6] = [
        ("detach", |_, window| window.command("d")),
        ("SIGTERM", |_, window| window.signal(Signal::TERM)),
        ("SIGINT", |_, window| window.signal(Signal::INT)),
        ("SIGHUP", |_, window| window.signal(Signal::HUP)),
        ("the pane's end", |home, _| {
            home.abide(["send", "p1", "x"]).ok();
        }),
        ("the host's death", |home, _| {
            home.host().signal(Signal::KILL);
        }),
    ];
    for (way, leave) in ways {
        let home = home();
        // Ends well when a byte is typed.
        let pane = home.script(&format!(
            "stty raw -echo; printf '{set}wild'; dd bs=1 count=1 >/dev/null 2>&1"
        ));
        let fresh = Outer::run(home.abide(["--version"]).command(), SIZE).stty();
        let mut window = attach(&home, pane);
        window.wait_for("wild");
        leave(&home, &window);
        window.wait_end();
        // The last bytes may still be on their way into the window.
        let as_it_was = |modes: &Modes| Modes {
            titles: modes.titles.clone(),
            ..Modes::default()
        };
        let given_back = || (window.modes() == as_it_was(&window.modes())).then_some(());
        wait::poll(testkit::LIMIT, given_back);
        let left = window.modes();
        assert_eq!(left, as_it_was(&left), "{way}");
        assert!(window.with_terminal(|t| t.cursor().visible), "{way}");
        assert_eq!(window.stty(), fresh, "{way}");
        assert!(!window.text().contains("wild"), "{way}: {}", window.text());
    }
}

#[test]
fn a_closed_window_only_detaches() {
    let home = home();
    let pane = home.script("echo here; exec cat");
    let mut window = attach(&home, pane);
    window.wait_for("here");
    let client = window.process();
    window.close_window();
    client.wait_gone();
    let _screen = home.wait_capture(pane, "here");
    assert_eq!(
        home.abide(["ls", "--json"]).json()["panes"][0]["alive"],
        true
    );
}

/// OpenShell#3206: under the kitty protocol, with locks on, or with modifyOtherKeys, the prefix
/// was not recognised and nobody could detach.
#[test]
fn every_form_of_the_prefix_detaches() {
    let home = home();
    let pane = home.script("echo here; exec cat");
    for prefix in [
        "\x02",
        "\x1b[98;5u",
        "\x1b[98;69u",
        "\x1b[98;197u",
        "\x1b[27;5;98~",
    ] {
        let mut window = attach(&home, pane);
        window.wait_for("here");
        // With the key's release, as terminals report it that were asked to.
        window.type_bytes(format!("{prefix}\x1b[98;5:3u"));
        window.type_bytes("d");
        assert_eq!(window.wait_end(), 0, "{prefix:?}");
    }
}

/// A host that was stopped looked like a program that does not echo.
#[test]
fn a_silent_host_is_told_until_it_answers() {
    let home = home();
    let window = workspace(&home);
    home.host().signal(Signal::STOP);
    window.type_bytes("echo he''re\r");
    window.wait_for("the host does not answer");
    home.host().signal(Signal::CONT);
    window.wait_for("here");
    window.wait_without("the host does not answer");
}

/// What is typed before the shell is there goes to it, in order, commands of the prefix too.
#[test]
fn what_is_typed_at_once_is_used() {
    let home = home();
    let none: [&str; 0] = [];
    let window = Outer::open(&home, SIZE, none);
    window.type_bytes("echo fi''rst\r\x02%echo sec''ond\r");
    window.wait_for("first");
    window.wait_for("second");
    window.wait_for("p2 sh ─");
    // A paste without an end ends by itself.
    window.type_bytes("\x1b[200~echo pas''ted");
    window.wait_for("echo pas''ted");
    window.type_bytes("\r");
    window.wait_for("pasted");
}

/// p2pmux#120, ratatui#2431, tmux#5120, herdr#2469: clusters whose width terminals disagree about
/// pushed the border out of its column and left cells behind.
#[test]
fn borders_and_cleared_cells_are_exact() {
    let home = home();
    let window = workspace(&home);
    window.command("%");
    window.wait_for("p2 ");
    window.command("Left");
    let text = "a ⚠️ b ➡️ c ✔️ 👨‍👩‍👧 🇮🇳 1️⃣|日本語";
    let file = home.work().join("text");
    std::fs::write(&file, format!("{text}\n").repeat(8)).expect("a file");
    window.type_bytes(format!("clear; cat {}; echo en''d\r", file.display()));
    window.wait_for("end");
    let border = |window: &Outer| -> Vec<String> {
        window.with_terminal(|t| {
            let cell = |y| t.row(y).cells[50].text.as_str().to_owned();
            // Row 0 is the titles, joined by the border.
            (1..SIZE.1 - 1).map(cell).collect()
        })
    };
    assert!(
        border(&window).iter().all(|cell| cell == "│"),
        "{}",
        window.text()
    );
    window.type_bytes("clear; echo d''one\r");
    window.wait_for("done");
    assert!(
        border(&window).iter().all(|cell| cell == "│"),
        "{}",
        window.text()
    );
    window.wait_until("nothing left of the text", |t| {
        let blank = |y: u16| {
            t.row(y).cells[..50]
                .iter()
                .all(|cell| cell.text.as_str().trim().is_empty())
        };
        (4..SIZE.1 - 1).all(blank).then_some(())
    });
}

#[test]
fn a_second_client_takes_the_workspace_and_the_first_is_told() {
    let home = home();
    let mut first = workspace(&home);
    first.type_bytes("echo ke''pt\r");
    first.wait_for("kept");
    let second = workspace(&home);
    second.wait_for("kept");
    assert_eq!(first.wait_end(), 0);
    assert!(first.text().contains("another client"), "{}", first.text());
}

#[test]
fn one_pane_taken_leaves_the_others() {
    let home = home();
    let first = workspace(&home);
    first.command("%");
    first.wait_for("p2 ");
    let second = attach(&home, PaneId(1));
    first.wait_for("taken by");
    second.type_bytes("echo mi''ne\r");
    second.wait_for("mine");
    first.type_bytes("echo st''ill\r");
    first.wait_for("still");
    // Taken back.
    first.command("Left");
    first.key("Enter");
    first.wait_without("taken by");
    first.wait_for("mine");
    // Let go of, it comes back by itself.
    let mut third = attach(&home, PaneId(1));
    first.wait_for("taken by");
    third.command("d");
    assert_eq!(third.wait_end(), 0);
    first.wait_without("taken by");
    first.type_bytes("echo ou''rs\r");
    first.wait_for("ours");
}

/// termio#580: two viewers of different sizes made a program repaint thousands of times. One size
/// a claim, none while idle, none for the same size; termio#602, mngr#2516: a tiny window crops.
#[test]
fn a_pane_is_resized_once_an_attach_and_not_by_a_tiny_window() {
    let home = home();
    let log = home.work().join("sizes");
    // Not bash: it forgets a signal that comes while its trap for the one before still runs.
    let script = r#"$| = 1;
        $SIG{WINCH} = sub {
            my $size = "\0" x 8;
            ioctl STDIN, 0x5413, $size or die "TIOCGWINSZ: $!";
            open my $file, ">>", $ARGV[0] or die;
            printf $file "%d %d\n", unpack "S2", $size;
        };
        print "ready\n";
        select undef, undef, undef, 0.05 while 1"#;
    let pane = home.pane(["perl", "-e", script, &log.display().to_string()]);
    let _screen = home.wait_capture(pane, "ready");
    let sizes = || -> Vec<String> {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    let mut window = attach(&home, pane);
    window.wait_for("ready");
    until("the first size", || (sizes().len() == 1).then_some(()));
    window.command("d");
    window.wait_end();
    let mut window = attach(&home, pane);
    window.wait_for("ready");
    let mut tiny = Outer::open(&home, (12, 3), ["attach", &pane.to_string()]);
    tiny.wait_for("ready");
    window.wait_end();
    until("the smallest size", || (sizes().len() == 2).then_some(()));
    tiny.command("d");
    tiny.wait_end();
    wait::holds_for(Duration::from_millis(300), "no more sizes", || {
        sizes().len() == 2
    });
    assert_eq!(sizes(), ["30 100", "5 20"]);
}

/// agent-deck#184, claude-code#26629: Shift+Enter sent the prompt instead of breaking the line.
#[test]
fn modified_keys_reach_the_pane_in_the_form_it_asked_for() {
    let home = home();
    for (before, want) in [
        (r"\e[>1u", "\x1b[13;2u\x1b[13;5u\x1b\r\x1b[27u"),
        ("", "\x1b\r\r\x1b\r\x1b"),
    ] {
        let file = home.work().join(format!("keys{}", before.len()));
        let path = file.display();
        let pane = home.script(&format!(
            "stty raw -echo; printf '{before}ready'; cat > {path}"
        ));
        let window = attach(&home, pane);
        window.wait_for("ready");
        // As a terminal with the kitty protocol sends Shift+Enter, Ctrl+Enter, Alt+Enter, Escape.
        for key in ["\x1b[13;2u", "\x1b[13;5u", "\x1b[13;3u", "\x1b[27u"] {
            window.type_bytes(key);
        }
        window.type_bytes("END");
        let typed = until("the keys", || {
            let bytes = std::fs::read(&file).ok()?;
            bytes.strip_suffix(b"END").map(<[u8]>::to_vec)
        });
        let want = if before.is_empty() {
            want
        } else {
            &want.replace("\x1b\r", "\x1b[13;3u")
        };
        assert_eq!(String::from_utf8_lossy(&typed), *want, "{before}");
    }
}
