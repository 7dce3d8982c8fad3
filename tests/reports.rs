//! Agents tell of themselves through variables of their pane: nothing of the user's is edited, nothing of
//! the agent's is disturbed, and what is told comes from that very pane.

#![cfg(test)]

use agents::hook::Report;
use protocol::msg::Subscribe;
use protocol::{FromHost, PaneId, Role};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use testkit::{FakeAgent, Home, Outer, Signal, Wire, until};

const ID: &str = "6f0a3f0e-94c5-4c5e-9d0e-0a1b2c3d4e5f";

fn world() -> (Home, FakeAgent) {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

/// The next report of this event, and whose pane it is.
#[track_caller]
fn next(wire: &mut Wire, event: &str) -> (PaneId, Report) {
    wire.expect(event, |said| match &said.message {
        FromHost::Reported(reported) => {
            let report = Report::from_json(&reported.body).expect("a report");
            (report.event == event).then_some((said.pane, report))
        }
        _ => None,
    })
}

#[test]
fn an_agent_reports_from_its_pane() {
    let (home, agent) = world();
    home.start();
    let mut wire = Wire::connect(&home, Role::Observe);
    wire.must(PaneId::NONE, Subscribe {});
    let (pane, pid) = agent.pane(&home, &["--session-id", ID]);
    let (from, report) = next(&mut wire, "SessionStart");
    assert_eq!(
        (from, report.cli.as_str(), report.id.as_deref()),
        (pane, "fake", Some(ID))
    );
    let parents: Vec<i32> = report.parents.iter().map(|it| it.pid).collect();
    assert!(parents.contains(&pid), "{parents:?} without {pid}");
    home.abide(["send", &pane.to_string(), "--enter", "the secret word"])
        .ok();
    let (_, report) = next(&mut wire, "UserPromptSubmit");
    assert!(!String::from_utf8_lossy(&report.to_json()).contains("secret"));
    next(&mut wire, "Stop");
    home.abide(["send", &pane.to_string(), "--enter", "/clear"])
        .ok();
    let (_, report) = next(&mut wire, "SessionStart");
    assert!(report.id.is_some_and(|id| id != ID));
    // Typed into a shell of a pane it tells as well, and of that pane.
    let shell = home.pane(["sh"]);
    home.abide(["send", &shell.to_string(), "--enter", "fake-agent"])
        .ok();
    let (from, _) = next(&mut wire, "SessionStart");
    assert_eq!(from, shell);
}

/// What is wrong costs the agent nothing: no word, no failure, no long wait.
#[test]
fn a_hook_never_disturbs() {
    let (home, _agent) = world();
    let quiet = |call: testkit::Abide<'_>| {
        let said = call.run();
        assert_eq!(
            (said.code, said.stdout.as_str(), said.stderr.as_str()),
            (0, "", ""),
            "{said:?}"
        );
    };
    let payload = r#"{"hook_event_name":"Stop","session_id":"x"}"#;
    quiet(home.abide(["hook", "claude"]).stdin(payload));
    let inside = |key: &str| {
        home.abide(["hook", "claude"])
            .env("ABIDE_PANE", "p1")
            .env("ABIDE_PANE_KEY", key)
    };
    let key = "0".repeat(64);
    quiet(inside(&key).stdin(payload));
    quiet(inside("nonsense").stdin(payload));
    quiet(inside(&key).stdin(payload).env("ABIDE_HOME", "relative"));
    home.start();
    quiet(inside(&key).stdin(payload));
    quiet(inside(&key).stdin("no JSON"));
    quiet(inside(&key).stdin("x".repeat(9 * 1024 * 1024)));
    // An agent that keeps its end open.
    let mut open = inside(&key).command();
    open.stdin(Stdio::piped());
    let mut child = open.spawn().expect("started");
    let status = until("its end", || child.try_wait().expect("asked"));
    assert!(status.success());
    assert_eq!(
        home.abide(["--help"]).ok().matches(" hook ").count(),
        0,
        "not for people"
    );
}

