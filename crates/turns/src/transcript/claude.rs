//! Claude Code's transcript: `{"type":"user"|"assistant","uuid":..,"message":{"content":..}}`.
//!
//! Each block of an answer has a line; the `stop_reason` of its message stands on all of them (seen with
//! 2.1.332), so `end_turn` says that the answer is whole and `tool_use` that it is not.

use super::{Told, given, text};
use crate::event::Ending;
use serde_json::Value;

/// What stands in the person's place when the person stopped the turn.
const STOPPED: [&str; 2] = [
    "[Request interrupted by user]",
    "[Request interrupted by user for tool use]",
];
/// Reasons with which an answer is whole.
const WHOLE: [&str; 4] = ["end_turn", "stop_sequence", "max_tokens", "refusal"];

/// Takes the line if it is of this form.
pub(super) fn line(value: &Value, told: &mut Told) -> bool {
    let content = &value["message"]["content"];
    let kind = text(value, "/type");
    if !matches!(kind, "user" | "assistant") || content.is_null() {
        return false;
    }
    let is = |name: &str| value.get(name) == Some(&Value::Bool(true));
    if is("isSidechain") || is("isMeta") || is("isCompactSummary") {
        return true;
    }
    let uuid = text(value, "/uuid");
    match (kind, content) {
        ("user", Value::String(words)) => asked(uuid, words, told),
        ("user", Value::Array(blocks)) => said_by_user(uuid, blocks, told),
        (_, Value::Array(blocks)) => answer(blocks, text(value, "/message/stop_reason"), told),
        (_, Value::String(words)) => told.text(words),
        _ => {}
    }
    true
}

fn asked(uuid: &str, words: &str, told: &mut Told) {
    if STOPPED.contains(&words) {
        told.ended(Ending::Stopped);
    } else if !words.is_empty() {
        told.asked(uuid, words);
    }
}

fn said_by_user(uuid: &str, blocks: &[Value], told: &mut Told) {
    let mut words = Vec::new();
    for block in blocks {
        match text(block, "/type") {
            "tool_result" => {
                let failed = block.get("is_error") == Some(&Value::Bool(true));
                told.result(
                    text(block, "/tool_use_id"),
                    failed,
                    given(&block["content"]),
                );
            }
            "text" => words.push(text(block, "/text")),
            _ => {}
        }
    }
    if !words.is_empty() {
        asked(uuid, &words.join("\n"), told);
    }
}

fn answer(blocks: &[Value], reason: &str, told: &mut Told) {
    for block in blocks {
        match text(block, "/type") {
            "text" => told.text(text(block, "/text")),
            "tool_use" => told.tool(
                text(block, "/id"),
                text(block, "/name"),
                block["input"].clone(),
            ),
            _ => {}
        }
    }
    // Its thoughts alone are no answer: the line with the words may never have been written.
    let words = blocks.iter().any(|it| text(it, "/type") == "text");
    told.whole = WHOLE.contains(&reason) && (words || told.whole);
}
