//! The agent of a pane: can it open its conversation, and if not, why not. Pure.

use super::shell::{UNKEPT, block, missing, shell, shown};
use super::spawn::{joined, none_to_lose, pairs};
use super::{Action, Cause, Item, MAX_CONTINUES, MAX_TRIES, Settings, Spawn};
use crate::record::{AgentRecord, Conversation, GoOn, How, Intent, PaneRecord};
use crate::text::{os, texts};
use crate::world::{Folder, Kept, Transcript, Whose, World};
use agents::spec::{Appears, Need};
use agents::{CommandLine, Recognised, Resumption, Spec, last_level, recognise, resume_argv};
use std::path::Path;

/// A CLI writes what is said within this time, in seconds.
const WRITES: u64 = 30;
/// Said of a transcript in which that is missing.
const SHORT: &str =
    "its transcript was last written before its last turn: it may be shorter than what was shown";

/// Fills in what becomes of a pane that is to come back.
pub(super) fn decide(
    item: &mut Item,
    pane: &PaneRecord,
    settings: &Settings<'_>,
    world: &dyn World,
) {
    let ended = |agent: &&AgentRecord| agent.typed && !is_wanted(&agent.intent, settings);
    let Some(agent) = pane.agent.as_ref().filter(|agent| !ended(agent)) else {
        return shell(item, pane, world);
    };
    let case = Case {
        pane,
        agent,
        settings,
        world,
    };
    match case.agent() {
        Ok(done) => {
            (item.action, item.reason, item.spawn) = (done.action, done.reason, Some(done.spawn));
        }
        Err(why) => block(item, pane, why, world),
    }
}

/// Whether an agent that was typed into a shell is to come back with it.
fn is_wanted(intent: &Intent, settings: &Settings<'_>) -> bool {
    match intent {
        Intent::Open | Intent::Provisional { .. } | Intent::ClosedWorkspace { .. } => true,
        _ => matches!(settings.cause, Cause::Reopened(_)),
    }
}

/// What becomes of an agent that can come back.
struct Done {
    action: Action,
    reason: String,
    spawn: Spawn,
}

/// What a transcript, or its absence, says.
#[derive(Default)]
struct Known {
    /// The permission mode written last.
    mode: Option<String>,
    /// The user stopped the last turn.
    stopped: bool,
    /// It comes from the vault.
    put_back: bool,
    /// The last turn that was seen is not in it.
    short: bool,
}

/// One pane with an agent.
pub(super) struct Case<'a> {
    pane: &'a PaneRecord,
    pub(super) agent: &'a AgentRecord,
    settings: &'a Settings<'a>,
    pub(super) world: &'a dyn World,
}

