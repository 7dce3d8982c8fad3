//! What commands ask the keeper for: to bring panes back.
//!
//! A command adds to the list and pokes; the keeper takes it. What nobody takes for a minute is
//! nobody's wish any more.

use super::{Document, to_value};
use crate::plan::Cause;
use crate::store::StoreError;
use serde::{Deserialize, Serialize};

const LIST: &str = "asked";
/// Most wishes that wait; the oldest go.
const MAX: usize = 50;
/// Seconds a wish waits.
const LIFE: u64 = 60;

/// One wish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Asked {
    /// When, in Unix seconds.
    at: u64,
    /// For what.
    cause: Cause,
}

impl Document {
    /// Asks the keeper. `now`: Unix seconds.
    ///
    /// # Errors
    /// [`StoreError::Form`].
    pub fn ask(&mut self, cause: &Cause, now: u64) -> Result<(), StoreError> {
        let cause = cause.clone();
        let asked = to_value("a wish", &Asked { at: now, cause })?;
        let entries = self.entries_mut(LIST);
        entries.push(asked);
        let over = entries.len().saturating_sub(MAX);
        entries.drain(..over);
        Ok(())
    }

    /// What is asked for, oldest first.
    #[must_use]
    pub fn asked(&self) -> Vec<Cause> {
        let entries = self.entries(LIST).iter();
        let read = entries.filter_map(|entry| Asked::deserialize(entry).ok());
        read.map(|asked| asked.cause).collect()
    }

    /// Takes what is asked for, oldest first. `now`: Unix seconds.
    pub fn take_asked(&mut self, now: u64) -> Vec<Cause> {
        if self.entries(LIST).is_empty() {
            return Vec::new();
        }
        let entries = std::mem::take(self.entries_mut(LIST));
        let read = entries
            .iter()
            .filter_map(|entry| Asked::deserialize(entry).ok());
        let fresh = read.filter(|asked| asked.at.saturating_add(LIFE) >= now);
        fresh.map(|asked| asked.cause).collect()
    }

    /// Takes one wish back; `false`: somebody took it.
    pub fn unask(&mut self, cause: &Cause) -> bool {
        let is = |entry: &serde_json::Value| {
            Asked::deserialize(entry).is_ok_and(|asked| asked.cause == *cause)
        };
        match self.entries(LIST).iter().position(is) {
            Some(at) => {
                self.entries_mut(LIST).remove(at);
                true
            }
            None => false,
        }
    }
}
