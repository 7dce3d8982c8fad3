//! The Agent Client Protocol, version 1 (agentclientprotocol.com): Gemini, OpenCode, Qwen, Kimi,
//! Copilot, Hermes, Goose and others.
//!
//! `initialize`, `authenticate` when it is asked for by data, `session/new` or `session/load`, then
//! `session/prompt` for each turn. We offer neither files nor terminals: agents do their own work. A
//! conversation counts as ready once it runs on what was chosen: a mode or a model that the agent does
//! not have fails the turn, nothing is sent on another one.

mod replay;
mod settings;
mod update;

#[cfg(test)]
mod tests;

use super::rpc::{Message, Rpc, RpcError};
use super::{Answer, Driver, Open, Prompt, Setting, Step, broken, pick, text};
use crate::event::{Card, Choice, ChoiceKind, Ending, Event, Fault};
use replay::Replay;
use serde_json::{Value, json};
use settings::{Change, Settings, wanted};
use std::collections::{BTreeMap, VecDeque};

/// What is known of one framework's use of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// The method to authenticate with, without which a new conversation is refused.
    pub authenticate: Option<String>,
    /// Words by which a refused load means that the conversation is not there.
    pub lost: Vec<String>,
    /// Words by which a refused load means that another process has it.
    pub held: Vec<String>,
    /// A load that shows nothing of the past means that the conversation is not there: the caller
    /// knows of messages in it.
    pub empty_is_lost: bool,
    /// The mode was chosen by an argument of its command line.
    pub mode_chosen: bool,
    /// The model was.
    pub model_chosen: bool,
    /// The effort was.
    pub effort_chosen: bool,
}

/// The machine.
#[derive(Debug)]
pub struct Acp {
    rpc: Rpc<Mark>,
    manner: Manner,
    open: Open,
    /// The conversation that is open.
    session: Option<String>,
    /// The conversation is being loaded.
    loading: bool,
    replay: Replay,
    /// What is still to be set before the conversation is ready.
    choosing: VecDeque<Setting>,
    replayed: Option<usize>,
    cards: BTreeMap<String, Asked>,
    turn: bool,
    stopping: bool,
    accepted: bool,
    settings: Settings,
}

/// A request of ours that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    Initialize,
    Authenticate,
    New,
    Load,
    Prompt,
    Choose(Setting),
    Set(Setting),
}

/// A question of the agent's that waits.
#[derive(Debug)]
struct Asked {
    id: Value,
    options: Vec<Choice>,
}

impl Acp {
    /// A machine for a framework with this manner.
    #[must_use]
    pub fn new(manner: Manner) -> Self {
        Self {
            rpc: Rpc::new(true),
            manner,
            open: Open::default(),
            session: None,
            loading: false,
            replay: Replay::default(),
            choosing: VecDeque::new(),
            replayed: None,
            cards: BTreeMap::new(),
            turn: false,
            stopping: false,
            accepted: false,
            settings: Settings::default(),
        }
    }

    fn request(&mut self, method: &str, params: &Value, mark: Mark) -> Vec<Step> {
        vec![Step::Send(self.rpc.request(method, params, mark))]
    }

    /// Opens the conversation once the agent is ready to.
    fn enter(&mut self) -> Vec<Step> {
        let folder = self.open.folder.clone();
        match self.open.session.clone() {
            None => {
                let params = json!({ "cwd": folder, "mcpServers": [] });
                self.request("session/new", &params, Mark::New)
            }
            Some(id) => {
                self.loading = true;
                let params = json!({ "sessionId": id, "cwd": folder, "mcpServers": [] });
                self.request("session/load", &params, Mark::Load)
            }
        }
    }

