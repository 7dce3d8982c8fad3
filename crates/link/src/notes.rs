//! Keys of the notes that programs share through the host, and the forms of their values.
//!
//! In: what the keeper, a client or a command knows of a pane. Out: JSON, and back. Promises: the
//! names stand here and nowhere else; a value that is not understood reads as nothing; the host
//! never looks inside (other notes: [`crate::place`], [`crate::layout`]).

use serde::{Deserialize, Serialize};

/// Pane note: what the pane's program does, a [`StateNote`]; the keeper writes it.
pub const STATE: &str = "state";
/// Pane note: the agent and its conversation, an [`AgentNote`]; the keeper writes it.
pub const AGENT: &str = "agent";
/// Pane note: what to call the pane, a [`TitleNote`]; the keeper writes it.
pub const TITLE: &str = "title";
/// Pane note: what the user wants of the pane, an [`IntentNote`]; whoever ends a pane for the user
/// writes it before the end is asked for.
pub const INTENT: &str = "intent";
/// Pane note: that the pane waits and who was told, a [`NoticeNote`]; the keeper writes it, and removes it
/// when the wait is over. An attached client passes a new one on to its terminal.
pub const NOTICE: &str = "notice";
/// Pane note: the pane stays out of vault, screens and logs; its value is `true`.
pub const PRIVATE: &str = "private";
/// Pane note: nothing is written down of the pane, so it does not come back; its value is `true`.
/// `abide forget` leaves it.
pub const FORGOTTEN: &str = "forgotten";
/// Pane note: tools that outlive the pane; the value of the variable `ABIDE_KEEP`, which a pane that
/// is started again in its place is given again. None: an agent's pane, or nothing is kept.
pub const KEEP: &str = "keep";
/// Pane note: the variables the user set for this pane, an [`EnvNote`]; whoever makes the pane writes it. A
/// pane that is started again in its place is given them again.
pub const ENV: &str = "env";
/// Global note: `restore.json` was changed by somebody else; any changed value.
pub const POKE: &str = "keeper/poke";
/// Global note: how far bringing panes back has come in this host, a [`RestoreNote`].
pub const RESTORE: &str = "keeper/restore";
/// Global note: what runs is not written down at this moment, and why, in words for people; the keeper writes
/// it and takes it away.
pub const UNSAVED: &str = "keeper/unsaved";

/// Value of [`STATE`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateNote {
    /// `working`, `needs_input`, `done`, `idle`, `exited`, `stopped` or `unknown`.
    pub state: String,
    /// What says so.
    #[serde(default)]
    pub evidence: String,
    /// Since when, in Unix seconds.
    #[serde(default)]
    pub at: u64,
}

/// Value of [`AGENT`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentNote {
    /// The CLI's name in the catalogue.
    pub cli: String,
    /// The CLI's id of the conversation; `None`: there is no proof of one.
    #[serde(default)]
    pub conversation: Option<String>,
    /// How it is known, or why it is not.
    #[serde(default)]
    pub how: String,
    /// The conversation it opened in place of the one it was asked for; `how` names both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<String>,
}

/// Value of [`ENV`]. No secret stands in it: a note is seen by everybody who looks at the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvNote {
    /// Names and values.
    #[serde(default)]
    pub set: Vec<(String, String)>,
    /// Names whose values are secrets, or longer than a note may be.
    #[serde(default)]
    pub named: Vec<String>,
}

impl EnvNote {
    /// Longest note of this kind, in bytes; the host takes 4 KiB.
    const MAX: usize = 4_000;

    /// The note for these variables; `None`: there are none, or even their names are too long for one.
    /// `hides` says which values are not for it. A name that is no text has no place in it.
    #[must_use]
    pub fn of(given: &[(Vec<u8>, Vec<u8>)], hides: impl Fn(&str, &[u8]) -> bool) -> Option<Self> {
        let mut note = Self::default();
        for (name, value) in given {
            let Ok(name) = String::from_utf8(name.clone()) else {
                continue;
            };
            // The last of a name counts, as it does in an environment.
            note.set.retain(|(known, _)| *known != name);
            note.named.retain(|known| *known != name);
            match String::from_utf8(value.clone()) {
                Ok(text) if !hides(&name, value) => note.set.push((name, text)),
                _ => note.named.push(name),
            }
        }
        while to_json(&note).len() > Self::MAX {
            let longest = |note: &Self| {
                let sizes = note.set.iter().map(|(_, value)| value.len()).enumerate();
                sizes.max_by_key(|(_, size)| *size).map(|(at, _)| at)
            };
            let (name, _) = note.set.remove(longest(&note)?);
            note.named.push(name);
        }
        (note != Self::default()).then_some(note)
    }
}

