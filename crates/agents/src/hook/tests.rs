//! What is written for CLIs, set in panes, and taken from their reports.

use super::*;
use crate::live::{Env, How, Running};
use crate::{Catalogue, CommandLine};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use sys::process::Identity;

const ID: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

fn text(name: &str) -> String {
    let program = Path::new("/opt/it's/abide");
    let files = files(&Catalogue::built_in(), program);
    let found = files.into_iter().find(|(path, _)| path == Path::new(name));
    found.unwrap_or_else(|| panic!("no {name}")).1
}

/// The form was checked against the real CLIs: a change needs that again.
#[test]
fn the_files_are_pinned() {
    let hooks: serde_json::Value =
        serde_json::from_str(&text("claude/hooks/hooks.json")).expect("JSON");
    let command = r"test -x '/opt/it'\''s/abide' && '/opt/it'\''s/abide' hook claude; exit 0";
    let one = &hooks["hooks"]["SessionStart"][0]["hooks"][0];
    assert_eq!(
        *one,
        serde_json::json!({"type": "command", "command": command})
    );
    let events: Vec<_> = hooks["hooks"].as_object().expect("events").keys().collect();
    let all = [
        "Notification",
        "PermissionRequest",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "UserPromptSubmit",
    ];
    assert_eq!(events, all);
    let plugin: serde_json::Value =
        serde_json::from_str(&text("claude/.claude-plugin/plugin.json")).expect("JSON");
    assert_eq!(plugin["name"], "abide");
    assert!(text("qwen/settings.json").contains("hook qwen; exit 0"));
    let plugin = text("opencode/abide.js");
    assert!(
        plugin.contains(r#"const program = "/opt/it's/abide""#),
        "{plugin}"
    );
    assert!(
        plugin.contains("const cli = \"opencode\"\n") && plugin.contains(r#"["hook", cli]"#),
        "{plugin}"
    );
    let screen: serde_json::Value = serde_json::from_str(&text("opencode/tui.json")).expect("JSON");
    assert_eq!(screen, serde_json::json!({ "plugin": ["./screen.js"] }));
    let screen = text("opencode/screen.js");
    assert!(
        screen.contains(r#""screen.shows" : "screen.empty""#),
        "{screen}"
    );
}

/// A path in a shell's line runs that program, whatever its letters.
#[test]
fn the_command_is_one_a_shell_understands() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("a 'b' $c \"d");
    let written = folder.path().join("said");
    let script = format!("#!/bin/sh\necho \"$@\" > '{}'\nexit 3\n", written.display());
    std::fs::write(&program, script).expect("written");
    let run = |program: &Path| {
        let files = files(&Catalogue::built_in(), program);
        let hooks: serde_json::Value = serde_json::from_str(&files[1].1).expect("JSON");
        let line = hooks["hooks"]["Stop"][0]["hooks"][0]["command"]
            .as_str()
            .expect("text")
            .to_owned();
        let status = std::process::Command::new("sh")
            .args(["-c", &line])
            .status();
        assert!(status.expect("it ran").success(), "{line}");
    };
    run(&program);
    assert!(!written.exists(), "it is no program yet");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("set");
    run(&program);
    assert_eq!(
        std::fs::read_to_string(&written).expect("it ran"),
        "hook claude\n"
    );
    run(&folder.path().join("gone"));
}

#[test]
fn files_are_written_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (catalogue, program) = (Catalogue::built_in(), Path::new("/bin/abide"));
    install(&catalogue, folder.path(), program).expect("written");
    let path = folder.path().join("claude/hooks/hooks.json");
    let written = || {
        std::fs::metadata(&path)
            .expect("there")
            .modified()
            .expect("a time")
    };
    let first = written();
    install(&catalogue, folder.path(), program).expect("nothing to do");
    assert_eq!(written(), first);
    std::fs::write(&path, "old").expect("written");
    install(&catalogue, folder.path(), program).expect("written");
    assert!(
        std::fs::read_to_string(&path)
            .expect("there")
            .contains("hook claude")
    );
}

/// What a pane gets on top of `user`, as `NAME=value` lines.
fn set(user: &[(&str, &str)]) -> Vec<String> {
    let catalogue = Catalogue::built_in();
    let find = |name: &str| {
        let found = user.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| OsString::from(value))
    };
    let set = pane_environment(&catalogue, Some(Path::new("/s/a b")), &find);
    set.iter()
        .map(|(name, value)| format!("{name}={}", value.to_string_lossy()))
        .collect()
}

