//! `abide new`: a program in a new pane.

pub(crate) mod agent;

use crate::cmd::Ctx;
use crate::cmd::attach;
use crate::config::Config;
use crate::desk::{Desk, nested_in, unexpected};
use crate::failure::{Exit, Failure};
use crate::find::check_name;
use crate::out::say;
use crate::{daemons, join, keep, panes};
use client::View;
use link::notes::{ENV, EnvNote, to_json};
use protocol::msg::{Bytes, Create, Created};
use protocol::{FromHost, PaneId, Role};
use restore::Store;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  abide new                                 a shell here, attached
  abide new --agent claude -- --model opus  an agent here, attached
  abide new --agent codex --resume 0199a213-81c0-7800-8aa1-bbab2a035a53
  abide new --agent gemini --no-attach --turn 'why is main red?'
  abide new --name web --cwd ~/shop --no-attach -- npm start
  pane=$(abide new -- make)                 not on a terminal: prints the pane's id
  abide new --keep sccache adb -- make      a build whose servers stay when the pane is closed
  abide new --private --agent claude        no copy of its conversation, no saved screen
  abide new --env RUST_LOG=debug --size 200x50 --no-attach -- cargo watch";

/// The words of `abide new`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A name to call the pane by.
    #[arg(long)]
    name: Option<String>,
    /// Folder to start in [default: this one].
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// A variable for the program; may be repeated. It comes back with the pane, but for secrets
    /// (`API_KEY`, an address with a password): those only where your login shell has them, too.
    #[arg(long = "env", value_name = "K=V")]
    pub(crate) env: Vec<OsString>,
    /// Size until a client shows it [default: 120x40].
    #[arg(long, value_name = "COLSxROWS", value_parser = crate::cmd::resize::size)]
    size: Option<(u16, u16)>,
    /// A program whose processes outlive the pane (sccache, adb, an ssh master), by path or by name
    /// in PATH; several may follow. Besides those of the setting reaper.keep; not for agents.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    keep: Vec<PathBuf>,
    /// Keep it out of vault, saved screens and logs; it still comes back.
    #[arg(long)]
    private: bool,
    /// Only print the pane's id.
    #[arg(long)]
    pub(crate) no_attach: bool,
    /// An agent by its name in `abide agents`; what follows `--` are its flags.
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Open this conversation of the agent again.
    #[arg(long, value_name = "ID", requires = "agent")]
    resume: Option<String>,
    /// Hand this request to the agent through its protocol, as `abide ask` does, in the pane.
    #[arg(
        long,
        value_name = "TEXT",
        requires = "agent",
        conflicts_with = "resume"
    )]
    turn: Option<String>,
    /// Program and arguments [default: your shell].
    #[arg(last = true, value_name = "CMD")]
    pub(crate) argv: Vec<OsString>,
}

impl Args {
    /// The words that open conversation `id` of `agent` in `cwd`.
    pub(crate) fn opening(agent: &str, id: &str, cwd: PathBuf) -> Self {
        Self {
            name: None,
            cwd: Some(cwd),
            env: Vec::new(),
            size: None,
            no_attach: false,
            agent: Some(agent.to_owned()),
            turn: None,
            resume: Some(id.to_owned()),
            keep: Vec::new(),
            private: false,
            argv: Vec::new(),
        }
    }
}

/// Starts the program; on a terminal, shows it. In the folder of an open workspace it gets a tab
/// there.
///
/// # Errors
/// No host, a bad word, or the program cannot be started.
pub fn run(ctx: &Ctx, mut args: Args) -> Result<(), Failure> {
    let config = ctx.config()?;
    if let Some(name) = &args.name {
        check_name(name).map_err(|why| Failure::with(Exit::Usage, why))?;
    }
    let cwd = folder(args.cwd.as_deref())?;
    let keep = keep::for_pane(&config, &args.keep, args.agent.is_some())?;
    let given = args.env.iter().map(variable);
    let given = given.collect::<Result<Vec<_>, _>>()?;
    let set = env_note(&given);
    let mut start = program(ctx, &config, &mut args, given)?;
    keep::put(&keep, &mut start.env);
    let show = !args.no_attach && !ctx.out.json && attach::on_terminal();
    let inside = nested_in(&ctx.places);
    let attach = show && inside.is_none();
    let role = if attach { Role::Attach } else { Role::Control };
    let mut desk = Desk::open_or_start(ctx, role)?;
    let workspace = join::workspace_of(&desk.workspaces, &cwd).map(|it| it.id.clone());
    if let Some(name) = &args.name {
        refuse_twin(&desk, name, workspace.as_deref())?;
    }
    let (cols, rows) = args.size.unwrap_or_default();
    let mut notes = Vec::new();
    notes.extend(
        args.name
            .as_ref()
            .map(|name| ("name".to_owned(), name.clone().into_bytes())),
    );
    notes.extend(
        workspace
            .clone()
            .map(|id| ("workspace".to_owned(), id.into_bytes())),
    );
    if let Some(note) = start
        .note
        .as_ref()
        .and_then(|it| serde_json::to_vec(it).ok())
    {
        notes.push((link::notes::AGENT.to_owned(), note));
    }
    notes.extend(keep::note(&keep));
    notes.extend(set);
    let private = args.private.then(|| b"true".to_vec());
    notes.extend(private.map(|value| (link::notes::PRIVATE.to_owned(), value)));
    let create = Create {
        id: None,
        argv: start.argv.into_iter().map(sys::text::into_bytes).collect(),
        cwd: sys::text::into_bytes(cwd),
        env: Some(panes::environment(&ctx.places, &config)),
        set_env: start.env,
        cols,
        rows,
        notes,
        seed: None,
    };
    let created = match desk.ask(PaneId::NONE, create)? {
        FromHost::Created(created) => created,
        other => return Err(unexpected(&other)),
    };
    if let Some(id) = &workspace {
        give_tab(ctx, &mut desk, id, PaneId(created.pane))?;
    }
    if attach {
        let id = PaneId(created.pane);
        return attach::show(ctx, desk.connection, &config, View::Pane(id), id);
    }
    if let Some(own) = inside.filter(|_| show) {
        let id = PaneId(created.pane);
        say(&format!(
            "{id} runs; this is typed in pane {own}, so it is not shown here: {}",
            where_it_is(&desk, workspace.as_deref(), id)
        ));
    }
    tell(ctx, &created, args.name.as_deref(), workspace.as_deref())
}

