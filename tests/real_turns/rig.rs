//! A home with one real agent that asks before it acts, the scripted model, conversations in it.

use protocol::PaneId;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use testkit::cli::{
    CLAUDE, CODEX, COPILOT, Cli, GEMINI, HERMES, KIMI, LONG, OPENCODE, QWEN, Rig, skipped,
};
use testkit::model::Request;
use testkit::wait::poll;
use testkit::{Home, Output, until_within};

/// One agent, and what was seen of it.
pub(crate) struct Agent {
    pub cli: &'static Cli,
    /// Flags that make it ask.
    pub flags: &'static [&'static str],
    /// What a command begins with so that it asks.
    pub(crate) risky: &'static str,
    /// A request that was cut is put before the next message by itself.
    pub kept: bool,
    /// For every change, not only in the long run.
    pub always: bool,
}

impl Agent {
    /// The words of a new conversation with this name.
    pub(crate) fn begin(&self, conversation: &str) -> Vec<String> {
        let words = [
            "ask",
            "--agent",
            self.cli.name,
            "--conversation",
            conversation,
        ];
        let words = words.iter().chain(self.flags);
        words.map(|it| (*it).to_owned()).collect()
    }
}

const fn agent(cli: &'static Cli, kept: bool) -> Agent {
    Agent {
        cli,
        flags: &[],
        risky: "",
        kept,
        always: false,
    }
}

pub(crate) static AGENTS: &[Agent] = &[
    Agent {
        cli: &CLAUDE,
        flags: &[],
        risky: "",
        kept: false,
        always: true,
    },
    Agent {
        cli: &CODEX,
        flags: &["--mode", "untrusted/danger-full-access"],
        risky: "",
        kept: true,
        always: true,
    },
    // Its load would delete the conversation, so it is carried over.
    agent(&GEMINI, false),
    agent(&OPENCODE, true),
    agent(&QWEN, true),
    agent(&KIMI, true),
    agent(&COPILOT, true),
    // It asks only before what it takes for dangerous.
    Agent {
        cli: &HERMES,
        flags: &[],
        risky: "rm -rf ./nothing && ",
        kept: true,
        always: false,
    },
];

pub(crate) fn of(name: &str) -> &'static Agent {
    let found = AGENTS.iter().find(|it| it.cli.name == name);
    found.expect("it is in the table")
}

/// How the note begins.
pub(crate) const NOTE: &str = "(This request is sent again because";

/// A home with an agent.
pub(crate) struct Turns {
    pub rig: Rig,
    pub agent: &'static Agent,
}

impl Turns {
    /// `None`, and a line that says why, where it is not to be run or cannot be had.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let agent = of(name);
        if !agent.always && std::env::var_os("ABIDE_TEST_ALL_CLIS").is_none() {
            skipped(&format!("{name}: ABIDE_TEST_ALL_CLIS is not set"));
            return None;
        }
        let rig = Rig::new(env!("CARGO_BIN_EXE_abide"), agent.cli)?;
        asks(&rig.home, name);
        Some(Self { rig, agent })
    }

    pub(crate) fn home(&self) -> &Home {
        &self.rig.home
    }

    /// The words of a new conversation with this name.
    pub(crate) fn begin(&self, conversation: &str) -> Vec<String> {
        self.agent.begin(conversation)
    }

    /// One request in a conversation of its own, without a person.
    pub(crate) fn ask(&self, words: &[&str]) -> Output {
        let output = self.home().abide(words).limit(LONG * 2).run();
        assert_eq!(output.code, 0, "{words:?}: {output:#?}");
        output
    }

    /// The rows of a conversation.
    pub(crate) fn rows(&self, conversation: &str) -> Vec<Value> {
        let path = format!("conversations/{conversation}.jsonl");
        let text = fs::read_to_string(self.home().state_file(&path)).unwrap_or_default();
        let rows = text.lines().map(serde_json::from_str);
        rows.filter_map(Result::ok).collect()
    }

    /// The mark of a conversation's turn.
    pub(crate) fn mark(&self, conversation: &str) -> PathBuf {
        self.home()
            .state_file(&format!("turns/{conversation}.json"))
    }

    /// Waits until something is so, long: these are big programs on a machine that does much else.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, mut so: impl FnMut() -> bool) {
        until_within(LONG * 2, what, || so().then_some(()));
    }

    /// As [`Turns::wait`], and shows the pane where it waits in vain.
    #[track_caller]
    pub(crate) fn wait_in(&self, pane: PaneId, what: &str, mut so: impl FnMut() -> bool) {
        let found = poll(LONG * 2, || so().then_some(()));
        if found.is_none() {
            let screen = self.home().capture(pane);
            panic!("waited in vain for {what}:\n{screen}");
        }
    }

    /// The requests of one conversation from number `from` on: the model's, side requests not counted.
    pub(crate) fn requests(&self, word: &str, from: u64) -> Vec<Request> {
        let mut all = self.rig.model.requests();
        all.retain(|it| it.number > from && it.asked.holds(word));
        all
    }
}

/// Sets the agent so that it asks before it runs anything.
fn asks(home: &Home, name: &str) {
    let user = home.path().join("user");
    let change = |path: &str, change: &dyn Fn(&mut Value)| {
        let path = user.join(path);
        let text = fs::read_to_string(&path).expect("a settings file");
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        change(&mut value);
        fs::write(path, value.to_string()).expect("written");
    };
    match name {
        "claude" => change(".claude/settings.json", &|it| {
            it["permissions"] = json!({ "defaultMode": "default" });
        }),
        "opencode" => change(".config/opencode/opencode.json", &|it| {
            it["permission"] = json!({ "bash": "ask", "edit": "ask" });
        }),
        _ => {}
    }
}
