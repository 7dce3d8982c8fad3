//! `abide fresh`: let go of what would come back, and begin anew.

use crate::bring;
use crate::cmd::{Ctx, forget, reopen};
use crate::desk::{Desk, Pane};
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::words;
use link::Places;
use link::layout::Workspace;
use protocol::{PaneId, Role};
use restore::record::Undo;
use restore::{Document, PaneRecord, Store, StoreError};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  abide fresh             this folder's workspace begins anew; asks first
  abide fresh shop --yes
  abide fresh p12         only that pane
  abide restore --undo    takes it back, for 30 days

What runs goes on: only what would come back is let go of. The agents' own files are not touched.";

/// The words of `abide fresh`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The workspace's name or id, or a pane's [default: this folder's workspace].
    #[arg(value_name = "WORKSPACE|PANE")]
    what: Option<String>,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
}

/// What is let go of.
#[derive(Debug, Default)]
struct Chosen {
    /// For people.
    name: String,
    /// The workspace whose layout goes as well.
    workspace: Option<String>,
    /// The panes.
    panes: Vec<PaneRecord>,
}

impl Chosen {
    const fn is_nothing(&self) -> bool {
        self.panes.is_empty() && self.workspace.is_none()
    }
}

/// Lets go of records, after asking.
///
/// # Errors
/// Nothing to let go of, nobody to ask, or the records cannot be written.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let desk = Desk::open_if_any(ctx, Role::Control)?;
    let mut scene = Scene::of(&ctx.places, desk)?;
    let chosen = scene.choose(args.what.as_deref())?;
    if chosen.is_nothing() {
        say(&format!("{} has nothing that would come back", chosen.name));
        return if ctx.out.json {
            ctx.out.json(&json!({ "panes": [] }))
        } else {
            Ok(())
        };
    }
    if !args.yes && !confirmed(&chosen)? {
        return Err(Failure::new("nothing was let go of"));
    }
    scene.let_go(&chosen)?;
    let panes: Vec<String> = chosen
        .panes
        .iter()
        .map(|pane| format!("p{}", pane.id))
        .collect();
    ctx.out.either(
        || json!({ "workspace": chosen.workspace, "panes": panes }),
        || done(&chosen),
    )
}

fn done(chosen: &Chosen) -> String {
    let name = &chosen.name;
    format!("{name} begins anew; `abide restore --undo` takes that back for 30 days")
}

/// The same for the workspace a client shows, which has asked; gives what to tell.
///
/// # Errors
/// The records cannot be written.
pub(crate) fn in_client(places: &Places, workspace: &str) -> Result<String, Failure> {
    // The host is there: the client that asks is attached to it.
    let desk = Desk::on(link::connect(places, Role::Control)?)?;
    let mut scene = Scene::of(places, Some(desk))?;
    let chosen = scene.choose(Some(workspace))?;
    if chosen.is_nothing() {
        return Ok(format!("{} has nothing that would come back", chosen.name));
    }
    scene.let_go(&chosen)?;
    Ok(done(&chosen))
}

/// The records, and what runs.
struct Scene {
    store: Store,
    desk: Option<Desk>,
    live: BTreeSet<u32>,
    /// Panes whose agent the keeper sees.
    agents: BTreeSet<u32>,
}

impl Scene {
    fn of(places: &Places, desk: Option<Desk>) -> Result<Self, Failure> {
        let with_agent = |pane: &&Pane| pane.is_itself() && pane.agent_note().is_some();
        let panes = desk.iter().flat_map(|desk| &desk.panes);
        let agents = panes.filter(with_agent).map(|pane| pane.facts.pane);
        Ok(Self {
            store: Store::open(&places.state)?,
            live: desk.as_ref().map(bring::live).unwrap_or_default(),
            agents: agents.collect(),
            desk,
        })
    }

    fn choose(&self, word: Option<&str>) -> Result<Chosen, Failure> {
        let document = self.store.document()?;
        choose(
            word,
            &document,
            &self.live,
            &self.agents,
            self.desk.as_ref(),
        )
    }

    fn let_go(&mut self, chosen: &Chosen) -> Result<(), Failure> {
        let now = sys::boot::unix_now();
        let live = &self.live;
        self.store
            .change(|document| discard(document, chosen, live, now))?;
        if let Some(desk) = &mut self.desk {
            for pane in &chosen.panes {
                reopen::own_conversation(desk, pane.id)?;
            }
            if let Some(id) = &chosen.workspace {
                desk.note(PaneId::NONE, &format!("workspace/{id}"), None)?;
            }
            bring::poke(desk)?;
        }
        Ok(())
    }
}

