//! `abide adopt`: conversations that run outside abide, or were used in this folder lately, and opening
//! one in a pane once nobody else has it.
//!
//! Promises: nothing is signalled; a conversation that another process has open is never opened; a
//! running agent is listed with its conversation only where that is proved, else with the reason; the first
//! words of a private pane's conversation are not shown.

use crate::cmd::Ctx;
use crate::cmd::new;
use crate::desk::Desk;
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::{panes, words};
use agents::live::{self, Holder, Outside, Table};
use agents::transcript::{self, Recent};
use agents::{Catalogue, Spec};
use protocol::Role;
use restore::Store;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use sys::process::Identity;

const EXAMPLES: &str = "\
Examples:
  abide adopt                    what runs outside abide, what was used here lately
  abide adopt 6f0a3f0e           open that conversation in a pane
  abide adopt 6f0a3f0e --wait    wait until the other terminal has ended it, then open it

The beginning of an ID is enough. A conversation that a pane of abide has open
says which pane; `abide attach PANE` shows it. Nothing of a private pane's words
is printed.";

/// Conversations of one CLI that are listed.
const MOST: usize = 5;
/// Longest title in the list.
const TITLE: usize = 60;
/// How long one wait for the other process is, before the user is told again.
const REMIND: Duration = Duration::from_secs(600);

/// The words of `abide adopt`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The conversation to open, or how its id begins.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Wait until the process that has it open has ended.
    #[arg(long, requires = "id")]
    wait: bool,
    /// Only print the pane's id.
    #[arg(long, requires = "id")]
    no_attach: bool,
}

/// A conversation that can be named.
struct Known<'a> {
    spec: &'a Spec,
    id: String,
    /// The agent outside abide that has it open.
    open: Option<&'a Outside>,
    /// Who else has it open.
    holder: Option<Holder>,
    folder: PathBuf,
    written: Option<SystemTime>,
    first_line: Option<String>,
}

/// Which conversations may be shown by their first words.
struct Privacy {
    /// Panes of this host that are not private; none where it does not answer.
    open: BTreeSet<String>,
    /// Conversations of private panes that are written down; `None`: that cannot be read.
    private: Option<BTreeSet<String>>,
}

impl Privacy {
    fn of(ctx: &Ctx) -> Self {
        let desk = Desk::open_if_any(ctx, Role::Control).ok().flatten();
        let panes = desk.map(|desk| desk.panes).unwrap_or_default();
        let open = panes.iter().filter(|pane| !pane.private());
        let document = Store::at(&ctx.places.state).document();
        let private = document.map(|document| {
            let undone = document.undo().into_iter().flat_map(|undo| undo.panes);
            let panes = document.panes().into_iter().chain(undone);
            let private = panes.filter(|pane| pane.private);
            private
                .filter_map(|pane| Some(pane.conversation?.id))
                .collect()
        });
        Self {
            open: open.map(|pane| pane.id().to_string()).collect(),
            private: private.ok(),
        }
    }

    /// What a pane has open is shown only where it is known not to be private.
    fn shows(&self, id: &str, holder: Option<&Holder>) -> bool {
        let pane = holder.and_then(|it| it.pane.as_ref());
        let known = self.private.as_ref();
        known.is_some_and(|private| !private.contains(id))
            && pane.is_none_or(|pane| self.open.contains(pane))
    }
}

/// Lists, or opens one.
///
/// # Errors
/// There is no such conversation, or it is open elsewhere.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let catalogue = panes::catalogue(&ctx.places);
    let here = std::env::current_dir()
        .map_err(|e| Failure::new(format!("the current folder is not usable ({e})")))?;
    let outside = live::outside(&catalogue, &Table::read());
    let mut known = known(&catalogue, &outside, &here);
    let privacy = Privacy::of(ctx);
    for it in &mut known {
        it.first_line
            .take_if(|_| !privacy.shows(&it.id, it.holder.as_ref()));
    }
    match &args.id {
        None => list(ctx, &outside, &known),
        Some(id) => {
            let found = find(&known, id)?;
            open(ctx, &catalogue, found, &args)
        }
    }
}

/// Proved ones outside abide first, then those of this folder, newest first.
fn known<'a>(catalogue: &'a Catalogue, outside: &'a [Outside], here: &Path) -> Vec<Known<'a>> {
    let mut found: Vec<Known<'a>> = Vec::new();
    for it in outside {
        let spec = catalogue.get(&it.running.cli);
        let (Some(spec), Ok(learnt)) = (spec, &it.conversation) else {
            continue;
        };
        let first_line = learnt.transcript.as_deref();
        found.push(Known {
            spec,
            id: learnt.id.clone(),
            open: Some(it),
            holder: None,
            folder: it.running.folder.clone().unwrap_or_else(|| here.to_owned()),
            written: None,
            first_line: first_line.and_then(|path| transcript::first_line(spec, path)),
        });
    }
    let env = |name: &str| std::env::var_os(name);
    let mut recent: Vec<(&Spec, Recent)> = Vec::new();
    for spec in catalogue.specs().filter(|spec| spec.resume.is_some()) {
        let listed = transcript::recent(spec, here, &env, MOST);
        recent.extend(listed.into_iter().map(|it| (spec, it)));
    }
    recent.sort_by_key(|(_, it)| std::cmp::Reverse(it.written));
    for (spec, it) in recent {
        let holder = new::agent::holder(catalogue, spec, &it.id);
        if !found.iter().any(|known| known.id == it.id) {
            found.push(Known {
                spec,
                id: it.id,
                open: None,
                holder,
                folder: here.to_owned(),
                written: Some(it.written),
                first_line: it.first_line,
            });
        }
    }
    found
}

