//! What a request asks, whatever API it came through. Pure.

use crate::model::directive::{self, Directive};
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Which API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    Responses,
    /// OpenAI chat completions.
    Chat,
    /// Gemini.
    Gemini,
}

/// One message of the conversation, flattened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// `user`, `assistant`, `call` or `result`.
    pub role: &'static str,
    /// Its text, a call's name and arguments, a result's text.
    pub text: String,
}

/// What a request asks.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The conversation, in order; the user's texts without what CLIs add to them.
    pub messages: Vec<Message>,
    /// The user's texts alone.
    pub texts: Vec<String>,
    /// Tool results since the newest text.
    pub results: usize,
    /// A title, a classification or the like: no turn of the user's.
    pub side: bool,
    /// What the answer must look like, if the request says.
    pub schema: Option<Value>,
    /// The tools it offers, with the schema of their arguments.
    pub tools: BTreeMap<String, Value>,
    /// It wants a stream.
    pub stream: bool,
    /// The model it names.
    pub model: String,
    /// Notes to go on stand behind the text that counts.
    pub notes: usize,
}

impl Asked {
    /// Adds a message; a user's text that is empty without the CLI's additions is left out.
    pub(crate) fn add(&mut self, role: &'static str, text: &str) {
        let text = if role == "user" {
            clean(text)
        } else {
            text.to_owned()
        };
        if role == "user" && text.is_empty() {
            return;
        }
        self.messages.push(Message { role, text });
    }

    /// Looks at what was added: texts, notes, results.
    pub(crate) fn settle(&mut self, notes: &[String]) {
        let is_note = |text: &str| notes.iter().any(|note| text.starts_with(note.as_str()));
        let user = |m: &&Message| m.role == "user";
        self.texts = self
            .messages
            .iter()
            .filter(user)
            .map(|m| m.text.clone())
            .collect();
        self.notes = self
            .texts
            .iter()
            .rev()
            .take_while(|text| is_note(text))
            .count();
        let counts = |m: &Message| m.role == "user" && !is_note(&m.text);
        let from = self
            .messages
            .iter()
            .rposition(counts)
            .map_or(0, |at| at + 1);
        self.results = self.messages[from..]
            .iter()
            .filter(|m| m.role == "result")
            .count();
    }

    /// The user's newest text that is no note.
    #[must_use]
    pub fn newest(&self) -> &str {
        let at = self.texts.len().checked_sub(self.notes + 1);
        at.and_then(|at| self.texts.get(at))
            .map_or("", String::as_str)
    }

    /// Whether the newest text holds this.
    #[must_use]
    pub fn is_about(&self, text: &str) -> bool {
        self.newest().contains(text)
    }

    /// Whether any message holds this.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        self.messages.iter().any(|m| m.text.contains(text))
    }

    /// Files that calls of `[files:N]` wrote, as far as their results are there, each once: some CLIs send
    /// one call and its result twice, and some lose what a quick command printed.
    #[must_use]
    pub fn files(&self) -> usize {
        static PATTERN: OnceLock<Regex> = OnceLock::new();
        let pattern =
            PATTERN.get_or_init(|| Regex::new(r">> (file-[0-9]+\.txt)").expect("a pattern"));
        let (mut called, mut written) = (None, BTreeSet::new());
        for message in &self.messages {
            match message.role {
                "call" => called = pattern.captures(&message.text).map(|it| it[1].to_owned()),
                "result" => written.extend(called.clone()),
                _ => {}
            }
        }
        written.len()
    }

    pub(crate) fn directive(&self) -> Option<Directive> {
        directive::find(self.newest())
    }
}

/// What CLIs put around and between a user's words, by its tag.
const ADDED: &[&str] = &[
    "system-reminder",
    "session_context",
    "environment_context",
    "user_instructions",
    "system",
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-caveat",
    "local-command-stderr",
    "hook_result",
    "permissions instructions",
    "INSTRUCTIONS",
    "current_datetime",
    "reminder",
    "skills_instructions",
    "apps_instructions",
    "collaboration_mode",
    "turn_aborted",
];

fn clean(text: &str) -> String {
    static PATTERNS: OnceLock<Vec<Regex>> = OnceLock::new();
    let patterns = PATTERNS.get_or_init(|| {
        let of = |tag: &&str| Regex::new(&format!(r"(?s)<{tag}>.*?</{tag}>")).expect("a pattern");
        ADDED.iter().map(of).collect()
    });
    let mut text = text.to_owned();
    for pattern in patterns {
        text = pattern.replace_all(&text, "").into_owned();
    }
    text.trim().to_owned()
}

/// The text of a content field: a string, or a list of parts with `text`.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clis_add_is_no_text_of_the_users() {
        let mut asked = Asked::default();
        asked.add("user", "<system-reminder>\nx\n</system-reminder>\n");
        asked.add("user", "hello <system-reminder>a</system-reminder>");
        asked.add("call", "Bash {}");
        asked.add("result", "ok");
        asked.settle(&[]);
        assert_eq!(asked.texts, ["hello"]);
        assert_eq!(asked.results, 1);
        asked.add("user", "Continue from where you left off.");
        asked.settle(&["Continue from".to_owned()]);
        assert_eq!(
            (asked.newest(), asked.results, asked.notes),
            ("hello", 1, 1)
        );
        asked.settle(&[]);
        assert_eq!(
            (asked.newest(), asked.results),
            ("Continue from where you left off.", 0)
        );
    }

    #[test]
    fn a_file_counts_once_and_with_its_result() {
        let mut asked = Asked::default();
        for (number, results) in [(1, 1), (2, 2), (1, 1), (3, 0)] {
            asked.add("call", &format!("Bash echo {number} >> file-0{number}.txt"));
            for _ in 0..results {
                asked.add("result", "(nothing)");
            }
        }
        asked.add("call", "Bash ls");
        asked.add("result", "file-03.txt");
        assert_eq!(asked.files(), 2);
    }
}