#[test]
fn a_users_value_is_joined_or_left_alone() {
    let (claude, codex) = (
        "CLAUDE_CODE_PLUGIN_DIRS=/s/a b/claude",
        "CODEX_EXEC_SERVER_URL=",
    );
    let opencode = r#"OPENCODE_CONFIG_CONTENT={"plugin":["file:///s/a%20b/opencode/abide.js"]}"#;
    let qwen = "QWEN_CODE_SYSTEM_DEFAULTS_PATH=/s/a b/qwen/settings.json";
    let screen = "OPENCODE_TUI_CONFIG=/s/a b/opencode/tui.json";
    assert_eq!(set(&[]), [claude, codex, opencode, screen, qwen]);
    let theirs = [
        ("CLAUDE_CODE_PLUGIN_DIRS", "/mine:~/x"),
        ("CODEX_EXEC_SERVER_URL", "http://x"),
        ("OPENCODE_CONFIG_CONTENT", "{}"),
        ("OPENCODE_TUI_CONFIG", "/mine/tui.json"),
        ("QWEN_CODE_SYSTEM_SETTINGS_PATH", "/x"),
    ];
    assert_eq!(
        set(&theirs),
        ["CLAUDE_CODE_PLUGIN_DIRS=/mine:~/x:/s/a b/claude"]
    );
    // A shell in a pane that starts abide again.
    assert_eq!(
        set(&[("CLAUDE_CODE_PLUGIN_DIRS", "/s/a b/claude")]),
        [codex, opencode, screen, qwen]
    );
    assert_eq!(set(&[("CLAUDE_CODE_PLUGIN_DIRS", "")])[0], claude);
    let none = pane_environment(&Catalogue::built_in(), None, &|_| None);
    assert_eq!(none.keys().collect::<Vec<_>>(), ["CODEX_EXEC_SERVER_URL"]);
}

/// What a pane was given is written down with it, and nothing of the user's that may be secret.
#[test]
fn what_was_given_may_be_given_again() {
    let catalogue = Catalogue::built_in();
    let set = pane_environment(&catalogue, Some(Path::new("/s/a b")), &|_| None);
    for (name, value) in &set {
        assert!(is_pane_variable(&catalogue, name, value), "{name}");
    }
    let check = |name: &str, value: &str, right: bool| {
        assert_eq!(
            is_pane_variable(&catalogue, name, value.as_ref()),
            right,
            "{name}={value}"
        );
    };
    check("CLAUDE_CODE_PLUGIN_DIRS", "/mine:/s/claude", true);
    check("CODEX_EXEC_SERVER_URL", "http://user:secret@x", false);
    check("OPENCODE_CONFIG_CONTENT", r#"{"apiKey":"secret"}"#, false);
    let mixed = r#"{"plugin":["file://x","file:///s/opencode/abide.js"]}"#;
    check("OPENCODE_CONFIG_CONTENT", mixed, false);
    check("PATH", "/bin", false);
}

#[test]
fn a_report_holds_what_is_needed_and_no_words_of_anybody() {
    let payload = format!(
        r#"{{"hook_event_name":"UserPromptSubmit","session_id":"{ID}","transcript_path":"/t/x.jsonl",
        "cwd":"/w","prompt":"the secret","permission_mode":"default","last_assistant_message":"the secret"}}"#
    );
    let report = Report::of_hook("claude", payload.as_bytes()).expect("a report");
    assert_eq!(
        (report.event.as_str(), report.id.as_deref()),
        ("UserPromptSubmit", Some(ID))
    );
    let sent = report.to_json();
    assert!(!String::from_utf8_lossy(&sent).contains("secret"));
    assert!(sent.len() < 60 * 1024);
    assert_eq!(Report::from_json(&sent), Some(report.clone()));
    // The first process of a pid namespace is nobody's agent.
    let parent = Some(sys::process::parent()).filter(|pid| *pid > 1);
    assert_eq!(report.parents.first().map(|it| it.pid), parent);
    for bad in [
        "",
        "[]",
        "{}",
        "{\"hook_event_name\":3}",
        "{\"hook_event_name\":\"\"}",
    ] {
        assert_eq!(Report::of_hook("claude", bad.as_bytes()), None, "{bad}");
    }
    assert_eq!(Report::from_json(b"x"), None);
}

