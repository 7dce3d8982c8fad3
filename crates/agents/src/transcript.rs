//! What a conversation's transcript says: whether it is there, holds a turn of the user's, how it
//! begins, which permission it had last, whether the user stopped its last turn.
//!
//! Reads files, writes none. Every read is bounded: the head or the tail, lines cut at 1 MiB. What a
//! data file does not describe is `None`, never a guess.

mod lines;
mod parts;
mod recent;

pub use parts::{MAX_PARTS, parts};
pub use recent::{Recent, recent};

use crate::paths::{conversation_paths, look_up};
use crate::spec::{Conversations, Spec, Store};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How much of the end is read for what was written last.
const TAIL: u64 = 256 * 1024;
/// How much of the beginning is read for the first line.
const HEAD: u64 = 1024 * 1024;
/// Characters of a first line for a title.
const TITLE: usize = 120;

/// The transcript of conversation `id` that ran in `folder`; of several the longest, since some CLIs
/// leave a stub beside the real one. A folder with nothing in it is none. Reads folders: not for every
/// look.
#[must_use]
pub fn find(
    spec: &Spec,
    id: &str,
    folder: &Path,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let patterns = conversation_paths(spec, id, folder, env);
    let is_there = |path: &PathBuf| {
        spec.conversations.store != Store::Folder
            || parts(spec, path).is_none_or(|parts| !parts.is_empty())
    };
    let found = patterns
        .iter()
        .map(|pattern| -> Vec<PathBuf> { look_up(pattern).into_iter().filter(is_there).collect() })
        .find(|paths| !paths.is_empty())?;
    found
        .into_iter()
        .max_by_key(|path| std::fs::metadata(path).map_or(0, |it| it.len()))
}

/// Whether a transcript lies there.
#[must_use]
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|it| it.len() > 0 || it.is_dir())
}

/// Whether it holds a turn of the user's; `None`: the CLI's form is not known, or it cannot be read.
#[must_use]
pub fn has_user_turn(spec: &Spec, path: &Path) -> Option<bool> {
    let form = &spec.conversations;
    if form.user_turn.is_empty() {
        return None;
    }
    let found = lines::find(path, |line| is_user_turn(form, line).then_some(()));
    found.ok().map(|found| found.is_some())
}

/// How the conversation begins: the first words the user wrote, on one line.
#[must_use]
pub fn first_line(spec: &Spec, path: &Path) -> Option<String> {
    let form = &spec.conversations;
    if form.user_turn.is_empty() || form.user_text.is_empty() {
        return None;
    }
    lines::find(path, |line| {
        let words = is_user_turn(form, line).then(|| user_text(form, line))??;
        title(&words)
    })
    .ok()?
}

/// The permission mode that the CLI itself wrote last.
#[must_use]
pub fn last_mode(spec: &Spec, path: &Path) -> Option<String> {
    let key = spec.conversations.mode_key.as_deref()?;
    let (tail, _) = sys::files::read_tail(path, TAIL).ok()?;
    let text = String::from_utf8_lossy(&tail);
    let mark = format!("\"{key}\":\"");
    // A line that holds the mark within a quotation has it with its quotes escaped.
    let (_, rest) = text.rsplit_once(&mark)?;
    let word = rest.split('"').next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let whole = rest.len() > word.len() && !word.is_empty() && word.len() <= 64;
    (whole && word.chars().all(plain)).then(|| word.to_owned())
}

/// Whether the user stopped the last turn; such a turn is not gone on with. `None`: the CLI's form is
/// not known, or it cannot be read.
#[must_use]
pub fn was_stopped(spec: &Spec, path: &Path) -> Option<bool> {
    let form = &spec.conversations;
    if form.stopped.is_empty() {
        return None;
    }
    let (tail, _) = sys::files::read_tail(path, TAIL).ok()?;
    let text = String::from_utf8_lossy(&tail);
    for line in text.lines().rev() {
        if is_stop(form, line) {
            return Some(true);
        }
        if is_user_turn(form, line) {
            return Some(false);
        }
    }
    Some(false)
}

/// Whether the file is a sub-agent's or another inner conversation's.
#[must_use]
pub fn is_inner(spec: &Spec, path: &Path) -> bool {
    let Some(pointer) = &spec.conversations.inner else {
        return false;
    };
    first_value(path).is_some_and(|value| value.pointer(pointer).is_some_and(|it| !it.is_null()))
}

/// The first line as JSON.
fn first_value(path: &Path) -> Option<Value> {
    let head = sys::files::read_head(path, HEAD).ok()?;
    let line = head.split(|b| *b == b'\n').next()?;
    serde_json::from_slice(line).ok()
}

fn is_user_turn(form: &Conversations, line: &str) -> bool {
    let has = |marks: &[String]| marks.iter().any(|mark| line.contains(mark.as_str()));
    has(&form.user_turn) && !has(&form.not_user_turn) && !is_stop(form, line)
}

/// Whether the line says that the user stopped a turn: its words and nothing else.
fn is_stop(form: &Conversations, line: &str) -> bool {
    let may = form
        .stopped
        .iter()
        .any(|words| line.contains(words.as_str()));
    may && user_text(form, line).is_some_and(|text| form.stopped.contains(&text))
}

fn user_text(form: &Conversations, line: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    let mut pointers = form.user_text.iter();
    pointers.find_map(|pointer| value.pointer(pointer)?.as_str().map(str::to_owned))
}

/// Words as a title; `None` for what a CLI put there itself (`<command-name>..`) and for nothing.
fn title(words: &str) -> Option<String> {
    let line = words.lines().map(str::trim).find(|line| !line.is_empty())?;
    if line.starts_with('<') {
        return None;
    }
    let plain: String = line
        .chars()
        .filter(|c| !c.is_control())
        .take(TITLE + 1)
        .collect();
    Some(match plain.chars().count() > TITLE {
        true => plain.chars().take(TITLE - 1).chain(['…']).collect(),
        false => plain,
    })
}

#[cfg(test)]
mod tests;
