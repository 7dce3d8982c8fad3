//! What others than our own record know of a conversation: its framework's transcript and the vault.
//!
//! In: a framework, its id of a conversation, the environment it runs in. Out: rows. Reads files, writes
//! none; what cannot be found or read gives no rows.

use crate::carry::Source;
use crate::record::Row;
use crate::transcript;
use agents::Spec;
use restore::Vault;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where to look.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// The framework.
    pub spec: Spec,
    /// The folder it works in.
    pub folder: PathBuf,
    /// The environment it runs in: its account's folder is named there.
    pub env: Vec<(OsString, OsString)>,
    /// Our state folder, with the vault.
    pub state: PathBuf,
}

impl Elsewhere {
    /// The framework's own transcript.
    #[must_use]
    pub fn transcript(&self, session: &str) -> Vec<Row> {
        let env = |name: &str| {
            let mut all = self.env.iter();
            all.find(|it| it.0 == name).map(|it| it.1.clone())
        };
        let path = agents::transcript::find(&self.spec, session, &self.folder, &env);
        path.map(|it| transcript::read(&it)).unwrap_or_default()
    }

    /// The fullest of the vault's copies of it.
    #[must_use]
    pub fn vault(&self, session: &str) -> Vec<Row> {
        let copies = Vault::at(&self.state).copies().into_iter();
        let own = copies.filter(|it| it.entry.is_of(&self.spec.name, session));
        own.map(|it| transcript::read(&it.bytes))
            .max_by_key(Vec::len)
            .unwrap_or_default()
    }

    /// Both, for [`crate::carry::fullest`].
    #[must_use]
    pub fn all(&self, session: &str) -> [(Source, Vec<Row>); 2] {
        [
            (Source::Transcript, self.transcript(session)),
            (Source::Vault, self.vault(session)),
        ]
    }

    /// The state folder it was made for.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }
}
