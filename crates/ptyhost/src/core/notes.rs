//! Notes: what others share through the host, which never reads it.
//!
//! In: writes with an expected revision. Out: the change, or why there is none. Promises: revisions
//! grow with every change of any note; bounds are checked before anything changes.

use protocol::msg::{self, Bytes, Note};
use std::collections::BTreeMap;

/// Most bytes of a key; a key has at least one.
pub(crate) const MAX_KEY: usize = 128;
/// Most bytes of a pane note's value.
pub(crate) const MAX_PANE_NOTE: usize = 4 * 1024;
/// Most bytes of a global note's value.
pub(crate) const MAX_GLOBAL_NOTE: usize = 64 * 1024;
/// Most bytes of all notes, keys and [`OVERHEAD`] included.
pub(crate) const MAX_NOTES: usize = 4 * 1024 * 1024;
/// What a note is taken to cost beyond its key and value, in bytes.
const OVERHEAD: usize = 64;

/// The notes of one pane, or the global ones.
pub(crate) type NoteMap = BTreeMap<String, (u64, Bytes)>;

/// What all notes of a host share.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    revision: u64,
    bytes: usize,
}

/// A wish: what [`msg::NoteSet`] says, and the bound of its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write<'a> {
    pub(crate) key: &'a str,
    /// 0: must not exist; `None`: whatever it has.
    pub(crate) revision: Option<u64>,
    /// `None` removes.
    pub(crate) value: Option<&'a [u8]>,
    pub(crate) limit: usize,
}

/// What a write did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The note has this revision and value now; push it.
    Set(u64),
    /// It is gone; the removal has this revision; push it.
    Removed(u64),
    /// It was so already.
    Same,
}

/// Why nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoteError {
    #[error("a note's key has 1 to {MAX_KEY} bytes, this one {0}")]
    Key(usize),
    #[error("note `{key}`: {len} bytes are over its limit of {limit}")]
    Value {
        key: String,
        len: usize,
        limit: usize,
    },
    #[error("note `{0}`: all notes together may hold {MAX_NOTES} bytes; remove some first")]
    Total(String),
    #[error("note `{key}` has revision {has}, not {expected}; read it and try again")]
    Conflict {
        key: String,
        has: u64,
        expected: u64,
    },
}

impl NoteError {
    /// The wire's code for it.
    pub(crate) const fn code(&self) -> u16 {
        match self {
            Self::Conflict { .. } => msg::CONFLICT,
            _ => msg::LIMIT,
        }
    }
}

fn cost(key: &str, value: &[u8]) -> usize {
    key.len() + value.len() + OVERHEAD
}

impl Ledger {
    /// Writes one note of `map`.
    pub(crate) fn set(&mut self, map: &mut NoteMap, write: Write<'_>) -> Result<Change, NoteError> {
        let key = write.key;
        check(write)?;
        let has = map.get(key);
        let has_revision = has.map_or(0, |(revision, _)| *revision);
        if let Some(expected) = write.revision
            && expected != has_revision
        {
            return Err(NoteError::Conflict {
                key: key.to_owned(),
                has: has_revision,
                expected,
            });
        }
        if has.map(|(_, value)| value.as_slice()) == write.value {
            return Ok(Change::Same);
        }
        let before = has.map_or(0, |(_, value)| cost(key, value));
        let after = write.value.map_or(0, |value| cost(key, value));
        let total = self.bytes - before + after;
        if after > before && total > MAX_NOTES {
            return Err(NoteError::Total(key.to_owned()));
        }
        self.bytes = total;
        self.revision += 1;
        Ok(if let Some(value) = write.value {
            map.insert(key.to_owned(), (self.revision, value.to_vec()));
            Change::Set(self.revision)
        } else {
            map.remove(key);
            Change::Removed(self.revision)
        })
    }

    /// The pane of these notes is gone.
    pub(crate) fn forget(&mut self, map: &mut NoteMap) {
        for (key, (_, value)) in std::mem::take(map) {
            self.bytes = self.bytes.saturating_sub(cost(&key, &value));
        }
    }
}

