//! What did not get through, written down for `abide doctor`.
//!
//! In: outcomes. Out: [`FILE`] in the state folder, one entry a way that fails now. Promises: a way that
//! fails is told once until it works again; an entry goes with the next notice that gets through.

use crate::{Trouble, WayKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Name of the file.
pub const FILE: &str = "notices.json";
/// A larger file is none of ours.
const MAX_BYTES: u64 = 64 * 1024;

/// Why a way fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// When it last did, in Unix seconds.
    pub at: u64,
    /// Why, for people.
    pub why: String,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Failures {
    path: PathBuf,
    failed: BTreeMap<String, Failed>,
}

impl Failures {
    /// What is written down in this state folder; a file that cannot be read says nothing.
    #[must_use]
    pub fn at(state: &Path) -> Self {
        let path = state.join(FILE);
        let bytes = sys::files::read_bounded(&path, MAX_BYTES).unwrap_or_default();
        let failed = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { path, failed }
    }

    /// Why this way fails now, if it does.
    #[must_use]
    pub fn of(&self, way: WayKind) -> Option<&Failed> {
        self.failed.get(way.word())
    }

    /// Takes an outcome; gives what is to be logged of it, if that is new.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note(
        &mut self,
        way: WayKind,
        result: &Result<(), Trouble>,
        unix: u64,
    ) -> Result<Option<String>, sys::files::FileError> {
        let word = way.word();
        let told = match result {
            Ok(()) => match self.failed.remove(word) {
                Some(_) => Some(format!("notices: {word} works again")),
                None => return Ok(None),
            },
            Err(trouble) if trouble.nobody => return Ok(None),
            Err(trouble) => {
                let failed = Failed {
                    at: unix,
                    why: trouble.why.clone(),
                };
                let before = self.failed.insert(word.to_owned(), failed);
                before.is_none().then(|| {
                    format!("notices: {word}: {trouble}; this is told once, see `abide doctor`")
                })
            }
        };
        let bytes = serde_json::to_vec(&self.failed).unwrap_or_default();
        sys::files::write_atomic(&self.path, &bytes)?;
        Ok(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_once_and_goes_with_the_next_success() {
        let home = tempfile::tempdir().unwrap();
        let mut failures = Failures::at(home.path());
        let bad = Err(Trouble::new("answers 404"));
        let nobody = Err(Trouble {
            why: "no service".to_owned(),
            nobody: true,
        });
        let way = WayKind::Webhook;
        let told = failures.note(way, &bad, 5).unwrap();
        assert!(told.is_some_and(|it| it.starts_with("notices: webhook: answers 404;")));
        assert_eq!(failures.note(way, &bad, 6).unwrap(), None);
        assert_eq!(failures.note(WayKind::Desktop, &nobody, 6).unwrap(), None);
        assert_eq!(failures.of(WayKind::Desktop), None);

        let mut again = Failures::at(home.path());
        assert_eq!(again.of(way).map(|it| it.at), Some(6));
        let told = again.note(way, &Ok(()), 7).unwrap();
        assert_eq!(told.as_deref(), Some("notices: webhook works again"));
        assert_eq!(again.note(way, &Ok(()), 8).unwrap(), None);
        assert_eq!(Failures::at(home.path()).of(way), None);
    }
}
