//! When silence is death: one pure table, asked in its order.
//!
//! In: what was sent and heard, sleep and wake, the time. Out: a [`Verdict`] and the moment to ask
//! again. | silence is explained by | how long |, first match wins: a `/compact` the person typed, no
//! clock; the framework compacting by itself, [`COMPACTING`] from the last frame; a card that waits
//! or a pause, no clock; work beside the turn or an open tool call, no clock while its starter lists
//! it, a ghost for [`ghost`]; "Prompt is too long", [`OVERFLOW`], then recovery; nothing, [`SILENCE`],
//! or for the Agent Client Protocol [`OPENING`], [`LOADING`] and [`ACP_SILENCE`]. Promises: only what
//! a framework *says* is a sign of life (a line that is no message is none: wayland#803); after sleep,
//! wake or a changed network every clock has its whole window again; no clock but the caller's.

use crate::event::{Event, Task, TaskKind};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

const fn minutes(n: u64) -> Duration {
    Duration::from_secs(n * 60)
}

/// The framework shortens its context by itself.
pub const COMPACTING: Duration = minutes(30);
/// "Prompt is too long" was said and nothing since.
pub const OVERFLOW: Duration = Duration::from_secs(30);
/// Nothing explains the silence; a first frame may take as long.
pub const SILENCE: Duration = minutes(20);
/// An agent of the Agent Client Protocol starts up and opens a new conversation.
pub const OPENING: Duration = minutes(2);
/// It loads an earlier conversation.
pub const LOADING: Duration = minutes(4);
/// It says nothing at all during a turn.
pub const ACP_SILENCE: Duration = minutes(6);

/// How long work explains silence that its starter no longer vouches for.
#[must_use]
pub const fn ghost(kind: TaskKind) -> Duration {
    match kind {
        TaskKind::Job => minutes(10),
        TaskKind::SubAgent => minutes(15),
        TaskKind::Workflow => minutes(60),
    }
}

/// Who is the only authority for a kind of work beside the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Authority {
    /// The framework.
    Framework,
    /// Tools of our own.
    Tools,
    /// Schedules of our own.
    Schedules,
}

/// What the watchdog is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal<'a> {
    /// A process was started for a conversation; `load`: an earlier one.
    Opening {
        /// It has a past to load.
        load: bool,
    },
    /// A prompt was sent; `compact`: it is a `/compact` the person typed.
    Sent {
        /// A `/compact` that the person typed.
        compact: bool,
    },
    /// The framework said this.
    Heard(&'a Event),
    /// Everything an authority of ours lists.
    Listed(Authority, &'a [Task]),
    /// The person paused, or goes on.
    Paused(bool),
    /// The machine woke, or its network changed.
    Woke,
}

/// What to make of the silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is explained; ask again at `until`, or (`None`) when something happens.
    Alive {
        /// By what.
        why: Why,
        /// When the explanation ends.
        until: Option<Instant>,
    },
    /// The conversation is too long and the framework does not deal with it: compact, or carry it
    /// to a fresh one; no kill.
    Overflow,
    /// Nothing explains it any more.
    Dead {
        /// What was waited for.
        what: What,
    },
}

/// What explains a silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// There is no turn and nothing is being opened.
    Idle,
    /// The person's `/compact`.
    Compact,
    /// The framework's own compacting.
    Compacting,
    /// A card, or a pause.
    Person,
    /// Work beside the turn, or a tool call.
    Work,
    /// "Prompt is too long" was just said.
    Overflow,
    /// It is within its time.
    Patience,
}

/// What was waited for in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A new conversation.
    Open,
    /// An earlier one.
    Load,
    /// Any word in a turn.
    Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Opening { load: bool },
    Turn { compact: bool },
}

#[derive(Clone, Debug)]
struct Known {
    task: Task,
    /// When its starter last vouched for it.
    at: Instant,
}

/// The watchdog of one conversation.
#[derive(Clone, Debug)]
pub struct Watchdog {
    acp: bool,
    phase: Phase,
    /// The last sign of life, or what restarted the clocks.
    last: Instant,
    compacting: bool,
    paused: bool,
    overflow: bool,
    cards: BTreeSet<String>,
    tools: BTreeSet<String>,
    tasks: BTreeMap<(Authority, String), Known>,
}

impl Watchdog {
    /// For a conversation over the Agent Client Protocol (`acp`) or another protocol.
    #[must_use]
    pub const fn new(acp: bool, now: Instant) -> Self {
        Self {
            acp,
            phase: Phase::Idle,
            last: now,
            compacting: false,
            paused: false,
            overflow: false,
            cards: BTreeSet::new(),
            tools: BTreeSet::new(),
            tasks: BTreeMap::new(),
        }
    }

