//! Keeps copies up to date: looks at the transcripts of the panes there are, adds what is new.
//!
//! Promises: a transcript is only read, never opened to write; one that did not change costs one look;
//! a fault with one conversation leaves the others.

use super::digest::Chain;
use super::entry::{Copy, Entry, VERSION};
use super::grow::{Held, Source, Step, step};
use super::{MAX_COPY, Vault, files, keep};
use crate::record::PaneRecord;
use crate::store::StoreError;
use agents::spec::Store;
use agents::transcript::{MAX_PARTS, parts};
use agents::{Catalogue, Spec, conversation_paths, look_up};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use sys::files::{file_id, open_plain};

/// Seconds after which folders are looked through again for more transcripts of a conversation.
const LOOK_UP: u64 = 60;
/// Transcripts of one conversation that are copied: some CLIs leave stubs beside the real one.
const MAX_SOURCES: usize = 8;
/// Bytes of a beginning in which a transcript names its conversation.
const HEAD: u64 = 64 * 1024;

/// What a transcript looked like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hint {
    file: (u64, u64),
    length: u64,
    changed: Option<SystemTime>,
}

/// What a round came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tended {
    /// Bytes that were copied.
    pub copied: u64,
    /// Copies that went, for age or room.
    pub removed: usize,
    /// More is to be copied: come back soon.
    pub more: bool,
    /// What to write into the log.
    pub lines: Vec<String>,
}

impl Vault {
    /// Copies what is new in the transcripts of these panes. `env`: variables that are not written
    /// down, such as HOME. `now`: Unix seconds.
    pub fn tend(
        &mut self,
        panes: &[PaneRecord],
        catalogue: &Catalogue,
        env: &dyn Fn(&str) -> Option<OsString>,
        now: u64,
    ) -> Tended {
        let mut tended = Tended::default();
        for pane in panes.iter().filter(|pane| !pane.private) {
            let (sources, too_much) = self.sources(pane, catalogue, env, now);
            tended.lines.extend(too_much);
            for source in sources {
                if let Err(error) = self.copy(pane, &source, now, &mut tended) {
                    let id = pane.id;
                    let line = format!("p{id}: its conversation is not copied: {error}");
                    tended.lines.push(line);
                    // Said once, until the transcript changes again.
                    self.hint(&source);
                }
            }
        }
        tended
    }

    /// Lets go of what is too old or too much, by all the records there are.
    ///
    /// # Errors
    /// [`StoreError::File`].
    pub fn prune(&mut self, panes: &[PaneRecord], now: u64) -> Result<Tended, StoreError> {
        let mut tended = Tended::default();
        if !self.root.exists() {
            return Ok(tended);
        }
        let _lock = self.lock()?;
        files::sweep(&self.root);
        let mut copies = self.copies();
        for copy in &mut copies {
            let closed = keep::closed(&copy.entry, panes, now);
            if closed != copy.entry.closed {
                copy.entry.closed = closed;
                files::put(copy)?;
            }
        }
        tended.removed = self.make_room(&copies, now, 0)?;
        Ok(tended)
    }

    /// Where the transcripts of a pane's conversation lie, and what to tell of it once.
    fn sources(
        &mut self,
        pane: &PaneRecord,
        catalogue: &Catalogue,
        env: &dyn Fn(&str) -> Option<OsString>,
        now: u64,
    ) -> (Vec<PathBuf>, Option<String>) {
        let none = (Vec::new(), None);
        let (Some(agent), Some(conversation)) = (&pane.agent, &pane.conversation) else {
            return none;
        };
        let Some(spec) = catalogue.get(&agent.cli) else {
            return none;
        };
        let store = spec.conversations.store;
        if !matches!(store, Store::File | Store::Folder) {
            return none;
        }
        let key = (agent.cli.clone(), conversation.id.clone());
        if let Some((at, known)) = self.sources.get(&key)
            && !known.is_empty()
            // In a folder new files appear at any time.
            && store == Store::File
            && now.abs_diff(*at) < LOOK_UP
        {
            return (known.clone(), None);
        }
        let variable = |name: &str| {
            let own = [&pane.set_env, &agent.env, &pane.env];
            let own = own.into_iter().flatten();
            let mut own = own.filter(|(known, _)| known.as_os() == name);
            own.next()
                .map_or_else(|| env(name), |(_, value)| Some(value.as_os().to_owned()))
        };
        let found = transcripts(spec, &conversation.id, agent.cwd.as_path(), &variable);
        let Some(found) = found else {
            let first = self
                .sources
                .insert(key, (now, Vec::new()))
                .is_none_or(|(_, known)| !known.is_empty());
            let line = format!(
                "p{}: its conversation has more than {MAX_PARTS} files: it is not copied",
                pane.id
            );
            return (Vec::new(), first.then_some(line));
        };
        self.sources
            .retain(|_, (at, _)| now.abs_diff(*at) < LOOK_UP * 60);
        self.sources.insert(key, (now, found.clone()));
        (found, None)
    }

