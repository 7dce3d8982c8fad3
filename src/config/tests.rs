//! Settings as tables: text in, values or the exact complaint out.

use super::*;

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(text, Path::new("/c/config.toml")).map_err(|e| e.to_string())
}

#[test]
fn no_file_means_the_defaults() {
    let config = Config::load(Path::new("/nonexistent/config.toml")).unwrap();
    assert_eq!(config, Config::default());
    assert_eq!(config.scrollback_lines(), 10_000);
    assert_eq!(config.idle_exit(), Duration::from_secs(60));
    assert_eq!(
        (config.prefix(), config.mouse(), config.shell()),
        ("C-b", true, "")
    );
    assert_eq!(config.links(), ["SSH_AUTH_SOCK"]);
}

#[test]
fn every_default_is_allowed_and_settable() {
    for key in KEYS {
        let word = key.default.value().to_string();
        let text = with_value("", Path::new("c"), key.name, &word).unwrap();
        assert_eq!(
            parse(&text).unwrap().get(key.name),
            Some(&key.default.value()),
            "{}",
            key.name
        );
    }
}

#[test]
fn unknown_keys_are_reported_and_not_fatal() {
    let config =
        parse("later = 1\n[client]\nmouse = false\ncolour = \"red\"\n[x.y]\nz = 1").unwrap();
    assert!(!config.mouse());
    assert_eq!(
        config.unknown,
        [
            "/c/config.toml: unknown key `later`",
            "/c/config.toml: unknown key `client.colour`",
            "/c/config.toml: unknown key `x.y.z`"
        ]
    );
}

#[test]
fn bad_values_name_file_key_and_what_is_allowed() {
    let check = |text: &str, want: &str| assert_eq!(parse(text).unwrap_err(), want, "{text}");
    check(
        "[terminal]\nscrollback_lines = -1",
        "/c/config.toml: `terminal.scrollback_lines` is -1, but must be a whole number from 0 to 1000000",
    );
    check(
        "host.idle_exit = \"soon\"",
        "/c/config.toml: `host.idle_exit` is \"soon\", but must be a whole number from 1 to 31536000",
    );
    check(
        "terminal = { engine = \"xterm\" }",
        "/c/config.toml: `terminal.engine` is \"xterm\", but must be one of \"grid\", \"vt100\"",
    );
    check(
        "client.prefix = \"b\"",
        "/c/config.toml: `client.prefix` is \"b\", but must be one letter with Ctrl, such as \"C-b\"",
    );
    check(
        "client.mouse = 1",
        "/c/config.toml: `client.mouse` is 1, but must be true or false",
    );
    check(
        "env.links = [\"A B\"]",
        "/c/config.toml: `env.links` is [\"A B\"], but must be a list of variable names, such as [\"SSH_AUTH_SOCK\"]",
    );
    check(
        "notify.on = [\"needs_input\", \"idle\"]",
        "/c/config.toml: `notify.on` is [\"needs_input\", \"idle\"], but must be a list of \"needs_input\", \"done\"",
    );
    check(
        "notify.terminal = \"osc8\"",
        "/c/config.toml: `notify.terminal` is \"osc8\", but must be one of \"auto\", \"osc9\", \"osc777\", \"osc99\", \"bell\", \"off\"",
    );
    check(
        "notify.command = [\"\"]",
        "/c/config.toml: `notify.command` is [\"\"], but must be a list of a command and its arguments, such as [\"notify-me\", \"--loud\"]",
    );
    check(
        "notify.webhook = \"ftp://x\"",
        "/c/config.toml: `notify.webhook` is \"ftp://x\", but must be an http or https address without a user's name, or \"\"",
    );
    assert!(
        parse("[client")
            .unwrap_err()
            .starts_with("/c/config.toml is not valid TOML: ")
    );
}

#[test]
fn setting_keeps_comments_and_order() {
    let text = "# mine\n[client] # c\nmouse = true # rats\n\n# tail\n[host]\nidle_exit = 5\n";
    let set = |text: &str, key: &str, word: &str| with_value(text, Path::new("c"), key, word);
    assert_eq!(
        set(text, "client.mouse", "false").unwrap(),
        "# mine\n[client] # c\nmouse = false # rats\n\n# tail\n[host]\nidle_exit = 5\n"
    );
    let added = set(text, "env.links", "A, B_C").unwrap();
    assert!(
        added.starts_with(text) && added.contains("[env]\nlinks = [\"A\", \"B_C\"]"),
        "{added}"
    );
    assert!(
        set(text, "client.nothing", "1")
            .unwrap_err()
            .to_string()
            .contains("no setting")
    );
    assert!(
        set(text, "client.mouse", "maybe")
            .unwrap_err()
            .to_string()
            .contains("true or false")
    );
    assert!(set("client = 1", "client.mouse", "true").is_err());
}

#[test]
fn who_is_told_that_a_pane_waits() {
    let none = Config::default().notify();
    let default = keeper::Notify {
        needs_input: true,
        desktop: true,
        ..keeper::Notify::default()
    };
    assert_eq!(none, default);
    assert_eq!(Config::default().notify_terminal(), client::Tell::Auto);
    let text = "[notify]\non = [\"done\"]\nterminal = \"osc99\"\ndesktop = \"off\"\n\
                command = [\"sh\", \"-c\", \"x, y\"]\nwebhook = \"https://a/b\"\ntext = true\n";
    let all = parse(text).unwrap();
    let want = keeper::Notify {
        needs_input: false,
        done: true,
        text: true,
        desktop: false,
        command: ["sh", "-c", "x, y"].map(str::to_owned).into(),
        webhook: "https://a/b".to_owned(),
    };
    assert_eq!(all.notify(), want);
    assert_eq!(all.notify_terminal(), client::Tell::Osc99);
}
