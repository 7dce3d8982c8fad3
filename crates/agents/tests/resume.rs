//! The command line that opens a recorded conversation again. Tables: the line as it ran, the
//! permission the CLI last had, the line that comes back.

#![cfg(test)]

use agents::{
    CannotResume, Catalogue, Level, Recognised, Resumption, Spec, choose_id, granted, last_level,
    recognise, resume_argv,
};
use std::ffi::OsString;
use std::sync::LazyLock;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);

const UUID: &str = "0198c2d4-1111-4222-8333-444455556666";
const OLD: &str = "0198c2d4-9999-4222-8333-444455556666";

fn spec(name: &str) -> &'static Spec {
    CATALOGUE.get(name).unwrap_or_else(|| panic!("no {name}"))
}

fn words(line: &str) -> Vec<OsString> {
    let split: Vec<&str> = if line.contains('|') {
        line.split('|').collect()
    } else {
        line.split(' ').collect()
    };
    split.into_iter().map(OsString::from).collect()
}

fn shown(words: &[OsString]) -> String {
    let space = words.iter().any(|w| w.to_string_lossy().contains(' '));
    let texts: Vec<_> = words.iter().map(|w| w.to_string_lossy()).collect();
    texts.join(if space { "|" } else { " " })
}

fn run(line: &str, id: &str, last: Option<Level>) -> Result<Resumption, CannotResume> {
    let Some(Recognised::Agent {
        agent, line: found, ..
    }) = recognise(&CATALOGUE, &words(line), None, &|_| None)
    else {
        panic!("not recognised: {line}");
    };
    resume_argv(spec(&agent), &found, id, last)
}

/// What becomes of a resumed line when it is resumed once more.
fn again_from(argv: &[OsString], id: &str) -> Vec<OsString> {
    let found = recognise(&CATALOGUE, argv, None, &|_| None);
    let Some(Recognised::Agent { agent, line, .. }) = found else {
        panic!("not recognised: {argv:?}");
    };
    let again = resume_argv(spec(&agent), &line, id, None);
    again
        .unwrap_or_else(|error| panic!("{argv:?}: {error}"))
        .argv
}

#[track_caller]
fn check(line: &str, again: &str) {
    let id = match line {
        _ if line.starts_with("opencode") => "ses_1a2B3c",
        _ if line.starts_with("kimi") => &format!("session_{UUID}"),
        _ if line.starts_with("amp") => &format!("T-{UUID}"),
        _ if line.starts_with("goose") => "20251108_1",
        _ if line.starts_with("hermes") => "20260903_101500_ab12cd",
        _ => UUID,
    };
    let resumption = run(line, id, None).unwrap_or_else(|error| panic!("{line}: {error}"));
    assert_eq!(shown(&resumption.argv), again.replace("ID", id), "{line}");
    // A second restart finds the line of the first one and makes the same of it.
    let twice = again_from(&resumption.argv, id);
    assert_eq!(shown(&twice), shown(&resumption.argv), "{line}");
    assert_eq!(resumption.left_out, Vec::<String>::new(), "{line}");
}

#[test]
fn each_cli_opens_by_id() {
    for (line, again) in [
        ("claude", "claude --resume ID"),
        ("codex", "codex resume ID -c tui.resume_cwd=\"current\""),
        ("gemini", "gemini --resume ID"),
        ("opencode", "opencode --session ID"),
        ("qwen", "qwen --resume ID"),
        ("kimi", "kimi --session ID"),
        ("hermes", "hermes --resume ID"),
        ("hermes chat", "hermes --resume ID"),
        ("copilot", "copilot --resume=ID"),
        ("cursor-agent", "cursor-agent --resume ID"),
        ("codebuddy", "codebuddy --resume ID"),
        ("amp", "amp threads continue ID"),
        ("goose session", "goose session --resume --session-id ID"),
        ("goose", "goose session --resume --session-id ID"),
        ("droid", "droid --resume ID"),
        ("kiro-cli chat", "kiro-cli chat --resume-id ID"),
        ("kiro-cli", "kiro-cli chat --resume-id ID"),
        ("grok", "grok --resume ID"),
    ] {
        check(line, again);
    }
}

