//! The command line as scripts meet it: exit codes, what goes to stdout and what to stderr, and the
//! words of each error. The words are pinned: a change here is a change that users see.

#![cfg(test)]

use insta::assert_snapshot;
use protocol::Role;
use serde_json::Value;
use testkit::{Home, Process, Signal, Wire};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_abide"))
}

/// Runs each command line; gives exit code, stdout and stderr as one readable text.
fn transcript(home: &Home, lines: &[&[&str]]) -> String {
    let mut text = String::new();
    for words in lines {
        let output = home.abide(*words).run();
        text.push_str(&format!("$ abide {}\n[{}]\n", words.join(" "), output.code));
        for (mark, stream) in [("", &output.stdout), ("! ", &output.stderr)] {
            for line in stream.lines() {
                text.push_str(format!("{mark}{line}").trim_end());
                text.push('\n');
            }
        }
    }
    text.replace(&home.path().display().to_string(), "HOME")
}

#[test]
fn without_a_host_commands_say_so_and_start_none() {
    let home = home();
    let lines: &[&[&str]] = &[
        &["ls"],
        &["kill", "p1"],
        &["capture", "web"],
        &["send", "p1", "x"],
        &["wait", "p1", "--exit"],
        &["--json", "ls"],
        &["status"],
        &["host", "stop"],
        &["logs"],
    ];
    assert_snapshot!(transcript(&home, lines), @r###"
    $ abide ls
    [4]
    ! abide: no host is running (HOME/abide/state); `abide host start` starts one
    $ abide kill p1
    [4]
    ! abide: no host is running (HOME/abide/state); `abide host start` starts one
    $ abide capture web
    [4]
    ! abide: no host is running (HOME/abide/state); `abide host start` starts one
    $ abide send p1 x
    [4]
    ! abide: no host is running (HOME/abide/state); `abide host start` starts one
    $ abide wait p1 --exit
    [4]
    ! abide: no host is running (HOME/abide/state); `abide host start` starts one
    $ abide --json ls
    [4]
    {"code":4,"error":"no host is running (HOME/abide/state); `abide host start` starts one"}
    ! abide: no host is running (HOME/abide/state); `abide host start` starts one
    $ abide status
    [0]
    mode        none
    reason      no host is running (HOME/abide/state); `abide host start` starts one
    $ abide host stop
    [0]
    ! abide: no host is running
    $ abide logs
    [1]
    ! abide: no host has written HOME/abide/state/host.log yet
    "###);
    assert!(home.hosts().is_empty());
}

#[test]
fn usage_errors_are_code_2() {
    let home = home();
    for words in [
        &["nonsense", "ls"][..],
        &["wait", "p1"],
        &["wait", "p1", "--exit", "--text", "x"],
        &["wait", "p1", "--text", "("],
        &["wait", "p1", "--idle", "soon"],
        &["send", "p1"],
        &["send", "p1", "text", "--keys", "Enter"],
        &["resize", "p1", "80"],
        &["new", "--size", "0x0"],
        &["new", "--env", "NOVALUE"],
        &["new", "--name", "p12"],
        &["new", "--name", "a/b"],
        &["rename", "p1", "."],
        &["capture", "p1", "--scrollback", "many"],
        &["host", "restart"],
        &["completions", "tcsh"],
        &[""],
    ] {
        let output = home.abide(words).run();
        assert_eq!(output.code, 2, "{words:?}: {output:#?}");
        assert!(output.stdout.is_empty(), "{words:?}: {output:#?}");
        assert!(!output.stderr.is_empty(), "{words:?}");
    }
    assert!(home.hosts().is_empty(), "a usage error starts nothing");
}

/// With `--json` a script reads one JSON value from stdout, also when its command line is wrong; a
/// `--json` that is the started program's own word changes nothing.
#[test]
fn usage_errors_are_json_when_asked_for() {
    let home = home();
    for words in [
        &["--json", "wait", "p1"][..],
        &["resize", "p1", "80", "--json"],
        &["--json", "nonsense", "ls"],
        &["--json", ""],
        &["--json", "new", "--name", "a/b"],
    ] {
        let output = home.abide(words).run();
        assert_eq!(output.code, 2, "{words:?}: {output:#?}");
        let value: Value = serde_json::from_str(&output.stdout).expect("one JSON value");
        assert_eq!(value["code"], 2, "{words:?}: {value}");
        let error = value["error"].as_str().unwrap_or_default();
        assert!(!error.is_empty() && !error.starts_with("error"), "{value}");
    }
    let output = home
        .abide(["new", "--size", "0x0", "--", "x", "--json"])
        .run();
    assert_eq!((output.code, &*output.stdout), (2, ""), "{output:#?}");
}

/// Whoever reads that a pane was killed finds nothing of it alive, also what its program left behind
/// that takes its time; what takes longer than 5 s to end is told.
#[test]
fn a_killed_panes_family_is_gone_when_kill_returns() {
    let home = home();
    let script = "sh -c 'trap \"sleep 1; exit\" TERM HUP; echo child $$; exec </dev/null >/dev/null 2>&1; while :; do sleep 0.1; done' & read -r _";
    let pane = home.script(script);
    let screen = home.wait_capture(pane, "child [0-9]+");
    let pid = screen.split("child ").nth(1).expect("its pid");
    let pid = pid.split_whitespace().next().expect("its pid");
    let child = Process::of(pid.parse().expect("a number")).expect("it lives");
    let output = home.abide(["kill", &pane.to_string(), "--json"]).json();
    assert!(!child.alive(), "{output}");
    assert_eq!(output["ending"], serde_json::json!([]));
}

/// A family whose reaper cannot act now keeps nobody: the command says so and ends after 5 s.
#[test]
fn a_kill_that_takes_long_is_told() {
    let home = home();
    let pane = home.pane(["sleep", "600"]);
    let facts = Wire::connect(&home, Role::Control).facts(pane);
    let reaper = Process::of(facts.reaper.cast_signed()).expect("it lives");
    reaper.signal(Signal::STOP);
    reaper.wait_state('T');
    let output = home.abide(["kill", &pane.to_string()]).run();
    reaper.signal(Signal::CONT);
    assert_eq!(output.code, 0, "{output:#?}");
    assert!(output.stderr.contains("still being ended"), "{output:#?}");
    reaper.wait_gone();
}

#[test]
fn a_setting_of_the_host_is_told_to_wait_only_when_there_is_one() {
    let home = home();
    let set = ["config", "set", "host.idle_exit", "90"];
    let output = home.abide(set).run();
    assert_eq!((output.code, &*output.stderr), (0, ""), "{output:#?}");
    home.start();
    let output = home.abide(set).run();
    assert!(
        output.stderr.contains("a running host keeps"),
        "{output:#?}"
    );
}

#[test]
fn the_client_needs_a_terminal_and_starts_nothing_without_one() {
    let home = home();
    let lines: &[&[&str]] = &[&[], &["attach", "p1"]];
    assert_snapshot!(transcript(&home, lines), @r###"
    $ abide 
    [1]
    ! abide: the client needs a terminal on standard input and output; without one use `abide new --no-attach -- CMD`, `abide ls`, `abide capture`, `abide send`
    $ abide attach p1
    [1]
    ! abide: the client needs a terminal on standard input and output; without one use `abide new --no-attach -- CMD`, `abide ls`, `abide capture`, `abide send`
    "###);
    assert!(home.hosts().is_empty());
}

#[test]
fn every_command_explains_itself_with_examples() {
    let home = home();
    let commands = "new ls attach kill close send capture resize rename wait continue status host \
                    doctor logs config bench agents completions";
    let help = home.abide(["--help"]).ok();
    for command in commands.split_whitespace() {
        assert!(
            help.contains(&format!("\n  {command} ")),
            "{command} in {help}"
        );
        let own = home.abide([command, "--help"]).ok();
        assert!(
            own.contains("Examples:") && own.contains(&format!("abide {command}")),
            "{own}"
        );
    }
    for word in ["get", "set", "path", "check"] {
        let own = home.abide(["config", word, "--help"]).ok();
        assert!(
            own.contains("Examples:") && own.contains(&format!("config {word}")),
            "{own}"
        );
    }
    let own = home.abide(["continue", "--help"]).ok();
    assert!(own.contains("continued at once"), "{own}");
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            home.abide(["completions", shell]).ok().contains("abide"),
            "{shell}"
        );
    }
}

