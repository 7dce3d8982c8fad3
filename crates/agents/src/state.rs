//! What an agent does, and why we think so. Pure.
//!
//! In: what a program says of itself (OSC 7501, its live file's status word, a hook's event, a title,
//! a notice) and what its pane shows of it (input, output, stopped, ended, who has the terminal). Out: one [`State`] with its
//! evidence. `read` turns one saying into a state, `decide` weighs all of them. Promises: a better
//! source is never overruled by a worse one, so two that disagree do not make it flicker; no
//! evidence, no claim ([`State::Unknown`]).

mod decide;
mod read;

pub use decide::{Front, Program, Reading, STILL, Shown, Signals, Source, decide};
pub use read::{from_hook, from_notice, from_osc7501, from_status, from_title};

use serde::{Deserialize, Serialize};

/// What a pane's agent does. The words are those of `abide wait --state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It works on a turn.
    Working,
    /// It waits for the user: a permission, a question.
    NeedsInput,
    /// A turn ended and the user has not typed since.
    Done,
    /// It has nothing to do.
    Idle,
    /// The program ended.
    Exited,
    /// The program is stopped by job control.
    Stopped,
    /// Nothing is known.
    #[default]
    Unknown,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Working,
        Self::NeedsInput,
        Self::Done,
        Self::Idle,
        Self::Exited,
        Self::Stopped,
        Self::Unknown,
    ];

    /// Its word in commands, notes and records.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::NeedsInput => "needs_input",
            Self::Done => "done",
            Self::Idle => "idle",
            Self::Exited => "exited",
            Self::Stopped => "stopped",
            Self::Unknown => "unknown",
        }
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

impl std::str::FromStr for State {
    type Err = NoState;

    fn from_str(word: &str) -> Result<Self, NoState> {
        let found = Self::ALL.into_iter().find(|state| state.word() == word);
        found.ok_or_else(|| NoState(word.to_owned()))
    }
}

/// A word that is no state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no state; there are working, needs_input, done, idle, exited, stopped, unknown")]
pub struct NoState(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_there_and_back() {
        for state in State::ALL {
            assert_eq!(state.word().parse(), Ok(state));
            let json = serde_json::to_string(&state).expect("text");
            assert_eq!(json, format!("\"{state}\""));
        }
        assert!("busy".parse::<State>().is_err());
    }
}
