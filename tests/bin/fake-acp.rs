//! An agent of the Agent Client Protocol by script: what it is asked says what it does.
//!
//! In: `FAKE_ACP_DIR`, its folder. `log` there gets a line for each prompt (line ends as `|`), `pids`
//! one for each start, `ID.chat` a line for each prompt of a conversation. A prompt's first word decides: `hang` never
//! answers, `half` says half an answer and hangs, `tool` hangs in a tool call, `card` asks for
//! permission first; with the note of a request that is sent again, and for all else, it answers at once.
//! A file `stuck` there has it hang before it answers anything; a file `forgetful` has it know no
//! conversation.

use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

fn main() {
    let dir = PathBuf::from(std::env::var_os("FAKE_ACP_DIR").unwrap_or_default());
    append(&dir.join("pids"), &std::process::id().to_string());
    let lines = std::io::stdin().lines().map_while(Result::ok);
    let mut agent = Agent {
        dir,
        session: String::new(),
        asked: None,
    };
    for line in lines {
        if let Ok(message) = serde_json::from_str::<Value>(&line) {
            agent.receive(&message);
        }
    }
}

fn append(file: &Path, line: &str) {
    let open = OpenOptions::new().append(true).create(true).open(file);
    let _unwritten = open.and_then(|mut it| writeln!(it, "{line}"));
}

fn say(message: &Value) {
    let mut out = std::io::stdout().lock();
    let _reader_gone = writeln!(out, "{message}").and_then(|()| out.flush());
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

struct Agent {
    dir: PathBuf,
    session: String,
    /// The prompt that waits for an answer to its card.
    asked: Option<Value>,
}

impl Agent {
    fn receive(&mut self, message: &Value) {
        if self.dir.join("stuck").exists() {
            hang();
        }
        let id = &message["id"];
        match message["method"].as_str() {
            Some("initialize") => answer(
                id,
                &json!({ "protocolVersion": 1, "agentCapabilities": { "loadSession": true } }),
            ),
            Some("session/new") => {
                self.session = format!("s-{}", std::process::id());
                answer(id, &json!({ "sessionId": self.session }));
            }
            Some("session/load") => self.load(id, message["params"]["sessionId"].as_str()),
            Some("session/prompt") => self.prompt(id, &message["params"]["prompt"][0]["text"]),
            Some(_) => {}
            None => self.permitted(&message["result"]["outcome"]),
        }
    }

    fn chat(&self, session: &str) -> PathBuf {
        self.dir.join(format!("{session}.chat"))
    }

    fn load(&mut self, id: &Value, session: Option<&str>) {
        let session = session.unwrap_or_default();
        let chat = std::fs::read_to_string(self.chat(session));
        let known = chat.ok().filter(|_| !self.dir.join("forgetful").exists());
        let Some(chat) = known else {
            let error = json!({ "code": -32002, "message": "no such conversation" });
            say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            return;
        };
        self.session = session.to_owned();
        for line in chat.lines() {
            self.update(&json!({ "sessionUpdate": "user_message_chunk",
                "content": { "type": "text", "text": line } }));
        }
        answer(id, &json!({}));
    }

    fn update(&self, update: &Value) {
        let params = json!({ "sessionId": self.session, "update": update });
        say(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    fn text(&self, text: &str) {
        self.update(&json!({ "sessionUpdate": "agent_message_chunk",
            "content": { "type": "text", "text": text } }));
    }

    fn prompt(&mut self, id: &Value, text: &Value) {
        let text = text.as_str().unwrap_or_default();
        let line = text.replace('\n', "|");
        append(&self.dir.join("log"), &line);
        append(&self.chat(&self.session), &line);
        if text.contains("sent again because") {
            return self.done(id);
        }
        match text.split(' ').next() {
            Some("hang") => hang(),
            Some("half") => {
                self.text("half an ");
                hang();
            }
            Some("tool") => {
                self.update(&json!({ "sessionUpdate": "tool_call", "toolCallId": "t",
                    "title": "make", "kind": "execute", "rawInput": { "command": "make" } }));
                hang();
            }
            Some("card") => {
                self.asked = Some(id.clone());
                let option =
                    |id: &str, kind: &str| json!({ "optionId": id, "name": kind, "kind": kind });
                // "Always" first, as some list it: whoever answers by place grants too much.
                let options = [
                    option("A", "allow_always"),
                    option("O", "allow_once"),
                    option("N", "reject_once"),
                ];
                let params = json!({ "sessionId": self.session, "options": options,
                    "toolCall": { "toolCallId": "t", "title": "rm x" } });
                say(
                    &json!({ "jsonrpc": "2.0", "id": 900, "method": "session/request_permission",
                    "params": params }),
                );
            }
            _ => self.done(id),
        }
    }

    fn permitted(&mut self, outcome: &Value) {
        if let Some(id) = self.asked.take() {
            let option = outcome["optionId"].as_str().unwrap_or("none");
            self.text(&format!("you chose {option}. "));
            self.done(&id);
        }
    }

    fn done(&self, id: &Value) {
        self.text("all done\n");
        answer(id, &json!({ "stopReason": "end_turn" }));
    }
}

fn answer(id: &Value, result: &Value) {
    say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}