/// Flags stay with their values; a boolean flag never swallows the next word (herdr#2021, cmux#8066).
#[test]
fn flags_stay_and_the_first_prompt_goes() {
    for (line, again) in [
        (
            "claude|--model|opus|--dangerously-skip-permissions|do it",
            "claude --resume ID --model opus --dangerously-skip-permissions",
        ),
        ("claude|do it", "claude --resume ID"),
        ("claude|do it|--verbose", "claude --resume ID --verbose"),
        ("claude|--verbose|do it", "claude --resume ID --verbose"),
        (
            "claude|--model=opus|--|--not-a-flag",
            "claude --resume ID --model=opus",
        ),
        (
            "claude --add-dir ../a ../b --effort high",
            "claude --resume ID --add-dir ../a ../b --effort high",
        ),
        (
            "claude --debug api --ide",
            "claude --resume ID --debug api --ide",
        ),
        ("claude --debug --ide", "claude --resume ID --debug --ide"),
        (
            "claude -n shop --worktree x --tmux",
            "claude --resume ID -n shop",
        ),
        (
            "claude|--append-system-prompt|- be brief|hello",
            "claude|--resume|ID|--append-system-prompt|- be brief",
        ),
        ("claude --new-flag=x", "claude --resume ID --new-flag=x"),
        (
            "claude --new-flag --verbose",
            "claude --resume ID --new-flag --verbose",
        ),
        (
            "codex -m gpt-6 --search --add-dir /x",
            "codex resume ID -c tui.resume_cwd=\"current\" -m gpt-6 --search --add-dir /x",
        ),
        (
            "codex|--image|a.png|b.png|-p|work",
            "codex resume ID -c tui.resume_cwd=\"current\" -p work",
        ),
        (
            "codex|-c|model_reasoning_effort=high|fix it",
            "codex resume ID -c tui.resume_cwd=\"current\" -c model_reasoning_effort=high",
        ),
        (
            "codex -mgpt-6",
            "codex resume ID -c tui.resume_cwd=\"current\" -mgpt-6",
        ),
        ("gemini|-i|fix it|-m|pro", "gemini --resume ID -m pro"),
        ("gemini -ds", "gemini --resume ID -d -s"),
        (
            "opencode /srv/app --model x/y --prompt hello",
            "opencode --session ID /srv/app --model x/y",
        ),
        ("opencode|--|--auto", "opencode --session ID ./--auto"),
        ("qwen|-i|fix|--add-dir|/x", "qwen --resume ID --add-dir /x"),
        ("kimi --agent reviewer -m k2", "kimi --session ID -m k2"),
        (
            "copilot|-i|fix it|--allow-tool|shell(git:*)|--banner",
            "copilot --resume=ID --allow-tool shell(git:*) --banner",
        ),
        (
            "hermes chat --provider nous -s a,b -w",
            "hermes --resume ID --provider nous -s a,b",
        ),
        (
            "goose session --with-builtin developer -n mine",
            "goose session --resume --session-id ID --with-builtin developer",
        ),
        (
            "amp --mode high --label x",
            "amp threads continue ID --mode high",
        ),
        (
            "droid|--append-system-prompt|be brief|review",
            "droid|--resume|ID|--append-system-prompt|be brief",
        ),
        (
            "kiro-cli chat --agent me hello",
            "kiro-cli chat --resume-id ID --agent me",
        ),
        (
            "grok --no-alt-screen hello",
            "grok --resume ID --no-alt-screen",
        ),
    ] {
        check(line, again);
    }
}

