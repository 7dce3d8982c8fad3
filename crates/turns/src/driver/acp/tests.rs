//! Scripted agents that behave and that misbehave.

use super::super::testing::{said, sent};
use super::*;
use crate::event::{ToolCall, ToolOutcome};

fn manner() -> Manner {
    Manner {
        lost: vec!["Invalid session identifier".to_owned()],
        held: vec!["already loaded".to_owned()],
        ..Manner::default()
    }
}

fn open(session: Option<&str>) -> Open {
    Open {
        session: session.map(str::to_owned),
        folder: "/w".to_owned(),
        ..Open::default()
    }
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}"#;

/// Up to the answer of `session/new` or `session/load`.
fn begun(session: Option<&str>, manner: Manner) -> Acp {
    let mut acp = Acp::new(manner);
    let first = sent(&acp.open(open(session)));
    assert_eq!(first[0]["method"], "initialize");
    let second = sent(&acp.receive(INITIALIZED));
    let want = if session.is_some() {
        "session/load"
    } else {
        "session/new"
    };
    assert_eq!(second[0]["method"], want);
    acp
}

fn ready() -> Acp {
    let mut acp = begun(None, manner());
    let events = said(&acp.receive(r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}"#));
    let id = "s1".to_owned();
    assert_eq!(
        events,
        [Event::Session { id }, Event::Ready { replayed: None }]
    );
    acp
}

fn prompt(acp: &mut Acp) -> u64 {
    let prompt = Prompt {
        text: "do it".to_owned(),
        uuid: "u".to_owned(),
        instead: None,
    };
    let sent = sent(&acp.prompt(&prompt));
    assert_eq!(sent[0]["method"], "session/prompt");
    assert_eq!(sent[0]["params"]["prompt"][0]["text"], "do it");
    sent[0]["id"].as_u64().unwrap()
}

fn update(body: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s1","update":{body}}}}}"#
    )
}

#[test]
fn a_turn_from_its_prompt_to_its_end() {
    let mut acp = ready();
    let id = prompt(&mut acp);
    let text = |text: &str| Event::Text {
        text: text.to_owned(),
    };
    let chunk =
        update(r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"he"}}"#);
    assert_eq!(said(&acp.receive(&chunk)), [Event::Accepted, text("he")]);
    assert_eq!(said(&acp.receive(&chunk)), [text("he")]);
    let call = update(
        r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"ls","kind":"execute","status":"pending","rawInput":{"command":"ls"}}"#,
    );
    let call = said(&acp.receive(&call));
    let want = ToolCall {
        id: "t".to_owned(),
        name: "execute".to_owned(),
        title: "ls".to_owned(),
        arguments: json!({ "command": "ls" }),
    };
    assert_eq!(call, [Event::Tool(want)]);
    let done = update(
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"content","content":{"type":"text","text":"a b"}}]}"#,
    );
    let events = said(&acp.receive(&done));
    assert!(matches!(
        &events[..],
        [Event::ToolEnded { outcome: ToolOutcome::Ok, output, .. }] if output.len() == 1
    ));
    let unknown = update(r#"{"sessionUpdate":"something_new","x":1}"#);
    assert_eq!(acp.receive(&unknown), []);
    let end = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"end_turn"}}}}"#);
    let ending = Ending::Done;
    assert_eq!(said(&acp.receive(&end)), [Event::Ended { ending }]);
}

fn permission(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"session/request_permission","params":{{"sessionId":"s1","toolCall":{{"toolCallId":"t","title":"rm"}},"options":[{{"optionId":"A","name":"Always","kind":"allow_always"}},{{"optionId":"O","name":"Once","kind":"allow_once"}},{{"optionId":"N","name":"No","kind":"reject_once"}}]}}}}"#
    )
}

