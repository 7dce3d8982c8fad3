//! The scripted model understands what real CLIs sent it (recorded, shortened) and answers in a form
//! that they understood.

#![cfg(test)]

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use testkit::model::Request;
use testkit::{Model, until};

/// A recorded request: its file and the path it came to.
const CLAUDE: (&str, &str) = (
    include_str!("requests/claude-turn.json"),
    "/v1/messages?beta=true",
);
const CLAUDE_RESULTS: (&str, &str) = (
    include_str!("requests/claude-results.json"),
    "/v1/messages?beta=true",
);
const CODEX: (&str, &str) = (include_str!("requests/codex-turn.json"), "/v1/responses");
const CODEX_RESULTS: (&str, &str) = (include_str!("requests/codex-results.json"), "/v1/responses");
const CODEX_TITLE: (&str, &str) = (include_str!("requests/codex-title.json"), "/v1/responses");
const OPENCODE_RESULTS: (&str, &str) = (
    include_str!("requests/opencode-results.json"),
    "/v1/chat/completions",
);
const OPENCODE_TITLE: (&str, &str) = (
    include_str!("requests/opencode-title.json"),
    "/v1/chat/completions",
);
const QWEN: (&str, &str) = (
    include_str!("requests/qwen-turn.json"),
    "/v1/chat/completions",
);
const QWEN_CLASSIFY: (&str, &str) = (
    include_str!("requests/qwen-classify.json"),
    "/v1/chat/completions",
);
const GEMINI: (&str, &str) = (
    include_str!("requests/gemini-turn.json"),
    "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
);
const GEMINI_SIDE: (&str, &str) = (
    include_str!("requests/gemini-side.json"),
    "/v1beta/models/gemini-3.5-flash-lite:generateContent",
);

/// Posts a request; the connection, for whoever wants to read slowly.
fn post(model: &Model, body: &str, path: &str) -> TcpStream {
    let address = model.url();
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).expect("it listens");
    let length = body.len();
    write!(stream, "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}").expect("written");
    stream
        .set_read_timeout(Some(testkit::LIMIT))
        .expect("a socket option");
    stream
}

/// Status and body of an answer that is not a stream, or all of a stream.
fn answer(model: &Model, (body, path): (&str, &str)) -> String {
    let mut stream = post(model, body, path);
    if body.contains("\"stream\": true") || path.contains("stream") {
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        return text.split_once("\r\n\r\n").expect("a head").1.to_owned();
    }
    read_whole(&mut stream)
}

fn read_whole(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).expect("an answer");
        text.extend_from_slice(&piece[..count]);
        let so_far = String::from_utf8_lossy(&text).into_owned();
        let Some((head, body)) = so_far.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|l| l.strip_prefix("content-length: "));
        if count == 0 || length.is_some_and(|l| l.parse() == Ok(body.len())) {
            let status = head.split(' ').nth(1).unwrap_or_default();
            return format!("{status} {body}");
        }
    }
}

/// The last request, of whatever kind.
fn seen(model: &Model) -> Request {
    model.everything().pop().expect("a request")
}

#[test]
fn recorded_requests_are_understood() {
    let turn = "[sh:echo one > a;;echo two > b] hello";
    // What was sent, the newest text, results behind it, a side request.
    let table = [
        (CLAUDE, turn, 0, false),
        (CLAUDE_RESULTS, turn, 2, false),
        (CODEX, turn, 0, false),
        (CODEX_RESULTS, turn, 2, false),
        (CODEX_TITLE, "Generate a concise, single-line", 0, true),
        (OPENCODE_RESULTS, turn, 2, false),
        (OPENCODE_TITLE, turn, 0, true),
        (QWEN, turn, 0, false),
        (QWEN_CLASSIFY, "## Pending tool call", 0, true),
        (GEMINI, turn, 0, false),
        (GEMINI_SIDE, turn, 0, true),
    ];
    let model = Model::start();
    for (request, newest, results, side) in table {
        let _said = answer(&model, request);
        let asked = seen(&model).asked;
        assert!(
            asked.newest().starts_with(newest),
            "{}: {:?}",
            request.1,
            asked.texts
        );
        assert_eq!(
            (asked.results, asked.side),
            (results, side),
            "{}: {newest}",
            request.1
        );
    }
    // The four that began it count, their results and side requests do not.
    assert_eq!(model.sent("hello"), 4);
    assert!(model.strangers().is_empty(), "{:?}", model.strangers());
}

/// The data of a stream's events.
fn events(stream: &str) -> Vec<Value> {
    let data = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str(data).ok())
        .collect()
}

