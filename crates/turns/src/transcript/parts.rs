//! The chats of Gemini CLI and Qwen Code.
//!
//! Qwen: `{"type":"user"|"assistant"|"tool_result","message":{"parts":[..]}}`. Gemini: `{"type":"user"|
//! "gemini","content":..,"toolCalls":[..]}`. Neither says that an answer is whole.

use super::{Told, given, text};
use serde_json::Value;

/// Takes the line if it is of this form.
pub(super) fn line(value: &Value, told: &mut Told) {
    let kind = text(value, "/type");
    if let Some(parts) = value.pointer("/message/parts").and_then(Value::as_array) {
        let mut words = Vec::new();
        for part in parts {
            part_of(kind, part, &mut words, told);
        }
        if kind == "user" && !words.is_empty() {
            told.asked("", &words.join("\n"));
        }
        return;
    }
    match kind {
        "user" => {
            let words = given(&value["content"]);
            // What the CLI tells the model of its surroundings.
            if !words.is_empty() && !words.starts_with("<session_context>") {
                told.asked("", &words);
            }
        }
        "gemini" => {
            told.text(&given(&value["content"]));
            for call in value["toolCalls"].as_array().into_iter().flatten() {
                let id = text(call, "/id");
                told.tool(id, text(call, "/name"), call["args"].clone());
                let failed = text(call, "/status") == "error";
                let output = call
                    .pointer("/result/0/functionResponse/response/output")
                    .unwrap_or(&call["result"]);
                told.result(id, failed, given(output));
            }
        }
        _ => {}
    }
}

fn part_of<'a>(kind: &str, part: &'a Value, words: &mut Vec<&'a str>, told: &mut Told) {
    if part.get("thought") == Some(&Value::Bool(true)) {
        return;
    }
    if let Some(call) = part.get("functionCall") {
        told.tool(text(call, "/id"), text(call, "/name"), call["args"].clone());
    } else if let Some(answer) = part.get("functionResponse") {
        let response = &answer["response"];
        let failed = response.get("error").is_some();
        let output = response.get("output").or(response.get("error"));
        told.result(
            text(answer, "/id"),
            failed,
            given(output.unwrap_or(response)),
        );
    } else if kind == "user" {
        words.push(text(part, "/text"));
    } else {
        told.text(text(part, "/text"));
    }
}