    fn hint(&mut self, source: &Path) {
        if let Ok(meta) = std::fs::metadata(source) {
            self.hints.insert(source.to_owned(), hint(&meta));
        }
    }

    /// Brings one copy up to date.
    fn copy(
        &mut self,
        pane: &PaneRecord,
        source: &Path,
        now: u64,
        tended: &mut Tended,
    ) -> Result<(), StoreError> {
        let Ok(meta) = std::fs::metadata(source) else {
            return Ok(()); // gone: the copy is what is left
        };
        let seen = hint(&meta);
        if self.hints.get(source) == Some(&seen) || !meta.is_file() || meta.len() == 0 {
            return Ok(());
        }
        let (Some(agent), Some(conversation)) = (&pane.agent, &pane.conversation) else {
            return Ok(());
        };
        let _lock = self.lock()?;
        let mut entry = Entry {
            version: VERSION,
            cli: agent.cli.clone(),
            conversation: conversation.id.clone(),
            path: source.to_path_buf().into(),
            ..Entry::default()
        };
        let (bytes, record) = files::place(&self.root, &entry);
        let there = files::get(&record);
        if there.is_none() && record.exists() {
            return Ok(()); // a newer build's
        }
        let mut file = open_plain(source)?;
        let chain = match &there {
            Some(there) => self.going_on(there, &mut file, source, seen)?,
            None => Chain::default(),
        };
        if let Some(there) = there.filter(|_| chain.length() > 0) {
            entry = there.entry;
        }
        (entry.pane, entry.workspace, entry.closed) = (pane.id, pane.workspace.clone(), None);
        let copy = Copy {
            entry,
            bytes,
            record,
        };
        if self.add(copy, chain, &mut file, source, now, tended)? {
            self.hints.retain(|path, _| path.exists());
            self.hints.insert(source.to_owned(), seen);
        }
        Ok(())
    }

    /// The checksum to go on from: the copy's, when it is the beginning of what lies there now; else
    /// none, and the copy was put aside as the former one.
    fn going_on(
        &self,
        there: &Copy,
        file: &mut File,
        path: &Path,
        seen: Hint,
    ) -> Result<Chain, StoreError> {
        let entry = &there.entry;
        let source = Source {
            file: seen.file,
            length: seen.length,
        };
        let held = Held {
            file: entry.file,
            length: entry.length,
        };
        let same = match step(source, Some(held)) {
            Step::Begin | Step::Replace => None,
            Step::Append => {
                let behind = Chain::behind(entry.length);
                // A whole last block is looked at whole.
                let last = match behind {
                    0 => entry.length.min(super::digest::BLOCK as u64),
                    some => some,
                };
                let from = entry.length - last;
                // Bytes that cannot be read are as good as wrong ones.
                let own = open_plain(&there.bytes).map_err(StoreError::from);
                let own = own.and_then(|mut own| files::part(&mut own, &there.bytes, from, last));
                let own = own.unwrap_or_default();
                let theirs = files::part(file, path, from, last)?;
                let skip = usize::try_from(last - behind)
                    .unwrap_or(own.len())
                    .min(own.len());
                let chain = Chain::resumed(&entry.blocks, entry.length, &own[skip..]);
                chain.filter(|it| own == theirs && it.sum() == entry.sum)
            }
            Step::Compare => {
                let chain = files::sum(path, entry.length)?;
                Some(chain).filter(|it| it.sum() == entry.sum)
            }
        };
        match same {
            Some(chain) => Ok(chain),
            None => {
                self.put_aside(there)?;
                Ok(Chain::default())
            }
        }
    }