/// Value of [`TITLE`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TitleNote {
    /// The title.
    pub title: String,
    /// Whose it is: `user`, `program`, `command` or `conversation`.
    #[serde(default)]
    pub by: String,
    /// What runs there, in its own words: of an agent its command line, whatever stands in front of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
}

/// Value of [`NOTICE`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeNote {
    /// `needs_input` or `done`.
    pub state: String,
    /// When it was decided who is told, in Unix seconds.
    #[serde(default)]
    pub at: u64,
    /// What is done: [`NoticeNote::SEEN`], [`NoticeNote::TRYING`], [`NoticeNote::DESKTOP`] or
    /// [`NoticeNote::TERMINAL`].
    #[serde(default)]
    pub passed: String,
    /// The pane's whole name, for people.
    #[serde(default)]
    pub name: String,
    /// Words of its screen, if they were asked for.
    #[serde(default)]
    pub screen: String,
}

impl NoticeNote {
    /// Somebody looked at the pane: nobody is told.
    pub const SEEN: &'static str = "seen";
    /// Whether a desktop shows it is not known yet.
    pub const TRYING: &'static str = "trying";
    /// The desktop of the keeper's machine shows it.
    pub const DESKTOP: &'static str = "desktop";
    /// No desktop shows it.
    pub const TERMINAL: &'static str = "terminal";
}

/// Value of [`INTENT`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentNote {
    /// The user closed or killed this very pane.
    #[serde(default)]
    pub ended_by_user: bool,
    /// The user closed its workspace.
    #[serde(default)]
    pub closed_workspace: bool,
}

/// Value of [`RESTORE`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreNote {
    /// Nothing more comes by itself.
    pub done: bool,
    /// Panes that are still to come.
    #[serde(default)]
    pub pending: Vec<u32>,
    /// Panes that the user held: they keep their places until they are asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<u32>,
    /// What it came to, in one line; empty when there was nothing to bring back.
    #[serde(default)]
    pub line: String,
    /// Restores this keeper has begun in this host.
    #[serde(default)]
    pub count: u64,
}

/// A note's value.
#[must_use]
pub fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

/// `None` when the bytes are not of this form.
#[must_use]
pub fn from_json<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_are_pinned() {
        let check = |bytes: Vec<u8>, want: &str| {
            assert_eq!(String::from_utf8(bytes).unwrap(), want);
        };
        let state = StateNote {
            state: "needs_input".to_owned(),
            evidence: "osc7501 blocked permission".to_owned(),
            at: 5,
        };
        check(
            to_json(&state),
            r#"{"state":"needs_input","evidence":"osc7501 blocked permission","at":5}"#,
        );
        let agent = AgentNote {
            cli: "claude".to_owned(),
            conversation: None,
            how: "no proof yet".to_owned(),
            opened: None,
        };
        check(
            to_json(&agent),
            r#"{"cli":"claude","conversation":null,"how":"no proof yet"}"#,
        );
        let ended = IntentNote {
            ended_by_user: true,
            ..IntentNote::default()
        };
        check(
            to_json(&ended),
            r#"{"ended_by_user":true,"closed_workspace":false}"#,
        );
        assert_eq!(from_json(br#"{"ended_by_user":true}"#), Some(ended));
        let given = [("A", "1"), ("KEY", "s"), ("A", "2")];
        let given = given.map(|(name, value)| (name.into(), value.into()));
        let env = EnvNote::of(&given, |name, _| name == "KEY");
        check(to_json(&env), r#"{"set":[["A","2"]],"named":["KEY"]}"#);
        assert_eq!(from_json::<StateNote>(b"working"), None);
        assert_eq!(
            from_json::<RestoreNote>(br#"{"done":true,"later":1}"#).map(|it| it.done),
            Some(true)
        );
    }

    #[test]
    fn variables_that_are_too_long_are_named() {
        let long = |name: &str, size: usize| (name.as_bytes().to_vec(), vec![b'x'; size]);
        let shows = |_: &str, _: &[u8]| false;
        let note = EnvNote::of(&[long("A", 10), long("B", 3_990), long("C", 20)], shows);
        let note = note.expect("a note");
        assert_eq!(note.named, ["B"]);
        assert_eq!(note.set.len(), 2);
        assert!(to_json(&note).len() <= EnvNote::MAX);
        let odd = [(b"A".to_vec(), vec![0xff]), (vec![0xff], b"1".to_vec())];
        let note = EnvNote::of(&odd, shows).expect("a note");
        assert_eq!((note.set.len(), note.named), (0, vec!["A".to_owned()]));
        assert_eq!(EnvNote::of(&[], shows), None);
        let many: Vec<_> = (0..900).map(|n| long(&format!("NAME_{n}"), 1)).collect();
        assert_eq!(EnvNote::of(&many, shows), None);
    }
}