fn list(ctx: &Ctx, outside: &[Outside], known: &[Known<'_>]) -> Result<(), Failure> {
    let unproved = outside.iter().filter_map(|it| {
        let why = it.conversation.as_ref().err()?;
        Some((it, why.to_string()))
    });
    let unproved: Vec<_> = unproved.collect();
    if ctx.out.json {
        let conversations: Vec<Value> = known.iter().map(as_json).collect();
        let unproved = unproved.iter().map(|(it, why)| {
            json!({ "agent": it.running.cli, "pid": it.running.process.pid, "why": why })
        });
        let unproved: Vec<Value> = unproved.collect();
        return ctx
            .out
            .json(&json!({ "conversations": conversations, "unknown": unproved }));
    }
    let head = ["CLI", "CONVERSATION", "WHERE", "BEGINS"];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    table.extend(known.iter().map(row));
    if table.len() > 1 {
        ctx.out.line(&words::table(&table))?;
    } else {
        say(
            "nothing to adopt: no agent runs outside abide, and no conversation of this folder is known",
        );
    }
    for (it, why) in unproved {
        say(&format!(
            "{} in pid {}: {why}",
            it.running.cli, it.running.process.pid
        ));
    }
    Ok(())
}

fn row(known: &Known<'_>) -> Vec<String> {
    let open = known.open.map(|it| it.running.process);
    let open = open.or(known.holder.as_ref().map(|it| it.process));
    let pane = known.holder.as_ref().and_then(|it| it.pane.as_deref());
    let place = match (pane, open, known.written) {
        (Some(pane), ..) => format!("open in pane {pane}"),
        (None, Some(process), _) => format!("open in pid {}", process.pid),
        (None, None, Some(then)) => format!("here, {} ago", ago(then)),
        (None, None, None) => "here".to_owned(),
    };
    let begins = known.first_line.as_deref().unwrap_or_default();
    vec![
        known.spec.title.clone(),
        known.id.clone(),
        place,
        words::shorten(&words::text(begins.as_bytes()), TITLE),
    ]
}

fn ago(then: SystemTime) -> String {
    let passed = SystemTime::now().duration_since(then).unwrap_or_default();
    words::age(u64::try_from(passed.as_millis()).unwrap_or(u64::MAX))
}

fn as_json(known: &Known<'_>) -> Value {
    let open = known.open.map(|it| it.running.process.pid);
    let holder = known.holder.as_ref();
    let seconds = |then: SystemTime| then.duration_since(SystemTime::UNIX_EPOCH).ok();
    json!({
        "agent": known.spec.name,
        "id": known.id,
        "pid": open.or(holder.map(|it| it.process.pid)),
        "pane": holder.and_then(|it| it.pane.as_deref()),
        "folder": known.folder.display().to_string(),
        "written": known.written.and_then(seconds).map(|it| it.as_secs()),
        "first_line": known.first_line,
    })
}

/// The one conversation whose id begins so.
fn find<'a, 'b>(known: &'b [Known<'a>], id: &str) -> Result<&'b Known<'a>, Failure> {
    let exact = known.iter().find(|it| it.id == id);
    let fits: Vec<_> = known.iter().filter(|it| it.id.starts_with(id)).collect();
    match (exact, fits.as_slice()) {
        (Some(one), _) => Ok(one),
        (None, [one]) if !id.is_empty() => Ok(one),
        (None, [] | [_]) => Err(Failure::with(
            Exit::NoPane,
            format!(
                "no conversation `{id}` is open outside abide or was used in this folder lately; \
                 `abide adopt` lists them, `abide new --agent NAME --resume ID` opens any"
            ),
        )),
        (None, several) => {
            let ids: Vec<&str> = several.iter().map(|it| it.id.as_str()).collect();
            let text = format!("`{id}` begins several ids: {}", ids.join(", "));
            Err(Failure::with(Exit::Usage, text))
        }
    }
}

fn open(ctx: &Ctx, catalogue: &Catalogue, known: &Known<'_>, args: &Args) -> Result<(), Failure> {
    if args.wait {
        wait(catalogue, known);
    }
    // It may be another account's, which is not asked about below.
    if let Some(it) = known.open.filter(|it| it.running.process.alive()) {
        let pid = it.running.process.pid;
        return Err(new::agent::held(known.spec, &known.id, None, pid));
    }
    new::agent::free(catalogue, known.spec, &known.id)?;
    // What it ran with; the old prompt and conversation fall when the line is made again.
    let line = known.open.map(|it| it.running.line.argv.as_slice());
    let flags: Vec<OsString> = line.and_then(|it| it.get(1..)).unwrap_or_default().to_vec();
    let mut opening = new::Args::opening(&known.spec.name, &known.id, known.folder.clone());
    opening.env = account(known).into_iter().collect();
    opening.argv = flags;
    opening.no_attach = args.no_attach;
    new::run(ctx, opening)
}

/// The variable of the account the agent ran with, as `--env` takes it.
fn account(known: &Known<'_>) -> Option<OsString> {
    let name = known.spec.home.as_ref()?.variable.as_deref()?;
    let mut pair = OsString::from(format!("{name}="));
    pair.push(known.open?.running.env.get(name)?);
    Some(pair)
}

/// Until nobody has it open.
fn wait(catalogue: &Catalogue, known: &Known<'_>) {
    let outside = known.open.map(|it| it.running.process);
    let living = || {
        let holder = || new::agent::holder(catalogue, known.spec, &known.id);
        let open = outside.filter(Identity::alive);
        open.or_else(|| holder().map(|it| it.process))
    };
    while let Some(process) = living() {
        say(&format!("waiting until pid {} has ended", process.pid));
        while !process.wait_gone(REMIND) {
            say(&format!("pid {} still has it open", process.pid));
        }
    }
}
