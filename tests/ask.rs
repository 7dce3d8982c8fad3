//! Asking an agent through its protocol: the answer, and turns that are cut at every point.

#![cfg(test)]

use protocol::PaneId;
use serde_json::Value;
use std::path::{Path, PathBuf};
use testkit::{Home, Outer, Process, Signal, until};

/// A home with a scripted agent `acp`.
struct Rig {
    home: Home,
    dir: PathBuf,
}

impl Rig {
    fn new() -> Self {
        Self::with(Home::new(env!("CARGO_BIN_EXE_abide")))
    }

    fn with(mut home: Home) -> Self {
        let dir = home.path().join("acp");
        let folder = home.abide_home().join("config/agents");
        std::fs::create_dir_all(&dir).expect("a folder");
        std::fs::create_dir_all(&folder).expect("a folder");
        let exe = env!("CARGO_BIN_EXE_fake-acp");
        let data = format!(
            "name = \"acp\"\ntitle = \"Scripted\"\ncannot_resume = \"it is made up\"\n\
             [provenance]\nhow = \"documentation\"\n[names]\nprograms = [\"acp\"]\n\
             [launch]\nargv = [\"acp\"]\n[turn]\nargv = [\"{exe}\"]\n"
        );
        std::fs::write(folder.join("acp.toml"), data).expect("a data file");
        home.set_env("FAKE_ACP_DIR", &dir);
        Self { home, dir }
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.dir.join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn marks(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.home.state().join("turns"));
        let paths = entries.into_iter().flatten().flatten().map(|it| it.path());
        paths
            .filter(|it| it.extension().is_some_and(|it| it == "json"))
            .collect()
    }

    /// Runs a request until `cut` says so, then ends the runner by SIGKILL. Gives the conversation.
    fn cut(&self, request: &str, what: &str, cut: impl Fn(&Self) -> bool) -> String {
        let command = self.home.abide(["ask", "--agent", "acp", request]);
        let mut runner = command.command();
        runner
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null());
        let mut runner = runner
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("a runner");
        until(what, || cut(self).then_some(()));
        runner.kill().expect("it runs");
        runner.wait().expect("it is ours");
        let agents = self.lines("pids");
        until("nothing of it is left", || {
            let pid = |it: &String| it.parse().ok();
            let alive = |pid| Process::of(pid).is_some_and(|it| it.alive());
            (!agents.iter().filter_map(pid).any(alive)).then_some(())
        });
        let marks = self.marks();
        assert_eq!(marks.len(), 1, "one turn is under way: {marks:?}");
        name_of(&marks[0])
    }

    /// Goes on with a conversation; gives what was said.
    fn resume(&self, id: &str) -> String {
        let output = self.home.abide(["ask", "--resume", id]).run();
        assert_eq!(output.code, 0, "{output:#?}");
        assert_eq!(self.marks(), [] as [PathBuf; 0]);
        output.stdout
    }

    fn rows(&self, id: &str) -> Vec<Value> {
        let text = self.home.abide(["record", "export", id]).ok();
        text.lines()
            .map(|it| serde_json::from_str(it).expect("JSON"))
            .collect()
    }
}

fn name_of(path: &Path) -> String {
    path.file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned()
}

const NOTE: &str = "(This request is sent again because";

#[test]
fn the_answer_is_data_and_the_exit_code_tells_how_it_ended() {
    let rig = Rig::new();
    let output = rig.home.abide(["ask", "--agent", "acp", "do", "it"]).run();
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (0, "all done\n"),
        "{output:#?}"
    );
    let piped = rig
        .home
        .abide(["ask", "--agent", "acp", "-"])
        .stdin("from a pipe")
        .run();
    assert_eq!(piped.code, 0, "{piped:#?}");
    assert_eq!(rig.lines("log"), ["do it", "from a pipe"]);
    let nobody = rig.home.abide(["ask", "x"]).fails(2);
    assert!(nobody.contains("ask.agent"), "{nobody}");
    let said = rig.home.abide(["ask", "--agent", "amp", "x"]).fails(1);
    assert!(said.contains("abide new --agent amp"), "{said}");
    rig.home.abide(["config", "set", "ask.agent", "acp"]).ok();
    assert_eq!(rig.home.abide(["ask", "again"]).ok(), "all done");
}

