//! What a pane gets of its creator's environment, as a table.

use super::{Ingredients, build};
use protocol::PaneId;
use protocol::msg::Bytes;
use std::collections::BTreeMap;

fn vars(text: &str) -> Vec<(Bytes, Bytes)> {
    text.split_whitespace()
        .map(|pair| pair.split_once('=').unwrap())
        .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
        .collect()
}

fn made(inherited: &[(Bytes, Bytes)], set: &[(Bytes, Bytes)]) -> Vec<(Bytes, Bytes)> {
    build(Ingredients {
        inherited,
        from_login: false,
        set,
        pane: PaneId(12),
        pane_key: "c0ffee",
        cwd: b"/work",
        sealed_home: None,
        links_folder: b"/state/links",
        links: &BTreeMap::from([("SSH_AUTH_SOCK".to_owned(), b"/tmp/b".to_vec())]),
    })
}

/// What every pane has, `LANG` aside.
const BASE: &str = "ABIDE_PANE=p12 ABIDE_PANE_KEY=c0ffee COLORTERM=truecolor PWD=/work \
                    TERM=xterm-256color TERM_PROGRAM=abide";

/// `inherited` (and `set` on top) gives `want` besides [`BASE`]; `LANG=C.UTF-8` is added to `want`
/// unless it names a LANG.
fn check(inherited: &str, set: &str, want: &str) {
    let mut expected: BTreeMap<_, _> = vars(BASE).into_iter().collect();
    let version = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
    expected.insert(b"TERM_PROGRAM_VERSION".to_vec(), version);
    if !want.contains("LANG=") && !want.contains("LC_ALL=") {
        expected.insert(b"LANG".to_vec(), b"C.UTF-8".to_vec());
    }
    expected.extend(vars(want));
    let got: BTreeMap<_, _> = made(&vars(inherited), &vars(set)).into_iter().collect();
    let text = |map: &BTreeMap<Bytes, Bytes>| -> Vec<String> {
        let line = |(n, v): (&Bytes, &Bytes)| {
            format!(
                "{}={}",
                String::from_utf8_lossy(n),
                String::from_utf8_lossy(v)
            )
        };
        map.iter().map(line).collect()
    };
    assert_eq!(
        text(&got),
        text(&expected),
        "from {inherited:?} and {set:?}"
    );
}

#[test]
fn a_user_s_own_variables_stay() {
    for same in [
        "HOME=/h PATH=/bin:/usr/bin SHELL=/bin/zsh USER=u DISPLAY=:0 XDG_RUNTIME_DIR=/run/user/1",
        "CODEX_HOME=/c CODEX_API_KEY=k CLAUDE_CONFIG_DIR=/c CLAUDE_CODE_USE_BEDROCK=1 ANTHROPIC_API_KEY=k",
        "CLAUDE_CODE_PLUGIN_DIRS=/p TMUX_TMPDIR=/t NO_COLOR=1 WINDOW=3 TERMCAP=x MY_ID=4",
        "SSH_CONNECTION=1 DBUS_SESSION_BUS_ADDRESS=unix:path=/x KRB5CCNAME=FILE:/k",
    ] {
        check(same, "", same);
    }
}

#[test]
fn agents_around_us_leave_no_mark() {
    for gone in [
        "CLAUDECODE=1 CLAUDE_PID=4 CLAUDE_CODE_ENTRYPOINT=cli CLAUDE_CODE_SESSION_ID=x",
        "CLAUDE_CODE_RESUME_FROM=a CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1 CLAUDE_CODE_SSE_PORT=1",
        "CODEX_THREAD_ID=1 CODEX_SESSION_ID=1 CODEX_CONVERSATION_ID=1 CODEX_CI=1",
        "CODEX_SANDBOX=seatbelt CODEX_SANDBOX_NETWORK_DISABLED=1 CODEX_MANAGED_BY_NPM=1",
        "CODEX_INTERNAL_ORIGINATOR_OVERRIDE=x",
    ] {
        check(gone, "", "");
    }
}

