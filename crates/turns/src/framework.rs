//! One framework: what of its data file a runner needs. Pure.

use crate::again::Unanswered;
use crate::driver::{Acp, Claude, Codex, Driver, Manner};
use crate::inflight::Params;
use crate::replay::Trust;
use crate::runner::Takes;
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

    /// Which settings its process takes at its start.
    #[must_use]
    pub const fn takes(&self) -> Takes {
        let by_message = !matches!(self.turn.protocol, Protocol::StreamJson);
        Takes {
            model: by_message || !self.turn.model.is_empty(),
            mode: by_message || !self.turn.mode.is_empty(),
            effort: !self.turn.effort.is_empty(),
        }
    }

    /// What the past that it shows at a load tells of an answer.
    #[must_use]
    pub const fn trust(&self) -> Trust {
        match self.turn.protocol {
            Protocol::AppServer => Trust::Status,
            Protocol::Acp if self.turn.whole_answers => Trust::WholeOnly,
            Protocol::Acp | Protocol::StreamJson => Trust::None,
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

    /// It takes the id of a new conversation as an argument: the id is known before its process is.
    #[must_use]
    pub fn takes_id(&self) -> bool {
        self.turn.protocol == Protocol::StreamJson && self.spec.choose.is_some()
    }

    /// The command line of a process that is to open `session`; `None`: a new conversation, with the id
    /// `chosen` if there is one.
    #[must_use]
    pub fn argv(
        &self,
        session: Option<&str>,
        chosen: Option<&str>,
        params: &Params,
    ) -> Vec<String> {
        let mut argv = self.turn.argv.clone();
        let none = Vec::new();
        let choose = self.spec.choose.as_ref().map_or(&none, |it| &it.argv);
        let chosen = [
            (choose, "{id}", chosen.filter(|_| session.is_none())),
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

    /// The data file that the documentation shows is one, and its own words mean what it says.
    #[test]
    fn the_documented_data_file_names_its_own_lost_signal() {
        let text = include_str!("../../../docs/turns.md");
        let block = text.split("```toml\n").nth(1).unwrap();
        let block = block.split("```").next().unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("tinker.toml"), block).unwrap();
        let loaded = Catalogue::load(dir.path());
        assert_eq!(loaded.left_out, [""; 0]);
        let tinker = Framework::of(loaded.catalogue.get("tinker").unwrap()).unwrap();
        assert!(tinker.is_acp());
        assert_eq!(tinker.unanswered(), Unanswered::Kept);
        let params = Params {
            model: Some("large".to_owned()),
            ..Params::default()
        };
        let argv = tinker.argv(Some("S"), None, &params);
        assert_eq!(argv, ["tinker", "serve", "--acp", "--model=large"]);
        let answer = |words: &str| {
            let mut driver = tinker.driver(true);
            driver.open(crate::driver::Open {
                session: Some("S".to_owned()),
                ..Default::default()
            });
            let able = r#"{"id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}"#;
            driver.receive(able);
            let error = format!(r#"{{"id":2,"error":{{"code":-32603,"message":"{words}"}}}}"#);
            crate::driver::testing::said(&driver.receive(&error))
        };
        use crate::event::Event;
        assert!(matches!(
            answer("chat S was swept away")[..],
            [Event::Lost { .. }]
        ));
        assert!(matches!(
            answer("chat S is being edited by pid 7")[..],
            [Event::Held { .. }]
        ));
        assert!(matches!(answer("out of coffee")[..], [Event::Ended { .. }]));
    }

    #[test]
    fn arguments_are_added_only_for_what_was_chosen() {
        let params = Params {
            model: Some("m".to_owned()),
            permission_mode: Some("plan".to_owned()),
            ..Params::default()
        };
        let argv = framework("claude").argv(Some("S"), None, &params).join(" ");
        assert!(
            argv.ends_with("stdio --resume S --model m --permission-mode plan"),
            "{argv}"
        );
        let argv = framework("claude").argv(None, Some("N"), &params).join(" ");
        assert!(argv.contains("stdio --session-id N --model m"), "{argv}");
        assert!(framework("claude").takes_id() && !framework("codex").takes_id());
        let argv = framework("codex").argv(Some("S"), None, &params);
        assert_eq!(argv, ["codex", "app-server"]);
    }

    #[test]
    fn an_empty_load_is_lost_only_when_something_is_known() {
        let hermes = framework("hermes");
        assert!(hermes.is_acp() && hermes.turn.empty_is_lost);
        assert_eq!(hermes.unanswered(), Unanswered::Kept);
        assert_eq!(framework("gemini").loads_since(), Some("0.64"));
        assert!(framework("claude").takes().effort && !framework("qwen").takes().effort);
        assert_eq!(framework("codex").trust(), Trust::Status);
        assert_eq!(framework("qwen").trust(), Trust::WholeOnly);
        // It keeps a part of an answer when it is ended in an orderly way.
        assert_eq!(framework("opencode").trust(), Trust::None);
    }
}
