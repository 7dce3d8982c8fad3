//! Claude Code's stream-json: `claude -p --input-format stream-json --output-format stream-json
//! --verbose --include-partial-messages --permission-prompt-tool stdio`.
//!
//! Nothing comes before the first message, so the conversation is ready at once; its id is told by
//! the first frame of the turn. Permissions and questions come as `control_request`s. A message's
//! uuid that has anything behind it in its transcript, be it an answer or the first tool call of one, is
//! not run again by the CLI itself: it is `completed` at once and no result comes (seen with 2.1.332).
//! What was cut there goes on by the note alone, as a message of its own.

mod frames;
#[cfg(test)]
mod tests;

use super::{Answer, Driver, Open, Prompt, Setting, Step, broken, text};
use crate::event::{Ending, Event, Fault, ToolCall};
use frames::{answered, card, deny, input, respond, results, tasks, title, words};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const LOST: &str = "No conversation found with session ID";
const HELD: &str = "is already in use";

/// The machine.
#[derive(Debug, Default)]
pub struct Claude {
    open: Open,
    session: Option<String>,
    cards: BTreeMap<String, Value>,
    turn: bool,
    stopping: bool,
    accepted: bool,
    /// Words of the message under way have come one by one already.
    streamed: bool,
    /// It said that it compacts.
    compacting: bool,
    /// Tokens that the message under way was asked with.
    input: u64,
    requests: u64,
    /// The message that the turn was begun with, until the CLI begins it.
    waiting: Option<Prompt>,
}

