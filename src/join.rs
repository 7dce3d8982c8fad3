//! Panes that commands start come to stand in their folder's workspace.
//!
//! In: a pane, a workspace. Out: the workspace's note with one more tab. Promises: the note is
//! replaced only at the revision that was read, so a client that changes its layout meanwhile loses
//! nothing; which tab is in front stays.

use crate::desk::{Desk, Pane, unexpected};
use crate::failure::Failure;
use link::LinkError;
use link::layout::{MAX_PANES, Workspace};
use link::place::Place;
use protocol::msg::{CONFLICT, Note, NoteList, NoteSet};
use protocol::{FromHost, PaneId};
use std::path::Path;

/// How often another writer may be faster.
const TRIES: usize = 10;

/// The open workspace a folder belongs to: the one of its nearest ancestor.
#[must_use]
pub fn workspace_of<'a>(open: &'a [Workspace], folder: &Path) -> Option<&'a Workspace> {
    let within = open.iter().filter(|it| folder.starts_with(&it.folder));
    within.max_by_key(|it| it.folder.len())
}

/// Living panes that have no tab anywhere and belong to `workspace`: those it once had, and when it
/// is new also those below its folder that no open workspace has; oldest first.
pub fn homeless<'a>(
    panes: &'a [Pane],
    open: &'a [Workspace],
    workspace: &'a Workspace,
) -> impl Iterator<Item = &'a Pane> {
    let folder = Path::new(&workspace.folder);
    let new = workspace.tabs.is_empty();
    let shown = move |pane: &Pane| {
        open.iter()
            .chain([workspace])
            .any(|it| it.panes().contains(&pane.facts.pane))
    };
    let belongs = move |pane: &Pane| match &pane.workspace {
        Some(id) if *id == workspace.id => true,
        Some(id) if open.iter().any(|it| it.id == *id) => false,
        _ => new && sys::text::path(&pane.facts.cwd).starts_with(folder),
    };
    let found = panes
        .iter()
        .filter(move |pane| pane.alive() && belongs(pane) && !shown(pane));
    found.take(MAX_PANES)
}

/// Where a pane belongs, as it was made.
#[must_use]
pub fn place_of(pane: &Pane) -> Option<Place> {
    let mut notes = pane.facts.notes.iter();
    let (_, value) = notes.find(|(key, _)| key == link::place::NOTE)?;
    Place::from_json(value)
}

/// Gives the pane a tab at the end of the workspace, unless it stands there already. Gives the
/// workspace as it is now; `None` when it was closed meanwhile or is full.
///
/// # Errors
/// As [`change`].
pub fn add_tab(desk: &mut Desk, id: &str, pane: PaneId) -> Result<Option<Workspace>, Failure> {
    change(desk, id, |there| {
        let mut workspace = there?;
        let panes = workspace.panes();
        if !panes.contains(&pane.0) {
            if panes.len() >= MAX_PANES {
                return None;
            }
            let front = workspace.active;
            workspace.add_tab(pane.0);
            workspace.active = front;
        }
        Some(workspace)
    })
}

/// Replaces the workspace's note by what `edit` makes of it (`None`: there is no note). Gives what
/// stands there now; `None` when `edit` wants nothing written.
///
/// # Errors
/// The host refuses, the note is of a newer build, or other writers are faster every time.
pub fn change(
    desk: &mut Desk,
    id: &str,
    mut edit: impl FnMut(Option<Workspace>) -> Option<Workspace>,
) -> Result<Option<Workspace>, Failure> {
    let key = format!("workspace/{id}");
    for _ in 0..TRIES {
        let note = read(desk, &key)?;
        let revision = note.as_ref().map_or(0, |note| note.revision);
        let there = note
            .map(|note| Workspace::from_json(&note.value))
            .transpose();
        let there = there.map_err(|e| Failure::new(format!("workspace {id}: {e}")))?;
        let Some(new) = edit(there.clone()) else {
            return Ok(None);
        };
        if there.as_ref() == Some(&new) {
            return Ok(Some(new));
        }
        let value = new
            .to_json()
            .map_err(|e| Failure::new(format!("workspace {id}: {e}")))?;
        let write = NoteSet {
            key: key.clone(),
            revision: Some(revision),
            value: Some(value),
        };
        match desk.tell(PaneId::NONE, write) {
            Ok(()) => return Ok(Some(new)),
            Err(LinkError::Refused { code: CONFLICT, .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::new(format!(
        "others change the layout of workspace {id} all the time; try again"
    )))
}

fn read(desk: &mut Desk, key: &str) -> Result<Option<Note>, Failure> {
    match desk.ask(PaneId::NONE, NoteList {})? {
        FromHost::Notes(notes) => Ok(notes.notes.into_iter().find(|note| note.key == key)),
        other => Err(unexpected(&other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(id: u32, cwd: &str, workspace: Option<&str>, state: u8) -> Pane {
        let mut pane = Pane::sample(id);
        pane.facts.cwd = cwd.as_bytes().to_vec();
        pane.facts.state = state;
        pane.workspace = workspace.map(str::to_owned);
        pane
    }

    #[test]
    fn panes_without_a_workspace_are_found_by_their_folder() {
        let mut shop = Workspace::new("shop", "shop", "/src/shop");
        shop.add_tab(4);
        let open = [shop, Workspace::new("web", "web", "/src/shop/web")];
        let running = protocol::msg::RUNNING;
        let panes = [
            pane(1, "/src/blog", None, running),
            pane(2, "/src/blog/posts", Some("closed-since"), running),
            pane(3, "/src/blog", Some("web"), running),
            pane(4, "/src/blog", None, running),
            pane(5, "/src/blog", None, protocol::msg::EXITED),
            pane(6, "/src/blog2", None, running),
        ];
        let of_new = |id: &str, folder: &str, tabs: &[u32]| {
            let mut workspace = Workspace::new(id, id, folder);
            tabs.iter().for_each(|pane| workspace.add_tab(*pane));
            let found = homeless(&panes, &open, &workspace).map(|it| it.facts.pane);
            found.collect::<Vec<u32>>()
        };
        assert_eq!(of_new("blog", "/src/blog", &[]), [1, 2]);
        assert_eq!(of_new("blog", "/src/blog", &[9]), [0; 0]);
        assert_eq!(of_new("web", "/src/shop/web", &[9]), [3]);
        assert_eq!(of_new("closed-since", "/elsewhere", &[]), [2]);
        let of = |folder: &str| workspace_of(&open, Path::new(folder)).map(|it| it.id.as_str());
        assert_eq!(of("/src/shop/api"), Some("shop"));
        assert_eq!(of("/src/shop/web/x"), Some("web"));
        assert_eq!(of("/src/shopping"), None);
    }
}
