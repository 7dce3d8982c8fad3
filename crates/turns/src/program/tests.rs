//! The program with an agent by script: what is on disk when, and what is shown.

use super::*;
use crate::again::Unanswered;
use crate::driver::Claude;
use crate::event::Ending;
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
    fn spawn(&mut self, number: u64, session: Option<&str>) -> Result<Box<dyn Agent>, String> {
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
        };
        self.lines.push(line);
    }
    fn state(&mut self, _: &Core) {}
    fn rest(&mut self, ending: &Ending) -> Option<Ending> {
        Some(ending.clone())
    }
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
    let sessions = Arc::default();
    let setup = Setup {
        conversation: "c".to_owned(),
        engine: "claude".to_owned(),
        driver: Box::new(|| Box::new(Claude::new())),
        acp: false,
        unanswered: Unanswered::Gone,
        params: Params::default(),
        pane: None,
        session: None,
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
        live: crate::live::Live::open(&state.join("live"), "c").ok(),
    };
    let mut front = Looks::default();
    let core = Core::new(setup, Instant::now());
    let mut program = Program::open(core, parts, &mut front).unwrap();
    match program.cut() {
        Some(turn) => program.go_on(turn, Known::default()),
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

#[test]
fn a_second_program_on_the_same_conversation_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let _writer = Writer::open(dir.path(), "c", 1).unwrap();
    assert!(Writer::open(dir.path(), "c", 1).is_err());
}