impl Claude {
    /// A machine for a process that was just started.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn control(&mut self, request: &Value) -> Step {
        self.requests += 1;
        let id = format!("abide-{}", self.requests);
        let line = json!({ "type": "control_request", "request_id": id, "request": request });
        Step::Send(line.to_string())
    }

    fn sign(&mut self) -> Option<Step> {
        if self.turn && !self.accepted {
            self.accepted = true;
            return Some(Step::Say(Event::Accepted));
        }
        None
    }

    /// The frame's conversation, when it is news. Another one than the one asked for is told before
    /// anything else is.
    fn named(&mut self, frame: &Value) -> Vec<Step> {
        let id = text(frame, "/session_id");
        if id.is_empty() || self.session.as_deref() == Some(id) {
            return Vec::new();
        }
        let first = self.session.is_none();
        self.session = Some(id.to_owned());
        match &self.open.session {
            Some(asked) if first && asked != id => vec![Step::Say(Event::Other {
                asked: asked.clone(),
                got: id.to_owned(),
            })],
            _ => vec![Step::Say(Event::Session { id: id.to_owned() })],
        }
    }

    fn frame(&mut self, frame: &Value) -> Vec<Step> {
        match text(frame, "/type") {
            "system" => self.system(frame),
            "stream_event" => self.partial(frame),
            "assistant" => self.message(frame),
            "user" => results(frame),
            "control_request" => self.asked(frame),
            "control_cancel_request" => self.withdrawn(text(frame, "/request_id")),
            "control_response" => answered(frame),
            "command_lifecycle" => self.lifecycle(frame),
            "result" => self.result(frame),
            _ => Vec::new(),
        }
    }

    /// What becomes of the message that was sent.
    fn lifecycle(&mut self, frame: &Value) -> Vec<Step> {
        let ours = |it: &Prompt| it.uuid == text(frame, "/command_uuid");
        if !self.waiting.as_ref().is_some_and(ours) {
            return Vec::new();
        }
        match text(frame, "/state") {
            "started" => {
                self.waiting = None;
                Vec::new()
            }
            "completed" => match self.waiting.take().and_then(|it| it.instead) {
                Some(note) => vec![self.user(&note, None)],
                None => self.over(Ending::Failed {
                    words: "it takes the message for one that it has answered".to_owned(),
                    fault: Fault::Other,
                }),
            },
            _ => Vec::new(),
        }
    }

    /// A message; without a uuid the CLI gives it one.
    fn user(&self, text: &str, uuid: Option<&str>) -> Step {
        let mut line = json!({
            "type": "user",
            "message": {
                "role": "user",
                "content": [{ "type": "text", "text": text }],
            },
            "parent_tool_use_id": null,
            "session_id": self.session.clone().unwrap_or_default(),
        });
        if let Some(uuid) = uuid {
            line["uuid"] = uuid.into();
        }
        Step::Send(line.to_string())
    }

    fn system(&mut self, frame: &Value) -> Vec<Step> {
        match text(frame, "/subtype") {
            "init" => {
                let mut steps = self.named(frame);
                steps.extend(self.sign());
                steps
            }
            "api_retry" => {
                let text = format!("trying again: {}", text(frame, "/error"));
                vec![Step::Say(Event::Notice { text })]
            }
            "status" => {
                // Its other states, "requesting" among them, say that it does not.
                self.compacts(text(frame, "/status") == "compacting")
            }
            "compact_boundary" => self.compacts(false),
            "permission_denied" => {
                let text = format!("not allowed: {}", text(frame, "/tool_name"));
                vec![Step::Say(Event::Notice { text })]
            }
            "background_tasks_changed" => vec![Step::Say(Event::Background {
                tasks: tasks(frame),
            })],
            _ => Vec::new(),
        }
    }

    fn compacts(&mut self, on: bool) -> Vec<Step> {
        if std::mem::replace(&mut self.compacting, on) == on {
            return Vec::new();
        }
        vec![Step::Say(Event::Compacting { on })]
    }

    fn partial(&mut self, frame: &Value) -> Vec<Step> {
        if !text(frame, "/parent_tool_use_id").is_empty() {
            return Vec::new(); // a sub-agent's own words
        }
        if text(frame, "/event/type") == "message_start" {
            self.input = input(&frame["event"]["message"]["usage"]);
            return Vec::new();
        }
        if text(frame, "/event/type") == "message_delta" {
            let output = frame.pointer("/event/usage/output_tokens");
            let usage = output.and_then(Value::as_u64).map(|output| Event::Usage {
                input: self.input,
                output,
            });
            return usage.map(Step::Say).into_iter().collect();
        }
        let delta = &frame["event"]["delta"];
        let words = |path| text(delta, path).to_owned();
        let event = match text(delta, "/type") {
            "text_delta" => Event::Text {
                text: words("/text"),
            },
            "thinking_delta" => Event::Thought {
                text: words("/thinking"),
            },
            _ => return Vec::new(),
        };
        self.streamed = true;
        let mut steps: Vec<Step> = self.sign().into_iter().collect();
        steps.push(Step::Say(event));
        steps
    }

    fn message(&mut self, frame: &Value) -> Vec<Step> {
        let mut steps = self.named(frame);
        steps.extend(self.sign());
        let nested = !text(frame, "/parent_tool_use_id").is_empty();
        let blocks = frame.pointer("/message/content").and_then(Value::as_array);
        for block in blocks.into_iter().flatten() {
            match text(block, "/type") {
                "text" if !self.streamed && !nested => steps.push(Step::Say(Event::Text {
                    text: text(block, "/text").to_owned(),
                })),
                "tool_use" => steps.push(Step::Say(Event::Tool(ToolCall {
                    id: text(block, "/id").to_owned(),
                    name: text(block, "/name").to_owned(),
                    title: title(block),
                    arguments: block["input"].clone(),
                }))),
                _ => {}
            }
        }
        self.streamed &= nested;
        steps
    }

    fn asked(&mut self, frame: &Value) -> Vec<Step> {
        let id = text(frame, "/request_id").to_owned();
        let request = &frame["request"];
        if text(request, "/subtype") != "can_use_tool" {
            let error = format!("this client has no {}", text(request, "/subtype"));
            let response = json!({ "subtype": "error", "request_id": id, "error": error });
            let line = json!({ "type": "control_response", "response": response });
            return vec![Step::Send(line.to_string())];
        }
        if self.stopping {
            return vec![deny(&id, "stopped")];
        }
        let card = card(&id, request);
        self.cards.insert(id, request["input"].clone());
        vec![Step::Say(Event::Card(card))]
    }

    fn withdrawn(&mut self, id: &str) -> Vec<Step> {
        match self.cards.remove(id) {
            Some(_) => vec![Step::Say(Event::CardGone { id: id.to_owned() })],
            None => Vec::new(),
        }
    }

    fn drop_cards(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for id in std::mem::take(&mut self.cards).into_keys() {
            steps.push(deny(&id, "stopped"));
            steps.push(Step::Say(Event::CardGone { id }));
        }
        steps
    }

    fn result(&mut self, frame: &Value) -> Vec<Step> {
        let failed = frame.get("is_error") == Some(&Value::Bool(true))
            || text(frame, "/subtype") != "success";
        let words = words(frame);
        if failed && words.contains(LOST) {
            self.turn = false;
            return vec![Step::Say(Event::Lost { words })];
        }
        let mut steps = self.named(frame);
        let stopped = self.stopping;
        let aborted = text(frame, "/terminal_reason").starts_with("aborted");
        let ending = match failed {
            true if stopped || aborted => Ending::Stopped,
            true => {
                let fault = Fault::of(&words);
                Ending::Failed { words, fault }
            }
            false => Ending::Done,
        };
        steps.extend(self.over(ending));
        steps
    }

    fn over(&mut self, ending: Ending) -> Vec<Step> {
        let mut steps = Vec::new();
        if std::mem::take(&mut self.turn) {
            steps.extend(self.drop_cards());
        }
        self.stopping = false;
        self.accepted = false;
        self.waiting = None;
        steps.push(Step::Say(Event::Ended { ending }));
        steps
    }
}