#[test]
fn a_stale_conversation_is_replaced() {
    for (line, again) in [
        (
            "claude --resume OLD --model opus",
            "claude --resume ID --model opus",
        ),
        ("claude --resume=OLD", "claude --resume ID"),
        ("claude --continue", "claude --resume ID"),
        ("claude -c --verbose", "claude --resume ID --verbose"),
        ("claude --session-id OLD", "claude --resume ID"),
        (
            "claude --resume OLD --fork-session --session-id OLD",
            "claude --resume ID",
        ),
        ("claude --from-pr 12", "claude --resume ID"),
        (
            "codex resume OLD --search",
            "codex resume ID -c tui.resume_cwd=\"current\" --search",
        ),
        (
            "codex resume --last",
            "codex resume ID -c tui.resume_cwd=\"current\"",
        ),
        (
            "codex fork OLD",
            "codex resume ID -c tui.resume_cwd=\"current\"",
        ),
        ("gemini --resume latest", "gemini --resume ID"),
        ("gemini --session-id OLD -d", "gemini --resume ID -d"),
        ("opencode -c", "opencode --session ID"),
        ("opencode -s ses_old --fork", "opencode --session ID"),
        ("qwen --continue", "qwen --resume ID"),
        ("kimi -S session_old", "kimi --session ID"),
        ("hermes -c mine", "hermes --resume ID"),
        ("copilot --resume=OLD", "copilot --resume=ID"),
        (
            "copilot --continue --banner",
            "copilot --resume=ID --banner",
        ),
        ("amp threads continue T-OLD", "amp threads continue ID"),
        ("amp last", "amp threads continue ID"),
        (
            "goose session -r --session-id 20250101_1",
            "goose session --resume --session-id ID",
        ),
        ("droid resume OLD", "droid --resume ID"),
        ("droid --fork OLD", "droid --resume ID"),
        ("kiro-cli chat --resume", "kiro-cli chat --resume-id ID"),
        ("grok -s OLD", "grok --resume ID"),
    ] {
        check(&line.replace("OLD", OLD), again);
    }
}

/// A launcher, a shell line and a version stay what they were.
#[test]
fn what_stood_in_front_stays_in_front() {
    for (line, again) in [
        (
            "npx -y @anthropic-ai/claude-code@2.1.332 --model x",
            "npx -y @anthropic-ai/claude-code@2.1.332 --resume ID --model x",
        ),
        (
            "node /x/node_modules/@google/gemini-cli/bundle/gemini.js -d",
            "node /x/node_modules/@google/gemini-cli/bundle/gemini.js --resume ID -d",
        ),
        (
            "env A=1 mise exec node@22 -- qwen",
            "env A=1 mise exec node@22 -- qwen --resume ID",
        ),
        (
            "bash|-lc|claude --model x 'do it'",
            "bash|-lc|exec \"$@\"|bash|claude|--resume|ID|--model|x",
        ),
    ] {
        check(line, again);
    }
}