/// agenthub#555, opencode#12133: a permission that nobody answers.
#[test]
fn without_a_person_a_permission_is_refused_or_allowed_once_by_kind() {
    let rig = Rig::new();
    for (options, want) in [(&["--json"][..], "N"), (&["--json", "--allow"][..], "O")] {
        let words = ["ask", "--agent", "acp"]
            .iter()
            .chain(options)
            .chain(&["card please"]);
        let text = rig.home.abide(words).ok();
        let lines: Vec<Value> = text
            .lines()
            .map(|it| serde_json::from_str(it).expect("JSON"))
            .collect();
        let said = lines
            .iter()
            .find(|it| it["event"] == "text")
            .expect("an answer");
        assert_eq!(said["text"], format!("you chose {want}. "));
        assert_eq!(lines.last().expect("an end")["ending"]["how"], "done");
    }
}

/// curia#388, #395, #405, tokenmaxxing#19: a turn that a restart cut is sent again, once, and says so.
#[test]
fn a_turn_that_is_cut_anywhere_is_sent_again_with_the_note() {
    let asked = |n: usize| move |rig: &Rig| rig.lines("log").len() >= n;
    let recorded = |word: &'static str| {
        move |rig: &Rig| {
            let folder = rig.home.state().join("conversations");
            let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
            files
                .filter_map(|it| std::fs::read_to_string(it.path()).ok())
                .any(|it| it.contains(word))
        }
    };
    let spawned = |rig: &Rig| !rig.lines("pids").is_empty();
    type Cut = Box<dyn Fn(&Rig) -> bool + Sync>;
    let points: [(&str, &str, Cut); 5] = [
        ("spawned, nothing sent", "stuck", Box::new(spawned)),
        ("sent, no sign", "hang", Box::new(asked(1))),
        ("half an answer", "half", Box::new(recorded("half an"))),
        ("a card is open", "card", Box::new(recorded("\"question\""))),
        ("a tool runs", "tool", Box::new(recorded("\"make\""))),
    ];
    std::thread::scope(|scope| {
        for (name, word, cut) in &points {
            scope.spawn(move || {
                let rig = Rig::new();
                let stuck = rig.dir.join("stuck");
                if *word == "stuck" {
                    std::fs::write(&stuck, "").expect("a file");
                }
                // A card is answered at once when nobody is there: cut where it is asked in a window.
                let id = if *word == "card" {
                    rig.cut_in_a_window("card please", cut)
                } else {
                    rig.cut(&format!("{word} please"), name, cut)
                };
                let before = rig.lines("log").len();
                if stuck.exists() {
                    std::fs::remove_file(&stuck).expect("it is there");
                }
                assert!(rig.resume(&id).ends_with("all done\n"), "{name}");
                let log = rig.lines("log");
                assert_eq!(log.len(), before + 1, "{name}: sent once: {log:?}");
                assert!(log[before].contains(NOTE), "{name}: {log:?}");
                assert!(
                    log[before].starts_with(&format!("{word} please")),
                    "{name}: {log:?}"
                );
                // And not another time.
                let again = rig.home.abide(["ask", "--resume", &id, "next"]).ok();
                assert!(again.ends_with("all done"), "{name}");
                assert_eq!(rig.lines("log")[before + 1..], ["next"], "{name}");
            });
        }
    });
}

impl Rig {
    fn cut_in_a_window(&self, request: &str, cut: impl Fn(&Self) -> bool) -> String {
        let window = Outer::open(&self.home, (80, 24), ["ask", "--agent", "acp", request]);
        window.wait_for("1 allow_always");
        until("it is recorded", || cut(self).then_some(()));
        window.process().signal(Signal::KILL);
        until("the runner is gone", || {
            (!window.process().alive()).then_some(())
        });
        name_of(&self.marks()[0])
    }
}

