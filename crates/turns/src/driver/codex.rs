//! Codex's app-server: JSON-RPC lines on stdio, `initialize`, `initialized`, `thread/start` or
//! `thread/resume`, then `turn/start` for each turn.
//!
//! A thread has no file before its first turn: the app-server that made it answers its resume with
//! the very words it has for a thread that is gone, so those mean "lost" only to another process than
//! the one that made it ([`Codex::made`]).

mod items;
#[cfg(test)]
mod tests;

use super::rpc::{Message, Rpc, RpcError};
use super::{Answer, Driver, Open, Prompt, Setting, Step, broken, text};
use crate::event::{Card, Ending, Event, Fault, Output};
use items::{approvals, asked, command, ending, plan, started, tool_ended, usage};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const LOST: [&str; 2] = ["no rollout found", "invalid session id"];
const HELD: &str = "already has an active writer";

/// The machine.
#[derive(Debug)]
pub struct Codex {
    rpc: Rpc<Mark>,
    open: Open,
    thread: Option<String>,
    /// Threads that this very process has made.
    made: Vec<String>,
    turn: Option<String>,
    running: bool,
    stopping: bool,
    accepted: bool,
    cards: BTreeMap<String, Value>,
    /// Messages whose words have come one by one.
    streamed: Vec<String>,
    model: Option<String>,
    effort: Option<String>,
    /// What the person said in the thread's last turn, as it was resumed.
    last: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    Initialize,
    Start,
    Resume,
    Turn,
    Interrupt,
}

impl Default for Codex {
    fn default() -> Self {
        Self::new()
    }
}

impl Codex {
    /// A machine for a process that was just started.
    #[must_use]
    pub fn new() -> Self {
        Self {
            rpc: Rpc::new(false),
            open: Open::default(),
            thread: None,
            made: Vec::new(),
            turn: None,
            running: false,
            stopping: false,
            accepted: false,
            cards: BTreeMap::new(),
            streamed: Vec::new(),
            model: None,
            effort: None,
            last: None,
        }
    }

    /// Whether this very process has made this thread: it lives in it also while it has no file.
    #[must_use]
    pub fn made(&self, thread: &str) -> bool {
        self.made.iter().any(|it| it == thread)
    }

    fn enter(&mut self) -> Vec<Step> {
        let mut params = json!({ "cwd": self.open.folder });
        if let Some(model) = &self.open.model {
            params["model"] = model.as_str().into();
        }
        if let Some(mode) = &self.open.mode {
            // `approval` or `approval/sandbox`, as `untrusted/workspace-write`.
            let (approval, sandbox) = mode.split_once('/').unwrap_or((mode, ""));
            params["approvalPolicy"] = approval.into();
            if !sandbox.is_empty() {
                params["sandbox"] = sandbox.into();
            }
        }
        let ready = Step::Send(self.rpc.notify("initialized", &json!({})));
        let (method, mark) = match &self.open.session {
            None => ("thread/start", Mark::Start),
            Some(id) => {
                params["threadId"] = id.as_str().into();
                ("thread/resume", Mark::Resume)
            }
        };
        vec![ready, Step::Send(self.rpc.request(method, &params, mark))]
    }

    fn answered(&mut self, mark: &Mark, result: Result<Value, RpcError>) -> Vec<Step> {
        match (mark, result) {
            (Mark::Initialize, Ok(_)) => self.enter(),
            (Mark::Start | Mark::Resume, Ok(result)) => self.opened(mark, &result),
            (Mark::Resume, Err(error)) => self.not_resumed(&error),
            (Mark::Turn, Ok(result)) => {
                let id = text(&result, "/turn/id");
                if !id.is_empty() {
                    self.turn = Some(id.to_owned());
                }
                self.sign().into_iter().collect()
            }
            (Mark::Interrupt, _) => Vec::new(),
            (Mark::Initialize | Mark::Start | Mark::Turn, Err(error)) => {
                let words = error.words();
                let fault = Fault::of(&words);
                self.end(Ending::Failed { words, fault })
            }
        }
    }