/// A lowered mode stays lowered; a YOLO flag does not come back (orca#10886, claude-code#79789).
#[test]
fn permission_is_never_above_the_last_known() {
    let check = |line: &str, last: Option<Level>, again: &str, level: Option<Level>| {
        let found = run(line, UUID, last).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(
            shown(&found.argv),
            again.replace("ID", UUID),
            "{line} {last:?}"
        );
        assert_eq!(found.permission, level, "{line} {last:?}");
        assert_eq!(again_from(&found.argv, UUID), found.argv, "{line} {last:?}");
        if let (Some(last), Some(level)) = (last, found.permission) {
            assert!(level <= last, "{line} {last:?}");
        }
    };
    use Level::{All, Ask, Auto, Edits, Read};
    let yolo = "claude --model x --dangerously-skip-permissions";
    check(
        yolo,
        None,
        "claude --resume ID --model x --dangerously-skip-permissions",
        Some(All),
    );
    check(
        yolo,
        Some(All),
        "claude --resume ID --model x --dangerously-skip-permissions",
        Some(All),
    );
    check(
        yolo,
        Some(Edits),
        "claude --resume ID --permission-mode acceptEdits --model x",
        Some(Edits),
    );
    check(
        yolo,
        Some(Ask),
        "claude --resume ID --permission-mode default --model x",
        Some(Ask),
    );
    check(
        yolo,
        Some(Read),
        "claude --resume ID --permission-mode plan --model x",
        Some(Read),
    );
    // Without a flag the user's settings decide, and they may say more than the last mode.
    check(
        "claude",
        Some(Edits),
        "claude --resume ID --permission-mode acceptEdits",
        Some(Edits),
    );
    check("claude", Some(All), "claude --resume ID", None);
    check("claude", None, "claude --resume ID", None);
    // Raised by hand is not raised again.
    check(
        "claude --permission-mode plan",
        Some(All),
        "claude --resume ID --permission-mode plan",
        Some(Read),
    );
    check(
        "claude --permission-mode=auto",
        Some(Ask),
        "claude --resume ID --permission-mode default",
        Some(Ask),
    );
    check(
        "claude --permission-mode new-mode",
        Some(Auto),
        "claude --resume ID --permission-mode auto",
        Some(Auto),
    );
    check(
        "gemini -y",
        Some(Ask),
        "gemini --resume ID --approval-mode default",
        Some(Ask),
    );
    check(
        "gemini -dy",
        Some(Edits),
        "gemini --resume ID --approval-mode auto_edit -d",
        Some(Edits),
    );
    check(
        "gemini --yolo=false",
        Some(Edits),
        "gemini --resume ID --approval-mode auto_edit",
        Some(Edits),
    );
    check(
        "qwen --approval-mode yolo",
        Some(Auto),
        "qwen --resume ID --approval-mode auto",
        Some(Auto),
    );
    check(
        "copilot --yolo",
        Some(Ask),
        "copilot --resume=ID --mode interactive",
        Some(Ask),
    );
    check(
        "droid --auto high",
        Some(Auto),
        "droid --resume ID --auto medium",
        Some(Auto),
    );
    // No flag says less than the default there: the flag falls, the default stays.
    check(
        "codebuddy -y",
        Some(Ask),
        "codebuddy --resume ID --permission-mode default",
        Some(Ask),
    );
    check(
        "kiro-cli chat --trust-all-tools",
        Some(Ask),
        "kiro-cli chat --resume-id ID",
        Some(Ask),
    );
    check("grok --always-approve", Some(Ask), "grok --resume ID", None);
    let folder = "-c tui.resume_cwd=\"current\"";
    check(
        "codex -s workspace-write -a never",
        None,
        &format!("codex resume ID {folder} -s workspace-write -a never"),
        Some(Edits),
    );
    check(
        "codex --yolo -m x",
        Some(Edits),
        &format!(
            "codex resume ID {folder} --sandbox workspace-write --ask-for-approval on-request -m x"
        ),
        Some(Edits),
    );
    check(
        "codex -c sandbox_mode=\"danger-full-access\"",
        Some(Read),
        &format!("codex resume ID {folder} --sandbox read-only"),
        Some(Read),
    );
    check(
        "codex -c model=x --full-auto",
        Some(Ask),
        &format!(
            "codex resume ID {folder} --sandbox read-only --ask-for-approval on-request -c model=x"
        ),
        Some(Ask),
    );
    // `codex resume` refuses a flag that `codex` took; the level stays.
    check(
        "codex --full-auto",
        None,
        &format!(
            "codex resume ID {folder} --sandbox workspace-write --ask-for-approval on-request"
        ),
        Some(Edits),
    );
}

#[test]
fn what_was_left_out_is_told() {
    let told = |line: &str, last| run(line, UUID, last).map(|found| found.left_out);
    assert_eq!(
        told("claude --new-flag value", None),
        Ok(vec![
            "--new-flag value: not known to take a value".to_owned()
        ])
    );
    assert_eq!(
        told("claude --dangerously-skip-permissions", Some(Level::Ask)),
        Ok(vec![
            "--dangerously-skip-permissions: more than it could do last".to_owned()
        ])
    );
    assert_eq!(
        told("codex --full-auto", None),
        Ok(vec!["--full-auto: refused when resuming".to_owned()])
    );
}

