//! Claude Code's frames: results, tasks, permissions and questions as events, and answers to them. Pure.

use super::super::{Step, text};
use crate::event::{Card, Choice, ChoiceKind, Event, Output, Task, TaskKind, ToolOutcome};
use serde_json::{Value, json};

/// A failed frame's words.
pub(super) fn words(frame: &Value) -> String {
    let errors = frame.get("errors").and_then(Value::as_array);
    let errors: Vec<&str> = errors
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    match errors[..] {
        [] => text(frame, "/result").to_owned(),
        _ => errors.join("; "),
    }
}

/// Tokens that a message was asked with, those that the provider had already too.
pub(super) fn input(usage: &Value) -> u64 {
    let number = |path: &str| usage.get(path).and_then(Value::as_u64).unwrap_or(0);
    let cached = number("cache_read_input_tokens") + number("cache_creation_input_tokens");
    number("input_tokens") + cached
}

pub(super) fn title(block: &Value) -> String {
    let shown = [
        "/input/description",
        "/input/command",
        "/input/file_path",
        "/input/pattern",
    ];
    let shown = shown.iter().map(|path| text(block, path));
    let first = shown.into_iter().find(|it| !it.is_empty()).unwrap_or("");
    first.lines().next().unwrap_or("").to_owned()
}

/// Tool results stand in a message of the user's.
pub(super) fn results(frame: &Value) -> Vec<Step> {
    let blocks = frame.pointer("/message/content").and_then(Value::as_array);
    let results = blocks
        .into_iter()
        .flatten()
        .filter(|it| text(it, "/type") == "tool_result");
    let one = |it: &Value| {
        Step::Say(Event::ToolEnded {
            id: text(it, "/tool_use_id").to_owned(),
            outcome: match it.get("is_error") == Some(&Value::Bool(true)) {
                true => ToolOutcome::Failed,
                false => ToolOutcome::Ok,
            },
            output: output(&it["content"]),
        })
    };
    results.map(one).collect()
}

pub(super) fn output(content: &Value) -> Vec<Output> {
    let text_of = |text: &str| Output::Text {
        text: text.to_owned(),
    };
    match content {
        Value::String(it) => vec![text_of(it)],
        Value::Array(blocks) => blocks
            .iter()
            .map(|it| match text(it, "/type") {
                "text" => text_of(text(it, "/text")),
                _ => Output::Other { value: it.clone() },
            })
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn tasks(frame: &Value) -> Vec<Task> {
    let list = frame.get("tasks").and_then(Value::as_array);
    let one = |it: &Value| Task {
        id: text(it, "/task_id").to_owned(),
        kind: match text(it, "/task_type") {
            "local_agent" | "agent" => TaskKind::SubAgent,
            "workflow" => TaskKind::Workflow,
            _ => TaskKind::Job,
        },
        title: text(it, "/description").to_owned(),
        vouched: true,
    };
    list.into_iter().flatten().map(one).collect()
}

pub(super) fn answered(frame: &Value) -> Vec<Step> {
    if text(frame, "/response/subtype") != "error" {
        return Vec::new();
    }
    let text = format!("not done: {}", text(frame, "/response/error"));
    vec![Step::Say(Event::Notice { text })]
}

pub(super) fn card(id: &str, request: &Value) -> Card {
    let tool = text(request, "/tool_name");
    let question = text(request, "/input/questions/0/question");
    if !question.is_empty() {
        let options = request.pointer("/input/questions/0/options");
        let labels = options.and_then(Value::as_array).into_iter().flatten();
        return Card {
            id: id.to_owned(),
            title: question.to_owned(),
            detail: Vec::new(),
            options: labels.map(|it| reply(text(it, "/label"))).collect(),
            tool: text(request, "/tool_use_id").to_owned(),
        };
    }
    let once = |id: &str, name: &str, kind| Choice {
        id: id.to_owned(),
        name: name.to_owned(),
        kind,
    };
    let mut options = vec![
        once("allow", "Allow once", ChoiceKind::AllowOnce),
        once("deny", "Reject", ChoiceKind::RejectOnce),
    ];
    let lasting = request
        .get("permission_suggestions")
        .and_then(Value::as_array);
    if lasting.is_some_and(|it| !it.is_empty()) {
        options.insert(1, once("always", "Allow always", ChoiceKind::AllowAlways));
    }
    Card {
        id: id.to_owned(),
        title: format!("{tool}: {}", title(request)),
        detail: vec![Output::Other {
            value: request["input"].clone(),
        }],
        options,
        tool: text(request, "/tool_use_id").to_owned(),
    }
}

pub(super) fn reply(label: &str) -> Choice {
    Choice {
        id: label.to_owned(),
        name: label.to_owned(),
        kind: ChoiceKind::Reply,
    }
}

pub(super) fn respond(id: &str, response: &Value) -> Step {
    let response = json!({ "subtype": "success", "request_id": id, "response": response });
    Step::Send(json!({ "type": "control_response", "response": response }).to_string())
}

pub(super) fn deny(id: &str, why: &str) -> Step {
    respond(id, &json!({ "behavior": "deny", "message": why }))
}
