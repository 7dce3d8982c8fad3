//! What a framework shows of a conversation while it opens it again: was the request that was cut
//! answered after all? Pure.
//!
//! In: the lines of a process that opens an earlier conversation. Out: the last request that they hold,
//! and the answer to it if there is one. Promises: an answer counts only where the framework keeps none
//! but whole ones ([`Trust`]), and only behind the very request; everything else is "not known".

use crate::again::NOTE;
use serde_json::Value;
use std::collections::VecDeque;

/// Requests that are looked at: the last one, and the one before for a note that was sent alone.
const REQUESTS: usize = 2;

/// How a framework's replay tells that an answer is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// It does not.
    #[default]
    None,
    /// It keeps no part of an answer: words that stand behind a request are all of it.
    WholeOnly,
    /// Each turn has a status.
    Status,
}

/// What was shown so far.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    trust: Trust,
    requests: VecDeque<String>,
    /// Words behind the last request, after its last tool call.
    answer: String,
    /// The last piece was the person's.
    in_request: bool,
    /// The last turn's status says that it is complete.
    complete: bool,
}

impl Replay {
    /// For a process that is about to open the conversation.
    #[must_use]
    pub fn new(trust: Trust) -> Self {
        Self {
            trust,
            ..Self::default()
        }
    }

    /// Takes a line as the process wrote it.
    pub fn take(&mut self, line: &str) {
        if self.trust == Trust::None {
            return;
        }
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return;
        };
        if let Some(update) = value.pointer("/params/update") {
            self.update(update);
        } else if let Some(turns) = value.pointer("/result/thread/turns") {
            turns
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|it| self.turn(it));
        }
    }

    /// The Agent Client Protocol: pieces, in order.
    fn update(&mut self, update: &Value) {
        let words = text(update, "/content/text");
        match text(update, "/sessionUpdate") {
            "user_message_chunk" => {
                if !std::mem::replace(&mut self.in_request, true) {
                    self.request(String::new());
                }
                if let Some(request) = self.requests.back_mut() {
                    request.push_str(words);
                }
            }
            "agent_message_chunk" => {
                self.in_request = false;
                self.answer.push_str(words);
            }
            "tool_call" | "tool_call_update" => {
                self.in_request = false;
                self.answer.clear();
            }
            _ => {}
        }
    }

    /// Codex: a turn with its status and its items.
    fn turn(&mut self, turn: &Value) {
        for item in turn["items"].as_array().into_iter().flatten() {
            match text(item, "/type") {
                "userMessage" => {
                    let parts = item["content"].as_array().into_iter().flatten();
                    let words: Vec<&str> = parts.map(|it| text(it, "/text")).collect();
                    self.request(words.join("\n"));
                }
                "agentMessage" => text(item, "/text").clone_into(&mut self.answer),
                _ => {}
            }
        }
        self.complete = text(turn, "/status") == "completed";
    }

    fn request(&mut self, text: String) {
        if self.requests.len() == REQUESTS {
            self.requests.pop_front();
        }
        self.requests.push_back(text);
        self.answer.clear();
        self.complete = false;
    }

    /// The answer to `message`, if it was the last request and was answered.
    #[must_use]
    pub fn answer(&self, message: &str) -> Option<&str> {
        let known = match self.trust {
            Trust::None => false,
            Trust::WholeOnly => !self.answer.trim().is_empty(),
            Trust::Status => self.complete,
        };
        (known && self.is_last(message)).then_some(self.answer.as_str())
    }

    /// The last request is this one, or the note that was sent for it.
    fn is_last(&self, message: &str) -> bool {
        let holds = |request: &String| holds(request, message.trim());
        let mut last = self.requests.iter().rev();
        match last.next() {
            Some(request) if holds(request) => true,
            Some(request) if request.trim() == NOTE => last.next().is_some_and(holds),
            _ => false,
        }
    }
}

/// Whole lines: what was carried or asked before it, and the note, may stand around it.
fn holds(request: &str, message: &str) -> bool {
    let found = |(at, _): (usize, &str)| {
        let (before, after) = (&request[..at], &request[at + message.len()..]);
        (before.trim().is_empty() || before.ends_with('\n'))
            && (after.trim().is_empty() || after.starts_with('\n'))
    };
    !message.is_empty() && request.match_indices(message).any(found)
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `u words`, `a words`, `t`: pieces of a load.
    fn load(trust: Trust, pieces: &[&str]) -> Replay {
        let mut replay = Replay::new(trust);
        for piece in pieces {
            let (kind, words) = piece.split_once(' ').unwrap_or((piece, ""));
            let kind = match kind {
                "u" => "user_message_chunk",
                "a" => "agent_message_chunk",
                "t" => "tool_call",
                _ => "available_commands_update",
            };
            let content = json!({ "type": "text", "text": words });
            let update = json!({ "sessionUpdate": kind, "content": content });
            let line = json!({ "method": "session/update", "params": { "update": update } });
            replay.take(&line.to_string());
        }
        replay
    }

    /// holon#3018: an answer that was given, and not marked.
    #[test]
    fn an_answer_behind_the_very_request_is_one() {
        let note = format!("u {NOTE}");
        let merged = format!("u go\n\n{NOTE}");
        let rows: [(&str, &[&str], Option<&str>); 10] = [
            ("answered", &["u go", "a all ", "a done"], Some("all done")),
            (
                "in pieces",
                &["u g", "u o", "a all done", "x"],
                Some("all done"),
            ),
            ("not answered", &["a old", "u go"], None),
            ("another was answered", &["u go", "u more", "a done"], None),
            (
                "its tool ran",
                &["u go", "a I will", "t", "a done"],
                Some("done"),
            ),
            ("cut after a tool", &["u go", "a I will", "t"], None),
            (
                "the note was answered",
                &["u go", "a I ", "t", &note, "a done"],
                Some("done"),
            ),
            ("an earlier note", &["u old", &note, "a done"], None),
            ("a longer one", &["u let us go", "a done"], None),
            ("merged", &[&merged, "a done"], Some("done")),
        ];
        for (name, pieces, want) in rows {
            let replay = load(Trust::WholeOnly, pieces);
            assert_eq!(replay.answer("go"), want, "{name}");
            assert_eq!(load(Trust::None, pieces).answer("go"), None, "{name}");
        }
    }

    #[test]
    fn codex_names_the_status_of_each_turn() {
        let check = |status: &str, want: Option<&str>| {
            let items = json!([
                { "type": "userMessage", "content": [{ "type": "text", "text": "go" }] },
                { "type": "agentMessage", "text": "done" },
            ]);
            let turns = json!([{ "status": "completed", "items": [] }, { "status": status, "items": items }]);
            let line = json!({ "id": 2, "result": { "thread": { "id": "T", "turns": turns } } });
            let mut replay = Replay::new(Trust::Status);
            replay.take(&line.to_string());
            assert_eq!(replay.answer("go"), want, "{status}");
            assert_eq!(replay.answer("another"), None);
        };
        check("completed", Some("done"));
        check("interrupted", None);
        check("failed", None);
    }
}
