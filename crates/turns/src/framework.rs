//! One framework: what of its data file a runner needs. Pure.

use crate::again::Unanswered;
use crate::driver::{Acp, Claude, Codex, Driver, Manner};
use crate::inflight::Params;
use agents::Spec;
use agents::spec::{Protocol, Turn};

/// A framework that turns can be handed to.
#[derive(Clone, Debug)]
pub struct Framework {
    spec: Spec,
    turn: Turn,
}

/// Why a CLI cannot be driven.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{title} cannot be driven through a structured protocol; run it in a pane instead (`abide new --agent {name}`), or name its protocol in a data file (`[turn]`, docs/agents.md)"
)]
pub struct NotDriven {
    title: String,
    name: String,
}

impl Framework {
    /// What the data file says.
    ///
    /// # Errors
    /// [`NotDriven`]: it has no `[turn]`.
    pub fn of(spec: &Spec) -> Result<Self, NotDriven> {
        let driven = spec.turn.clone().filter(|it| !it.argv.is_empty());
        let turn = driven.ok_or_else(|| NotDriven {
            title: spec.title.clone(),
            name: spec.name.clone(),
        })?;
        let spec = spec.clone();
        Ok(Self { spec, turn })
    }

    /// Its short name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Its name for people.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.spec.title
    }

    /// It speaks the Agent Client Protocol.
    #[must_use]
    pub fn is_acp(&self) -> bool {
        self.turn.protocol == Protocol::Acp
    }

    /// What it does with a prompt that was cut.
    #[must_use]
    pub const fn unanswered(&self) -> Unanswered {
        match self.turn.unanswered {
            agents::spec::Unanswered::Gone => Unanswered::Gone,
            agents::spec::Unanswered::Kept => Unanswered::Kept,
            agents::spec::Unanswered::Rerun => Unanswered::Rerun,
        }
    }

    /// The first version whose load does no harm; below it, or unknown, a conversation is carried over
    /// instead.
    #[must_use]
    pub fn loads_since(&self) -> Option<&str> {
        self.turn.loads_since.as_deref()
    }

    /// A machine for a fresh process. `known`: there are messages in the conversation that is opened.
    #[must_use]
    pub fn driver(&self, known: bool) -> Box<dyn Driver> {
        match self.turn.protocol {
            Protocol::StreamJson => Box::new(Claude::new()),
            Protocol::AppServer => Box::new(Codex::new()),
            Protocol::Acp => Box::new(Acp::new(Manner {
                authenticate: self.turn.authenticate.clone(),
                lost: [&self.turn.lost[..], &self.spec.lost[..]].concat(),
                held: self.spec.held.clone(),
                empty_is_lost: self.turn.empty_is_lost && known,
                mode_chosen: !self.turn.mode.is_empty(),
                model_chosen: !self.turn.model.is_empty(),
                effort_chosen: !self.turn.effort.is_empty(),
            })),
        }
    }

    /// The command line of a process that is to open `session` (`None`: a new conversation).
    #[must_use]
    pub fn argv(&self, session: Option<&str>, params: &Params) -> Vec<String> {
        let mut argv = self.turn.argv.clone();
        let chosen = [
            (&self.turn.session, "{id}", session),
            (&self.turn.model, "{model}", params.model.as_deref()),
            (&self.turn.mode, "{mode}", params.permission_mode.as_deref()),
            (&self.turn.effort, "{effort}", params.effort.as_deref()),
        ];
        for (words, mark, value) in chosen {
            if let Some(value) = value {
                argv.extend(words.iter().map(|it| it.replace(mark, value)));
            }
        }
        argv
    }

    /// Variables its process gets on top.
    pub fn env(&self) -> impl Iterator<Item = (&str, &str)> {
        let env = self.turn.env.iter();
        env.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::Catalogue;

    fn framework(name: &str) -> Framework {
        Framework::of(Catalogue::built_in().get(name).unwrap()).unwrap()
    }

    #[test]
    fn at_least_fourteen_are_driven_and_the_others_say_what_to_do() {
        let catalogue = Catalogue::built_in();
        let driven: Vec<Framework> = catalogue
            .specs()
            .filter_map(|it| Framework::of(it).ok())
            .collect();
        assert!(driven.len() >= 14, "{}", driven.len());
        let amp = Framework::of(catalogue.get("amp").unwrap()).unwrap_err();
        assert!(amp.to_string().contains("abide new --agent amp"));
    }

    #[test]
    fn arguments_are_added_only_for_what_was_chosen() {
        let params = Params {
            model: Some("m".to_owned()),
            permission_mode: Some("plan".to_owned()),
            ..Params::default()
        };
        let argv = framework("claude").argv(Some("S"), &params).join(" ");
        assert!(
            argv.ends_with("stdio --resume S --model m --permission-mode plan"),
            "{argv}"
        );
        let argv = framework("codex").argv(Some("S"), &params);
        assert_eq!(argv, ["codex", "app-server"]);
    }

    #[test]
    fn an_empty_load_is_lost_only_when_something_is_known() {
        let hermes = framework("hermes");
        assert!(hermes.is_acp() && hermes.turn.empty_is_lost);
        assert_eq!(hermes.unanswered(), Unanswered::Kept);
        assert_eq!(framework("gemini").loads_since(), Some("0.64"));
    }
}