#[test]
fn panes_get_the_variables_and_a_users_values_stay() {
    let (mut home, _agent) = world();
    let hooks = home.state().join("hooks");
    let value = |home: &Home, name: &str| {
        let pane = home.pane([
            "sh",
            "-c",
            &format!("printf '<%s>' \"${{{name}-unset}}\"; exec cat"),
        ]);
        let shown = home.wait_capture(pane, ">");
        shown.replace('\n', "").trim().to_owned()
    };
    assert_eq!(
        value(&home, "FAKE_PLUGIN_DIRS"),
        format!("<{}>", hooks.join("fake").display())
    );
    assert_eq!(value(&home, "CODEX_EXEC_SERVER_URL"), "<>");
    home.set_env("FAKE_PLUGIN_DIRS", "/theirs");
    home.set_env("CODEX_EXEC_SERVER_URL", "http://x");
    let joined = format!("</theirs:{}>", hooks.join("fake").display());
    assert_eq!(value(&home, "FAKE_PLUGIN_DIRS"), joined);
    assert_eq!(value(&home, "CODEX_EXEC_SERVER_URL"), "<http://x>");
    home.write_config("[agents]\npane_environment = false\n");
    assert_eq!(value(&home, "FAKE_PLUGIN_DIRS"), "</theirs>");
    home.unset_env("FAKE_PLUGIN_DIRS");
    home.unset_env("CODEX_EXEC_SERVER_URL");
    assert_eq!(value(&home, "FAKE_PLUGIN_DIRS"), "<unset>");
    assert_eq!(value(&home, "CODEX_EXEC_SERVER_URL"), "<unset>");
}

/// An agent runs an agent without a person: the same hook in the same pane with the same key, and another
/// conversation, which took the pane's place (herdr#531, herdr#1789) or was gone at the next start: "No
/// saved session found" (cmux#9629).
#[test]
fn a_nested_run_never_takes_the_panes_conversation() {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    home.start();
    let mut wire = Wire::connect(&home, Role::Observe);
    wire.must(PaneId::NONE, Subscribe {});
    // Without a live file nothing but the hook speaks.
    let (pane, _) = agent.pane(&home, &["--no-live", "--session-id", ID]);
    let say = |text: &str| {
        let id = pane.to_string();
        home.abide(["send", &id, "--enter", text]).ok();
    };
    say("hello");
    next(&mut wire, "Stop");
    say("/nested do it");
    let inner = wire.expect("the nested run's report", |said| match &said.message {
        FromHost::Reported(reported) => {
            let report = Report::from_json(&reported.body).expect("a report");
            let other = report.id.filter(|id| id != ID)?;
            (said.pane == pane && report.event == "SessionStart").then_some(other)
        }
        _ => None,
    });
    home.wait_capture(pane, "nested: exit status: 0");
    assert!(agent.transcript_path(&inner).is_some(), "it has its own");
    // What is written of a pane made later is written after all that was reported before.
    let later = home.pane(["cat"]);
    until("the later pane's record", || home.record(later));
    let record = home.record(pane).expect("a record");
    assert_eq!(record["conversation"]["id"], ID, "{record:#}");
    assert_eq!(record["conversation"]["how"], "hook", "{record:#}");
    power_cut(&home);
    home.start();
    let starts = agent.wait_starts(3);
    assert_eq!(starts[2].argv[1..3], ["--resume", ID], "{starts:#?}");
    home.wait_capture(pane, "you said: hello");
}

/// The power goes.
fn power_cut(home: &Home) {
    let (host, root, keeper) = (home.host(), home.root_reaper(), home.wait_keeper());
    keeper.signal(Signal::KILL);
    root.iter().for_each(|root| root.signal(Signal::KILL));
    host.signal(Signal::KILL);
    keeper.wait_gone();
    home.wait_empty();
}

