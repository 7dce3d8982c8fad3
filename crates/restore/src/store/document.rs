//! The document as JSON values: what is known is read typed, the rest is carried along.
//!
//! Pure: bytes in, bytes out.

mod asked;
mod panes;
#[cfg(test)]
mod tests;
mod workspaces;

use super::{MAX_UNDO, Records, StoreError, UNDO_SECONDS, VERSION};
use crate::record::{BootRecord, HostRecord, LastRestore, PaneRecord, Undo};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::path::Path;

/// The whole document.
#[derive(Clone, Debug)]
pub struct Document {
    fields: Map<String, Value>,
    /// Lines about the document itself; not part of it.
    notes: Vec<String>,
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}

impl Default for Document {
    fn default() -> Self {
        let mut fields = Map::new();
        fields.insert("version".to_owned(), VERSION.into());
        fields.insert("workspaces".to_owned(), Value::Array(Vec::new()));
        fields.insert("panes".to_owned(), Value::Array(Vec::new()));
        Self {
            fields,
            notes: Vec::new(),
        }
    }
}

impl Document {
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Self, StoreError> {
        let damaged = |why: &str| StoreError::Damaged {
            path: path.to_owned(),
            why: why.to_owned(),
        };
        let fields: Map<String, Value> =
            serde_json::from_slice(bytes).map_err(|e| damaged(&e.to_string()))?;
        let version = fields.get("version").and_then(Value::as_u64);
        let version = version.ok_or_else(|| damaged("it states no version"))?;
        if version > VERSION {
            return Err(StoreError::Newer {
                path: path.to_owned(),
                found: version,
            });
        }
        for list in ["workspaces", "panes", "undo"] {
            if !fields.get(list).is_none_or(Value::is_array) {
                return Err(damaged(&format!("`{list}` is not a list")));
            }
        }
        Ok(Self {
            fields,
            notes: Vec::new(),
        })
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = serde_json::to_string_pretty(&self.fields).unwrap_or_default();
        text.push('\n');
        text.into_bytes()
    }

    pub(super) fn note(&mut self, line: String) {
        self.notes.push(line);
    }

    fn entries(&self, list: &str) -> &[Value] {
        let found = self.fields.get(list).and_then(Value::as_array);
        found.map_or(&[], Vec::as_slice)
    }

    fn entries_mut(&mut self, list: &str) -> &mut Vec<Value> {
        let entry = self.fields.entry(list);
        let value = entry.or_insert_with(|| Value::Array(Vec::new()));
        if !value.is_array() {
            *value = Value::Array(Vec::new()); // `parse` has refused every other form
        }
        match value {
            Value::Array(entries) => entries,
            _ => unreachable!("it was made a list above"),
        }
    }

    /// What is readable, and a line for each entry that is not.
    #[must_use]
    pub fn records(&self) -> Records {
        let mut records = Records {
            problems: self.notes.clone(),
            ..Records::default()
        };
        for entry in self.entries("workspaces") {
            match workspaces::read(entry) {
                Ok(workspace) => records.workspaces.push(workspace),
                Err(why) => {
                    let id = entry.get("id").and_then(Value::as_str);
                    let id = id.unwrap_or("without id");
                    records.problems.push(format!("workspace {id}: {why}"));
                }
            }
        }
        for entry in self.entries("panes") {
            match panes::read(entry) {
                Ok(pane) => records.panes.push(pane),
                Err(why) => {
                    let id = entry.get("id").and_then(Value::as_u64).unwrap_or_default();
                    records.problems.push(format!("pane p{id}: {why}"));
                }
            }
        }
        records
    }

    fn typed<T: DeserializeOwned>(&self, field: &str) -> Option<T> {
        let value = self.fields.get(field)?;
        T::deserialize(value).ok()
    }

    fn put(&mut self, field: &str, value: impl serde::Serialize) {
        if let Ok(value) = serde_json::to_value(value) {
            self.fields.insert(field.to_owned(), value);
        }
    }

    /// The boot the panes ran in last.
    #[must_use]
    pub fn boot(&self) -> Option<BootRecord> {
        self.typed("boot")
    }

    /// Writes the boot down.
    pub fn set_boot(&mut self, boot: &BootRecord) {
        self.put("boot", boot);
    }

    /// The host that had the panes last.
    #[must_use]
    pub fn host(&self) -> Option<HostRecord> {
        self.typed("host")
    }

    /// Writes the host down.
    pub fn set_host(&mut self, host: &HostRecord) {
        self.put("host", host);
    }

    /// The user holds what has not come back yet.
    #[must_use]
    pub fn hold(&self) -> bool {
        self.typed("hold").unwrap_or_default()
    }

    /// Holds, or lets go on.
    pub fn set_hold(&mut self, hold: bool) {
        self.put("hold", hold);
    }

    /// What the last restore came to.
    #[must_use]
    pub fn last(&self) -> Option<LastRestore> {
        self.typed("last")
    }

    /// Writes down what a restore came to.
    pub fn set_last(&mut self, last: &LastRestore) {
        self.put("last", last);
    }

    /// What `abide fresh` took away, oldest first.
    #[must_use]
    pub fn undo(&self) -> Vec<Undo> {
        let entries = self.entries("undo").iter();
        entries.filter_map(|e| Undo::deserialize(e).ok()).collect()
    }

    /// Keeps what is taken away.
    ///
    /// # Errors
    /// [`StoreError::Form`].
    pub fn push_undo(&mut self, undo: &Undo) -> Result<(), StoreError> {
        let value = to_value("what is taken away", undo)?;
        self.entries_mut("undo").push(value);
        Ok(())
    }

    /// Takes the newest of them out.
    pub fn pop_undo(&mut self) -> Option<Undo> {
        let entries = self.entries_mut("undo");
        let at = entries.iter().rposition(|e| Undo::deserialize(e).is_ok())?;
        Undo::deserialize(&entries.remove(at)).ok()
    }

    /// Panes that could be taken back are let go of for good.
    pub fn forget_undone(&mut self, which: impl Fn(&PaneRecord) -> bool) {
        let mut acts = self.undo();
        let all = |acts: &[Undo]| acts.iter().map(|act| act.panes.len()).sum::<usize>();
        let before = all(&acts);
        for act in &mut acts {
            act.panes.retain(|pane| !which(pane));
        }
        if all(&acts) < before {
            acts.retain(|act| !act.panes.is_empty());
            self.put("undo", acts);
        }
    }

    /// Lets go of what is older than its time or more than there is room for.
    pub(super) fn prune(&mut self, now: u64) {
        self.prune_ended();
        if self.entries("undo").is_empty() {
            return;
        }
        let entries = self.entries_mut("undo");
        let at = |entry: &Value| entry.get("at").and_then(Value::as_u64);
        // Of a form that is not known: kept until there is no room.
        entries.retain(|e| at(e).is_none_or(|at| at.saturating_add(UNDO_SECONDS) > now));
        let over = entries.len().saturating_sub(MAX_UNDO);
        entries.drain(..over);
    }
}

/// A value as the document holds it.
fn to_value(what: &str, value: &impl serde::Serialize) -> Result<Value, StoreError> {
    serde_json::to_value(value).map_err(|error| StoreError::Form {
        what: what.to_owned(),
        why: error.to_string(),
    })
}
