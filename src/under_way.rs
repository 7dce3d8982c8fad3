//! Turns that were handed to agents, for the keeper: which of them get a pane.
//!
//! In: the panes that are written down. Out: what `abide ask` has under way without a pane. The rules are
//! [`turns::offer`]'s; this brings the two crates together, which know nothing of each other.

use keeper::{Turns, Wanted};
use restore::record::{Intent, PaneRecord};
use std::path::{Path, PathBuf};
use turns::inflight::InFlight;
use turns::offer::{self, Offer, Pane};

/// The agent whose conversations these are.
const CLI: &str = "ask";

/// What is under way below one state folder.
#[derive(Debug)]
pub struct UnderWay {
    state: PathBuf,
    program: PathBuf,
    /// The folder that seals the instance, if one does.
    home: Option<PathBuf>,
}

impl UnderWay {
    /// Below `state`; runners are started by `program`.
    #[must_use]
    pub fn new(state: &Path, program: &Path, home: Option<&Path>) -> Self {
        Self {
            state: state.to_owned(),
            program: program.to_owned(),
            home: home.map(Path::to_owned),
        }
    }

    fn look(&self, panes: &[PaneRecord]) -> Vec<(InFlight, Offer)> {
        let looked = offer::look(&self.state, &|conversation| pane_of(panes, conversation));
        match looked {
            Ok(looked) => {
                for problem in &looked.problems {
                    tracing::warn!("a turn under way is left alone: {problem}");
                }
                looked.offers
            }
            Err(error) => {
                tracing::error!("{error}");
                Vec::new()
            }
        }
    }

    fn wanted(&self, turn: &InFlight, now: u64) -> Wanted {
        let program = self.program.clone().into_os_string();
        let words = ["ask", "--resume", &turn.conversation];
        let home = self.home.clone().map(|it| ("ABIDE_HOME".into(), it.into()));
        Wanted {
            conversation: turn.conversation.clone(),
            cli: CLI.to_owned(),
            argv: std::iter::once(program.into())
                .chain(words.map(Into::into))
                .collect(),
            folder: turn.params.project_dir.as_str().into(),
            env: home.into_iter().collect(),
            what: format!(
                "a turn of {} that was cut (conversation {}, asked {})",
                turn.engine,
                turn.conversation,
                offer::asked(turn, now)
            ),
        }
    }
}

/// The pane of a conversation: the one that is to be there before one that has ended.
fn pane_of(panes: &[PaneRecord], conversation: &str) -> Option<Pane> {
    let has = |pane: &&PaneRecord| {
        pane.agent.as_ref().is_some_and(|it| it.cli == CLI)
            && pane
                .conversation
                .as_ref()
                .is_some_and(|it| it.id == conversation)
    };
    let own = panes.iter().filter(has).filter_map(|pane| {
        let agent = pane.agent.as_ref().filter(|it| it.typed);
        match agent.map_or(&pane.intent, |it| &it.intent) {
            Intent::EndedByUser { .. } | Intent::Discarded { .. } => Some(Pane::Ended(pane.id)),
            Intent::Open | Intent::Provisional { .. } | Intent::ClosedWorkspace { .. } => {
                Some(Pane::Comes(pane.id))
            }
            // It ended by itself: the turn has no pane.
            Intent::Exited { .. } => None,
        }
    });
    own.min_by_key(|it| matches!(it, Pane::Ended(_)))
}

impl Turns for UnderWay {
    fn waiting(&self) -> bool {
        let offers = self.look(&[]);
        offers.iter().any(|(_, offer)| *offer == Offer::Pane)
    }

    fn begin(&self, panes: &[PaneRecord], now: u64) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for (turn, offer) in self.look(panes) {
            let name = &turn.conversation;
            if let Err(error) = offer::write_down(&self.state, &turn, &offer, now) {
                tracing::error!("the turn of conversation {name}: {error}");
            }
            match &offer {
                Offer::Close { why, .. } => {
                    tracing::info!("the turn of conversation {name} is over: {why}");
                }
                Offer::Comes(pane) => {
                    tracing::info!("the turn of conversation {name} goes on in p{pane}");
                }
                Offer::Pane => wanted.push(self.wanted(&turn, now)),
                Offer::Leave => {}
            }
        }
        wanted
    }

    fn settle(&self, panes: &dyn Fn() -> Vec<PaneRecord>, now: u64) {
        let folder = self.state.join("turns");
        let any = std::fs::read_dir(folder).is_ok_and(|mut it| it.next().is_some());
        if !any {
            return;
        }
        let panes = panes();
        for (turn, _) in self.look(&panes) {
            let name = &turn.conversation;
            if !matches!(pane_of(&panes, name), Some(Pane::Ended(_))) {
                continue;
            }
            match offer::ended(&self.state, name, now) {
                Ok(Some(_)) => {
                    tracing::info!("the turn of conversation {name} is over: its pane was ended");
                }
                Ok(None) => {}
                Err(error) => tracing::error!("the turn of conversation {name}: {error}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use restore::record::{AgentRecord, Conversation, How};

    fn pane(id: u32, conversation: &str, intent: Intent) -> PaneRecord {
        PaneRecord {
            id,
            intent,
            agent: Some(AgentRecord {
                cli: CLI.to_owned(),
                ..AgentRecord::default()
            }),
            conversation: Some(Conversation {
                id: conversation.to_owned(),
                how: How::Assigned,
                at: 0,
                transcript: None,
                permission: None,
                asked: None,
                rest: Default::default(),
            }),
            ..PaneRecord::default()
        }
    }

    #[test]
    fn a_conversations_pane_is_the_one_that_is_to_be_there() {
        let ended = Intent::EndedByUser { at: 1 };
        let exited = Intent::Exited {
            at: 1,
            raw_status: None,
        };
        let panes = [
            pane(1, "a", ended.clone()),
            pane(2, "a", Intent::Open),
            pane(3, "b", ended.clone()),
            pane(4, "c", exited),
        ];
        assert_eq!(pane_of(&panes, "a"), Some(Pane::Comes(2)));
        assert_eq!(pane_of(&panes, "b"), Some(Pane::Ended(3)));
        assert_eq!(pane_of(&panes, "c"), None);
        assert_eq!(pane_of(&panes, "d"), None);
        let mut typed = pane(5, "e", Intent::Open);
        if let Some(agent) = &mut typed.agent {
            agent.typed = true;
            agent.intent = ended;
        }
        assert_eq!(pane_of(&[typed], "e"), Some(Pane::Ended(5)));
    }
}
