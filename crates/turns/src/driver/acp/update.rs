//! One `session/update` of the Agent Client Protocol as events. Pure; an unknown kind is no event and
//! no fault, since frameworks add their own.

use super::super::text;
use crate::event::{
    Choice, ChoiceKind, Ending, Event, Fault, Output, PlanEntry, PlanStatus, ToolCall, ToolOutcome,
};
use serde_json::Value;

/// What an update says.
pub(super) fn events(update: &Value) -> Vec<Event> {
    match text(update, "/sessionUpdate") {
        "agent_message_chunk" => words(update)
            .map(|text| Event::Text { text })
            .into_iter()
            .collect(),
        "agent_thought_chunk" => words(update)
            .map(|text| Event::Thought { text })
            .into_iter()
            .collect(),
        "tool_call" | "tool_call_update" => tool(update).into_iter().chain(ended(update)).collect(),
        "plan" => vec![Event::Plan {
            entries: plan(update),
        }],
        "usage_update" => usage(update).into_iter().collect(),
        "current_mode_update" => vec![Event::Notice {
            text: format!("mode: {}", text(update, "/currentModeId")),
        }],
        _ => Vec::new(),
    }
}

fn words(update: &Value) -> Option<String> {
    let text = text(update, "/content/text");
    (!text.is_empty()).then(|| text.to_owned())
}

/// What an update says of a tool call, beside its end.
pub(super) fn tool(update: &Value) -> Option<Event> {
    let id = text(update, "/toolCallId");
    let call = ToolCall {
        id: id.to_owned(),
        name: match text(update, "/kind") {
            "" => String::new(),
            kind => kind.to_owned(),
        },
        title: text(update, "/title").to_owned(),
        arguments: update.get("rawInput").cloned().unwrap_or(Value::Null),
    };
    let says = !(call.name.is_empty() && call.title.is_empty() && call.arguments.is_null());
    (!id.is_empty() && says).then_some(Event::Tool(call))
}

fn ended(update: &Value) -> Option<Event> {
    let outcome = match text(update, "/status") {
        "completed" => ToolOutcome::Ok,
        "failed" => ToolOutcome::Failed,
        _ => return None,
    };
    let mut output = content(update.get("content"));
    if output.is_empty()
        && let Some(raw) = update.get("rawOutput").filter(|it| !it.is_null())
    {
        output.push(match raw.as_str() {
            Some(text) => Output::Text {
                text: text.to_owned(),
            },
            None => Output::Other { value: raw.clone() },
        });
    }
    Some(Event::ToolEnded {
        id: text(update, "/toolCallId").to_owned(),
        outcome,
        output,
    })
}

/// A tool call's content.
pub(super) fn content(content: Option<&Value>) -> Vec<Output> {
    let one = |it: &Value| match text(it, "/type") {
        "diff" => Output::Diff {
            path: text(it, "/path").to_owned(),
            old: it.get("oldText").and_then(Value::as_str).map(str::to_owned),
            new: text(it, "/newText").to_owned(),
        },
        "content" if text(it, "/content/type") == "text" => Output::Text {
            text: text(it, "/content/text").to_owned(),
        },
        _ => Output::Other { value: it.clone() },
    };
    let list = content.and_then(Value::as_array);
    list.into_iter().flatten().map(one).collect()
}

fn plan(update: &Value) -> Vec<PlanEntry> {
    let entries = update.get("entries").and_then(Value::as_array);
    let one = |it: &Value| PlanEntry {
        text: text(it, "/content").to_owned(),
        status: match text(it, "/status") {
            "completed" => PlanStatus::Completed,
            "in_progress" => PlanStatus::InProgress,
            _ => PlanStatus::Pending,
        },
    };
    entries.into_iter().flatten().map(one).collect()
}

fn usage(update: &Value) -> Option<Event> {
    let number = |path: &str| update.pointer(path).and_then(Value::as_u64);
    let input = number("/usage/inputTokens").or(number("/used"))?;
    let output = number("/usage/outputTokens").unwrap_or(0);
    Some(Event::Usage { input, output })
}

/// The tokens that the answer to a prompt tells, where it does.
pub(super) fn used(result: &Value) -> Option<Event> {
    let places = [
        ("/usage/inputTokens", "/usage/outputTokens"),
        // As Gemini CLI tells them.
        (
            "/_meta/quota/token_count/input_tokens",
            "/_meta/quota/token_count/output_tokens",
        ),
    ];
    let number = |path: &str| result.pointer(path).and_then(Value::as_u64);
    places.iter().find_map(|(input, output)| {
        let (input, output) = (number(input)?, number(output).unwrap_or(0));
        Some(Event::Usage { input, output })
    })
}

pub(super) const fn is_progress(event: &Event) -> bool {
    matches!(
        event,
        Event::Text { .. } | Event::Thought { .. } | Event::Tool(_) | Event::Plan { .. }
    )
}

pub(super) fn choices(params: &Value) -> Vec<Choice> {
    let options = params.get("options").and_then(Value::as_array);
    let kind = |it: &Value| match text(it, "/kind") {
        "allow_once" => ChoiceKind::AllowOnce,
        "allow_always" => ChoiceKind::AllowAlways,
        "reject_always" => ChoiceKind::RejectAlways,
        "reject_once" => ChoiceKind::RejectOnce,
        // What is not known may grant: a person can choose it by its name, no rule does.
        _ => ChoiceKind::Reply,
    };
    options
        .into_iter()
        .flatten()
        .map(|it| Choice {
            id: text(it, "/optionId").to_owned(),
            name: text(it, "/name").to_owned(),
            kind: kind(it),
        })
        .collect()
}

pub(super) fn ending(reason: &str) -> Ending {
    match reason {
        "end_turn" => Ending::Done,
        "cancelled" => Ending::Stopped,
        "refusal" => Ending::Refused {
            words: String::new(),
        },
        "max_tokens" | "max_turn_requests" => Ending::Failed {
            words: format!("it stopped: {}", reason.replace('_', " ")),
            fault: Fault::Other,
        },
        other => Ending::Failed {
            words: format!("it stopped for a reason this program does not know: {other:?}"),
            fault: Fault::Other,
        },
    }
}