    fn answered(&mut self, mark: Mark, result: Result<Value, RpcError>) -> Vec<Step> {
        match (mark, result) {
            (Mark::Initialize, Ok(result)) => self.initialized(&result),
            (Mark::Authenticate, Ok(_)) => self.enter(),
            (Mark::New, Ok(result)) => self.opened(&result, None),
            (Mark::Load, Ok(result)) => self.loaded(&result),
            (Mark::Load, Err(error)) => self.not_loaded(&error),
            (Mark::Prompt, Ok(result)) => self.prompted(&result),
            (Mark::Choose(setting), Ok(_)) => {
                self.settings.changed(&setting);
                self.choose()
            }
            (Mark::Choose(setting), Err(error)) => {
                let wanted = wanted(&setting);
                self.fail(format!("it does not run on {wanted}: {}", error.words()))
            }
            (Mark::Set(setting), Err(error)) => {
                let wanted = wanted(&setting);
                let text = format!("it was not changed to {wanted}: {}", error.words());
                let knob = setting.knob();
                vec![Step::Say(Event::NotSet { knob, text })]
            }
            (Mark::Set(setting), Ok(_)) => {
                self.settings.changed(&setting);
                Vec::new()
            }
            (Mark::Initialize | Mark::Authenticate | Mark::New | Mark::Prompt, Err(error)) => {
                self.fail(error.words())
            }
        }
    }

    fn fail(&mut self, words: String) -> Vec<Step> {
        let fault = Fault::of(&words);
        self.end(Ending::Failed { words, fault })
    }

    fn prompted(&mut self, result: &Value) -> Vec<Step> {
        let usage = update::used(result).map(Step::Say);
        let ending = update::ending(text(result, "/stopReason"));
        usage.into_iter().chain(self.end(ending)).collect()
    }

    fn initialized(&mut self, result: &Value) -> Vec<Step> {
        let version = result.get("protocolVersion").and_then(Value::as_u64);
        if version != Some(1) {
            return broken(format!(
                "it speaks version {} of the protocol; this program speaks 1",
                version.unwrap_or_default()
            ));
        }
        let loads = result.pointer("/agentCapabilities/loadSession");
        if self.open.session.is_some() && loads != Some(&Value::Bool(true)) {
            let words = "it cannot open an earlier conversation".to_owned();
            return vec![Step::Say(Event::Lost { words })];
        }
        match self.manner.authenticate.clone() {
            Some(method) => {
                let params = json!({ "methodId": method });
                self.request("authenticate", &params, Mark::Authenticate)
            }
            None => self.enter(),
        }
    }

    fn opened(&mut self, result: &Value, replayed: Option<usize>) -> Vec<Step> {
        let named = text(result, "/sessionId");
        let id = match (&self.open.session, named) {
            (Some(asked), "") => asked.clone(),
            (Some(asked), got) if asked != got => {
                return vec![Step::Say(Event::Other {
                    asked: asked.clone(),
                    got: got.to_owned(),
                })];
            }
            (None, "") => return broken("it opened a conversation without naming it"),
            (_, got) => got.to_owned(),
        };
        self.session = Some(id.clone());
        self.settings = Settings::of(result);
        self.replayed = replayed;
        let open = &self.open;
        let chosen = [
            (
                self.manner.mode_chosen,
                open.mode.clone().map(Setting::Mode),
            ),
            (
                self.manner.model_chosen,
                open.model.clone().map(Setting::Model),
            ),
            (
                self.manner.effort_chosen,
                open.effort.clone().map(Setting::Effort),
            ),
        ];
        let by_protocol = chosen.into_iter().filter(|it| !it.0);
        self.choosing = by_protocol.filter_map(|it| it.1).collect();
        let mut steps = vec![Step::Say(Event::Session { id })];
        steps.extend(self.choose());
        steps
    }

    /// Asks for the next of what was chosen; with none left the conversation is ready.
    fn choose(&mut self) -> Vec<Step> {
        let session = self.session.clone().unwrap_or_default();
        let mut steps = Vec::new();
        while let Some(setting) = self.choosing.pop_front() {
            match self.settings.change(&session, &setting) {
                Change::Already => {}
                Change::Ask { method, params } => {
                    steps.extend(self.request(method, &params, Mark::Choose(setting)));
                    return steps;
                }
                Change::Unknown(words) => return self.fail(words),
                // Less access or another bill than was asked for must not go unseen; effort is neither.
                Change::None => match setting {
                    Setting::Effort(effort) => {
                        let text = format!("it has no effort to choose; {effort} is not used");
                        steps.push(Step::Say(Event::Notice { text }));
                    }
                    Setting::Mode(mode) => {
                        return self
                            .fail(format!("it has no modes to choose from; {mode} is none"));
                    }
                    Setting::Model(model) => {
                        return self
                            .fail(format!("it has no models to choose from; {model} is none"));
                    }
                },
            }
        }
        let replayed = self.replayed;
        steps.push(Step::Say(Event::Ready { replayed }));
        steps
    }

