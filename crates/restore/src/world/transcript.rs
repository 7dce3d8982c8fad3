//! A conversation's own file: is it there, is there a turn of the user's in it, did they stop it?
//!
//! A file is no proof of a conversation (claude-code#4172, agentwire-dev#901: a stub of a few lines
//! makes every resume fail).

use super::{Transcript, Whose};
use agents::spec::Store;
use agents::transcript;
use std::ffi::OsString;
use std::path::Path;
use std::time::UNIX_EPOCH;

pub(super) fn find(whose: Whose<'_>, variable: &dyn Fn(&str) -> Option<OsString>) -> Transcript {
    let (spec, kept) = (whose.spec, &whose.spec.conversations);
    let has_home = agents::home(spec, variable).is_some() || spec.home.is_none();
    if !matches!(kept.store, Store::File | Store::Folder) || kept.paths.is_empty() || !has_home {
        return Transcript::Unknown;
    }
    let Some(path) = transcript::find(spec, whose.id, whose.folder, variable) else {
        return Transcript::Missing;
    };
    // Cut between the mark of a turn and its line in the file.
    let under_way = under_way(whose, variable);
    Transcript::There {
        user_turn: match transcript::has_user_turn(spec, &path) {
            Some(false) if under_way => Some(true),
            found => found,
        },
        written: written(&path).filter(|_| !under_way),
        mode: transcript::last_mode(spec, &path),
        stopped: transcript::was_stopped(spec, &path),
        path,
    }
}

/// When a file was written last; of a folder that says nothing.
fn written(path: &Path) -> Option<u64> {
    let facts = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let since = facts.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

/// A file of its own says that a turn is under way.
fn under_way(whose: Whose<'_>, variable: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let mut spec = whose.spec.clone();
    spec.conversations.paths = std::mem::take(&mut spec.conversations.under_way);
    !spec.conversations.paths.is_empty()
        && transcript::find(&spec, whose.id, whose.folder, variable).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::Catalogue;

    const ID: &str = "0a1b2c3d-0000-4000-8000-000000000001";

    fn check(lines: &str, want: (Option<bool>, Option<&str>)) {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("projects/-src-shop");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{ID}.jsonl")), lines).unwrap();
        let catalogue = Catalogue::built_in();
        let whose = Whose {
            spec: catalogue.get("claude").unwrap(),
            id: ID,
            folder: Path::new("/src/shop"),
            env: &[],
        };
        let variable =
            |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| home.path().as_os_str().to_owned());
        let Transcript::There {
            user_turn,
            mode,
            written,
            ..
        } = find(whose, &variable)
        else {
            panic!("it is there");
        };
        assert!(written.is_some_and(|at| at + 60 > sys::boot::unix_now()));
        assert_eq!((user_turn, mode.as_deref()), want, "{lines}");
    }

    /// Cut right behind its mark, a request of abide's own runner stands in no line yet.
    #[test]
    fn a_turn_that_is_marked_counts() {
        let home = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::built_in();
        let whose = Whose {
            spec: catalogue.get("ask").unwrap(),
            id: "c",
            folder: Path::new("/src/shop"),
            env: &[],
        };
        let variable =
            |name: &str| (name == "ABIDE_HOME").then(|| home.path().as_os_str().to_owned());
        let put = |path: &str| {
            let path = home.path().join("state").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        let turn = || match find(whose, &variable) {
            Transcript::There { user_turn, .. } => user_turn,
            _ => panic!("it is there"),
        };
        put("conversations/c.jsonl");
        put("turns/another.json");
        assert_eq!(turn(), Some(false));
        put("turns/c.json");
        assert_eq!(turn(), Some(true));
    }

    #[test]
    fn a_file_alone_is_no_conversation() {
        check(
            "{\"type\":\"summary\"}\n{\"type\":\"mode\"}\n",
            (Some(false), None),
        );
        check(
            "{\"type\":\"user\",\"permissionMode\":\"plan\"}\n",
            (Some(true), Some("plan")),
        );
        // The last mode counts, also in the half line a power cut leaves.
        check(
            "{\"type\":\"user\",\"permissionMode\":\"plan\"}\n{\"permissionMode\":\"default\"}\n{\"perm",
            (Some(true), Some("default")),
        );
    }
}
