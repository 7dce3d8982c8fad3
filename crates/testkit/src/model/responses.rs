//! OpenAI Responses, as Codex uses it.

use crate::model::answer::{Block, Refusal};
use crate::model::asked::{Api, Asked, text_of};
use crate::model::piece::{Piece, WORD};
use crate::model::serve::{Dialect, waits, words};
use serde_json::{Value, json};

pub(crate) const DIALECT: Dialect = Dialect {
    api: Api::Responses,
    parse,
    stream,
    whole,
    refusal,
};

/// How the prompt of Codex's own thread for titles begins.
const TITLE: &str = "Generate a concise, single-line task title";

pub(crate) fn parse(body: &Value, _path: &str) -> Asked {
    let mut asked = Asked {
        stream: body["stream"] == true,
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        schema: Some(&body["text"]["format"]["schema"])
            .filter(|s| s.is_object())
            .cloned(),
        ..Asked::default()
    };
    for tool in body["tools"].as_array().into_iter().flatten() {
        tool_of(tool, "", &mut asked);
    }
    if let Some(text) = body["input"].as_str() {
        asked.add("user", text);
    }
    for item in body["input"].as_array().into_iter().flatten() {
        item_of(item, &mut asked);
    }
    let title = asked
        .messages
        .iter()
        .any(|m| m.role == "user" && m.text.starts_with(TITLE));
    asked.side = asked.tools.is_empty() || title;
    asked
}

/// One tool, or a group of them: those are called by the group's name and their own.
fn tool_of(tool: &Value, group: &str, asked: &mut Asked) {
    let name = tool["name"].as_str().or(tool["type"].as_str());
    let name = format!("{group}{}", name.unwrap_or_default());
    for inner in tool["tools"].as_array().into_iter().flatten() {
        tool_of(inner, &format!("{name}/"), asked);
    }
    asked.tools.insert(name, tool["parameters"].clone());
}

fn item_of(item: &Value, asked: &mut Asked) {
    match item["type"].as_str().unwrap_or("message") {
        "message" => match item["role"].as_str() {
            Some("user") => match item["content"].as_array() {
                Some(parts) => parts
                    .iter()
                    .for_each(|part| asked.add("user", &text_of(&part["text"]))),
                None => asked.add("user", &text_of(&item["content"])),
            },
            Some("assistant") => asked.add("assistant", &text_of(&item["content"])),
            _ => {}
        },
        kind if kind.ends_with("_call_output") => asked.add("result", &text_of(&item["output"])),
        kind if kind.ends_with("_call") => {
            let arguments = [&item["arguments"], &item["input"], &item["action"]];
            let arguments = arguments.into_iter().find(|a| !a.is_null());
            let arguments = arguments.map(text_of).unwrap_or_default();
            asked.add("call", &format!("{} {arguments}", text_of(&item["name"])));
        }
        _ => {}
    }
}

fn event(data: Value, name: &'static str) -> Piece {
    let mut data = data;
    data["type"] = name.into();
    Piece::Named(name, data)
}

pub(crate) fn stream(blocks: &[Block], asked: &Asked, number: u64) -> Vec<Piece> {
    let id = format!("resp_{number:06}");
    let started = json!({ "id": id, "object": "response", "status": "in_progress", "output": [] });
    let mut pieces = vec![event(json!({ "response": started }), "response.created")];
    pieces.extend(waits(blocks).into_iter().map(Piece::Wait));
    for (index, item) in items(blocks, number).iter().enumerate() {
        let mut begun = item.clone();
        if item["type"] == "message" {
            begun["content"] = json!([]);
            begun["status"] = "in_progress".into();
        }
        pieces.push(event(
            json!({ "output_index": index, "item": begun }),
            "response.output_item.added",
        ));
        if item["type"] == "message" {
            deltas(item, blocks, index, &mut pieces);
        }
        pieces.push(event(
            json!({ "output_index": index, "item": item }),
            "response.output_item.done",
        ));
    }
    pieces.push(event(
        json!({ "response": whole(blocks, asked, number) }),
        "response.completed",
    ));
    pieces
}

fn deltas(item: &Value, blocks: &[Block], index: usize, pieces: &mut Vec<Piece>) {
    let delta = |text: &str| {
        let data = json!({ "item_id": item["id"], "output_index": index, "content_index": 0, "delta": text });
        event(data, "response.output_text.delta")
    };
    match blocks.iter().find_map(|b| {
        if let Block::Words(n) = b {
            Some(*n)
        } else {
            None
        }
    }) {
        Some(count) => {
            for word in words(count) {
                pieces.extend([delta(&word), Piece::Pause(WORD)]);
            }
        }
        None => pieces.push(delta(&text_of(&item["content"]))),
    }
}

/// The output items: text as one message, each call as one item.
fn items(blocks: &[Block], number: u64) -> Vec<Value> {
    let message = |text: String| {
        json!({
            "type": "message", "id": format!("msg_{number:06}"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        })
    };
    let calls = blocks.iter().any(|b| matches!(b, Block::Call(_)));
    let item = |block: &Block| match block {
        // Before a call Codex needs no words.
        Block::Text(_) if calls => None,
        Block::Text(text) => Some(message(text.clone())),
        Block::Words(count) => Some(message(words(*count).concat())),
        Block::Call(call) => {
            let id = format!("call_{number:06}");
            Some(match call.arguments.as_str() {
                Some(input) => {
                    json!({ "type": "custom_tool_call", "id": format!("ctc_{number}"), "call_id": id, "name": call.name, "input": input })
                }
                None => {
                    let mut item = json!({ "type": "function_call", "id": format!("fc_{number}"), "call_id": id, "name": call.name, "arguments": call.arguments.to_string() });
                    if let Some((group, name)) = call.name.split_once('/') {
                        (item["namespace"], item["name"]) = (group.into(), name.into());
                    }
                    item
                }
            })
        }
        Block::Hold(_) => None,
    };
    blocks.iter().filter_map(item).collect()
}

pub(crate) fn whole(blocks: &[Block], _asked: &Asked, number: u64) -> Value {
    json!({
        "id": format!("resp_{number:06}"), "object": "response", "status": "completed", "output": items(blocks, number),
        "usage": {
            "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 5,
            "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 15,
        },
    })
}

/// As the other OpenAI API.
pub(crate) fn refusal(refusal: Refusal) -> (u16, Value) {
    let (status, kind, code, words) = match refusal {
        Refusal::TooLong => (
            400,
            "invalid_request_error",
            "context_length_exceeded",
            "Your input exceeds the context window of this model. Please adjust your input and try again.".to_owned(),
        ),
        Refusal::Status(status) => {
            let (kind, code) = match status {
                401 => ("invalid_request_error", "invalid_api_key"),
                429 => ("requests", "rate_limit_exceeded"),
                400 => ("invalid_request_error", "invalid_request"),
                _ => ("server_error", "server_error"),
            };
            (status, kind, code, format!("scripted error {status}"))
        }
    };
    (
        status,
        json!({ "error": { "message": words, "type": kind, "code": code, "param": null } }),
    )
}
