//! Conversations a process holds: files it has open that are named after them.
//!
//! The kernel says which files a process has open, so nothing here can be stale. Several at once are
//! told apart only where the CLI is known to keep the one that is shown newest.

use super::{Unproven, holding};
use crate::paths::captured;
use crate::spec::Spec;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use sys::process::{self, Identity};

/// One conversation that is held.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) id: String,
    pub(super) process: Identity,
    pub(super) path: PathBuf,
}

/// What the agent's processes hold, each conversation once.
#[derive(Debug, Default)]
pub(super) struct AllHeld {
    /// By lock.
    pub(super) locks: Vec<Held>,
    /// By transcript.
    pub(super) transcripts: Vec<Held>,
}

/// Looks through the open files of `own`.
pub(super) fn look(spec: &Spec, home: &Path, own: &[Identity]) -> AllHeld {
    let mut found = AllHeld::default();
    if spec.learn.lock.is_none() && !spec.conversations.held_open {
        return found;
    }
    // The kernel shows paths without links.
    let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    for process in own {
        for path in process::open_files(process.pid) {
            let held = |template: &str| {
                let id = captured(spec, template, &home, &path, Some(process.pid))?;
                Some(Held {
                    id,
                    process: *process,
                    path: path.clone(),
                })
            };
            if let Some(lock) = &spec.learn.lock
                && let Some(held) = held(&lock.path)
                && (!lock.locked || holding(&path, process.pid))
            {
                put(&mut found.locks, held);
            }
            let open = spec.conversations.held_open;
            let templates = spec.conversations.paths.iter().filter(|_| open);
            if let Some(held) = templates.filter_map(|it| held(it)).next() {
                put(&mut found.transcripts, held);
            }
        }
    }
    found
}

fn put(list: &mut Vec<Held>, held: Held) {
    if !list.iter().any(|it| it.id == held.id) {
        list.push(held);
    }
}

/// The conversation that is shown, of those held by a lock. `Ok(None)`: none is held.
pub(super) fn shown(spec: &Spec, all: &AllHeld) -> Result<Option<Held>, Unproven> {
    let inner = |held: &&Held| {
        let transcript = all.transcripts.iter().find(|it| it.id == held.id);
        transcript.is_some_and(|it| crate::transcript::is_inner(spec, &it.path))
    };
    let mut own: Vec<&Held> = all.locks.iter().filter(|it| !inner(it)).collect();
    let newest = spec.learn.lock.as_ref().is_some_and(|lock| lock.newest);
    if newest {
        own.sort_by_key(|held| std::cmp::Reverse(used(all, held)));
        if let [first, second, ..] = own.as_slice()
            && used(all, first) == used(all, second)
        {
            return Err(several(&own));
        }
        own.truncate(1);
    }
    match own.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        _ => Err(several(&own)),
    }
}

/// The one conversation whose transcript is held open. With several, the process does not say which
/// of them it shows.
pub(super) fn open(spec: &Spec, all: &AllHeld) -> Result<Option<Held>, Unproven> {
    let outer = |held: &&Held| !crate::transcript::is_inner(spec, &held.path);
    let own: Vec<&Held> = all.transcripts.iter().filter(outer).collect();
    match own.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        _ => Err(several(&own)),
    }
}

fn several(held: &[&Held]) -> Unproven {
    Unproven::Several(held.iter().map(|it| it.id.clone()).collect())
}

/// When a conversation was last begun or written: its lock's making or its transcript's last line. A
/// conversation gone back to is written again, its lock is not made again.
fn used(all: &AllHeld, held: &Held) -> Option<SystemTime> {
    let made = std::fs::metadata(&held.path).ok();
    let made = made.and_then(|it| it.created().or_else(|_| it.modified()).ok());
    let transcript = all.transcripts.iter().find(|it| it.id == held.id);
    let written = transcript.and_then(|it| std::fs::metadata(&it.path).ok()?.modified().ok());
    made.max(written)
}