fn identity(pid: i32) -> Identity {
    Identity { pid, start: 5 }
}

/// OpenCode's screen is the one to say what it shows, and that it shows none.
#[test]
fn a_screen_says_what_it_shows() {
    let catalogue = Catalogue::built_in();
    let check = |cli: &str, event: &str, id: Option<&str>, right: bool| {
        let id = id.map(str::to_owned);
        let (cli, event) = (cli.to_owned(), event.to_owned());
        let report = Report {
            cli: cli.clone(),
            event,
            id,
            ..Report::default()
        };
        let spec = catalogue.get(&cli).expect("a spec");
        assert_eq!(is_of_screen(spec, &report), right, "{report:?}");
    };
    check("opencode", "screen.shows", Some("ses_1"), true);
    check("opencode", "screen.empty", None, true);
    check("opencode", "session.created", Some("ses_1"), false);
    check("claude", "screen.empty", None, false);
    let empty = br#"{"hook_event_name":"screen.empty","session_id":"","cwd":"/w"}"#;
    let report = Report::of_hook("opencode", empty).expect("a report");
    assert_eq!((report.event.as_str(), report.id), ("screen.empty", None));
}

/// Pids with the words of their command lines, nearest first.
fn report(cli: &str, event: &str, parents: &[(i32, &str)]) -> Report {
    let parent = |(pid, line): &(i32, &str)| Parent {
        pid: *pid,
        start: 5,
        argv: line.split(' ').map(str::to_owned).collect(),
    };
    Report {
        cli: cli.to_owned(),
        event: event.to_owned(),
        id: Some(ID.to_owned()),
        transcript: Some(PathBuf::from("/t/x.jsonl")),
        parents: parents.iter().map(parent).collect(),
        ..Report::default()
    }
}

#[test]
fn only_the_panes_own_agent_is_believed() {
    let catalogue = Catalogue::built_in();
    let running = Running {
        cli: "claude".to_owned(),
        process: identity(10),
        line: CommandLine::default(),
        folder: None,
        env: Env::default(),
        typed: false,
        own: vec![identity(10), identity(11)],
    };
    let check = |cli: &str, parents: &[(i32, &str)], right: bool| {
        let report = report(cli, "SessionStart", parents);
        assert_eq!(
            accepted(&catalogue, &report, &running),
            right,
            "{parents:?}"
        );
    };
    check(
        "claude",
        &[
            (30, "sh -c x"),
            (11, "claude"),
            (10, "npx claude"),
            (2, "bash"),
        ],
        true,
    );
    check("claude", &[(10, "claude")], true);
    // Run by a tool of the pane's agent.
    check(
        "claude",
        &[
            (30, "sh -c x"),
            (20, "claude -p hi"),
            (19, "bash -c x"),
            (10, "claude"),
        ],
        false,
    );
    check("claude", &[(20, "codex exec hi"), (10, "claude")], false);
    // Another agent of the pane, put into the background.
    check("claude", &[(40, "claude"), (2, "bash")], false);
    check("qwen", &[(10, "claude")], false);
    check("claude", &[], false);
    let mut other = report("claude", "SessionStart", &[(10, "claude")]);
    other.parents[0].start = 6;
    assert!(
        !accepted(&catalogue, &other, &running),
        "the pid was given out again"
    );
    let spec = catalogue.get("claude").expect("a spec");
    let found = learnt(spec, &report("claude", "SessionStart", &[]), &running).expect("an id");
    assert_eq!(
        (found.id.as_str(), found.how, found.process),
        (ID, How::Hook, identity(10))
    );
    assert_eq!(
        learnt(spec, &report("claude", "SessionEnd", &[]), &running),
        None
    );
    let mut bad = report("claude", "SessionStart", &[]);
    bad.id = Some("--x".to_owned());
    assert_eq!(learnt(spec, &bad, &running), None);
}
