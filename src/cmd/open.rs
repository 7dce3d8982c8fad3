//! `abide [DIR|NAME]`: opens the client on a workspace.

pub(super) mod acts;
mod resume;

use crate::cmd::{Ctx, attach};
use crate::config::Config;
use crate::desk::{Desk, own_pane};
use crate::failure::{Exit, Failure};
use crate::join;
use crate::open::{Around, Choice, Known, choose, id_for, name_for};
use crate::out::say;
use crate::rejoin;
use client::{Backstage, ClientError, Outcome, View};
use link::layout::Workspace;
use link::place::Place;
use protocol::{PaneId, Role};
use restore::Store;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use sys::files::plain;

/// Field of a workspace that only this command writes: when it was opened last, in Unix seconds.
const USED: &str = "used";

/// Seconds within which a client that opened a workspace may still be making its panes.
const OPENING: u64 = 3;

/// How the client was left.
type Shown = Result<Outcome, ClientError>;

/// Opens the client.
///
/// # Errors
/// No terminal, no host, nothing to open, or the client fails.
pub fn run(ctx: &Ctx, word: Option<&str>) -> Result<(), Failure> {
    if let Some(word) = word {
        understood(ctx, word)?;
    }
    attach::need_terminal()?;
    attach::refuse_nested(ctx)?;
    let config = ctx.config()?;
    loop {
        let (outcome, name) = show(ctx, &config, word)?;
        // A host that is lost without a word is replaced, and the same is shown again.
        if !attach::lost(&outcome) {
            return attach::leave(ctx, outcome, &name);
        }
        if let Err(gone) = rejoin::wait(ctx) {
            return attach::leave(ctx, gone.instead_of(outcome), &name);
        }
    }
}

/// A word that means nothing is told before anything is asked for or started.
fn understood(ctx: &Ctx, word: &str) -> Result<(), Failure> {
    // A host that does not answer may know it.
    let Ok(desk) = Desk::open_if_any(ctx, Role::Control) else {
        return Ok(());
    };
    let mut all = desk.map(|desk| desk.workspaces).unwrap_or_default();
    let stored = Store::at(&ctx.places.state).load();
    for workspace in stored.map(|it| it.workspaces).unwrap_or_default() {
        if all.iter().all(|known| known.id != workspace.id) {
            all.push(workspace);
        }
    }
    chosen(Some(word), &all).map(drop)
}

/// Opens it once; gives how it was left, and what it is called.
fn show(ctx: &Ctx, config: &Config, word: Option<&str>) -> Result<(Shown, String), Failure> {
    let mut desk = Desk::open_or_start(ctx, Role::Attach)?;
    let store = Store::open(&ctx.places.state)?;
    let all = all_workspaces(&desk, &store);
    let mut workspace = chosen(word, &all)?;
    let found = house(&mut desk, &mut workspace)?;
    let document = store.document().unwrap_or_default();
    let ended = resume::ended(&document, &desk, &workspace);
    let (workspace, joining) = announce(&mut desk, workspace, &found, &ended)?;
    let name = workspace.name.clone();
    store.change(|document| {
        document.open_workspace(&workspace.id);
        Ok(())
    })?;
    let mut settings = attach::settings(&ctx.places, config);
    settings.comeback = resume::begin(ctx, &mut desk, &workspace)?;
    let (mut save, trouble) = saving(store);
    let view = if joining {
        View::Joining(workspace)
    } else {
        // Without a pane it would be forgotten instead.
        if !workspace.tabs.is_empty() {
            save(&workspace);
        }
        View::Workspace(workspace)
    };
    let act = acts::acts(&ctx.places);
    let outcome = client::run(desk.connection, view, settings, Backstage { save, act });
    tell_trouble(&trouble);
    Ok((outcome, name))
}

/// Others see at once that the workspace is open, and that it is the one used last. True: another
/// client is opening it at this moment, and is to make what is missing. The places of `ended` close.
fn announce(
    desk: &mut Desk,
    workspace: Workspace,
    found: &[Stray],
    ended: &[u32],
) -> Result<(Workspace, bool), Failure> {
    let mut workspace = workspace;
    close_places(&mut workspace, ended);
    let alive: Vec<u32> = desk.panes.iter().map(|pane| pane.facts.pane).collect();
    let mut joining = false;
    let unix = sys::boot::unix_now();
    let written = join::change(desk, &workspace.id, |there| {
        joining = there.as_ref().is_some_and(|there| {
            let panes = there.panes();
            let whole = !panes.is_empty() && panes.iter().all(|pane| alive.contains(pane));
            used(there) + OPENING >= unix && !whole
        });
        let mut now = there.unwrap_or_else(|| workspace.clone());
        found
            .iter()
            .for_each(|(pane, place)| now.put(*pane, *place));
        close_places(&mut now, ended);
        let more = workspace.panes();
        more.into_iter().for_each(|pane| now.put(pane, None));
        now.rest.insert(USED.to_owned(), unix.into());
        Some(now)
    })?;
    Ok((written.unwrap_or(workspace), joining))
}

