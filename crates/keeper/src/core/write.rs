//! When what is to be written down is given out: proven ids and intents at once, the rest together
//! after [`DEBOUNCE`] and at most once in [`LEAST`].

use super::{Action, Core, IntentEvent, Now};
use link::layout::Workspace;
use restore::{Intent, PaneRecord, intent};
use std::time::{Duration, Instant};

/// How long a change waits for more.
const DEBOUNCE: Duration = Duration::from_millis(200);
/// Least time between two writes that could wait.
const LEAST: Duration = Duration::from_secs(1);

/// One change of the records.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// A pane as it is, and what happened to its intents.
    Pane {
        /// The record; its intents are not the keeper's to overwrite.
        record: Box<PaneRecord>,
        /// Events of the pane's own intent.
        intents: Vec<IntentEvent>,
        /// Events of the intent of a typed agent.
        agent: Vec<IntentEvent>,
    },
    /// What is written down of a pane with this conversation becomes an offer of its own: another takes its place.
    Aside {
        /// The pane.
        pane: u32,
        /// The conversation.
        conversation: String,
        /// The offer's own id; 0: none was chosen yet.
        id: u32,
    },
    /// A workspace's layout.
    Layout(Box<Workspace>),
}

impl Edit {
    /// An intent changes: a pane or its agent may be ended by it.
    pub(crate) fn may_end(&self) -> bool {
        match self {
            Self::Pane { intents, agent, .. } => !intents.is_empty() || !agent.is_empty(),
            Self::Aside { .. } | Self::Layout(_) => false,
        }
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pacing {
    at: Option<Instant>,
    last: Option<Instant>,
}

impl Pacing {
    pub(super) const fn due(&self) -> Option<Instant> {
        self.at
    }

    /// Something is to be written before long.
    pub(super) fn soon(&mut self, now: Instant) {
        let turn = self.last.map_or(now, |last| last + LEAST);
        self.at.get_or_insert(turn.max(now + DEBOUNCE));
    }
}

impl Core {
    /// Gives out what is due.
    pub(super) fn write(&mut self, now: Now, out: &mut Vec<Action>) {
        let panes = || self.panes.values().filter(|pane| !pane.forgotten);
        let urgent = panes()
            .any(|pane| pane.urgent || !pane.intents.is_empty() || !pane.agent_intents.is_empty());
        let changed = !self.layouts.is_empty()
            || panes().any(|pane| pane.written.as_ref() != Some(&pane.record));
        if changed {
            self.pacing.soon(now.at);
        }
        if urgent || self.pacing.at.is_some_and(|at| at <= now.at) {
            self.write_now(now, out);
        }
    }

    /// Gives out everything that differs.
    pub(super) fn write_now(&mut self, now: Now, out: &mut Vec<Action>) {
        self.pacing.at = None;
        let mut edits: Vec<Edit> = std::mem::take(&mut self.layouts)
            .into_values()
            .map(|layout| Edit::Layout(Box::new(layout)))
            .collect();
        for pane in self.panes.values_mut().filter(|pane| !pane.forgotten) {
            let intents = std::mem::take(&mut pane.intents);
            let agent = std::mem::take(&mut pane.agent_intents);
            pane.urgent = false;
            edits.extend(pane.aside.take().map(|conversation| Edit::Aside {
                pane: pane.id,
                conversation,
                id: 0,
            }));
            let same = pane.written.as_ref() == Some(&pane.record);
            if same && intents.is_empty() && agent.is_empty() {
                continue;
            }
            apply(&mut pane.record, &intents, &agent, now.unix);
            pane.written = Some(pane.record.clone());
            edits.push(Edit::Pane {
                record: Box::new(pane.record.clone()),
                intents,
                agent,
            });
        }
        if !edits.is_empty() {
            self.pacing.last = Some(now.at);
            out.push(Action::Write(edits));
        }
    }
}

/// The intents of a record after these events.
pub(crate) fn apply(
    record: &mut PaneRecord,
    intents: &[IntentEvent],
    agent: &[IntentEvent],
    unix: u64,
) {
    for event in intents {
        record.intent = intent::step(&record.intent, event, unix);
    }
    // Whatever was typed there last: an agent that goes with its pane, or with its workspace, was not ended
    // by its user.
    let gone = matches!(
        record.intent,
        Intent::ClosedWorkspace { .. } | Intent::EndedByUser { .. } | Intent::Discarded { .. }
    );
    for event in agent {
        if gone && matches!(event, IntentEvent::Ended(_)) {
            continue;
        }
        if let Some(agent) = &mut record.agent {
            agent.intent = intent::step(&agent.intent, event, unix);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use restore::AgentRecord;
    use restore::intent::End;

    /// A typed agent that ends right behind the user's last Enter.
    fn check(intents: &[IntentEvent], before: Intent, want: &Intent) {
        let mut record = PaneRecord {
            intent: before,
            agent: Some(AgentRecord::default()),
            ..PaneRecord::default()
        };
        let ended = IntentEvent::Ended(End {
            since_submit: Some(Duration::from_secs(2)),
            ..End::default()
        });
        apply(&mut record, intents, &[ended], 7);
        assert_eq!(&record.agent.unwrap().intent, want);
    }

    #[test]
    fn an_agent_that_goes_with_its_workspace_was_not_ended_by_the_user() {
        check(&[], Intent::Open, &Intent::EndedByUser { at: 7 });
        check(&[], Intent::ClosedWorkspace { at: 3 }, &Intent::Open);
        check(&[IntentEvent::WorkspaceClosed], Intent::Open, &Intent::Open);
        check(&[IntentEvent::PaneClosed], Intent::Open, &Intent::Open);
    }
}