    /// Takes what happened.
    pub fn tell(&mut self, signal: &Signal<'_>, now: Instant) {
        match signal {
            Signal::Opening { load } => self.begin(Phase::Opening { load: *load }, now),
            Signal::Sent { compact } => self.begin(Phase::Turn { compact: *compact }, now),
            Signal::Heard(event) => self.heard(event, now),
            Signal::Listed(who, tasks) => self.listed(*who, tasks, now),
            Signal::Paused(paused) => {
                self.paused = *paused;
                self.last = now;
            }
            Signal::Woke => self.renew(now),
        }
    }

    fn begin(&mut self, phase: Phase, now: Instant) {
        self.phase = phase;
        self.last = now;
        self.compacting = false;
        self.overflow = false;
        self.cards.clear();
        self.tools.clear();
    }

    /// Every clock has its whole window again.
    fn renew(&mut self, now: Instant) {
        self.last = now;
        for known in self.tasks.values_mut() {
            known.at = now;
        }
    }

    fn heard(&mut self, event: &Event, now: Instant) {
        match event {
            // The fault of a line is no word of the framework.
            Event::Broken { .. } => return,
            Event::Ready { .. } | Event::Lost { .. } | Event::Held { .. } | Event::Other { .. } => {
                self.phase = Phase::Idle;
            }
            Event::Ended { .. } => self.begin(Phase::Idle, now),
            Event::Card(card) => drop(self.cards.insert(card.id.clone())),
            Event::CardGone { id } => drop(self.cards.remove(id)),
            Event::Tool(call) => drop(self.tools.insert(call.id.clone())),
            Event::ToolEnded { id, .. } => drop(self.tools.remove(id)),
            Event::Compacting { on } => self.compacting = *on,
            Event::Background { tasks } => self.listed(Authority::Framework, tasks, now),
            _ => {}
        }
        self.overflow = overflows(event);
        self.last = now;
    }

    /// One authority's whole list. What it no longer lists is gone; what it lists without vouching
    /// for it is a ghost from the last time it did. A task keeps what was known of it at its start.
    fn listed(&mut self, who: Authority, tasks: &[Task], now: Instant) {
        let listed: BTreeSet<&str> = tasks.iter().map(|it| it.id.as_str()).collect();
        self.tasks
            .retain(|(theirs, id), _| *theirs != who || listed.contains(id.as_str()));
        for task in tasks {
            let known = self.tasks.entry((who, task.id.clone()));
            let known = known.or_insert_with(|| Known {
                task: task.clone(),
                at: now,
            });
            if !task.title.is_empty() {
                known.task.title.clone_from(&task.title);
            }
            known.task.vouched = task.vouched;
            if task.vouched {
                known.at = now;
            }
        }
    }

    /// The work that is known, with what was known of it at its start.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks.values().map(|it| &it.task)
    }

    /// What to make of the silence until now.
    #[must_use]
    pub fn judge(&self, now: Instant) -> Verdict {
        let explained = |why| Verdict::Alive { why, until: None };
        match self.phase {
            Phase::Idle => return explained(Why::Idle),
            Phase::Turn { compact: true } => return explained(Why::Compact),
            _ => {}
        }
        if self.compacting {
            let what = What::Word;
            return until(
                Why::Compacting,
                self.last + COMPACTING,
                now,
                Verdict::Dead { what },
            );
        }
        if self.paused || !self.cards.is_empty() {
            return explained(Why::Person);
        }
        if let Some(verdict) = self.work(now) {
            return verdict;
        }
        if self.overflow {
            return until(Why::Overflow, self.last + OVERFLOW, now, Verdict::Overflow);
        }
        let (what, limit) = match self.phase {
            Phase::Opening { load: false } if self.acp => (What::Open, OPENING),
            Phase::Opening { load: true } if self.acp => (What::Load, LOADING),
            Phase::Opening { load } => (if load { What::Load } else { What::Open }, SILENCE),
            _ => (What::Word, if self.acp { ACP_SILENCE } else { SILENCE }),
        };
        until(
            Why::Patience,
            self.last + limit,
            now,
            Verdict::Dead { what },
        )
    }

    /// An open tool call is listed by the framework that made it.
    fn work(&self, now: Instant) -> Option<Verdict> {
        let why = Why::Work;
        if !self.tools.is_empty() || self.tasks.values().any(|it| it.task.vouched) {
            return Some(Verdict::Alive { why, until: None });
        }
        let ends = self.tasks.values().map(|it| it.at + ghost(it.task.kind));
        let last = ends.max().filter(|it| *it > now)?;
        let until = Some(last);
        Some(Verdict::Alive { why, until })
    }
}

fn overflows(event: &Event) -> bool {
    let (Event::Text { text: words } | Event::Notice { text: words }) = event else {
        return false;
    };
    words.contains("Prompt is too long")
}

fn until(why: Why, end: Instant, now: Instant, after: Verdict) -> Verdict {
    if now < end {
        let until = Some(end);
        return Verdict::Alive { why, until };
    }
    after
}

#[cfg(test)]
mod tests;