impl Case<'_> {
    /// `Err`: why it cannot come back.
    fn agent(&self) -> Result<Done, String> {
        if let Some(inside) = &self.agent.inside {
            return Err(format!("cannot resume: runs inside {inside}"));
        }
        let spec = self.settings.catalogue.get(&self.agent.cli);
        let spec =
            spec.ok_or_else(|| format!("cannot resume: nothing is known of `{}`", self.agent.cli))?;
        if spec.resume.is_none() {
            let why = spec.cannot_resume.as_deref();
            return Err(format!(
                "cannot resume: {}",
                why.unwrap_or("no way is known")
            ));
        }
        let conversation = self.pane.conversation.as_ref();
        if conversation.is_none() && !self.agent.none_yet {
            return Err("unknown conversation".to_owned());
        }
        self.tried()?;
        self.folder()?;
        let line = self.line();
        let program = self.program(&line)?;
        self.variables()?;
        let Some(conversation) = conversation else {
            return self.fresh(spec, None, &line, None);
        };
        let env = Spawn::agent_env(self.pane, self.agent);
        let whose = Whose {
            spec,
            id: &conversation.id,
            folder: self.agent.cwd.as_path(),
            env: &env,
        };
        self.version(whose, &self.own_program(&line).unwrap_or(program))?;
        self.holder(whose)?;
        self.open(whose, conversation, &line)
    }

    fn asked(&self) -> bool {
        matches!(self.settings.cause, Cause::Reopened(_) | Cause::Asked)
    }

    fn tried(&self) -> Result<(), String> {
        if self.pane.tries < MAX_TRIES || self.asked() {
            return Ok(());
        }
        let words = self.pane.failure.as_deref().unwrap_or("it ended at once");
        Err(format!("it failed {MAX_TRIES} times: {words}"))
    }

    fn folder(&self) -> Result<(), String> {
        let path = self.agent.cwd.as_path();
        let name = shown(path);
        match self.world.folder(path) {
            Folder::There => Ok(()),
            Folder::Gone => Err(format!("its folder {name} is gone")),
            Folder::NoFolder => Err(format!("{name} is no folder any more")),
            Folder::Closed => Err(format!("its folder {name} cannot be entered")),
        }
    }

    /// The CLI's words and what stands in front, as they were recognised when it ran.
    fn line(&self) -> CommandLine {
        let argv = os(&self.agent.argv);
        let env = |name: &str| {
            let found = self
                .agent
                .env
                .iter()
                .find(|(known, _)| known.as_os() == name);
            found.map(|(_, value)| value.as_os().to_owned())
        };
        match recognise(self.settings.catalogue, &argv, None, &env) {
            Some(Recognised::Agent { agent, line, .. }) if agent == self.agent.cli => line,
            _ => CommandLine {
                argv,
                ..CommandLine::default()
            },
        }
    }

    fn variables(&self) -> Result<(), String> {
        if let Some(name) = missing(self.pane, self.world).first() {
            return Err(format!("needs variable {name}, {UNKEPT}"));
        }
        let set = &self.pane.set_env;
        let given = |name: &str| set.iter().any(|(known, _)| known.as_os() == name);
        let missing = self
            .agent
            .needs
            .iter()
            .find(|name| !given(name) && self.world.variable(name) == Some(false));
        missing.map_or(Ok(()), |name| Err(format!("needs variable {name}")))
    }

    fn version(&self, whose: Whose<'_>, program: &Path) -> Result<(), String> {
        let version = self.world.version(whose.spec, program);
        let Some(rule) = whose.spec.rule(version.as_ref()) else {
            return Ok(());
        };
        let which = match &version {
            Some(version) => format!("version {version}"),
            None => "its version cannot be read".to_owned(),
        };
        match rule.need {
            Need::Copy if self.world.kept(whose) == Kept::Verified => Ok(()),
            Need::Copy => Err(format!(
                "{which}, and abide has no whole copy: {}",
                rule.why
            )),
            Need::Never => Err(format!("{which}: {}", rule.why)),
        }
    }

    fn holder(&self, whose: Whose<'_>) -> Result<(), String> {
        match self.world.holder(whose) {
            Some(pid) => Err(format!("its conversation is held by pid {pid}")),
            None => Ok(()),
        }
    }

    /// Looks at the transcript and makes the command line.
    fn open(
        &self,
        whose: Whose<'_>,
        conversation: &Conversation,
        line: &CommandLine,
    ) -> Result<Done, String> {
        let starts_with_file = whose.spec.conversations.appears == Some(Appears::Start);
        match self.world.transcript(whose) {
            Transcript::Unknown => self.resume(whose.spec, conversation, line, Known::default()),
            // A stub beside the place of the real one, which its CLI deleted.
            Transcript::There {
                user_turn: Some(false),
                ..
            } if self.world.kept(whose) == Kept::Verified => {
                let known = Known {
                    put_back: true,
                    ..Known::default()
                };
                self.resume(whose.spec, conversation, line, known)
            }
            Transcript::There {
                user_turn: Some(false),
                ..
            } if !starts_with_file => Err("its transcript holds no message of yours".to_owned()),
            Transcript::There {
                user_turn: Some(false),
                mode,
                ..
            } => self.fresh(whose.spec, Some(conversation), line, mode),
            Transcript::There {
                mode,
                stopped,
                written,
                ..
            } => {
                let known = Known {
                    mode,
                    stopped: stopped == Some(true),
                    put_back: false,
                    short: written.is_some_and(|at| self.is_short(at)),
                };
                self.resume(whose.spec, conversation, line, known)
            }
            Transcript::Missing if self.world.kept(whose) == Kept::Verified => {
                let known = Known {
                    put_back: true,
                    ..Known::default()
                };
                self.resume(whose.spec, conversation, line, known)
            }
            // Nobody ever saw it, and it was not opened from it.
            Transcript::Missing
                if conversation.transcript.is_none() && conversation.how != How::Resumed =>
            {
                self.fresh(whose.spec, Some(conversation), line, None)
            }
            Transcript::Missing => Err("its transcript is gone".to_owned()),
        }
    }

    fn resume(
        &self,
        spec: &Spec,
        conversation: &Conversation,
        line: &CommandLine,
        known: Known,
    ) -> Result<Done, String> {
        let mode = known.mode.as_ref().or(conversation.permission.as_ref());
        let last = mode.map(|mode| last_level(spec, mode));
        let opened = resume_argv(spec, line, &conversation.id, last);
        let opened = opened.map_err(|why| why.to_string())?;
        let mut reason = format!(
            "conversation {} ({})",
            conversation.id,
            conversation.how.word()
        );
        let going_on = self.goes_on(known.stopped);
        if let Err(why) = going_on {
            reason = format!("{reason}; {why}");
        }
        if known.put_back {
            reason = format!("{reason}; its transcript is put back from the vault");
        }
        if known.short {
            reason = format!("{reason}; {SHORT}");
        }
        for word in &opened.left_out {
            reason = format!("{reason}; left out {word}");
        }
        let mut spawn = self.spawn(spec, opened, going_on.is_ok());
        spawn.put_back = known.put_back;
        let action = Action::Resume;
        Ok(Done {
            action,
            reason,
            spawn,
        })
    }

    /// Whether nothing was written since the last turn began, or came to its end: a full disk, as a rule.
    fn is_short(&self, written: u64) -> bool {
        let turn = |state: &str| matches!(state, "working" | "needs_input" | "done");
        let seen = self.pane.state.as_ref().filter(|it| turn(&it.state));
        seen.is_some_and(|seen| written.saturating_add(WRITES) < seen.at)
    }

    /// Whether a cut turn may go on by itself.
    fn goes_on(&self, stopped: bool) -> Result<(), &'static str> {
        let own = self.pane.restore.as_ref().and_then(|it| it.go_on);
        let cut = matches!(self.pane.intent, Intent::Open | Intent::Provisional { .. });
        match own.unwrap_or(self.settings.go_on) {
            GoOn::Never => Err("it waits at its prompt: restore.continue is never"),
            GoOn::Attended if !self.settings.attended => {
                Err("it waits at its prompt: restore.continue is attended and nobody is")
            }
            _ if self.pane.continues >= MAX_CONTINUES => {
                Err("it waits at its prompt: its turn was cut three times in a row")
            }
            _ if stopped => Err("it waits at its prompt: you stopped its last turn"),
            _ if !cut => Err("it waits at its prompt"),
            GoOn::Auto | GoOn::Attended => Ok(()),
        }
    }

    /// The agent as it was launched, without a conversation, under the id it had, if it had one.
    fn fresh(
        &self,
        spec: &Spec,
        conversation: Option<&Conversation>,
        line: &CommandLine,
        mode: Option<String>,
    ) -> Result<Done, String> {
        let mut launch = spec.clone();
        if let Some(resume) = &mut launch.resume {
            let choose = spec.choose.as_ref().filter(|_| conversation.is_some());
            resume.argv = choose.map(|it| it.argv.clone()).unwrap_or_default();
            resume.env.clear();
            resume.refuses.clear();
        }
        let last = mode.or_else(|| conversation?.permission.clone());
        let last = last.map(|mode| last_level(spec, &mode));
        let id = conversation.map_or("", |it| it.id.as_str());
        let opened = resume_argv(&launch, line, id, last);
        let opened = opened.map_err(|why| why.to_string())?;
        let mut spawn = self.spawn(spec, opened, false);
        spawn.chosen = spec.choose.is_some() && conversation.is_some();
        Ok(Done {
            action: Action::Fresh,
            reason: none_to_lose(conversation).to_owned(),
            spawn,
        })
    }

    fn spawn(&self, spec: &Spec, opened: Resumption, go_on: bool) -> Spawn {
        let mut spawn = Spawn::of(self.pane);
        spawn.argv = texts(&opened.argv);
        spawn.cwd = self.agent.cwd.clone();
        let own = Spawn::agent_env(self.pane, self.agent);
        spawn.env = joined(&[&own, &pairs(opened.env)]);
        if go_on {
            spawn.continue_env = pairs(opened.continue_env);
        }
        if self.agent.typed {
            let shell = self.pane.argv.first().filter(|_| self.pane.shell).cloned();
            spawn.wrapped.then = Some(shell.unwrap_or_else(|| self.world.shell()));
        }
        spawn.lost.clone_from(&spec.lost);
        spawn.held.clone_from(&spec.held);
        spawn.agent = true;
        let seen = self.pane.state.as_ref().map(|seen| seen.state.as_str());
        spawn.working = matches!(seen, Some("working" | "needs_input"));
        spawn
    }
}
