//! Whether a process may have begun another conversation than the one it was started with.
//!
//! Some CLIs begin another in the same process (`/clear`, `/new`) and leave nothing that says which
//! process did; what shows is the new conversation's file beside the old one's. In: what a process was
//! started with, what lies on disk. Out: no doubt, or the name of what raises it. Promises: nothing is
//! proved here, only doubted; what was there before the process's own conversation was last written, or
//! at an earlier look, or what a living process was started with, raises none.

use super::Learnt;
use crate::paths::{Place, names, place};
use crate::resume::bad_id;
use crate::spec::{Spec, Store};
use crate::transcript::parts;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use sys::process;

/// Entries of one folder that are looked at.
const MAX_ENTRIES: usize = 50_000;

/// Whether doubt is all there is: the CLI leaves files, and nothing that follows a process.
pub(super) fn applies(spec: &Spec) -> bool {
    let learn = &spec.learn;
    let reports = learn.hook.as_ref().is_some_and(|it| it.form.is_some());
    let follows =
        learn.live.is_some() || learn.lock.is_some() || reports || spec.conversations.held_open;
    !follows && matches!(spec.conversations.store, Store::File | Store::Folder)
}

/// Looks beside the conversation `found`. Gives until when nothing raises doubt, for the next look's
/// `before`.
///
/// # Errors
/// The name of a conversation that may be this process's by now.
pub(super) fn look(
    spec: &Spec,
    found: &Learnt,
    before: Option<SystemTime>,
) -> Result<Option<SystemTime>, String> {
    let Some(folder) = found.transcript.as_deref().and_then(Path::parent) else {
        return Ok(before);
    };
    let beside = beside(spec, &found.id, folder);
    let written = beside.own.iter().filter_map(|path| written(spec, path));
    let since = written
        .chain(before)
        .chain(found.process.began())
        .max()
        .unwrap_or(SystemTime::UNIX_EPOCH);
    let newer: Vec<&(PathBuf, SystemTime)> =
        beside.others.iter().filter(|it| it.1 > since).collect();
    if newer.is_empty() {
        return Ok(before);
    }
    let opened = opened(spec);
    let strange = newer
        .iter()
        .find(|(path, _)| !opened.iter().any(|id| is_of(spec, path, id)));
    match strange {
        Some((path, _)) => Err(path
            .file_name()
            .map(|it| it.to_string_lossy().into_owned())
            .unwrap_or_default()),
        None => Ok(newer.iter().map(|it| it.1).max()),
    }
}

/// Conversations of one folder.
struct Beside {
    own: Vec<PathBuf>,
    /// .. and when each appeared.
    others: Vec<(PathBuf, SystemTime)>,
}

fn beside(spec: &Spec, id: &str, folder: &Path) -> Beside {
    let mut found = Beside {
        own: Vec::new(),
        others: Vec::new(),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for entry in entries.take(MAX_ENTRIES).filter_map(Result::ok) {
        let name = entry.file_name();
        match place(spec, id, &name) {
            Some(Place::Own) => found.own.push(entry.path()),
            Some(Place::Other) => {
                let meta = entry.metadata().ok();
                // Where the system does not say when a file was made: when it was last written.
                let made = meta.and_then(|it| it.created().or_else(|_| it.modified()).ok());
                found.others.extend(made.map(|made| (entry.path(), made)));
            }
            None => {}
        }
    }
    found
}

/// When a conversation was last written.
fn written(spec: &Spec, path: &Path) -> Option<SystemTime> {
    let parts = parts(spec, path)?;
    let times = parts
        .iter()
        .filter_map(|it| std::fs::metadata(it).ok()?.modified().ok());
    times.max()
}

/// The ids that living processes were started with.
fn opened(spec: &Spec) -> Vec<String> {
    let mut ids = Vec::new();
    for stat in process::all() {
        for word in process::command_line(stat.pid).unwrap_or_default() {
            let Some(word) = word.to_str() else { continue };
            let value = word.rsplit_once('=').map_or(word, |(_, value)| value);
            if bad_id(spec, value).is_none() {
                ids.push(value.to_owned());
            }
        }
    }
    ids
}

fn is_of(spec: &Spec, path: &Path, id: &str) -> bool {
    path.file_name().is_some_and(|name| names(spec, id, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::How;
    use crate::{Catalogue, Spec};
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;
    use sys::process::Identity;

    const ID: &str = "0a1b2c3d-0000-4000-8000-000000000001";
    const OTHER: &str = "99999999-0000-4000-8000-000000000001";
    const MINUTE: Duration = Duration::from_secs(60);

    struct World {
        folder: tempfile::TempDir,
        spec: Spec,
    }

    impl World {
        fn new() -> Self {
            Self {
                folder: tempfile::tempdir().unwrap(),
                spec: Catalogue::built_in().get("gemini").cloned().unwrap(),
            }
        }

        fn chat(&self, id: &str) -> PathBuf {
            let name = format!("session-2026-12-01T00-57-{}.jsonl", &id[..8]);
            self.folder.path().join(name)
        }

        fn write(&self, id: &str, at: SystemTime) {
            let path = self.chat(id);
            std::fs::write(&path, "{}\n").unwrap();
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(at).unwrap();
        }

        fn look(&self, before: Option<SystemTime>) -> Result<Option<SystemTime>, String> {
            let found = Learnt {
                id: ID.to_owned(),
                how: How::Assigned,
                // Begun with the machine.
                process: Identity { pid: 1, start: 0 },
                transcript: Some(self.chat(ID)),
                status: None,
                why: None,
                permission: None,
                sure: None,
            };
            look(&self.spec, &found, before)
        }
    }

    /// A living process that was started with an id.
    fn started_with(id: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", "read line", "--session-id", id]);
        command.stdin(Stdio::piped()).spawn().unwrap()
    }

    #[test]
    fn only_what_nothing_else_follows_is_doubted() {
        let catalogue = Catalogue::built_in();
        let doubted: Vec<&str> = catalogue
            .specs()
            .filter(|it| applies(it))
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(doubted, ["gemini", "kimi", "droid", "grok"]);
    }

    /// After /clear a Gemini CLI that was started with an id writes to another conversation, and a
    /// restart must not open the former one (herdr#619: the id rotates; dev-3.0#1181: a process that was
    /// started under an id went on with another conversation's file).
    #[test]
    fn another_conversation_beside_it_raises_doubt_until_its_own_goes_on() {
        let world = World::new();
        let now = SystemTime::now();
        world.write(ID, now - MINUTE);
        assert_eq!(world.look(None), Ok(None));
        world.write(OTHER, now);
        let name = world.chat(OTHER).file_name().unwrap().to_owned();
        assert_eq!(world.look(None), Err(name.into_string().unwrap()));
        world.write(ID, now + MINUTE);
        assert_eq!(world.look(None), Ok(None));
    }

    #[test]
    fn what_another_process_was_started_with_raises_none_also_when_that_has_ended() {
        let world = World::new();
        let now = SystemTime::now();
        world.write(ID, now - MINUTE);
        let other = format!("99999999-0000-4000-8000-{:012x}", std::process::id());
        world.write(&other, now);
        let mut child = started_with(&other);
        let sure = world.look(None).unwrap();
        assert!(sure.is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(world.look(sure), Ok(sure));
        assert!(world.look(None).is_err(), "nobody says whose it is");
    }
}