fn check(write: Write<'_>) -> Result<(), NoteError> {
    if write.key.is_empty() || write.key.len() > MAX_KEY {
        return Err(NoteError::Key(write.key.len()));
    }
    match write.value {
        Some(value) if value.len() > write.limit => Err(NoteError::Value {
            key: write.key.to_owned(),
            len: value.len(),
            limit: write.limit,
        }),
        _ => Ok(()),
    }
}

/// The notes as the wire lists them.
pub(crate) fn listed(map: &NoteMap) -> Vec<Note> {
    map.iter()
        .map(|(key, (revision, value))| Note {
            key: key.clone(),
            revision: *revision,
            value: value.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write<'a>(key: &'a str, revision: Option<u64>, value: Option<&'a [u8]>) -> Write<'a> {
        Write {
            key,
            revision,
            value,
            limit: MAX_PANE_NOTE,
        }
    }

    /// Expected revision, value, outcome.
    type Row<'a> = (Option<u64>, Option<&'a [u8]>, Result<Change, NoteError>);

    fn conflict(has: u64, expected: u64) -> Result<Change, NoteError> {
        Err(NoteError::Conflict {
            key: "k".to_owned(),
            has,
            expected,
        })
    }

    #[test]
    fn compare_and_set() {
        let (mut ledger, mut map) = (Ledger::default(), NoteMap::new());
        let table: &[Row<'_>] = &[
            (Some(7), Some(b"a"), conflict(0, 7)),
            (Some(0), Some(b"a"), Ok(Change::Set(1))),
            (Some(0), Some(b"b"), conflict(1, 0)),
            (None, Some(b"a"), Ok(Change::Same)),
            (Some(1), Some(b"b"), Ok(Change::Set(2))),
            (Some(1), None, conflict(2, 1)),
            (None, Some(b""), Ok(Change::Set(3))),
            (Some(3), None, Ok(Change::Removed(4))),
            (Some(0), None, Ok(Change::Same)),
            (None, None, Ok(Change::Same)),
            (Some(0), Some(b"c"), Ok(Change::Set(5))),
        ];
        for (i, (revision, value, want)) in table.iter().enumerate() {
            assert_eq!(
                &ledger.set(&mut map, write("k", *revision, *value)),
                want,
                "row {i}"
            );
        }
        ledger.forget(&mut map);
        assert_eq!((ledger.bytes, map.len()), (0, 0));
    }

    #[test]
    fn bounds_are_exact() {
        let (mut ledger, mut map) = (Ledger::default(), NoteMap::new());
        let long = "k".repeat(MAX_KEY + 1);
        let big = vec![0; MAX_GLOBAL_NOTE + 1];
        assert_eq!(
            ledger.set(&mut map, write("", None, Some(b"a"))),
            Err(NoteError::Key(0))
        );
        assert_eq!(
            ledger.set(&mut map, write(&long, None, None)),
            Err(NoteError::Key(MAX_KEY + 1))
        );
        assert!(
            ledger
                .set(
                    &mut map,
                    write(&long[1..], None, Some(&big[..MAX_PANE_NOTE]))
                )
                .is_ok()
        );
        let over = ledger.set(&mut map, write("k", None, Some(&big[..=MAX_PANE_NOTE])));
        assert!(matches!(over, Err(NoteError::Value { .. })), "{over:?}");
        let (mut ledger, mut map) = (Ledger::default(), NoteMap::new());
        let value = &big[..MAX_GLOBAL_NOTE];
        let mut held = 0;
        loop {
            let key = format!("n{held}");
            let wish = Write {
                key: &key,
                revision: None,
                value: Some(value),
                limit: MAX_GLOBAL_NOTE,
            };
            match ledger.set(&mut map, wish) {
                Ok(_) => held += 1,
                Err(error) => break assert_eq!(error, NoteError::Total(key)),
            }
        }
        assert_eq!(held, 63);
        let smaller = Write {
            key: "n0",
            revision: None,
            value: Some(b"x"),
            limit: MAX_GLOBAL_NOTE,
        };
        assert!(
            ledger.set(&mut map, smaller).is_ok(),
            "shrinking is always possible"
        );
        assert!(ledger.bytes <= MAX_NOTES);
    }
}