/// holon#3018: a crash between the result and its mark.
#[test]
fn a_turn_whose_result_is_stored_is_not_sent_again() {
    let rig = Rig::new();
    let id = rig.cut("half please", "half an answer", |rig| {
        !rig.lines("log").is_empty()
    });
    let mark = rig.marks().remove(0);
    let saved = std::fs::read(&mark).expect("a mark");
    rig.resume(&id);
    std::fs::write(&mark, saved).expect("a mark");
    let sent = rig.lines("log").len();
    rig.resume(&id);
    assert_eq!(rig.lines("log").len(), sent);
}

#[test]
fn a_conversation_that_is_not_there_is_carried_over() {
    let rig = Rig::new();
    rig.home
        .abide(["ask", "--agent", "acp", "the first thing"])
        .ok();
    let all = rig.home.abide(["record", "show", "--json"]).json();
    let id = all["conversations"][0]["conversation"]
        .as_str()
        .expect("an id")
        .to_owned();
    std::fs::write(rig.dir.join("forgetful"), "").expect("a file");
    rig.home.abide(["ask", "--resume", &id, "go on"]).ok();
    let last = rig.lines("log").pop().expect("a prompt");
    assert!(
        last.contains("USER: the first thing") && last.contains("ASSISTANT: all done"),
        "{last}"
    );
    assert!(last.ends_with("go on"), "{last}");
    let rows = rig.rows(&id);
    let said = |words: &str| rows.iter().any(|it| it.to_string().contains(words));
    assert!(said("the conversation is not there") && said("goes on from the record"));
}

#[test]
fn a_person_sees_the_answer_and_answers_a_card() {
    let rig = Rig::new();
    let window = Outer::open(&rig.home, (80, 24), ["ask", "--agent", "acp"]);
    window.wait_for("Scripted");
    window.type_bytes("card please\r");
    window.wait_for("rm x");
    window.type_bytes("2");
    window.wait_for("you chose O");
    window.wait_for("done");
    let raw = String::from_utf8_lossy(&window.raw()).into_owned();
    for state in ["state=idle", "state=working", "state=blocked", "state=done"] {
        assert!(raw.contains(state), "{state}");
    }
    window.type_bytes("\x04");
    until("it left", || (!window.process().alive()).then_some(()));
}

#[test]
fn two_windows_never_have_one_conversation() {
    let rig = Rig::new();
    let window = Outer::open(
        &rig.home,
        (80, 24),
        ["ask", "--agent", "acp", "hang please"],
    );
    until("it is asked", || {
        (!rig.lines("log").is_empty()).then_some(())
    });
    let id = name_of(&rig.marks()[0]);
    let said = rig.home.abide(["ask", "--resume", &id, "x"]).fails(1);
    assert!(said.contains("another window"), "{said}");
    drop(window);
}

/// The host is killed in the middle of a turn that was handed to an agent in a pane: the runner comes
/// back on its own conversation and the turn goes on, once.
#[test]
fn a_turn_in_a_pane_survives_the_hosts_death() {
    let rig = Rig::with(Home::with_keeper(env!("CARGO_BIN_EXE_abide")));
    let home = &rig.home;
    let words = [
        "new",
        "--agent",
        "acp",
        "--no-attach",
        "--turn",
        "half please",
    ];
    let said = home.abide(words).ok();
    let pane = said
        .lines()
        .last()
        .expect("an id")
        .parse()
        .expect("a pane's id");
    home.wait_capture(pane, "half an");
    let known = until("the conversation is written down", || {
        let record = home.record(pane)?;
        record["conversation"]["id"].as_str().map(str::to_owned)
    });
    assert_eq!(known, name_of(&rig.marks()[0]));
    let old = home.host();
    old.signal(Signal::KILL);
    old.wait_gone();
    until("a new host", || {
        let pid = i32::try_from(home.host_file()?["pid"].as_i64()?).ok()?;
        Process::of(pid).filter(|new| *new != old && new.alive())
    });
    until("the pane is there again", || {
        home.keeper_log()
            .contains("resumed 0 workspace(s), 1 terminal(s)")
            .then_some(())
    });
    home.wait_capture(pane, "the program was restarted during this turn");
    home.wait_capture(pane, "all done");
    let log = rig.lines("log");
    assert_eq!(log.len(), 2, "{log:?}");
    assert!(
        log[1].starts_with("half please") && log[1].contains(NOTE),
        "{log:?}"
    );
    until("the mark is gone", || rig.marks().is_empty().then_some(()));
}

