//! An agent of the Agent Client Protocol by script: what it is asked says what it does.
//!
//! In: `FAKE_ACP_DIR`, its folder. `log` there gets a line for each prompt (line ends as `|`), `pids`
//! one for each start, `ID.chat` a line for each prompt of a conversation. A prompt's first word decides: `hang` never
//! answers, `half` says half an answer and hangs, `tool` hangs in a tool call, `card` asks for
//! permission first; with the note of a request that is sent again, and for all else, it answers at once.
//! `show` shows everything there is. What misbehaves: `silent` says nothing, `trickle` what is none of the
//! turn's, `torn` half a line and ends, `stays` does not end with its input, `unknown` asks what nobody
//! answers, `two` for permission twice at once, `noid` answers nobody first, `late` is answered in its own
//! chat and never says so. A file `stuck` there has it hang before it answers anything, `forgetful` know no
//! conversation, `held` another process have it, `another` open another one, `empty` answer a load with `{}`
//! alone.

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
        questions: 0,
        answers: Vec::new(),
        stays: false,
    };
    for line in lines {
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
    /// Questions that were asked for it, and what was answered.
    questions: usize,
    answers: Vec<String>,
    stays: bool,
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
                let modes = json!({ "currentModeId": "ask", "availableModes": [
                    { "id": "ask", "name": "Ask" }, { "id": "auto", "name": "Auto" } ] });
                answer(id, &json!({ "sessionId": self.session, "modes": modes }));
            }
            Some("session/set_mode") => answer(id, &json!({})),
            Some("session/set_model") => {
                let error = json!({ "code": -32602, "message": "there is no such model" });
                say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
            Some("session/load") => self.load(id, message["params"]["sessionId"].as_str()),
            Some("session/prompt") => self.prompt(id, &message["params"]["prompt"][0]["text"]),
            Some(_) => {}
            None => self.permitted(message),
        }
    }

    fn chat(&self, session: &str) -> PathBuf {
        self.dir.join(format!("{session}.chat"))
    }

    fn load(&mut self, id: &Value, session: Option<&str>) {
        let session = session.unwrap_or_default();
        if self.dir.join("held").exists() {
            let error = json!({ "code": -32603, "message": "it is open elsewhere" });
            return say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        }
        if self.dir.join("empty").exists() {
            return answer(id, &json!({}));
        }
        let chat = std::fs::read_to_string(self.chat(session));
        let known = chat.ok().filter(|_| !self.dir.join("forgetful").exists());
        let Some(chat) = known else {
            let error = json!({ "code": -32002, "message": "no such conversation" });
            say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            return;
        };
        self.session = session.to_owned();
        for line in chat.lines() {
            match line.strip_prefix("A:") {
                Some(said) => self.text(said),
                None => self.update(&json!({ "sessionUpdate": "user_message_chunk",
                    "content": { "type": "text", "text": line } })),
            }
        }
        if self.dir.join("another").exists() {
            return answer(id, &json!({ "sessionId": "another" }));
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
            Some("silent") => {}
            Some("trickle") => {
                for n in 0..50 {
                    say(&json!({ "jsonrpc": "2.0", "method": "_whatever", "params": { "n": n } }));
                }
            }
            Some("torn") => {
                let mut out = std::io::stdout();
                let _gone = out
                    .write_all(b"{\"jsonrpc\":\"2.")
                    .and_then(|()| out.flush());
                std::process::exit(0);
            }
            Some("stays") => {
                self.stays = true;
                self.done(id);
            }
            Some("noid") => {
                say(&json!({ "jsonrpc": "2.0", "result": {} }));
                say(&json!({ "jsonrpc": "2.0", "id": 4711, "result": {} }));
                self.done(id);
            }
            Some("late") => {
                append(&self.chat(&self.session), "A:it was all done");
            }
            Some("unknown") => {
                self.asked = Some(id.clone());
                self.questions = 1;
                say(
                    &json!({ "jsonrpc": "2.0", "id": 901, "method": "fs/read_text_file",
                    "params": { "sessionId": self.session, "path": "/etc/passwd" } }),
                );
            }
            Some("two") => {
                self.asked = Some(id.clone());
                self.questions = 2;
                self.ask(900);
                self.ask(901);
            }
            Some("show") => self.show(id),
            Some("card") => {
                self.asked = Some(id.clone());
                self.questions = 1;
                self.ask(900);
            }
            _ => self.done(id),
        }
    }

    fn ask(&self, number: u64) {
        let option = |id: &str, kind: &str| json!({ "optionId": id, "name": kind, "kind": kind });
        // "Always" first, as some list it: whoever answers by place grants too much.
        let options = [
            option("A", "allow_always"),
            option("O", "allow_once"),
            option("N", "reject_once"),
        ];
        let params = json!({ "sessionId": self.session, "options": options,
                    "toolCall": { "toolCallId": "t", "title": "rm x" } });
        say(
            &json!({ "jsonrpc": "2.0", "id": number, "method": "session/request_permission",
                    "params": params }),
        );
    }

    fn permitted(&mut self, message: &Value) {
        let outcome = &message["result"]["outcome"];
        let refused = message.get("error").map(|_| "refused");
        let word = outcome["optionId"].as_str().or(refused).unwrap_or("none");
        self.answers.push(word.to_owned());
        if self.answers.len() >= self.questions
            && let Some(id) = self.asked.take()
        {
            let chosen = std::mem::take(&mut self.answers).join(" and ");
            self.text(&format!("you chose {chosen}. "));
            self.done(&id);
        }
    }

    /// Everything a turn can show.
    fn show(&self, id: &Value) {
        self.update(&json!({ "sessionUpdate": "agent_thought_chunk",
            "content": { "type": "text", "text": "Let me see what is there before I change it." } }));
        let plan = |done: &str, next: &str| {
            json!({ "sessionUpdate": "plan", "entries": [
                { "content": "look at what is there", "status": done, "priority": "high" },
                { "content": "change the file so that it says what it is meant to say", "status": next, "priority": "high" },
                { "content": "tell", "status": "pending", "priority": "low" } ] })
        };
        self.update(&plan("in_progress", "pending"));
        self.update(
            &json!({ "sessionUpdate": "tool_call", "toolCallId": "t1", "title": "make -j4 all",
            "kind": "execute", "rawInput": { "command": "make -j4 all" } }),
        );
        let lines: String = (0..120).map(|n| format!("\u{1b}[32mok\u{1b}[m {n} some/long/path/to/a/source/file_{n}.rs compiled without a warning\n")).collect();
        let said = format!("0%\r 50%\r100%\n{lines}\u{1b}[1;31merror\u{1b}[m: it is not so");
        self.update(
            &json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "failed",
            "content": [{ "type": "content", "content": { "type": "text", "text": said } }] }),
        );
        self.update(&plan("completed", "in_progress"));
        self.update(
            &json!({ "sessionUpdate": "tool_call", "toolCallId": "t2", "title": "Edit src/main.rs",
            "kind": "edit" }),
        );
        let diff = json!({ "type": "diff", "path": "src/main.rs",
            "oldText": "fn main() {\n    println!(\"one\");\n}\n",
            "newText": "fn main() {\n    println!(\"two\");\n    println!(\"\u{1f600} wide \u{4f60}\u{597d}\");\n}\n" });
        self.update(
            &json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t2", "status": "completed",
            "content": [diff] }),
        );
        self.update(&json!({ "sessionUpdate": "usage_update", "used": 12345, "size": 200_000 }));
        self.text("It is **changed**. A line that is rather long, so that it has to be broken at the width of a narrow window, wherever that may be.\n\n- one\n- two\n");
        self.done(id);
    }

    fn done(&self, id: &Value) {
        self.text("all done\n");
        answer(id, &json!({ "stopReason": "end_turn" }));
    }
}

fn answer(id: &Value, result: &Value) {
    say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}
