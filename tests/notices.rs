//! A pane that waits while nobody looks is told: to the client's terminal, a command, a webhook, the
//! desktop; once a wait.

#![cfg(test)]

use protocol::{PaneId, Role};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use testkit::{Desktop, FakeAgent, Home, Outer, Signal, Wire, until};

const SIZE: (u16, u16) = (100, 30);

/// A home with a keeper and these lines below `[notify]`.
fn world(notify: &str) -> Home {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let _agent = FakeAgent::install(&mut home);
    home.write_config(&format!("[notify]\n{notify}\n"));
    home
}

/// A setting by which each notice becomes a line of `told` in the home's folder.
fn to_file(home: &Home) -> String {
    let file = home.path().join("told");
    format!("command = [\"tee\", \"-a\", \"{}\"]", file.display())
}

/// What the command was given so far.
fn told(home: &Home) -> Vec<Value> {
    let text = std::fs::read_to_string(home.path().join("told")).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|it| it.ends_with('\n'));
    whole
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Panes in the order in which they were told.
fn told_of(home: &Home) -> Vec<String> {
    let told = told(home).into_iter();
    told.map(|it| it["pane"].as_str().unwrap_or_default().to_owned())
        .collect()
}

fn send(home: &Home, pane: PaneId, line: &str) {
    home.abide(["send", &pane.to_string(), "--enter", line])
        .ok();
}

fn wait_state(home: &Home, pane: PaneId, state: &str) {
    home.abide([
        "wait",
        &pane.to_string(),
        "--state",
        state,
        "--timeout",
        "60",
    ])
    .ok();
}

/// An agent in a pane of its own.
fn agent(home: &Home, name: &str) -> PaneId {
    let pane = home.pane(["fake-agent"]);
    home.abide(["rename", &pane.to_string(), name]).ok();
    wait_state(home, pane, "idle");
    pane
}

/// Waits until the keeper has judged that pane's wait; gives what it wrote.
#[track_caller]
fn wait_judged(wire: &mut Wire, pane: PaneId) -> Value {
    until("the notice's note", || {
        let notes = wire.facts(pane).notes;
        let (_, value) = notes.into_iter().find(|(key, _)| key == "notice")?;
        let note: Value = serde_json::from_slice(&value).expect("JSON");
        (note["passed"] != "trying").then_some(note)
    })
}

/// How often these bytes went to a window.
fn times(window: &Outer, bytes: &str) -> usize {
    let raw = window.raw();
    raw.windows(bytes.len())
        .filter(|it| *it == bytes.as_bytes())
        .count()
}

/// claude-code#19976, tmux#5136, zellij#5485: an agent asks in a pane that nobody sees, and nobody is told.
#[test]
fn the_window_and_the_command_are_told_once_a_wait() {
    let home = world("terminal = \"osc777\"");
    let more = to_file(&home);
    home.write_config(&format!("[notify]\nterminal = \"osc777\"\n{more}\n"));
    let none: [&str; 0] = [];
    let window = Outer::open(&home, SIZE, none);
    window.wait_for("ready");
    let pane = agent(&home, "builder");
    let notice = "\x1b]777;notify;abide;work/builder needs input\x07";
    for wait in 1..=2 {
        send(&home, pane, "ask");
        let count = || (times(&window, notice) == wait).then_some(());
        until("the notice in the window", count);
        until("the command", || (told(&home).len() == wait).then_some(()));
        send(&home, pane, "yes");
        wait_state(&home, pane, "done");
    }
    let told = told(&home);
    for told in &told {
        assert_eq!(told["text"], "work/builder needs input");
        assert_eq!(told["pane"], pane.to_string());
        assert_eq!(told["state"], "needs_input");
        assert_eq!(told["agent"], "fake");
        assert!(
            told.get("screen").is_none(),
            "nothing of the screen: {told}"
        );
    }
    assert_eq!((times(&window, notice), told.len()), (2, 2));
}

/// The pane in front of a window that has the focus is looked at; the same pane once the window lost it
/// is not.
#[test]
fn what_the_user_looks_at_is_told_to_nobody() {
    let home = world("");
    home.write_config(&format!("[notify]\n{}\n", to_file(&home)));
    let pane = agent(&home, "seen");
    let window = Outer::open(&home, SIZE, ["attach", &pane.to_string()]);
    window.wait_for("fake");
    let mut wire = Wire::connect(&home, Role::Control);
    send(&home, pane, "ask");
    assert_eq!(wait_judged(&mut wire, pane)["passed"], "seen");
    send(&home, pane, "yes");
    wait_state(&home, pane, "done");
    until("the end of the wait", || {
        let notes = wire.facts(pane).notes;
        notes.iter().all(|(key, _)| key != "notice").then_some(())
    });
    window.type_bytes("\x1b[I\x1b[O");
    // The host has dealt with what the client said before its new size.
    window.resize(90, 30);
    until("the new size", || {
        (wire.facts(pane).cols == 90).then_some(())
    });
    send(&home, pane, "ask");
    assert_eq!(wait_judged(&mut wire, pane)["passed"], "terminal");
    until("the command", || (told(&home).len() == 1).then_some(()));
    assert_eq!(told_of(&home), [pane.to_string()]);
}

