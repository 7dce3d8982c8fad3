//! From words and what is written down to a conversation that can be opened.

use super::Args;
use crate::cmd::Ctx;
use crate::failure::{Exit, Failure};
use crate::out::say;
use agents::{Catalogue, Spec, Version};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};
use turns::elsewhere::Elsewhere;
use turns::framework::Framework;
use turns::inflight::{Folder, Params};
use turns::live::Live;
use turns::process::Processes;
use turns::program::{Input, Parts};
use turns::record::{Reader, last};
use turns::runner::{Core, Setup};
use turns::screen::About;

/// Names of a pane that mean the runner, not the agent it drives.
const OURS: [&str; 3] = ["ABIDE_PANE", "ABIDE_PANE_KEY", "CLAUDECODE"];

/// A conversation that is to be opened.
pub(super) struct Asked {
    framework: Framework,
    spec: Spec,
    conversation: String,
    params: Params,
    session: Option<String>,
    /// Its load would harm it.
    carry: bool,
}

/// Reads what is to be opened.
///
/// # Errors
/// There is no such agent or conversation, or the agent cannot be asked.
pub(super) fn setup(ctx: &Ctx, args: &Args) -> Result<Asked, Failure> {
    let loaded = Catalogue::load(&ctx.places.config.join("agents"));
    loaded.left_out.iter().for_each(|line| say(line));
    let catalogue = loaded.catalogue;
    let (name, conversation, mut params, session) = match &args.resume {
        Some(id) => earlier(&ctx.places.state, id)?,
        None => {
            let params = Params::default();
            let id = args.conversation.clone().unwrap_or_else(new_id);
            named(&id)?;
            (agent(ctx, args)?, id, params, None)
        }
    };
    let spec = catalogue.get(&name).ok_or_else(|| {
        Failure::with(
            Exit::Usage,
            format!("there is no agent {name}; `abide agents` lists them"),
        )
    })?;
    let framework = Framework::of(spec).map_err(|e| Failure::new(e.to_string()))?;
    choose(&mut params, args)?;
    let carry = session.is_some() && harms(spec, &framework);
    account(&mut params, spec, args.resume.is_some());
    Ok(Asked {
        framework,
        spec: spec.clone(),
        conversation,
        params,
        session,
        carry,
    })
}

/// A conversation's name names files.
fn named(id: &str) -> Result<(), Failure> {
    let known = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if (1..=64).contains(&id.len()) && id.chars().all(known) {
        return Ok(());
    }
    let text = format!("{id} is no name of a conversation: letters, digits and `-`, at most 64");
    Err(Failure::with(Exit::Usage, text))
}

fn agent(ctx: &Ctx, args: &Args) -> Result<String, Failure> {
    let config = ctx.config()?;
    let name = args.agent.as_deref().unwrap_or_else(|| config.ask_agent());
    if name.is_empty() {
        let text = "which agent? give --agent NAME, or set one: abide config set ask.agent NAME";
        return Err(Failure::with(Exit::Usage, text));
    }
    Ok(name.to_owned())
}

/// Framework, name, parameters and session of a conversation that was had before: of the turn that
/// was cut, else of the last one in the record.
fn earlier(state: &Path, id: &str) -> Result<(String, String, Params, Option<String>), Failure> {
    let none = || {
        Failure::new(format!(
            "there is no conversation {id}; `abide record show` lists them"
        ))
    };
    named(id).map_err(|_| none())?;
    let rows = Reader::new(state).rows(id);
    let recorded = last(&rows);
    let session = recorded.as_ref().and_then(|it| it.1.clone());
    let folder = Folder::open(state).map_err(|e| Failure::new(e.to_string()))?;
    if let Some(turn) = folder.read(id) {
        let session = turn.session_id.or(session);
        return Ok((turn.engine, id.to_owned(), turn.params, session));
    }
    let (asked, _) = recorded.ok_or_else(none)?;
    let params = Params {
        message: String::new(),
        project_dir: asked.folder,
        model: asked.model,
        effort: asked.effort,
        permission_mode: asked.mode,
        runner_config_id: asked.account,
    };
    Ok((asked.framework, id.to_owned(), params, session))
}

/// What was said on the command line goes before what was recorded.
fn choose(params: &mut Params, args: &Args) -> Result<(), Failure> {
    let chosen = [
        (&mut params.model, &args.model),
        (&mut params.permission_mode, &args.mode),
        (&mut params.effort, &args.effort),
    ];
    for (param, arg) in chosen {
        if arg.is_some() {
            param.clone_from(arg);
        }
    }
    if let Some(folder) = folder(args, &params.project_dir)? {
        params.project_dir = folder;
    }
    Ok(())
}