/// Where a pane that was just made can be seen.
fn where_it_is(desk: &Desk, workspace: Option<&str>, pane: PaneId) -> String {
    match workspace.and_then(|id| desk.workspace_name(id)) {
        Some(name) => format!("it is a tab of workspace {name}"),
        None => format!("`abide attach {pane}` in another terminal shows it"),
    }
}

/// What the user set for the pane, so that it comes back with it.
fn env_note(given: &[(Bytes, Bytes)]) -> Option<(String, Bytes)> {
    let hides = |name: &str, value: &[u8]| {
        let value = sys::text::word(value.to_vec());
        restore::environ::is_secret(name, &value)
    };
    let note = EnvNote::of(given, hides);
    if note.is_none() && !given.is_empty() {
        say("the variables of --env are not written down: their names are no text, or over 4 KiB");
    }
    note.map(|note| (ENV.to_owned(), to_json(&note)))
}

/// What runs, and its variables. What the user set, here or before, is the user's word.
fn program(
    ctx: &Ctx,
    config: &Config,
    args: &mut Args,
    given: Vec<(Bytes, Bytes)>,
) -> Result<agent::Start, Failure> {
    let argv = std::mem::take(&mut args.argv);
    let Some(name) = &args.agent else {
        let argv = match argv.is_empty() {
            true => vec![daemons::shell(config)],
            false => argv,
        };
        return Ok(agent::Start {
            argv,
            env: given,
            note: None,
        });
    };
    let mut start = match &args.turn {
        Some(turn) => agent::runner(ctx, name, turn, &argv)?,
        None => agent::start(ctx, name, args.resume.as_deref(), &argv)?,
    };
    let set = |name: &Bytes| {
        std::env::var_os(sys::text::word(name.clone())).is_some()
            || given.iter().any(|(other, _)| other == name)
    };
    start.env.retain(|(name, _)| !set(name));
    start.env.extend(given);
    Ok(start)
}

/// The pane becomes a tab of its folder's workspace, in the host and on disk.
fn give_tab(ctx: &Ctx, desk: &mut Desk, id: &str, pane: PaneId) -> Result<(), Failure> {
    let Some(workspace) = join::add_tab(desk, id, pane)? else {
        return Ok(());
    };
    // The pane runs: a layout that cannot be written is told, not a failure.
    let stored = Store::open(&ctx.places.state).and_then(|it| it.merge_workspace(&workspace));
    if let Err(error) = stored {
        say(&format!("the layout was not saved: {error}"));
    }
    Ok(())
}

fn tell(
    ctx: &Ctx,
    created: &Created,
    name: Option<&str>,
    workspace: Option<&str>,
) -> Result<(), Failure> {
    let id = PaneId(created.pane).to_string();
    ctx.out.either(
        || serde_json::json!({ "id": id, "pid": created.pid, "name": name, "workspace": workspace }),
        || id.clone(),
    )
}

/// The folder to start in, absolute. Whether it exists is the host's to say, with the path.
fn folder(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let here = || {
        std::env::current_dir().map_err(|e| {
            Failure::new(format!(
                "the current folder is not usable ({e}); name one with --cwd"
            ))
        })
    };
    match given {
        Some(dir) if dir.is_absolute() => Ok(dir.to_owned()),
        Some(dir) => Ok(here()?.join(dir)),
        None => here(),
    }
}

fn variable(word: &OsString) -> Result<(Bytes, Bytes), Failure> {
    let bytes = word.as_encoded_bytes();
    match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) if at > 0 => Ok((bytes[..at].to_vec(), bytes[at + 1..].to_vec())),
        _ => {
            let word = crate::words::text(bytes);
            Err(Failure::with(
                Exit::Usage,
                format!("--env {word}: must have the form NAME=VALUE"),
            ))
        }
    }
}

fn refuse_twin(desk: &Desk, name: &str, workspace: Option<&str>) -> Result<(), Failure> {
    let twin = desk.panes.iter().find(|pane| {
        pane.alive() && pane.name.as_deref() == Some(name) && pane.workspace.as_deref() == workspace
    });
    match twin {
        Some(pane) => Err(Failure::new(format!(
            "a pane named `{name}` runs already ({})",
            pane.id()
        ))),
        None => Ok(()),
    }
}