/// A conversation of another terminal comes into abide, and never while it is open there.
#[test]
fn a_conversation_is_adopted_once_it_is_free() {
    let (home, agent) = world();
    let mut command = std::process::Command::new(agent.program());
    command
        .args(["--session-id", ID, "--permission-mode", "plan"])
        .current_dir(home.work());
    command.env_clear().envs(home.env().iter().cloned());
    let outer = Outer::run(command, (80, 24));
    let pid = agent.wait_live(ID);
    outer.type_bytes("fix the parser\r");
    // The file is there a moment before its first line.
    until("the message in the transcript", || {
        let lines = agent.transcript(ID);
        lines
            .iter()
            .any(|line| line["type"] == "user")
            .then_some(())
    });
    let listed = home.abide(["--json", "adopt"]).json();
    let found = listed["conversations"].as_array().expect("a list").iter();
    let found = found
        .clone()
        .find(|it| it["id"] == ID)
        .unwrap_or_else(|| panic!("{listed}"));
    assert_eq!(
        (&found["agent"], &found["pid"], &found["first_line"]),
        (&"fake".into(), &pid.into(), &"fix the parser".into())
    );
    let failed = home.abide(["adopt", ID]).fails(1);
    assert!(
        failed.contains(&format!("is open in pid {pid}; end that first")),
        "{failed}"
    );
    let mut waiting = home
        .abide(["adopt", &ID[..8], "--wait", "--no-attach"])
        .command();
    waiting.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waiting = waiting.spawn().expect("started");
    let mut told = String::new();
    let mut stderr = BufReader::new(waiting.stderr.take().expect("piped"));
    stderr
        .read_line(&mut told)
        .expect("it says what it waits for");
    assert_eq!(told, format!("abide: waiting until pid {pid} has ended\n"));
    outer.type_bytes("/exit\r");
    let said = waiting.wait_with_output().expect("ended");
    assert!(said.status.success(), "{said:?}");
    let said = String::from_utf8(said.stdout).expect("text");
    let pane: PaneId = said.trim().parse().expect("a pane");
    home.wait_capture(pane, "> fix the parser");
    let start = agent.wait_starts(2).remove(1);
    assert_eq!(
        start.argv[1..],
        ["--resume", ID, "--permission-mode", "plan"]
    );
    // Now it is abide's: no agent outside, and still open.
    let listed = home.abide(["adopt"]).ok();
    assert!(listed.contains(&format!("open in pane {pane}")), "{listed}");
    let failed = home.abide(["adopt", ID]).fails(1);
    assert!(
        failed.contains(&format!("is open in pane {pane} (pid {})", start.pid)),
        "{failed}"
    );
    let failed = home.abide(["adopt", "nothing"]).fails(3);
    assert!(failed.contains("no conversation `nothing`"), "{failed}");
    drop(outer);
    home.abide(["kill", &pane.to_string()]).ok();
    home.wait_capture(pane, "");
}

/// What a private pane shows goes nowhere else: `adopt` names its conversation, not its first words.
#[test]
fn a_private_pane_s_words_are_not_listed() {
    let (home, agent) = world();
    let words = ["new", "--no-attach", "--private", "--", "fake-agent"];
    let said = home
        .abide(words.into_iter().chain(["--session-id", ID]))
        .ok();
    let pane: PaneId = said.trim().parse().expect("a pane");
    home.wait_capture(pane, "^fake>");
    home.abide(["send", &pane.to_string(), "--enter", "hush hush"])
        .ok();
    home.wait_capture(pane, "you said: hush hush");
    until("the message in the transcript", || {
        let lines = agent.transcript(ID);
        let mut kinds = lines.iter().map(|line| &line["type"]);
        kinds.any(|kind| kind == "user").then_some(())
    });
    let listed = home.abide(["adopt"]).ok();
    assert!(listed.contains(ID) && !listed.contains("hush"), "{listed}");
    assert!(listed.contains(&format!("open in pane {pane}")), "{listed}");
    let listed = home.abide(["adopt", "--json"]).ok();
    assert!(!listed.contains("hush"), "{listed}");
}
