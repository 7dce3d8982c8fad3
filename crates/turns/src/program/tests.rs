//! The program with an agent by script: what is on disk when, and what is shown.

use super::*;
use crate::again::Unanswered;
use crate::driver::Claude;
use crate::event::{Ending, Event};
use crate::inflight::Params;
use crate::record::Body;
use crate::runner::Setup;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

/// What an agent by script does when it is sent a line.
type Script = Arc<dyn Fn(&str) -> Vec<Said> + Send + Sync>;

struct Scripted {
    script: Script,
    inputs: Sender<Input>,
    number: u64,
}

impl Agent for Scripted {
    fn send(&mut self, line: String) {
        for said in (self.script)(&line) {
            self.inputs.send(Input::Agent(self.number, said)).unwrap();
        }
    }
    fn leave(&mut self) {
        let said = Said::Gone {
            how: "exit status 0".to_owned(),
            words: String::new(),
        };
        self.inputs.send(Input::Agent(self.number, said)).unwrap();
    }
    fn freeze(&mut self, _: bool) {}
}

struct Starts {
    script: Script,
    inputs: Sender<Input>,
    sessions: Arc<Mutex<Vec<Option<String>>>>,
}

impl Spawner for Starts {
    fn spawn(
        &mut self,
        number: u64,
        session: Option<&str>,
        _: Option<&str>,
        _: &Params,
    ) -> Result<Box<dyn Agent>, String> {
        self.sessions
            .lock()
            .unwrap()
            .push(session.map(str::to_owned));
        let (script, inputs) = (Arc::clone(&self.script), self.inputs.clone());
        Ok(Box::new(Scripted {
            script,
            inputs,
            number,
        }))
    }
}

#[derive(Default)]
struct Looks {
    lines: Vec<String>,
}

impl Front for Looks {
    fn show(&mut self, shown: &Shown<'_>) {
        let line = match shown {
            Shown::Asked(asked) => format!("asked {}", asked.text),
            Shown::Interrupted(_) => "interrupted".to_owned(),
            Shown::Event(Event::Text { text }) => format!("text {text}"),
            Shown::Event(Event::Ended { ending }) => crate::record::ending_words(ending),
            Shown::Event(_) => return,
            Shown::Line(line) => format!("line {line}"),
            Shown::Back(text) => format!("back {text}"),
        };
        self.lines.push(line);
    }
    fn state(&mut self, _: &Core) {}
    fn rest(&mut self, ending: &Ending) -> Option<Ending> {
        Some(ending.clone())
    }
}

/// Claude Code with its account's folder below `state`.
fn elsewhere(state: &Path) -> Elsewhere {
    let catalogue = agents::Catalogue::built_in();
    Elsewhere {
        spec: catalogue.get("claude").unwrap().clone(),
        folder: PathBuf::from("/w"),
        env: vec![("CLAUDE_CONFIG_DIR".into(), state.join("claude").into())],
        state: state.to_owned(),
    }
}

/// A conversation of Claude Code's.
const ID: &str = "11111111-2222-4333-8444-555555555555";

/// Its transcript: a user's line for each pair, and its answer.
fn transcript(state: &Path, turns: &[(&str, &str, Option<&str>)]) {
    let folder = state.join("claude/projects/-w");
    std::fs::create_dir_all(&folder).unwrap();
    let mut text = String::new();
    for (uuid, asked, answer) in turns {
        text += &format!(
            r#"{{"type":"user","uuid":"{uuid}","message":{{"role":"user","content":"{asked}"}}}}"#
        );
        text.push('\n');
        if let Some(answer) = answer {
            text += &format!(
                r#"{{"type":"assistant","message":{{"stop_reason":"end_turn","content":[{{"type":"text","text":"{answer}"}}]}}}}"#
            );
            text.push('\n');
        }
    }
    std::fs::write(folder.join(format!("{ID}.jsonl")), text).unwrap();
}

/// A turn that a former process sent once and did not end.
fn cut(state: &Path) {
    let turn = InFlight {
        version: crate::inflight::VERSION,
        conversation: "c".to_owned(),
        session_id: Some(ID.to_owned()),
        engine: "claude".to_owned(),
        started_at: 1,
        attempts: 1,
        uuid: "u".to_owned(),
        pane: None,
        left: false,
        params: Params {
            message: "hi".to_owned(),
            ..Params::default()
        },
    };
    Folder::open(state).unwrap().write(&turn).unwrap();
    let mut writer = Writer::open(state, "c", 1).unwrap();
    let asked = Asked {
        text: "hi".to_owned(),
        uuid: "u".to_owned(),
        ..Asked::default()
    };
    writer.asked(asked, 1).unwrap();
}

