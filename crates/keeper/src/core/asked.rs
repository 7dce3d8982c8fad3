//! The conversation an agent was asked for, compared with the one it is proved to have. Pure.
//!
//! In: what was written down when it was started, looks, the user's Enter. Out: [`Action::Other`].
//! Promises: what was asked for is not replaced by what a CLI opened instead; a process that the user
//! has typed into is where the user took it, so its conversation is followed as ever; an id that is
//! shown for less than [`SETTLED`] says nothing, since a CLI may begin with another before it opens the
//! one it was asked for.

use super::pane::Watched;
use super::{Action, Agent};
use restore::execute::other_words;
use std::time::{Duration, Instant};

/// As long as it may take a CLI to open what it was asked for.
const SETTLED: Duration = Duration::from_secs(4);

/// Whether another conversation than the one that was asked for has been shown for long enough; `other`
/// remembers since when, and which.
pub(crate) fn settled(other: &mut Option<(Instant, String)>, id: &str, now: Instant) -> bool {
    match other {
        Some((since, shown)) if shown == id => now >= *since + SETTLED,
        _ => {
            *other = Some((now, id.to_owned()));
            false
        }
    }
}

impl Watched {
    /// Another process than the one that was started for the pane: nothing was asked of it.
    pub(super) fn forget_asked(&mut self) {
        self.other = None;
        if let Some(conversation) = &mut self.record.conversation {
            conversation.asked = None;
        }
    }

    /// What it opened is in the place of another one only as long as that one is asked for.
    pub(super) fn own_what_it_opened(&mut self) {
        let known = self.record.conversation.as_ref();
        let asked = known.filter(|it| it.asked.is_some()).map(|it| &it.id);
        if asked.is_none() || asked == self.record.opened.as_ref() {
            self.record.opened = None;
        }
    }

    /// Compares what an agent is proved to have with what it was asked for.
    pub(super) fn compare(&mut self, agent: &Agent, now: Instant) -> Option<Action> {
        let conversation = self.record.conversation.as_mut()?;
        let _asked = conversation.asked?;
        let learnt = agent.learnt.as_ref().filter(|it| it.how.is_current())?;
        let took_it_there = self.submit.is_some() && self.record.opened.is_none();
        if learnt.id == conversation.id || took_it_there {
            conversation.asked = None;
            self.record.opened = None;
            self.other = None;
            self.urgent = true;
            return None;
        }
        let stays = settled(&mut self.other, &learnt.id, now);
        let told = self.record.opened.as_ref() == Some(&learnt.id);
        (!told && stays).then(|| Action::Other {
            pane: self.id,
            opened: learnt.id.clone(),
        })
    }

    /// Its agent was asked for a conversation and shows another, whatever that comes to.
    pub(super) fn is_in_another(&self, agent: &Agent) -> bool {
        let asked = self.record.conversation.as_ref();
        let asked = asked.filter(|it| it.asked.is_some());
        let learnt = agent.learnt.as_ref().filter(|it| it.how.is_current());
        asked.zip(learnt).is_some_and(|(it, has)| it.id != has.id)
    }

    /// What to say of an agent that opened another conversation.
    pub(super) fn another(&self) -> Option<String> {
        let asked = self.record.conversation.as_ref()?;
        let opened = self.record.opened.as_ref()?;
        Some(other_words(&asked.id, opened))
    }
}
