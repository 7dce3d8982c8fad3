//! The files that a conversation is made of: one, or all of its folder.

use crate::paths::fits;
use crate::spec::{Conversations, Spec, Store};
use std::path::{Path, PathBuf};

/// Files of one conversation at most; more is no conversation's folder.
pub const MAX_PARTS: usize = 256;
/// Folders within folders at most.
const MAX_DEPTH: usize = 6;

/// The files of the conversation at `path`, sorted: itself, or what lies in its folder but for the
/// names the data file leaves out; links in it do not count. `None`: there are
/// more than [`MAX_PARTS`], or deeper ones. Reads folders: not for every look.
#[must_use]
pub fn parts(spec: &Spec, path: &Path) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    match spec.conversations.store {
        Store::Folder => walk(&spec.conversations, path, MAX_DEPTH, &mut found)?,
        _ if path.is_file() => found.push(path.to_owned()),
        _ => {}
    }
    found.sort();
    Some(found)
}

fn walk(form: &Conversations, folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Option<()> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Some(());
    };
    for entry in entries.filter_map(Result::ok) {
        let left = |pattern: &String| {
            let texts: Vec<String> = pattern.split('*').map(str::to_owned).collect();
            match texts.as_slice() {
                [whole] => entry.file_name() == whole.as_str(),
                texts => fits(&entry.file_name(), texts),
            }
        };
        if form.leave.iter().any(left) {
            continue;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(form, &path, depth.checked_sub(1)?, found)?,
            Ok(kind) if kind.is_file() => found.push(path),
            _ => {}
        }
        if found.len() > MAX_PARTS {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;
    use std::fs;

    fn put(root: &Path, names: &[&str]) {
        for name in names {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
    }

    #[test]
    fn a_folders_files_but_for_its_locks() {
        let root = tempfile::tempdir().unwrap();
        let spec = Catalogue::built_in().get("copilot").cloned().unwrap();
        put(
            root.path(),
            &[
                "events.jsonl",
                "workspace.yaml",
                "checkpoints/index.md",
                "inuse.23.lock",
                "inuse.23.hold",
                ".workspace-fork.lock",
                "store.db-wal",
            ],
        );
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", root.path().join("link")).unwrap();
        let names: Vec<_> = parts(&spec, root.path())
            .unwrap()
            .iter()
            .map(|it| it.strip_prefix(root.path()).unwrap().to_owned())
            .collect();
        let want = ["checkpoints/index.md", "events.jsonl", "workspace.yaml"];
        assert_eq!(names, want.map(PathBuf::from));
        assert_eq!(parts(&spec, &root.path().join("gone")), Some(Vec::new()));
    }

    #[test]
    fn what_is_too_much_is_no_conversation() {
        let spec = Catalogue::built_in().get("copilot").cloned().unwrap();
        let root = tempfile::tempdir().unwrap();
        put(root.path(), &["a/b/c/d/e/f/file"]);
        assert!(parts(&spec, root.path()).is_some());
        put(root.path(), &["a/b/c/d/e/f/g/file"]);
        assert_eq!(parts(&spec, root.path()), None);
        let root = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..=MAX_PARTS).map(|n| format!("{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        put(root.path(), &names[1..]);
        assert_eq!(parts(&spec, root.path()).unwrap().len(), MAX_PARTS);
        put(root.path(), &names[..1]);
        assert_eq!(parts(&spec, root.path()), None);
    }

    #[test]
    fn a_file_is_one_itself() {
        let root = tempfile::tempdir().unwrap();
        let spec = Catalogue::built_in().get("claude").cloned().unwrap();
        put(root.path(), &["a.jsonl"]);
        let path = root.path().join("a.jsonl");
        assert_eq!(parts(&spec, &path), Some(vec![path.clone()]));
        assert_eq!(parts(&spec, root.path()), Some(Vec::new()));
    }
}