/// The words under `Commands:`, without clap's own.
fn commands_in(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    let words = lines.filter(|line| !line.starts_with("   "));
    let words = words.filter_map(|line| line.split_whitespace().next());
    words
        .filter(|it| *it != "help")
        .map(str::to_owned)
        .collect()
}

/// `abide vault ls --help` had none.
#[test]
fn every_help_has_examples() {
    let home = home();
    let mut left = vec![Vec::<String>::new()];
    let mut seen = 0;
    while let Some(command) = left.pop() {
        let words = command.iter().map(String::as_str).chain(["--help"]);
        let help = home.abide(words).ok();
        assert!(
            help.split_once("Examples:")
                .is_some_and(|(_, it)| it.contains("abide ")),
            "{command:?}: {help}"
        );
        seen += 1;
        left.extend(commands_in(&help).into_iter().map(|word| {
            let mut deeper = command.clone();
            deeper.push(word);
            deeper
        }));
    }
    assert!(seen > 50, "only {seen} were found");
}

/// The rows were joined where one goes on in the next, so `cursor` and `size` did not fit them.
#[test]
fn a_capture_has_the_rows_that_its_cursor_counts() {
    let home = home();
    let script = "printf '%s\\nend' aaaaaaaaaabbb; exec cat";
    let words = [
        "new",
        "--no-attach",
        "--size",
        "10x5",
        "--",
        "sh",
        "-c",
        script,
    ];
    let pane = home.abide(words).ok();
    let pane = pane.trim();
    home.abide(["wait", pane, "--text", "end", "--timeout", "60"])
        .ok();
    let told = home.abide(["capture", pane, "--json"]).json();
    assert_eq!(told["screen"], "aaaaaaaaaa\nbbb\nend\n\n\n");
    assert_eq!(told["wrapped"], serde_json::json!([0]));
    assert_eq!(told["cursor"], serde_json::json!([3, 2]));
    let plain = home.abide(["capture", pane]).ok();
    assert_eq!(plain.trim_end(), "aaaaaaaaaabbb\nend");
    let rows = home.abide(["capture", pane, "--rows"]).ok();
    assert_eq!(rows.trim_end(), "aaaaaaaaaa\nbbb\nend");
    let refused = home.abide(["capture", pane, "--scrollback", "-5"]).run();
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("0 or more"), "{}", refused.stderr);
    let ended = home.abide(["new", "--no-attach", "--", "true"]).ok();
    let ended = ended.trim();
    home.abide(["wait", ended, "--exit", "--timeout", "60"])
        .ok();
    let empty = home.abide(["capture", ended]).run();
    assert_eq!((empty.code, empty.stdout.as_str()), (0, ""));
    let words = format!("abide: {ended} has ended (exited 0) and shows nothing");
    assert_eq!(empty.stderr.trim_end(), words);
}

