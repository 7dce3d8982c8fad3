//! The agents there are, as the user's files describe them now.
//!
//! In: the folder of data files. Out: the catalogue. Promises: a file that is added, changed or taken away counts
//! from the next look at a pane on; nothing is read unless names, sizes or times differ; a file that cannot be used
//! any more leaves what it said before standing, which is told once.

use super::{Session, now};
use agents::{Catalogue, Stamp};
use std::path::{Path, PathBuf};

/// See the module.
pub(super) struct Known {
    pub(super) catalogue: Catalogue,
    folder: PathBuf,
    stamp: Option<Stamp>,
    /// What is wrong with the files, as it was told.
    told: Vec<String>,
}

impl Known {
    /// `catalogue` as it was when the keeper began; `config`: the settings' folder.
    pub(super) fn new(catalogue: Catalogue, config: &Path) -> Self {
        Self {
            catalogue,
            folder: config.join("agents"),
            stamp: None,
            told: Vec::new(),
        }
    }

    /// True when what is known of agents changed.
    fn look(&mut self) -> bool {
        let stamp = Stamp::of(&self.folder);
        if self.stamp.as_ref() == Some(&stamp) {
            return false;
        }
        self.stamp = Some(stamp);
        let loaded = self.catalogue.load_again(&self.folder);
        let new = |line: &&String| !self.told.contains(line);
        for line in loaded.left_out.iter().filter(new) {
            tracing::warn!("{line}");
        }
        self.told = loaded.left_out;
        let news = loaded.catalogue.news(&self.catalogue);
        if news.is_empty() {
            return false;
        }
        let folder = self.folder.display();
        tracing::info!("{folder} is read again: {}", news.join(", "));
        self.catalogue = loaded.catalogue;
        true
    }
}

impl Session<'_> {
    /// Reads the data files of agents again if they changed.
    pub(super) fn look_for_agents(&mut self) {
        if self.known.look() {
            self.core.know(self.known.catalogue.clone(), now().at);
        }
    }
}