/// The pane or workspace that is meant, and what of it would come back.
fn choose(
    word: Option<&str>,
    document: &Document,
    live: &BTreeSet<u32>,
    agents: &BTreeSet<u32>,
    desk: Option<&Desk>,
) -> Result<Chosen, Failure> {
    // A pane that runs has an offer when something stands in its agent's place.
    let offers = |pane: &PaneRecord| {
        let offer = pane.failure.is_some() || pane.agent.is_some();
        !live.contains(&pane.id) || offer && !agents.contains(&pane.id)
    };
    let panes = document.panes();
    let workspaces = document.workspaces();
    let of_workspace = |word: &str| {
        let mut all = workspaces.iter();
        all.any(|it| it.id == word || it.name == word)
    };
    if let Some(word) = word.filter(|word| !of_workspace(word)) {
        let id = forget::one(word, &panes, desk).map_err(|_| missing(word))?;
        let pane = panes.into_iter().find(|pane| pane.id == id);
        let pane = pane.ok_or_else(|| missing(word))?;
        return Ok(Chosen {
            name: format!("p{id}"),
            workspace: None,
            panes: Some(pane).filter(offers).into_iter().collect(),
        });
    }
    let workspace = match word {
        Some(word) => workspaces
            .iter()
            .find(|it| it.id == word || it.name == word),
        None => here(&workspaces),
    };
    let workspace = workspace.ok_or_else(|| missing(word.unwrap_or("this folder")))?;
    let inside = workspace.panes();
    let belongs = |pane: &PaneRecord| {
        pane.workspace.as_deref() == Some(&workspace.id) || inside.contains(&pane.id)
    };
    let runs = inside.iter().any(|pane| live.contains(pane));
    Ok(Chosen {
        name: workspace.name.clone(),
        // With a pane that runs the layout is still needed.
        workspace: Some(workspace.id.clone()).filter(|_| !runs),
        panes: panes
            .into_iter()
            .filter(|pane| belongs(pane) && offers(pane))
            .collect(),
    })
}

fn here(workspaces: &[Workspace]) -> Option<&Workspace> {
    let here = std::env::current_dir().ok()?;
    let within = workspaces
        .iter()
        .filter(|it| here.starts_with(Path::new(&it.folder)));
    within.max_by_key(|it| it.folder.len())
}

fn missing(word: &str) -> Failure {
    let text =
        format!("nothing is written down of `{word}`; `abide restore --dry-run` lists what is");
    Failure::with(Exit::NoPane, text)
}

fn confirmed(chosen: &Chosen) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        let text = "nobody to ask: say --yes to let go of it";
        return Err(Failure::with(Exit::Usage, text));
    }
    let agents = chosen
        .panes
        .iter()
        .filter(|pane| pane.agent.is_some())
        .count();
    let question = format!(
        "abide: let go of {}: {}, {agents} with an agent? `abide restore --undo` takes it back for 30 days. [y/N] ",
        chosen.name,
        words::count(chosen.panes.len(), "pane")
    );
    let mut err = std::io::stderr();
    drop(
        err.write_all(question.as_bytes())
            .and_then(|()| err.flush()),
    ); // unread is answered "no"
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    let word = answer.trim().to_lowercase();
    Ok(read.is_ok() && (word == "y" || word == "yes"))
}

/// Moves the records to what can be taken back.
fn discard(
    document: &mut Document,
    chosen: &Chosen,
    live: &BTreeSet<u32>,
    now: u64,
) -> Result<(), StoreError> {
    let workspace = chosen.workspace.as_deref();
    let entry = workspace
        .and_then(|id| document.workspace_entry(id))
        .cloned();
    // As they are now: others may have written since the question.
    let panes: Vec<PaneRecord> = chosen
        .panes
        .iter()
        .filter_map(|pane| document.pane(pane.id))
        .collect();
    document.push_undo(&Undo {
        at: now,
        what: chosen.name.clone(),
        panes: panes.clone(),
        workspaces: entry.into_iter().collect(),
    })?;
    if let Some(id) = workspace {
        document.drop_workspace(id);
    }
    for pane in panes {
        if live.contains(&pane.id) {
            document.edit_pane(pane.id, restore::PaneRecord::let_go)?;
        } else {
            document.forget_pane(pane.id);
        }
    }
    Ok(())
}