impl Rig {
    /// The panes there are, by id.
    fn panes(&self) -> Vec<PaneId> {
        let panes = self.home.abide(["ls", "--json"]).json();
        let ids = panes["panes"].as_array().into_iter().flatten();
        ids.filter_map(|it| it["id"].as_str()?.parse().ok())
            .collect()
    }

    fn cuts(&self, id: &str) -> usize {
        let rows = self.rows(id);
        rows.iter().filter(|it| it["row"] == "interrupted").count()
    }
}

/// tetsuo-ai/agenc-core#2230: a turn was lost. A runner in no pane of abide's was cut, with all there was:
/// the keeper of the next start marks the turn, gives it a pane, and it goes on there, once.
#[test]
fn a_turn_without_a_pane_gets_one() {
    let rig = Rig::with(Home::with_keeper(env!("CARGO_BIN_EXE_abide")));
    let id = rig.cut("half please", "half an answer", |rig| {
        !rig.lines("log").is_empty()
    });
    assert_eq!(rig.lines("log"), ["half please"]);
    rig.home.abide(["host", "start"]).ok();
    let pane = until("a pane", || rig.panes().first().copied());
    // Before its runner was there.
    assert_eq!(rig.cuts(&id), 1);
    rig.home
        .wait_capture(pane, "the program was restarted during this turn");
    rig.home.wait_capture(pane, "all done");
    let log = rig.lines("log");
    assert_eq!(log.len(), 2, "{log:?}");
    assert!(log[1].contains(NOTE), "{log:?}");
    until("the mark is gone", || rig.marks().is_empty().then_some(()));
    assert_eq!(rig.cuts(&id), 1, "said once");
    assert_eq!(rig.panes(), [pane]);
    let known = until("its conversation is known", || {
        let record = rig.home.record(pane)?;
        record["conversation"]["id"].as_str().map(str::to_owned)
    });
    assert_eq!(known, id);
}

/// cmux#4149, claude-code#79789: what was ended on purpose comes back.
#[test]
fn the_turn_of_a_pane_that_was_ended_is_over() {
    let rig = Rig::with(Home::with_keeper(env!("CARGO_BIN_EXE_abide")));
    let home = &rig.home;
    let words = [
        "new",
        "--agent",
        "acp",
        "--no-attach",
        "--turn",
        "hang please",
    ];
    let said = home.abide(words).ok();
    let name = said.lines().last().expect("an id");
    let pane: PaneId = name.parse().expect("an id");
    until("it is asked", || {
        (!rig.lines("log").is_empty()).then_some(())
    });
    let id = name_of(&rig.marks()[0]);
    until("the keeper knows it", || {
        let record = home.record(pane)?;
        (record["conversation"]["id"].as_str()? == id).then_some(())
    });
    home.abide(["kill", name]).ok();
    until("the mark is gone", || rig.marks().is_empty().then_some(()));
    let ended = rig.rows(&id).pop().expect("a row");
    assert_eq!(ended["ending"]["how"], "stopped", "{ended}");
    let again = home.abide(["ask", "--resume", &id, "next"]).ok();
    assert!(again.ends_with("all done"), "{again}");
    assert_eq!(rig.lines("log")[1..], ["next"]);
}
