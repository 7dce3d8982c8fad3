//! Codex's rollout: `{"type":"event_msg"|"response_item","payload":{"type":..}}`.
//!
//! A message of the person's is an `event_msg` (0.171.0: `item_completed` with a `UserMessage`; older ones:
//! `user_message`; what stands as a `user` item beside it holds the environment too); `task_complete` says that the answer is whole. `turn_aborted` says nothing that can be
//! relied on: it stands for a stop and for a cut alike.

use super::{Told, given, text};
use serde_json::Value;

/// Takes the line if it is of this form.
pub(super) fn line(value: &Value, told: &mut Told) -> bool {
    let payload = &value["payload"];
    let kind = text(payload, "/type");
    match text(value, "/type") {
        "event_msg" => event(kind, payload, told),
        "response_item" => item(kind, payload, told),
        "session_meta" | "turn_context" | "compacted" => {}
        _ => return false,
    }
    true
}

fn event(kind: &str, payload: &Value, told: &mut Told) {
    match kind {
        "user_message" => told.asked("", text(payload, "/message")),
        "item_completed" if text(payload, "/item/type") == "UserMessage" => {
            told.asked("", &given(&payload["item"]["content"]));
        }
        "task_complete" | "turn_complete" => told.whole = true,
        _ => {}
    }
}

fn item(kind: &str, payload: &Value, told: &mut Told) {
    let id = text(payload, "/call_id");
    match kind {
        "message" if text(payload, "/role") == "assistant" => {
            told.text(&given(&payload["content"]));
        }
        "function_call" => {
            let words = text(payload, "/arguments");
            let arguments = serde_json::from_str(words).unwrap_or_else(|_| words.into());
            told.tool(id, text(payload, "/name"), arguments);
        }
        "custom_tool_call" => told.tool(id, text(payload, "/name"), payload["input"].clone()),
        "local_shell_call" => told.tool(id, "shell", payload["action"].clone()),
        "function_call_output" | "custom_tool_call_output" => {
            told.result(id, false, given(&payload["output"]));
        }
        _ => {}
    }
}