    fn opened(&mut self, mark: &Mark, result: &Value) -> Vec<Step> {
        let id = text(result, "/thread/id").to_owned();
        if id.is_empty() {
            return broken("it opened a thread without naming it");
        }
        if let Some(asked) = self.open.session.clone().filter(|it| *it != id) {
            return vec![Step::Say(Event::Other { asked, got: id })];
        }
        if *mark == Mark::Start {
            self.made.push(id.clone());
        }
        self.thread = Some(id.clone());
        let turns = result.pointer("/thread/turns").and_then(Value::as_array);
        self.last = Some(
            turns
                .and_then(|it| it.last())
                .map(asked)
                .unwrap_or_default(),
        );
        let replayed = turns.map(Vec::len).filter(|_| *mark == Mark::Resume);
        vec![
            Step::Say(Event::Session { id }),
            Step::Say(Event::Ready { replayed }),
        ]
    }

    fn not_resumed(&mut self, error: &RpcError) -> Vec<Step> {
        let words = error.words();
        let asked = self.open.session.clone().unwrap_or_default();
        if words.contains(HELD) {
            return vec![Step::Say(Event::Held { words })];
        }
        if LOST.iter().any(|it| words.contains(it)) {
            if self.made(&asked) {
                self.thread = Some(asked.clone());
                let ready = Event::Ready { replayed: None };
                return vec![Step::Say(Event::Session { id: asked }), Step::Say(ready)];
            }
            return vec![Step::Say(Event::Lost { words })];
        }
        let fault = Fault::of(&words);
        self.end(Ending::Failed { words, fault })
    }

    fn sign(&mut self) -> Option<Step> {
        if self.running && !self.accepted {
            self.accepted = true;
            return Some(Step::Say(Event::Accepted));
        }
        None
    }

    fn end(&mut self, ending: Ending) -> Vec<Step> {
        self.running = false;
        self.accepted = false;
        self.turn = None;
        self.streamed.clear();
        let stopped = std::mem::take(&mut self.stopping);
        let mut steps = self.drop_cards();
        let ending = match ending {
            Ending::Failed { .. } if stopped => Ending::Stopped,
            other => other,
        };
        steps.push(Step::Say(Event::Ended { ending }));
        steps
    }

    fn drop_cards(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (id, request) in std::mem::take(&mut self.cards) {
            let answer = self.rpc.answer(&request, &json!({ "decision": "cancel" }));
            steps.push(Step::Send(answer));
            steps.push(Step::Say(Event::CardGone { id }));
        }
        steps
    }

    fn asked(&mut self, id: &Value, method: &str, params: &Value) -> Vec<Step> {
        let what = match method {
            "item/commandExecution/requestApproval" => "Run a command",
            "item/fileChange/requestApproval" => "Change files",
            _ => {
                let refusal = self.rpc.refuse(id, method);
                return vec![Step::Send(refusal)];
            }
        };
        if self.stopping {
            let cancel = json!({ "decision": "cancel" });
            return vec![Step::Send(self.rpc.answer(id, &cancel))];
        }
        let card = Card {
            id: format!("card-{id}"),
            title: match (command(params), text(params, "/reason")) {
                (command, _) if !command.is_empty() => command,
                (_, "") => what.to_owned(),
                (_, reason) => reason.to_owned(),
            },
            detail: vec![Output::Other {
                value: params.clone(),
            }],
            options: approvals(),
            tool: text(params, "/itemId").to_owned(),
        };
        self.cards.insert(card.id.clone(), id.clone());
        let mut steps: Vec<Step> = self.sign().into_iter().collect();
        steps.push(Step::Say(Event::Card(card)));
        steps
    }

    fn told(&mut self, method: &str, params: &Value) -> Vec<Step> {
        let theirs = text(params, "/threadId");
        if self.thread.as_deref().is_some_and(|it| it != theirs) && !theirs.is_empty() {
            return Vec::new(); // another thread of the same app-server
        }
        let event = match method {
            "turn/started" => {
                self.turn = Some(text(params, "/turn/id").to_owned());
                return self.sign().into_iter().collect();
            }
            "item/agentMessage/delta" => {
                self.streamed.push(text(params, "/itemId").to_owned());
                self.streamed.dedup();
                Event::Text {
                    text: text(params, "/delta").to_owned(),
                }
            }
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => Event::Thought {
                text: text(params, "/delta").to_owned(),
            },
            "item/started" => return started(&params["item"]).into_iter().collect(),
            "item/completed" => return self.completed(&params["item"]),
            "turn/plan/updated" => Event::Plan {
                entries: plan(params),
            },
            "thread/tokenUsage/updated" => usage(params),
            "turn/completed" => {
                let words = text(params, "/turn/error/message").to_owned();
                return self.end(ending(text(params, "/turn/status"), words));
            }
            "error" if params.get("willRetry") != Some(&Value::Bool(true)) => {
                return Vec::new(); // `turn/completed` follows with the same words
            }
            "error" => Event::Notice {
                text: format!("trying again: {}", text(params, "/error/message")),
            },
            _ => return Vec::new(),
        };
        vec![Step::Say(event)]
    }

