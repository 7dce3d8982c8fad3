//! The document's panes.

use super::{Document, to_value};
use crate::record::PaneRecord;
use crate::store::{MAX_ENDED, MAX_PANE_BYTES, MAX_PANES, StoreError};
use serde::Deserialize;
use serde_json::Value;

const LIST: &str = "panes";

impl Document {
    /// The readable panes.
    #[must_use]
    pub fn panes(&self) -> Vec<PaneRecord> {
        let entries = self.entries(LIST).iter();
        entries.filter_map(|entry| read(entry).ok()).collect()
    }

    /// The pane with this id, if it is readable.
    #[must_use]
    pub fn pane(&self, id: u32) -> Option<PaneRecord> {
        let entry = self.entries(LIST).iter().find(|entry| is(entry, id))?;
        read(entry).ok()
    }

    /// Writes this pane in the place of the one with its id, or as a new one. What a newer build wrote
    /// into the old one stays; an entry that this build cannot read is not replaced.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`], [`StoreError::FullOfPanes`], [`StoreError::NewerEntry`].
    pub fn put_pane(&mut self, pane: &PaneRecord) -> Result<(), StoreError> {
        let what = format!("the record of pane p{}", pane.id);
        let Value::Object(new) = to_value(&what, pane)? else {
            return Ok(()); // a struct is an object
        };
        let bytes = serde_json::to_vec(&new).map_or(0, |bytes| bytes.len());
        if bytes > MAX_PANE_BYTES {
            let most = MAX_PANE_BYTES;
            return Err(StoreError::TooLarge { what, bytes, most });
        }
        let entries = self.entries_mut(LIST);
        let Some(old) = entries.iter_mut().find(|entry| is(entry, pane.id)) else {
            make_room(entries)?;
            entries.push(Value::Object(new));
            return Ok(());
        };
        if read(old).is_err() {
            return Err(StoreError::NewerEntry { what, found: 0 });
        }
        if let Value::Object(old) = old {
            old.extend(new);
        }
        Ok(())
    }

    /// Edits the pane with this id. `Ok(false)`: there is none.
    ///
    /// # Errors
    /// As [`Document::put_pane`].
    pub fn edit_pane(
        &mut self,
        id: u32,
        edit: impl FnOnce(&mut PaneRecord),
    ) -> Result<bool, StoreError> {
        let Some(mut pane) = self.pane(id) else {
            return Ok(false);
        };
        edit(&mut pane);
        pane.id = id;
        self.put_pane(&pane)?;
        Ok(true)
    }

    /// Takes the pane with this id out.
    pub fn forget_pane(&mut self, id: u32) {
        self.entries_mut(LIST).retain(|entry| !is(entry, id));
    }

    /// Keeps the newest [`MAX_ENDED`] of the panes that have ended for good.
    pub(super) fn prune_ended(&mut self) {
        let ended = ended(self.entries(LIST));
        let over = ended.len().saturating_sub(MAX_ENDED);
        for (_, id) in ended.into_iter().take(over) {
            self.forget_pane(id);
        }
    }
}

/// The ended panes, oldest first.
fn ended(entries: &[Value]) -> Vec<(u64, u32)> {
    let read = entries.iter().filter_map(|entry| read(entry).ok());
    let ended = read.filter(|pane| pane.intent.is_ended());
    let mut ended: Vec<_> = ended
        .map(|pane| (pane.intent.at().unwrap_or_default(), pane.id))
        .collect();
    ended.sort_unstable();
    ended
}

/// Room for one more.
fn make_room(entries: &mut Vec<Value>) -> Result<(), StoreError> {
    if entries.len() < MAX_PANES {
        return Ok(());
    }
    let (_, oldest) = *ended(entries).first().ok_or(StoreError::FullOfPanes)?;
    entries.retain(|entry| !is(entry, oldest));
    Ok(())
}

fn is(entry: &Value, id: u32) -> bool {
    entry.get("id").and_then(Value::as_u64) == Some(u64::from(id))
}

pub(super) fn read(entry: &Value) -> Result<PaneRecord, String> {
    let pane = PaneRecord::deserialize(entry).map_err(|e| e.to_string())?;
    match pane.id {
        0 => Err("it has no id".to_owned()),
        _ => Ok(pane),
    }
}
