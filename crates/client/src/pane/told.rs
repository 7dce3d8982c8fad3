//! What others tell of a pane in its notes: its name, its agent's state.

use super::{Pane, State};
use link::notes::{self, AgentNote, StateNote, TitleNote};
use protocol::msg;

impl Pane {
    /// One of its notes changed.
    pub(crate) fn noted(&mut self, key: String, value: Option<msg::Bytes>) {
        self.notes.retain(|(name, _)| *name != key);
        self.notes.extend(value.map(|value| (key, value)));
    }

    /// What its agent does, as the keeper says, if that is worth telling.
    pub(crate) fn doing(&self) -> Option<&'static str> {
        if self.state != State::Running {
            return None;
        }
        let note: StateNote = notes::from_json(self.note(notes::STATE)?)?;
        match note.state.as_str() {
            "working" => Some("working"),
            "needs_input" => Some("needs input"),
            "done" => Some("done"),
            _ => None,
        }
    }

    /// Its agent opened another conversation than the one it was asked for: both, in words.
    pub(crate) fn other_conversation(&self) -> Option<String> {
        let note: AgentNote = notes::from_json(self.note(notes::AGENT)?)?;
        note.opened.map(|_| note.how)
    }

    /// The user's name for it, its title, what its conversation begins with, or the program's name.
    pub(crate) fn label(&self) -> String {
        let told: Option<TitleNote> = self.note(notes::TITLE).and_then(|it| notes::from_json(it));
        let told = told.unwrap_or_default();
        if told.by == "user" || (told.by == "conversation" && self.title.is_empty()) {
            return told.title;
        }
        if !self.title.is_empty() {
            return self.title.clone();
        }
        let program = told.command.split(' ').next().unwrap_or_default();
        if !program.is_empty() {
            return program.to_owned();
        }
        let own = link::around::inner(&self.argv);
        let program = own
            .first()
            .map(|it| String::from_utf8_lossy(it).into_owned());
        let program = program.unwrap_or_default();
        program.rsplit('/').next().unwrap_or_default().to_owned()
    }
}
