//! Scripted ends that misbehave, of each protocol, as processes: whatever they do, the turn has an end, the
//! right one, and nothing is sent twice.

#![cfg(test)]

use serde_json::Value;
use std::path::PathBuf;
use testkit::{Home, Process, until};

/// A home with the scripted agents `claude-like`, `codex-like` and `acp-like`.
struct Rig {
    home: Home,
    dir: PathBuf,
}

/// One of each protocol.
const ALL: [&str; 3] = ["claude-like", "codex-like", "acp-like"];

impl Rig {
    fn new() -> Self {
        let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
        let dir = home.path().join("frames");
        let folder = home.abide_home().join("config/agents");
        std::fs::create_dir_all(&dir).expect("a folder");
        std::fs::create_dir_all(&folder).expect("a folder");
        let exe = env!("CARGO_BIN_EXE_fake-frames");
        let speaks = [
            (
                "claude-like",
                "claude",
                "stream-json",
                "session = [\"--resume\", \"{id}\"]\n[choose]\nargv = [\"--session-id\", \"{id}\"]\n",
            ),
            (
                "codex-like",
                "codex",
                "app-server",
                "unanswered = \"kept\"\n",
            ),
        ];
        for (name, word, protocol, more) in speaks {
            let data = format!(
                "name = \"{name}\"\ntitle = \"Scripted\"\n\
                 [provenance]\nhow = \"documentation\"\n[names]\nprograms = [\"{name}\"]\n\
                 [launch]\nargv = [\"{name}\"]\n[id]\nform = \"word\"\n\
                 [resume]\nargv = [\"--resume\", \"{{id}}\"]\n\
                 [home]\nvariable = \"FAKE_FRAMES_DIR\"\ndefault = \"~/frames\"\n\
                 [conversations]\nstore = \"file\"\npaths = [\"{{home}}/chats/{{id}}.jsonl\"]\n\
                 [turn]\nprotocol = \"{protocol}\"\nargv = [\"{exe}\", \"{word}\"]\n{more}"
            );
            std::fs::write(folder.join(format!("{name}.toml")), data).expect("a data file");
        }
        let exe = env!("CARGO_BIN_EXE_fake-acp");
        let data = format!(
            "name = \"acp-like\"\ntitle = \"Scripted\"\ncannot_resume = \"it is made up\"\n\
             held = [\"open elsewhere\"]\n\
             [provenance]\nhow = \"documentation\"\n[names]\nprograms = [\"acp-like\"]\n\
             [launch]\nargv = [\"acp-like\"]\n[turn]\nargv = [\"{exe}\"]\nwhole_answers = true\n"
        );
        std::fs::write(folder.join("acp-like.toml"), data).expect("a data file");
        home.set_env("FAKE_FRAMES_DIR", &dir);
        home.set_env("FAKE_ACP_DIR", &dir);
        Self { home, dir }
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.dir.join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn mark(&self, name: &str) {
        std::fs::write(self.dir.join(name), "").expect("a file");
    }

    /// Every line of a run, and its exit code.
    fn ask(&self, words: &[&str]) -> (i32, Vec<Value>) {
        let output = self.home.abide(["ask", "--json"].iter().chain(words)).run();
        let lines = output.stdout.lines();
        let lines = lines.map(|it| serde_json::from_str(it).expect("JSON"));
        (output.code, lines.collect())
    }

    fn conversation(&self) -> String {
        let all = self.home.abide(["record", "show", "--json"]).json();
        let id = all["conversations"][0]["conversation"].as_str();
        id.expect("a conversation").to_owned()
    }

    /// Nothing of what was started is left.
    fn nothing_is_left(&self) {
        let agents = self.lines("pids");
        until("nothing of it is left", || {
            let alive = |it: &String| {
                let pid = it.parse().ok()?;
                Process::of(pid).filter(|it| it.alive())
            };
            agents.iter().find_map(alive).is_none().then_some(())
        });
    }
}

fn said(lines: &[Value]) -> String {
    let texts = lines.iter().filter(|it| it["event"] == "text");
    texts.filter_map(|it| it["text"].as_str()).collect()
}

fn events<'a>(lines: &'a [Value], event: &'a str) -> impl Iterator<Item = &'a Value> {
    lines.iter().filter(move |it| it["event"] == event)
}

fn how(lines: &[Value]) -> &str {
    let last = lines.last().expect("a line");
    last["ending"]["how"].as_str().unwrap_or("no end")
}

/// qwen-code#4472, #4925 (an unknown request), deepchat#1881 and agenthub#555 (permissions).
#[test]
fn odd_turns_have_their_answer() {
    for agent in ALL {
        let rig = Rig::new();
        let (verb, no) = match agent {
            "claude-like" => ("said", "deny"),
            "codex-like" => ("said", "decline"),
            _ => ("chose", "N"),
        };
        let rows = [
            ("plain", "all done\n".to_owned()),
            ("stays", "all done\n".to_owned()),
            ("unknown", format!("you {verb} refused. all done\n")),
            ("card", format!("you {verb} {no}. all done\n")),
            ("two", format!("you {verb} {no} and {no}. all done\n")),
            ("noid", "all done\n".to_owned()),
        ];
        for (word, want) in rows {
            let (code, lines) = rig.ask(&["--agent", agent, word, "please"]);
            assert_eq!(
                (code, how(&lines)),
                (0, "done"),
                "{agent} {word}: {lines:#?}"
            );
            assert_eq!(said(&lines), want, "{agent} {word}");
            rig.nothing_is_left();
        }
        assert_eq!(rig.lines("log").len(), 6, "{agent}: each once");
    }
}

/// Half a line and an end: a fresh process goes on, with the note, and it is told.
#[test]
fn a_process_that_ends_in_a_line_is_replaced() {
    for agent in ALL {
        let rig = Rig::new();
        let (code, lines) = rig.ask(&["--agent", agent, "torn please"]);
        assert_eq!((code, how(&lines)), (0, "done"), "{agent}: {lines:#?}");
        assert_eq!(events(&lines, "interrupted").count(), 1);
        let log = rig.lines("log");
        assert_eq!(log.len(), 2, "{agent}: {log:?}");
        assert!(log[1].contains("sent again because"), "{agent}: {log:?}");
        rig.nothing_is_left();
    }
}

/// holon#3018: the agent has its answer; we were killed before we heard of it. It is taken over.
#[test]
fn an_answer_that_was_not_heard_is_taken_over() {
    for agent in ALL {
        let rig = Rig::new();
        let mut runner = rig
            .home
            .abide(["ask", "--agent", agent, "late please"])
            .command();
        let nothing = std::process::Stdio::null;
        runner.stdin(nothing()).stdout(nothing()).stderr(nothing());
        let mut runner = runner.spawn().expect("a runner");
        until("it is answered", || {
            let folders = [rig.dir.clone(), rig.dir.join("chats")];
            let chats = folders.iter().filter_map(|it| std::fs::read_dir(it).ok());
            let chats = chats.flatten().flatten();
            let texts = chats.filter_map(|it| std::fs::read_to_string(it.path()).ok());
            texts
                .into_iter()
                .any(|it| it.contains("it was all done"))
                .then_some(())
        });
        runner.kill().expect("it runs");
        runner.wait().expect("it is ours");
        rig.nothing_is_left();
        let id = rig.conversation();
        let (code, lines) = rig.ask(&["--resume", &id]);
        assert_eq!((code, how(&lines)), (0, "done"), "{agent}: {lines:#?}");
        assert_eq!(said(&lines), "it was all done", "{agent}");
        assert_eq!(rig.lines("log"), ["late please"], "{agent}: not sent again");
        // And nothing is left to go on with.
        let (code, lines) = rig.ask(&["--resume", &id, "next"]);
        assert_eq!((code, said(&lines).as_str()), (0, "all done\n"), "{agent}");
        assert_eq!(rig.lines("log")[1..], ["next"], "{agent}");
    }
}

/// claude-code#4172 and others: the conversation is not there any more, another process has it, or
/// another one opens.
#[test]
fn each_kind_of_lost_is_told_apart() {
    for agent in ALL {
        let mut rows = vec![
            ("forgetful", 0, "done", 2),
            ("held", 1, "failed", 1),
            ("another", 1, "failed", 1),
        ];
        if agent == "acp-like" {
            rows.push(("empty", 0, "done", 2)); // as Hermes answers
        }
        for (kind, code, ending, sent) in rows {
            // Claude Code names the conversation with the first frame of the turn.
            let sent = sent + usize::from(agent == "claude-like" && kind == "another");
            let rig = Rig::new();
            rig.ask(&["--agent", agent, "first"]);
            rig.mark(kind);
            let (got, lines) = rig.ask(&["--resume", &rig.conversation(), "second"]);
            assert_eq!(
                (got, how(&lines)),
                (code, ending),
                "{agent} {kind}: {lines:#?}"
            );
            let log = rig.lines("log");
            assert_eq!(log.len(), sent, "{agent} {kind}: {log:?}");
            if ending == "done" {
                assert!(
                    log[1].contains("USER: first") && log[1].ends_with("second"),
                    "{log:?}"
                );
                let notice = events(&lines, "notice").any(|it| {
                    let text = it["text"].as_str().unwrap_or_default();
                    text.contains("a fresh session goes on from")
                });
                assert!(notice, "{agent}: it is said");
            }
            rig.nothing_is_left();
        }
    }
}

/// claude-code#39151, #69364, cc-connect#541: of two conversations in one folder the newest was opened for
/// both. Two on two agents are cut together, and each goes on as itself, whatever the default is now.
#[test]
fn two_that_are_cut_together_go_on_each_on_its_own() {
    let rig = Rig::new();
    let nothing = std::process::Stdio::null;
    let mut runners: Vec<_> = ALL[..2]
        .iter()
        .map(|agent| {
            let request = format!("silent for {agent}");
            let words = ["ask", "--agent", agent, &request];
            let mut runner = rig.home.abide(words).command();
            runner.stdin(nothing()).stdout(nothing()).stderr(nothing());
            runner.spawn().expect("a runner")
        })
        .collect();
    until("both are asked", || {
        (rig.lines("log").len() == 2).then_some(())
    });
    for runner in &mut runners {
        runner.kill().expect("it runs");
        runner.wait().expect("it is ours");
    }
    rig.nothing_is_left();
    rig.home
        .abide(["config", "set", "ask.agent", "codex-like"])
        .ok();
    let all = rig.home.abide(["record", "show", "--json"]).json();
    let all = all["conversations"].as_array().expect("a list");
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|it| it["state"] == "cut"), "{all:#?}");
    let sessions = |id: &str| {
        let rows = rig.home.abide(["record", "export", id]).ok();
        let rows = rows
            .lines()
            .map(|it| serde_json::from_str(it).expect("JSON"));
        let rows: Vec<Value> = rows.collect();
        let ids = rows.iter().filter(|it| it["row"] == "session");
        let ids = ids.filter_map(|it| it["id"].as_str().map(str::to_owned));
        ids.collect::<std::collections::BTreeSet<_>>()
    };
    for one in all {
        let agent = one["framework"].as_str().expect("a name");
        let id = one["conversation"].as_str().expect("an id");
        let before = rig.lines("log").len();
        let (code, lines) = rig.ask(&["--resume", id]);
        assert_eq!((code, how(&lines)), (0, "done"), "{agent}: {lines:#?}");
        let log = rig.lines("log");
        assert_eq!(log.len(), before + 1, "{agent}: once");
        let own = format!("silent for {agent}");
        // What its conversation has already is not said twice.
        let wants = if agent == "codex-like" {
            ""
        } else {
            own.as_str()
        };
        assert!(log[before].starts_with(wants), "{agent}: {log:?}");
        assert!(
            log[before].contains("sent again because"),
            "{agent}: {log:?}"
        );
        assert_eq!(
            sessions(id).len(),
            1,
            "{agent}: its own conversation, again"
        );
        let asked = events(&lines, "asked").count();
        assert_eq!(asked, 0, "{agent}: asked once, long ago");
    }
    let titles: Vec<&str> = all.iter().filter_map(|it| it["title"].as_str()).collect();
    assert!(
        titles.contains(&"silent for claude-like") && titles.contains(&"silent for codex-like")
    );
}
