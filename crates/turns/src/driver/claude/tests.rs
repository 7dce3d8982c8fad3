//! Frames as they were seen, and frames as they should not be.

use super::super::testing::{said, sent};
use super::*;
use crate::event::{ChoiceKind, ToolOutcome};

fn claude(session: Option<&str>) -> Claude {
    let mut claude = Claude::new();
    let steps = claude.open(Open {
        session: session.map(str::to_owned),
        ..Open::default()
    });
    assert_eq!(said(&steps), [Event::Ready { replayed: None }]);
    claude
}

fn prompted(session: Option<&str>) -> Claude {
    let mut claude = claude(session);
    let prompt = Prompt {
        text: "do it".to_owned(),
        uuid: "u-1".to_owned(),
        instead: None,
    };
    let line = &sent(&claude.prompt(&prompt))[0];
    assert_eq!(
        (&line["uuid"], &line["type"]),
        (&json!("u-1"), &json!("user"))
    );
    claude
}

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"S"}"#;

fn end(claude: &mut Claude, body: &str) -> Ending {
    let line = format!(r#"{{"type":"result","session_id":"S",{body}}}"#);
    match said(&claude.receive(&line)).pop() {
        Some(Event::Ended { ending }) => ending,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_turn_from_its_prompt_to_its_result() {
    let mut claude = prompted(None);
    let id = "S".to_owned();
    assert_eq!(
        said(&claude.receive(INIT)),
        [Event::Session { id }, Event::Accepted]
    );
    let delta = r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"he"}}}"#;
    let text = "he".to_owned();
    assert_eq!(said(&claude.receive(delta)), [Event::Text { text }]);
    // The whole message repeats what was streamed.
    let whole = r#"{"type":"assistant","session_id":"S","message":{"content":[{"type":"text","text":"he"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}"#;
    let events = said(&claude.receive(whole));
    assert!(
        matches!(&events[..], [Event::Tool(call)] if call.title == "ls"),
        "{events:?}"
    );
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"a b","is_error":false}]}}"#;
    let events = said(&claude.receive(result));
    assert!(matches!(
        &events[..],
        [Event::ToolEnded {
            outcome: ToolOutcome::Ok,
            ..
        }]
    ));
    assert_eq!(
        end(&mut claude, r#""subtype":"success","is_error":false"#),
        Ending::Done
    );
}

/// An API error comes with subtype `success` and `is_error`.
#[test]
fn failures_are_told_apart() {
    let check = |body: &str, want: Fault| match end(&mut prompted(None), body) {
        Ending::Failed { fault, .. } => assert_eq!(fault, want, "{body}"),
        other => panic!("{body}: {other:?}"),
    };
    check(
        r#""subtype":"success","is_error":true,"result":"API Error: 400 boom""#,
        Fault::Other,
    );
    check(
        r#""subtype":"success","is_error":true,"result":"Prompt is too long""#,
        Fault::TooLong,
    );
    check(
        r#""subtype":"error_during_execution","is_error":true,"errors":["429 rate_limit_error"]"#,
        Fault::RateLimit,
    );
}

#[test]
fn lost_is_told_by_a_result_and_by_words_before_any_frame() {
    let result = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: S"],"session_id":"S"}"#;
    let plain = "No conversation found with session ID: S";
    for line in [result, plain] {
        let events = said(&prompted(Some("S")).receive(line));
        assert!(
            matches!(&events[..], [Event::Lost { .. }]),
            "{line}: {events:?}"
        );
    }
    let events = said(&claude(None).receive("Error: Session ID S is already in use."));
    assert!(matches!(&events[..], [Event::Held { .. }]));
}

/// gemini-cli#18593 and others: another conversation opened silently.
#[test]
fn another_conversation_than_the_one_asked_for_is_told_first() {
    let events = said(&prompted(Some("A")).receive(INIT));
    let (asked, got) = ("A".to_owned(), "S".to_owned());
    assert_eq!(events[0], Event::Other { asked, got });
}

fn ask(id: &str) -> String {
    format!(
        r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{{"command":"rm x"}},"permission_suggestions":[{{}}],"tool_use_id":"t"}}}}"#
    )
}

