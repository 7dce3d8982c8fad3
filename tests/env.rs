//! Environment: a pane gets its creator's, without what names others, with a UTF-8 locale.

#![cfg(test)]

use protocol::msg::Viewer;
use protocol::{PaneId, Role};
use std::collections::BTreeMap;
use testkit::{Abide, Home, Wire, until};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_abide"))
}

/// The environment of a pane that this command creates; `abide new --no-attach --` begins it.
fn environment(
    home: &Home,
    change: impl FnOnce(Abide<'_>) -> Abide<'_>,
) -> BTreeMap<String, String> {
    let file = home.work().join("environment");
    drop(std::fs::remove_file(&file));
    let script = format!("env -0 > '{0}.part'; mv '{0}.part' '{0}'", file.display());
    let _pane = change(home.abide(["new", "--no-attach", "--", "sh", "-c", &script])).ok();
    let bytes = until("the environment", || std::fs::read(&file).ok());
    let entries = bytes
        .split(|b| *b == 0)
        .map(|e| String::from_utf8_lossy(e).into_owned());
    entries
        .filter_map(|e| {
            Some((
                e.split_once('=')?.0.to_owned(),
                e.split_once('=')?.1.to_owned(),
            ))
        })
        .collect()
}

/// What the C library takes for text: LC_ALL before LC_CTYPE before LANG.
fn speaks_utf8(env: &BTreeMap<String, String>) -> bool {
    let value = |name: &str| env.get(name).filter(|v| !v.is_empty());
    let first = value("LC_ALL")
        .or_else(|| value("LC_CTYPE"))
        .or_else(|| value("LANG"));
    first.is_some_and(|v| v.to_uppercase().replace('-', "").contains("UTF8"))
}

/// omnigent#2427, tty7#173, webmux#293, agent-deck#1902: started by cron, launchd or systemd there
/// is no locale, and OpenCode, pi and Hermes, which read LANG and LC_ALL themselves, draw mojibake.
/// LANG or LC_ALL says UTF-8 in every pane; a user's own choice of a UTF-8 locale stays.
#[test]
fn every_pane_speaks_utf8() {
    let home = home();
    // LC_ALL, LANG, LC_CTYPE of the creator; what must be kept, if anything.
    let table = [
        (None, None, None, None),
        (Some("C"), None, None, None),
        (Some("POSIX"), Some("C"), None, None),
        (None, Some("de_DE.ISO-8859-1"), None, None),
        (None, Some(""), Some("C.UTF-8"), None),
        (
            None,
            Some("de_DE.UTF-8"),
            None,
            Some(("LANG", "de_DE.UTF-8")),
        ),
        (None, Some("en_US.utf8"), None, Some(("LANG", "en_US.utf8"))),
        (
            Some("C.UTF-8"),
            Some("C"),
            None,
            Some(("LC_ALL", "C.UTF-8")),
        ),
    ];
    for (all, lang, ctype, kept) in table {
        let env = environment(&home, |command| {
            let vars = [("LC_ALL", all), ("LANG", lang), ("LC_CTYPE", ctype)];
            vars.into_iter()
                .fold(command, |command, (name, value)| match value {
                    Some(value) => command.env(name, value),
                    None => command.env_remove(name),
                })
        });
        let told = ["LC_ALL", "LANG"].map(|name| env.get(name).cloned().unwrap_or_default());
        let utf8 = told
            .iter()
            .any(|v| v.to_uppercase().replace('-', "").contains("UTF8"));
        assert!(utf8, "{all:?} {lang:?} {ctype:?}: {told:?}");
        assert!(speaks_utf8(&env), "{all:?} {lang:?} {ctype:?}: {env:?}");
        if let Some((name, value)) = kept {
            assert_eq!(env.get(name).map(String::as_str), Some(value));
        }
    }
}

/// happy#682, clay#161, claude-agent-acp#413: a daemon started from inside an agent handed
/// CLAUDECODE=1 on, and each new Claude refused to start as "nested". What names an agent around us,
/// another multiplexer or the outer terminal is in no pane, whoever carries it; the user's own stays.
#[test]
fn marks_of_others_are_scrubbed() {
    let mut home = home();
    let marks = [
        "CLAUDECODE",
        "CLAUDE_PID",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_RESUME_INTERRUPTED_TURN",
        "CODEX_THREAD_ID",
        "CODEX_SESSION_ID",
        "TMUX",
        "TMUX_PANE",
        "STY",
        "ZELLIJ",
        "ZELLIJ_SESSION_NAME",
        "KITTY_WINDOW_ID",
        "KITTY_LISTEN_ON",
        "WEZTERM_PANE",
        "WEZTERM_UNIX_SOCKET",
    ];
    for name in marks {
        home.set_env(name, "1");
    }
    // The users' own, which look alike.
    let own = [
        ("CODEX_HOME", "/c"),
        ("CLAUDE_CONFIG_DIR", "/d"),
        ("ANTHROPIC_API_KEY", "k"),
        ("EDITOR", "vi"),
    ];
    for (name, value) in own {
        home.set_env(name, value);
    }
    home.set_env("TERM", "dumb");
    home.set_env("TERM_PROGRAM", "WezTerm");
    let env = environment(&home, |command| command);
    for name in marks {
        assert_eq!(env.get(name), None, "{name} reached a pane");
    }
    for (name, value) in own {
        assert_eq!(env.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(env["TERM_PROGRAM"], "abide");
    assert_eq!(env["COLORTERM"], "truecolor");
    assert_ne!(env["TERM"], "dumb");
    assert_eq!(
        env["ABIDE_HOME"],
        home.abide_home().to_str().expect("UTF-8")
    );
    assert!(env["ABIDE_PANE"].parse::<PaneId>().is_ok());
    // What the user asks for with --env comes after the scrubbing.
    let script = "echo [$TMUX] [$MINE]; sleep 600";
    let words = [
        "new",
        "--no-attach",
        "--env",
        "TMUX=wanted",
        "--env",
        "MINE=a=b",
        "--",
        "sh",
        "-c",
        script,
    ];
    let pane = home.abide(words).ok().parse().expect("a pane's id");
    let _screen = home.wait_capture(pane, r"\[wanted\] \[a=b\]");
}

/// herdr#1931, tmux#3243, zellij#862: after a re-login old panes kept a dead SSH_AUTH_SOCK. A new
/// pane has its creator's value; an old one reaches the newest through a link that stays.
#[test]
fn an_old_pane_reaches_the_new_agent_socket() {
    let mut home = home();
    let (a, b) = (home.work().join("a"), home.work().join("b"));
    for (path, text) in [(&a, "socket a"), (&b, "socket b")] {
        std::fs::write(path, text).expect("a file");
    }
    home.set_env("SSH_AUTH_SOCK", &a);
    home.set_env("DISPLAY", ":7");
    let pane = home.script("echo up; while read -r _; do cat \"$SSH_AUTH_SOCK\"; echo; done");
    let _screen = home.wait_capture(pane, "up");
    let mut client = Wire::connect(&home, Role::Attach);
    client.must(PaneId::NONE, viewer(&a));
    client.claim(pane, (80, 24));
    client.input(pane, *b"\r");
    let _screen = home.wait_capture(pane, "socket a");
    drop(client);

    home.set_env("SSH_AUTH_SOCK", &b);
    home.unset_env("DISPLAY");
    let mut client = Wire::connect(&home, Role::Attach);
    client.must(PaneId::NONE, viewer(&b));
    client.claim(pane, (80, 24));
    client.input(pane, *b"\r");
    let _screen = home.wait_capture(pane, "socket b");
    let env = environment(&home, |command| command);
    assert_eq!(env.get("DISPLAY"), None, "the creator has no DISPLAY");
    let socket = std::fs::read_to_string(&env["SSH_AUTH_SOCK"]).expect("it leads somewhere");
    assert_eq!(socket, "socket b");
}

fn viewer(socket: &std::path::Path) -> Viewer {
    use std::os::unix::ffi::OsStrExt;
    let link = (
        b"SSH_AUTH_SOCK".to_vec(),
        socket.as_os_str().as_bytes().to_vec(),
    );
    Viewer {
        foreground: None,
        background: None,
        cursor: None,
        palette: Vec::new(),
        cell: (0, 0),
        links: vec![link],
        label: "test".into(),
    }
}

/// Bytes that are no UTF-8 in a folder's name, an argument or a title stop nothing.
#[test]
fn names_need_not_be_utf8() {
    use std::os::unix::ffi::OsStringExt;
    let home = home();
    let folder = home
        .work()
        .join(std::ffi::OsString::from_vec(b"caf\xe9 \n-x".to_vec()));
    std::fs::create_dir(&folder).expect("a folder");
    let script = std::ffi::OsString::from_vec(
        b"printf '\\033]2;t\\351tle\\007caf\\351 \xe2\x9c\xbb up'; sleep 600".to_vec(),
    );
    let words = ["new", "--no-attach", "--", "bash", "--norc", "-c"].map(std::ffi::OsString::from);
    let id = home
        .abide(words.into_iter().chain([script]))
        .cwd(&folder)
        .ok();
    let pane = id.parse().expect("a pane's id");
    let _screen = home.wait_capture(pane, "\u{273b} up");
    let _listed = home.abide(["ls"]).ok();
    let _listed = home.abide(["ls", "--json"]).json();
    let _status = home.abide(["status", "--json"]).json();
}
