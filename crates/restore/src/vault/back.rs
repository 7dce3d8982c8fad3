//! Puts a transcript back that its CLI deleted, and says whether a copy can be relied on.

use super::entry::Copy;
use super::{Vault, files};
use crate::record::PaneRecord;
use crate::store::StoreError;
use agents::spec::Store;
use agents::{Catalogue, Spec};
use std::path::PathBuf;
use sys::files::copy_new;

/// What became of the transcripts of a conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Back {
    /// Those that were put back.
    pub put: Vec<PathBuf>,
    /// Those that were there, and were left alone.
    pub there: Vec<PathBuf>,
}

impl Vault {
    /// Puts back what is missing of a conversation's transcripts, byte for byte, 0600, dated now (the
    /// CLIs delete by age). A copy without a turn of the user's stays where it is: such a stub is what
    /// makes some CLIs delete the real one.
    ///
    /// # Errors
    /// No copy is whole, or a file cannot be written; what was there is untouched.
    pub fn put_back(&self, spec: &Spec, conversation: &str) -> Result<Back, StoreError> {
        let mut back = Back::default();
        let mut error = None;
        for copy in self.worth(spec, conversation) {
            let path = copy.entry.path.as_path();
            if path.symlink_metadata().is_ok() {
                back.there.push(path.to_owned());
                continue;
            }
            let put = || -> Result<bool, StoreError> {
                let bytes = files::read_whole(&copy)?;
                if let Some(folder) = path.parent().filter(|it| !it.exists()) {
                    make(folder)?;
                }
                Ok(copy_new(&mut bytes.as_slice(), path)?)
            };
            match put() {
                Ok(true) => back.put.push(path.to_owned()),
                Ok(false) => back.there.push(path.to_owned()),
                Err(why) => error = Some(why),
            }
        }
        match error {
            Some(error) if back.put.is_empty() => Err(error),
            None if back == Back::default() => Err(StoreError::NoCopy {
                conversation: conversation.to_owned(),
            }),
            _ => Ok(back),
        }
    }

    /// [`Vault::put_back`] of the conversation of a pane that is about to be started.
    ///
    /// # Errors
    /// What to tell the user: it cannot be put back, so the pane is not started.
    pub fn put_back_for(&self, catalogue: &Catalogue, pane: &PaneRecord) -> Result<Back, String> {
        let cli = pane.agent.as_ref().map(|agent| agent.cli.as_str());
        let spec = cli.and_then(|cli| catalogue.get(cli));
        match (spec, &pane.conversation) {
            (Some(spec), Some(conversation)) => {
                let back = self.put_back(spec, &conversation.id);
                back.map_err(|error| format!("its transcript was not put back: {error}"))
            }
            _ => Err("its conversation is not known any more".to_owned()),
        }
    }

    /// Whether all that is worth keeping of a conversation is here: every copy's checksum is right, and
    /// what lies there now is what was copied, to its end. Where nothing lies any more the copy must have
    /// reached the end. Reads both.
    #[must_use]
    pub fn is_verified(&self, spec: &Spec, conversation: &str) -> bool {
        let copies = self.worth(spec, conversation);
        !copies.is_empty() && copies.iter().all(is_verified)
    }

    /// The copies of a conversation that hold a turn of the user's, as far as that can be told, one for
    /// each place: the former one when only that does.
    fn worth(&self, spec: &Spec, conversation: &str) -> Vec<Copy> {
        let all = self.copies().into_iter();
        let mut own: Vec<Copy> = all
            .filter(|it| it.entry.is_of(&spec.name, conversation))
            .filter(|it| {
                // In a folder only one file has turns in it, and the others belong to it.
                spec.conversations.store == Store::Folder
                    || agents::transcript::has_user_turn(spec, &it.bytes) != Some(false)
            })
            .collect();
        own.sort_by_key(|it| it.entry.former);
        let mut places: Vec<Copy> = Vec::new();
        for copy in own {
            if !places.iter().any(|it| it.entry.path == copy.entry.path) {
                places.push(copy);
            }
        }
        places
    }
}

fn is_verified(copy: &Copy) -> bool {
    let entry = &copy.entry;
    if files::read_whole(copy).is_err() {
        return false;
    }
    match files::sum(entry.path.as_path(), u64::MAX) {
        Ok(now) => entry.former || (now.length() == entry.length && now.sum() == entry.sum),
        Err(StoreError::File(error)) => error.is_missing() && (entry.whole || entry.former),
        Err(_) => false,
    }
}

/// Makes a folder for a transcript, nobody else's to look into.
fn make(folder: &std::path::Path) -> Result<(), StoreError> {
    Ok(sys::files::private_dir(folder)?)
}
