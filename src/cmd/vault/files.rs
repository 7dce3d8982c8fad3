//! Conversations of several files: as one in a list, and written out below a folder.

use super::missing;
use crate::cmd::Ctx;
use crate::failure::Failure;
use restore::Vault;
use restore::vault::Copy;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The copies by conversation, in the order of their first one.
pub(super) fn conversations(copies: &[Copy]) -> Vec<Vec<&Copy>> {
    let mut found: Vec<Vec<&Copy>> = Vec::new();
    for copy in copies {
        let same =
            |it: &&mut Vec<&Copy>| it[0].entry.is_of(&copy.entry.cli, &copy.entry.conversation);
        match found.iter_mut().find(same) {
            Some(own) => own.push(copy),
            None => found.push(vec![copy]),
        }
    }
    found
}

/// The copies of what a conversation consists of now.
pub(super) fn current<'a>(
    copies: &'a [Copy],
    conversation: &str,
) -> impl Iterator<Item = &'a Copy> {
    let own = move |it: &&Copy| it.entry.conversation == conversation && !it.entry.former;
    copies.iter().filter(own)
}

/// Writes every file of a conversation below `folder`, as they lie below the folder they share.
///
/// # Errors
/// There is none, one cannot be read or written, or one is there already: nothing is overwritten.
pub(super) fn export(
    ctx: &Ctx,
    vault: &Vault,
    copies: &[Copy],
    conversation: &str,
    folder: &Path,
) -> Result<(), Failure> {
    let own: Vec<&Copy> = current(copies, conversation).collect();
    let paths: Vec<&Path> = own.iter().map(|it| it.entry.path.as_path()).collect();
    let shared = shared(&paths).ok_or_else(|| missing(conversation))?;
    let mut written = Vec::new();
    for copy in own {
        let path = copy.entry.path.as_path();
        let target = folder.join(path.strip_prefix(&shared).unwrap_or(path));
        if let Some(parent) = target.parent() {
            sys::files::private_dir(parent)?;
        }
        let bytes = vault.read(copy)?;
        if !sys::files::copy_new(&mut bytes.as_slice(), &target)? {
            let target = target.display();
            return Err(Failure::new(format!(
                "{target} is there already; nothing is overwritten"
            )));
        }
        written.push(target);
    }
    ctx.out.either(
        || json!({ "written": written }),
        || {
            format!(
                "{} written below {}",
                crate::words::count(written.len(), "file"),
                folder.display()
            )
        },
    )
}

/// The innermost folder that all of these lie in.
fn shared(paths: &[&Path]) -> Option<PathBuf> {
    let mut shared = paths.first()?.parent()?.to_owned();
    while !paths.iter().all(|it| it.starts_with(&shared)) {
        shared = shared.parent()?.to_owned();
    }
    Some(shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_share_a_folder() {
        let check = |paths: &[&str], want: Option<&str>| {
            let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
            assert_eq!(shared(&paths).as_deref(), want.map(Path::new));
        };
        check(&["/a/b/c.jsonl"], Some("/a/b"));
        check(&["/a/b/x/1", "/a/b/2", "/a/b/y/z/3"], Some("/a/b"));
        check(&["/a/bc/1", "/a/b/2"], Some("/a"));
        check(&["/a/1", "/b/2"], Some("/"));
        check(&[], None);
    }
}
