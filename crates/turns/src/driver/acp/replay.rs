//! What an agent shows of a conversation while it loads it. Pure.

use super::super::text;
use serde_json::Value;
use std::collections::VecDeque;

/// Messages of the person's that are kept: the newest ones.
const KEPT: usize = 8;
/// Bytes of one that are kept; a longer one is none that we sent.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// What was shown.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// Messages, not chunks: one begins where the speaker changes.
    pub(super) messages: usize,
    /// The last thing shown was one of the person's messages.
    in_user: bool,
    /// The person's newest messages. Agents put words of their own into them.
    texts: VecDeque<String>,
}

impl Replay {
    /// Takes an update.
    pub(super) fn take(&mut self, update: &Value) {
        match text(update, "/sessionUpdate") {
            "user_message_chunk" => {
                if !self.in_user {
                    self.messages += 1;
                    self.texts.push_back(String::new());
                }
                if self.texts.len() > KEPT {
                    self.texts.pop_front();
                }
                self.in_user = true;
                let words = text(update, "/content/text");
                if let Some(last) = self.texts.back_mut()
                    && last.len() + words.len() <= MAX_TEXT
                {
                    last.push_str(words);
                }
            }
            "agent_message_chunk" | "tool_call" => {
                self.messages += usize::from(self.in_user || self.messages == 0);
                self.in_user = false;
            }
            _ => {}
        }
    }

    /// Whether one of the person's newest messages is, or holds, this one.
    pub(super) fn holds(&self, message: &str) -> bool {
        let message = message.trim();
        self.texts.iter().any(|it| it.contains(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_counted_and_the_newest_are_known() {
        let mut replay = Replay::default();
        let mut say = |kind: &str, words: &str| {
            let content = json!({ "type": "text", "text": words });
            replay.take(&json!({ "sessionUpdate": kind, "content": content }));
        };
        say("user_message_chunk", "first");
        for number in 0..KEPT {
            say("agent_message_chunk", "answer");
            say("user_message_chunk", &format!("please {number}"));
            say("user_message_chunk", " and <reminder/>");
        }
        say("tool_call", "");
        say("available_commands_update", "");
        assert_eq!(replay.messages, 2 + 2 * KEPT);
        let known = |it: &str| replay.holds(it);
        assert!(known("please 7 and") && known(" please 0\n") && !known("first"));
    }
}