    fn completed(&mut self, item: &Value) -> Vec<Step> {
        let id = text(item, "/id");
        match text(item, "/type") {
            "agentMessage" if !self.streamed.iter().any(|it| it == id) => {
                let text = text(item, "/text").to_owned();
                vec![Step::Say(Event::Text { text })]
            }
            "contextCompaction" => vec![Step::Say(Event::Compacting { on: false })],
            "commandExecution" | "fileChange" | "mcpToolCall" | "dynamicToolCall" | "webSearch" => {
                vec![Step::Say(tool_ended(item))]
            }
            _ => Vec::new(),
        }
    }
}

impl Driver for Codex {
    fn open(&mut self, open: Open) -> Vec<Step> {
        self.effort.clone_from(&open.effort);
        self.open = open;
        let client = json!({
            "name": "abide", "title": "abide", "version": env!("CARGO_PKG_VERSION"),
        });
        let params = json!({ "clientInfo": client });
        vec![Step::Send(self.rpc.request(
            "initialize",
            &params,
            Mark::Initialize,
        ))]
    }

    fn prompt(&mut self, prompt: &Prompt) -> Vec<Step> {
        let Some(thread) = self.thread.clone() else {
            return broken("a prompt before the thread was open");
        };
        self.running = true;
        self.accepted = false;
        let mut params = json!({
            "threadId": thread,
            "input": [{ "type": "text", "text": prompt.text }],
        });
        if let Some(model) = &self.model {
            params["model"] = model.as_str().into();
        }
        if let Some(effort) = &self.effort {
            params["effort"] = effort.as_str().into();
        }
        vec![Step::Send(self.rpc.request(
            "turn/start",
            &params,
            Mark::Turn,
        ))]
    }

    fn receive(&mut self, line: &str) -> Vec<Step> {
        match self.rpc.read(line) {
            Ok(Message::Answer { mark, result }) => self.answered(&mark, result),
            Ok(Message::Request { id, method, params }) => self.asked(&id, &method, &params),
            Ok(Message::Notification { method, params }) => self.told(&method, &params),
            Err(why) => broken(why),
        }
    }

    fn answer(&mut self, card: &str, answer: &Answer) -> Vec<Step> {
        let Some(request) = self.cards.remove(card) else {
            return Vec::new();
        };
        let decision = match answer {
            Answer::Choice(id) if approvals().iter().any(|it| it.id == *id) => id.as_str(),
            Answer::Choice(_) | Answer::Text(_) => "decline",
            Answer::Cancelled => "cancel",
        };
        let answer = self.rpc.answer(&request, &json!({ "decision": decision }));
        let id = card.to_owned();
        vec![Step::Send(answer), Step::Say(Event::CardGone { id })]
    }

    fn stop(&mut self) -> Vec<Step> {
        let (Some(thread), true) = (self.thread.clone(), self.running) else {
            return Vec::new();
        };
        self.stopping = true;
        let turn = self.turn.clone().unwrap_or_default();
        let params = json!({ "threadId": thread, "turnId": turn });
        let line = self.rpc.request("turn/interrupt", &params, Mark::Interrupt);
        let mut steps = vec![Step::Send(line)];
        steps.extend(self.drop_cards());
        steps
    }

    /// Model and effort go with the next turn.
    fn set(&mut self, setting: &Setting) -> Vec<Step> {
        let text = match setting {
            Setting::Model(model) => {
                self.model = Some(model.clone());
                format!("the next turn runs on {model}")
            }
            Setting::Effort(effort) => {
                self.effort = Some(effort.clone());
                format!("the next turn runs with effort {effort}")
            }
            Setting::Mode(_) => return Vec::new(),
        };
        vec![Step::Say(Event::Notice { text })]
    }

    fn holds(&self, message: &str) -> Option<bool> {
        self.last.as_ref().map(|it| it.contains(message.trim()))
    }
}
