//! Looks at the processes of a pane: which agent runs there, where, with what, in which conversation.
//!
//! In: the pane's program, its terminal's foreground group, what was learnt before. Out: [`Looked`].
//! Promises: what is no proof is none ([`agents::live`]); what cannot be seen is told as such; nothing
//! is signalled or changed.

use crate::core::{Agent, Looked};
use agents::hook::{Report, accepted, is_of_screen, learnt as hook_learnt};
use agents::live::{Env, Found, Learnt, Running, Table, agent_of, conversation};
use agents::{Catalogue, First, Spec, helpers, packaged_version, transcript};
use restore::environ::{self, Kept};
use std::ffi::OsString;
use sys::process::{Identity, folder};

/// What is kept of a pane from one look to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// The pane's program.
    pub(crate) program: Option<Identity>,
    /// Foreground group of its terminal; 0 unknown.
    pub(crate) foreground: u32,
    /// Variables the user set for it whose values stand in no note.
    pub(crate) named: Vec<String>,
    /// The agent that was seen last.
    running: Option<Running>,
    /// What was proved of it.
    learnt: Option<Learnt>,
    /// It reports which conversation its screen shows.
    screen: bool,
    /// .. and that is none: it has begun none yet.
    none_yet: bool,
    /// What does not change in a process's life.
    version: Option<String>,
    first_line: Option<String>,
    /// The helper its agent uses, and whether the host was told.
    shared: Option<(Identity, bool)>,
}

impl Place {
    /// Looks.
    pub(crate) fn look(&mut self, catalogue: &Catalogue, table: &Table) -> Looked {
        let blind = Looked {
            blind: true,
            ..Looked::default()
        };
        let Some(program) = self.program.filter(Identity::alive) else {
            return blind;
        };
        let foreground = i32::try_from(self.foreground).unwrap_or_default();
        let agent = match agent_of(catalogue, table, program, foreground) {
            Found::Agent(running) => self.agent(catalogue, table, *running),
            Found::Inside { cli, what, process } => {
                Some(inside(catalogue, program, cli, what, process))
            }
            Found::Headless { .. } | Found::Nothing => None,
        };
        let env = Env::of(program.pid);
        let value = |name: &String| Some((name.into(), env.get(name)?));
        let given: Vec<(OsString, OsString)> = self.named.iter().filter_map(value).collect();
        Looked {
            folder: folder(program.pid),
            env: kept(catalogue, &env).values,
            given: environ::given(&given),
            agent,
            blind: false,
        }
    }

    fn agent(&mut self, catalogue: &Catalogue, table: &Table, running: Running) -> Option<Agent> {
        let spec = catalogue.get(&running.cli)?;
        let same = self
            .running
            .as_ref()
            .is_some_and(|it| it.process == running.process);
        if !same {
            self.learnt = None;
            (self.screen, self.none_yet) = (false, false);
            self.first_line = None;
            self.version = version(spec, &running);
        }
        let env = |name: &str| running.env.get(name);
        let shared = helpers::find(spec, table, &env).into_iter().next();
        let (learnt, unproved, refuted) = if self.none_yet {
            (None, "it has begun no conversation yet".to_owned(), false)
        } else {
            match conversation(spec, &running, self.learnt.as_ref(), shared.as_ref()) {
                Ok(learnt) => (Some(learnt), String::new(), false),
                Err(why) => (None, why.to_string(), why.refutes()),
            }
        };
        // One that was begun outside of panes is nobody's here.
        let used = shared.filter(|it| refuted && it.tag.is_some());
        if let Some(helper) = used
            && self.shared.is_none_or(|(known, _)| known != helper.process)
        {
            self.shared = Some((helper.process, false));
        }
        if learnt.is_some() {
            self.learnt.clone_from(&learnt);
        }
        self.title(spec);
        let env = kept(catalogue, &running.env);
        let agent = Agent {
            process: running.process,
            cli: running.cli.clone(),
            argv: line(&running),
            reader: match running.line.first {
                First::Script => running.line.wrapper.len(),
                First::Program | First::Name => 0,
            },
            folder: running.folder.clone(),
            env: env.values,
            needs: env.needs,
            typed: running.typed,
            inside: None,
            version: self.version.clone(),
            learnt,
            unproved,
            refuted,
            none_yet: self.none_yet,
            first_line: self.first_line.clone(),
        };
        self.running = Some(running);
        Some(agent)
    }

    /// A helper that the host has not been told of: it ends with the last pane that uses it.
    pub(crate) fn new_helper(&mut self) -> Option<Identity> {
        let (process, told) = self.shared.as_mut().filter(|(_, told)| !*told)?;
        *told = true;
        Some(*process)
    }

    /// How its conversation begins, once it has begun.
    fn title(&mut self, spec: &Spec) {
        let path = self.learnt.as_ref().and_then(|it| it.transcript.as_deref());
        if let Some(path) = path.filter(|_| self.first_line.is_none()) {
            self.first_line = transcript::first_line(spec, path);
        }
    }

    /// A hook of the pane reported; true when it speaks of the pane's own agent.
    pub(crate) fn reported(&mut self, catalogue: &Catalogue, report: &Report) -> bool {
        let Some(running) = &self.running else {
            return false;
        };
        if !accepted(catalogue, report, running) {
            return false;
        }
        let Some(spec) = catalogue.get(&running.cli) else {
            return true;
        };
        let of_screen = is_of_screen(spec, report);
        if self.screen && !of_screen {
            // Of several conversations that go on it says itself which one it shows.
            return true;
        }
        let learnt = hook_learnt(spec, report, running);
        if of_screen {
            (self.screen, self.none_yet) = (true, learnt.is_none());
        }
        let id = |it: &Option<Learnt>| it.as_ref().map(|it| it.id.clone());
        if learnt.is_some() || of_screen {
            if id(&learnt) != id(&self.learnt) {
                self.first_line = None;
            }
            self.learnt = learnt;
        }
        true
    }
}

fn version(spec: &Spec, running: &Running) -> Option<String> {
    let program = sys::process::executable(running.process.pid);
    let named = running.line.argv.first().map(std::path::PathBuf::from);
    let found = [named, program]
        .into_iter()
        .flatten()
        .find_map(|it| packaged_version(spec, &it));
    found.map(|it| it.to_string())
}

/// The whole command line as it ran.
fn line(running: &Running) -> Vec<OsString> {
    let line = &running.line;
    line.wrapper.iter().chain(&line.argv).cloned().collect()
}

fn inside(
    catalogue: &Catalogue,
    program: Identity,
    cli: String,
    what: String,
    process: Identity,
) -> Agent {
    let env = kept(catalogue, &Env::of(process.pid));
    Agent {
        process,
        cli,
        argv: sys::process::command_line(process.pid).unwrap_or_default(),
        reader: 0,
        folder: folder(process.pid),
        env: env.values,
        needs: env.needs,
        typed: process != program,
        unproved: format!("runs inside {what}"),
        refuted: false,
        none_yet: false,
        inside: Some(what),
        version: None,
        learnt: None,
        first_line: None,
    }
}

/// What of a process's variables is written down.
fn kept(catalogue: &Catalogue, env: &Env) -> Kept {
    let all: Vec<(OsString, OsString)> = env.all().collect();
    environ::kept(catalogue, &all)
}