    /// Keeps a copy as the former one, unless one that holds more is kept already.
    fn put_aside(&self, there: &Copy) -> Result<(), StoreError> {
        let mut former = there.clone();
        former.entry.former = true;
        let (bytes, record) = files::place(&self.root, &former.entry);
        let longer = files::get(&record).is_some_and(|it| it.entry.length > there.entry.length);
        if !longer && files::read_whole(there).is_ok() {
            let former = Copy {
                entry: former.entry,
                bytes,
                record,
            };
            files::delete(&former)?;
            files::second_name(&there.bytes, &former.bytes)?;
            files::put(&former)?;
        }
        files::delete(there)
    }

    /// Adds what is new; true when nothing more is to be copied.
    fn add(
        &mut self,
        mut copy: Copy,
        mut chain: Chain,
        file: &mut File,
        source: &Path,
        now: u64,
        tended: &mut Tended,
    ) -> Result<bool, StoreError> {
        let length = chain.length();
        let room = MAX_COPY.saturating_sub(length).min(self.max_step);
        let new = files::part(file, source, length, room)?;
        if !self.has_room(new.len() as u64, now, tended)? {
            return Ok(true);
        }
        chain.push(&new);
        let meta = file
            .metadata()
            .map_err(|error| files::failed(source, "read", error))?;
        files::add(&copy.bytes, length, &new)?;
        let entry = &mut copy.entry;
        entry.length = chain.length();
        (entry.blocks, entry.sum) = (chain.blocks(), chain.sum());
        (entry.file, entry.at) = (file_id(&meta), now);
        entry.whole = entry.length >= meta.len();
        let done = entry.whole || entry.length >= MAX_COPY;
        files::put(&copy)?;
        tended.copied += new.len() as u64;
        tended.more |= !done;
        Ok(done)
    }

    fn has_room(&mut self, more: u64, now: u64, tended: &mut Tended) -> Result<bool, StoreError> {
        let copies = self.copies();
        let total = |copies: &[Copy]| copies.iter().map(|it| it.entry.length).sum::<u64>();
        if total(&copies).saturating_add(more) <= self.max_total {
            self.full = false;
            return Ok(true);
        }
        tended.removed += self.make_room(&copies, now, more)?;
        let fits = total(&self.copies()).saturating_add(more) <= self.max_total;
        if !fits && !std::mem::replace(&mut self.full, true) {
            let line = "the vault is full of conversations that are in use; nothing more is copied";
            tended.lines.push(line.to_owned());
        }
        Ok(fits)
    }

    fn make_room(&self, copies: &[Copy], now: u64, more: u64) -> Result<usize, StoreError> {
        let entries: Vec<&Entry> = copies.iter().map(|it| &it.entry).collect();
        let gone = keep::gone(&entries, now, self.max_total.saturating_sub(more));
        gone.iter().try_for_each(|n| files::delete(&copies[*n]))?;
        Ok(gone.len())
    }
}

fn hint(meta: &std::fs::Metadata) -> Hint {
    Hint {
        file: file_id(meta),
        length: meta.len(),
        changed: meta.modified().ok(),
    }
}

/// The files of a conversation, all of its folder's where it has one. A file whose name holds only part
/// of the id must name it within. `None`: there are more than a conversation has, and half of them
/// would be none.
fn transcripts(
    spec: &Spec,
    id: &str,
    folder: &Path,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<Vec<PathBuf>> {
    let patterns = conversation_paths(spec, id, folder, env);
    let mut found: Vec<PathBuf> = Vec::new();
    for path in patterns.iter().flat_map(look_up) {
        let named = path.to_string_lossy().contains(id);
        let within = || {
            let head = sys::files::read_head(&path, HEAD).unwrap_or_default();
            head.windows(id.len()).any(|it| it == id.as_bytes())
        };
        if !found.contains(&path) && (named || within()) {
            found.push(path);
        }
    }
    found.truncate(MAX_SOURCES);
    if spec.conversations.store != Store::Folder {
        return Some(found);
    }
    let parts: Option<Vec<Vec<PathBuf>>> = found.iter().map(|it| parts(spec, it)).collect();
    let parts: Vec<PathBuf> = parts?.into_iter().flatten().collect();
    (parts.len() <= MAX_PARTS).then_some(parts)
}
