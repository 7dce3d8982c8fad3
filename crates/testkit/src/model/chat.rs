//! OpenAI chat completions, as OpenCode, Qwen Code, Kimi and Copilot use them.

use crate::model::answer::Block;
use crate::model::asked::{Api, Asked, Message, text_of};
use crate::model::piece::{Piece, WORD};
use crate::model::responses;
use crate::model::serve::{Dialect, waits, whole_text, words};
use serde_json::{Value, json};

pub(crate) const DIALECT: Dialect = Dialect {
    api: Api::Chat,
    parse,
    stream,
    whole,
    refusal: responses::refusal,
};

/// How requests of Qwen Code's own begin: for its memory, for what to type next, and whether a tool call is safe.
const OWN: &[&str] = &[
    "Managed memory has",
    "## Pending tool call to classify",
    "[SUGGESTION MODE",
];

pub(crate) fn parse(body: &Value, _path: &str) -> Asked {
    let schema = [
        &body["response_format"]["json_schema"]["schema"],
        &body["response_format"]["schema"],
    ];
    let mut asked = Asked {
        stream: body["stream"] == true,
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        schema: schema.into_iter().find(|s| s.is_object()).cloned(),
        ..Asked::default()
    };
    for tool in body["tools"].as_array().into_iter().flatten() {
        let function = &tool["function"];
        let name = function["name"].as_str().unwrap_or_default();
        asked
            .tools
            .insert(name.to_owned(), function["parameters"].clone());
    }
    for message in body["messages"].as_array().into_iter().flatten() {
        match message["role"].as_str().unwrap_or_default() {
            "user" => match message["content"].as_array() {
                Some(parts) => parts
                    .iter()
                    .for_each(|part| asked.add("user", &text_of(&part["text"]))),
                None => asked.add("user", &text_of(&message["content"])),
            },
            "assistant" => {
                let text = text_of(&message["content"]);
                if !text.is_empty() {
                    asked.add("assistant", &text);
                }
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    let function = &call["function"];
                    let words = [text_of(&function["name"]), text_of(&function["arguments"])];
                    asked.add("call", &words.join(" "));
                }
            }
            "tool" => asked.add("result", &text_of(&message["content"])),
            _ => {}
        }
    }
    let own = |m: &Message| m.role == "user" && OWN.iter().any(|own| m.text.starts_with(own));
    asked.side = asked.tools.is_empty() || asked.messages.iter().any(own);
    asked
}

fn head(asked: &Asked, number: u64, object: &str) -> Value {
    json!({ "id": format!("chatcmpl-{number:06}"), "object": object, "created": 1_700_000_000, "model": asked.model })
}

fn usage() -> Value {
    json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 })
}

fn calls(blocks: &[Block], number: u64) -> Vec<Value> {
    let call = |block: &Block| match block {
        Block::Call(call) => Some(json!({
            "index": 0, "id": format!("call_{number:06}"), "type": "function",
            "function": { "name": call.name, "arguments": call.arguments.to_string() },
        })),
        Block::Text(_) | Block::Words(_) | Block::Hold(_) => None,
    };
    blocks.iter().filter_map(call).collect()
}

fn finish(blocks: &[Block]) -> &'static str {
    if blocks.iter().any(|b| matches!(b, Block::Call(_))) {
        "tool_calls"
    } else {
        "stop"
    }
}

pub(crate) fn stream(blocks: &[Block], asked: &Asked, number: u64) -> Vec<Piece> {
    let chunk = |delta: Value, finish: Option<&str>| {
        let mut chunk = head(asked, number, "chat.completion.chunk");
        chunk["choices"] = json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
        Piece::Data(chunk)
    };
    let mut pieces = vec![chunk(json!({ "role": "assistant", "content": "" }), None)];
    pieces.extend(waits(blocks).into_iter().map(Piece::Wait));
    for block in blocks {
        match block {
            Block::Text(text) => pieces.push(chunk(json!({ "content": text }), None)),
            Block::Words(count) => {
                for word in words(*count) {
                    pieces.extend([chunk(json!({ "content": word }), None), Piece::Pause(WORD)]);
                }
            }
            Block::Call(_) | Block::Hold(_) => {}
        }
    }
    let calls = calls(blocks, number);
    if !calls.is_empty() {
        pieces.push(chunk(json!({ "tool_calls": calls }), None));
    }
    pieces.push(chunk(json!({}), Some(finish(blocks))));
    let mut end = head(asked, number, "chat.completion.chunk");
    end["choices"] = json!([]);
    end["usage"] = usage();
    pieces.extend([Piece::Data(end), Piece::Done]);
    pieces
}

pub(crate) fn whole(blocks: &[Block], asked: &Asked, number: u64) -> Value {
    let mut message = json!({ "role": "assistant", "content": whole_text(blocks) });
    let calls = calls(blocks, number);
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let mut body = head(asked, number, "chat.completion");
    body["choices"] = json!([{ "index": 0, "message": message, "finish_reason": finish(blocks) }]);
    body["usage"] = usage();
    body
}
