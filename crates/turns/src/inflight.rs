//! The record of a turn that was sent and has not ended: one file a conversation.
//!
//! In: a turn that is about to be sent; its end. Out: after a restart, what was under way. Promises:
//! the file is on disk before the turn is sent and whole at every moment (temp, fsync, rename, 0600);
//! only a result, a Stop or the user's own end of its pane removes it, no signal and no shutdown; an
//! unreadable or newer file is left where it is and told.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use sys::files::{FileError, private_dir, read_bounded, write_atomic};

/// Largest file that is read: a request may carry a pasted log.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Form this build writes, and the newest it reads.
pub const VERSION: u32 = 1;

/// A turn under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InFlight {
    /// See [`VERSION`].
    pub version: u32,
    /// Our own name of the conversation, also before the framework gave it one.
    pub conversation: String,
    /// The framework's id of it; `None`: it has not said one yet.
    pub session_id: Option<String>,
    /// The framework.
    pub engine: String,
    /// When the turn was first sent, Unix seconds.
    pub started_at: u64,
    /// How often it was sent; 0: written down and not sent yet.
    pub attempts: u32,
    /// Names the message; sent again with the same one.
    pub uuid: String,
    /// The pane it ran in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<u32>,
    /// The person left the conversation while it ran: it goes on when they open it again, not before.
    #[serde(default, skip_serializing_if = "is_false")]
    pub left: bool,
    /// What was asked, and how.
    pub params: Params,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_false(it: &bool) -> bool {
    !*it
}

/// What was asked, and how; sent again it is the same in all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    /// The request.
    pub message: String,
    /// Folder the agent works in.
    pub project_dir: String,
    /// Model; `None`: the framework's default.
    pub model: Option<String>,
    /// Effort; `None`: the framework's default.
    pub effort: Option<String>,
    /// The access it ran with; `None`: the framework's default.
    pub permission_mode: Option<String>,
    /// Account home and framework settings.
    pub runner_config_id: Option<String>,
}

/// The folder of such records.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// What is under way, and what could not be read.
#[derive(Debug, Default)]
pub struct Found {
    /// Oldest first.
    pub turns: Vec<InFlight>,
    /// One line for each file that was left alone.
    pub problems: Vec<String>,
}

impl Folder {
    /// The folder below `state`, made (0700) when it is missing.
    ///
    /// # Errors
    /// It cannot be made, or is another user's.
    pub fn open(state: &Path) -> Result<Self, FileError> {
        let path = state.join("turns");
        private_dir(&path)?;
        Ok(Self { path })
    }

    fn file(&self, conversation: &str) -> PathBuf {
        self.path.join(format!("{conversation}.json"))
    }

    /// Writes the turn down. Returns once it is on disk.
    ///
    /// # Errors
    /// It could not be written: then the turn is not to be sent.
    pub fn write(&self, turn: &InFlight) -> Result<(), FileError> {
        let mut bytes = serde_json::to_vec_pretty(turn).unwrap_or_default();
        bytes.push(b'\n');
        write_atomic(&self.file(&turn.conversation), &bytes)
    }

    /// The conversation's turn is over. One that is not there is no fault.
    ///
    /// # Errors
    /// The file is there and cannot be removed.
    pub fn remove(&self, conversation: &str) -> Result<(), FileError> {
        let path = self.file(conversation);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(FileError {
                operation: "remove",
                path,
                source,
            }),
            _ => Ok(()),
        }
    }

    /// The conversation's turn, if one is under way.
    #[must_use]
    pub fn read(&self, conversation: &str) -> Option<InFlight> {
        read(&self.file(conversation)).ok()
    }

    /// Everything that is under way, oldest first.
    #[must_use]
    pub fn all(&self) -> Found {
        let mut found = Found::default();
        let entries = std::fs::read_dir(&self.path)
            .into_iter()
            .flatten()
            .flatten();
        for path in entries.map(|it| it.path()) {
            if path.extension().is_none_or(|it| it != "json") {
                continue;
            }
            match read(&path) {
                Ok(turn) => found.turns.push(turn),
                Err(why) => found.problems.push(format!("{}: {why}", path.display())),
            }
        }
        let key = |it: &InFlight| (it.started_at, it.conversation.clone());
        found.turns.sort_by_key(key);
        found
    }
}

fn read(path: &Path) -> Result<InFlight, String> {
    #[derive(Deserialize)]
    struct Stated {
        version: u32,
    }
    let bytes = read_bounded(path, MAX_BYTES).map_err(|e| e.to_string())?;
    let stated: Stated = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
    if stated.version > VERSION {
        let found = stated.version;
        return Err(format!("it has form {found}, this build reads {VERSION}"));
    }
    serde_json::from_slice(&bytes).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn turn(conversation: &str, started_at: u64) -> InFlight {
        InFlight {
            version: VERSION,
            conversation: conversation.to_owned(),
            session_id: None,
            engine: "claude".to_owned(),
            started_at,
            attempts: 1,
            uuid: "u".to_owned(),
            pane: Some(3),
            left: false,
            params: Params {
                message: "do it".to_owned(),
                project_dir: "/w".to_owned(),
                ..Params::default()
            },
        }
    }

    #[test]
    fn a_turn_is_there_until_it_is_over_and_the_oldest_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        for (name, at) in [("b", 20), ("a", 30), ("c", 10)] {
            folder.write(&turn(name, at)).unwrap();
        }
        let order: Vec<_> = folder
            .all()
            .turns
            .into_iter()
            .map(|it| it.started_at)
            .collect();
        assert_eq!(order, [10, 20, 30]);
        let file = dir.path().join("turns/a.json");
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        folder.remove("a").unwrap();
        folder.remove("a").unwrap();
        assert!(folder.read("a").is_none());
        assert_eq!(folder.read("b"), Some(turn("b", 20)));
    }

    #[test]
    fn the_files_form_is_this() {
        let text = serde_json::to_string(&turn("x", 7)).unwrap();
        let want = r#"{"version":1,"conversation":"x","sessionId":null,"engine":"claude","startedAt":7,"attempts":1,"uuid":"u","pane":3,"params":{"message":"do it","projectDir":"/w","model":null,"effort":null,"permissionMode":null,"runnerConfigId":null}}"#;
        assert_eq!(text, want);
    }

    #[test]
    fn what_cannot_be_read_is_told_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        folder.write(&turn("good", 1)).unwrap();
        let files = [
            ("newer", r#"{"version":2,"other":"form"}"#),
            ("half", r#"{"version":1,"conv"#),
            ("nul", "\0\0\0\0"),
            ("empty", ""),
        ];
        for (name, text) in files {
            std::fs::write(dir.path().join(format!("turns/{name}.json")), text).unwrap();
        }
        let found = folder.all();
        assert_eq!(
            (found.turns.len(), found.problems.len()),
            (1, 4),
            "{found:?}"
        );
        for (name, text) in files {
            let path = dir.path().join(format!("turns/{name}.json"));
            assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        }
    }
}
