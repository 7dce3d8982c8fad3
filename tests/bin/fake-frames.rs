//! Claude Code's stream-json and Codex's app-server by script: what it is asked says what it does.
//!
//! In: `claude` or `codex` as first word; `FAKE_FRAMES_DIR`, its folder. `log` there gets a line for each
//! prompt (line ends as `|`), `pids` one for each start, `chats/ID.jsonl` what was said, as Claude Code's
//! transcript. A prompt's first word decides, unless it carries the note of a request that is sent again:
//! `silent` says nothing, `trickle` says things that mean nothing, `torn` writes half a line and ends,
//! `stays` answers and does not end with its input, `unknown` asks what nobody answers, `two` asks for
//! permission twice at once, `card` once, `late` is answered in its own record and never says so,
//! `noid` answers nobody first. A file `forgetful` has it know no conversation, `held` another process
//! have it, `another` open another one.

use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

fn main() {
    let dir = PathBuf::from(std::env::var_os("FAKE_FRAMES_DIR").unwrap_or_default());
    append(&dir.join("pids"), &std::process::id().to_string());
    let words: Vec<String> = std::env::args().collect();
    let resumed = words.iter().position(|it| it == "--resume");
    let resumed = resumed.and_then(|at| words.get(at + 1).cloned());
    let mut agent = Agent {
        dir,
        codex: words.get(1).is_some_and(|it| it == "codex"),
        session: format!("s-{}", std::process::id()),
        waiting: Vec::new(),
        answers: Vec::new(),
        stays: false,
    };
    let chosen = words.iter().position(|it| it == "--session-id");
    if let Some(id) = chosen.and_then(|at| words.get(at + 1)) {
        agent.session.clone_from(id);
    }
    if let Some(id) = resumed {
        agent.resume(&id);
    }
    for line in std::io::stdin().lines().map_while(Result::ok) {
        if let Ok(message) = serde_json::from_str::<Value>(&line) {
            agent.receive(&message);
        }
    }
    if agent.stays {
        hang();
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

/// Ends with these words.
fn end(words: &str) -> ! {
    let _reader_gone = writeln!(std::io::stderr(), "{words}");
    std::process::exit(1);
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

struct Agent {
    dir: PathBuf,
    codex: bool,
    session: String,
    /// Questions that wait for an answer.
    waiting: Vec<String>,
    answers: Vec<String>,
    stays: bool,
}

impl Agent {
    fn chat(&self, session: &str) -> PathBuf {
        self.dir.join(format!("chats/{session}.jsonl"))
    }

    /// Claude Code opens a conversation by an argument.
    fn resume(&mut self, id: &str) {
        if self.dir.join("forgetful").exists() || !self.chat(id).exists() {
            end(&format!("No conversation found with session ID: {id}"));
        }
        if self.dir.join("held").exists() {
            end(&format!("Error: Session ID {id} is already in use."));
        }
        id.clone_into(&mut self.session);
        if self.dir.join("another").exists() {
            "another".clone_into(&mut self.session);
        }
    }

    fn receive(&mut self, message: &Value) {
        let id = &message["id"];
        match (message["type"].as_str(), message["method"].as_str()) {
            (Some("user"), _) => {
                let text = &message["message"]["content"][0]["text"];
                self.prompt(text.as_str().unwrap_or_default(), &message["uuid"]);
            }
            (Some("control_response"), _) => self.answered(&message["response"]),
            (Some("control_request"), _) => self.end("error_during_execution"),
            (_, Some("initialize")) => say(&json!({ "id": id, "result": {} })),
            (_, Some("thread/start")) => {
                let thread = json!({ "id": self.session });
                say(&json!({ "id": id, "result": { "thread": thread } }));
            }
            (_, Some("thread/resume")) => self.open_thread(id, &message["params"]["threadId"]),
            (_, Some("turn/start")) => {
                say(&json!({ "id": id, "result": { "turn": { "id": "t" } } }));
                let text = &message["params"]["input"][0]["text"];
                self.prompt(text.as_str().unwrap_or_default(), &Value::Null);
            }
            (_, Some("turn/interrupt")) => self.end("interrupted"),
            (None, None) if !id.is_null() => self.answered(message),
            _ => {}
        }
    }

    fn open_thread(&mut self, id: &Value, thread: &Value) {
        let thread = thread.as_str().unwrap_or_default();
        let chat = std::fs::read_to_string(self.chat(thread)).ok();
        let refuse = |words: String| {
            say(&json!({ "id": id, "error": { "code": -32600, "message": words } }));
        };
        if self.dir.join("held").exists() {
            return refuse(format!("thread {thread} already has an active writer"));
        }
        let Some(chat) = chat.filter(|_| !self.dir.join("forgetful").exists()) else {
            return refuse(format!("no rollout found for thread id {thread}"));
        };
        thread.clone_into(&mut self.session);
        let named = if self.dir.join("another").exists() {
            "another"
        } else {
            thread
        };
        let mut turns: Vec<Value> = Vec::new();
        for line in chat
            .lines()
            .filter_map(|it| serde_json::from_str::<Value>(it).ok())
        {
            let content = &line["message"]["content"];
            if line["type"] == "user" {
                let said = json!([{ "type": "text", "text": content }]);
                let items = json!([{ "type": "userMessage", "content": said }]);
                turns.push(json!({ "status": "interrupted", "items": items }));
            } else if let Some(turn) = turns.last_mut() {
                turn["status"] = "completed".into();
                let answer = json!({ "type": "agentMessage", "text": content[0]["text"] });
                if let Some(items) = turn["items"].as_array_mut() {
                    items.push(answer);
                }
            }
        }
        let thread = json!({ "id": named, "turns": turns });
        say(&json!({ "id": id, "result": { "thread": thread } }));
    }

    fn prompt(&mut self, text: &str, uuid: &Value) {
        append(&self.dir.join("log"), &text.replace('\n', "|"));
        let _there = std::fs::create_dir_all(self.dir.join("chats"));
        let said = json!({ "type": "user", "uuid": uuid, "message": { "content": text } });
        append(&self.chat(&self.session), &said.to_string());
        if !self.codex {
            say(&json!({ "type": "system", "subtype": "init", "session_id": self.session }));
        }
        if text.contains("sent again because") {
            return self.done();
        }
        match text.split(' ').next() {
            Some("silent") => {}
            Some("trickle") => self.trickle(),
            Some("torn") => {
                let mut out = std::io::stdout();
                let _gone = out
                    .write_all(b"{\"type\":\"assis")
                    .and_then(|()| out.flush());
                std::process::exit(0);
            }
            Some("stays") => {
                self.stays = true;
                self.done();
            }
            Some("unknown") => self.ask("unknown", "do/what"),
            Some("card") => self.ask("one", "item/commandExecution/requestApproval"),
            Some("two") => {
                for id in ["one", "two"] {
                    self.ask(id, "item/commandExecution/requestApproval");
                }
            }
            Some("late") => self.record("it was all done"),
            Some("noid") => {
                say(&json!({ "result": {} }));
                say(&json!({ "id": 4711, "result": {} }));
                self.done();
            }
            _ => self.done(),
        }
    }

    /// Frames that are none of the turn's.
    fn trickle(&self) {
        for n in 0..50 {
            say(&json!({ "method": "account/whatever", "params": { "n": n } }));
            say(&json!({ "type": "whatever", "n": n }));
        }
    }

    fn ask(&mut self, id: &str, method: &str) {
        self.waiting.push(id.to_owned());
        if self.codex {
            let params = json!({ "threadId": self.session, "itemId": id, "command": "rm x" });
            say(&json!({ "id": id, "method": method, "params": params }));
            return;
        }
        let subtype = if id == "unknown" {
            "do_what"
        } else {
            "can_use_tool"
        };
        let request = json!({ "subtype": subtype, "tool_name": "Bash", "tool_use_id": id,
            "input": { "command": format!("rm {id}") } });
        say(&json!({ "type": "control_request", "request_id": id, "request": request }));
    }

    /// What was answered to a question: `allow`, `deny`, a Codex decision, or `refused`.
    fn answered(&mut self, message: &Value) {
        let words = [
            &message["response"]["behavior"],
            &message["result"]["decision"],
        ];
        let word = words.iter().find_map(|it| it.as_str()).unwrap_or("refused");
        self.answers.push(word.to_owned());
        if self.answers.len() == self.waiting.len() {
            self.text(&format!("you said {}. ", self.answers.join(" and ")));
            self.done();
        }
    }

    fn text(&self, text: &str) {
        let content = json!([{ "type": "text", "text": text }]);
        say(&if self.codex {
            let params = json!({ "threadId": self.session, "itemId": "m", "delta": text });
            json!({ "method": "item/agentMessage/delta", "params": params })
        } else {
            json!({ "type": "assistant", "session_id": self.session,
                "message": { "content": content } })
        });
    }

    fn record(&self, text: &str) {
        let content = json!([{ "type": "text", "text": text }]);
        let message = json!({ "stop_reason": "end_turn", "content": content });
        let line = json!({ "type": "assistant", "message": message });
        append(&self.chat(&self.session), &line.to_string());
    }

    fn done(&mut self) {
        self.record("all done");
        self.text("all done\n");
        self.end("success");
    }

    fn end(&self, how: &str) {
        say(&if self.codex {
            let status = if how == "success" { "completed" } else { how };
            let turn = json!({ "id": "t", "status": status });
            let params = json!({ "threadId": self.session, "turn": turn });
            json!({ "method": "turn/completed", "params": params })
        } else {
            json!({ "type": "result", "subtype": how, "is_error": how != "success",
                "session_id": self.session })
        });
    }
}
