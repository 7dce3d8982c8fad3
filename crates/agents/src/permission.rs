//! How much a command line lets a CLI do, and holding it at or below what it last could. Pure.

use crate::spec::{Level, Spec};
use crate::words::{Flag, Group, read};
use std::ffi::OsString;

/// The level that `args` give: the highest of their permission flags, else the CLI's default;
/// `None` where the user's settings decide.
#[must_use]
pub fn granted(spec: &Spec, args: &[OsString]) -> Option<Level> {
    let explicit = explicit(spec, &read(spec, args).flags);
    explicit.or(spec.permission.default)
}

/// The level of a mode as the CLI itself writes it. A word the file does not know counts as
/// [`Level::Ask`]: nothing more than that is proved.
#[must_use]
pub fn last_level(spec: &Spec, mode: &str) -> Level {
    spec.permission
        .modes
        .get(mode)
        .copied()
        .unwrap_or(Level::Ask)
}

fn explicit(spec: &Spec, flags: &[Flag]) -> Option<Level> {
    flags.iter().filter_map(|flag| level(spec, flag)).max()
}

/// The level of one flag; `None` when it has none.
fn level(spec: &Spec, flag: &Flag) -> Option<Level> {
    if flag.group != Group::Permission {
        return None;
    }
    if let Some(level) = spec.permission.flags.get(&flag.name) {
        // `--yolo=false` is as good as none.
        let off = flag.value.as_ref().is_some_and(|value| value == "false");
        return (!off).then_some(*level);
    }
    let values = spec.permission.values.get(&flag.name)?;
    let value = flag.value.as_ref()?.to_string_lossy();
    let begins = |key: &str| {
        key.strip_suffix('*')
            .is_some_and(|head| value.starts_with(head))
    };
    let by_beginning = || {
        values
            .iter()
            .filter(|(key, _)| begins(key))
            .map(|(_, level)| *level)
            .min()
    };
    values.get(value.as_ref()).copied().or_else(by_beginning)
}

/// Not a permission flag, or one whose value is about something else (`-c model=x`).
fn is_about_else(spec: &Spec, flag: &Flag) -> bool {
    let bare = spec.permission.flags.contains_key(&flag.name);
    flag.group != Group::Permission || (!bare && level(spec, flag).is_none())
}

/// What is left of the permission flags under a ceiling.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Capped {
    /// Flags to keep, by place in the list given; the others of [`Group::Permission`] fall.
    pub(crate) keep: Vec<bool>,
    /// Words to add.
    pub(crate) add: Vec<OsString>,
}

/// Holds `flags` at or below `last`; without a `last` the launch flags are the last that is known.
pub(crate) fn cap(spec: &Spec, flags: &[Flag], last: Option<Level>) -> Capped {
    let explicit = explicit(spec, flags);
    let result = explicit.or(spec.permission.default).unwrap_or(Level::All);
    let ceiling = last.unwrap_or(Level::All).min(result);
    let unusable = |flag: &Flag| refused(spec, flag) && flag.group == Group::Permission;
    if ceiling == result && !flags.iter().any(unusable) {
        return Capped {
            keep: vec![true; flags.len()],
            add: Vec::new(),
        };
    }
    let below = spec
        .permission
        .set
        .iter()
        .filter(|(level, _)| **level <= ceiling);
    let set = below
        .max_by_key(|(level, _)| **level)
        .map(|(_, words)| words);
    Capped {
        keep: flags.iter().map(|flag| is_about_else(spec, flag)).collect(),
        add: set.into_iter().flatten().map(Into::into).collect(),
    }
}

/// Whether the CLI refuses the flag when it resumes.
pub(crate) fn refused(spec: &Spec, flag: &Flag) -> bool {
    let refuses = spec.resume.as_ref().map(|resume| &resume.refuses);
    refuses.is_some_and(|refuses| refuses.contains(&flag.name))
}
