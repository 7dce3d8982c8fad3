//! What is started for a pane: the command line, its folder, its variables.

use crate::record::{AgentRecord, Conversation, PaneRecord};
use crate::text::Text;
use link::notes;
use std::ffi::OsString;
use std::path::Path;

/// What is started for a pane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spawn {
    /// The pane's id.
    pub pane: u32,
    /// The program, without what is put around it.
    pub argv: Vec<Text>,
    /// What is put around it.
    pub wrapped: Wrapped,
    /// The folder.
    pub cwd: Text,
    /// Variables on top of the user's own.
    pub env: Vec<(Text, Text)>,
    /// Variables that let a cut turn go on; taken away when it is not to.
    pub continue_env: Vec<(Text, Text)>,
    /// Columns and rows; 0: the host's default.
    pub size: (u16, u16),
    /// Notes the pane begins with.
    pub notes: Vec<(String, Vec<u8>)>,
    /// The CLI prints one of these when the conversation is not there.
    pub lost: Vec<String>,
    /// The CLI prints one of these when another process has the conversation.
    pub held: Vec<String>,
    /// It is an agent.
    pub agent: bool,
    /// It was in the middle of a turn, as far as that is known.
    pub working: bool,
    /// It starts anew under the id that was written down.
    pub chosen: bool,
    /// Its transcript is to be put back from the vault first.
    pub put_back: bool,
    /// Nothing it says is to be written down.
    pub private: bool,
    /// The shell of who has none of its own.
    pub shell: Text,
}

/// What is put around a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wrapped {
    /// Words for the user above it.
    pub say: Option<String>,
    /// The shell that starts when it ends.
    pub then: Option<Text>,
}

impl Spawn {
    /// For a pane, with nothing to start yet.
    pub(super) fn of(pane: &PaneRecord) -> Self {
        let mut notes = Vec::new();
        let mut note = |key: &str, value: Option<&[u8]>| {
            notes.extend(value.map(|value| (key.to_owned(), value.to_vec())));
        };
        note("name", pane.name.as_deref().map(str::as_bytes));
        note("workspace", pane.workspace.as_deref().map(str::as_bytes));
        note("private", pane.private.then_some(b"true"));
        let set = env_note(pane).map(|it| notes::to_json(&it));
        note(notes::ENV, set.as_deref());
        Self {
            pane: pane.id,
            cwd: pane.cwd.clone(),
            env: joined(&[&pane.env, &pane.set_env]),
            size: pane.size,
            private: pane.private,
            notes,
            ..Self::default()
        }
    }

    /// The variables an agent gets: what was set for the pane, then what its own process had, which may
    /// have been set anew in the shell it was typed into.
    pub(super) fn agent_env(pane: &PaneRecord, agent: &AgentRecord) -> Vec<(Text, Text)> {
        joined(&[&pane.env, &pane.set_env, &agent.env])
    }

    /// The whole command line, `own` being abide's program.
    #[must_use]
    pub fn command(&self, own: &Path) -> Vec<OsString> {
        let argv = crate::text::os(&self.argv);
        if self.wrapped == Wrapped::default() {
            return argv;
        }
        let mut words = vec![own.as_os_str().to_owned(), "__pane".into()];
        if let Some(say) = &self.wrapped.say {
            words.extend(["--say".into(), say.into()]);
        }
        if let Some(then) = &self.wrapped.then {
            words.extend(["--then".into(), then.as_os().to_owned()]);
        }
        if self.agent {
            let watch = crate::execute::WATCH.as_secs().to_string();
            words.extend(["--watch".into(), watch.into()]);
        }
        words.push("--".into());
        words.extend(argv);
        words
    }

    /// What stands in its place after `words` was why it did not come back; `None`: no shell is known.
    #[must_use]
    pub fn instead(&self, words: &str) -> Option<Self> {
        let shell = || Some(self.shell.clone()).filter(|it| !it.is_empty());
        let then = self.wrapped.then.clone().or_else(shell)?;
        let say = format!(
            "it did not come back: {words}. `abide reopen p{id}` tries again, `abide fresh p{id}` lets go of it.",
            id = self.pane
        );
        Some(Self {
            argv: Vec::new(),
            wrapped: Wrapped {
                say: Some(say),
                then: Some(then),
            },
            continue_env: Vec::new(),
            agent: false,
            working: false,
            put_back: false,
            ..self.clone()
        })
    }

    /// All its variables.
    #[must_use]
    pub fn variables(&self, go_on: bool) -> Vec<(Text, Text)> {
        let more = if go_on {
            self.continue_env.as_slice()
        } else {
            &[]
        };
        joined(&[&self.env, more])
    }
}

/// Whether a pane that was made with these words is a shell in the place of what did not come back.
#[must_use]
pub fn stands_in(argv: &[Vec<u8>]) -> bool {
    let is = |word: Option<&Vec<u8>>, text: &[u8]| word.is_some_and(|it| it == text);
    is(argv.get(1), b"__pane") && is(argv.last(), b"--")
}

/// What the user set for the pane, so that it is given again to what stands there next.
fn env_note(pane: &PaneRecord) -> Option<notes::EnvNote> {
    let set = pane.set_env.iter();
    let set = set.map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()));
    let needs = pane.set_needs.iter();
    let needs = needs.map(|name| (name.clone().into_bytes(), Vec::new()));
    let given: Vec<_> = set.chain(needs).collect();
    notes::EnvNote::of(&given, |name, _| pane.set_needs.iter().any(|it| it == name))
}

/// The last value of each name, in the order of their first mention.
pub(super) fn joined(lists: &[&[(Text, Text)]]) -> Vec<(Text, Text)> {
    let mut all: Vec<(Text, Text)> = Vec::new();
    for (name, value) in lists.iter().copied().flatten() {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => old.clone_from(value),
            None => all.push((name.clone(), value.clone())),
        }
    }
    all
}

/// Names and values as they are written down.
pub(super) fn pairs(env: Vec<(String, String)>) -> Vec<(Text, Text)> {
    let text = |(name, value): (String, String)| (name.into(), value.into());
    env.into_iter().map(text).collect()
}

/// Why nothing is lost when an agent starts without a conversation: it had this one, or none.
pub(super) const fn none_to_lose(conversation: Option<&Conversation>) -> &'static str {
    match conversation {
        Some(_) => "its conversation had no message yet",
        None => "it had begun no conversation yet",
    }
}