/// Whoever keeps next knows who was told.
#[test]
fn another_keeper_tells_no_wait_twice() {
    let home = world("");
    home.write_config(&format!("[notify]\n{}\n", to_file(&home)));
    let (first, second) = (agent(&home, "one"), agent(&home, "two"));
    send(&home, first, "ask");
    until("the first notice", || {
        (told(&home).len() == 1).then_some(())
    });
    let keeper = home.wait_keeper();
    keeper.signal(Signal::KILL);
    keeper.wait_gone();
    home.abide(["keeper", "start"]).ok();
    assert_ne!(home.wait_keeper(), keeper);
    // It sees the wait of the first before that of the second begins, so it would tell it before.
    wait_state(&home, first, "needs_input");
    wait_state(&home, second, "idle");
    send(&home, second, "ask");
    until("the second notice", || {
        (told(&home).len() >= 2).then_some(())
    });
    assert_eq!(told_of(&home), [first.to_string(), second.to_string()]);
}

/// A shell that has nothing to do is no agent that waits, but a program in it may ask for attention.
#[test]
fn a_program_that_calls_is_passed_on_and_the_screen_only_if_asked_for() {
    let home = world("");
    home.write_config(&format!("[notify]\ntext = true\n{}\n", to_file(&home)));
    let pane = home.script(r"echo 'ready to ship?'; read x; printf '\e]9;build done\a'; exec cat");
    home.wait_capture(pane, "ready to ship");
    send(&home, pane, "go");
    until("the notice", || (told(&home).len() == 1).then_some(()));
    let told = told(&home).remove(0);
    assert_eq!(told["agent"], Value::Null);
    let screen = told["screen"].as_str().unwrap_or_default();
    assert!(screen.contains("ready to ship?"), "{told}");
}

/// Answers posts, one after the other, with these statuses; gives what was posted.
fn server(statuses: Vec<String>) -> (u16, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its number").port();
    let (tell, posted) = channel();
    std::thread::spawn(move || {
        for status in statuses {
            let (mut stream, _) = listener.accept().expect("a post");
            let post = read_post(&mut stream);
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).expect("it reads");
            if tell.send(post).is_err() {
                return;
            }
        }
    });
    (port, posted)
}

/// The request's head, and its body.
fn read_post(stream: &mut TcpStream) -> (String, Value) {
    let mut text = String::new();
    loop {
        let mut bytes = [0; 1024];
        let n = stream.read(&mut bytes).expect("a request");
        text.push_str(std::str::from_utf8(&bytes[..n]).expect("text"));
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        if let Ok(body) = serde_json::from_str(body) {
            return (head.to_owned(), body);
        }
        assert!(n > 0, "the request was cut: {text}");
    }
}

#[track_caller]
fn doctor(home: &Home) -> String {
    let checks = home.abide(["doctor", "--json"]).run().stdout;
    let checks: Value = serde_json::from_str(&checks).expect("JSON");
    let all = checks["checks"].as_array().expect("a list").clone();
    let ours = all.iter().filter(|it| it["name"] == "notices");
    let lines = ours.map(|it| format!("{} {}", it["level"], it["text"]));
    lines.collect::<Vec<_>>().join("\n")
}