#[test]
fn modes_as_the_clis_write_them() {
    let check = |name: &str, mode: &str, level: Level| {
        assert_eq!(last_level(spec(name), mode), level, "{name} {mode}");
    };
    check("claude", "plan", Level::Read);
    check("claude", "default", Level::Ask);
    check("claude", "acceptEdits", Level::Edits);
    check("claude", "bypassPermissions", Level::All);
    check("claude", "a mode of next year", Level::Ask);
    check("codex", "danger-full-access", Level::All);
    assert_eq!(granted(spec("kiro"), &[]), Some(Level::Ask));
    assert_eq!(granted(spec("claude"), &[]), None);
}

#[test]
fn what_is_no_conversation_is_refused() {
    for (line, why) in [
        (
            "claude -p hello",
            "it ran without a terminal conversation (`claude -p hello`)",
        ),
        (
            "codex exec hello",
            "it ran without a terminal conversation (`codex exec hello`)",
        ),
        (
            "qwen hello",
            "it ran without a terminal conversation (`qwen hello`)",
        ),
        ("claude mcp list", "`claude mcp` is no conversation"),
        (
            "/usr/bin/goose session list",
            "`goose session list` is no conversation",
        ),
        (
            "openclaw tui",
            "OpenClaw: its conversations belong to a Gateway that a terminal joins by key, and what a key opens has not been checked",
        ),
    ] {
        assert_eq!(run(line, UUID, None).expect_err(line).to_string(), why);
    }
}

/// An id that could be read as a flag, a name or a path is never passed on.
#[test]
fn ids_are_checked() {
    for (line, id) in [
        ("claude", ""),
        ("claude", "--dangerously-skip-permissions"),
        ("claude", "my session"),
        ("claude", "0198c2d4-1111-4222-8333-44445555666"),
        ("claude", "0198c2d4-1111-4222-8333-44445555666g"),
        ("claude", "0198c2d4a1111-4222-8333-444455556666"),
        ("claude", "../../x"),
        ("codex", "mein-thread"),
        ("opencode", "ses_"),
        ("opencode", "1a2b"),
        ("opencode", "ses_--help"),
        ("kimi", UUID),
        ("amp", "T-1"),
        ("hermes", "-r"),
        ("hermes", ".."),
        ("hermes", "a/b"),
        ("hermes", "a b"),
        ("goose session", "a\u{1b}[31m"),
    ] {
        let error = run(line, id, None).expect_err(id);
        assert!(
            matches!(error, CannotResume::BadId { .. }),
            "{line} {id}: {error}"
        );
        assert!(!error.to_string().contains('\u{1b}'), "{error}");
    }
    let error = run("amp", "T-1", None).expect_err("short");
    assert_eq!(
        error.to_string(),
        "`T-1` is no conversation id of Amp: it must be T- and a UUID"
    );
}

#[test]
fn ids_are_chosen_where_the_cli_takes_one() {
    let chosen =
        |name: &str| choose_id(spec(name), UUID).map(|words| words.map(|words| shown(&words)));
    assert_eq!(chosen("claude"), Ok(Some(format!("--session-id {UUID}"))));
    assert_eq!(chosen("gemini"), Ok(Some(format!("--session-id {UUID}"))));
    assert_eq!(chosen("copilot"), Ok(Some(format!("--session-id={UUID}"))));
    for name in ["codex", "opencode", "kimi", "hermes", "goose", "droid"] {
        assert_eq!(chosen(name), Ok(None), "{name}");
    }
    assert!(choose_id(spec("claude"), "-x").is_err());
}

#[test]
fn the_environment_of_a_resumed_process() {
    let found = run("claude", UUID, None).expect("resumes");
    let names: Vec<_> = found
        .continue_env
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(found.env, []);
    assert_eq!(
        names,
        [
            "CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1",
            "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS=0"
        ]
    );
    let codex = run("codex", UUID, None).expect("resumes");
    assert_eq!(
        codex.env,
        [("CODEX_EXEC_SERVER_URL".to_owned(), String::new())]
    );
    assert!(codex.continue_env.is_empty());
}
