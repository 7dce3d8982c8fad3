//! The agent itself: which conversation it has, what it shows, what a key or a signal does.

use crate::args::{Args, OnResume, OnTerm};
use crate::keys::Key;
use crate::screen::{prompt, say, send};
use crate::store::Store;
use crate::turn::{Turn, Went, cut_turn};
use serde_json::{Value, json};
use std::io;
use std::time::{Duration, Instant};
use sys::files::Lock;
use sys::process::Signal;

/// Two Ctrl-C within this time end it.
const TWICE: Duration = Duration::from_secs(2);

/// One running agent.
pub(crate) struct Agent {
    args: Args,
    store: Store,
    id: String,
    lock: Option<Lock>,
    turn: Option<Turn>,
    /// Lines typed while a turn ran.
    queue: Vec<String>,
    /// A notice wants Enter before the conversation opens.
    notice: bool,
    opened: bool,
    interrupted: Option<Instant>,
}

impl Agent {
    pub(crate) fn new(args: Args, store: Store) -> Self {
        let other = args.resume.is_some() && args.on_resume == OnResume::Other;
        let id = args.resume.clone().filter(|_| !other);
        let id = id.or_else(|| args.session.clone());
        Self {
            id: id.unwrap_or_else(new_id),
            args,
            store,
            lock: None,
            turn: None,
            queue: Vec::new(),
            notice: false,
            opened: false,
            interrupted: None,
        }
    }

    pub(crate) fn args(&self) -> &Args {
        &self.args
    }

    /// What happens before any key: refusals, the live file. `Some` ends it.
    pub(crate) fn begin(&mut self) -> io::Result<Option<u8>> {
        if let Some(code) = self.refuse()? {
            return Ok(Some(code));
        }
        if self.args.lock {
            self.lock = self.store.lock(&self.id);
            if self.lock.is_none() {
                say(format_args!(
                    "conversation {} is open in another fake-agent",
                    self.id
                ))?;
                return Ok(Some(1));
            }
        }
        self.live("idle")?;
        self.hook("SessionStart", "startup")?;
        Ok(None)
    }

    fn refuse(&self) -> io::Result<Option<u8>> {
        let Some(id) = &self.args.resume else {
            let used = self
                .args
                .session
                .as_ref()
                .filter(|id| self.store.find(id).is_some());
            if let Some(id) = used {
                say(format_args!("Error: Session ID {id} is already in use."))?;
            }
            return Ok(used.map(|_| 1));
        };
        if self.args.on_resume == OnResume::Lost || self.store.find(id).is_none() {
            say(format_args!("No conversation found with session ID: {id}"))?;
            return Ok(Some(1));
        }
        if let OnResume::Crash(times, words) = &self.args.on_resume
            && (*times == 0 || self.store.count_crash()? < *times)
        {
            say(words)?;
            return Ok(Some(3));
        }
        Ok(None)
    }

    /// Notes every byte that reached it through its terminal, whatever it means.
    pub(crate) fn read(&self, bytes: &[u8]) -> io::Result<()> {
        match bytes {
            [] => Ok(()),
            some => self.store.log("read", &json!({ "bytes": some })),
        }
    }

    /// One step: opens the conversation, goes on with a turn, takes up what was typed meanwhile.
    pub(crate) fn step(&mut self) -> io::Result<Option<u8>> {
        if !self.opened {
            return self.open();
        }
        if let Some(turn) = &mut self.turn {
            let went = turn.step(&self.store)?;
            self.went(went)?;
        } else if self.args.headless {
            return Ok(Some(0));
        } else if !self.queue.is_empty() {
            let line = self.queue.remove(0);
            return self.line(&line);
        }
        Ok(None)
    }

    fn open(&mut self) -> io::Result<Option<u8>> {
        self.opened = true;
        if self.args.resume.is_some() && self.args.on_resume == OnResume::Notice {
            self.notice = true;
            say("Notice: this version has news. Press Enter to continue.")?;
            return self
                .state("waiting", "blocked", ":kind=question")
                .map(|()| None);
        }
        self.show()
    }