/// opencode#12133, deepchat#1881: a permission request that nobody answers hangs the agent.
#[test]
fn two_questions_at_once_are_answered_each_and_a_stop_answers_the_rest() {
    let mut acp = ready();
    let turn = prompt(&mut acp);
    let mut cards = Vec::new();
    for id in [70, 71, 72] {
        for event in said(&acp.receive(&permission(id))) {
            if let Event::Card(card) = event {
                cards.push(card);
            }
        }
    }
    assert_eq!(cards.len(), 3);
    let once = pick(&cards[1].options, ChoiceKind::AllowOnce).unwrap();
    let steps = acp.answer(&cards[1].id.clone(), &Answer::Choice(once.id.clone()));
    let line = &sent(&steps)[0];
    assert_eq!(line["id"], 71);
    assert_eq!(line["result"]["outcome"]["optionId"], "O");
    assert_eq!(acp.answer(&cards[1].id, &Answer::Cancelled), []);

    let steps = acp.stop();
    let lines = sent(&steps);
    assert_eq!(lines[0]["method"], "session/cancel");
    assert_eq!((&lines[1]["id"], &lines[2]["id"]), (&json!(70), &json!(72)));
    assert_eq!(lines[1]["result"]["outcome"]["outcome"], "cancelled");
    // One that crosses the cancel on its way is answered at once.
    let late = sent(&acp.receive(&permission(73)));
    assert_eq!(late[0]["result"]["outcome"]["outcome"], "cancelled");
    let end = format!(r#"{{"jsonrpc":"2.0","id":{turn},"result":{{"stopReason":"cancelled"}}}}"#);
    let ending = Ending::Stopped;
    assert_eq!(said(&acp.receive(&end)), [Event::Ended { ending }]);
}

/// qwen-code#4472, #4925: an unknown request was never answered.
#[test]
fn an_unknown_request_is_answered_with_an_error() {
    let mut acp = ready();
    let line = r#"{"jsonrpc":"2.0","id":"x","method":"_vendor/ask","params":{}}"#;
    let answer = &sent(&acp.receive(line))[0];
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!("x"), &json!(-32601))
    );
}

#[test]
fn lines_that_are_no_messages_are_told_and_the_turn_goes_on() {
    let mut acp = ready();
    let id = prompt(&mut acp);
    for bad in [
        "warning: something",
        "{\"id\":",
        r#"{"id":999,"result":{}}"#,
        r#"{"result":{}}"#,
    ] {
        let events = said(&acp.receive(bad));
        assert!(
            matches!(&events[..], [Event::Broken { .. }]),
            "{bad}: {events:?}"
        );
    }
    let end = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"end_turn"}}}}"#);
    assert_eq!(said(&acp.receive(&end)).len(), 1);
}

