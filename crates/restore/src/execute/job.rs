//! One pane on its way back. Pure.

use super::{BACK_OFF, Came, Change, Do, SETTLE, TURN, WATCH};
use crate::plan::{Action, Item, MAX_TRIES, Spawn};
use crate::text::Text;
use std::time::Instant;

/// In place of what the program of a private pane said.
pub(super) const PRIVATE: &str = "it ended at once (its words are not kept: the pane is private)";

/// Where a pane is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Not before then (`None`: at once).
    Waiting(Option<Instant>),
    /// The host was asked.
    Asked,
    /// It runs since then.
    Runs(Instant),
    /// It was there long enough to make room for the next; watched until its time is over.
    Settled(Instant),
    /// It is back.
    Back,
    /// It did not come back.
    Failed,
    /// The user stopped the rest before it was started.
    Held,
    /// The user let go of it before it was started.
    LetGo,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) item: Item,
    spawn: Spawn,
    pub(super) phase: Phase,
    /// Tries that failed in this run.
    tries: u32,
    /// A cut turn of it goes on.
    pub(super) turn: bool,
    /// It was seen in a turn last, or out of one.
    works: Option<bool>,
    /// Since when it has been there, for the turn's own limit.
    since: Option<Instant>,
    /// Its screen was asked for.
    looked: bool,
    /// What was started in its place, once it had failed.
    stand: Option<Spawn>,
}

impl Job {
    pub(super) fn new(mut item: Item) -> Option<Self> {
        let spawn = item.spawn.take()?;
        Some(Self {
            item,
            spawn,
            phase: Phase::Waiting(None),
            tries: 0,
            turn: false,
            works: None,
            since: None,
            looked: false,
            stand: None,
        })
    }

    pub(super) const fn spawn(&self) -> &Spawn {
        &self.spawn
    }

    pub(super) fn start(&mut self, go_on: bool, out: &mut Vec<Do>) {
        self.phase = Phase::Asked;
        self.looked = false;
        self.works = None;
        self.turn = go_on && self.spawn.working;
        // Written first: a crash from here on counts.
        let resumes = self.item.action == Action::Resume;
        let asked = resumes.then_some(Change::Asked);
        let goes_on = self.turn.then_some(Change::GoesOn);
        let pane = self.item.pane;
        let changes = asked.into_iter().chain(goes_on);
        out.extend(changes.map(|change| Do::Record { pane, change }));
        out.push(Do::Spawn {
            spawn: Box::new(self.spawn.clone()),
            go_on,
        });
    }

    pub(super) fn began(&mut self, now: Instant) {
        if self.phase == Phase::Asked {
            self.phase = Phase::Runs(now);
            self.since = Some(now);
        }
    }

    /// It ended, or was not even started. `again`: another try may help.
    pub(super) fn failed(&mut self, words: String, again: bool, now: Instant, out: &mut Vec<Do>) {
        let words = match self.spawn.private {
            true => PRIVATE.to_owned(),
            false => words,
        };
        self.turn = false;
        self.tries += 1;
        let pane = self.item.pane;
        let wait = BACK_OFF.get(self.tries as usize - 1).copied();
        if let Some(wait) = wait.filter(|_| again && self.tries < MAX_TRIES) {
            self.phase = Phase::Waiting(Some(now + wait));
            return;
        }
        self.phase = Phase::Failed;
        self.item.reason.clone_from(&words);
        out.push(Do::Say(format!("p{pane} did not come back: {words}")));
        // What no further try can help counts as all of them.
        self.stand = self.spawn.instead(&words);
        self.stand_in(out);
        let change = Change::Failed(words);
        let times = if again { 1 } else { MAX_TRIES };
        out.extend((0..times).map(|_| Do::Record {
            pane,
            change: change.clone(),
        }));
    }

    fn stand_in(&self, out: &mut Vec<Do>) {
        if let Some(stand) = &self.stand {
            out.push(Do::Spawn {
                spawn: Box::new(stand.clone()),
                go_on: false,
            });
        }
    }