impl Driver for Claude {
    fn open(&mut self, open: Open) -> Vec<Step> {
        self.open = open;
        // The id, the folder, the model and the mode are in its arguments; it says nothing yet.
        vec![Step::Say(Event::Ready { replayed: None })]
    }

    fn prompt(&mut self, prompt: &Prompt) -> Vec<Step> {
        self.turn = true;
        self.accepted = false;
        self.streamed = false;
        self.waiting = Some(prompt.clone());
        vec![self.user(&prompt.text, Some(&prompt.uuid))]
    }

    fn receive(&mut self, line: &str) -> Vec<Step> {
        if let Ok(frame) = serde_json::from_str::<Value>(line)
            && frame.is_object()
        {
            return self.frame(&frame);
        }
        // Before its first frame it words what went wrong.
        let words = line.to_owned();
        if line.contains(LOST) {
            return vec![Step::Say(Event::Lost { words })];
        }
        if line.contains(HELD) {
            return vec![Step::Say(Event::Held { words })];
        }
        broken("a line that is not JSON")
    }

    fn answer(&mut self, card: &str, answer: &Answer) -> Vec<Step> {
        let Some(input) = self.cards.remove(card) else {
            return Vec::new();
        };
        let question = text(&input, "/questions/0/question").to_owned();
        let step = match answer {
            Answer::Cancelled => deny(card, "stopped"),
            Answer::Choice(id) | Answer::Text(id) if !question.is_empty() => {
                let mut input = input;
                let mut answers = serde_json::Map::new();
                answers.insert(question, Value::String(id.clone()));
                input["answers"] = Value::Object(answers);
                respond(card, &json!({ "behavior": "allow", "updatedInput": input }))
            }
            Answer::Choice(id) if id == "allow" || id == "always" => {
                respond(card, &json!({ "behavior": "allow", "updatedInput": input }))
            }
            Answer::Choice(_) => deny(card, "the user said no"),
            Answer::Text(why) => deny(card, why),
        };
        let id = card.to_owned();
        vec![step, Step::Say(Event::CardGone { id })]
    }

    fn stop(&mut self) -> Vec<Step> {
        if !self.turn {
            return Vec::new();
        }
        self.stopping = true;
        let mut steps = vec![self.control(&json!({ "subtype": "interrupt" }))];
        steps.extend(self.drop_cards());
        steps
    }

    fn set(&mut self, setting: &Setting) -> Vec<Step> {
        let request = match setting {
            Setting::Model(model) => json!({ "subtype": "set_model", "model": model }),
            Setting::Mode(mode) => json!({ "subtype": "set_permission_mode", "mode": mode }),
            Setting::Effort(_) => return Vec::new(),
        };
        vec![self.control(&request)]
    }
}