/// A busy server gets it a little later; one that is somewhere else does not, and is told of once.
#[test]
fn a_webhook_gets_it_and_trouble_is_shown_by_the_doctor() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a port");
    let away = elsewhere.local_addr().expect("its number");
    let redirect = || format!("302 Found\r\nLocation: http://{away}/");
    let statuses = [
        "503 Busy".to_owned(),
        "200 OK".to_owned(),
        redirect(),
        redirect(),
    ];
    let (port, posted) = server(statuses.into());
    let home = world(&format!(
        "webhook = \"http://localhost:{port}/hook?key=secret\""
    ));
    let pane = agent(&home, "web");
    assert!(
        doctor(&home).contains(&format!("http://localhost:{port}")),
        "{}",
        doctor(&home)
    );
    let ask = || send(&home, pane, "ask");
    let answer = || {
        send(&home, pane, "yes");
        wait_state(&home, pane, "done");
    };
    ask();
    for _ in 0..2 {
        let (head, body) = posted.recv().expect("a post");
        assert!(
            head.starts_with("POST /hook?key=secret HTTP/1.1\r\n"),
            "{head}"
        );
        assert!(
            head.contains("\r\nContent-Type: application/json"),
            "{head}"
        );
        assert_eq!(body["name"], "web");
        assert_eq!(
            body["text"],
            body["name"]
                .as_str()
                .map(|it| format!("{it} needs input"))
                .unwrap_or_default()
        );
    }
    for _ in 0..2 {
        answer();
        ask();
        let _post = posted.recv().expect("a post");
    }
    let shown = until("the doctor", || {
        let shown = doctor(&home);
        shown.contains("warn").then_some(shown)
    });
    assert!(
        shown.contains("answers 302") && !shown.contains("secret"),
        "{shown}"
    );
    let log = home.keeper_log();
    assert_eq!(log.matches("notices: webhook: ").count(), 1, "{log}");
    assert!(!log.contains("secret"), "{log}");
    elsewhere.set_nonblocking(true).expect("a socket");
    assert!(
        elsewhere.accept().is_err(),
        "nothing is sent to another place"
    );
}

/// TLS is curl's: what is secret stands on its standard input, not in its arguments.
#[test]
fn https_goes_through_curl() {
    let home = world("webhook = \"https://hooks.example/T0/secret\"");
    let folder = home.path().join("bin");
    let (args, config) = (folder.join("args"), folder.join("config"));
    let script = format!(
        "#!/bin/sh\ncat > '{1}.new'\nmv '{1}.new' '{1}'\necho \"$@\" > '{0}.new'\nmv '{0}.new' '{0}'\nprintf 200\n",
        args.display(),
        config.display()
    );
    let curl = folder.join("curl");
    std::fs::write(&curl, script).expect("a script");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&curl, mode).expect("executable");
    let pane = agent(&home, "tls");
    send(&home, pane, "ask");
    let read = |path| until("curl", || std::fs::read_to_string(path).ok());
    assert_eq!(read(&args).trim(), "--disable --config -");
    let config = read(&config);
    assert!(
        config.contains("url = \"https://hooks.example/T0/secret\""),
        "{config}"
    );
    assert!(
        config.contains(r#"\"text\":\"tls needs input\""#),
        "{config}"
    );
    assert!(
        !config.contains("location"),
        "no redirect is followed: {config}"
    );
}

/// A desktop shows it: a terminal on the same desktop only rings, one that came by ssh shows it too.
#[test]
fn a_desktop_shows_it_once() {
    let mut home = world("");
    let Some(desktop) = Desktop::start(&home, true) else {
        return;
    };
    home.set_env("DBUS_SESSION_BUS_ADDRESS", desktop.address());
    home.set_env("TERM", "foot");
    let pane = agent(&home, "desk & <b>");
    let near = Outer::open(&home, SIZE, ["attach", &home.pane(["cat"]).to_string()]);
    home.set_env("SSH_CONNECTION", "10.0.0.1 5000 10.0.0.2 22");
    let far = Outer::open(&home, SIZE, ["attach", &home.pane(["cat"]).to_string()]);
    let mut wire = Wire::connect(&home, Role::Control);
    send(&home, pane, "ask");
    assert_eq!(wait_judged(&mut wire, pane)["passed"], "desktop");
    let shown = desktop.shown();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!(shown[0].app, "abide");
    assert!(shown[0].summary.ends_with("desk & <b>"), "{shown:?}");
    assert_eq!(
        (shown[0].body.as_str(), shown[0].urgency),
        ("needs input", Some(1))
    );
    let osc = "\x1b]777;notify;abide;";
    until("the window that came by ssh", || {
        (times(&far, osc) == 1).then_some(())
    });
    until("the bell of the other", || {
        near.raw().ends_with(b"\x07").then_some(())
    });
    assert_eq!(times(&near, osc), 0, "one desktop shows it once");
}

/// A session bus on which nobody shows notices is nobody to tell.
#[test]
fn a_bus_without_a_desktop_leaves_it_to_the_terminal() {
    let mut home = world("");
    let Some(desktop) = Desktop::start(&home, false) else {
        return;
    };
    home.set_env("DBUS_SESSION_BUS_ADDRESS", desktop.address());
    let pane = agent(&home, "alone");
    let mut wire = Wire::connect(&home, Role::Control);
    send(&home, pane, "ask");
    assert_eq!(wait_judged(&mut wire, pane)["passed"], "terminal");
    assert!(!doctor(&home).contains("warn"), "{}", doctor(&home));
    assert!(!home.state_file("notices.json").exists());
}