fn answers() -> Script {
    Arc::new(|line: &str| {
        assert!(line.contains("\"type\":\"user\""), "{line}");
        let line = |text: &str| Said::Line(text.to_owned());
        vec![
            line(r#"{"type":"system","subtype":"init","session_id":"S"}"#),
            line(
                r#"{"type":"assistant","session_id":"S","message":{"content":[{"type":"text","text":"hello"}]}}"#,
            ),
            line(r#"{"type":"result","subtype":"success","is_error":false,"session_id":"S"}"#),
        ]
    })
}

/// Runs one request to its outcome. Gives what was shown and the sessions that were opened.
fn run(state: &Path, script: Script, ask: &str) -> (Outcome, Vec<String>, Vec<Option<String>>) {
    let (sender, inputs) = channel();
    run_with(state, script, ask, None, (sender, inputs))
}

fn run_with(
    state: &Path,
    script: Script,
    ask: &str,
    session: Option<&str>,
    (sender, inputs): (Sender<Input>, Receiver<Input>),
) -> (Outcome, Vec<String>, Vec<Option<String>>) {
    let sessions = Arc::default();
    let setup = Setup {
        conversation: "c".to_owned(),
        engine: "claude".to_owned(),
        driver: Box::new(|| Box::new(Claude::new())),
        acp: false,
        new_id: None,
        takes: crate::runner::Takes::default(),
        unanswered: Unanswered::Gone,
        trust: crate::replay::Trust::None,
        params: Params::default(),
        pane: None,
        session: session.map(str::to_owned),
        carry: false,
    };
    let starts = Starts {
        script,
        inputs: sender,
        sessions: Arc::clone(&sessions),
    };
    let parts = Parts {
        state: state.to_owned(),
        conversation: "c".to_owned(),
        spawner: Box::new(starts),
        inputs,
        uuid: Box::new(|| "u-1".to_owned()),
        elsewhere: Some(elsewhere(state)),
        live: crate::live::Live::open(&state.join("live"), "c").ok(),
    };
    let mut front = Looks::default();
    let core = Core::new(setup, Instant::now());
    let mut program = Program::open(core, parts, &mut front).unwrap();
    match program.cut() {
        Some(turn) => program.go_on(turn),
        None => program.ask(ask.to_owned()),
    }
    let outcome = program.run();
    let sessions = sessions.lock().unwrap().clone();
    (outcome, front.lines, sessions)
}

#[test]
fn a_request_is_answered_and_recorded_and_leaves_no_mark() {
    let dir = tempfile::tempdir().unwrap();
    let (outcome, lines, _) = run(dir.path(), answers(), "hi");
    assert_eq!(outcome, Outcome::Ended(Ending::Done));
    assert_eq!(lines, ["asked hi", "text hello", "done"]);
    assert!(!dir.path().join("turns/c.json").exists());
    let rows = Reader::new(dir.path()).rows("c");
    let bodies: Vec<&Body> = rows.iter().map(|it| &it.body).collect();
    assert!(matches!(
        bodies[..],
        [
            Body::Asked(_),
            Body::Session { .. },
            Body::Text { .. },
            Body::Ended { .. }
        ]
    ));
}

#[test]
fn the_mark_is_on_disk_when_the_framework_gets_the_request() {
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("turns/c.json");
    let seen = Arc::new(Mutex::new(String::new()));
    let (file, saw, rest) = (mark.clone(), Arc::clone(&seen), answers());
    let script: Script = Arc::new(move |line| {
        *saw.lock().unwrap() = std::fs::read_to_string(&file).unwrap_or_default();
        rest(line)
    });
    run(dir.path(), script, "hi");
    assert_eq!(
        std::fs::read_dir(dir.path().join("live")).unwrap().count(),
        0
    );
    let seen = seen.lock().unwrap();
    assert!(
        seen.contains("\"attempts\": 1") && seen.contains("\"message\": \"hi\""),
        "{seen}"
    );
    assert!(!mark.exists());
}

#[test]
fn a_framework_that_dies_three_times_fails_the_turn_with_its_words() {
    let dir = tempfile::tempdir().unwrap();
    let script: Script = Arc::new(|_| {
        let (how, words) = ("exit status 1".to_owned(), "noise\nboom".to_owned());
        vec![Said::Gone { how, words }]
    });
    let (outcome, lines, sessions) = run(dir.path(), script, "hi");
    assert_eq!(sessions.len(), 3);
    assert!(matches!(outcome, Outcome::Ended(Ending::Failed { .. })));
    assert!(lines.last().unwrap().contains("boom"), "{lines:?}");
    assert!(!dir.path().join("turns/c.json").exists());
}

#[test]
fn a_turn_that_cannot_be_written_down_is_not_sent() {
    let dir = tempfile::tempdir().unwrap();
    // A folder stands where the mark's file belongs.
    std::fs::create_dir_all(dir.path().join("turns/c.json/x")).unwrap();
    let script: Script = Arc::new(|line| panic!("sent {line}"));
    let (outcome, lines, sessions) = run(dir.path(), script, "hi");
    assert!(
        matches!(outcome, Outcome::Ended(Ending::Failed { .. })),
        "{outcome:?}"
    );
    assert_eq!(sessions, []);
    assert!(lines.iter().any(|it| it.contains("c.json")), "{lines:?}");
}

/// holon#3018: the CLI had written its answer; our process died before it heard of it.
#[test]
fn an_answer_that_only_the_transcript_has_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    cut(dir.path());
    transcript(dir.path(), &[("u", "hi", Some("hello"))]);
    let script: Script = Arc::new(|line| panic!("sent {line}"));
    let (outcome, lines, sessions) = run(dir.path(), script, "");
    assert_eq!(outcome, Outcome::Ended(Ending::Done));
    assert_eq!(lines, ["interrupted", "text hello", "done"]);
    assert_eq!(sessions, []);
    assert!(!dir.path().join("turns/c.json").exists());
    let rows = Reader::new(dir.path()).rows("c");
    assert_eq!(crate::record::tail(&rows).ended.as_deref(), Some("u"));
}

/// Somebody opened the conversation in the CLI itself and went on with it.
#[test]
fn a_turn_is_not_sent_again_when_the_conversation_was_carried_on_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    cut(dir.path());
    transcript(
        dir.path(),
        &[("u", "hi", None), ("v", "instead", Some("yes"))],
    );
    let script: Script = Arc::new(|line| panic!("sent {line}"));
    let (sender, inputs) = channel();
    sender.send(Input::End).unwrap(); // nothing is under way any more
    let channels = (sender, inputs);
    let (outcome, lines, sessions) = run_with(dir.path(), script, "", None, channels);
    assert_eq!(outcome, Outcome::Left);
    assert_eq!((lines, sessions), (vec![], vec![]));
    assert!(!dir.path().join("turns/c.json").exists());
}

