//! Codex's items, plans, usage and approvals as events. Pure.

use super::super::{Step, text};
use crate::event::{
    Choice, ChoiceKind, Ending, Event, Fault, Output, PlanEntry, PlanStatus, ToolCall, ToolOutcome,
};
use serde_json::Value;

pub(super) fn command(params: &Value) -> String {
    match params.get("command") {
        Some(Value::String(command)) => command.clone(),
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.join(" ")
        }
        _ => String::new(),
    }
}

/// What the person said in a turn.
pub(super) fn asked(turn: &Value) -> String {
    let list = |value: &Value, path: &str| {
        let list = value.pointer(path).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let said = list(turn, "/items")
        .iter()
        .filter(|it| text(it, "/type") == "userMessage")
        .flat_map(|it| list(it, "/content"))
        .map(|it| text(&it, "/text").to_owned())
        .collect::<Vec<_>>();
    said.join("\n")
}

pub(super) fn approvals() -> Vec<Choice> {
    let choice = |id: &str, name: &str, kind| Choice {
        id: id.to_owned(),
        name: name.to_owned(),
        kind,
    };
    vec![
        choice("accept", "Allow once", ChoiceKind::AllowOnce),
        choice(
            "acceptForSession",
            "Allow for this session",
            ChoiceKind::AllowAlways,
        ),
        choice("decline", "Reject", ChoiceKind::RejectOnce),
    ]
}

pub(super) fn started(item: &Value) -> Option<Step> {
    let event = match text(item, "/type") {
        "contextCompaction" => Event::Compacting { on: true },
        kind @ ("commandExecution" | "fileChange" | "mcpToolCall" | "dynamicToolCall"
        | "webSearch") => Event::Tool(ToolCall {
            id: text(item, "/id").to_owned(),
            name: kind.to_owned(),
            title: match command(item) {
                command if !command.is_empty() => command,
                _ => text(item, "/tool").to_owned(),
            },
            arguments: item.clone(),
        }),
        _ => return None,
    };
    Some(Step::Say(event))
}

pub(super) fn tool_ended(item: &Value) -> Event {
    let failed = matches!(text(item, "/status"), "failed" | "declined");
    let output = match text(item, "/aggregatedOutput") {
        "" => vec![Output::Other {
            value: item.clone(),
        }],
        words => vec![Output::Text {
            text: words.to_owned(),
        }],
    };
    Event::ToolEnded {
        id: text(item, "/id").to_owned(),
        outcome: if failed {
            ToolOutcome::Failed
        } else {
            ToolOutcome::Ok
        },
        output,
    }
}

pub(super) fn plan(params: &Value) -> Vec<PlanEntry> {
    let steps = params.get("plan").and_then(Value::as_array);
    let one = |it: &Value| PlanEntry {
        text: text(it, "/step").to_owned(),
        status: match text(it, "/status") {
            "completed" => PlanStatus::Completed,
            "inProgress" | "in_progress" => PlanStatus::InProgress,
            _ => PlanStatus::Pending,
        },
    };
    steps.into_iter().flatten().map(one).collect()
}

pub(super) fn usage(params: &Value) -> Event {
    let number = |path: &str| params.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    Event::Usage {
        input: number("/tokenUsage/last/inputTokens"),
        output: number("/tokenUsage/last/outputTokens"),
    }
}

pub(super) fn ending(status: &str, words: String) -> Ending {
    match status {
        "completed" => Ending::Done,
        "interrupted" => Ending::Stopped,
        _ => {
            let fault = Fault::of(&words);
            Ending::Failed { words, fault }
        }
    }
}