fn folder(args: &Args, recorded: &str) -> Result<Option<String>, Failure> {
    let named = match &args.cwd {
        Some(folder) => folder.clone(),
        None if !recorded.is_empty() => return Ok(None),
        None => PathBuf::from("."),
    };
    let found = std::fs::canonicalize(&named)
        .map_err(|e| Failure::new(format!("{}: {}", named.display(), sys::files::plain(&e))))?;
    let text = found.into_os_string().into_string();
    text.map(Some).map_err(|it| {
        Failure::new(format!(
            "{} is not UTF-8, which agents' protocols need",
            it.display()
        ))
    })
}

/// Whether this version's load would harm the conversation, or may.
fn harms(spec: &Spec, framework: &Framework) -> bool {
    let Some(since) = framework.loads_since() else {
        return false;
    };
    let program = spec
        .launch
        .argv
        .first()
        .map(PathBuf::from)
        .unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join(&program));
    let found = found.into_iter().find(|file| file.is_file());
    let version: Option<Version> = found.and_then(|file| agents::packaged_version(spec, &file));
    version.is_none_or(|it| it.is_below(since))
}

impl Asked {
    /// A turn of it was cut.
    pub(super) fn has_cut(&self, state: &Path) -> bool {
        let folder = Folder::open(state).ok();
        folder.is_some_and(|it| it.read(&self.conversation).is_some())
    }

    /// What the screen says of it.
    pub(super) fn about(&self) -> About {
        let params = &self.params;
        let settings = [&params.model, &params.permission_mode, &params.effort];
        super::about(self.framework.title(), settings.map(Option::as_ref))
    }

    /// The conversation and what it runs on.
    pub(super) fn open(
        self,
        ctx: &Ctx,
        inputs: Sender<Input>,
        coming: Receiver<Input>,
    ) -> (Core, Parts) {
        let state = ctx.places.state.clone();
        let launcher = reaper::Launcher::default().tagging(&state);
        let env = environment(&self.framework, &self.spec, &self.params);
        let elsewhere = Elsewhere {
            spec: self.spec,
            folder: PathBuf::from(&self.params.project_dir),
            env: env.clone(),
            state: state.clone(),
        };
        let processes = Processes {
            framework: self.framework.clone(),
            folder: PathBuf::from(&self.params.project_dir),
            env: env.clone(),
            launcher,
            inputs,
            name: self.conversation.clone(),
        };
        let framework = self.framework.clone();
        let known = self.session.is_some();
        let pane = std::env::var("ABIDE_PANE").ok();
        let core = super::core(Setup {
            conversation: self.conversation.clone(),
            engine: self.framework.name().to_owned(),
            acp: self.framework.is_acp(),
            new_id: self.framework.takes_id().then_some(fresh),
            takes: self.framework.takes(),
            unanswered: self.framework.unanswered(),
            trust: self.framework.trust(),
            driver: Box::new(move || framework.driver(known)),
            params: self.params,
            pane: pane.and_then(|it| it.trim_start_matches('p').parse().ok()),
            session: self.session,
            carry: self.carry,
        });
        // Beside the state folder's own default, as the data file `ask` states it.
        let home = ctx.places.home.clone().unwrap_or_else(|| state.clone());
        let live = Live::open(&home.join("ask"), &self.conversation).ok();
        let parts = Parts {
            state,
            conversation: self.conversation,
            spawner: Box::new(processes),
            inputs: coming,
            uuid: Box::new(fresh),
            elsewhere: Some(elsewhere),
            live,
        };
        (core, parts)
    }
}

/// A new conversation belongs to the account whose folder is named now, as `VARIABLE=FOLDER`; nothing
/// when it is the default one. An earlier one keeps its own.
fn account(params: &mut Params, spec: &Spec, earlier: bool) {
    let variable = spec.home.as_ref().and_then(|it| it.variable.clone());
    let Some(variable) = variable.filter(|_| !earlier) else {
        return;
    };
    let value = std::env::var(&variable).ok().filter(|it| !it.is_empty());
    params.runner_config_id = value.map(|it| format!("{variable}={it}"));
}

/// This process's environment without what names the runner, on the conversation's own account.
fn environment(framework: &Framework, spec: &Spec, params: &Params) -> Vec<(OsString, OsString)> {
    let mut env: Vec<(OsString, OsString)> = std::env::vars_os()
        .filter(|(name, _)| !OURS.iter().any(|it| name == it))
        .collect();
    let account = params.runner_config_id.as_deref();
    let account = account.and_then(|it| it.split_once('='));
    let variable = spec.home.as_ref().and_then(|it| it.variable.as_deref());
    env.retain(|(it, _)| variable.is_none_or(|name| it != name));
    env.extend(account.map(|(name, value)| (name.into(), value.into())));
    for (name, value) in framework.env() {
        env.retain(|(it, _)| it != name);
        env.push((name.into(), value.into()));
    }
    env
}

/// A fresh name for a message.
fn fresh() -> String {
    crate::uuid::uuid(rand::random())
}

/// Names a conversation of ours: short enough to be typed.
fn new_id() -> String {
    fresh().chars().take(13).collect()
}