    /// What was to stand in its place was refused: its folder may be why, so it is tried once elsewhere.
    pub(super) fn stand_refused(&mut self, words: &str, out: &mut Vec<Do>) {
        let root = Text::from("/");
        match self.stand.take().filter(|it| it.cwd != root) {
            Some(stand) => {
                self.stand = Some(Spawn { cwd: root, ..stand });
                self.stand_in(out);
            }
            None => out.push(Do::Say(format!(
                "p{}: nothing stands in its place: {words}",
                self.item.pane
            ))),
        }
    }

    /// It runs, in another conversation than the one it was asked for: it did not come back, and is not
    /// ended for that. Whoever found it out writes it down.
    pub(super) fn other(&mut self, words: &str) {
        self.turn = false;
        self.phase = Phase::Failed;
        words.clone_into(&mut self.item.reason);
    }

    /// It is there.
    pub(super) fn back(&mut self, out: &mut Vec<Do>) {
        self.phase = Phase::Back;
        let came = match self.item.action {
            Action::Resume => Came::Resumed,
            Action::Fresh if self.spawn.chosen => Came::FreshWithId,
            Action::Fresh => Came::Fresh,
            Action::Shell => Came::Shell,
            // What stands in its place is no comeback.
            Action::Blocked => {
                let change = Change::Blocked(self.item.reason.clone());
                let pane = self.item.pane;
                return out.push(Do::Record { pane, change });
            }
            Action::Skip => return,
        };
        let (pane, change) = (self.item.pane, Change::Back(came));
        out.push(Do::Record { pane, change });
    }

    pub(super) fn pass(&mut self, now: Instant, out: &mut Vec<Do>) {
        match self.phase {
            // A shell is there once it runs.
            Phase::Runs(_) if !self.spawn.agent => self.back(out),
            Phase::Runs(since) if now >= since + SETTLE => self.phase = Phase::Settled(since),
            _ => {}
        }
        if let Phase::Settled(since) = self.phase {
            if self.turn && !self.looked {
                self.looked = true;
                out.push(Do::Look(self.item.pane));
            }
            if now >= since + WATCH {
                if self.turn {
                    out.push(Do::Look(self.item.pane));
                }
                self.back(out);
            }
        }
        if self.since.is_some_and(|since| now >= since + TURN) {
            self.turn = false;
        }
    }

    /// Its agent was seen in a turn, or out of one.
    pub(super) fn seen(&mut self, working: bool) {
        self.works = Some(working);
        if !working && matches!(self.phase, Phase::Settled(_) | Phase::Back) {
            self.turn = false;
        }
    }

    /// Its screen was read and refuses nothing: a turn that was over before that is over.
    pub(super) fn read(&mut self) {
        if self.works == Some(false) {
            self.turn = false;
        }
    }

    pub(super) const fn turn_over(&mut self) {
        self.turn = false;
    }

    /// An end of it now is a failure to come back.
    pub(super) const fn is_watched(&self) -> bool {
        matches!(
            self.phase,
            Phase::Asked | Phase::Runs(_) | Phase::Settled(_)
        )
    }

    /// It takes one of the places of those that start.
    pub(super) const fn starts(&self) -> bool {
        matches!(self.phase, Phase::Asked | Phase::Runs(_))
    }

    pub(super) const fn waits(&self) -> bool {
        matches!(self.phase, Phase::Waiting(_))
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        match self.phase {
            Phase::Waiting(at) => at.is_none_or(|at| at <= now),
            _ => false,
        }
    }

    pub(super) const fn is_over(&self) -> bool {
        matches!(
            self.phase,
            Phase::Back | Phase::Failed | Phase::Held | Phase::LetGo
        )
    }

    /// When time alone changes something.
    pub(super) fn due(&self) -> Option<Instant> {
        let phase = match self.phase {
            Phase::Waiting(at) => at,
            Phase::Runs(since) if self.spawn.agent => Some(since + SETTLE),
            Phase::Settled(since) => Some(since + WATCH),
            _ => None,
        };
        let turn = self.since.filter(|_| self.turn).map(|since| since + TURN);
        phase.into_iter().chain(turn).min()
    }
}