    /// Shows the conversation, goes on with a cut turn if it was told to.
    fn show(&mut self) -> io::Result<Option<u8>> {
        say(format_args!("fake agent {}", self.args.version))?;
        let lines = self.store.read(&self.id);
        for line in &lines {
            let role = if line["type"] == "user" { "> " } else { "" };
            say(format_args!(
                "{role}{}",
                line["text"].as_str().unwrap_or_default()
            ))?;
        }
        self.idle()?;
        let goes_on = std::env::var("FAKE_RESUME_INTERRUPTED_TURN").is_ok_and(|v| v == "1");
        if let Some(text) = cut_turn(&lines).filter(|_| goes_on) {
            self.store
                .log("continued", &json!({ "id": self.id, "text": text }))?;
            return self.begin_turn(&text).map(|()| None);
        }
        let first = self.args.prompt.take();
        first.map_or(Ok(None), |prompt| self.line(&prompt))
    }

    pub(crate) fn key(&mut self, key: Key) -> io::Result<Option<u8>> {
        match key {
            Key::Line(line) => {
                say("")?;
                self.store
                    .log("typed", &json!({ "id": self.id, "text": line }))?;
                if self.notice {
                    self.notice = false;
                    return self.show();
                }
                if self.turn.as_mut().is_some_and(|turn| turn.answer(&line)) {
                    return Ok(None);
                }
                self.queue.push(line);
            }
            Key::Interrupt => return self.interrupt(),
            Key::Stop => crate::stop_self()?,
            Key::End => return Ok(Some(0)),
        }
        Ok(None)
    }

    /// Ends the turn; twice with nothing to do ends the agent.
    fn interrupt(&mut self) -> io::Result<Option<u8>> {
        self.store.log("interrupt", &Value::Null)?;
        if self.turn.take().is_some() {
            let line = json!({ "type": "interrupted", "text": "[interrupted by user]" });
            self.store.write(&self.id, &line)?;
            say("[interrupted by user]")?;
            self.idle()?;
        } else if self
            .interrupted
            .replace(Instant::now())
            .is_some_and(|at| at.elapsed() < TWICE)
        {
            return Ok(Some(0));
        } else {
            say("Press Ctrl-C again to exit")?;
        }
        Ok(None)
    }

    pub(crate) fn signal(&mut self, signal: Signal) -> io::Result<Option<u8>> {
        if signal == Signal::INT {
            return self.interrupt();
        }
        self.store
            .log("signal", &json!({ "signal": signal.as_raw() }))?;
        let status = u8::try_from(128 + signal.as_raw()).unwrap_or(1);
        Ok(Some(if self.args.on_term == OnTerm::Status {
            status
        } else {
            0
        }))
    }