/// nodeterm#728: the conversation is gone. It is carried from the fullest of what there is.
#[test]
fn a_lost_conversation_is_carried_from_its_transcript_when_that_is_fuller() {
    let dir = tempfile::tempdir().unwrap();
    let turns = [
        ("a", "before abide", Some("a long answer that we never saw")),
        ("b", "hi", None),
    ];
    transcript(dir.path(), &turns);
    let sent = Arc::new(Mutex::new(Vec::new()));
    let (log, rest) = (Arc::clone(&sent), answers());
    let script: Script = Arc::new(move |line| {
        let mut log = log.lock().unwrap();
        log.push(line.to_owned());
        if log.len() > 1 {
            return rest(line);
        }
        let words = format!("No conversation found with session ID: {ID}");
        let how = "exit status 1".to_owned();
        vec![Said::Gone { how, words }]
    });
    let (outcome, _, sessions) = run_with(dir.path(), script, "hi", Some(ID), channel());
    assert_eq!(outcome, Outcome::Ended(Ending::Done));
    assert_eq!(sessions, [Some(ID.to_owned()), None]);
    let sent = sent.lock().unwrap();
    assert!(sent[1].contains("ASSISTANT: a long answer that we never saw"));
    assert_eq!(
        sent[1].matches("USER: hi").count(),
        0,
        "it follows: {}",
        sent[1]
    );
    let rows = Reader::new(dir.path()).rows("c");
    let said = |words: &str| {
        let mut rows = rows.iter();
        rows.any(|it| matches!(&it.body, Body::Notice { text } if text.contains(words)))
    };
    assert!(said("goes on from its transcript") && said("is not there"));
}

#[test]
fn a_second_program_on_the_same_conversation_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let _writer = Writer::open(dir.path(), "c", 1).unwrap();
    assert!(Writer::open(dir.path(), "c", 1).is_err());
}