#[test]
fn panes_are_named_refused_and_forgotten_in_words() {
    let home = home();
    home.abide(["new", "--name", "web", "--", "cat"]).ok();
    home.abide(["new", "--name", "gone", "--", "sh", "-c", "exit 3"])
        .ok();
    home.abide(["wait", "gone", "--exit"]).ok();
    let lines: &[&[&str]] = &[
        &["new", "--name", "web", "--", "cat"],
        &["rename", "p1", "gone"],
        &["rename", "p1", "web"],
        &["send", "nothing", "x"],
        &["send", "gone", "x"],
        &["send", "web", "--keys", "Hyper-Q"],
        &["send", "web", "--paste", "/nonexistent"],
        &["wait", "web", "--text", "never", "--timeout", "0.05"],
        &["wait", "gone", "--text", "never"],
        &["wait", "gone", "--exit"],
        &["wait", "gone", "--exit", "--json"],
        &["kill", "gone"],
        &["kill", "gone"],
        &["close", "nothing"],
        &["capture", "."],
        &["new", "--", "/nonexistent/program", "--flag"],
        &["new", "--cwd", "/nonexistent", "--", "cat"],
        &["kill", "web"],
    ];
    assert_snapshot!(transcript(&home, lines), @r###"
    $ abide new --name web -- cat
    [1]
    ! abide: a pane named `web` runs already (p1)
    $ abide rename p1 gone
    [0]
    $ abide rename p1 web
    [0]
    $ abide send nothing x
    [3]
    ! abide: no pane `nothing`; `abide ls` lists them
    $ abide send gone x
    [1]
    ! abide: p2 has ended (exited 3); nothing was typed
    $ abide send web --keys Hyper-Q
    [2]
    ! abide: no key is named `Hyper-Q`; keys are named like C-c, Enter, Up, F5, M-x
    $ abide send web --paste /nonexistent
    [1]
    ! abide: /nonexistent cannot be read: No such file or directory
    $ abide wait web --text never --timeout 0.05
    [5]
    ! abide: p1: time is up (0.05 s)
    $ abide wait gone --text never
    [1]
    ! abide: p2 exited 3 without showing that text
    $ abide wait gone --exit
    [0]
    exited 3
    $ abide wait gone --exit --json
    [0]
    {"exit":3,"found":"exited 3","pane":"p2"}
    $ abide kill gone
    [0]
    ! abide: p2 had ended; it is forgotten now
    $ abide kill gone
    [3]
    ! abide: no pane `gone`; `abide ls` lists them
    $ abide close nothing
    [3]
    ! abide: no workspace `nothing`; `abide ls` lists them
    $ abide capture .
    [3]
    ! abide: `.` means the pane this is typed in, and this is not typed in a pane
    $ abide new -- /nonexistent/program --flag
    [1]
    ! abide: cannot start `/nonexistent/program --flag`: no such program /nonexistent/program (folder HOME/work)
    $ abide new --cwd /nonexistent -- cat
    [1]
    ! abide: cannot start `cat`: no such folder /nonexistent
    $ abide kill web
    [0]
    "###);
}

#[test]
fn status_has_the_fields_scripts_rely_on_with_and_without_a_host() {
    let home = home();
    let fields = [
        "mode",
        "host_pid",
        "keeper_pid",
        "persistent_enabled",
        "workspaces",
        "terminals",
        "live_agents",
        "boot",
        "protocol",
        "panes",
        "restore",
    ];
    let check = |status: &Value| {
        for field in fields {
            assert!(status.get(field).is_some(), "{field} in {status}");
        }
        assert!(
            status["boot"]["id"].is_string() && status["boot"]["time"].is_u64(),
            "{status}"
        );
    };
    let none = home.abide(["status", "--json"]).json();
    check(&none);
    assert_eq!(
        (&none["mode"], &none["host_pid"]),
        (&"none".into(), &Value::Null)
    );
    home.abide(["new", "--name", "web", "--", "cat"]).ok();
    let one = home.abide(["status", "--json", "--cpu"]).json();
    check(&one);
    assert_eq!(one["mode"], "host");
    let pane = &one["panes"][0];
    assert_eq!((&pane["id"], &pane["name"]), (&"p1".into(), &"web".into()));
    assert_eq!(
        (&pane["alive"], &pane["exit"], &pane["state"]),
        (&true.into(), &Value::Null, &"unknown".into())
    );
    assert_eq!(pane["process"], "running");
    assert!(
        pane["memory"].as_u64().is_some_and(|bytes| bytes > 0),
        "{pane}"
    );
    assert!(pane["cpu_percent"].is_number(), "{pane}");
    assert_eq!(pane["pictures"], 0);
    home.abide(["kill", "p1"]).ok();
    let ended = home.abide(["status", "--json"]).json();
    let pane = &ended["panes"][0];
    assert_eq!(
        (&pane["alive"], &pane["state"], &pane["process"]),
        (&false.into(), &"exited".into(), &"exited".into())
    );
    assert!(
        pane["exit"]["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("killed by")),
        "{pane}"
    );
    assert_eq!(
        (&ended["terminals"], &ended["live_agents"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn status_counts_the_pictures_of_each_pane() {
    let home = home();
    let draw = r"printf '\033Pq#0~\033\134\033_Ga=T,f=24,s=1,v=1;AAAA\033\134drawn'; exec cat";
    home.abide(["new", "--", "sh", "-c", draw]).ok();
    home.abide(["new", "--", "cat"]).ok();
    home.abide(["wait", "p1", "--text", "drawn"]).ok();
    let status = home.abide(["status", "--json"]).json();
    let count = |at: usize| status["panes"][at]["pictures"].as_u64();
    assert_eq!((count(0), count(1)), (Some(2), Some(0)), "{status}");
}

/// A reader that leaves early (`abide ls | head -1`) is no error.
#[test]
fn a_closed_pipe_is_no_error() {
    let home = home();
    home.pane(["sh", "-c", "seq 1 20000; exec cat"]);
    home.abide(["wait", "p1", "--text", "20000"]).ok();
    let script = r#""$ABIDE_EXE" capture p1 --scrollback all | true; echo "${PIPESTATUS[0]}""#;
    let mut command = std::process::Command::new("bash");
    command
        .args(["-c", script])
        .env_clear()
        .env("ABIDE_EXE", home.exe());
    command.envs(home.env().iter().map(|(name, value)| (name, value)));
    let output = command.output().expect("bash runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0\n");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn settings_are_read_changed_and_checked() {
    let home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    home.write_config("# mine\n[client]\nmouse = true # rats\ncolour = 1\n");
    home.abide(["config", "set", "client.mouse", "false"]).ok();
    let path = home.abide(["config", "path"]).ok();
    let text = std::fs::read_to_string(path.trim()).expect("the file is there");
    assert_eq!(text, "# mine\n[client]\nmouse = false # rats\ncolour = 1\n");
    let lines: &[&[&str]] = &[
        &["config", "get", "client.mouse"],
        &["config", "get", "client.nothing"],
        &["config", "set", "client.mouse", "maybe"],
        &["config", "check"],
    ];
    assert_snapshot!(transcript(&home, lines), @r###"
    $ abide config get client.mouse
    [0]
    false
    ! abide: HOME/abide/config/config.toml: unknown key `client.colour`
    $ abide config get client.nothing
    [1]
    ! abide: HOME/abide/config/config.toml: unknown key `client.colour`
    ! abide: there is no setting `client.nothing`; `abide config get` lists them
    $ abide config set client.mouse maybe
    [1]
    ! abide: HOME/abide/config/config.toml: `client.mouse` is `maybe`, but must be true or false
    $ abide config check
    [0]
    HOME/abide/config/config.toml: good, 1 unknown key
    ! abide: HOME/abide/config/config.toml: unknown key `client.colour`
    "###);
    home.write_config("[host]\nidle_exit = -1\n");
    let lines: &[&[&str]] = &[&["config", "check"], &["host", "start"], &["doctor"]];
    let told = transcript(&home, lines);
    assert!(
        told.matches("`host.idle_exit` is -1, but must be a whole number")
            .count()
            >= 3,
        "{told}"
    );
    assert!(home.hosts().is_empty(), "bad settings start no host");
}

/// A shell that cannot be executed is refused where it is set, and told where the file is checked.
#[test]
fn a_shell_that_is_not_there_is_no_setting() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let nonexist = ["config", "set", "client.shell", "/nonexist"];
    let said = home.abide(nonexist).fails(1);
    assert!(said.contains("no file that can be executed"), "{said}");
    let value = home.abide(["config", "get", "client.shell"]).ok();
    assert_eq!(value.trim(), "");
    home.abide(["config", "set", "client.shell", "/bin/sh"])
        .ok();
    home.abide(["config", "check"]).ok();
    let file = home.abide(["config", "path"]).ok();
    std::fs::write(file.trim(), "[client]\nshell = \"/nonexist\"\n").expect("written");
    let said = home.abide(["config", "check"]).fails(1);
    assert!(said.contains("client.shell"), "{said}");
    // Another setting can be changed meanwhile.
    home.abide(["config", "set", "client.mouse", "false"]).ok();
}

/// What a word means is told before it is told what a client needs, and without a host.
#[test]
fn a_word_that_means_nothing_is_told_without_a_terminal() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let said = home.abide(["foo"]).fails(3);
    assert!(said.contains("`foo` is neither a command"), "{said}");
    let said = home.abide(["."]).fails(1);
    assert!(said.contains("needs a terminal"), "{said}");
    assert_eq!(home.abide(["status", "--json"]).json()["mode"], "none");
}
