//! Conversations that were used in a folder lately, for a person to pick from. A list to choose from,
//! never a proof of what a process has.

use super::{first_line, first_value, has_user_turn};
use crate::paths::{captured, home, recent_pattern};
use crate::spec::Spec;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files looked into at most, newest first, where only their first line tells the folder.
const MAX_LOOKS: usize = 300;

/// A conversation on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent {
    /// Its id.
    pub id: String,
    /// Its transcript.
    pub path: PathBuf,
    /// When it was last written.
    pub written: SystemTime,
    /// How it begins.
    pub first_line: Option<String>,
}

/// The newest conversations of this CLI in `folder`, at most `most`; none without a turn of the
/// user's. Empty where neither path nor file tells the folder.
#[must_use]
pub fn recent(
    spec: &Spec,
    folder: &Path,
    env: &dyn Fn(&str) -> Option<OsString>,
    most: usize,
) -> Vec<Recent> {
    let Some(home) = home(spec, env) else {
        return Vec::new();
    };
    let mut found: Vec<Recent> = Vec::new();
    for template in &spec.conversations.paths {
        let by_path = template.contains("{folder:");
        if !by_path && spec.conversations.folder.is_none() {
            continue;
        }
        let listed = recent_pattern(template, &home, folder);
        for (path, written) in newest(&listed).into_iter().take(MAX_LOOKS) {
            if found.len() >= most {
                break;
            }
            let Some(id) = captured(spec, template, &home, &path, None) else {
                continue;
            };
            let here = by_path || is_in(spec, &path, folder);
            let known = found.iter().any(|it| it.id == id);
            if here && !known && has_user_turn(spec, &path) != Some(false) {
                let first_line = first_line(spec, &path);
                found.push(Recent {
                    id,
                    path,
                    written,
                    first_line,
                });
            }
        }
    }
    found
}

/// With their times, newest first.
fn newest(paths: &[PathBuf]) -> Vec<(PathBuf, SystemTime)> {
    let timed = paths.iter().filter_map(|path| {
        let written = std::fs::metadata(path).ok()?.modified().ok()?;
        Some((path.clone(), written))
    });
    let mut timed: Vec<_> = timed.collect();
    timed.sort_by_key(|(_, written)| std::cmp::Reverse(*written));
    timed
}

/// Whether the file's first line says it ran in `folder`.
fn is_in(spec: &Spec, path: &Path, folder: &Path) -> bool {
    let pointer = spec.conversations.folder.as_deref();
    let said = first_value(path).and_then(|value| {
        let folder = value.pointer(pointer?)?.as_str()?;
        Some(PathBuf::from(folder))
    });
    said.is_some_and(|said| said == folder)
}