    /// An empty answer to a load is a valid one, and what Hermes says of a conversation that is not
    /// there; only what was shown meanwhile tells.
    fn loaded(&mut self, result: &Value) -> Vec<Step> {
        self.loading = false;
        let shown = self.replay.messages;
        let nothing = result.as_object().is_none_or(serde_json::Map::is_empty);
        if shown == 0 && (self.manner.empty_is_lost || nothing) {
            let words = "it opened the conversation and showed nothing of it".to_owned();
            return vec![Step::Say(Event::Lost { words })];
        }
        self.opened(result, Some(shown))
    }

    fn not_loaded(&mut self, error: &RpcError) -> Vec<Step> {
        self.loading = false;
        let words = error.words();
        let has = |any: &[String]| any.iter().any(|it| words.contains(it.as_str()));
        let event = if has(&self.manner.held) {
            Event::Held { words }
        } else if has(&self.manner.lost) || error.code == -32002 {
            Event::Lost { words }
        } else {
            let fault = Fault::of(&words);
            let ending = Ending::Failed { words, fault };
            Event::Ended { ending }
        };
        vec![Step::Say(event)]
    }

    /// The first sign of life after a prompt says that the agent has it.
    fn sign(&mut self) -> Option<Step> {
        if self.turn && !self.accepted {
            self.accepted = true;
            return Some(Step::Say(Event::Accepted));
        }
        None
    }

    fn end(&mut self, ending: Ending) -> Vec<Step> {
        self.turn = false;
        self.accepted = false;
        let stopped = std::mem::take(&mut self.stopping);
        let mut steps = self.drop_cards();
        let ending = match ending {
            Ending::Failed { .. } if stopped => Ending::Stopped,
            other => other,
        };
        steps.push(Step::Say(Event::Ended { ending }));
        steps
    }

    /// Cards still open when their turn is over: answered as cancelled, so that nobody waits.
    fn drop_cards(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (card, asked) in std::mem::take(&mut self.cards) {
            let result = json!({ "outcome": { "outcome": "cancelled" } });
            steps.push(Step::Send(self.rpc.answer(&asked.id, &result)));
            steps.push(Step::Say(Event::CardGone { id: card }));
        }
        steps
    }

    fn asked(&mut self, id: &Value, method: &str, params: &Value) -> Vec<Step> {
        if method != "session/request_permission" {
            let refusal = self.rpc.refuse(id, method);
            return vec![Step::Send(refusal)];
        }
        let card = Card {
            id: format!("card-{id}"),
            title: match text(params, "/toolCall/title") {
                "" => "It asks for permission".to_owned(),
                title => title.to_owned(),
            },
            detail: update::content(params.pointer("/toolCall/content")),
            options: update::choices(params),
            tool: text(params, "/toolCall/toolCallId").to_owned(),
        };
        if self.stopping {
            let result = json!({ "outcome": { "outcome": "cancelled" } });
            return vec![Step::Send(self.rpc.answer(id, &result))];
        }
        let asked = Asked {
            id: id.clone(),
            options: card.options.clone(),
        };
        self.cards.insert(card.id.clone(), asked);
        let mut steps: Vec<Step> = self.sign().into_iter().collect();
        steps.extend(update::tool(&params["toolCall"]).map(Step::Say));
        steps.push(Step::Say(Event::Card(card)));
        steps
    }