    /// A line is a command or begins a turn.
    fn line(&mut self, line: &str) -> io::Result<Option<u8>> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" => prompt()?,
            "/exit" | "/quit" => return Ok(Some(0)),
            "/fail" => return Ok(Some(rest.parse().unwrap_or(1))),
            "/abort" => std::process::abort(),
            "/clear" | "/new" => self.change(new_id(), "clear")?,
            "/branch" => {
                let id = new_id();
                for line in self.store.read(&self.id) {
                    self.store.write(&id, &line)?;
                }
                self.change(id, "fork")?;
            }
            "/resume" => self.change(rest.to_owned(), "resume")?,
            "/mode" => {
                self.args.mode = rest.to_owned();
                self.store.write(
                    &self.id,
                    &json!({ "type": "mode", "permissionMode": rest, "text": "" }),
                )?;
                prompt()?;
            }
            "/env" => {
                let value = std::env::var(rest).unwrap_or_else(|_| "(unset)".to_owned());
                say(format_args!("{rest}={value}"))?;
                prompt()?;
            }
            "/title" => send(&format!("\x1b]0;{rest}\x07"))?,
            "/bell" => send("\x07")?,
            "/notify" => send(&format!("\x1b]9;{rest}\x07"))?,
            "/child" => self.child()?,
            "/nested" => self.nested(rest)?,
            _ => self.begin_turn_of_user(line)?,
        }
        Ok(None)
    }

    fn begin_turn_of_user(&mut self, text: &str) -> io::Result<()> {
        let line = json!({
            "type": "user", "text": text, "sessionId": self.id, "permissionMode": self.args.mode,
            "cwd": self.store.cwd(),
        });
        self.store.write(&self.id, &line)?;
        self.hook("UserPromptSubmit", "")?;
        self.begin_turn(text)
    }

    fn begin_turn(&mut self, text: &str) -> io::Result<()> {
        self.store
            .log("turn", &json!({ "id": self.id, "text": text }))?;
        let turn = Turn::new(text, self.args.answer.as_deref());
        let asks = turn.asks();
        self.turn = Some(turn);
        if asks {
            say("May I run `touch asked`? (y/n)")?;
            self.hook("PermissionRequest", "")?;
            return self.state("waiting", "blocked", ":kind=permission");
        }
        self.state("busy", "working", "")
    }

    fn went(&mut self, went: Went) -> io::Result<()> {
        match went {
            Went::On => {}
            Went::Said(text) => say(text)?,
            Went::Done(answer) => {
                self.turn = None;
                say(&answer)?;
                self.store
                    .write(&self.id, &json!({ "type": "assistant", "text": answer }))?;
                self.hook("Stop", "")?;
                if !self.args.silent {
                    send("\x1b]7501;state=done:app=fake\x07")?;
                }
                self.idle()?;
            }
        }
        Ok(())
    }

    fn idle(&self) -> io::Result<()> {
        self.state("idle", "idle", "")?;
        prompt()
    }

    /// Tells live file and terminal what it does.
    fn state(&self, status: &str, word: &str, more: &str) -> io::Result<()> {
        self.live(status)?;
        if self.args.silent {
            return Ok(());
        }
        send(&format!("\x1b]7501;state={word}:app=fake{more}\x07"))
    }

    fn live(&self, status: &str) -> io::Result<()> {
        if !self.args.live {
            return Ok(());
        }
        let kind = if self.args.headless {
            "headless"
        } else {
            "interactive"
        };
        self.store
            .write_live(&self.id, kind, status, &self.args.version)
    }

    /// Another conversation in this process.
    fn change(&mut self, id: String, why: &str) -> io::Result<()> {
        self.hook("SessionEnd", why)?;
        self.id = id;
        if self.args.lock {
            self.lock = self.store.lock(&self.id);
        }
        self.hook("SessionStart", why)?;
        self.store
            .log("changed", &json!({ "id": self.id, "why": why }))?;
        self.idle()
    }

    /// A process of its own session that outlives this one.
    fn child(&self) -> io::Result<()> {
        let mut command = std::process::Command::new("setsid");
        command
            .args(["sleep", "600"])
            .stdin(std::process::Stdio::null());
        let child = command.spawn()?;
        say(format_args!("child {}", child.id()))?;
        prompt()
    }

    /// A headless run of itself, as agents start other agents.
    fn nested(&self, text: &str) -> io::Result<()> {
        let mut command = std::process::Command::new(std::env::current_exe()?);
        let status = command.args(["-p", text]).status()?;
        say(format_args!("nested: {status}"))?;
        prompt()
    }

    /// Runs the commands that `hooks/hooks.json` of each folder in `FAKE_PLUGIN_DIRS` has for `event`.
    fn hook(&self, event: &str, source: &str) -> io::Result<()> {
        let path = self.store.find(&self.id).unwrap_or_default();
        let payload = json!({
            "hook_event_name": event, "session_id": self.id, "source": source, "reason": source,
            "transcript_path": path, "cwd": self.store.cwd(), "permission_mode": self.args.mode,
        });
        crate::store::run_hooks(event, &payload)
    }

    /// The end: its words, the live file.
    pub(crate) fn leave(&mut self, code: u8) -> io::Result<()> {
        self.store
            .log("end", &json!({ "id": self.id, "code": code }))?;
        if self.opened {
            self.hook("SessionEnd", "prompt_input_exit")?;
        }
        if self.args.live {
            self.store.remove_live();
        }
        // The window may be gone.
        let _closed = send("\x1b]7501;state=clear\x07");
        let _closed = say(format_args!("Resume with: fake-agent --resume {}", self.id));
        Ok(())
    }
}

fn new_id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap_or_default();
    id.trim().to_owned()
}
