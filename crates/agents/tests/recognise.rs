//! What is an agent's command line and what only looks like one.

#![cfg(test)]

use agents::{Catalogue, Recognised, Use, recognise};
use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);

fn words(line: &str) -> Vec<OsString> {
    // `|` separates words that hold spaces.
    let split: Vec<&str> = if line.contains('|') {
        line.split('|').collect()
    } else {
        line.split(' ').collect()
    };
    split.into_iter().map(OsString::from).collect()
}

fn shown(words: &[OsString]) -> String {
    words
        .iter()
        .map(|w| w.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

fn run(line: &str, exe: Option<&str>) -> Option<Recognised> {
    let package = line == "node codex.js";
    let folder = if package {
        "/home/u/node_modules/@openai/codex/bin"
    } else {
        "/home/u"
    };
    let env = |name: &str| (name == "PWD").then(|| OsString::from(folder));
    recognise(&CATALOGUE, &words(line), exe.map(Path::new), &env)
}

/// An agent, and the wrapper in front of its own words.
#[track_caller]
fn agent(line: &str, name: &str, wrapper: &str) {
    let Some(Recognised::Agent {
        agent,
        line: found,
        used,
    }) = run(line, None)
    else {
        panic!("{line}: {:?}", run(line, None));
    };
    assert_eq!(
        (agent.as_str(), shown(&found.wrapper).as_str()),
        (name, wrapper),
        "{line}"
    );
    assert_eq!(used, Use::Conversation, "{line}");
    let whole: Vec<_> = found.wrapper.iter().chain(&found.argv).cloned().collect();
    if !wrapper.contains("exec ") {
        assert_eq!(whole, words(line), "the whole line is there");
    }
}

#[track_caller]
fn nothing(line: &str) {
    assert_eq!(run(line, None), None, "{line}");
}

#[test]
fn programs_by_name_and_place() {
    for (line, name) in [
        ("claude", "claude"),
        ("claude --model opus", "claude"),
        ("/home/u/.local/bin/claude -c", "claude"),
        ("/home/u/.local/share/claude/versions/2.1.332", "claude"),
        (
            "/x/node_modules/@anthropic-ai/claude-code/bin/claude.exe",
            "claude",
        ),
        ("claude-2.1.197", "claude"),
        ("codex", "codex"),
        (
            "/usr/lib/node_modules/@openai/codex/vendor/x/codex/codex --model x",
            "codex",
        ),
        ("codex-x86_64-unknown-linux-musl", "codex"),
        ("codex resume 0198c2d4-1111-7222-8333-444455556666", "codex"),
        ("gemini", "gemini"),
        ("opencode /srv/app", "opencode"),
        ("/x/node_modules/opencode-ai/bin/opencode.exe", "opencode"),
        ("qwen -i hello", "qwen"),
        ("kimi", "kimi"),
        ("hermes chat", "hermes"),
        ("hermes", "hermes"),
        ("copilot --banner", "copilot"),
        ("cursor-agent", "cursor"),
        (
            "/home/u/.local/share/cursor-agent/versions/2026.09.01-abc/agent --model x",
            "cursor",
        ),
        ("codebuddy", "codebuddy"),
        ("cbc", "codebuddy"),
        ("openclaw tui", "openclaw"),
        ("amp", "amp"),
        ("amp t c T-5f1f7a0e-1111-4222-8333-444455556666", "amp"),
        ("goose", "goose"),
        ("goose session -n x", "goose"),
        ("droid", "droid"),
        ("kiro-cli chat", "kiro"),
        ("grok", "grok"),
    ] {
        agent(line, name, "");
    }
}

#[test]
fn whatever_stands_in_front() {
    for (line, name, wrapper) in [
        ("npx @anthropic-ai/claude-code", "claude", "npx"),
        (
            "npx -y @anthropic-ai/claude-code@2.1.332 --model x",
            "claude",
            "npx -y",
        ),
        (
            "npx --package=@google/gemini-cli gemini",
            "gemini",
            "npx --package=@google/gemini-cli",
        ),
        (
            "npx -p @openai/codex -- codex",
            "codex",
            "npx -p @openai/codex --",
        ),
        ("npx codex", "codex", "npx"),
        ("npm exec -- @qwen-code/qwen-code", "qwen", "npm exec --"),
        ("npm x -y opencode-ai", "opencode", "npm x -y"),
        ("pnpm dlx @openai/codex@0.171.0", "codex", "pnpm dlx"),
        ("yarn dlx @google/gemini-cli", "gemini", "yarn dlx"),
        ("bunx opencode-ai@latest", "opencode", "bunx"),
        ("bun x @anthropic-ai/claude-code", "claude", "bun x"),
        ("uvx hermes-agent==0.19.0", "hermes", "uvx"),
        (
            "uvx --from hermes-agent[acp] hermes",
            "hermes",
            "uvx --from hermes-agent[acp]",
        ),
        ("uv tool run hermes-agent", "hermes", "uv tool run"),
        ("uv run hermes", "hermes", "uv run"),
        ("pipx run kimi-cli", "kimi", "pipx run"),
        (
            "deno run -A npm:@anthropic-ai/claude-code",
            "claude",
            "deno run -A",
        ),
        (
            "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js -c",
            "claude",
            "node",
        ),
        (
            "node --max-old-space-size=8192 /x/node_modules/@google/gemini-cli/bundle/gemini.js",
            "gemini",
            "node --max-old-space-size=8192",
        ),
        (
            "/usr/bin/node --require /x/a.js /usr/local/bin/qwen",
            "qwen",
            "/usr/bin/node --require /x/a.js",
        ),
        ("node codex.js", "codex", "node"),
        ("bun /home/u/.bun/bin/opencode", "opencode", "bun"),
        ("python3 -m hermes_cli chat", "hermes", "python3 -m"),
        (
            "/venv/bin/python3.13 -X utf8 -m hermes_cli.main",
            "hermes",
            "/venv/bin/python3.13 -X utf8 -m",
        ),
        (
            "/venv/bin/python /venv/bin/hermes --tui",
            "hermes",
            "/venv/bin/python",
        ),
        (
            "/bin/bash /home/u/bin/claude --model x",
            "claude",
            "/bin/bash",
        ),
        ("/bin/sh -e /home/u/bin/codex", "codex", "/bin/sh -e"),
        (
            "mise exec node@22 -- claude",
            "claude",
            "mise exec node@22 --",
        ),
        (
            "mise x -- npx -y @openai/codex",
            "codex",
            "mise x -- npx -y",
        ),
        ("asdf exec claude", "claude", "asdf exec"),
        (
            "volta run --node 22 claude",
            "claude",
            "volta run --node 22",
        ),
        (
            "fnm exec --using 22 -- gemini",
            "gemini",
            "fnm exec --using 22 --",
        ),
        ("direnv exec . claude", "claude", "direnv exec ."),
        (
            "env ANTHROPIC_BASE_URL=http://x A=1 claude -c",
            "claude",
            "env ANTHROPIC_BASE_URL=http://x A=1",
        ),
        ("env -u TMUX -- codex", "codex", "env -u TMUX --"),
        ("nice -n 10 claude", "claude", "nice -n 10"),
        ("timeout -k 5 2h claude", "claude", "timeout -k 5 2h"),
        ("nohup setsid claude", "claude", "nohup setsid"),
        (
            "systemd-run --user --scope -p MemoryMax=4G claude",
            "claude",
            "systemd-run --user --scope -p MemoryMax=4G",
        ),
        ("doppler run -- claude", "claude", "doppler run --"),
        (
            "op run --env-file .env -- codex",
            "codex",
            "op run --env-file .env --",
        ),
        (
            "stdbuf -o L env A=1 node /x/node_modules/@github/copilot/npm-loader.js",
            "copilot",
            "stdbuf -o L env A=1 node",
        ),
    ] {
        agent(line, name, wrapper);
    }
}

#[test]
fn a_shell_line_that_is_one_command_runs_again_in_the_same_shell() {
    agent(
        "bash|-lc|claude --model x",
        "claude",
        "bash -lc exec \"$@\" bash",
    );
    agent("zsh|-i|-c|exec codex", "codex", "zsh -i -c exec \"$@\" zsh");
    agent("fish|-c|gemini", "gemini", "fish -c exec $argv");
    agent(
        "sh|-c|A=1 B=2 claude",
        "claude",
        "sh -c exec \"$@\" sh env A=1 B=2",
    );
    agent(
        "bash|-c|npx -y @openai/codex",
        "codex",
        "bash -c exec \"$@\" bash npx -y",
    );
    nothing("bash|-c|cd x && claude");
    nothing("bash|-c|claude; ls");
    nothing("bash|-c|echo claude");
    nothing("bash|-lc");
    nothing("bash");
    nothing("-bash");
}

#[test]
fn names_that_are_no_program_are_nothing() {
    for line in [
        "vim claude.md",
        "vim claude",
        "grep codex",
        "grep -rn codex src",
        "cat claude",
        "less /home/u/.claude/projects/x.jsonl",
        "tail -f codex.log",
        "git commit -m claude",
        "man codex",
        "which claude",
        "make claude",
        "claude.md",
        "./claude.sh",
        "claude-squad",
        "claude-monitor",
        "codex-acp",
        "claude-agent-acp",
        "acpx claude",
        "cursor .",
        "code .",
        "agent",
        "/usr/bin/agent --serve",
        "ssh-agent",
        "node server.js claude",
        "node -e claude",
        "node /srv/codex.js",
        "python3 -c claude",
        "python3 hermes_cli.py",
        "python3 -m http.server",
        "npx eslint claude",
        "npx -c claude",
        "npm run claude",
        "npm install -g @anthropic-ai/claude-code",
        "goose up",
        "goose -dir migrations postgres status",
        "amp events list",
        "openclaw gateways",
        "env",
        "env A=1",
        "sleep 3",
        "mise run claude",
        "timeout 5 sleep 3",
        "",
    ] {
        nothing(line);
    }
}

#[test]
fn behind_a_border_it_is_inside() {
    for (line, agent, what) in [
        (
            "docker run -it --rm node:22 npx -y @anthropic-ai/claude-code",
            "claude",
            "docker",
        ),
        ("docker exec -it box claude", "claude", "docker"),
        ("podman run -v /x:/x img codex --model y", "codex", "podman"),
        ("kubectl exec -it pod -- gemini", "gemini", "kubectl"),
        ("ssh host claude", "claude", "ssh"),
        ("ssh -t -p 2222 u@host|claude -c", "claude", "ssh"),
        ("sudo claude", "claude", "sudo"),
        ("sudo -u bob -- codex", "codex", "sudo"),
        ("sudo -E A=1 env B=2 claude", "claude", "sudo"),
        ("doas -u bob opencode", "opencode", "doas"),
        ("su|-c|claude|bob", "claude", "su"),
        ("distrobox enter box -- claude", "claude", "distrobox"),
        ("tmux new-session -s x claude", "claude", "tmux"),
        ("bwrap --ro-bind / / claude", "claude", "bwrap"),
        ("nice sudo claude", "claude", "sudo"),
    ] {
        let line = if line.contains('|') {
            line.replace(' ', "|").replace("claude|-c", "claude -c")
        } else {
            line.to_owned()
        };
        let found = run(&line, None);
        let inside = Recognised::Inside {
            agent: agent.to_owned(),
            what: what.to_owned(),
        };
        assert_eq!(found, Some(inside), "{line}");
    }
    for line in [
        "ssh host",
        "sudo -i",
        "sudo vim claude.md",
        "ssh host vim claude.md",
        "docker ps",
        "tmux",
    ] {
        nothing(line);
    }
}

#[test]
fn what_kind_of_run_it_is() {
    for (line, used) in [
        ("claude -p hello", Use::Headless),
        ("claude --print --resume x", Use::Headless),
        ("claude --output-format stream-json", Use::Headless),
        ("claude mcp list", Use::Other("mcp".into())),
        ("claude --model opus doctor", Use::Other("doctor".into())),
        ("claude --model doctor", Use::Conversation),
        (
            "claude --dangerously-skip-permissions update the docs",
            Use::Other("update".into()),
        ),
        ("codex exec resume x", Use::Headless),
        ("codex app-server --listen unix://", Use::Headless),
        ("codex login", Use::Other("login".into())),
        ("codex resume --last", Use::Conversation),
        ("gemini -p hello", Use::Headless),
        ("gemini hello", Use::Conversation),
        ("gemini --acp", Use::Headless),
        ("qwen hello", Use::Headless),
        ("qwen -i hello", Use::Conversation),
        ("opencode run hello", Use::Headless),
        ("opencode /srv/app", Use::Conversation),
        ("goose session", Use::Conversation),
        ("goose session list", Use::Other("session list".into())),
        ("goose run -t x", Use::Headless),
        ("amp threads list", Use::Other("threads".into())),
        ("amp threads continue T-x", Use::Conversation),
        ("amp -x hello", Use::Headless),
        ("droid exec hello", Use::Headless),
        ("kiro-cli doctor", Use::Other("doctor".into())),
        ("copilot -p hello -s", Use::Headless),
        ("hermes -z hello", Use::Headless),
    ] {
        let Some(Recognised::Agent { used: found, .. }) = run(line, None) else {
            panic!("{line}");
        };
        assert_eq!(found, used, "{line}");
    }
}

#[test]
fn a_changed_process_title_is_seen_through() {
    let Some(Recognised::Agent { agent, line, .. }) = run(
        "✳ Fixing the build",
        Some("/home/u/.local/share/claude/versions/2.1.332"),
    ) else {
        panic!("not recognised");
    };
    assert_eq!(agent, "claude");
    assert_eq!(line.argv[0], "/home/u/.local/share/claude/versions/2.1.332");
    assert_eq!(run("vim claude.md", Some("/usr/bin/vim")), None);
    assert_eq!(run("gemini-title", Some("/usr/bin/node")), None);
}

#[test]
fn words_that_are_no_text_pass_through() {
    use std::os::unix::ffi::OsStringExt;
    let odd = OsString::from_vec(vec![b'/', 0xff, b'd']);
    let line = [OsString::from("claude"), "--add-dir".into(), odd.clone()];
    let found = recognise(&CATALOGUE, &line, None, &|_| None);
    let Some(Recognised::Agent { line, .. }) = found else {
        panic!("not recognised");
    };
    assert_eq!(line.argv[2], odd);
}

/// Abide's own program is the runner with one of its commands alone.
#[test]
fn abide_is_its_runner_and_nothing_else() {
    let used = |line: &str| {
        let argv: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        match recognise(&Catalogue::built_in(), &argv, None, &|_| None) {
            Some(Recognised::Agent { agent, used, .. }) => Some((agent, used)),
            _ => None,
        }
    };
    assert_eq!(
        used("abide ask --agent claude").unwrap().1,
        Use::Conversation
    );
    let around = used("/x/abide __pane --then /bin/bash -- claude --resume 1");
    assert!(around.is_none_or(|(_, used)| used != Use::Conversation));
    assert_eq!(used("abide shop"), None);
}

/// A process that was only just started has its executable a moment before its words: `abide __pane`, around
/// the shell of a pane whose agent did not come back, was taken for `abide` itself, a conversation of another
/// CLI, which then stood in the record in place of the one that was to come back.
#[test]
fn a_process_without_words_is_nothing_yet() {
    let env = |_: &str| None;
    for exe in [
        "/usr/bin/abide",
        "/usr/bin/claude",
        "/x/claude/versions/2.1.332",
    ] {
        let found = recognise(&CATALOGUE, &[], Some(Path::new(exe)), &env);
        assert_eq!(found, None, "{exe}");
    }
    // Words that say nothing are another matter: the process changed its title.
    assert!(run("something-else", Some("/usr/bin/claude")).is_some());
}
