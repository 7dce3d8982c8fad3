//! Anthropic Messages, as Claude Code uses it.

use crate::model::answer::{Block, Refusal};
use crate::model::asked::{Api, Asked, text_of};
use crate::model::piece::{Piece, WORD};
use crate::model::serve::{Dialect, words};
use serde_json::{Value, json};

pub(crate) const DIALECT: Dialect = Dialect {
    api: Api::Anthropic,
    parse,
    stream,
    whole,
    refusal,
};

pub(crate) fn parse(body: &Value, _path: &str) -> Asked {
    let mut asked = Asked {
        stream: body["stream"] == true,
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        schema: Some(&body["output_config"]["format"]["schema"])
            .filter(|s| s.is_object())
            .cloned(),
        ..Asked::default()
    };
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        asked
            .tools
            .insert(name.to_owned(), tool["input_schema"].clone());
    }
    asked.side = asked.tools.is_empty();
    for message in body["messages"].as_array().into_iter().flatten() {
        let role = match message["role"].as_str() {
            Some("user") => "user",
            Some("assistant") => "assistant",
            // Claude Code puts facts about its surroundings between the messages.
            _ => continue,
        };
        let Some(blocks) = message["content"].as_array() else {
            asked.add(role, &text_of(&message["content"]));
            continue;
        };
        for block in blocks {
            match block["type"].as_str().unwrap_or_default() {
                "text" => asked.add(role, &text_of(&block["text"])),
                "tool_use" => {
                    asked.add(
                        "call",
                        &format!("{} {}", text_of(&block["name"]), block["input"]),
                    );
                }
                "tool_result" => asked.add("result", &text_of(&block["content"])),
                _ => {}
            }
        }
    }
    asked
}

fn message(asked: &Asked, number: u64) -> Value {
    json!({
        "id": format!("msg_{number:06}"), "type": "message", "role": "assistant", "model": asked.model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 10, "output_tokens": 1 },
    })
}

fn reason(blocks: &[Block]) -> &'static str {
    if blocks.iter().any(|b| matches!(b, Block::Call(_))) {
        "tool_use"
    } else {
        "end_turn"
    }
}

pub(crate) fn stream(blocks: &[Block], asked: &Asked, number: u64) -> Vec<Piece> {
    let start = json!({ "type": "message_start", "message": message(asked, number) });
    let mut pieces = vec![Piece::Named("message_start", start)];
    let mut index = 0;
    for block in blocks {
        if let Block::Hold(hold) = block {
            pieces.push(Piece::Wait(*hold));
            continue;
        }
        content(block, index, number, &mut pieces);
        index += 1;
    }
    let delta = json!({ "stop_reason": reason(blocks), "stop_sequence": null });
    let delta = json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 5 } });
    pieces.push(Piece::Named("message_delta", delta));
    pieces.push(Piece::Named(
        "message_stop",
        json!({ "type": "message_stop" }),
    ));
    pieces
}

/// One content block: its start, its deltas, its end.
fn content(block: &Block, index: usize, number: u64, pieces: &mut Vec<Piece>) {
    let start = match block {
        Block::Call(call) => {
            json!({ "type": "tool_use", "id": call_id(number, index), "name": call.name, "input": {} })
        }
        Block::Text(_) | Block::Words(_) | Block::Hold(_) => json!({ "type": "text", "text": "" }),
    };
    let start = json!({ "type": "content_block_start", "index": index, "content_block": start });
    pieces.push(Piece::Named("content_block_start", start));
    let delta = |delta: Value| {
        Piece::Named(
            "content_block_delta",
            json!({ "type": "content_block_delta", "index": index, "delta": delta }),
        )
    };
    let text = |text: &str| delta(json!({ "type": "text_delta", "text": text }));
    match block {
        Block::Text(words) => pieces.push(text(words)),
        Block::Words(count) => {
            for word in words(*count) {
                pieces.extend([text(&word), Piece::Pause(WORD)]);
            }
        }
        Block::Call(call) => {
            let json = call.arguments.to_string();
            pieces.push(delta(
                json!({ "type": "input_json_delta", "partial_json": json }),
            ));
        }
        Block::Hold(_) => {}
    }
    let stop = json!({ "type": "content_block_stop", "index": index });
    pieces.push(Piece::Named("content_block_stop", stop));
}

fn call_id(number: u64, index: usize) -> String {
    format!("toolu_{number:06}_{index}")
}

pub(crate) fn whole(blocks: &[Block], asked: &Asked, number: u64) -> Value {
    let content = blocks.iter().enumerate().filter_map(|(index, block)| match block {
        Block::Text(text) => Some(json!({ "type": "text", "text": text })),
        Block::Words(count) => Some(json!({ "type": "text", "text": words(*count).concat() })),
        Block::Call(call) => Some(json!({
            "type": "tool_use", "id": call_id(number, index), "name": call.name, "input": call.arguments,
        })),
        Block::Hold(_) => None,
    });
    let content: Vec<Value> = content.collect();
    let mut message = message(asked, number);
    message["content"] = content.into();
    message["stop_reason"] = reason(blocks).into();
    message
}

pub(crate) fn refusal(refusal: Refusal) -> (u16, Value) {
    let (status, kind, words) = match refusal {
        Refusal::TooLong => (
            400,
            "invalid_request_error",
            "prompt is too long: 250000 tokens > 200000 maximum".to_owned(),
        ),
        Refusal::Status(status) => {
            let kind = match status {
                400 => "invalid_request_error",
                401 => "authentication_error",
                403 => "permission_error",
                429 => "rate_limit_error",
                529 => "overloaded_error",
                _ => "api_error",
            };
            (status, kind, format!("scripted error {status}"))
        }
    };
    (
        status,
        json!({ "type": "error", "error": { "type": kind, "message": words } }),
    )
}
