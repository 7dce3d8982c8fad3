//! Whether a pane's wait is told to somebody. Pure: what the pane does + who looks + now -> one verdict a wait.
//!
//! A wait begins when the pane needs input (or is done after a long turn, if that is asked for) and is
//! judged once, after [`SETTLE`]: by then it is over, somebody looks, or it is told. Promises: no wait is
//! judged twice, also when its state flickers or another keeper takes over: the note of the verdict stands
//! at the pane until the wait is over.

use super::{Action, Core, Now, Watched, title};
use agents::State;
use link::notes::{self, NoticeNote};
use protocol::msg::PaneFacts;
use std::time::{Duration, Instant};

/// A wait that is answered within this time is told to nobody; one that is interrupted for less goes on.
pub(super) const SETTLE: Duration = Duration::from_secs(2);
/// A turn of this length is worth telling when it is done.
pub(super) const LONG: Duration = Duration::from_secs(30);

/// What is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// That a pane needs input.
    pub(crate) needs_input: bool,
    /// That a long turn is done.
    pub(crate) done: bool,
}

/// What becomes of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Tell that the pane is in this state.
    Tell(State),
    /// Somebody looks at it: nobody is told.
    Seen(State),
    /// What was told or seen is over.
    Over,
}

/// What people are told of a pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) name: String,
    pub(crate) workspace: Option<String>,
    pub(crate) agent: Option<String>,
    /// The user wants nothing of its screen to go anywhere.
    pub(crate) private: bool,
}

#[derive(Clone, Copy, Debug)]
struct Wait {
    state: State,
    since: Instant,
    /// It was told or seen, then.
    judged: Option<Instant>,
    /// The pane does something else, since then.
    away: Option<Instant>,
    /// A former keeper judged it, and this one does not know yet what the pane does.
    taken_over: bool,
}

impl Wait {
    const fn begun(state: State, since: Instant) -> Self {
        Self {
            state,
            since,
            judged: None,
            away: None,
            taken_over: false,
        }
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Attention {
    looked: bool,
    typed: Option<Instant>,
    /// When the turn under way began, and whether the last one was long.
    turn: Option<Instant>,
    long: bool,
    wait: Option<Wait>,
    /// The note at the pane is of a wait that was answered while no keeper lived.
    stale: bool,
}

impl Attention {
    /// Goes on with what a former keeper left at the pane.
    pub(super) fn of(facts: &PaneFacts, now: Now) -> Self {
        let mut it = Self::default();
        let note = facts.notes.iter().find(|(key, _)| key == notes::NOTICE);
        let Some((_, value)) = note else {
            return it;
        };
        let note: NoticeNote = notes::from_json(value).unwrap_or_default();
        let typed = facts
            .since_input_ms
            .map(|ms| now.unix.saturating_sub(ms / 1000));
        let mut states = [State::NeedsInput, State::Done].into_iter();
        match states.find(|state| state.word() == note.state) {
            Some(state) if typed.is_none_or(|typed| typed <= note.at) => {
                it.wait = Some(Wait {
                    judged: Some(now.at),
                    taken_over: true,
                    ..Wait::begun(state, now.at)
                });
            }
            _ => it.stale = true,
        }
        it
    }

    /// Somebody looks at the pane, or nobody any longer.
    pub(super) const fn looked(&mut self, looked: bool) {
        self.looked = looked;
    }

    /// The user typed.
    pub(super) const fn typed(&mut self, at: Instant) {
        self.typed = Some(at);
    }

    /// When to [`Attention::step`] although nothing happened.
    pub(super) fn due(&self) -> Option<Instant> {
        let wait = self.wait.as_ref()?;
        let from = match wait.judged {
            None => Some(wait.since),
            Some(_) => wait.away,
        };
        from.map(|from| from + SETTLE)
    }

    /// The pane is in `state` now.
    pub(super) fn step(&mut self, state: State, rules: Rules, now: Instant) -> Option<Verdict> {
        self.follow(state, now);
        let wanted = match state {
            State::NeedsInput => rules.needs_input,
            State::Done => rules.done && self.long,
            _ => false,
        };
        let begun = wanted.then_some(Wait::begun(state, now));
        let over = std::mem::take(&mut self.stale).then_some(Verdict::Over);
        let typed = self.typed;
        match &mut self.wait {
            Some(wait) if wait.state == state && (wanted || wait.judged.is_some()) => {
                wait.away = None;
                wait.taken_over = false;
                if wait.judged.is_some() || now < wait.since + SETTLE {
                    return over;
                }
                wait.judged = Some(now);
                Some(match self.looked {
                    true => Verdict::Seen(state),
                    false => Verdict::Tell(state),
                })
            }
            Some(wait) if wait.taken_over && state == State::Unknown => None,
            Some(wait) if wait.judged.is_some() => {
                let away = *wait.away.get_or_insert(now);
                let answered = typed.is_some_and(|typed| wait.judged < Some(typed));
                if !answered && now < away + SETTLE {
                    return None;
                }
                self.wait = begun;
                Some(Verdict::Over)
            }
            _ => {
                self.wait = begun;
                over
            }
        }
    }

    /// Keeps account of turns.
    fn follow(&mut self, state: State, now: Instant) {
        match state {
            State::Working => {
                self.turn.get_or_insert(now);
                self.long = false;
            }
            State::NeedsInput => {}
            State::Done => {
                if let Some(begun) = self.turn.take() {
                    self.long = now.saturating_duration_since(begun) >= LONG;
                }
            }
            _ => (self.turn, self.long) = (None, false),
        }
    }
}

impl Watched {
    /// What follows from the state it is in now.
    pub(super) fn attend(&mut self, rules: Rules, now: Instant, out: &mut Vec<Action>) {
        let verdict = self.attention.step(self.shown.state, rules, now);
        let pane = self.id;
        out.extend(verdict.map(|verdict| Action::Notice { pane, verdict }));
    }
}

impl Core {
    /// What is told from now on.
    pub(crate) const fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    /// What people are told of a pane: its name, and never what is said in it, unless that is asked for.
    pub(crate) fn notice_facts(&self, pane: u32, text: bool) -> Facts {
        let Some(pane) = self.panes.get(&pane) else {
            return Facts::default();
        };
        let title = title::of(pane, &self.catalogue);
        let plain = match title.by.as_str() {
            "user" => true,
            "conversation" => text && !pane.private,
            _ => !pane.private,
        };
        let agent = pane.agent.as_ref().map(|it| it.cli.clone());
        let name = match plain {
            true => title.title,
            false => agent.clone().unwrap_or_else(|| title::program(pane)),
        };
        let workspace = pane.record.workspace.as_ref();
        Facts {
            name,
            workspace: workspace.and_then(|id| self.workspaces.get(id).cloned()),
            agent,
            private: pane.private,
        }
    }
}

#[cfg(test)]
mod tests;