#[test]
fn the_outer_terminal_leaves_no_mark() {
    for gone in [
        "TMUX=/t,1,0 TMUX_PANE=%1 STY=1.x WINDOW=0 TERMCAP=SC ZELLIJ=0 ZELLIJ_SESSION_NAME=s",
        "KITTY_WINDOW_ID=1 KITTY_LISTEN_ON=unix:/x WEZTERM_PANE=0 WEZTERM_EXECUTABLE=/w",
        "GHOSTTY_RESOURCES_DIR=/g ITERM_PROFILE=d ITERM_SESSION_ID=w0 TERM_SESSION_ID=w0",
        "LC_TERMINAL=iTerm2 LC_TERMINAL_VERSION=3 ALACRITTY_SOCKET=/a ALACRITTY_LOG=/l",
        "TERM_PROGRAM=ghostty TERM_PROGRAM_VERSION=1 VTE_VERSION=7 WT_SESSION=g COLORTERM=24bit",
        "COLUMNS=80 LINES=24 TERM=dumb NO_COLOR=1 TERM=dumb",
        "TERM=xterm-kitty PWD=/elsewhere OLDPWD=/x _=/bin/env WINDOWID=4 KONSOLE_VERSION=1",
        "ABIDE_PANE=p3 ABIDE_PANE_KEY=old ABIDE_HOME=/other ABIDE_ANYTHING=1",
    ] {
        check(gone, "", "");
    }
}

#[test]
fn the_creator_s_own_settings_come_last() {
    check(
        "CLAUDECODE=1 A=1",
        "CLAUDECODE=2 A=3 TERM=screen LANG=C",
        "CLAUDECODE=2 A=3 TERM=screen LANG=C",
    );
    check("", "ABIDE_PANE=p1 ABIDE_PANE_KEY=other", "");
}

#[test]
fn utf8_is_spoken_and_a_user_s_choice_kept() {
    for (inherited, want) in [
        ("", "LANG=C.UTF-8"),
        ("LC_ALL=C", "LC_ALL=C.UTF-8"),
        ("LC_ALL=POSIX LANG=C", "LC_ALL=C.UTF-8 LANG=C"),
        (
            "LC_ALL=C LANG=de_DE.UTF-8",
            "LC_ALL=C.UTF-8 LANG=de_DE.UTF-8",
        ),
        ("LC_ALL= LANG=", "LC_ALL= LANG=C.UTF-8"),
        ("LANG=de_DE.ISO-8859-1", "LANG=C.UTF-8"),
        ("LANG= LC_CTYPE=C.UTF-8", "LANG=C.UTF-8 LC_CTYPE=C.UTF-8"),
        ("LC_CTYPE=de_DE.ISO-8859-1", "LANG=C.UTF-8"),
        ("LANG=de_DE.utf8 LC_TIME=C", "LANG=de_DE.utf8 LC_TIME=C"),
        ("LANG=ja_JP.UTF-8@x", "LANG=ja_JP.UTF-8@x"),
        ("LC_ALL=en_US.UTF-8 LANG=C", "LC_ALL=en_US.UTF-8 LANG=C"),
    ] {
        check(inherited, "", want);
    }
}

#[test]
fn moving_sockets_go_through_their_link() {
    check(
        "SSH_AUTH_SOCK=/tmp/a",
        "",
        "SSH_AUTH_SOCK=/state/links/SSH_AUTH_SOCK",
    );
    check("SSH_AUTH_SOCK=", "", "SSH_AUTH_SOCK=");
    check("", "", "");
    check("", "SSH_AUTH_SOCK=/mine", "SSH_AUTH_SOCK=/mine");
}

#[test]
fn nobody_s_session_gets_every_link_and_a_seal_is_kept() {
    let got = build(Ingredients {
        inherited: &vars("HOME=/h"),
        from_login: true,
        set: &[],
        pane: PaneId(1),
        pane_key: "k",
        cwd: b"/",
        sealed_home: Some(b"/sealed"),
        links_folder: b"/l",
        links: &BTreeMap::from([("SSH_AUTH_SOCK".to_owned(), Vec::new())]),
    });
    assert!(got.contains(&(b"SSH_AUTH_SOCK".to_vec(), b"/l/SSH_AUTH_SOCK".to_vec())));
    assert!(got.contains(&(b"ABIDE_HOME".to_vec(), b"/sealed".to_vec())));
}

#[test]
fn bytes_that_are_no_text_pass_and_impossible_ones_do_not() {
    let pair = |n: &[u8], v: &[u8]| (n.to_vec(), v.to_vec());
    let odd = [
        pair(b"\xffN", b"\xfe\xff"),
        pair(b"", b"x"),
        pair(b"A=B", b"x"),
        pair(b"Z", b"a\0b"),
    ];
    let got = made(&odd, &odd);
    assert!(got.contains(&odd[0]));
    assert!(
        !got.iter()
            .any(|(n, _)| n.is_empty() || n == b"A=B" || n == b"Z")
    );
    let mut names: Vec<_> = got.iter().map(|(n, _)| n).collect();
    names.dedup();
    assert_eq!(names.len(), got.len(), "names are unique");
}
