//! The document's workspaces.

use super::Document;
use crate::store::{MAX_WORKSPACES, StoreError};
use link::layout::Workspace;
use serde_json::{Map, Value};

const LIST: &str = "workspaces";
/// Field of an entry whose workspace was closed: when, in Unix seconds.
const CLOSED: &str = "closed";

impl Document {
    /// The readable workspaces.
    #[must_use]
    pub fn workspaces(&self) -> Vec<Workspace> {
        let entries = self.entries(LIST).iter();
        entries.filter_map(|entry| read(entry).ok()).collect()
    }

    /// The entry of this workspace, as it stands.
    #[must_use]
    pub fn workspace_entry(&self, id: &str) -> Option<&Value> {
        self.entries(LIST).iter().find(|entry| is(entry, id))
    }

    /// The workspace was closed: its layout stays as it is until it is opened again, whatever clients
    /// still write while its panes end. False: there is none.
    pub fn close_workspace(&mut self, id: &str, now: u64) -> bool {
        let mut entries = self.entries_mut(LIST).iter_mut();
        let entry = entries
            .find(|entry| is(entry, id))
            .and_then(Value::as_object_mut);
        entry.is_some_and(|entry| {
            entry.insert(CLOSED.to_owned(), now.into());
            true
        })
    }

    /// The workspace is open again.
    pub fn open_workspace(&mut self, id: &str) {
        let mut entries = self.entries_mut(LIST).iter_mut();
        let entry = entries
            .find(|entry| is(entry, id))
            .and_then(Value::as_object_mut);
        if let Some(entry) = entry {
            entry.remove(CLOSED);
        }
    }

    /// The workspace is closed.
    #[must_use]
    pub fn is_closed(&self, id: &str) -> bool {
        self.workspace_entry(id).is_some_and(is_closed)
    }

    /// Writes this workspace in the place of the one with its id, or as a new one. What a newer build
    /// wrote into the old one stays, and so does all of a closed one.
    ///
    /// # Errors
    /// [`StoreError::NewerEntry`], [`StoreError::FullOfWorkspaces`], [`StoreError::Layout`].
    pub fn merge_workspace(&mut self, workspace: &Workspace) -> Result<(), StoreError> {
        let bytes = workspace.to_json()?;
        let new: Map<String, Value> =
            serde_json::from_slice(&bytes).map_err(|error| StoreError::Form {
                what: format!("workspace {}", workspace.id),
                why: error.to_string(),
            })?;
        let entries = self.entries_mut(LIST);
        let Some(old) = entries.iter_mut().find(|entry| is(entry, &workspace.id)) else {
            if entries.len() >= MAX_WORKSPACES {
                return Err(StoreError::FullOfWorkspaces);
            }
            entries.push(Value::Object(new));
            return Ok(());
        };
        let stated = old.get("version").and_then(Value::as_u64);
        if let Some(found) = stated.filter(|stated| *stated > u64::from(link::layout::VERSION)) {
            return Err(StoreError::NewerEntry {
                what: format!("workspace {}", workspace.id),
                found,
            });
        }
        if is_closed(old) {
            return Ok(());
        }
        if let Value::Object(old) = old {
            old.extend(new);
        }
        Ok(())
    }

    /// Puts an entry back as it was taken out; one with its id that is there wins.
    pub fn put_back_workspace(&mut self, entry: &Value) {
        let id = entry.get("id").and_then(Value::as_str);
        if let Some(id) = id
            && self.workspace_entry(id).is_none()
        {
            self.entries_mut(LIST).push(entry.clone());
        }
    }

    /// Takes the workspace with this id out, unless it is closed; pane records stay.
    pub fn forget_workspace(&mut self, id: &str) {
        self.entries_mut(LIST)
            .retain(|entry| !is(entry, id) || is_closed(entry));
    }

    /// Takes the workspace with this id out, also when it is closed; pane records stay.
    pub fn drop_workspace(&mut self, id: &str) {
        self.entries_mut(LIST).retain(|entry| !is(entry, id));
    }
}

fn is_closed(entry: &Value) -> bool {
    entry.get(CLOSED).is_some_and(|at| !at.is_null())
}

fn is(entry: &Value, id: &str) -> bool {
    entry.get("id").and_then(Value::as_str) == Some(id)
}

/// The layout alone: that the workspace is closed is said of the entry, and who writes the layout back
/// does not close it again.
pub(super) fn read(entry: &Value) -> Result<Workspace, String> {
    let bytes = serde_json::to_vec(entry).map_err(|e| e.to_string())?;
    let mut workspace = Workspace::from_json(&bytes).map_err(|e| e.to_string())?;
    workspace.rest.remove(CLOSED);
    Ok(workspace)
}