/// Every value at this key, anywhere, in order.
fn all(value: &Value, key: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                if name == key {
                    let text = value.as_str().map(str::to_owned);
                    found.push(text.unwrap_or_else(|| value.to_string()));
                }
                all(value, key, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| all(value, key, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn at(events: &[Value], key: &str) -> Vec<String> {
    let mut found = Vec::new();
    events.iter().for_each(|event| all(event, key, &mut found));
    found
}

#[test]
fn a_tool_call_has_the_form_of_its_api() {
    let model = Model::start();
    let claude = events(&answer(&model, CLAUDE));
    let kinds = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    let types: Vec<_> = claude
        .iter()
        .map(|event| event["type"].as_str().expect("a type"))
        .collect();
    assert_eq!(types, kinds);
    assert_eq!(
        at(&claude, "partial_json"),
        [r#"{"command":"echo one > a","description":"what a test wants"}"#]
    );
    assert_eq!(at(&claude, "stop_reason"), ["null", "tool_use"]);

    let codex = events(&answer(&model, CODEX));
    let types: Vec<_> = codex
        .iter()
        .map(|event| event["type"].as_str().expect("a type"))
        .collect();
    let kinds = [
        "response.created",
        "response.output_item.added",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(types, kinds);
    assert_eq!(codex[2]["item"]["arguments"], r#"{"cmd":"echo one > a"}"#);
    assert_eq!(codex[3]["response"]["output"][0], codex[2]["item"]);

    let qwen = events(&answer(&model, QWEN));
    assert_eq!(
        at(&qwen, "arguments"),
        [r#"{"command":"echo one > a","description":"what a test wants"}"#]
    );
    assert_eq!(
        at(&qwen, "finish_reason").last().map(String::as_str),
        Some("tool_calls")
    );

    let gemini = events(&answer(&model, GEMINI));
    assert_eq!(at(&gemini, "command"), ["echo one > a"]);
    assert_eq!(at(&gemini, "finishReason"), ["STOP"]);
}

#[test]
fn a_text_ends_as_its_api_ends_it() {
    let model = Model::start();
    let check = |request, key: &str, end: (&str, &str)| {
        let events = events(&answer(&model, request));
        assert!(
            at(&events, key).concat().contains("done after 2 results"),
            "{events:#?}"
        );
        assert_eq!(at(&events, end.0).last().map(String::as_str), Some(end.1));
    };
    check(CLAUDE_RESULTS, "text", ("stop_reason", "end_turn"));
    check(CODEX_RESULTS, "delta", ("status", "completed"));
    check(OPENCODE_RESULTS, "content", ("finish_reason", "stop"));
}

/// A recorded turn with another text.
fn with<'a>(request: (&'a str, &'a str), text: &str) -> (String, &'a str) {
    (
        request
            .0
            .replace("[sh:echo one > a;;echo two > b] hello", text),
        request.1,
    )
}

#[test]
fn errors_are_the_ones_of_each_api() {
    let table = [
        (CLAUDE, "[err:429]", "429 ", "rate_limit_error"),
        (CLAUDE, "[err:529]", "529 ", "overloaded_error"),
        (CLAUDE, "[err:401]", "401 ", "authentication_error"),
        (
            CLAUDE,
            "[toolong]",
            "400 ",
            "prompt is too long: 250000 tokens > 200000 maximum",
        ),
        (CODEX, "[err:429]", "429 ", "rate_limit_exceeded"),
        (CODEX, "[toolong]", "400 ", "context_length_exceeded"),
        (QWEN, "[err:401]", "401 ", "invalid_api_key"),
        (GEMINI, "[err:429]", "429 ", "RESOURCE_EXHAUSTED"),
        (
            GEMINI,
            "[toolong]",
            "400 ",
            "exceeds the maximum number of tokens",
        ),
    ];
    let model = Model::start();
    for (request, text, status, words) in table {
        let (body, path) = with(request, text);
        let said = read_whole(&mut post(&model, &body, path));
        assert!(
            said.starts_with(status) && said.contains(words),
            "{text}: {said}"
        );
    }
}

#[test]
fn an_error_ends_when_it_was_told_to() {
    let model = Model::start();
    let (body, path) = with(CLAUDE, "[err:529*2] x");
    for _ in 0..2 {
        assert!(read_whole(&mut post(&model, &body, path)).starts_with("529 "));
    }
    assert!(answer(&model, (&body, path)).contains("ANSWER to: [err:529*2] x"));
}

#[test]
fn a_held_turn_begins_and_ends_when_a_test_says_so() {
    for request in [CLAUDE, CODEX, QWEN, GEMINI] {
        let model = Model::start();
        let (body, path) = with(request, "[hold] x");
        let mut stream = post(&model, &body, path);
        let mut head = [0; 15];
        stream.read_exact(&mut head).expect("it begins");
        assert_eq!(&head, b"HTTP/1.1 200 Sc");
        let _request = model.wait_sent("[hold] x", 1);
        stream.set_nonblocking(true).expect("a socket option");
        let mut text = Vec::new();
        let mut read = move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = stream.read(&mut piece) {
                text.extend_from_slice(&piece[..count]);
            }
            String::from_utf8_lossy(&text).into_owned()
        };
        testkit::wait::holds_for(std::time::Duration::from_millis(200), "silence", || {
            !read().contains("released")
        });
        until("its end", || {
            model.release();
            read().contains("released").then_some(())
        });
    }
}

#[test]
fn files_stop_at_the_gate() {
    let model = Model::start();
    model.gate(Some(2));
    let (mut body, path) = with(CLAUDE_RESULTS, "[files:30] x");
    for (command, name) in [
        ("echo one > a", "file-01.txt"),
        ("echo two > b", "file-02.txt"),
    ] {
        body = body.replace(command, &format!("echo >> {name}"));
    }
    let mut stream = post(&model, &body, path);
    let _request = model.wait_request("with two files", |r| r.asked.files() == 2);
    model.gate(Some(3));
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    assert!(text.contains("echo file 3 >> file-03.txt"), "{text}");
}

#[test]
fn dropping_it_ends_every_wait() {
    let model = Model::start();
    let (body, path) = with(CLAUDE, "[dead]");
    let mut stream = post(&model, &body, path);
    let _request = model.wait_sent("[dead]", 1);
    drop(model);
    let mut text = String::new();
    let _reset = stream.read_to_string(&mut text);
    assert_eq!(text, "");
}
