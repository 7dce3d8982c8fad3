//! The tests' own fake agent does what its manual (`testkit::fake_agent`) says: other tests stand on
//! it, so what it says of itself must be true.

#![cfg(test)]

use serde_json::{Value, json};
use std::fs;
use testkit::{FakeAgent, Home, Process, Signal, until};

fn world() -> (Home, FakeAgent) {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

const ID: &str = "6f0a3f0e-94c5-4c5e-9d0e-0a1b2c3d4e5f";

#[test]
fn its_data_file_has_no_fault() {
    let (home, _agent) = world();
    let file = home.abide_home().join("config/agents/fake.toml");
    let said = home
        .abide(["agents".as_ref(), "check".as_ref(), file.as_os_str()])
        .run();
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:#?}");
    let told = home.abide(["--json", "agents"]).json();
    let fake = told["agents"]
        .as_array()
        .expect("a list")
        .last()
        .cloned()
        .expect("one");
    assert_eq!(fake["name"], "fake");
    assert_eq!(fake["version"], "1.0.0");
    assert_eq!(fake["id"], json!(["chosen", "live file", "lock", "hook"]));
}

#[test]
fn a_conversation_is_written_and_opened_again() {
    let (home, agent) = world();
    let (pane, pid) = agent.pane(&home, &["--session-id", ID]);
    assert_eq!(agent.wait_live(ID), pid);
    assert!(
        agent.transcript_path(ID).is_none(),
        "only with the first turn"
    );
    home.abide(["send", &pane.to_string(), "--enter", "hello"])
        .ok();
    home.wait_capture(pane, "you said: hello");
    home.abide(["send", &pane.to_string(), "--enter", "/clear"])
        .ok();
    let now = until("another conversation", || {
        let live = agent.live();
        live.into_iter()
            .find(|facts| facts["pid"] == pid && facts["sessionId"] != ID)
    });
    assert_eq!(now["status"], "idle");
    home.abide(["send", &pane.to_string(), "--enter", "/exit"])
        .ok();
    home.abide(["wait", &pane.to_string(), "--exit"]).ok();
    assert!(agent.live().is_empty());
    assert_eq!(agent.typed(pid), ["hello", "/clear", "/exit"]);
    assert_eq!(agent.read(pid), b"hello\r/clear\r/exit\r");

    let (again, _) = agent.pane(&home, &["--resume", ID]);
    home.wait_capture(again, "> hello\n.*you said: hello");
    let lost = home.pane([
        "fake-agent",
        "--resume",
        "00000000-94c5-4c5e-9d0e-0a1b2c3d4e5f",
    ]);
    home.wait_capture(lost, "No conversation found with session ID");
}

#[test]
fn a_cut_turn_goes_on_from_where_it_was() {
    let (home, agent) = world();
    agent.gate(Some(19));
    let (pane, pid) = agent.pane(&home, &["--session-id", ID]);
    home.abide(["send", &pane.to_string(), "--enter", "files 30"])
        .ok();
    let nineteen = home.work().join("file-19.txt");
    until("file 19", || nineteen.exists().then_some(()));
    let _busy = until("it is busy", || {
        agent
            .live()
            .into_iter()
            .find(|facts| facts["status"] == "busy")
    });
    let process = Process::of(pid).expect("it runs");
    process.signal(Signal::KILL);
    process.wait_gone();
    agent.gate(None);
    fs::write(&nineteen, "as it was").expect("written");

    let (idle, _) = agent.pane(&home, &["--resume", ID]);
    assert!(
        agent.events("continued").is_empty(),
        "only when it is told to"
    );
    assert!(!home.work().join("file-20.txt").exists());
    home.abide(["kill", &idle.to_string()]).ok();
    let argv = [
        "new",
        "--no-attach",
        "--env",
        "FAKE_RESUME_INTERRUPTED_TURN=1",
        "--",
        "fake-agent",
        "--resume",
        ID,
    ];
    home.abide(argv).ok();
    let last = home.work().join("file-30.txt");
    until("file 30", || last.exists().then_some(()));
    assert_eq!(fs::read_to_string(nineteen).expect("there"), "as it was");
    assert_eq!(agent.events("continued").len(), 1);
}

#[test]
fn it_ends_at_signals_as_it_was_told() {
    let (home, agent) = world();
    // The switch, the signal, the status, whether its live file stays.
    let table = [
        ("exit", Signal::TERM, 0, false),
        ("exit", Signal::HUP, 0, false),
        ("status", Signal::TERM, 143, false),
        ("status", Signal::HUP, 129, false),
        ("die", Signal::TERM, 143, true),
    ];
    for (switch, signal, status, stays) in table {
        let (pane, pid) = agent.pane(&home, &["--on-term", switch]);
        let file = agent.folder().join(format!("sessions/{pid}.json"));
        assert!(file.exists());
        Process::of(pid).expect("it runs").signal(signal);
        let id = pane.to_string();
        let said = home.abide(["wait", &id, "--exit", "--json"]).run();
        let said: Value = serde_json::from_str(&said.stdout).expect("JSON");
        assert_eq!(said["exit"], status, "{switch} {signal:?}");
        assert_eq!(file.exists(), stays, "{switch} {signal:?}");
    }
}

#[test]
fn it_misbehaves_when_it_is_opened_again() {
    let (home, agent) = world();
    let (pane, _) = agent.pane(&home, &["--session-id", ID, "hello"]);
    home.wait_capture(pane, "you said: hello");
    home.abide(["kill", &pane.to_string()]).ok();

    agent.settings(&["on-resume notice"]);
    let notice = home.pane(["fake-agent", "--resume", ID]);
    home.wait_capture(notice, "Press Enter to continue");
    let pid = agent.wait_live(ID);
    assert_eq!(agent.live()[0]["status"], "waiting");
    home.abide(["send", &notice.to_string(), "--enter", ""])
        .ok();
    home.wait_capture(notice, "you said: hello");
    assert_eq!(agent.typed(pid), [""]);
    home.abide(["kill", &notice.to_string()]).ok();

    agent.settings(&["on-resume crash:1:the disk is upset"]);
    let crashed = home.pane(["fake-agent", "--resume", ID]);
    home.wait_capture(crashed, "the disk is upset");
    let (second, _) = agent.pane(&home, &["--resume", ID]);
    home.abide(["kill", &second.to_string()]).ok();

    agent.settings(&["on-resume lost"]);
    let lost = home.pane(["fake-agent", "--resume", ID]);
    home.wait_capture(lost, "No conversation found");
}

#[test]
fn abide_new_gives_an_agent_its_conversation() {
    let (home, agent) = world();
    let new = |words: &[&str]| {
        let all = ["new", "--no-attach"].iter().chain(words);
        home.abide(all.collect::<Vec<_>>()).ok()
    };
    let _pane = new(&["--agent", "fake", "--", "--permission-mode", "plan"]);
    let first = agent.wait_starts(1).remove(0);
    let [_, flag, id, rest @ ..] = &first.argv[..] else {
        panic!("{first:?}");
    };
    assert_eq!(
        (flag.as_str(), rest),
        (
            "--session-id",
            &["--permission-mode".to_owned(), "plan".to_owned()][..]
        )
    );
    assert_eq!(agent.wait_live(id), first.pid);
    let pane = new(&["--agent", "fake", "--", "hello"]);
    let second = agent.wait_starts(2).remove(1);
    until("a conversation", || agent.transcript_path(&second.argv[2]));
    let held = home
        .abide(["new", "--agent", "fake", "--resume", &second.argv[2]])
        .fails(1);
    assert!(
        held.contains(&format!("is open in pane {pane} (pid {})", second.pid)),
        "{held}"
    );
    let process = testkit::processes::Process::of(second.pid).expect("it runs");
    home.abide(["kill", &pane]).ok();
    process.wait_gone();
    let pane = new(&["--agent", "fake", "--resume", &second.argv[2]]);
    home.wait_capture(pane.parse().expect("an id"), "> hello");

    let failed = home.abide(["new", "--agent", "nobody"]).fails(2);
    assert!(
        failed.contains("no agent is called `nobody`; there are claude, codex,"),
        "{failed}"
    );
    let failed = home
        .abide(["new", "--agent", "fake", "--resume=nonsense"])
        .fails(2);
    assert!(
        failed.contains("`nonsense` is no conversation id of Fake Agent"),
        "{failed}"
    );
}