/// What ended for good has no place any more.
fn close_places(workspace: &mut Workspace, ended: &[u32]) {
    for pane in ended {
        workspace.remove_pane(*pane);
    }
}

/// What went wrong while the client had the terminal.
pub(super) type Trouble = Arc<Mutex<Option<String>>>;
/// Writes a layout down.
pub(super) type Save = Box<dyn FnMut(&Workspace) + Send>;

/// Says what went wrong, now that the terminal is free.
pub(super) fn tell_trouble(trouble: &Trouble) {
    let text = trouble
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(text) = text {
        say(&text);
    }
}

/// Writes each changed layout; what goes wrong is kept until the terminal is free to show it.
pub(super) fn saving(store: Store) -> (Save, Trouble) {
    let trouble = Trouble::default();
    let keep = Arc::clone(&trouble);
    let save = move |workspace: &Workspace| {
        // Without a pane there is no workspace (any more).
        let written = if workspace.tabs.is_empty() {
            store.forget_workspace(&workspace.id)
        } else {
            store.merge_workspace(workspace)
        };
        let words = match written {
            Ok(merged) => merged.told(),
            Err(error) => Some(format!("the layout was not saved: {error}")),
        };
        if words.is_some() {
            *keep.lock().unwrap_or_else(PoisonError::into_inner) = words;
        }
    };
    (Box::new(save), trouble)
}

/// Workspaces the host has, then those only written down.
fn all_workspaces(desk: &Desk, store: &Store) -> Vec<Workspace> {
    let mut all = desk.workspaces.clone();
    match store.load() {
        Ok(records) => {
            records
                .problems
                .iter()
                .for_each(|line| say(&format!("restore.json: {line}")));
            let old = records.workspaces.into_iter();
            let new: Vec<_> = old
                .filter(|it| all.iter().all(|known| known.id != it.id))
                .collect();
            all.extend(new);
        }
        Err(error) => say(&error.to_string()),
    }
    all
}

fn chosen(word: Option<&str>, all: &[Workspace]) -> Result<Workspace, Failure> {
    let known: Vec<Known> = all.iter().map(known).collect();
    let here = std::env::current_dir()
        .map_err(|e| Failure::new(format!("the current folder is not usable: {}", plain(&e))))?;
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    let around = Around {
        here: &here,
        home: home.as_deref(),
        is_git_top: &|folder| folder.join(".git").exists(),
        folder: &|path| path.canonicalize().ok().filter(|path| path.is_dir()),
    };
    let choice =
        choose(word, &around, &known).map_err(|e| Failure::with(Exit::NoPane, e.to_string()))?;
    Ok(match choice {
        Choice::Known(id) => {
            let found = all.iter().find(|it| it.id == id).cloned();
            found.ok_or_else(|| Failure::new(format!("no workspace `{id}`")))?
        }
        Choice::New(folder) => fresh(&folder, &known),
    })
}

/// A pane without a tab, and where it belongs.
type Stray = (u32, Option<Place>);

/// Panes that stand nowhere come to their place, or get a tab: those commands started in a new workspace's folder, and those a
/// client started and was gone before it could write its layout.
fn house(desk: &mut Desk, workspace: &mut Workspace) -> Result<Vec<Stray>, Failure> {
    let found = join::homeless(&desk.panes, &desk.workspaces, workspace);
    let found: Vec<Stray> = found
        .filter(|pane| Some(pane.id()) != own_pane())
        .map(|pane| (pane.facts.pane, join::place_of(pane)))
        .collect();
    for (pane, place) in &found {
        desk.note(PaneId(*pane), "workspace", Some(workspace.id.as_bytes()))?;
        workspace.put(*pane, *place);
    }
    Ok(found)
}

fn fresh(folder: &Path, known: &[Known]) -> Workspace {
    Workspace::new(
        id_for(folder),
        name_for(folder, known),
        folder.to_string_lossy(),
    )
}

fn known(workspace: &Workspace) -> Known {
    Known {
        id: workspace.id.clone(),
        name: workspace.name.clone(),
        folder: PathBuf::from(&workspace.folder),
        used: used(workspace),
    }
}

fn used(workspace: &Workspace) -> u64 {
    let used = workspace.rest.get(USED);
    used.and_then(serde_json::Value::as_u64).unwrap_or_default()
}
