//! An app-server by script.

use super::super::testing::{said, sent};
use super::*;
use crate::event::ToolOutcome;

fn begun(session: Option<&str>) -> Codex {
    let mut codex = Codex::new();
    let open = Open {
        session: session.map(str::to_owned),
        folder: "/w".to_owned(),
        mode: Some("untrusted/workspace-write".to_owned()),
        ..Open::default()
    };
    assert_eq!(sent(&codex.open(open))[0]["method"], "initialize");
    let lines = sent(&codex.receive(r#"{"id":1,"result":{}}"#));
    assert_eq!(lines[0]["method"], "initialized");
    assert!(lines[1].get("jsonrpc").is_none());
    assert_eq!(lines[1]["params"]["sandbox"], "workspace-write");
    codex
}

fn ready() -> Codex {
    let mut codex = begun(None);
    let events = said(&codex.receive(r#"{"id":2,"result":{"thread":{"id":"T"}}}"#));
    let id = "T".to_owned();
    assert_eq!(
        events,
        [Event::Session { id }, Event::Ready { replayed: None }]
    );
    codex
}

fn running() -> Codex {
    let mut codex = ready();
    let prompt = Prompt {
        text: "do it".to_owned(),
        uuid: "u".to_owned(),
        instead: None,
    };
    let line = &sent(&codex.prompt(&prompt))[0];
    assert_eq!(
        (&line["method"], &line["params"]["threadId"]),
        (&json!("turn/start"), &json!("T"))
    );
    assert_eq!(
        said(&codex.receive(r#"{"id":3,"result":{"turn":{"id":"t1"}}}"#)),
        [Event::Accepted]
    );
    codex
}

#[test]
fn a_turn_from_its_start_to_its_end() {
    let mut codex = running();
    let delta = r#"{"method":"item/agentMessage/delta","params":{"threadId":"T","itemId":"m","delta":"he"}}"#;
    let text = "he".to_owned();
    assert_eq!(said(&codex.receive(delta)), [Event::Text { text }]);
    let whole = r#"{"method":"item/completed","params":{"threadId":"T","item":{"type":"agentMessage","id":"m","text":"he"}}}"#;
    assert_eq!(codex.receive(whole), [], "it was streamed");
    let start = r#"{"method":"item/started","params":{"threadId":"T","item":{"type":"commandExecution","id":"c","command":"ls"}}}"#;
    assert!(matches!(&said(&codex.receive(start))[..], [Event::Tool(call)] if call.title == "ls"));
    let done = r#"{"method":"item/completed","params":{"threadId":"T","item":{"type":"commandExecution","id":"c","status":"completed","aggregatedOutput":"a b"}}}"#;
    assert!(matches!(
        &said(&codex.receive(done))[..],
        [Event::ToolEnded {
            outcome: ToolOutcome::Ok,
            ..
        }]
    ));
    let other = r#"{"method":"item/agentMessage/delta","params":{"threadId":"X","delta":"no"}}"#;
    assert_eq!(
        codex.receive(other),
        [],
        "another thread of the same process"
    );
    let end = r#"{"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t1","status":"completed"}}}"#;
    let ending = Ending::Done;
    assert_eq!(said(&codex.receive(end)), [Event::Ended { ending }]);
}

#[test]
fn approvals_are_answered_each_and_a_stop_answers_the_rest() {
    let mut codex = running();
    let ask = |id: u64| {
        format!(
            r#"{{"id":{id},"method":"item/commandExecution/requestApproval","params":{{"threadId":"T","itemId":"c","command":["rm","x"]}}}}"#
        )
    };
    for id in [50, 51] {
        let events = said(&codex.receive(&ask(id)));
        assert!(
            matches!(&events[..], [Event::Card(card)] if card.title == "rm x"),
            "{events:?}"
        );
    }
    let line = &sent(&codex.answer("card-50", &Answer::Choice("accept".to_owned())))[0];
    assert_eq!(
        (&line["id"], &line["result"]["decision"]),
        (&json!(50), &json!("accept"))
    );
    let lines = sent(&codex.stop());
    assert_eq!(
        (&lines[0]["method"], &lines[0]["params"]["turnId"]),
        (&json!("turn/interrupt"), &json!("t1"))
    );
    assert_eq!(
        (&lines[1]["id"], &lines[1]["result"]["decision"]),
        (&json!(51), &json!("cancel"))
    );
    let unknown = r#"{"id":52,"method":"item/tool/requestUserInput","params":{}}"#;
    assert_eq!(sent(&codex.receive(unknown))[0]["error"]["code"], -32601);
    let end = r#"{"method":"turn/completed","params":{"turn":{"status":"interrupted"}}}"#;
    let ending = Ending::Stopped;
    assert_eq!(said(&codex.receive(end)), [Event::Ended { ending }]);
}

fn resumed(answer: &str) -> Vec<Event> {
    said(&begun(Some("T")).receive(&format!(r#"{{"id":2,{answer}}}"#)))
}

#[test]
fn lost_held_and_another_thread_are_told_apart() {
    let error = |words: &str| format!(r#""error":{{"code":-32600,"message":"{words}"}}"#);
    let lost = resumed(&error("no rollout found for thread id T"));
    assert!(matches!(&lost[..], [Event::Lost { .. }]));
    let held = resumed(&error("thread T already has an active writer"));
    assert!(matches!(&held[..], [Event::Held { .. }]));
    let boom = resumed(&error("boom"));
    assert!(matches!(&boom[..], [Event::Ended { .. }]));
    let other = resumed(r#""result":{"thread":{"id":"C"}}"#);
    let (asked, got) = ("T".to_owned(), "C".to_owned());
    assert_eq!(other, [Event::Other { asked, got }]);
}

/// A thread without a turn has no file yet: its own process says "no rollout found" of it too.
#[test]
fn an_unwritten_thread_of_this_very_process_is_live() {
    let mut codex = ready();
    codex.open.session = Some("T".to_owned());
    let error = RpcError {
        code: -32600,
        message: "no rollout found for thread id T".to_owned(),
        data: Value::Null,
    };
    let events = said(&codex.answered(&Mark::Resume, Err(error)));
    assert!(
        matches!(&events[..], [Event::Session { .. }, Event::Ready { .. }]),
        "{events:?}"
    );
}

#[test]
fn a_failed_turn_has_its_words() {
    let end = r#"{"method":"turn/completed","params":{"turn":{"status":"failed","error":{"message":"429 rate limit"}}}}"#;
    let events = said(&running().receive(end));
    assert!(matches!(
        &events[..],
        [Event::Ended {
            ending: Ending::Failed {
                fault: Fault::RateLimit,
                ..
            }
        }]
    ));
}

#[test]
fn a_resumed_thread_knows_its_last_request() {
    let mut codex = begun(Some("T"));
    assert_eq!(codex.holds("do it"), None);
    let turn = |text: &str| {
        format!(
            r#"{{"items":[{{"type":"userMessage","content":[{{"type":"text","text":"{text}"}}]}}]}}"#
        )
    };
    let turns = format!("{},{}", turn("first"), turn("do it"));
    codex.receive(&format!(
        r#"{{"id":2,"result":{{"thread":{{"id":"T","turns":[{turns}]}}}}}}"#
    ));
    assert_eq!(
        (codex.holds("do it"), codex.holds("first")),
        (Some(true), Some(false))
    );
}