fn load(result: &str, manner: Manner, shown: &[&str]) -> Vec<Event> {
    let mut acp = begun(Some("s1"), manner);
    for kind in shown {
        let chunk = update(&format!(
            r#"{{"sessionUpdate":"{kind}","content":{{"type":"text","text":"old"}}}}"#
        ));
        assert_eq!(acp.receive(&chunk), [], "what is replayed is not new");
    }
    said(&acp.receive(&format!(r#"{{"jsonrpc":"2.0","id":2,{result}}}"#)))
}

/// hermes answers a load of a conversation it does not have with `{}` (NousResearch/hermes-agent);
/// Cursor opened an empty chat (herdr#3671).
#[test]
fn each_kind_of_lost_is_told_from_a_failure() {
    let lost = |events: Vec<Event>| matches!(&events[..], [Event::Lost { .. }]);
    let empty = Manner {
        empty_is_lost: true,
        ..manner()
    };
    assert!(lost(load(r#""result":{}"#, manner(), &[])));
    assert!(lost(load(
        r#""result":{"modes":{}}"#,
        empty,
        &["available_commands_update"]
    )));
    let gone = r#""error":{"code":-32603,"message":"Internal error","data":{"details":"Invalid session identifier \"s1\""}}"#;
    assert!(lost(load(gone, manner(), &[])));
    let gone = r#""error":{"code":-32002,"message":"Resource not found: session:s1"}"#;
    assert!(lost(load(gone, manner(), &[])));
    let held = r#""error":{"code":-32602,"message":"already loaded"}"#;
    assert!(matches!(
        &load(held, manner(), &[])[..],
        [Event::Held { .. }]
    ));
    let boom = r#""error":{"code":-32603,"message":"boom"}"#;
    assert!(matches!(
        &load(boom, manner(), &[])[..],
        [Event::Ended { .. }]
    ));
}

#[test]
fn a_load_counts_messages_and_opens_only_what_was_asked_for() {
    let shown = [
        "user_message_chunk",
        "user_message_chunk",
        "agent_message_chunk",
    ];
    let events = load(r#""result":{}"#, manner(), &shown);
    let replayed = Some(2);
    assert_eq!(events[1], Event::Ready { replayed });
    let events = load(r#""result":{"sessionId":"C"}"#, manner(), &shown);
    let (asked, got) = ("s1".to_owned(), "C".to_owned());
    assert_eq!(events, [Event::Other { asked, got }]);
}

#[test]
fn a_framework_that_cannot_load_says_so() {
    let mut acp = Acp::new(manner());
    acp.open(open(Some("s1")));
    let line = r#"{"id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}"#;
    assert!(matches!(
        &said(&acp.receive(line))[..],
        [Event::Lost { .. }]
    ));
}

/// "Always" that is worded in a way of its own is no refusal, and nothing but a person picks it.
#[test]
fn an_option_of_an_unknown_kind_is_picked_by_no_rule() {
    let mut acp = ready();
    prompt(&mut acp);
    let line = permission(70).replace("reject_once", "allow_session");
    let events = said(&acp.receive(&line));
    let Some(Event::Card(card)) = events.last() else {
        panic!("{events:?}")
    };
    assert_eq!(pick(&card.options, ChoiceKind::RejectOnce), None);
    assert_eq!(card.options[2].kind, ChoiceKind::Reply);
}

const MODES: &str = r#""modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}"#;

fn opened(mode: &str, model: Option<&str>, manner: Manner) -> (Acp, Vec<Step>) {
    let mut acp = Acp::new(manner);
    acp.open(Open {
        mode: Some(mode.to_owned()),
        model: model.map(str::to_owned),
        ..open(None)
    });
    acp.receive(INITIALIZED);
    let answer = format!(r#"{{"id":2,"result":{{"sessionId":"s1",{MODES}}}}}"#);
    let steps = acp.receive(&answer);
    (acp, steps)
}

/// Sent with more access than was asked for, or on another model, is worse than not sent.
#[test]
fn it_is_ready_once_it_runs_on_what_was_chosen_and_fails_where_it_does_not() {
    let ready = |events: &[Event]| events.contains(&Event::Ready { replayed: None });
    let failed = |events: &[Event]| {
        matches!(
            events.last(),
            Some(Event::Ended {
                ending: Ending::Failed { .. }
            })
        )
    };
    let (mut acp, steps) = opened("b", None, manner());
    assert_eq!(sent(&steps)[0]["params"]["modeId"], "b");
    assert!(!ready(&said(&steps)));
    assert!(ready(&said(&acp.receive(r#"{"id":3,"result":{}}"#))));

    let (mut acp, _) = opened("b", None, manner());
    let no = r#"{"id":3,"error":{"code":-32602,"message":"no"}}"#;
    assert!(failed(&said(&acp.receive(no))));

    let (_, steps) = opened("a", None, manner());
    assert!(ready(&said(&steps)), "it is so already");
    let (_, steps) = opened("yolo", None, manner());
    assert!(failed(&said(&steps)), "it has no such mode");
    let (_, steps) = opened("a", Some("m"), manner());
    assert!(failed(&said(&steps)), "it has no models to choose from");
    let by_argument = Manner {
        mode_chosen: true,
        model_chosen: true,
        ..manner()
    };
    let (_, steps) = opened("yolo", Some("m"), by_argument);
    assert!(ready(&said(&steps)), "its command line says it");
}

#[test]
fn a_loaded_conversation_knows_what_it_was_asked() {
    let mut acp = begun(Some("s1"), manner());
    assert_eq!(acp.holds("old"), None);
    let chunk = r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}}"#;
    acp.receive(&update(chunk));
    acp.receive(r#"{"id":2,"result":{"x":1}}"#);
    assert_eq!(
        (acp.holds("old"), acp.holds("new")),
        (Some(true), Some(false))
    );
}

#[test]
fn tokens_come_with_the_answer_to_a_prompt() {
    let mut acp = ready();
    let check = |acp: &mut Acp, told: &str| {
        let id = prompt(acp);
        let answer = format!(r#"{{"id":{id},"result":{{"stopReason":"end_turn",{told}}}}}"#);
        let usage = Event::Usage {
            input: 3,
            output: 4,
        };
        assert_eq!(said(&acp.receive(&answer))[0], usage, "{told}");
    };
    check(&mut acp, r#""usage":{"inputTokens":3,"outputTokens":4}"#);
    check(
        &mut acp,
        r#""_meta":{"quota":{"token_count":{"input_tokens":3,"output_tokens":4}}}"#,
    );
}