    fn told(&mut self, method: &str, params: &Value) -> Vec<Step> {
        // An extension of a framework's own begins with `_`; unknown ones are not for us.
        if method != "session/update" {
            return Vec::new();
        }
        let update = &params["update"];
        if self.loading {
            self.replay.take(update);
            return Vec::new();
        }
        let theirs = text(params, "/sessionId");
        if self.session.as_deref().is_some_and(|it| it != theirs) && !theirs.is_empty() {
            return Vec::new(); // another conversation of the same process, e.g. a sub-agent's
        }
        let events = update::events(update);
        let mut steps: Vec<Step> = match events.iter().any(update::is_progress) {
            true => self.sign().into_iter().collect(),
            false => Vec::new(),
        };
        steps.extend(events.into_iter().map(Step::Say));
        steps
    }
}

impl Driver for Acp {
    fn open(&mut self, open: Open) -> Vec<Step> {
        self.open = open;
        let params = json!({
            "protocolVersion": 1,
            "clientCapabilities": {
                "fs": { "readTextFile": false, "writeTextFile": false },
                "terminal": false,
            },
            "clientInfo": { "name": "abide", "version": env!("CARGO_PKG_VERSION") },
        });
        self.request("initialize", &params, Mark::Initialize)
    }

    fn prompt(&mut self, prompt: &Prompt) -> Vec<Step> {
        let Some(session) = self.session.clone() else {
            return broken("a prompt before the conversation was open");
        };
        self.turn = true;
        self.accepted = false;
        let params = json!({
            "sessionId": session,
            "prompt": [{ "type": "text", "text": prompt.text }],
        });
        self.request("session/prompt", &params, Mark::Prompt)
    }

    fn receive(&mut self, line: &str) -> Vec<Step> {
        match self.rpc.read(line) {
            Ok(Message::Answer { mark, result }) => self.answered(mark, result),
            Ok(Message::Request { id, method, params }) => self.asked(&id, &method, &params),
            Ok(Message::Notification { method, params }) => self.told(&method, &params),
            Err(why) => broken(why),
        }
    }

    fn answer(&mut self, card: &str, answer: &Answer) -> Vec<Step> {
        let Some(asked) = self.cards.remove(card) else {
            return Vec::new();
        };
        let chosen = match answer {
            Answer::Choice(id) => asked.options.iter().find(|it| it.id == *id),
            // Words are no option of a permission: they refuse it.
            Answer::Text(_) => pick(&asked.options, ChoiceKind::RejectOnce),
            Answer::Cancelled => None,
        };
        let outcome = match chosen {
            Some(option) => json!({ "outcome": "selected", "optionId": option.id }),
            None => json!({ "outcome": "cancelled" }),
        };
        vec![
            Step::Send(self.rpc.answer(&asked.id, &json!({ "outcome": outcome }))),
            Step::Say(Event::CardGone {
                id: card.to_owned(),
            }),
        ]
    }

    /// Pending permissions are answered `cancelled`, as the protocol wants of a client that cancels.
    fn stop(&mut self) -> Vec<Step> {
        let Some(session) = self.session.clone().filter(|_| self.turn) else {
            return Vec::new();
        };
        self.stopping = true;
        let params = json!({ "sessionId": session });
        let mut steps = vec![Step::Send(self.rpc.notify("session/cancel", &params))];
        steps.extend(self.drop_cards());
        steps
    }

    fn set(&mut self, setting: &Setting) -> Vec<Step> {
        let Some(session) = self.session.clone() else {
            return Vec::new();
        };
        match self.settings.change(&session, setting) {
            Change::Ask { method, params } => {
                self.request(method, &params, Mark::Set(setting.clone()))
            }
            Change::Already => {
                let text = format!("it runs on {} already", wanted(setting));
                vec![Step::Say(Event::Notice { text })]
            }
            Change::Unknown(text) => {
                let knob = setting.knob();
                vec![Step::Say(Event::NotSet { knob, text })]
            }
            Change::None => Vec::new(),
        }
    }

    fn holds(&self, message: &str) -> Option<bool> {
        self.session.as_ref().map(|_| self.replay.holds(message))
    }
}
