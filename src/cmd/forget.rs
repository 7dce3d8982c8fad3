//! `abide forget`: what abide itself has written down of a pane goes, for good.

use crate::bring;
use crate::cmd::Ctx;
use crate::desk::Desk;
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::words;
use protocol::{PaneId, Role};
use restore::{Document, PaneRecord, Store, Vault};
use serde_json::json;
use std::io::ErrorKind;

const EXAMPLES: &str = "\
Examples:
  abide forget p12
  abide forget --workspace shop
  abide forget --all

Goes: the record, the copy in the vault, the saved screen. A pane that runs goes on, and nothing of it
is written down from then on. The agents' own files are not touched. It cannot be taken back.";

/// The words of `abide forget`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(required = true, multiple = false)]
pub struct Args {
    /// The pane.
    #[arg(value_name = "PANE")]
    pane: Option<String>,
    /// Every pane of this workspace, by name or id, and its layout.
    #[arg(long, value_name = "W")]
    workspace: Option<String>,
    /// Everything.
    #[arg(long)]
    all: bool,
}

/// What is to go.
struct Chosen {
    /// The workspace whose layout goes as well.
    workspace: Option<String>,
    panes: Vec<u32>,
}

/// Forgets.
///
/// # Errors
/// There is no such pane, or a file cannot be changed.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let store = Store::open(&ctx.places.state)?;
    let mut desk = Desk::open_if_any(ctx, Role::Control)?;
    let document = store.document()?;
    let chosen = choose(&args, &document, desk.as_ref())?;
    if let Some(desk) = &mut desk {
        keep_out(desk, &chosen.panes)?;
    }
    let gone = |pane: &PaneRecord| args.all || chosen.panes.contains(&pane.id);
    let conversations = conversations(&document, &gone);
    store.change(|document| {
        for pane in document.panes().iter().filter(|pane| gone(pane)) {
            document.forget_pane(pane.id);
        }
        document.forget_undone(|pane| gone(pane));
        let workspaces = document.workspaces();
        for id in workspaces.iter().map(|it| it.id.clone()) {
            if args.all || chosen.workspace.as_ref() == Some(&id) {
                document.drop_workspace(&id);
            }
        }
        Ok(())
    })?;
    let former = store.forget_before();
    if let Err(error) = former {
        say(&error.to_string());
    }
    let copies = Vault::at(&ctx.places.state).remove(|entry| {
        let own = (entry.cli.clone(), entry.conversation.clone());
        args.all || chosen.panes.contains(&entry.pane) || conversations.contains(&own)
    })?;
    let screens = screens(ctx, args.all, &chosen.panes)?;
    if let Some(desk) = &mut desk {
        bring::poke(desk)?;
    }
    let panes: Vec<String> = chosen.panes.iter().map(|id| format!("p{id}")).collect();
    ctx.out.either(
        || json!({ "panes": panes, "copies": copies, "screens": screens }),
        || {
            format!(
                "forgot {}, {}, {}",
                words::count(panes.len(), "pane"),
                words::count_as(copies, "copy", "copies"),
                words::count(screens, "screen")
            )
        },
    )
}

fn choose(args: &Args, document: &Document, desk: Option<&Desk>) -> Result<Chosen, Failure> {
    let records = document.panes();
    let there = desk.map_or(&[][..], |desk| desk.panes.as_slice());
    if args.all {
        let mut panes: Vec<u32> = records.iter().map(|it| it.id).collect();
        panes.extend(there.iter().map(|it| it.facts.pane));
        panes.sort_unstable();
        panes.dedup();
        return Ok(Chosen {
            workspace: None,
            panes,
        });
    }
    if let Some(word) = &args.workspace {
        let workspaces = document.workspaces();
        let known = workspaces
            .iter()
            .find(|it| it.id == *word || it.name == *word);
        let open = desk.and_then(|desk| {
            let mut all = desk.workspaces.iter();
            all.find(|it| it.id == *word || it.name == *word)
        });
        let workspace = open.or(known).ok_or_else(|| missing(word))?;
        let id = workspace.id.clone();
        let mut panes = workspace.panes();
        let belongs = |it: &&PaneRecord| it.workspace.as_ref() == Some(&id);
        panes.extend(records.iter().filter(belongs).map(|it| it.id));
        let noted = there.iter().filter(|it| it.workspace.as_ref() == Some(&id));
        panes.extend(noted.map(|it| it.facts.pane));
        panes.sort_unstable();
        panes.dedup();
        return Ok(Chosen {
            workspace: Some(id),
            panes,
        });
    }
    let word = args.pane.as_deref().unwrap_or_default();
    Ok(Chosen {
        workspace: None,
        panes: vec![one(word, &records, desk)?],
    })
}

/// A pane the host has, else one that is only written down.
///
/// # Errors
/// There is none, or there are several.
pub(crate) fn one(word: &str, records: &[PaneRecord], desk: Option<&Desk>) -> Result<u32, Failure> {
    if let Some(pane) = desk.and_then(|desk| desk.find(word).ok()) {
        return Ok(pane.facts.pane);
    }
    let id = word.parse::<PaneId>().ok().map(|id| id.0);
    let named: Vec<u32> = records
        .iter()
        .filter(|it| Some(it.id) == id || it.name.as_deref() == Some(word))
        .map(|it| it.id)
        .collect();
    match named.as_slice() {
        [only] => Ok(*only),
        [] => Err(missing(word)),
        several => Err(Failure::with(
            Exit::NoPane,
            format!("`{word}` names {} panes; use an id", several.len()),
        )),
    }
}

pub(crate) fn missing(word: &str) -> Failure {
    let word = crate::words::text(word.as_bytes());
    Failure::with(Exit::NoPane, format!("nothing is written down of `{word}`"))
}

/// Nothing of panes that run is written down from now on, nor copied.
fn keep_out(desk: &mut Desk, panes: &[u32]) -> Result<(), Failure> {
    let there: Vec<PaneId> = desk.panes.iter().map(crate::desk::Pane::id).collect();
    for id in there.into_iter().filter(|id| panes.contains(&id.0)) {
        desk.note(id, link::notes::FORGOTTEN, Some(b"true"))?;
    }
    Ok(())
}

fn conversations(document: &Document, gone: &dyn Fn(&PaneRecord) -> bool) -> Vec<(String, String)> {
    let panes = document.panes();
    let key = |pane: &PaneRecord| {
        let cli = pane.agent.as_ref()?.cli.clone();
        Some((cli, pane.conversation.as_ref()?.id.clone()))
    };
    panes.iter().filter(|it| gone(it)).filter_map(key).collect()
}

/// Deletes saved screens; gives how many.
fn screens(ctx: &Ctx, all: bool, panes: &[u32]) -> Result<usize, Failure> {
    let Ok(entries) = std::fs::read_dir(ctx.places.state.join("screens")) else {
        return Ok(0);
    };
    let mut gone = 0;
    for path in entries.filter_map(|it| Some(it.ok()?.path())) {
        let id = path.file_stem().and_then(|it| it.to_str()?.parse().ok());
        if !all && !id.is_some_and(|id| panes.contains(&id)) {
            continue;
        }
        match std::fs::remove_file(&path) {
            Ok(()) => gone += 1,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                let why = sys::files::plain(&error);
                return Err(Failure::new(format!(
                    "cannot delete {}: {why}",
                    path.display()
                )));
            }
        }
    }
    Ok(gone)
}
