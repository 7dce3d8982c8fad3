//! Runs inside a pane's own agent never take its place: one without a person that its tool starts, a
//! sub-agent, one that makes a title. Claude Code and Codex, the real ones, against the scripted model;
//! left out with a line that says so where npm is not.

#![cfg(test)]

use protocol::PaneId;
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;
use testkit::cli::{CLAUDE, CODEX, Cli, LONG, Rig};
use testkit::model::Request;
use testkit::{until_within, wait};

/// Several looks of the keeper's.
const LOOKS: Duration = Duration::from_secs(4);

fn rig(cli: &'static Cli) -> Option<Rig> {
    Rig::new(env!("CARGO_BIN_EXE_abide"), cli)
}

/// A pane, its own conversation, and the word that tells its runs from others'.
struct Owner<'a> {
    rig: &'a Rig,
    pane: PaneId,
    id: String,
    word: &'static str,
}

impl<'a> Owner<'a> {
    fn new(rig: &'a Rig, pane: PaneId, word: &'static str) -> Self {
        let request = rig.ask(pane, &format!("the word is {word}"));
        let id = request.conversation().expect("it says it").to_owned();
        rig.wait_known(pane, &id);
        Self {
            rig,
            pane,
            id,
            word,
        }
    }

    /// Has the agent start a run; gives that run's request.
    fn starts(&self, what: &str) -> Request {
        let does = match what {
            // Writes last: its agent has ended its own turn, or waits.
            "busy sub-agent" => "[sh:true;;timeout 6 tail -f /dev/null]",
            _ => "[hold]",
        };
        let prompt = format!("{does} {what} {}", self.word);
        let _request = self.rig.ask(self.pane, &directive(what, &prompt));
        self.rig
            .model
            .wait_request(what, |it| it.asked.newest().starts_with(&prompt))
    }

    /// Its conversation is its own.
    fn is_its_own(&self) -> bool {
        self.rig.status(self.pane)["conversation"] == self.id.as_str()
    }

    /// It goes on in its own conversation.
    fn goes_on(&self, text: &str) {
        let next = self.rig.ask(self.pane, &format!("{text} {}", self.word));
        assert_eq!(next.conversation(), Some(self.id.as_str()));
        assert!(next.asked.holds(&format!("the word is {}", self.word)));
        self.rig.wait_known(self.pane, &self.id);
    }
}

/// What makes the model have an agent start a run, once.
fn directive(what: &str, prompt: &str) -> String {
    match what {
        _ if what.ends_with("sub-agent") => format!("[agent:{prompt}*1]"),
        "claude -p" => format!("[sh:claude -p '{prompt}' </dev/null*1]"),
        _ => format!("[sh:codex exec --skip-git-repo-check '{prompt}' </dev/null*1]"),
    }
}

/// While runs inside live, and after, each pane has its own conversation, and theirs stand nowhere.
fn kept(rig: &Rig, owners: &[Owner<'_>], inner: &[Request]) {
    wait::holds_for(LOOKS, "their own conversations", || {
        owners.iter().all(Owner::is_its_own)
    });
    let written = fs::read_to_string(rig.home.state_file("restore.json")).expect("a record");
    for id in inner.iter().filter_map(Request::conversation) {
        let own = owners.iter().any(|it| it.id == id);
        assert!(own || !written.contains(id), "{id} is written down");
    }
}

/// A run without a person by the agent's tool; a sub-agent that works; one under which the power fails.
fn inner_runs(rig: &Rig, headless: &str) {
    let owners = [
        Owner::new(rig, rig.launched(&[]), "plum"),
        Owner::new(rig, rig.typed(), "pear"),
    ];
    let inner = owners.each_ref().map(|it| it.starts(headless));
    for (it, run) in owners.iter().zip(&inner) {
        assert!(run.conversation().is_some_and(|id| id != it.id));
    }
    kept(rig, &owners, &inner);
    rig.model.release();
    owners.iter().for_each(|it| it.goes_on("behind the run"));
    kept(rig, &owners, &inner);
    let inner = owners.each_ref().map(|it| it.starts("busy sub-agent"));
    kept(rig, &owners, &inner);
    let _held = owners.each_ref().map(|it| it.starts("held sub-agent"));
    rig.cut_power();
    rig.start();
    for it in &owners {
        rig.wait_known(it.pane, &it.id);
        rig.cli.wait_ready(&rig.home, it.pane);
        rig.assert_untouched(it.pane);
        it.goes_on("at last");
    }
}

/// Has each message of the user's begin a run of its own that makes a title, as plugins do: it has the
/// pane's variables and is a child of the agent itself.
fn make_titles(rig: &Rig) {
    let path = rig.home.path().join("user/.claude/settings.json");
    let text = fs::read_to_string(&path).expect("settings");
    let mut settings: Value = serde_json::from_str(&text).expect("JSON");
    let command = "test -n \"$TITLED\" || TITLED=1 claude -p 'a title' </dev/null >/dev/null 2>&1";
    let hook = json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    settings["hooks"] = json!({ "UserPromptSubmit": hook });
    fs::write(path, settings.to_string()).expect("settings");
}

#[test]
fn claude_code_keeps_its_conversation() {
    let Some(rig) = rig(&CLAUDE) else { return };
    make_titles(&rig);
    inner_runs(&rig, "claude -p");
    assert!(
        rig.model.sent("a title") >= 4,
        "{}",
        rig.model.sent("a title")
    );
}

#[test]
fn codex_keeps_its_conversation() {
    let Some(rig) = rig(&CODEX) else { return };
    inner_runs(&rig, "codex exec");
    let title = |it: &Request| it.asked.side && it.asked.holds("task title");
    until_within(LONG, "its own thread for titles", || {
        rig.model.everything().iter().any(title).then_some(())
    });
}
