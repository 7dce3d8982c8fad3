//! What is passed on, and the forms in which it is.
//!
//! Promises: a notice holds the pane's name and state; words of its screen only when they were asked for;
//! every text in it is free of control characters and short.

use serde_json::{Value, json};
use std::ffi::OsString;

/// Most characters of a name.
const MAX_NAME: usize = 120;
/// Most characters of a screen's words.
const MAX_SCREEN: usize = 600;

/// A pane waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// The pane's id, such as `p12`.
    pub pane: String,
    /// What it is called.
    pub name: String,
    /// Name of the workspace it belongs to.
    pub workspace: Option<String>,
    /// The agent in it, by its short name.
    pub agent: Option<String>,
    /// `needs_input` or `done`.
    pub state: String,
    /// Since when, in Unix seconds.
    pub at: u64,
    /// Last lines of its screen; empty unless asked for.
    pub screen: String,
}

/// One way for a notice to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// `org.freedesktop.Notifications` on the session bus.
    Desktop,
    /// The user's command.
    Command(Vec<String>),
    /// The user's webhook.
    Webhook(String),
}

/// Which way, without where it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WayKind {
    /// See [`Way::Desktop`].
    Desktop,
    /// See [`Way::Command`].
    Command,
    /// See [`Way::Webhook`].
    Webhook,
}

impl Way {
    /// Which it is.
    #[must_use]
    pub const fn kind(&self) -> WayKind {
        match self {
            Self::Desktop => WayKind::Desktop,
            Self::Command(_) => WayKind::Command,
            Self::Webhook(_) => WayKind::Webhook,
        }
    }
}

impl WayKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Desktop, Self::Command, Self::Webhook];

    /// Its word in the settings (`notify.WORD`) and in messages.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Command => "command",
            Self::Webhook => "webhook",
        }
    }
}

impl Notice {
    /// The same with texts that fit anywhere.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.name = line(&self.name, MAX_NAME);
        self.workspace = self.workspace.map(|it| line(&it, MAX_NAME));
        let lines: Vec<String> = self.screen.lines().map(|it| line(it, MAX_SCREEN)).collect();
        self.screen = lines.join("\n").chars().take(MAX_SCREEN).collect();
        self
    }

    /// The pane's whole name: `WORKSPACE/NAME`, or its name alone.
    #[must_use]
    pub fn whole_name(&self) -> String {
        match &self.workspace {
            Some(workspace) => format!("{workspace}/{}", self.name),
            None => self.name.clone(),
        }
    }

    /// What the state is called in a sentence.
    #[must_use]
    pub fn says(&self) -> &'static str {
        match self.state.as_str() {
            "done" => "is done",
            _ => "needs input",
        }
    }

    /// The whole notice as a sentence, without the screen's words.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{} {}", self.whole_name(), self.says())
    }

    /// What a command reads and a webhook is sent. `text` is the sentence, under the name by which
    /// the webhooks of common chats take one.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut value = json!({
            "text": self.sentence(),
            "pane": self.pane,
            "name": self.name,
            "workspace": self.workspace,
            "agent": self.agent,
            "state": self.state,
            "at": self.at,
        });
        if !self.screen.is_empty() {
            value["screen"] = self.screen.clone().into();
        }
        value
    }

    /// The same as variables of a command.
    #[must_use]
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let at = self.at.to_string();
        let text = self.sentence();
        [
            ("ABIDE_NOTICE_TEXT", text.as_str()),
            ("ABIDE_NOTICE_PANE", &self.pane),
            ("ABIDE_NOTICE_NAME", &self.name),
            (
                "ABIDE_NOTICE_WORKSPACE",
                self.workspace.as_deref().unwrap_or_default(),
            ),
            (
                "ABIDE_NOTICE_AGENT",
                self.agent.as_deref().unwrap_or_default(),
            ),
            ("ABIDE_NOTICE_STATE", &self.state),
            ("ABIDE_NOTICE_AT", &at),
            ("ABIDE_NOTICE_SCREEN", &self.screen),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into()
    }
}

/// Without what could act on a terminal or turn a line around, and not longer than `max` characters.
fn line(text: &str, max: usize) -> String {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(|c| !acts(*c)).take(max).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice() -> Notice {
        Notice {
            pane: "p3".to_owned(),
            name: "claude".to_owned(),
            workspace: Some("web".to_owned()),
            agent: Some("claude".to_owned()),
            state: "needs_input".to_owned(),
            at: 7,
            screen: String::new(),
        }
    }

    #[test]
    fn the_forms() {
        let mut it = notice();
        assert_eq!(it.sentence(), "web/claude needs input");
        assert_eq!(
            it.json().to_string(),
            r#"{"agent":"claude","at":7,"name":"claude","pane":"p3","state":"needs_input","text":"web/claude needs input","workspace":"web"}"#
        );
        it.screen = "Run it?".to_owned();
        it.workspace = None;
        it.state = "done".to_owned();
        assert_eq!(it.sentence(), "claude is done");
        assert_eq!(it.json()["screen"], "Run it?");
        let variable = |name: &str| {
            let all = it.variables();
            let found = all.into_iter().find(|(key, _)| key == name);
            found.and_then(|(_, value)| value.into_string().ok())
        };
        assert_eq!(
            variable("ABIDE_NOTICE_TEXT").as_deref(),
            Some("claude is done")
        );
        assert_eq!(variable("ABIDE_NOTICE_WORKSPACE").as_deref(), Some(""));
        assert_eq!(variable("ABIDE_NOTICE_SCREEN").as_deref(), Some("Run it?"));
    }

    #[test]
    fn texts_are_short_and_act_on_nothing() {
        let it = Notice {
            name: format!("a\x1b]0;x\x07b\u{202e}\u{9b}c\0{}", "n".repeat(500)),
            workspace: Some("w\n\r".to_owned()),
            screen: format!("one\x1b[2J\ntwo\u{2066}{}", "s".repeat(5_000)),
            ..notice()
        }
        .bounded();
        assert!(it.name.starts_with("a]0;xbcnnn"), "{}", it.name);
        assert_eq!(it.name.chars().count(), MAX_NAME);
        assert_eq!(it.workspace.as_deref(), Some("w"));
        assert!(it.screen.starts_with("one[2J\ntwosss"), "{}", it.screen);
        assert_eq!(it.screen.chars().count(), MAX_SCREEN);
    }
}
