//! Gemini's generateContent and streamGenerateContent.

use crate::model::answer::{Block, Refusal};
use crate::model::asked::{Api, Asked, text_of};
use crate::model::piece::{Piece, WORD};
use crate::model::serve::{Dialect, waits, words};
use serde_json::{Value, json};

pub(crate) const DIALECT: Dialect = Dialect {
    api: Api::Gemini,
    parse,
    stream,
    whole,
    refusal,
};

pub(crate) fn parse(body: &Value, path: &str) -> Asked {
    let config = &body["generationConfig"];
    let schema = [&config["responseJsonSchema"], &config["responseSchema"]];
    let model = path
        .rsplit('/')
        .next()
        .and_then(|name| name.split(':').next());
    let mut asked = Asked {
        stream: path.contains("stream"),
        model: model.unwrap_or_default().to_owned(),
        schema: schema.into_iter().find(|s| s.is_object()).cloned(),
        ..Asked::default()
    };
    for tool in body["tools"].as_array().into_iter().flatten() {
        for function in tool["functionDeclarations"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let schema = [&function["parametersJsonSchema"], &function["parameters"]];
            let schema = schema
                .into_iter()
                .find(|s| s.is_object())
                .cloned()
                .unwrap_or_default();
            asked.tools.insert(text_of(&function["name"]), schema);
        }
    }
    asked.side = asked.tools.is_empty() || asked.schema.is_some();
    for content in body["contents"].as_array().into_iter().flatten() {
        let role = if content["role"] == "model" {
            "assistant"
        } else {
            "user"
        };
        for part in content["parts"].as_array().into_iter().flatten() {
            part_of(part, role, &mut asked);
        }
    }
    asked
}

fn part_of(part: &Value, role: &'static str, asked: &mut Asked) {
    if let Some(text) = part["text"].as_str() {
        asked.add(role, text);
    } else if part["functionCall"].is_object() {
        let call = &part["functionCall"];
        asked.add(
            "call",
            &format!("{} {}", text_of(&call["name"]), call["args"]),
        );
    } else if part["functionResponse"].is_object() {
        asked.add("result", &part["functionResponse"]["response"].to_string());
    }
}

fn response(parts: &Value, end: bool, number: u64) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    if end {
        candidate["finishReason"] = "STOP".into();
    }
    json!({
        "candidates": [candidate], "modelVersion": "scripted-1", "responseId": format!("r{number:06}"),
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15 },
    })
}

fn part(block: &Block) -> Option<Value> {
    match block {
        Block::Text(text) => Some(json!({ "text": text })),
        Block::Words(count) => Some(json!({ "text": words(*count).concat() })),
        Block::Call(call) => {
            Some(json!({ "functionCall": { "name": call.name, "args": call.arguments } }))
        }
        Block::Hold(_) => None,
    }
}

pub(crate) fn stream(blocks: &[Block], _asked: &Asked, number: u64) -> Vec<Piece> {
    let data = |parts: Value, end: bool| Piece::Data(response(&parts, end, number));
    let mut pieces: Vec<Piece> = waits(blocks).into_iter().map(Piece::Wait).collect();
    for block in blocks {
        if let Block::Words(count) = block {
            for word in words(*count) {
                pieces.extend([data(json!([{ "text": word }]), false), Piece::Pause(WORD)]);
            }
        } else if let Some(part) = part(block) {
            pieces.push(data(json!([part]), false));
        }
    }
    pieces.push(data(json!([{ "text": "" }]), true));
    pieces
}

pub(crate) fn whole(blocks: &[Block], _asked: &Asked, number: u64) -> Value {
    let parts: Vec<Value> = blocks.iter().filter_map(part).collect();
    response(&parts.into(), true, number)
}

pub(crate) fn refusal(refusal: Refusal) -> (u16, Value) {
    let (code, kind, words) = match refusal {
        Refusal::TooLong => (
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).".to_owned(),
        ),
        Refusal::Status(status) => {
            let kind = match status {
                400 => "INVALID_ARGUMENT",
                401 => "UNAUTHENTICATED",
                429 => "RESOURCE_EXHAUSTED",
                503 | 529 => "UNAVAILABLE",
                _ => "INTERNAL",
            };
            (status, kind, format!("scripted error {status}"))
        }
    };
    (
        code,
        json!({ "error": { "code": code, "message": words, "status": kind } }),
    )
}
