//! Stable links: old panes reach what moves with each login (an SSH agent's socket) through a path
//! that stays.
//!
//! In: names and where they lead now. Out: symbolic links in the state folder's `links`, each
//! replaced in one step. Promise: a name is one plain path component, so nothing outside is touched.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Points `name` in `folder` to `target`.
pub(crate) fn point(folder: &Path, name: &str, target: &[u8]) -> io::Result<()> {
    let plain = !name.is_empty()
        && name.len() <= 128
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !plain {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let (link, target) = (folder.join(name), Path::new(OsStr::from_bytes(target)));
    if std::fs::read_link(&link).is_ok_and(|now| now == target) {
        return Ok(());
    }
    sys::files::private_dir(folder).map_err(io::Error::other)?;
    let temporary = folder.join(format!(".{name}.{}", std::process::id()));
    match std::fs::remove_file(&temporary) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    symlink(target, &temporary)?;
    std::fs::rename(&temporary, &link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_follows_and_stays_inside() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("links");
        for target in ["/tmp/a", "/tmp/b", "/tmp/b"] {
            point(&folder, "SSH_AUTH_SOCK", target.as_bytes()).unwrap();
            let now = std::fs::read_link(folder.join("SSH_AUTH_SOCK")).unwrap();
            assert_eq!(now, Path::new(target));
        }
        for name in ["", "..", "a/b", "/etc/passwd", ".x", "a b"] {
            assert!(point(&folder, name, b"/tmp/a").is_err(), "{name:?}");
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    }
}