#[test]
fn permissions_are_answered_each_and_a_stop_answers_the_rest() {
    let mut claude = prompted(None);
    for id in ["a", "b"] {
        let events = said(&claude.receive(&ask(id)));
        assert!(matches!(&events[..], [Event::Card(card)] if card.title == "Bash: rm x"));
    }
    let line = &sent(&claude.answer("a", &Answer::Choice("allow".to_owned())))[0];
    assert_eq!(line["response"]["request_id"], "a");
    assert_eq!(line["response"]["response"]["behavior"], "allow");
    assert_eq!(
        line["response"]["response"]["updatedInput"]["command"],
        "rm x"
    );
    let lines = sent(&claude.stop());
    assert_eq!(lines[0]["request"]["subtype"], "interrupt");
    assert_eq!(lines[1]["response"]["request_id"], "b");
    assert_eq!(lines[1]["response"]["response"]["behavior"], "deny");
    let late = sent(&claude.receive(&ask("c")));
    assert_eq!(late[0]["response"]["response"]["behavior"], "deny");
    let body = r#""subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming""#;
    assert_eq!(end(&mut claude, body), Ending::Stopped);
}

#[test]
fn a_question_takes_one_of_its_labels_or_words() {
    let mut claude = prompted(None);
    let line = r#"{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"Which?","options":[{"label":"red"},{"label":"blue"}]}]},"requires_user_interaction":true}}"#;
    let Some(Event::Card(card)) = said(&claude.receive(line)).pop() else {
        panic!("no card")
    };
    assert_eq!(card.title, "Which?");
    assert!(card.options.iter().all(|it| it.kind == ChoiceKind::Reply));
    let sent = sent(&claude.answer("q", &Answer::Choice("blue".to_owned())));
    let input = &sent[0]["response"]["response"]["updatedInput"];
    assert_eq!(input["answers"]["Which?"], "blue");
}

#[test]
fn an_unknown_request_is_answered_with_an_error_and_noise_is_told() {
    let mut claude = prompted(None);
    let line = r#"{"type":"control_request","request_id":"z","request":{"subtype":"dance"}}"#;
    assert_eq!(
        sent(&claude.receive(line))[0]["response"]["subtype"],
        "error"
    );
    for bad in ["warn: x", "{\"type\":", "17"] {
        let events = said(&claude.receive(bad));
        assert!(matches!(&events[..], [Event::Broken { .. }]), "{bad}");
    }
    assert_eq!(claude.receive(r#"{"type":"brand_new"}"#), []);
}

/// Seen with 2.1.332: a message that was cut after its first tool call is `completed` at once, and
/// nothing else is ever said.
#[test]
fn a_message_that_is_not_taken_twice_goes_on_by_the_note() {
    let lifecycle = |state: &str| {
        format!(r#"{{"type":"command_lifecycle","command_uuid":"u","state":"{state}"}}"#)
    };
    let again = |instead: Option<&str>| {
        let mut claude = claude(Some("S"));
        let sent = sent(&claude.prompt(&Prompt {
            text: "do it again".to_owned(),
            uuid: "u".to_owned(),
            instead: instead.map(str::to_owned),
        }));
        assert_eq!(sent[0]["uuid"], "u");
        claude
    };
    let mut taken = again(Some("note"));
    assert_eq!(taken.receive(&lifecycle("queued")), []);
    assert_eq!(taken.receive(&lifecycle("started")), []);
    assert_eq!(taken.receive(&lifecycle("completed")), []);
    let mut known = again(Some("note"));
    let sent = sent(&known.receive(&lifecycle("completed")));
    assert_eq!(sent[0]["message"]["content"][0]["text"], "note");
    assert!(sent[0].get("uuid").is_none(), "{sent:?}");
    assert_eq!(known.receive(&lifecycle("completed")), [], "once");
    let mut first = again(None);
    let events = said(&first.receive(&lifecycle("completed")));
    assert!(matches!(
        &events[..],
        [Event::Ended {
            ending: Ending::Failed { .. }
        }]
    ));
}

#[test]
fn compacting_is_told_when_it_changes_and_tokens_with_each_message() {
    let mut claude = prompted(None);
    let status = |it: &str| format!(r#"{{"type":"system","subtype":"status","status":"{it}"}}"#);
    assert_eq!(claude.receive(&status("requesting")), []);
    let on = said(&claude.receive(&status("compacting")));
    assert_eq!(on, [Event::Compacting { on: true }]);
    assert_eq!(claude.receive(&status("compacting")), []);
    let off = said(&claude.receive(r#"{"type":"system","subtype":"compact_boundary"}"#));
    assert_eq!(off, [Event::Compacting { on: false }]);
    let event = |it: &str| format!(r#"{{"type":"stream_event","event":{it}}}"#);
    let start = r#"{"type":"message_start","message":{"usage":{"input_tokens":3,"cache_read_input_tokens":4}}}"#;
    assert_eq!(claude.receive(&event(start)), []);
    let delta = r#"{"type":"message_delta","usage":{"output_tokens":5}}"#;
    let usage = Event::Usage {
        input: 7,
        output: 5,
    };
    assert_eq!(said(&claude.receive(&event(delta))), [usage]);
}
